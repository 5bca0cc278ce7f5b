// Reads a QR code with the camera, if the browser has a barcode detector.
import { button, dialog, el, pause, words } from "./base.js"

/** Makes a button that reads a QR code into a field; false if the browser cannot read QR codes. */
export const scanInto = (/** @type {() => any} */ field) =>
  "BarcodeDetector" in window
  && button(words.scan, async () => {
    const code = await scan()
    if (code) field().value = code
  })

/** Returns the text of the QR code; empty if the user has closed the dialog. */
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
