import { button, el, save, words } from "./base.js"

export function showFullScreen(media, file) {
  const box = el("dialog.media", { label: words.kind.image }, media,
    el("div.tools", button(words.save, () => save(file), { icon: "save" }), button(words.close, () => box.close(), { icon: "close" })))
  box.addEventListener("close", () => box.remove())
  media.addEventListener("click", () => { if (media.tagName == "IMG") media.classList.toggle("whole") })
  document.body.append(box)
  box.showModal()
}
