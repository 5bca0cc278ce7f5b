import {
  app, button, canReceive, el, isHere, largePicture, path, progressBar, receive, receiveSmall, size, smallPicture,
  stateOf, View, view, whenSeen, words,
} from "../elements/base.js"
import { AnimatedImageView } from "./AnimatedImageView.js"
import { preview, shaped } from "./ImageView.js"
import { showFullScreen } from "./FullScreenMediaView.js"

/** Maximal size in bytes of a picture that is shown in the page. A larger picture can only be saved. */
const shownLimit = 30_000_000

export class CIImageView extends View {
  #file
  #image
  /** The id of the file that is shown as a large picture, or is being loaded. */
  #large = 0
  /** Whether the page cannot show the file as a picture. */
  #isRefused = false

  draw(image, file) {
    // A picture that is already drawn stays, so that the items below it do not move.
    const drawn = image === this.#image && this.#file?.fileId === file?.fileId && this.firstElementChild
    this.#file = file
    this.#image = image
    if (!drawn) { this.#large = 0; this.#isRefused = false }
    whenSeen(this, () => this.load())
    const small = drawn || preview(image, words.kind.image)
    if (!file) return small
    if (canReceive(file))
      return [small, button(`${words.download} (${size(file.fileSize)})`, () => receive(file), { kind: "over" })]
    const state = isHere(file) ? this.#isRefused && words.cannotDraw : stateOf(file)
    return [small, state !== false && el("span.over", state), progressBar(file)]
  }

  async load() {
    const file = this.#file
    if (!file || this.#large == file.fileId) return
    if (!isHere(file)) return receiveSmall(file, "image")
    if (file.fileSize > shownLimit) return this.#refuse()
    this.#large = file.fileId
    const read = () => app.api.bytes(path(file))
    const kept = await largePicture(`${app.userId}/${file.fileId}`, read).catch(() => undefined)
    if (this.#large != file.fileId) return
    // If the request has failed, the next drawing requests the picture again.
    if (kept === undefined) { this.#large = 0; return }
    if (!kept) return this.#refuse()
    const shape = smallPicture(this.#image) ?? kept, { width = kept.width, height = kept.height } = shape
    const picture = el("img", { src: kept.address, width, height, alt: words.kind.image, class: "picture" })
    shaped(picture, { width, height })
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

  #refuse() {
    if (!this.#isRefused) this.append(el("span.over", words.cannotDraw))
    this.#isRefused = true
  }
}
