// Copying to the clipboard.
import { front, say } from "./dialogs.js"
import { el } from "./dom.js"
import { words } from "../model/words.js"

export async function copy(value) {
  // Over plain HTTP, browsers give pages no clipboard. The older `execCommand` still works there, if an element of the
  // page can have the focus.
  try { await navigator.clipboard.writeText(value) } catch {
    const before = document.activeElement, field = el("textarea.offscreen", value)
    front().append(field)
    field.select()
    const isCopied = document.execCommand("copy")
    field.remove()
    if (before instanceof HTMLElement) before.focus()
    if (!isCopied) throw new Error(words.notCopied)
  }
  say(words.copied)
}
