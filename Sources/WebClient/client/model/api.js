// Requests to the gateway. The page is below `/app/<hash>/`, so the address of this file gives its server's root, also
// behind a proxy with a path.
import { pause } from "./time.js"
import { words } from "./words.js"

const root = new URL("../../../", import.meta.url)

/** An error with a message for people. `code` is the gateway's, or `offline`. */
export class Problem extends Error {
  /** @param {number} status @param {string} code @param {string} [detail] */
  constructor(status, code, detail) {
    super(words.problems[code] ?? detail ?? words.unknownProblem(code))
    this.status = status
    this.code = code
    /** In seconds. */
    this.retryAfter = 0
    /** The nearest name that is allowed, when a name was refused. */
    this.validName = ""
  }
}

export class Api {
  /** @param {string} key */
  constructor(key) {
    this.key = key
    /** Called when the gateway takes the key no longer. */
    this.refused = () => {}
    /** @type {(isReached: boolean) => void} Called with whether the last request has reached the gateway. */
    this.reached = () => {}
  }

  get = path => this.send("GET", path)
  put = (path, body) => this.send("PUT", path, body)
  patch = (path, body) => this.send("PATCH", path, body)
  delete = (path, body) => this.send("DELETE", path, body)

  /** A request with an effect. It is sent again when its answer was lost, and has its effect once. */
  async post(path, body = {}) {
    const headers = { "Idempotency-Key": random() }
    for (let attempt = 1; ; attempt++) {
      try { return await this.send("POST", path, body, headers) } catch (error) {
        if (!(error instanceof Problem) || error.code != "offline" || attempt == 4) throw error
      }
      await pause(500 * 2 ** attempt)
    }
  }

  /** A POST without an idempotency key, for routes that take none and are harmless when repeated. */
  open(/** @type {string} */ path, /** @type {any} */ body = undefined) { return this.send("POST", path, body) }

  /** @param {string} users that of the profile @param {string} name @param {Blob} body @param {AbortSignal} [signal] */
  upload(users, name, body, signal) {
    const path = `${users}/files?name=${encodeURIComponent(name || "file")}`
    return this.send("POST", path, body.slice(0, body.size, ""), {}, signal)
  }

  /**
   * @param {string} method @param {string} path @param {any} [body]
   * @param {Record<string, string>} [headers] @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async send(method, path, body, headers = {}, signal = undefined) {
    const isFile = body instanceof Blob
    const answer = await this.request(path, {
      method, signal, body: body === undefined || isFile ? body : JSON.stringify(body),
      headers: {
        ...(body === undefined ? {} : { "Content-Type": isFile ? "application/octet-stream" : "application/json" }),
        ...headers,
      },
    })
    if (answer.status == 204) return null
    // An answer that is cut is no answer.
    return answer.json().catch(() => { throw new Problem(0, "offline") })
  }

  /** @param {string} path @param {RequestInit} [options] */
  async request(path, options = {}) {
    let answer
    try {
      answer = await fetch(new URL(path.replace(/^\//, ""), root), {
        ...options, cache: "no-cache", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
        headers: { ...options.headers, Authorization: `Bearer ${this.key}` },
      })
    } catch {
      if (!options.signal?.aborted) this.reached(false)
      throw new Problem(0, "offline")
    }
    this.reached(true)
    if (answer.ok) return answer
    const problem = await answer.json().catch(() => ({}))
    if (answer.status == 401) this.refused()
    const { code = `${answer.status}`, detail = problem.title, chatError } = problem
    throw Object.assign(new Problem(answer.status, code, detail), {
      retryAfter: Number(answer.headers.get("Retry-After")) || 0, validName: chatError?.errorType?.validName ?? "",
    })
  }

  /** The bytes of a file, or of a picture that the gateway draws. */
  bytes = path => this.request(path).then(answer => answer.blob())

  /** The address of something for this browser alone, with a ticket in place of the key. It opens only this path. */
  async address(path, query = {}) {
    const { ticket } = await this.open("/v1/events/tickets", { path })
    const address = new URL(path.slice(1), root)
    for (const [name, value] of Object.entries({ ...query, ticket })) address.searchParams.set(name, value)
    return address.href
  }

  async socket(path, cursor, query = {}) {
    return new WebSocket((await this.address(path, { ...query, cursor })).replace(/^http/, "ws"))
  }
}

export const hex = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join("")

/** Not `randomUUID`, which plain HTTP has not. */
export const random = () => hex(crypto.getRandomValues(new Uint8Array(16)))
