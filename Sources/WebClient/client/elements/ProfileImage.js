import { button, el, smallPicture, text, view, View } from "./base.js"

export class ProfileImage extends View {
  draw(image, name, kind = "") {
    const { address = "" } = smallPicture(image) ?? {}
    this.setAttribute("aria-hidden", "true")
    const letter = kind || [...(name ?? "").trim()][0]?.toUpperCase() || "?"
    let sum = 0
    for (const character of name ?? "") sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 8
    this.className = address ? "" : `hue${sum}`
    return address ? el("img", { src: address, alt: "" }) : letter
  }
}

/** Makes an entry of a list with the picture and the name of a person. Pressing the entry calls `press`. */
export const person = (image, name, press, ...more) =>
  el("li", button([view(ProfileImage, image, name), text(name), ...more], press, { kind: "plain" }))
