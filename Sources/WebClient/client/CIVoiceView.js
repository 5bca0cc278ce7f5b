// A voice message: what is played of it, and its length.
import { View, define, el, button } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { icon } from "./icons.js"
import { attempt } from "./dialogs.js"
import { canReceive, isHere, path, progressBar, receive, receiveSmall } from "./files.js"
import { duration } from "./time.js"

/** Larger ones are received only when asked for, as in the apps. */
const receivedAlone = 522_240

/** @type {HTMLAudioElement | null} Only one plays at a time. */
let playing = null

export class CIVoiceView extends View {
  /** @type {HTMLAudioElement | null} */ #sound = null

  /** @param {number} seconds @param {any} file */
  draw(seconds, file) {
    this.#sound?.pause()
    this.#sound = null
    const length = el("span", { class: "length" }, duration(seconds))
    if (!file) return [el("span", null, words.kind.voice), length]
    receiveSmall(file, receivedAlone)
    if (canReceive(file)) return [button(words.download, () => receive(file), { icon: "save", kind: "round" }), el("span", null, words.kind.voice), length]
    if (!isHere(file)) return [el("span", null, words.file[file.fileStatus.type] ?? ""), length, progressBar(file)]
    const place = el("input", { type: "range", min: 0, max: 1000, value: 0, "aria-label": words.seek })
    place.addEventListener("input", () => { if (this.#sound?.duration) this.#sound.currentTime = this.#sound.duration * Number(place.value) / 1000 })
    const play = button(words.play, () => attempt(() => this.#toggle(file, play, place, length)), { icon: "play", kind: "round" })
    return [play, place, length]
  }

  async #toggle(file, play, place, length) {
    if (!this.#sound) {
      const sound = this.#sound = new Audio(await app.api.address(path(file)))
      const show = () => {
        play.replaceChildren(icon(sound.paused ? "play" : "pause"))
        play.setAttribute("aria-label", sound.paused ? words.play : words.pause)
        if (isFinite(sound.duration) && sound.duration > 0) place.value = String(1000 * sound.currentTime / sound.duration)
        length.textContent = duration(sound.currentTime)
      }
      for (const event of ["play", "pause", "timeupdate", "ended"]) sound.addEventListener(event, show)
    }
    if (!this.#sound.paused) return this.#sound.pause()
    if (playing !== this.#sound) playing?.pause()
    playing = this.#sound
    await this.#sound.play()
  }

  disconnectedCallback() { this.#sound?.pause() }
}
define("ci-voice-view", CIVoiceView)
