// Messages that are missing or came twice.
import { View, define, el, view } from "./dom.js"
import { CIMetaView } from "./CIMetaView.js"

export class IntegrityErrorItemView extends View {
  /** @param {any} item @param {any} [context] */
  draw(item, context) {
    this.className = "received problem"
    return [el("em", null, item.meta.itemText), view(CIMetaView, item.meta)]
  }
}
define("integrity-error-item-view", IntegrityErrorItemView)
