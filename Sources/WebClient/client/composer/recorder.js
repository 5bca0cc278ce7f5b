import { words } from "../model/words.js"

/**
 * The formats of recordings, in order of preference. The apps can play the first two. Browsers that cannot record MP4
 * record WebM, which only browsers can play.
 */
const kinds = ["audio/mp4;codecs=mp4a.40.2", "audio/mp4", "audio/webm;codecs=opus"]
/** The maximal length of a recording in milliseconds, as in the apps. */
const longest = 300_000

export async function record(ended) {
  const stream = await navigator.mediaDevices?.getUserMedia({ audio: { channelCount: 1 } }).catch(() => null)
  if (!stream) throw new Error(words.noMicrophone)
  const mimeType = kinds.find(kind => MediaRecorder.isTypeSupported(kind))
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32_000 })
  const parts = []
  const start = Date.now()
  const stopped = new Promise(done => {
    recorder.onstop = done
  }).then(() => {
    for (const track of stream.getTracks()) track.stop()
  })
  recorder.ondataavailable = event => parts.push(event.data)
  recorder.start()
  const limit = setTimeout(() => {
    stop()
    ended()
  }, longest)
  /** @type {number | undefined} */ let length
  /** @type {any} */ let sent
  const stop = () => {
    clearTimeout(limit)
    length ??= (Date.now() - start) / 1000
    if (recorder.state != "inactive") recorder.stop()
  }
  return {
    stop,
    get seconds() { return length ?? (Date.now() - start) / 1000 },
    get isStopped() { return length !== undefined },
    /**
     * Uploads the recording, and returns the file and the content of the message. After a failure, a later call tries
     * again.
     */
    async message(upload) {
      stop()
      await stopped
      const time = new Date(start).toISOString().replace(/\D/g, "").slice(0, 14)
      const name = `voice_${time}.${mimeType?.includes("mp4") ? "m4a" : "webm"}`
      sent ??= await upload(name, new Blob(parts))
      return {
        fileSource: sent.fileSource,
        msgContent: { type: "voice", text: "", duration: Math.max(1, Math.round(length ?? 0)) },
      }
    },
  }
}
