// An item of a kind that this page does not know. What it is called by the gateway is shown.
import { el, text, View, words } from "./base.js"

export class CIUnknownItemView extends View {
  draw(item) { return [el("em", words.unknownItem), " ", text(typeof item?.meta?.itemText == "string" ? item.meta.itemText : "")] }
}
