// Events after a cursor, which continue after interruptions and restarts.
import { follow } from "./follow.js"
import { CursorExpired, GatewayError } from "./problems.js"
import { isPassing, pause } from "./requests.js"
import { socketLine } from "./sockets.js"
import { pollLine, Silent, streamLine, target } from "./streams.js"

/** The usual way to read streams: WebSockets in web pages, and lines over HTTP in other programs. */
export const usualLine = typeof document == "undefined" || typeof WebSocket == "undefined" ? streamLine : socketLine

/**
 * Yields the entries after a cursor, without end. After an interruption, the stream continues after its last entry.
 * Throws if the key ends, or if the store is locked. An entry of the type `passed` has no time. It has the cursor after
 * events that are not in the filter, which the program stores.
 * @param {import("./requests.js").Requests} requests
 * @param {{
 *   path?: string, cursor?: string, query?: Record<string, any>, signal?: AbortSignal,
 *   line?: import("./sockets.js").Line, lost?: (error: CursorExpired) => void,
 * }} [options] without `cursor`, the stream begins at the oldest entry; with `now`, at the end; if the cursor has
 *   expired, `lost` is called, and the stream continues at the oldest entry; without `lost`, the error is thrown
 * @returns {AsyncGenerator<import("./sockets.js").Entry, void, void>}
 */
export async function* events(requests, options = {}) {
  const { path = "/v1/events", query, signal, lost } = options
  let { cursor, line = usualLine } = options
  // The cursor is read once, so that an interruption before the first entry does not move the beginning.
  if (cursor == "now" && requests.key) cursor = (await requests.get(target(path, { cursor }), signal)).cursor
  let wait = 500
  const opened = () => { wait = 500 }
  while (!signal?.aborted) {
    try {
      for await (const entry of line(requests, path, cursor, { query, signal, opened })) {
        if (entry.id) {
          cursor = entry.id
          yield entry
        }
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof Silent) line = pollLine
      else if (error instanceof CursorExpired && lost) {
        lost(error)
        cursor = error.oldest || undefined
      } else if (!(error instanceof GatewayError && isPassing(error))) throw error
      else wait = Math.max(wait, error.retryAfter * 1000)
    }
    await pause(wait, signal)
    wait = Math.min(wait * 2, 15_000)
  }
}

/**
 * Yields a state of the gateway, and the whole changed state after each change. Several waiting changes are yielded as
 * one.
 * @param {import("./requests.js").Requests} requests
 * @param {() => Promise<{id: string, path: string, document: any}>} read reads the state, and the path of its changes
 * @param {{signal?: AbortSignal, line?: import("./sockets.js").Line}} options
 * @returns {AsyncGenerator<any, void, void>}
 */
export async function* states(requests, read, { signal, line = usualLine } = {}) {
  /** @type {any} */
  let latest
  let isNew = false, wake = () => {}
  /** @type {unknown} */
  let error
  const follower = follow(requests, {
    read, line,
    changed: (/** @type {any} */ document) => { latest = document; isNew = true; wake() },
    failed: (/** @type {unknown} */ problem) => {
      if (problem instanceof GatewayError && isPassing(problem)) return
      error = problem
      wake()
    },
  })
  const end = () => wake()
  signal?.addEventListener("abort", end)
  try {
    while (!signal?.aborted) {
      if (isNew) { isNew = false; yield latest }
      else if (error) throw error
      else await new Promise(next => { wake = () => next(undefined) })
    }
  } finally {
    follower.stop()
    signal?.removeEventListener("abort", end)
  }
}

/**
 * Yields the values of several sources, each value as soon as it arrives. The end of the loop stops all sources.
 * @template T
 * @param {AbortSignal | undefined} signal
 * @param {(stops: AbortSignal) => AsyncGenerator<T, void, void>[]} sources makes the sources, which end with its signal
 * @returns {AsyncGenerator<T, void, void>}
 */
export async function* merged(signal, sources) {
  const stops = new AbortController(), stop = () => stops.abort()
  signal?.addEventListener("abort", stop)
  if (signal?.aborted) stop()
  const next = (/** @type {AsyncGenerator<T, void, void>} */ source) => {
    const pending = source.next().then(result => ({ source, result }))
    // The loop throws this error when it asks for the next value. Without this handler, Node would end the program
    // before.
    pending.catch(() => {})
    return pending
  }
  const waiting = new Map(sources(stops.signal).map(source => [source, next(source)]))
  try {
    while (waiting.size) {
      const { source, result } = await Promise.race(waiting.values())
      if (result.done) waiting.delete(source)
      else {
        waiting.set(source, next(source))
        yield result.value
      }
    }
  } finally {
    signal?.removeEventListener("abort", stop)
    stop()
    const ends = [...waiting].map(([source, pending]) => pending.then(() => source.return()))
    await Promise.allSettled(ends)
  }
}
