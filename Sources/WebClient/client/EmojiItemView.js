// A message of emoji alone: large, without a bubble.
import { el, isSent, View, view } from "./base.js"
import { CIMetaView } from "./CIMetaView.js"

export class EmojiItemView extends View {
  draw(item) {
    this.className = isSent(item) ? "sent" : "received"
    return [el("span.emoji", item.content.msgContent.text), view(CIMetaView, item.meta)]
  }
}
