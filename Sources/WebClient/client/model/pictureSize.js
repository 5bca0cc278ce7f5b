// Reads the width and the height of a picture from its first bytes, so that the page can reserve the space before the
// picture is drawn, and draws no picture that is too large for the memory.

/** The readers of sizes by the first four bytes of the file: PNG, GIF, and the container of WebP. */
const readers = {
  0x89504e47: data => ({ width: data.getUint32(16), height: data.getUint32(20) }),
  0x47494638: data => ({ width: data.getUint16(6, true), height: data.getUint16(8, true) }),
  0x52494646: webpSize,
}

/**
 * @param {Uint8Array} bytes the bytes of a JPEG, PNG, GIF or WebP picture
 * @returns {{width: number, height: number} | null} null for other bytes
 */
export function pictureSize(bytes) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return (readers[data.getUint32(0)] ?? jpegSize)(data)
  } catch (error) {
    // The size is unknown (null) if the bytes end before it.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** @param {DataView} data */
function jpegSize(data) {
  if (data.getUint16(0) != 0xffd8) return null
  for (let at = 2; data.getUint8(at) == 0xff; at += 2 + data.getUint16(at + 2)) {
    const marker = data.getUint8(at + 1)
    // Markers of frame headers have these numbers, except three numbers, which belong to tables.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: data.getUint16(at + 7), height: data.getUint16(at + 5) }
    }
  }
  return null
}

/** @param {DataView} data */
function webpSize(data) {
  if (data.getUint32(8) != 0x57454250) return null
  const from = (at, bits) => data.getUint32(at, true) >>> bits
  switch (data.getUint32(12)) {
    // The extended form has each size less one, in 24 bits.
    case 0x56503858: return { width: (from(24, 0) & 0xffffff) + 1, height: from(26, 8) + 1 }
    // The lossless form has each size less one, in 14 bits.
    case 0x5650384c: return { width: (from(21, 0) & 0x3fff) + 1, height: (from(21, 14) & 0x3fff) + 1 }
    case 0x56503820: return { width: from(26, 0) & 0x3fff, height: from(26, 16) & 0x3fff }
    default: return null
  }
}
