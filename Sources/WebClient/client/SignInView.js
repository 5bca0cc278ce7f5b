// The first view: for who has no key here yet, or one that is good no longer.
import { View, define, el } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { field, form } from "./dialogs.js"

export class SignInView extends View {
  /** @param {string} problem why one is here again; empty at the first time */
  draw(problem) {
    const key = el("input", { type: "password", id: "key", required: true, autocomplete: "current-password", spellcheck: "false", autofocus: true })
    const keep = el("input", { type: "checkbox", id: "keep" })
    return el("main", { class: "gate" },
      el("h1", null, words.title), problem && el("p", { class: "problem", role: "alert" }, problem), el("p", null, words.signInExplained),
      form([field(words.key, key, words.keyHint), el("label", { class: "check" }, keep, words.keepKey)], words.signIn, async () => {
        await app.signIn(key.value.trim(), keep.checked)
        app.emit("signedIn")
      }))
  }
}
define("sign-in-view", SignInView)
