// What has happened in a chat: a line in the middle. The gateway has the sentence.
import { el, memberName, text, timeOfDay, View, wholeTime, words } from "./base.js"

export class CIEventView extends View {
  draw(item, context) {
    const name = eventName(item)
    return [name && text(name, "b"), name && " ", text(item.meta.itemText), " ", el("time", { datetime: item.meta.itemTs, title: wholeTime(item.meta.itemTs) }, timeOfDay(item.meta.itemTs))]
  }
}

/** Name of the author of an event in a group; empty for events without an author, such as encryption. */
export const eventName = ({ chatDir, content: { type } }) => (type == "rcvGroupEvent" ? memberName(chatDir.groupMember) : type == "sndGroupEvent" ? words.you : "")
