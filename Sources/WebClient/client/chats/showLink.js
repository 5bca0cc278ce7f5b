// A dialog that shows a link for another user, with its QR code.
import { app, button, copy, dialog, el, linkReach, words } from "../elements/base.js"

export async function showLink(title, explained, link, picture, ...more) {
  const address = link.connShortLink ?? link.connFullLink
  const code = await app.api.bytes(app.users + picture).then(blob => URL.createObjectURL(blob), () => null)
  const warning = el("p.problem", words.linkReach[linkReach(address)])
  const image = code && el("img", { src: code, alt: words.qrCode, class: "qr" })
  const box = dialog(
    title, el("p", explained), linkReach(address) && warning, image,
    el("output.address", address), el("footer", ...more, button(words.copy, () => copy(address), { kind: "primary" })))
  box.addEventListener("close", () => { if (code) URL.revokeObjectURL(code) })
  return box
}
