// Uploads of files in parts, and downloads. Both continue after interruptions.
import { targetOf } from "./pages.js"
import { Conflict, GatewayError } from "./problems.js"
import { isPassing, pause, random } from "./requests.js"

/**
 * The bytes of a file: in memory, from a form in a page, or at a path (Node and Deno).
 * @typedef {Blob | ArrayBuffer | ArrayBufferView | string} Source
 */

/** The size of a part in bytes. A smaller file is uploaded with one request. */
const partSize = 8 << 20

/**
 * Returns the bytes of a source as a blob, and a name for the file. A file at a path is not read into the memory.
 * @param {Source} source
 * @returns {Promise<{blob: Blob, name: string}>}
 */
export async function blobOf(source) {
  if (typeof source == "string") {
    const { openAsBlob } = await import(/** @type {string} */ ("node:fs"))
    return { blob: await openAsBlob(source), name: source.split(/[\\/]/).pop() ?? "" }
  }
  if (source instanceof Blob) return { blob: source, name: /** @type {any} */ (source).name ?? "" }
  return { blob: new Blob([/** @type {any} */ (source)]), name: "" }
}

/**
 * Uploads the bytes of a file. Returns the file in the form that messages refer to.
 * @param {import("./gateway.js").Gateway} gateway @param {number} userId @param {Source} source
 * @param {{name?: string, progress?: (done: number, size: number) => void, signal?: AbortSignal}} options
 * @returns {Promise<import("./contract.js").CryptoFile>}
 */
export async function upload(gateway, userId, source, { name, progress = () => {}, signal } = {}) {
  const found = await blobOf(source), { size } = found.blob, blob = found.blob.slice(0, size, "")
  const [, path] = targetOf("uploadFile", { userId, name: name || found.name || "file" })
  progress(0, size)
  if (size <= partSize) {
    const { fileSource } = await gateway.repeated("POST", path, blob, { "Idempotency-Key": gateway.newKey() }, signal)
    progress(size, size)
    return fileSource
  }
  // A repeated handler uploads the parts again under another key. The gateway deletes the parts of a killed program
  // after a day.
  const key = random()
  const began = await again(gateway, signal, () => gateway.request(path, {
    method: "POST", body: new Blob([]), signal,
    headers: {
      "Idempotency-Key": key, "Upload-Complete": "?0", "Upload-Length": `${size}`, "Content-Type": octets,
    },
  }))
  const place = /** @type {string} */ (began.headers.get("Location"))
  for (let offset = 0; ;) {
    const end = Math.min(offset + partSize, size)
    try {
      const answer = await gateway.request(place, {
        method: "PATCH", body: blob.slice(offset, end), signal, headers: {
          "Upload-Offset": `${offset}`, "Content-Type": octets, ...(end < size ? { "Upload-Complete": "?0" } : {}),
        },
      })
      offset = end
      progress(offset, size)
      if (answer.status == 201) return (await answer.json()).fileSource
    } catch (error) {
      // After a conflict, the gateway has a different number of bytes than this client has counted. So the client asks
      // for the number.
      const isMendable = error instanceof GatewayError && (isPassing(error) || error instanceof Conflict)
      if (signal?.aborted || !isMendable) throw error
      await pause(500, signal)
      offset = (await gateway.get(place, signal)).offset
    }
  }
}

const octets = "application/octet-stream"

/**
 * Yields the bytes of a file of a message, and continues after an interruption.
 * @param {import("./gateway.js").Gateway} gateway @param {number} userId @param {number} fileId
 * @param {{progress?: (done: number) => void, signal?: AbortSignal}} options
 * @returns {AsyncGenerator<Uint8Array, void, void>}
 */
export async function* chunks(gateway, userId, fileId, { progress = () => {}, signal } = {}) {
  const [, path] = targetOf("downloadFile", { userId, fileId })
  let done = 0, tag = ""
  for (let attempt = 1; ; attempt++) {
    try {
      /** @type {Record<string, string>} */
      const headers = done ? { Range: `bytes=${done}-`, ...(tag ? { "If-Range": tag } : {}) } : {}
      const answer = await again(gateway, signal, () => gateway.request(path, { headers, signal }))
      if (done && answer.status != 206) throw new Error("The file has changed during its download.")
      tag = answer.headers.get("ETag") ?? ""
      const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader()
      for (;;) {
        const part = await reader.read()
        if (part.done) return
        done += part.value.length
        attempt = 1
        progress(done)
        yield part.value
      }
    } catch (error) {
      // `fetch` reports a connection that breaks in the middle of a body as a TypeError, so only this error is tried
      // again.
      if (signal?.aborted || !(error instanceof TypeError) || attempt == gateway.attempts) throw error
      await pause(500 * attempt, signal)
    }
  }
}

/**
 * Runs a request until it succeeds, or fails for a reason that does not pass.
 * @template T
 * @param {import("./requests.js").Requests} requests @param {AbortSignal | undefined} signal
 * @param {() => Promise<T>} run
 */
async function again(requests, signal, run) {
  for (let attempt = 1; ; attempt++) {
    try { return await run() } catch (error) {
      if (signal?.aborted || !(error instanceof GatewayError) || !isPassing(error) || attempt == requests.attempts)
        throw error
      await pause(Math.max(error.retryAfter * 1000, Math.min(500 * 2 ** attempt, 15_000)), signal)
    }
  }
}
