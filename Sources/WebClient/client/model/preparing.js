// Prepares pictures and videos for sending.
import { isDrawable, sizeBytes, typeOf } from "./pictures.js"

/** Whether the page can draw a picture: it has not more pixels than fit into the memory. */
export const canDraw = async (/** @type {Blob} */ file) =>
  isDrawable(new Uint8Array(await file.slice(0, sizeBytes).arrayBuffer()))

/** Returns the pixels of a picture; null if the page cannot draw the picture. */
const opened = async file => await canDraw(file) ? createImageBitmap(file) : null

/** The maximal time in milliseconds for reading the first picture of a video, also on a slow machine. */
const longest = 60_000

/**
 * Prepares a picture for sending: draws it again without the metadata (such as place and camera), and makes a small
 * preview for the message. Returns null if the browser cannot read the picture.
 */
export async function prepared(file) {
  const picture = await opened(file).catch(() => null)
  if (!picture) return null
  const preview = await shrink(picture, 300, 14_000, blob => blob.size * 4 / 3 + 30)
  const keeps = await typeOf(file) == "image/gif"
  const whole = keeps ? file : await shrink(picture, 1920, 261_120, blob => blob.size)
  picture.close()
  if (!preview || !whole) return null
  return { preview: await written(preview), file: whole }
}

/** Draws a picture again as a JPEG for a wallpaper. Returns null if the browser cannot read the picture. */
export async function asWallpaper(file) {
  const picture = await opened(file).catch(() => null)
  const drawn = picture && await shrink(picture, 1920, 1_000_000, blob => blob.size)
  picture?.close()
  return drawn
}

/**
 * Returns the first picture of a video as a small preview, and the length in seconds; null if the browser cannot play
 * the video.
 */
export const filmed = file => atFirst(file, async (picture, duration) => {
  const preview = await shrink(picture, 300, 14_000, blob => blob.size * 4 / 3 + 30)
  return preview && { preview: await written(preview), duration: isFinite(duration) ? Math.round(duration) : 0 }
})

/**
 * Draws a picture, or the first picture of a video, with this number of pixels on each side. Returns whether the
 * browser can read the file.
 */
export async function drawSample(/** @type {HTMLCanvasElement} */ canvas, file, side) {
  const draw = async picture => {
    const scale = Math.max(side / picture.width, side / picture.height)
    const width = picture.width * scale, height = picture.height * scale
    canvas.width = canvas.height = side
    canvas.getContext("2d")?.drawImage(picture, (side - width) / 2, (side - height) / 2, width, height)
    picture.close()
    return true
  }
  if (file.type.startsWith("video/")) return await atFirst(file, draw) ?? false
  const picture = await opened(file).catch(() => null)
  return picture ? draw(picture) : false
}

/**
 * Calls a function with the first picture of a video and the video's length. Returns null if the browser cannot play
 * the video.
 */
async function atFirst(file, use) {
  const film = Object.assign(document.createElement("video"), { muted: true, src: URL.createObjectURL(file) })
  try {
    // Browsers draw a frame of a video only after a seek, so the video is moved to 0.1 seconds.
    await new Promise((sought, failed) => {
      Object.assign(film, {
        onloadeddata: () => {
          film.currentTime = 0.1
        },
        onseeked: sought,
        onerror: failed,
      })
      // Some browsers report neither a picture nor an error, so the wait has a limit.
      setTimeout(failed, longest)
    })
    return await use(await createImageBitmap(film), film.duration)
  } catch { return null } finally { URL.revokeObjectURL(film.src) }
}

const written = async blob =>
  `data:image/jpg;base64,${btoa(String.fromCharCode(...new Uint8Array(await blob.arrayBuffer())))}`

/** Makes a JPEG of a picture within a limit of bytes. Reduces first the quality and then the size. */
async function shrink(picture, side, limit, measure) {
  const largest = Math.min(1, side / Math.max(picture.width, picture.height))
  for (let scale = largest; scale > largest / 100; scale *= 0.75) {
    const canvas = document.createElement("canvas")
    canvas.width = Math.max(1, Math.round(picture.width * scale))
    canvas.height = Math.max(1, Math.round(picture.height * scale))
    const context = canvas.getContext("2d")
    if (!context) return null
    context.fillStyle = "#fff"
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(picture, 0, 0, canvas.width, canvas.height)
    for (const quality of [0.85, 0.7, 0.5]) {
      /** @type {Blob | null} */
      const blob = await new Promise(done => canvas.toBlob(done, "image/jpeg", quality))
      if (blob && measure(blob) <= limit) return blob
    }
  }
  return null
}
