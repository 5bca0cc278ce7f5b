// A message of which nothing is left.
import { el, isSent, View, view, words } from "./base.js"
import { CIMetaView } from "./CIMetaView.js"

export class DeletedItemView extends View {
  draw(item) {
    this.className = isSent(item) ? "sent" : "received"
    return [el("em", words.content[item.content.type] ?? words.deleted.deleted), view(CIMetaView, item.meta)]
  }
}
