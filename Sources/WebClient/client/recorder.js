import { app } from "./app.js"
import { words } from "./words.js"

/** The apps play the first of these; browsers that record no MP4 make one that only browsers play. */
const kinds = ["audio/mp4;codecs=mp4a.40.2", "audio/mp4", "audio/webm;codecs=opus"]
/** As in the apps, in milliseconds. */
const longest = 300_000

export async function record(ended) {
  const stream = await navigator.mediaDevices?.getUserMedia({ audio: { channelCount: 1 } }).catch(() => null)
  if (!stream) throw new Error(words.noMicrophone)
  const mimeType = kinds.find(kind => MediaRecorder.isTypeSupported(kind))
  const recorder = new MediaRecorder(stream, { mimeType, audioBitsPerSecond: 32_000 }), parts = [], start = Date.now()
  recorder.ondataavailable = event => parts.push(event.data)
  recorder.start()
  const limit = setTimeout(ended, longest)
  return {
    get seconds() { return (Date.now() - start) / 1000 },
    /** what is sent: the uploaded file, and the content of the message */
    async finish(isSent = true) {
      clearTimeout(limit)
      const seconds = Math.max(1, Math.round(this.seconds))
      await new Promise(done => { recorder.onstop = done; recorder.stop() })
      for (const track of stream.getTracks()) track.stop()
      if (!isSent) return null
      const name = `voice_${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}.${mimeType?.includes("mp4") ? "m4a" : "webm"}`
      const { fileSource } = await app.upload(name, new Blob(parts))
      return { fileSource, msgContent: { type: "voice", text: "", duration: seconds } }
    },
  }
}
