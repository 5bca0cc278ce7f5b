// Requests to the gateway. The page is below `/app/<hash>/`, so the root of the server is computed from the address of
// this file. This also works behind a proxy that adds a path.
import { pause } from "./time.js"
import { words } from "./words.js"

const root = new URL("../../../", import.meta.url)

/** An error with a message for users. `code` is the code from the gateway, or `offline`. */
export class Problem extends Error {
  /** @param {number} status @param {string} code @param {string} [detail] */
  constructor(status, code, detail) {
    super(words.problems[code] ?? detail ?? words.unknownProblem(code))
    this.status = status
    this.code = code
    /** Seconds after which the request may be repeated; 0 if the gateway has not set a time. */
    this.retryAfter = 0
    /** The nearest allowed name, if a name was refused. */
    this.validName = ""
  }
}

export class Api {
  /** @param {string} key */
  constructor(key) {
    this.key = key
    /** A function that is called when the gateway refuses the key. */
    this.refused = () => {}
    /**
     * A function that is called after each request, with whether the request has reached the gateway.
     * @type {(isReached: boolean) => void}
     */
    this.reached = () => {}
  }

  get = path => this.send("GET", path)
  put = (path, body) => this.send("PUT", path, body)
  patch = (path, body) => this.send("PATCH", path, body)
  delete = path => this.send("DELETE", path)

  /**
   * Sends a POST request with an idempotency key. If the answer was lost, the request is sent again, and the gateway
   * still executes it only once.
   */
  async post(path, body = {}) {
    const headers = { "Idempotency-Key": random() }
    for (let attempt = 1; ; attempt++) {
      try { return await this.send("POST", path, body, headers) } catch (error) {
        if (!(error instanceof Problem) || error.code != "offline" || attempt == 4) throw error
      }
      await pause(500 * 2 ** attempt)
    }
  }

  /**
   * Sends a POST request without an idempotency key, for routes that accept no such key and whose requests may be
   * repeated.
   */
  open(/** @type {string} */ path, /** @type {any} */ body = undefined) { return this.send("POST", path, body) }

  /**
   * @param {string} users the path of the profile: `/v1/users/1`
   * @param {string} name
   * @param {Blob} body
   * @param {AbortSignal} [signal]
   */
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
    // An incomplete answer counts as a lost answer.
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

  /** Returns the bytes of a file, or of a picture that the gateway makes. */
  bytes = path => this.request(path).then(answer => answer.blob())

  /**
   * Returns an address that the browser itself can open, with a ticket instead of the key. The ticket is valid only for
   * this path.
   */
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

/** Returns 16 random bytes in hexadecimal digits. Over plain HTTP, browsers have no `randomUUID`. */
export const random = () => hex(crypto.getRandomValues(new Uint8Array(16)))
