// A voice message inside a bubble: its waveform, the playing position, and its length.
import {
  app, button, canReceive, drawing, duration, el, icon, isHere, isSmall, path, playable, progressBar, receive,
  receiveSmall, stateOf, typeOf, View, whenSeen, words,
} from "../elements/base.js"

const bars = 48
/** The types of voice messages. Some recorders make video files without pictures. */
const sounds = /^(audio|video)/

/** @type {HTMLAudioElement | null} The sound that is playing. Only one sound plays at a time. */
let playing = null
/** @type {Map<number, string>} The lines of the most recently drawn waveforms, by file id. */
const known = new Map()
app.on("leave", () => known.clear())

export class FramedCIVoiceView extends View {
  /** @type {HTMLAudioElement | null} */ #sound = null
  /** @type {{fileId: number, shown: any[]} | null} The controls that play a file, and the id of the file. */
  #player = null

  draw(seconds, file) {
    // The progress of an upload must not stop the sound, so the same controls are used again.
    const player = this.#player
    if (player && file && isHere(file) && player.fileId == file.fileId) return [...player.shown, progressBar(file)]
    this.#player = null
    this.#sound?.pause()
    this.#sound = null
    const length = el("span.length", duration(seconds))
    if (!file) return [words.kind.voice, length]
    whenSeen(this, () => isHere(file) ? isSmall(file, "voice") && this.#drawWave(file) : receiveSmall(file, "voice"))
    if (canReceive(file))
      return [button(words.download, () => receive(file), { icon: "save", kind: "round" }), words.kind.voice, length]
    if (!isHere(file)) return [stateOf(file), length, progressBar(file)]
    const place = el("input", { type: "range", min: 0, max: 1000, value: 0, label: words.seek })
    place.addEventListener("input", () => {
      if (this.#sound) this.#sound.currentTime = (lengthOf(this.#sound, seconds) * Number(place.value)) / 1000
    })
    const toggle = () => this.#toggle(file, seconds, play, place, length)
    const play = button(words.play, toggle, { icon: "play", kind: "round" })
    this.#player = { fileId: file.fileId, shown: [play, el("span.track", el("span.wave"), place), length] }
    return [...this.#player.shown, progressBar(file)]
  }

  async #drawWave(file) {
    const { api, users } = app, wave = this.querySelector(".wave")
    const lines = known.get(file.fileId) ?? await waveform(() => api.bytes(path(file))).catch(() => "")
    // After a change of the key or the profile, the file id belongs to another file, so the lines are not stored.
    if (api === app.api && users == app.users) known.set(file.fileId, lines)
    if (known.size > 500) known.delete(known.keys().next().value ?? 0)
    wave?.replaceChildren(drawing(lines, `0 0 ${bars} 24`, "none"))
  }

  async #toggle(file, seconds, play, place, length) {
    if (!this.#sound) {
      const address = await playable(file, sounds)
      // If the message was drawn again or removed from the page while the address was requested, nothing is played.
      if (!address || !play.isConnected) return
      const sound = this.#sound = new Audio(address)
      const show = () => {
        play.replaceChildren(icon(sound.paused ? "play" : "pause"))
        play.setAttribute("aria-label", sound.paused ? words.play : words.pause)
        place.value = String((1000 * sound.currentTime) / lengthOf(sound, seconds))
        length.textContent = duration(sound.currentTime)
      }
      for (const event of ["play", "pause", "timeupdate", "ended"]) sound.addEventListener(event, show)
    }
    if (!this.#sound.paused) return this.#sound.pause()
    if (playing !== this.#sound) playing?.pause()
    playing = this.#sound
    // If the sound is paused before it begins, `play` reports an AbortError, which is not an error for the user.
    await this.#sound.play().catch(error => { if (error.name != "AbortError") throw new Error(words.cannotPlay) })
  }

  disconnectedCallback() { this.#sound?.pause() }
}

/**
 * Returns the length of a sound in seconds. The message has this length. The duration in the browser is infinite for
 * some recordings, and grows for others while they are read.
 */
const lengthOf = ({ duration }, seconds) => seconds > 0 ? seconds : isFinite(duration) && duration > 0 ? duration : 1

/** Returns the waveform as SVG path data: one line for each bar. The loudest bar is as high as the picture. */
async function waveform(read) {
  const blob = await read()
  if (!sounds.test(await typeOf(blob))) return ""
  const samples = (
    await new OfflineAudioContext(1, 1, 16_000).decodeAudioData(await blob.arrayBuffer())
  ).getChannelData(0)
  const peaks = Array.from({ length: bars }, (_, bar) =>
    samples
      .subarray((bar * samples.length) / bars, ((bar + 1) * samples.length) / bars)
      .reduce((peak, value) => Math.max(peak, Math.abs(value)), 0))
  const highest = Math.max(...peaks, 0.01)
  return peaks
    .map((peak, bar) => {
      const half = Math.max(1, (12 * peak) / highest)
      return `M${bar + 0.5} ${12 - half}V${12 + half}`
    })
    .join("")
}
