import { el, View, view, words } from "../elements/base.js"
import { CIMetaView } from "./CIMetaView.js"

export class DeletedItemView extends View {
  draw(item) {
    return [el("em", words.content[item.content.type] ?? words.deleted.deleted), view(CIMetaView, item.meta)]
  }
}
