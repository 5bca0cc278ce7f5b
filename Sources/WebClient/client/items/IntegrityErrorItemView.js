import { el, View, view } from "../elements/base.js"
import { CIMetaView } from "./CIMetaView.js"

export class IntegrityErrorItemView extends View {
  draw(item, context) {
    this.className = "problem"
    return [el("em", item.meta.itemText), view(CIMetaView, item.meta)]
  }
}
