// Reads a QR code by the camera, where the browser knows how.
import { button, dialog, el, pause, words } from "./base.js"

/** A button for what is read into a field; none where the browser reads no codes. */
export const scanInto = (/** @type {() => any} */ field) =>
  "BarcodeDetector" in window
  && button(words.scan, async () => {
    const code = await scan()
    if (code) field().value = code
  })

/** Answers what the code says; empty when the person has closed it */
async function scan() {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } }).catch(() => {
    throw new Error(words.noCamera)
  })
  const film = el("video.picture")
  const box = dialog(words.scan, film)
  film.srcObject = stream
  try {
    await film.play()
    const detector = new /** @type {any} */ (window).BarcodeDetector({ formats: ["qr_code"] })
    while (box.isConnected) {
      const [code] = await detector.detect(film).catch(() => [])
      if (code?.rawValue) return code.rawValue
      await pause(200)
    }
    return ""
  } finally {
    for (const track of stream.getTracks()) track.stop()
    box.close()
  }
}
