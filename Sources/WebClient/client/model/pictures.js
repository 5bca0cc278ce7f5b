// Pictures of peers. The page shows a picture only from memory, and only if its first bytes are those of a picture. The
// type that the peer names does not count.
import { hex } from "./requests.js"
import { pictureSize } from "./pictureSize.js"

/**
 * The first bytes of files by type, in hexadecimal digits: the types of the apps, and other types that browsers show or
 * play.
 */
const kinds = {
  ffd8ff: "image/jpeg", "89504e47": "image/png", 47494638: "image/gif", "52494646.{8}57454250": "image/webp",
  ".{8}667479704d3441": "audio/mp4", ".{8}66747970": "video/mp4", "1a45dfa3": "video/webm", "4f676753": "video/ogg",
  "52494646.{8}57415645": "audio/wav",
  "494433": "audio/mpeg",
  "fff[23b]": "audio/mpeg",
  "fff[19]": "audio/aac",
  "664c6143": "audio/flac",
}

/**
 * Returns the type of a file that begins with these bytes; empty for an unknown type.
 * @param {Uint8Array} bytes
 */
function typeOfBytes(bytes) {
  const begin = hex(bytes.subarray(0, 12))
  return Object.entries(kinds).find(([bytes]) => new RegExp(`^${bytes}`).test(begin))?.[1] ?? ""
}
const isPicture = type => type.startsWith("image/")

/**
 * A cache with the addresses of pictures in memory. When it is full, the picture that was not used for the longest time
 * is released.
 */
class Shelf {
  constructor(limit) { this.limit = limit; this.addresses = new Map() }
  get(name) {
    const kept = this.addresses.get(name)
    if (kept) { this.addresses.delete(name); this.addresses.set(name, kept) }
    return kept
  }
  put(name, blob, /** @type {{width?: number, height?: number} | null} */ size = null) {
    const kept = { address: URL.createObjectURL(blob), type: blob.type, ...size }
    this.addresses.set(name, kept)
    if (this.addresses.size > this.limit) {
      const [oldest, given] = this.addresses.entries().next().value
      this.addresses.delete(oldest)
      URL.revokeObjectURL(given.address)
    }
    return kept
  }
  clear() {
    for (const { address } of this.addresses.values()) URL.revokeObjectURL(address)
    this.addresses.clear()
  }
}

const small = new Shelf(2000), large = new Shelf(60)

export const fromBase64 = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0))

/**
 * Maximal numbers of pixels: of pictures in profiles and previews, and of pictures in files. A few bytes can describe a
 * picture that does not fit into the memory.
 */
const smallPixels = 4_000_000
export const largePixels = 64_000_000
const hasUpTo = (/** @type {number} */ limit, size) => !size || size.width * size.height <= limit

/** Whether the page can draw a picture with these first bytes. If the size is unknown, the browser decides. */
export const isDrawable = (/** @type {Uint8Array} */ bytes) => hasUpTo(largePixels, pictureSize(bytes))

/**
 * The number of bytes at the beginning of a picture that contain its size, even if the camera's data are before the
 * size.
 */
export const sizeBytes = 300_000

/**
 * Returns a picture from a data address, the form of pictures in profiles, previews and link previews; null for other
 * values.
 * @returns {{address: string, width?: number, height?: number} | null}
 */
export function smallPicture(data) {
  if (typeof data != "string" || data.length > 200_000) return null
  const known = small.get(data)
  if (known) return known
  const comma = data.indexOf(",")
  if (comma < 0 || !/^data:image\/[a-z+]+;base64$/.test(data.slice(0, comma))) return null
  let bytes
  try { bytes = fromBase64(data.slice(comma + 1)) } catch { return null }
  const type = typeOfBytes(bytes), size = pictureSize(bytes)
  return isPicture(type) && hasUpTo(smallPixels, size) ? small.put(data, new Blob([bytes], { type }), size) : null
}

/** Returns the type of a file by its first bytes; empty if it is no picture, sound or video. */
export const typeOf = async (/** @type {Blob} */ blob) =>
  typeOfBytes(new Uint8Array(await blob.slice(0, 12).arrayBuffer()))

/** Returns the address and the type of a picture in a file; null if the page cannot draw the file. */
export async function largePicture(name, read) {
  const known = large.get(name)
  if (known) return known
  const before = generation
  const blob = await read()
  const type = await typeOf(blob)
  // If the pictures were forgotten during the request, the name may now belong to another file. So this file is not
  // used.
  if (before != generation) return null
  const begin = new Uint8Array(await blob.slice(0, sizeBytes).arrayBuffer())
  if (before != generation || !isPicture(type) || !isDrawable(begin)) return null
  return large.get(name) ?? large.put(name, blob.slice(0, blob.size, type), pictureSize(begin))
}

/** A number that changes when all pictures are forgotten. */
let generation = 0
export function forgetPictures() { generation++; small.clear(); large.clear() }
