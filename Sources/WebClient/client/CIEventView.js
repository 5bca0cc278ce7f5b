// What has happened in a chat: a line in the middle. The gateway has the sentence.
import { el, isSent, memberName, text, timeOfDay, View, wholeTime, words } from "./base.js"

export class CIEventView extends View {
  draw(item, context) {
    const name = item.chatDir.type == "groupRcv" ? memberName(item.chatDir.groupMember) : isSent(item) && item.content.type == "sndGroupEvent" ? words.you : ""
    return [name && text(name, "b"), name && " ", text(item.meta.itemText), " ", el("time", { datetime: item.meta.itemTs, title: wholeTime(item.meta.itemTs) }, timeOfDay(item.meta.itemTs))]
  }
}
