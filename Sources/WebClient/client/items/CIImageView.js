import {
  app, button, canReceive, el, isHere, largePicture, path, progressBar, receive, receiveSmall, size, View, view,
  whenSeen, words,
} from "../elements/base.js"
import { AnimatedImageView } from "./AnimatedImageView.js"
import { preview } from "./ImageView.js"
import { showFullScreen } from "./FullScreenMediaView.js"

/** Larger ones are files to save. */
const shownLimit = 30_000_000

export class CIImageView extends View {
  #file
  #image
  /** The file that is drawn large, or is being loaded for it. */
  #large = 0
  draw(image, file) {
    // A picture that is drawn already stays, so that nothing jumps.
    const drawn = image === this.#image && this.#file?.fileId === file?.fileId && this.firstElementChild
    this.#file = file
    this.#image = image
    if (!drawn) this.#large = 0
    whenSeen(this, () => this.load())
    const small = drawn || preview(image, words.kind.image)
    if (!file) return small
    if (canReceive(file))
      return [small, button(`${words.download} (${size(file.fileSize)})`, () => receive(file), { kind: "over" })]
    return [small, isHere(file) ? null : el("span.over", words.file[file.fileStatus.type] ?? ""), progressBar(file)]
  }

  async load() {
    const file = this.#file
    if (!file || this.#large == file.fileId) return
    if (!isHere(file)) return receiveSmall(file, "image")
    if (file.fileSize > shownLimit) return
    this.#large = file.fileId
    const kept = await largePicture(`${app.userId}/${file.fileId}`, () => app.api.bytes(path(file))).catch(() => null)
    if (this.#large != file.fileId) return
    if (!kept) { this.#large = 0; return }
    const picture = el("img", { src: kept.address, alt: words.kind.image, class: "picture" })
    // It is put in place when it can be drawn, so that nothing jumps.
    await picture.decode().catch(() => {})
    if (this.#large != file.fileId) return
    this.firstElementChild?.replaceWith(
      kept.type == "image/gif"
        ? view(AnimatedImageView, picture, file)
        : button(picture, () => showFullScreen(picture.cloneNode(), file), {
            kind: "picture plain",
            label: words.enlarge,
          })
    )
  }
}
