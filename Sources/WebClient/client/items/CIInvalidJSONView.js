import { button, dialog, el, View, words } from "../elements/base.js"

export class CIInvalidJSONView extends View {
  draw(item) {
    this.className = "problem"
    return [
      el("em", words.invalidItem),
      button(words.details, () => dialog(words.invalidItem, el("pre", JSON.stringify(item.content, null, 2))), {
        kind: "plain",
      }),
    ]
  }
}
