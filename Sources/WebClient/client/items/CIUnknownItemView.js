import { el, text, View, words } from "../elements/base.js"

export class CIUnknownItemView extends View {
  draw(item) {
    return [el("em", words.unknownItem), " ", text(typeof item?.meta?.itemText == "string" ? item.meta.itemText : "")]
  }
}
