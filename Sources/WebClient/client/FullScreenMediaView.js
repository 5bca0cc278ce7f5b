import { button, el, save, words } from "./base.js"

export function showFullScreen(media, file) {
  const isPicture = media.tagName == "IMG", zoom = () => media.classList.toggle("whole")
  const box = el("dialog.media", { label: words.kind[isPicture ? "image" : "video"] }, media,
    el("div.tools", isPicture && button(words.wholeSize, zoom, { icon: "search" }), button(words.save, () => save(file), { icon: "save" }), button(words.close, () => box.close(), { icon: "close" })))
  box.addEventListener("close", () => box.remove())
  if (isPicture) media.addEventListener("click", zoom)
  document.body.append(box)
  box.showModal()
}
