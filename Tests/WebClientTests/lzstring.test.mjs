// Tests of the compression: its output equals the output of the apps, and data of a peer is limited.
import assert from "node:assert/strict"
import test from "node:test"

const { compressed, decompressed } = await import(`${process.env.CLIENT}/model/lzstring.js`)

const known = {
  "": "Q===", a: "IZA=", abababab: "IYI15I==", "日本 é": "qemhpzAECXQ=", ["x".repeat(30)]: "B418ZJA=",
  '{"type":"offer","sdp":"v=0\\r\\n"}': "N4IgLgngDgpiBcID2AzFMBOIA0IDOAJlAiAG4C8ADADobUB2IAvkA===",
}

test("texts are compressed and decompressed as in the apps", () => {
  for (const [text, written] of Object.entries(known)) {
    assert.equal(compressed(text), written)
    assert.equal(decompressed(written), text)
  }
})

test("a compressed text is decompressed to the same text", () => {
  let seed = 7
  const random = most => (seed = (seed * 1103515245 + 12345) % 2147483648) % most
  for (let round = 0; round < 400; round++) {
    const letters = [2, 5, 80, 300, 60_000][round % 5]
    const text = Array.from({ length: random(2000) }, () => String.fromCharCode(random(letters) + 32)).join("")
    assert.equal(decompressed(compressed(text)), text)
  }
})

test("an invalid text, and a text that becomes too long, are refused", () => {
  for (const written of ["", "%", "A", "IZ", "IYI1", "日本", "////", "undefined"]) assert.throws(() => decompressed(written), /no compressed text/, written)
  const long = compressed("a".repeat(2_000_000))
  assert.ok(long.length < 5000)
  assert.throws(() => decompressed(long))
  assert.equal(decompressed(compressed("a".repeat(1000)), 1000).length, 1000)
  assert.throws(() => decompressed(compressed("a".repeat(1001)), 1000))
})
