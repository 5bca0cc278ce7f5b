// The gateway as programs use it: typed operations, profiles, events and handlers of events.
import { sharedLine } from "./documents.js"
import { events, merged, usualLine } from "./events.js"
import { chatOf, Message, User } from "./objects.js"
import { pages, targetOf } from "./pages.js"
import { NotFound, problem, TimedOut, WrongVersion } from "./problems.js"
import { hex, Requests } from "./requests.js"
import { run } from "./run.js"
import { socketLine } from "./sockets.js"

/** @typedef {import("./contract.js").Operations} Operations */
/** @typedef {import("./contract.js").Event} Event */
/** @typedef {import("./sockets.js").Entry} Entry */

/**
 * The part of the events that a handler gets: `received` means messages of others; `chats` are references such as
 * `direct/4`.
 * @typedef {{direction?: "received" | "sent", users?: number[], chats?: string[]}} Filter
 */

/** @typedef {{type: string, filter: Filter, handler: (subject: any, entry: Entry) => unknown}} Handler */

/** @type {Record<string, string>} */
const hints = {
  offline: "No answer came: the gateway is down, or the line is.",
  certificateRefused: "No known authority has signed the certificate of the gateway for this address.",
  unauthorized: "Give a valid key: `simplex-gateway key add NAME` makes one.",
  forbidden: "The key lacks a scope, or is bound to another profile or chat.",
  unknownRoute: "The gateway has another version than this package: install the package of its version.",
  unknownParameter: "The gateway may have another version than this package: install the package of its version.",
  unknownMember: "The gateway may have another version than this package: install the package of its version.",
  storeLocked: "Unlock the store with its password, then repeat.",
  wrongHost: "Start the gateway with --allow-host.",
  idempotencyKeyReused: "The effect with this key was done before with other contents, and is not repeated.",
  storageFull: "Make room on the disk of the gateway.",
  quotaExceeded: "Delete some of the resource, or raise the limit of the store.",
  internalError: "Report this error of the gateway with its request id.",
}

/** @param {import("./problems.js").GatewayError} error */
const described = error => {
  const { status, code, message, requestId } = error, cause = /** @type {any} */ (error).cause?.cause?.code
  return [
    status && `${status} ${code}:`, message != code && (hints[code] ? message.replace(/[^.]$/, "$&.") : message),
    hints[code], requestId && `[request ${requestId}]`, cause && `(${cause})`,
  ].filter(Boolean).join(" ")
}

/** A gateway and a key for it. The requests of `Requests` are for routes that have no method here. */
export class Gateway extends Requests {
  /**
   * @param {string | URL} url such as `http://127.0.0.1:5225`
   * @param {import("./requests.js").RequestOptions} [options]
   */
  constructor(url, options = {}) {
    super(url, { describe: described, ...options })
    /** @type {Handler[]} */
    this.handlers = []
    /** @type {{name: string, count: number} | undefined} The work whose effects happen once. */
    this.work = undefined
  }

  /** Returns the gateway of the variables `SXGW_URL` (default `http://127.0.0.1:5225`) and `SXGW_KEY`. */
  static fromEnv() {
    const scope = /** @type {any} */ (globalThis)
    const value = (/** @type {string} */ name) => scope.process?.env[name] ?? scope.Deno?.env.get(name)
    return new Gateway(value("SXGW_URL") ?? "http://127.0.0.1:5225", { key: value("SXGW_KEY") ?? "" })
  }

  /**
   * Calls an operation of the contract. Its answer is as in the contract, and may have members and cases of a later
   * version.
   * @template {keyof Operations} Name
   * @param {Name} name @param {Operations[Name]["parameters"]} [parameters] those of the path and of the query
   * @param {Operations[Name]["body"]} [body] @param {{signal?: AbortSignal, headers?: Record<string, string>}} options
   * @returns {Promise<Operations[Name]["answer"]>}
   */
  call(name, parameters, body, { signal, headers } = {}) {
    const [method, path] = targetOf(name, parameters)
    /** @type {Record<string, string>} */
    const key = method == "POST" ? { "Idempotency-Key": this.newKey() } : {}
    return this.repeated(method, path, body, { ...key, ...headers }, signal)
  }

  /**
   * Returns this gateway for one task. The requests of the task have their effect once within a day, even if a killed
   * program repeats the task. A repetition must send the same requests in the same order.
   * @param {string} name such as `order-17`
   */
  once(name) { return /** @type {this} */ (Object.assign(Object.create(this), { work: { name, count: 0 } })) }

  newKey() { return this.work ? `${this.work.name}-${++this.work.count}` : super.newKey() }

  /**
   * Returns the profile with this name or id; without a name, the profile of the key, otherwise the active profile.
   * With a key without the scope `read`, the profile has an id and no name.
   */
  async user(/** @type {string | number | undefined} */ name = undefined) {
    const key = name === undefined ? await this.call("getCurrentKey") : undefined
    if (key?.userId !== undefined && !key.scopes.includes("read"))
      return new User(this, /** @type {any} */ ({ userId: key.userId, localDisplayName: "This profile" }))
    // A key that is limited to some chats may read the profile only together with a chat, so a chat is read first.
    const [answer] = key?.chats ? await this.chatsOfKey() : []
    if (answer) return new User(this, answer.user)
    const wanted = name ?? key?.userId
    if (wanted === undefined) return new User(this, (await this.call("getActiveUser")).user)
    if (typeof wanted == "number") return new User(this, (await this.call("getUser", { userId: wanted })).user)
    for (const user of await this.users()) if (user.name == wanted) return user
    throw problem(404, { code: "notFound", detail: `There is no profile ${wanted}.` })
  }

  /**
   * Returns the chats of a key that is limited to some chats, as in the contract; an empty list for another key.
   * @returns {Promise<any[]>}
   */
  async chatsOfKey() {
    const { userId, chats } = await this.call("getCurrentKey"), found = []
    for (const [chatType, id] of (chats ?? []).map(ref => ref.split("/"))) {
      const place = /** @type {any} */ ({ userId, chatType, chatId: id, limit: 1 })
      // A deleted chat is left out.
      const answer = await this.call("getChat", place).catch(error => {
        if (!(error instanceof NotFound)) throw error
      })
      if (answer) found.push(answer)
    }
    return found
  }

  /**
   * Creates a profile. `options` are members of the request, such as `userChatRelay`.
   * @param {string} name @param {{fullName?: string} & Omit<Operations["createUser"]["body"], "profile">} [options]
   */
  async createUser(name, options) {
    const { fullName = "", ...more } = options ?? {}
    const profile = { displayName: name, fullName }
    return new User(this, (await this.call("createUser", {}, { profile, ...more })).user)
  }

  /** Returns the versions of the gateway. Throws WrongVersion if this package does not support its API. */
  async check() {
    const { versions } = await this.call("getIndex")
    if (versions.api == "1") return versions
    const detail = `The gateway has version ${versions.api} of the API: install simplex-gateway@${versions.program}.`
    throw new WrongVersion(0, "wrongVersion", { detail })
  }

  /**
   * Waits until long work has ended, and returns the answer that its request would have had.
   * @param {any} operation the answer of a request with the header `Prefer: respond-async`
   * @param {(operation: import("./contract.js").LongOperation) => void} [progress] gets each state until the end
   */
  follow(operation, progress) { return this.ended(operation, progress) }

  /** Returns all visible profiles. */
  async users() {
    const found = []
    for await (const { user } of pages(this, "listUsers", {}, ({ users }) => users)) found.push(new User(this, user))
    return found
  }

  /**
   * Yields the states of profiles as apps show them: each state at first, and after each of its changes. In web pages,
   * the states share one WebSocket.
   * @param {User[]} users @param {{signal?: AbortSignal, line?: import("./sockets.js").Line}} options
   * @returns {AsyncGenerator<{user: User, model: import("./contract.js").ChatModel}, void, void>}
   */
  models(users, { signal, line = usualLine == socketLine ? sharedLine() : usualLine } = {}) {
    return merged(signal, stops => users.map(async function* (user) {
      for await (const model of user.model({ signal: stops, line })) yield { user, model }
    }))
  }

  /** Returns the cursor after the last event. */
  async now() { return (await this.call("listEvents", { cursor: "now" })).cursor }

  /**
   * Yields events without end, and continues after interruptions. See `events`.
   * @param {Parameters<typeof events>[1]} [options]
   */
  events(options) { return events(this, options) }

  /**
   * Waits for an event of one of these types. Throws TimedOut after `timeout` seconds.
   * @param {Event["type"][]} types
   * @param {{user?: User, since?: string, timeout?: number, where?: (event: any) => boolean}} options `since`: the
   *   cursor from which on events count, by default the end
   */
  async waitFor(types, { user, since = "now", timeout = 60, where = () => true } = {}) {
    const stops = new AbortController(), timer = setTimeout(() => stops.abort(), timeout * 1000)
    const query = { types: types.join(","), users: user?.id }
    try {
      for await (const { event } of this.events({ cursor: since, query, signal: stops.signal }))
        if (types.includes(/** @type {Event["type"]} */ (event.type)) && where(event)) return event
    } finally { clearTimeout(timer); stops.abort() }
    throw new TimedOut(0, "timedOut", { detail: `No event ${types.join(", ")} came in ${timeout} seconds.` })
  }

  /**
   * Adds a handler of events for `run`. For `newChatItems` the handler gets each message as a Message, for other types
   * the event, and then the entry of the event. All effects that a message causes by its methods happen once.
   * @template {Event["type"]} Type
   * @param {Type} type @param {Filter} filter
   * @param {(
   *   subject: Type extends "newChatItems" ? Message : Extract<Event, {type: Type}>, entry: Entry
   * ) => unknown} handler
   */
  on(type, filter, handler) {
    this.handlers.push({ type, filter, handler })
    return this
  }

  /**
   * Passes events to the handlers, without end. See `run`.
   * @param {import("./run.js").RunOptions} [options]
   */
  run(options) { return run(this, options) }

  /**
   * Passes an entry to its handlers. A repetition makes the same idempotency keys.
   * @param {Entry} entry @param {string} name the name of the bot
   */
  async handle(entry, name) {
    const { id, userId = 0, event } = entry
    for (const [number, { type, filter, handler }] of this.handlers.entries()) {
      if (type != event.type || filter.users && !filter.users.includes(userId)) continue
      const gateway = this.once(await shortened(`${name}-${number}-${id}`))
      if (type != "newChatItems") {
        await handler(event, entry)
        continue
      }
      for (const { chatInfo, chatItem } of event.chatItems) {
        const chat = chatOf(new User(gateway, event.user), chatInfo)
        if (!chat || filter.chats && !filter.chats.includes(chat.ref)) continue
        const message = new Message(chat, chatItem)
        const isWanted = !filter.direction || message.kind && message.received == (filter.direction == "received")
        if (isWanted) await handler(message, entry)
      }
    }
  }
}

/** Returns a name so short that an idempotency key can contain the name and a number. */
const shortened = async (/** @type {string} */ name) =>
  name.length <= 200 ? name : hex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name))))

