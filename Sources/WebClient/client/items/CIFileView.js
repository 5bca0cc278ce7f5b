import {
  button, cancel, canReceive, el, isHere, progress, progressBar, receive, save, size, stateOf, text, View, words,
} from "../elements/base.js"

export class CIFileView extends View {
  draw(file) {
    if (!file) return el("span.none", words.fileGone)
    return [
      el("span.paper", { "aria-hidden": "true" }, "📄"),
      el("span.name", text(file.fileName)),
      el("small", [size(file.fileSize), stateOf(file)].filter(Boolean).join(" · ")),
      progressBar(file),
      canReceive(file) && button(words.download, () => receive(file), { icon: "save", kind: "round" }),
      isHere(file) && button(words.save, () => save(file), { icon: "save", kind: "round" }),
      progress(file) !== null && button(words.stop, () => cancel(file), { icon: "close", kind: "round" }),
    ]
  }
}
