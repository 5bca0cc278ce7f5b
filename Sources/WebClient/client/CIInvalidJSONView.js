// An item that could not be read: what it says can be looked at, as text.
import { button, dialog, el, View, words } from "./base.js"

export class CIInvalidJSONView extends View {
  draw(item) {
    this.className = "received problem"
    return [el("em", words.invalidItem), button(words.details, () => dialog(words.invalidItem, el("pre", JSON.stringify(item.content, null, 2))), { kind: "plain" })]
  }
}
