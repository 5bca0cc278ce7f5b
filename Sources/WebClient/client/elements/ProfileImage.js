import { button, el, smallPicture, text, view, View } from "./base.js"

/** Returns the class with the colour of a person, for the person's picture and name. */
export function hue(/** @type {string | undefined} */ name) {
  let sum = 0
  for (const character of name ?? "") sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 8
  return `hue${sum}`
}

export class ProfileImage extends View {
  draw(image, name, kind = "") {
    const { address = "" } = smallPicture(image) ?? {}
    this.setAttribute("aria-hidden", "true")
    const letter = kind || [...(name ?? "").trim()][0]?.toUpperCase() || "?"
    this.className = address ? "" : hue(name)
    return address ? el("img", { src: address, alt: "" }) : letter
  }
}

/** Makes an entry of a list with the picture and the name of a person. Pressing the entry calls `press`. */
export const person = (image, name, press, ...more) =>
  el("li", button([view(ProfileImage, image, name), text(name), ...more], press, { kind: "plain" }))
