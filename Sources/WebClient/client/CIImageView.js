import { app, button, canReceive, el, isHere, largePicture, path, progressBar, receive, receiveSmall, size, View, whenSeen, words } from "./base.js"
import { preview } from "./ImageView.js"
import { showFullScreen } from "./FullScreenMediaView.js"

/** Larger ones are files to save. */
const shownLimit = 30_000_000

export class CIImageView extends View {
  #file
  #image
  draw(image, file) {
    // What is drawn already stays, so that nothing jumps.
    const drawn = image === this.#image && this.#file?.fileId === file?.fileId && this.querySelector(".picture")
    this.#file = file
    this.#image = image
    whenSeen(this, () => this.load())
    const small = drawn || preview(image, words.kind.image)
    if (!file) return small
    if (canReceive(file)) return [small, button(`${words.download} (${size(file.fileSize)})`, () => receive(file), { kind: "over" })]
    return [small, isHere(file) ? null : el("span.over", words.file[file.fileStatus.type] ?? ""), progressBar(file)]
  }

  async load() {
    const file = this.#file
    if (!file) return
    if (!isHere(file)) return receiveSmall(file, "image")
    if (file.fileSize > shownLimit) return
    const address = await largePicture(`${app.userId}/${file.fileId}`, () => app.api.bytes(path(file))).catch(() => null)
    if (!address || file !== this.#file) return
    const picture = el("img", { src: address, alt: words.kind.image, class: "picture" })
    // It is put in place when it can be drawn, so that nothing jumps.
    await picture.decode().catch(() => {})
    this.querySelector(".picture")?.replaceWith(button(picture, () => showFullScreen(picture.cloneNode(), file), { kind: "picture plain", label: words.enlarge }))
  }
}
