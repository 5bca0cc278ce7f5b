import {
  app, button, canReceive, el, isHere, largePicture, path, progressBar, receive, receiveSmall, size, View, view,
  whenSeen, words,
} from "../elements/base.js"
import { AnimatedImageView } from "./AnimatedImageView.js"
import { preview } from "./ImageView.js"
import { showFullScreen } from "./FullScreenMediaView.js"

/** Maximal size in bytes of a picture that is shown in the page. A larger picture can only be saved. */
const shownLimit = 30_000_000

export class CIImageView extends View {
  #file
  #image
  /** The id of the file that is shown as a large picture, or is being loaded. */
  #large = 0
  draw(image, file) {
    // A picture that is already drawn stays, so that the items below it do not move.
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
    // The large picture replaces the small one only after it was decoded, so that the items below it do not move.
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
