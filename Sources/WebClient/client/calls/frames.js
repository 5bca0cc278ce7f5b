// A worker that encrypts and decrypts the frames of a call: AES-GCM as in the apps, with the nonce at the end of the
// frame. The first bytes of a frame are not encrypted, because the browser needs them to make packets.
const clear = { key: 10, delta: 3 }, nonceSize = 12

async function pass({ readable, writable, isSent, secret }) {
  const key = await crypto.subtle.importKey("raw", secret, "AES-GCM", false, ["encrypt", "decrypt"])
  await readable.pipeThrough(new TransformStream({
    async transform(frame, controller) {
      const data = new Uint8Array(frame.data)
      const start = clear[frame.type] ?? 1
      const tail = isSent ? data.length : data.length - nonceSize
      const iv = isSent ? crypto.getRandomValues(new Uint8Array(nonceSize)) : data.slice(tail)
      const body = data.slice(start, tail)
      try {
        const changed = body.length
          ? new Uint8Array(await crypto.subtle[isSent ? "encrypt" : "decrypt"]({ name: "AES-GCM", iv }, key, body))
          : body
        const whole = new Uint8Array(start + changed.length + (isSent ? nonceSize : 0))
        whole.set(data.subarray(0, start))
        whole.set(changed, start)
        if (isSent) whole.set(iv, start + changed.length)
        frame.data = whole.buffer
        controller.enqueue(frame)
      } catch {
        // The frame was encrypted with another key, or was changed in transit, so this frame is dropped. The stream
        // continues, since later frames may be valid.
      }
    },
  })).pipeTo(writable)
}

// Browsers pass frames to a worker in one of two ways: by a message with streams, or by the event `rtctransform`. The
// end of a stream at the end of the call is not an error.
addEventListener("message", ({ data }) => pass(data).catch(() => {}))
addEventListener("rtctransform", (/** @type {any} */ { transformer: { options, readable, writable } }) =>
  pass({ ...options, readable, writable }).catch(() => {}))
