// Not a view of the specification: what images, videos and link cards share, the small picture that is part of the message.
import { el, smallPicture } from "./base.js"

export function preview(image, name) {
  const address = smallPicture(image)
  return address ? el("img", { src: address, alt: name, class: "picture" }) : el("div.picture.none", { role: "img", label: name }, "🖼")
}
