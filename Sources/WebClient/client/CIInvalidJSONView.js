// An item that could not be read: what it says can be looked at, as text.
import { View, define, el, button } from "./dom.js"
import { dialog } from "./dialogs.js"
import { words } from "./words.js"

export class CIInvalidJSONView extends View {
  /** @param {any} item */
  draw(item) {
    this.className = "received problem"
    return [el("em", null, words.invalidItem), button(words.details, () => dialog(words.invalidItem, el("pre", null, JSON.stringify(item.content, null, 2))), { kind: "plain" })]
  }
}
define("ci-invalid-json-view", CIInvalidJSONView)
