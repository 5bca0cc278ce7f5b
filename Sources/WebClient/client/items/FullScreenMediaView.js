import { button, el, openOver, save, share, words } from "../elements/base.js"

export function showFullScreen(media, file) {
  // These attributes limit the picture to the size of its bubble, so they are removed.
  for (const name of ["style", "width", "height"]) media.removeAttribute(name)
  const isPicture = media.tagName == "IMG", zoom = () => media.classList.toggle("whole")
  const box = openOver(el("dialog.media", { label: words.kind[isPicture ? "image" : "video"] }, media, el("div.tools",
    isPicture && button(words.wholeSize, zoom, { icon: "search" }),
    "share" in navigator && button(words.share, () => share(file), { icon: "share" }),
    button(words.save, () => save(file), { icon: "save" }), button(words.close, () => box.close(), { icon: "close" }))))
  if (isPicture) media.addEventListener("click", zoom)
}
