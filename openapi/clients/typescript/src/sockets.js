// Streams over WebSockets. A browser has only six HTTP/1.1 connections to a server, and WebSockets do not count.
import { problem } from "./problems.js"

/**
 * An entry of a stream: `id` is the cursor after the entry.
 * @typedef {{id: string, createdAt?: string, userId?: number, event: {type: string, [member: string]: any}}} Entry
 */

/**
 * A function that reads a stream: yields the entries after a cursor until the connection ends or the signal is aborted.
 * @typedef {(
 *   requests: import("./requests.js").Requests, path: string, cursor: string | undefined,
 *   options?: {query?: Record<string, any>, signal?: AbortSignal, opened?: () => void} ) => AsyncGenerator<Entry, void,
 *   void>} Line `opened` is called when the gateway has accepted the line
 */

/** @type {Line} */
export async function* socketLine(requests, path, cursor, { query, signal, opened } = {}) {
  const socket = await requests.socket(`${path}/ws`, cursor, query)
  /** @type {string[]} */
  const arrived = []
  let wake = () => {}, isOpen = false, isEnded = false, isGap = false
  const close = () => { socket.close(); isEnded = true; wake() }
  socket.onopen = () => { isOpen = true; opened?.() }
  socket.onclose = event => { isGap ||= event.code == 4410; isEnded = true; wake() }
  socket.onmessage = ({ data }) => { arrived.push(data); wake() }
  // After a loss of the network, for example while the computer sleeps, the socket does not end by itself. So the
  // browser's event `offline` closes it.
  globalThis.addEventListener?.("offline", close)
  signal?.addEventListener("abort", close)
  if (signal?.aborted) close()
  try {
    while (arrived.length || !isEnded) {
      const text = arrived.shift()
      if (text === undefined) {
        await new Promise(next => { wake = () => next(undefined) })
        continue
      }
      const entry = JSON.parse(text)
      if (entry.event.type == "gap") throw expired(entry.event)
      yield entry
    }
    if (isGap) throw expired({})
    // The socket may have failed because its ticket was refused, or because the gateway cannot be reached. This request
    // fails with the actual reason.
    if (!isOpen && !signal?.aborted && requests.key) await requests.send("GET", "/v1/whoami")
  } finally {
    globalThis.removeEventListener?.("offline", close)
    signal?.removeEventListener("abort", close)
    socket.close()
  }
}

/**
 * The error for a gap, which streams without a status report as an event.
 * @param {Record<string, any>} event
 */
export const expired = ({ oldest }) =>
  problem(410, { code: "cursorExpired", title: "The entries after the cursor are no longer kept.", oldest })
