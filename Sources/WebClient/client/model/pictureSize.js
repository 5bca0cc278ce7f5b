// Reads the width and the height of a picture from its first bytes, so that the page can reserve the space before the
// picture is drawn.

/**
 * @param {Uint8Array} bytes the bytes of a JPEG or PNG picture
 * @returns {{width: number, height: number} | null} null for other bytes
 */
export function pictureSize(bytes) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return data.getUint32(0) == 0x89504e47 ? { width: data.getUint32(16), height: data.getUint32(20) } : jpegSize(data)
  } catch (error) {
    // The bytes end before the size.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** @param {DataView} data */
function jpegSize(data) {
  if (data.getUint16(0) != 0xffd8) return null
  for (let at = 2; data.getUint8(at) == 0xff; at += 2 + data.getUint16(at + 2)) {
    const marker = data.getUint8(at + 1)
    // Markers of frame headers have these numbers. Three of the numbers belong to tables instead.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: data.getUint16(at + 7), height: data.getUint16(at + 5) }
    }
  }
  return null
}
