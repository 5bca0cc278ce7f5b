// The compression of the apps: what it writes is what theirs writes, and what comes from a peer is bounded.
import assert from "node:assert/strict"
import test from "node:test"

const { compressed, decompressed } = await import(`${process.env.CLIENT}/model/lzstring.js`)

const known = {
  "": "Q===", a: "IZA=", abababab: "IYI15I==", "日本 é": "qemhpzAECXQ=", ["x".repeat(30)]: "B418ZJA=",
  '{"type":"offer","sdp":"v=0\\r\\n"}': "N4IgLgngDgpiBcID2AzFMBOIA0IDOAJlAiAG4C8ADADobUB2IAvkA===",
}

test("texts are written and read as the apps do", () => {
  for (const [text, written] of Object.entries(known)) {
    assert.equal(compressed(text), written)
    assert.equal(decompressed(written), text)
  }
})

test("what was written is read again", () => {
  let seed = 7
  const random = most => (seed = (seed * 1103515245 + 12345) % 2147483648) % most
  for (let round = 0; round < 400; round++) {
    const letters = [2, 5, 80, 300, 60_000][round % 5]
    const text = Array.from({ length: random(2000) }, () => String.fromCharCode(random(letters) + 32)).join("")
    assert.equal(decompressed(compressed(text)), text)
  }
})

test("what is nothing that was written is refused, and so is what becomes too long", () => {
  for (const written of ["", "%", "A", "IZ", "IYI1", "日本", "////", "undefined"]) assert.throws(() => decompressed(written), /no compressed text/, written)
  const long = compressed("a".repeat(2_000_000))
  assert.ok(long.length < 5000)
  assert.throws(() => decompressed(long))
  assert.equal(decompressed(compressed("a".repeat(1000)), 1000).length, 1000)
  assert.throws(() => decompressed(compressed("a".repeat(1001)), 1000))
})
