// The changes of several documents over one WebSocket.
import { problem } from "./problems.js"
import { socketLine } from "./sockets.js"

/** @typedef {import("./requests.js").Requests} Requests */
/** @typedef {import("./sockets.js").Entry} Entry */

/**
 * The reader of one document on the shared WebSocket.
 * @typedef {{cursor: string, arrived: Entry[], isFollowed: boolean, wake: () => void, opened?: () => void}} Reader
 */

/** A WebSocket that stays open while it has readers. */
class DocumentSocket {
  /** @type {Map<string, Reader>} The readers by the path of their document. */
  readers = new Map()
  isOpen = false
  isEnded = false
  /** @type {unknown} The reason why no WebSocket could be opened. */
  error
  /** @type {WebSocket | undefined} */
  #socket

  /** @param {Requests} requests */
  constructor(requests) {
    // After a loss of the network, for example while the computer sleeps, the socket does not end by itself. So the
    // browser's event `offline` closes it.
    globalThis.addEventListener?.("offline", this.close)
    requests.socket("/v1/changes/ws", undefined).then(socket => this.#use(socket), error => {
      this.error = error
      this.close()
    })
  }

  /** @param {WebSocket} socket */
  #use(socket) {
    this.#socket = socket
    // The last reader may have ended while the ticket was requested. Then nobody needs the socket.
    if (this.isEnded) return socket.close()
    socket.onopen = () => {
      this.isOpen = true
      for (const [name, { cursor }] of this.readers) this.#send({ follow: name, cursor })
    }
    socket.onclose = this.close
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data))
  }

  /** @param {Entry & {document?: string}} entry */
  #take(entry) {
    // An entry without a document has the reason why the stream ends. The close frame follows this entry.
    const reader = entry.document === undefined ? undefined : this.readers.get(entry.document)
    if (!reader) return
    const { type } = entry.event
    // Changes before `followed` belong to an earlier reader of the document, so they are dropped.
    if (type == "followed") { reader.isFollowed = true; reader.opened?.() }
    else if (reader.isFollowed || type == "ended") { reader.arrived.push(entry); reader.wake() }
  }

  /** @param {Record<string, string>} message */
  #send(message) { if (this.isOpen && !this.isEnded) this.#socket?.send(JSON.stringify(message)) }

  /** @param {string} name @param {Reader} reader */
  follow(name, reader) {
    this.readers.set(name, reader)
    this.#send({ follow: name, cursor: reader.cursor })
  }

  /** @param {string} name */
  unfollow(name) {
    this.readers.delete(name)
    this.#send({ unfollow: name })
    if (!this.readers.size) this.close()
  }

  close = () => {
    globalThis.removeEventListener?.("offline", this.close)
    this.isEnded = true
    this.#socket?.close()
    for (const { wake } of this.readers.values()) wake()
  }
}

/**
 * Returns a function that reads the changes of documents. All documents that the function reads share one WebSocket, so
 * a page needs one WebSocket for all its profiles and sessions. The function is for the option `line` of `follow`,
 * `states` and `user.model`, for one gateway and one key.
 * @returns {import("./sockets.js").Line}
 */
export function sharedLine() {
  /** @type {DocumentSocket | undefined} */
  let shared
  return async function* (requests, path, cursor = "", options = {}) {
    const { signal, opened } = options
    const name = path.replace(/\/changes$/, "")
    if (!shared || shared.isEnded) shared = new DocumentSocket(requests)
    const socket = shared
    // A stream has each document only once, so a second reader of a document has its own WebSocket.
    if (socket.readers.has(name)) return yield* socketLine(requests, path, cursor, options)
    /** @type {Reader} */
    const reader = { cursor, arrived: [], isFollowed: false, wake: () => {}, opened }
    const wake = () => reader.wake()
    signal?.addEventListener("abort", wake)
    socket.follow(name, reader)
    try {
      while (!signal?.aborted) {
        const entry = reader.arrived.shift()
        if (entry) {
          const { type, problem: details } = entry.event
          if (type == "ended") throw requests.error(problem(details.status, details))
          yield entry
        } else if (socket.isEnded) break
        else await new Promise(next => { reader.wake = () => next(undefined) })
      }
      if (socket.error) throw socket.error
      // The WebSocket may have failed because its ticket was refused, or because the gateway cannot be reached. This
      // request fails with the actual reason.
      if (!socket.isOpen && !signal?.aborted && requests.key) await requests.send("GET", "/v1/whoami")
    } finally {
      signal?.removeEventListener("abort", wake)
      if (socket.readers.get(name) == reader) socket.unfollow(name)
    }
  }
}
