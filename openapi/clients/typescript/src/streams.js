// Streams over HTTP: lines of JSON, or pages of long polls if a proxy holds the lines back.
import { problem } from "./problems.js"
import { expired } from "./sockets.js"

/**
 * Times in milliseconds. `silence`: the longest time without a line; the gateway writes a line at least every 15
 * seconds. `firstLine`: the time after which a stream without a line counts as held back by a proxy.
 */
export const limits = { silence: 60_000, firstLine: 20_000 }

/** A stream whose lines do not arrive, because a proxy collects the answer. */
export class Silent extends Error {}

/** @type {import("./sockets.js").Line} */
export async function* streamLine(requests, path, cursor, { query, signal, opened } = {}) {
  const stops = new AbortController()
  /** @type {ReadableStreamDefaultReader<Uint8Array> | undefined} */
  let reader
  // Node ignores an abort after it has released the request, so the reader ends the wait.
  const stop = () => {
    stops.abort()
    reader?.cancel().catch(() => {})
  }
  signal?.addEventListener("abort", stop)
  if (signal?.aborted) stop()
  let isSilent = false, hasLine = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  const heard = (/** @type {number} */ limit) => {
    clearTimeout(timer)
    timer = setTimeout(() => { isSilent = true; stop() }, limit)
  }
  try {
    heard(limits.silence)
    const answer = await requests.request(target(path, { ...query, cursor }), {
      headers: { Accept: "application/x-ndjson" }, signal: stops.signal,
    })
    opened?.()
    heard(limits.firstLine)
    reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader()
    const decoder = new TextDecoder()
    for (let rest = ""; ;) {
      const { done, value } = await reader.read()
      if (done) break
      heard(limits.silence)
      hasLine = true
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        if (!line.trim()) continue
        const entry = JSON.parse(line)
        if (entry.event.type == "gap") throw expired(entry.event)
        // The time that the caller needs for an entry does not count as silence.
        clearTimeout(timer)
        yield entry
        heard(limits.silence)
      }
    }
    if (isSilent) throw new TypeError("The stream is silent.")
  } catch (error) {
    if (isSilent && !hasLine) throw new Silent("The lines of the stream do not arrive.")
    if (signal?.aborted) return
    // The connection broke in the middle of the stream, so the error is the one for an unreachable gateway.
    if (error instanceof TypeError || isSilent) throw requests.error(problem(0))
    throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
    stop()
  }
}

/** @type {import("./sockets.js").Line} */
export async function* pollLine(requests, path, cursor, { query, signal, opened } = {}) {
  while (!signal?.aborted) {
    const place = target(path, { ...query, cursor, timeout: 25 })
    const page = await requests.send("GET", place, undefined, {}, signal)
    opened?.()
    yield* page.events
    if (page.cursor != cursor && page.cursor != page.events.at(-1)?.id)
      yield { id: page.cursor, event: { type: "passed" } }
    cursor = page.cursor
  }
}

/**
 * A path with parameters. A list becomes a text with commas.
 * @param {string} path @param {Record<string, any>} query
 */
export function target(path, query) {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(given.map(([name, value]) => [name, `${value}`]))
  return given.length ? `${path}?${text}` : path
}
