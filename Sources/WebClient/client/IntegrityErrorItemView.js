// Messages that are missing or came twice.
import { el, View, view } from "./base.js"
import { CIMetaView } from "./CIMetaView.js"

export class IntegrityErrorItemView extends View {
  draw(item, context) {
    this.className = "received problem"
    return [el("em", item.meta.itemText), view(CIMetaView, item.meta)]
  }
}
