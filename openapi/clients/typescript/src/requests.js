// Requests to a gateway: their key, their repetition after lost answers, and their errors.
import { GatewayError, problem } from "./problems.js"

/**
 * @typedef {{
 *   key?: string,
 *   ticket?: (path: string) => Promise<string>,
 *   describe?: (error: GatewayError) => string,
 *   isRetried?: (error: GatewayError, method: string) => boolean,
 *   attempts?: number,
 * }} RequestOptions `ticket` gets a ticket for a path from the server of a web page that has no key; `describe` gives
 *   the message of an error; `isRetried` says whether a request is sent again; `attempts` is the maximal number of
 *   attempts
 */

/**
 * Whether an error is temporary: a lost connection, too many requests, or a restart of the gateway.
 * @param {GatewayError} error
 */
export const isPassing = ({ code, status }) =>
  ["offline", "requestInProgress", "tooManyRequests", "unavailable", "502", "504"].includes(code)
  || (status == 429 || status == 503) && code != "storeLocked"

export class Requests {
  /** @param {string | URL} url @param {RequestOptions} options */
  constructor(url, { key = "", ticket, describe, isRetried = isPassing, attempts = 10 } = {}) {
    this.root = new URL(`${url}`.replace(/\/*$/, "/"))
    this.key = key
    this.ticket = ticket
    this.describe = describe
    this.isRetried = isRetried
    this.attempts = attempts
    /** A function that is called when the gateway refuses the key. */
    this.refused = () => {}
    /**
     * A function that is called after each request. Its argument says whether the request has reached the gateway.
     * @type {(isReached: boolean) => void}
     */
    this.reached = () => {}
  }

  /** @param {string} path @param {AbortSignal} [signal] */
  get(path, signal) { return this.repeated("GET", path, undefined, {}, signal) }
  /** @param {string} path @param {any} body @param {Record<string, string>} [headers] */
  put(path, body, headers) { return this.repeated("PUT", path, body, headers) }
  /** @param {string} path @param {any} body @param {Record<string, string>} [headers] */
  patch(path, body, headers) { return this.repeated("PATCH", path, body, headers) }
  /** @param {string} path @param {Record<string, string>} [headers] */
  delete(path, headers) { return this.repeated("DELETE", path, undefined, headers) }

  /**
   * Sends a POST request with an idempotency key. If the answer was lost, the request is sent again, and the gateway
   * still executes it only once.
   * @param {string} path @param {any} [body] @param {AbortSignal} [signal]
   */
  post(path, body = {}, signal) {
    return this.repeated("POST", path, body, { "Idempotency-Key": this.newKey() }, signal)
  }


  /**
   * Sends a POST request for long work, and waits until the work has ended. Returns the answer of the work.
   * @param {string} path @param {any} [body]
   * @param {(operation: any) => void} [shown] a function that is called with each state of the running operation
   * @returns {Promise<any>}
   */
  async postLong(path, body = {}, shown = undefined) {
    const headers = { "Idempotency-Key": this.newKey(), Prefer: "respond-async" }
    return this.ended(await this.repeated("POST", path, body, headers), shown)
  }

  /**
   * Waits until an operation has ended, and returns the answer that its request would have had.
   * @param {any} operation @param {(operation: any) => void} [shown] @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async ended(operation, shown = () => {}, signal = undefined) {
    for (let time = 100; operation.state == "running"; time = Math.min(2 * time, 1000)) {
      shown(operation)
      await pause(time, signal)
      if (signal?.aborted) throw this.error(problem(0))
      try { operation = await this.get(`/v1/operations/${operation.operationId}`, signal) } catch (error) {
        // A temporary error does not end the work, so its state is requested again.
        if (!(error instanceof GatewayError && isPassing(error))) throw error
      }
    }
    if (operation.state == "done") return operation.result ?? null
    const details = operation.problem ?? { code: "conflict", detail: "The operation was cancelled." }
    throw this.error(problem(operation.status ?? 409, details))
  }

  /** Returns the idempotency key of the next effect. */
  newKey() { return random() }

  /**
   * Sends a request repeatedly until an attempt succeeds, or fails with an error that is not temporary.
   * @param {string} method @param {string} path @param {any} [body] @param {Record<string, string>} [headers]
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  async repeated(method, path, body, headers, signal) {
    for (let attempt = 1; ; attempt++) {
      try { return await this.send(method, path, body, headers, signal) } catch (error) {
        const isRepeated = error instanceof GatewayError && attempt < this.attempts && this.isRetried(error, method)
        if (!isRepeated || signal?.aborted) throw error
        await pause(Math.max(error.retryAfter * 1000, Math.min(500 * 2 ** attempt, 15_000)), signal)
      }
    }
  }

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
   * Sends a request once. If the gateway answers with an operation, because the work takes long, this function waits
   * for the end of the work, unless the headers contain `Prefer`.
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
    // An incomplete answer counts as a lost answer, so the error is the one for an unreachable gateway.
    const result = await answer.json().catch(() => { throw this.error(problem(0)) })
    const isOperation = answer.status == 202 && answer.headers.has("Location") && result.type == "operation"
    return isOperation && !headers.Prefer ? this.ended(result, undefined, signal) : result
  }

  /** @param {string} path @param {RequestInit} [options] */
  async request(path, options = {}) {
    const target = await this.target(path)
    let answer
    try {
      answer = await fetch(target, {
        ...options, cache: "no-cache", credentials: "omit", redirect: "error", referrerPolicy: "no-referrer",
        headers: { ...options.headers, ...(this.key ? { Authorization: `Bearer ${this.key}` } : {}) },
      })
    } catch (cause) {
      if (!options.signal?.aborted) this.reached(false)
      // Only Node reports the reason of a failure, so a browser always throws the error for an unreachable gateway.
      const isRefused = /CERT|VERIFY/.test(/** @type {any} */ (cause).cause?.code)
      throw this.error(Object.assign(problem(0, isRefused ? { code: "certificateRefused" } : {}), { cause }))
    }
    this.reached(true)
    if (answer.ok) return answer
    if (answer.status == 401) this.refused()
    const details = await answer.json().catch(() => ({}))
    const retryAfter = Number(answer.headers.get("Retry-After")) || 0
    throw Object.assign(this.error(problem(answer.status, details)), { retryAfter })
  }

  /** @param {GatewayError} error */
  error(error) {
    if (this.describe) error.message = this.describe(error)
    return error
  }

  /** @param {string} path */
  async target(path) {
    const target = new URL(path.replace(/^\//, ""), this.root)
    if (!this.key && this.ticket) target.searchParams.set("ticket", await this.ticket(path.split("?")[0]))
    return target
  }

  /**
   * Returns the bytes of a file, or of a picture that the gateway makes.
   * @param {string} path
   */
  async bytes(path) { return (await this.request(path)).blob() }

  /**
   * Returns an address that a browser itself can open, with a ticket instead of the key. The ticket is valid only for
   * this path.
   * @param {string} path @param {Record<string, any>} [query]
   */
  async address(path, query = {}) {
    const ticket = this.ticket ? await this.ticket(path) : (await this.post("/v1/events/tickets", { path })).ticket
    const address = new URL(path.slice(1), this.root)
    for (const [name, value] of Object.entries({ ...query, ticket }))
      if (value !== undefined) address.searchParams.set(name, value)
    return address.href
  }

  /** @param {string} path @param {string | undefined} cursor @param {Record<string, any>} [query] */
  async socket(path, cursor, query = {}) {
    return new WebSocket((await this.address(path, { ...query, cursor })).replace(/^http/, "ws"))
  }
}

/** @param {Uint8Array} bytes */
export const hex = bytes => [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join("")

/** Returns 16 random bytes in hexadecimal digits. Over plain HTTP, browsers have no `randomUUID`. */
export const random = () => hex(crypto.getRandomValues(new Uint8Array(16)))

/**
 * Waits for a number of milliseconds, or until the signal is aborted.
 * @param {number} time @param {AbortSignal} [signal]
 */
export const pause = (time, signal) =>
  /** @type {Promise<void>} */ (new Promise(next => {
    const ended = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", ended)
      next()
    }
    const timer = setTimeout(ended, signal?.aborted ? 0 : time)
    signal?.addEventListener("abort", ended)
  }))
