import { el, View, view } from "./base.js"
import { CIMetaView } from "./CIMetaView.js"

export class EmojiItemView extends View {
  draw(item) {
    return [el("span.emoji", item.content.msgContent.text), view(CIMetaView, item.meta)]
  }
}
