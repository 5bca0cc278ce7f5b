// Copying to the clipboard.
import { front, say } from "./dialogs.js"
import { el } from "./dom.js"
import { words } from "../model/words.js"

export async function copy(value) {
  // Plain HTTP has no clipboard for pages, but the old way still works there, where something can have the focus.
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
