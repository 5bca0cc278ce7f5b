// What has happened in a chat: a line in the middle. The gateway has the sentence.
import { View, define, el, text } from "./dom.js"
import { isSent, memberName } from "./chats.js"
import { words } from "./words.js"
import { timeOfDay, wholeTime } from "./time.js"

export class CIEventView extends View {
  /** @param {any} item @param {any} [context] */
  draw(item, context) {
    const name = item.chatDir.type == "groupRcv" ? memberName(item.chatDir.groupMember) : isSent(item) && item.content.type == "sndGroupEvent" ? words.you : ""
    return [name && text(name, "b"), name && " ", text(item.meta.itemText), " ", el("time", { datetime: item.meta.itemTs, title: wholeTime(item.meta.itemTs) }, timeOfDay(item.meta.itemTs))]
  }
}
define("ci-event-view", CIEventView)
