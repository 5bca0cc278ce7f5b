import {
  button, canReceive, duration, el, isHere, playable, progressBar, receive, receiveSmall, size, stateOf, View, whenSeen,
  words,
} from "../elements/base.js"
import { preview } from "./ImageView.js"
import { showFullScreen } from "./FullScreenMediaView.js"

export class CIVideoView extends View {
  draw(image, seconds, file) {
    const small = preview(image, words.kind.video), length = el("span.length", duration(seconds))
    if (!file) return [small, length]
    whenSeen(this, () => receiveSmall(file, "video"))
    if (canReceive(file))
      return [
        small,
        length,
        button(`${words.download} (${size(file.fileSize)})`, () => receive(file), { kind: "over" }),
      ]
    if (!isHere(file))
      return [small, length, el("span.over", stateOf(file)), progressBar(file)]
    return [
      small,
      length,
      button(words.play, () => this.#play(file), { icon: "play", kind: "over round" }),
      progressBar(file),
    ]
  }

  async #play(file) {
    const src = await playable(file, /^video/)
    // If the view has left the page while the address was requested, the video does not open.
    if (!src || !this.isConnected) return
    const film = el("video", { src, controls: true })
    showFullScreen(film, file)
    await film.play().catch(() => {})
  }
}
