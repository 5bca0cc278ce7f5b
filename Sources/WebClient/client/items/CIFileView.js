import {
  button, cancel, canReceive, el, isHere, progress, progressBar, receive, save, size, stateOf, text, View, words,
} from "../elements/base.js"

export class CIFileView extends View {
  draw(file) {
    if (!file) return el("span.none", words.fileGone)
    const name = el("span.name", text(file.fileName))
    const state =
      isHere(file) && progress(file) === null && !file.fileStatus.type.endsWith("Error")
        ? ""
        : stateOf(file)
    return [
      el("span.paper", { "aria-hidden": "true" }, "📄"),
      name,
      el("small", [size(file.fileSize), state].filter(Boolean).join(" · ")),
      progressBar(file),
      canReceive(file) && button(words.download, () => receive(file), { icon: "save", kind: "round" }),
      isHere(file) && button(words.save, () => save(file), { icon: "save", kind: "round" }),
      progress(file) !== null && button(words.stop, () => cancel(file), { icon: "close", kind: "round" }),
    ]
  }
}
