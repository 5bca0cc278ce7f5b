// Tests of reading the size of a picture from its first bytes.
import assert from "node:assert/strict"
import test from "node:test"

const { pictureSize } = await import(`${process.env.CLIENT}/model/pictureSize.js`)

const bytes = (...parts) => Uint8Array.from(parts.flat())
const frame = marker => [0xff, marker, 0, 17, 8, 0x01, 0x02, 0x03, 0x04, 3]
const begin = [0xff, 0xd8, 0xff, 0xe0, 0, 6, 1, 2, 3, 4]
const png = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 1, 44, 0, 0, 0, 200]

test("The size of a JPEG is read from its frame header, with any segments before it", () => {
  const size = { width: 0x0304, height: 0x0102 }
  assert.deepEqual(pictureSize(bytes(begin, frame(0xc0))), size)
  assert.deepEqual(pictureSize(bytes(begin, [0xff, 0xc4, 0, 3, 9], frame(0xc2))), size)
  // The positions count from the beginning of the picture, not of the buffer which contains it.
  assert.deepEqual(pictureSize(bytes([1, 2, 3], begin, frame(0xc0)).subarray(3)), size)
})

test("The size of a PNG is read from its beginning", () => assert.deepEqual(pictureSize(bytes(png)), { width: 300, height: 200 }))

test("The sizes of a GIF and of the three forms of WebP are read from their beginnings", () => {
  const webp = (form, ...rest) => bytes([..."RIFF____WEBP" + form].map(letter => letter.charCodeAt(0)), [0, 0, 0, 0], rest)
  const size = { width: 300, height: 200 }
  assert.deepEqual(pictureSize(bytes([..."GIF89a"].map(letter => letter.charCodeAt(0)), [44, 1, 200, 0])), size)
  assert.deepEqual(pictureSize(webp("VP8X", 0, 0, 0, 0, 43, 1, 0, 199, 0, 0)), size)
  assert.deepEqual(pictureSize(webp("VP8L", 0x2f, 43, 0xc1, 49, 0)), size)
  assert.deepEqual(pictureSize(webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 44, 1, 200, 0)), size)
})

test("Truncated bytes, and bytes of other files, have no size", () => {
  for (let length = 0; length < png.length; length++) assert.equal(pictureSize(bytes(png).subarray(0, length)), null)
  const jpeg = bytes(begin, frame(0xc0))
  for (let length = 0; length < jpeg.length - 1; length++) assert.equal(pictureSize(jpeg.subarray(0, length)), null)
  for (const other of ["GIF89a", "RIFF....WEBPVP8 ", "RIFF....WAVEfmt , and more bytes of it", "<svg/>"]) {
    assert.equal(pictureSize(new TextEncoder().encode(other)), null)
  }
  // Segments of length 0 do not cause an endless loop.
  assert.equal(pictureSize(bytes([0xff, 0xd8], ...Array(50).fill([0xff, 0xe0, 0, 0]))), null)
})
