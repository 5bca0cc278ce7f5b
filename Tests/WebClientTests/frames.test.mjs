// Tests of the encryption of call frames, without a call.
import assert from "node:assert/strict"
import test from "node:test"
import { createDecipheriv } from "node:crypto"

const listeners = {}
globalThis.addEventListener = (name, listener) => { listeners[name] = listener }
await import(`${process.env.CLIENT}/calls/frames.js`)

const secret = new Uint8Array(32).fill(7)

/** Passes frames through the worker, and returns the resulting frames. */
async function passed(frames, options) {
  const out = []
  const readable = new ReadableStream({ start(controller) { for (const frame of frames) controller.enqueue(frame); controller.close() } })
  await new Promise(done => {
    const writable = new WritableStream({ write(frame) { out.push(frame) }, close() { done() } })
    listeners.rtctransform({ transformer: { options: { secret, ...options }, readable, writable } })
  })
  return out
}

const frame = (type, size) => ({ type, data: Uint8Array.from({ length: size }, (_, index) => index % 251).buffer })

test("frames are encrypted as in the apps, and decrypted to the same frames", async () => {
  for (const [type, clear] of [["key", 10], ["delta", 3], ["empty", 1], [undefined, 1]]) {
    const before = new Uint8Array(frame(type, 500).data)
    const [sealed] = await passed([frame(type, 500)], { isSent: true })
    const data = new Uint8Array(sealed.data)
    assert.equal(data.length, 500 + 16 + 12)
    assert.deepEqual(data.subarray(0, clear), before.subarray(0, clear))
    const cipher = createDecipheriv("aes-256-gcm", secret, data.subarray(-12))
    cipher.setAuthTag(data.subarray(-28, -12))
    assert.deepEqual(new Uint8Array(Buffer.concat([cipher.update(data.subarray(clear, -28)), cipher.final()])), before.subarray(clear))
    const [opened] = await passed([sealed], { isSent: false })
    assert.deepEqual(new Uint8Array(opened.data), before)
  }
})

test("if a frame has no bytes to encrypt, only a nonce is added at its end", async () => {
  const [sealed] = await passed([frame("delta", 3)], { isSent: true })
  assert.equal(sealed.data.byteLength, 15)
  const [opened] = await passed([sealed], { isSent: false })
  assert.equal(opened.data.byteLength, 3)
})

test("changed frames, cut frames and frames with another key are dropped, and later frames are decrypted", async () => {
  const [good, changed, cut] = await passed([frame("delta", 100), frame("delta", 100), frame("delta", 100)], { isSent: true })
  new Uint8Array(changed.data)[50] ^= 1
  cut.data = cut.data.slice(0, 20)
  assert.equal((await passed([changed, cut, frame("delta", 2), good], { isSent: false })).at(-1), good)
  const [other] = await passed([frame("delta", 100)], { isSent: true })
  assert.equal((await passed([other], { isSent: false, secret: new Uint8Array(32).fill(8) })).length, 0)
})
