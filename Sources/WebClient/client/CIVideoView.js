// A film: its first picture, and the film itself when it is here and asked for.
import { View, define, el, button } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { attempt } from "./dialogs.js"
import { preview } from "./ImageView.js"
import { canReceive, isHere, path, progressBar, receive } from "./files.js"
import { showFullScreen } from "./FullScreenMediaView.js"
import { duration, size } from "./time.js"

export class CIVideoView extends View {
  /** @param {string} image @param {number} seconds @param {any} file */
  draw(image, seconds, file) {
    const small = preview(image, words.kind.video), length = el("span", { class: "length" }, duration(seconds))
    if (!file) return [small, length]
    if (canReceive(file)) return [small, length, button(`${words.download} (${size(file.fileSize)})`, () => receive(file), { kind: "over" })]
    if (!isHere(file)) return [small, length, el("span", { class: "over" }, words.file[file.fileStatus.type] ?? ""), progressBar(file)]
    return [small, length, button(words.play, () => attempt(() => this.#play(file)), { icon: "play", kind: "over round" }), progressBar(file)]
  }

  /** By a ticket, so that the browser reads only what it plays. */
  async #play(file) {
    const film = el("video", { src: await app.api.address(path(file)), controls: true })
    showFullScreen(film, file)
    await film.play().catch(() => {})
  }
}
define("ci-video-view", CIVideoView)
