// A message of emoji alone: large, without a bubble.
import { View, define, el, view } from "./dom.js"
import { CIMetaView } from "./CIMetaView.js"
import { isSent } from "./chats.js"

export class EmojiItemView extends View {
  /** @param {any} item */
  draw(item) {
    this.className = isSent(item) ? "sent" : "received"
    return [el("span", { class: "emoji" }, item.content.msgContent.text), view(CIMetaView, item.meta)]
  }
}
define("emoji-item-view", EmojiItemView)
