// Records a voice message, and shows its level while it is recorded.
import { drawing, el, words } from "../elements/base.js"
import { converted } from "./wav.js"

/**
 * The formats of recordings, in order of preference. The apps can play the first two. A recording in the last format is
 * converted.
 */
const kinds = ["audio/mp4;codecs=mp4a.40.2", "audio/mp4", "audio/webm;codecs=opus"]
/** The maximal length of a recording in milliseconds, as in the apps. */
const longest = 300_000
/** The number of bars of the shown level, and the time in milliseconds that a bar stands for. */
const bars = 48, step = 100

/**
 * Begins a recording.
 * @param {() => void} ended is called when the recording has its maximal length, and was stopped
 */
export async function record(ended) {
  const stream = await navigator.mediaDevices?.getUserMedia({ audio: { channelCount: 1 } }).catch(() => null)
  if (!stream) throw new Error(words.noMicrophone)
  const mimeType = kinds.find(kind => MediaRecorder.isTypeSupported(kind)), isPlayed = mimeType?.includes("mp4")
  const release = () => { for (const track of stream.getTracks()) track.stop() }
  const parts = /** @type {Blob[]} */ ([])
  const recorder = started(stream, mimeType, parts)
  // WebKit without an encoder offers formats and then refuses to record. The user then gets the same error as without a
  // microphone.
  if (!recorder) { release(); throw new Error(words.noMicrophone) }
  const start = Date.now()
  const stopped = new Promise(done => { recorder.onstop = done }).then(release)
  const level = el("span.level")
  let stopLevel = () => {}
  // Some browsers cannot measure a microphone whose rate is not that of the loudspeakers. These browsers record without
  // showing the level.
  try { stopLevel = follow(stream, level) } catch {}
  const limit = setTimeout(() => {
    stop()
    ended()
  }, longest)
  /** @type {number | undefined} */ let length
  /** @type {any} */ let sent
  const stop = () => {
    clearTimeout(limit)
    stopLevel()
    length ??= Math.min(longest, Date.now() - start) / 1000
    if (recorder.state != "inactive") recorder.stop()
  }
  return {
    stop,
    /** The element that shows the level. */
    level,
    get seconds() { return length ?? (Date.now() - start) / 1000 },
    get isStopped() { return length !== undefined },
    /**
     * Uploads the recording, and returns the file and the content of the message. After a failure, a later call tries
     * again.
     */
    async message(upload) {
      stop()
      await stopped
      const time = new Date(start).toISOString().replace(/\D/g, "").slice(0, 14), whole = new Blob(parts)
      // A recording that the browser cannot convert is sent in its own format: other browsers can play it.
      const sound = isPlayed ? null : await converted(whole, length ?? 0).catch(() => null)
      sent ??= await upload(`voice_${time}.${isPlayed ? "m4a" : sound ? "wav" : "webm"}`, sound ?? whole)
      return {
        fileSource: sent.fileSource,
        msgContent: { type: "voice", text: "", duration: Math.max(1, Math.round(length ?? 0)) },
      }
    },
  }
}

/** Starts to record a stream, and collects the parts. Returns null if the browser refuses to record. */
function started(stream, mimeType, /** @type {Blob[]} */ parts) {
  try {
    const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32_000 })
    recorder.ondataavailable = event => parts.push(event.data)
    recorder.start()
    return recorder
  } catch { return null }
}

/** Shows the level of a microphone as bars, the newest last. Returns a function that ends it. */
function follow(stream, /** @type {HTMLElement} */ shown) {
  const context = new AudioContext(), analyser = context.createAnalyser()
  context.createMediaStreamSource(stream).connect(analyser)
  // In Safari, a new audio context is paused, so it is resumed.
  context.resume().catch(() => {})
  const samples = new Float32Array(analyser.fftSize), peaks = Array(bars).fill(0)
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    peaks.shift()
    peaks.push(samples.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0))
    const lines = peaks.map((peak, bar) => {
      // Quiet speech has peaks of a tenth of the possible level. The square root makes these peaks visible.
      const half = Math.max(0.5, 11.5 * Math.sqrt(Math.min(1, peak)))
      return `M${bar + 0.5} ${12 - half}V${12 + half}`
    })
    shown.replaceChildren(drawing(lines.join(""), `0 0 ${bars} 24`, "none"))
  }, step)
  return () => {
    clearInterval(timer)
    context.close().catch(() => {})
  }
}
