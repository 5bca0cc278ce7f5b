// The small picture in a message, which images, videos and link previews share. The specification of the views does not
// contain this part.
import { el, smallPicture } from "../elements/base.js"

/**
 * Makes the element of a picture. Its size is set at once, so that the items below it do not move when it is drawn.
 * @param {{address: string, width?: number, height?: number}} picture
 */
export const drawnPicture = ({ address: src, width, height }, alt) =>
  el("img", { src, width, height, alt, class: "picture" })

// Sizes in CSS pixels.
const box = { width: 320, height: 352 }
/** The smallest width on which a user can press. */
const shortest = 48
/** A preview whose longer side has at most this size is the picture itself, and is not enlarged. */
const tiny = 96

/**
 * Gives the element of a picture the shape of the picture. The preview and the picture in the file get the same size,
 * so that the items below them do not move.
 * @param {HTMLElement} element
 * @param {{width?: number, height?: number} | null} size
 */
export function shaped(element, size) {
  const { width, height } = size ?? {}
  if (!width || !height) return element
  const scale = Math.min(box.width / width, box.height / height, Math.max(width, height) <= tiny ? 1 : Infinity)
  element.style.width = `${Math.max(shortest, Math.round(width * scale))}px`
  return element
}

export function preview(image, name) {
  const picture = smallPicture(image)
  if (!picture) return el("div.picture.none", { role: "img", label: name }, "🖼")
  return shaped(drawnPicture(picture, name), picture)
}
