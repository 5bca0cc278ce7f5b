// The common part of images, videos and link previews, which the specification of the views does not name: the small
// picture in the message.
import { el, smallPicture } from "../elements/base.js"

/**
 * Makes the element of a picture. Its size is set at once, so that the items below it do not move when it is drawn.
 * @param {{address: string, width?: number, height?: number}} picture
 */
export const drawnPicture = ({ address: src, width, height }, alt) =>
  el("img", { src, width, height, alt, class: "picture" })

export function preview(image, name) {
  const picture = smallPicture(image)
  return picture ? drawnPicture(picture, name) : el("div.picture.none", { role: "img", label: name }, "🖼")
}
