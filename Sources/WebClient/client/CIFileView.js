// A file: its name, its size, how far it is, and what can be done with it.
import { View, define, el, button, text } from "./dom.js"
import { words } from "./words.js"
import { canReceive, cancel, isHere, progress, progressBar, receive, save } from "./files.js"
import { size } from "./time.js"

export class CIFileView extends View {
  /** @param {any} file */
  draw(file) {
    if (!file) return el("span", { class: "none" }, words.fileGone)
    const name = el("span", { class: "name" }, text(file.fileName))
    const state = isHere(file) && progress(file) === null && !file.fileStatus.type.endsWith("Error") ? "" : words.file[file.fileStatus.type] ?? ""
    return [
      el("span", { class: "paper", "aria-hidden": "true" }, "📄"), name, el("small", null, [size(file.fileSize), state].filter(Boolean).join(" · ")), progressBar(file),
      canReceive(file) ? button(words.download, () => receive(file), { icon: "save", kind: "round" }) : null,
      isHere(file) ? button(words.save, () => save(file), { icon: "save", kind: "round" }) : null,
      progress(file) !== null ? button(words.stop, () => cancel(file), { icon: "close", kind: "round" }) : null,
    ]
  }
}
define("ci-file-view", CIFileView)
