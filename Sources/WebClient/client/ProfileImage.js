// The picture of a profile, or the first letter of its name on a colour of its own.
import { View, define, el } from "./dom.js"
import { smallPicture } from "./pictures.js"

export class ProfileImage extends View {
  /** @param {string | undefined} image a data address @param {string} name @param {string} kind a character for what has no name of its own */
  draw(image, name, kind = "") {
    const address = smallPicture(image)
    this.setAttribute("aria-hidden", "true")
    const letter = kind || [...(name ?? "").trim()][0]?.toUpperCase() || "?"
    let sum = 0
    for (const character of name ?? "") sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 8
    this.className = address ? "" : `hue${sum}`
    return address ? el("img", { src: address, alt: "" }) : letter
  }
}
define("profile-image", ProfileImage)
