import { el, View, view } from "../elements/base.js"
import { CIMetaView } from "./CIMetaView.js"

export class EmojiItemView extends View {
  draw(item, context) {
    return [el("span.emoji", item.content.msgContent.text), view(CIMetaView, item.meta, context.type == "local")]
  }
}
