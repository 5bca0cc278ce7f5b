// An item of a kind that this page does not know. What it is called by the gateway is shown.
import { View, define, el, text } from "./dom.js"
import { words } from "./words.js"

export class CIUnknownItemView extends View {
  /** @param {any} item */
  draw(item) { return [el("em", null, words.unknownItem), " ", text(typeof item?.meta?.itemText == "string" ? item.meta.itemText : "")] }
}
define("ci-unknown-item-view", CIUnknownItemView)
