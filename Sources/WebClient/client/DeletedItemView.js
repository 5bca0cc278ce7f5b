// A message of which nothing is left.
import { View, define, el, view } from "./dom.js"
import { isSent } from "./chats.js"
import { words } from "./words.js"
import { CIMetaView } from "./CIMetaView.js"

export class DeletedItemView extends View {
  /** @param {any} item */
  draw(item) {
    this.className = isSent(item) ? "sent" : "received"
    return [el("em", null, words.content[item.content.type] ?? words.deleted.deleted), view(CIMetaView, item.meta)]
  }
}
define("deleted-item-view", DeletedItemView)
