// The width and the height of a picture, from the bytes that it begins with: its place is kept before it is drawn.

/**
 * @param {Uint8Array} bytes of a JPEG or a PNG
 * @returns {{width: number, height: number} | null} null for any others
 */
export function pictureSize(bytes) {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return data.getUint32(0) == 0x89504e47 ? { width: data.getUint32(16), height: data.getUint32(20) } : jpegSize(data)
  } catch (error) {
    // The bytes end too early.
    if (error instanceof RangeError) return null
    throw error
  }
}

/** @param {DataView} data */
function jpegSize(data) {
  if (data.getUint16(0) != 0xffd8) return null
  for (let at = 2; data.getUint8(at) == 0xff; at += 2 + data.getUint16(at + 2)) {
    const marker = data.getUint8(at + 1)
    // The frame headers have these numbers, except for three tables between them.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      return { width: data.getUint16(at + 7), height: data.getUint16(at + 5) }
    }
  }
  return null
}
