// The outbox: messages that the user has sent in this page and that the gateway does not have yet. Each chat has a
// queue. Its messages are sent in order, one request at a time. A request is repeated until the gateway accepts or
// refuses the message, or the user withdraws it. This module does not use the page or the network, so that it can be
// tested alone.

/**
 * An attachment that is not uploaded yet. `at` is its index in `composedMessages`. `make` uploads it, and returns the
 * message.
 * @typedef {(name: string, body: Blob) => Promise<any>} Upload
 * @typedef {{at: number, name: string, make: (upload: Upload) => Promise<any>}} Part
 */

/**
 * An entry of the outbox: a message, an edit or a forwarding. A changed entry is a new object, so that views can detect
 * the change.
 * @typedef {object} Entry
 * @property {string} id the id of the entry, which is also the Idempotency-Key of its request
 * @property {string} storeId
 * @property {number} userId
 * @property {string} place the chat: `direct/4`
 * @property {string} query the query for a scope within a group: `?scope=support`
 * @property {string} method
 * @property {string} path the path below the path of the profile; `{item}` stands for the edited item
 * @property {any} body the body of the request, complete when `parts` is empty
 * @property {Part[]} parts the attachments that are not uploaded yet
 * @property {string} of the id of the entry whose item will be edited, while that item does not exist
 * @property {number} itemId the edited item; 0 for none
 * @property {string} text
 * @property {string[]} notes the names of the attachments
 * @property {any} quoted
 * @property {any} attachments the attachments in the form for the composer; lost when the page is reloaded
 * @property {boolean} isLost whether a reload has lost the attachments
 * @property {number} at the time at which the message was written
 * @property {"waiting" | "sending" | "refused" | "sent"} state
 * @property {string} step the name of the attachment that is being uploaded
 * @property {{status?: number, code?: string, message: string} | null} problem the error of the last attempt
 * @property {number} tries the number of failed attempts
 * @property {number} notBefore the time before which no attempt is made
 * @property {boolean} isPaced whether the gateway has set this time
 * @property {number} triedAt the time at which the request was sent first; 0 before
 * @property {string} keyId the API key of that request
 * @property {number[]} itemIds the ids of the items that the gateway has made of the entry
 */

/** HTTP statuses after which the same request may succeed later. 0 stands for no answer. */
const passing = new Set([0, 408, 425, 429, 502, 503, 504])
const isPassing = problem => passing.has(problem.status) || problem.code == "requestInProgress"

/** Codes of refusals after which the message may or may not have arrived. Another attempt may send a second message. */
const uncertain = new Set(["uncertain", "conflict", "idempotencyKeyReused"])

// Times in milliseconds: the pauses between attempts, and the limit for an answer.
export const firstPause = 500, longestPause = 15_000, answerLimit = 30_000
/**
 * The time for which an Idempotency-Key is used. The gateway remembers a key for a day. One hour less allows for
 * differing clocks.
 */
export const keyLifetime = 23 * 3_600_000
/** The maximal time for which a sent entry stays while the chat does not show its item. */
export const sentLimit = 60_000

const isOpen = ({ state }) => state == "waiting" || state == "sending"
const untried = { problem: null, tries: 0, notBefore: 0, isPaced: false }

/** @param {Entry} entry @param {Entry["state"]} state @returns {Entry} */
const withState = (entry, state) => ({ ...entry, state })

/** @param {Entry} entry @returns {any} the entry in the form that is stored over a reload */
const kept = ({ attachments, parts, ...entry }) => ({ ...entry, step: "", isLost: entry.isLost || parts.length > 0 })

/** @param {any} entry @returns {Entry} */
const restored = entry => {
  const whole = { ...entry, attachments: null, parts: [], state: entry.state == "sending" ? "waiting" : entry.state }
  return entry.isLost ? { ...whole, state: "refused", problem: { code: "filesLost", message: "" } } : whole
}

export class Outbox {
  /** @type {readonly Entry[]} The entries in the order in which they were written. */
  entries = []
  /** @type {{storeId: string, keyId: string, api: any, vault: any} | null} The signed-in account. */
  #account = null
  /** @type {Map<string, AbortController>} The running attempts, by the ids of their entries. */
  #attempts = new Map()
  /** @type {Promise<any>} */ #saved = Promise.resolve()
  #isSaving = false
  #stopWaiting = () => {}

  /**
   * @param {object} given
   * @param {{now: () => number, after: (time: number, run: () => void) => () => void}} given.clock `after` returns a
   *   function that stops the timer
   * @param {() => string} given.random returns a new Idempotency-Key
   * @param {(entry?: Entry) => void} [given.changed] is called after each change, with the entry if an entry was
   *   refused
   */
  constructor({ clock, random, changed = () => {} }) {
    this.clock = clock
    this.random = random
    this.changed = changed
  }

  /**
   * Starts sending, and loads the stored entries.
   * @param {object} account
   * @param {string} account.storeId
   * @param {string} account.keyId
   * @param {Pick<import("./requests.js").Requests, "send" | "upload">} account.api
   * @param {{load: () => Promise<any[]>, save: (entries: any[]) => Promise<void>, clear: () => void}} account.vault
   */
  open(account) {
    this.#account = account
    return this.#saved = this.#saved.then(async () => {
      const stored = await account.vault.load()
      if (this.#account !== account) return
      const known = new Set(this.entries.map(({ id }) => id))
      this.#set([...stored.filter(({ id }) => !known.has(id)).map(restored), ...this.entries])
    })
  }

  /** Stops sending. The entries wait until a key of the same store is used, unless they are forgotten. */
  close(isForgotten = false) {
    this.#account?.vault.clear()
    this.#account = null
    for (const attempt of this.#attempts.values()) attempt.abort()
    this.#attempts.clear()
    const stopped = this.entries.map(entry => (entry.state == "sending" ? withState(entry, "waiting") : entry))
    this.#set(isForgotten ? [] : stopped)
  }

  /** Whether an entry has not been sent yet. */
  get isWaiting() { return this.entries.some(isOpen) }

  /** Returns the entries of a chat, or of one scope of the chat. */
  list(userId, place, /** @type {string | undefined} */ query = undefined) {
    return this.entries.filter(entry => entry.storeId == this.#account?.storeId && entry.userId == userId
      && entry.place == place && (query ?? entry.query) == entry.query)
  }

  /** @param {string} id @returns {Entry | undefined} */
  find(id) { return this.entries.find(entry => entry.id == id) }

  /** @param {any} given at least the profile, the place and the request of the entry @returns {Entry} */
  add(given) {
    const entry = {
      query: "", parts: [], of: "", itemId: 0, text: "", notes: [], quoted: null, attachments: null, ...given,
      id: this.random(), storeId: this.#account?.storeId ?? "", at: this.clock.now(), isLost: false,
      state: "waiting", step: "", ...untried, triedAt: 0, keyId: "", itemIds: [],
    }
    this.#set([...this.entries, entry])
    return entry
  }

  /**
   * Withdraws an entry and the edits of it. If its request was already sent, the message may have arrived nevertheless.
   */
  takeBack(id) {
    this.#attempts.get(id)?.abort()
    this.#attempts.delete(id)
    this.#set(this.entries.filter(entry => entry.id != id && entry.of != id))
  }

  /** Sends a refused entry again. The entry keeps its position. */
  again(id) {
    const isOther = uncertain.has(this.find(id)?.problem?.code ?? "")
    this.#change(id, { state: "waiting", ...untried, ...(isOther ? { id: this.random(), triedAt: 0 } : {}) })
  }

  /**
   * Tries all entries immediately after the network is back, except the entries for which the gateway has set a time.
   */
  wake() { this.#set(this.entries.map(entry => (entry.isPaced ? entry : { ...entry, notBefore: 0 }))) }

  /** Removes sent entries whose items the chat now shows. */
  shown(/** @type {string[]} */ ids) {
    const others = this.entries.filter(({ id, state }) => state != "sent" || !ids.includes(id))
    if (others.length < this.entries.length) this.#set(others)
  }

  /** @param {readonly Entry[]} entries @param {Entry} [refused] */
  #set(entries, refused) {
    this.entries = entries
    this.#save()
    this.changed(refused)
    this.#run()
  }

  /** @param {string} id @param {Partial<Entry>} change */
  #change(id, change) {
    this.#set(this.entries.map(entry => (entry.id == id ? { ...entry, ...change } : entry)))
  }

  /** Stores the entries. If an earlier call is still storing, stores their state at the end of this call. */
  #save() {
    const account = this.#account
    if (this.#isSaving || !account) return
    this.#isSaving = true
    this.#saved = this.#saved.then(() => {
      this.#isSaving = false
      const own = this.entries.filter(({ storeId, state }) => storeId == account.storeId && state != "sent")
      if (this.#account === account) return account.vault.save(own.map(kept))
    })
  }

  /** Sends the first entry of each queue, unless this entry has to wait. */
  #run() {
    const account = this.#account, busy = new Set(), now = this.clock.now()
    let next = Infinity
    for (const { id } of account ? this.entries : []) {
      // The entry is read again, because an attempt that ends immediately changes the entries during this loop.
      const entry = this.find(id), line = `${entry?.userId} ${entry?.place}${entry?.query}`
      if (!entry || !isOpen(entry) || entry.storeId != account?.storeId || busy.has(line)) continue
      busy.add(line)
      if (entry.notBefore > now) next = Math.min(next, entry.notBefore)
      else if (!this.#attempts.has(entry.id)) this.#attempt(entry, account)
    }
    this.#stopWaiting()
    if (next < Infinity) this.#stopWaiting = this.clock.after(next - now, () => this.#run())
  }

  /** @param {Entry} entry */
  async #attempt({ id, of, triedAt, keyId }, account) {
    // If the message of an edit was refused, there is no item to edit, so the edit is refused too.
    if (of) return this.#refuse(id, this.find(of)?.problem ?? { message: "" })
    const isKeyKnown = keyId == account.keyId && this.clock.now() - triedAt <= keyLifetime
    if (triedAt && !isKeyKnown) return this.#refuse(id, { code: "uncertain", message: "" })
    const attempt = new AbortController(), isCurrent = () => this.#attempts.get(id) === attempt
    this.#attempts.set(id, attempt)
    this.#change(id, { state: "sending" })
    try {
      const answer = await this.#deliver(id, account, attempt)
      if (!isCurrent()) return
      this.#attempts.delete(id)
      this.#arrived(id, answer)
    } catch (problem) {
      if (!isCurrent()) return
      this.#attempts.delete(id)
      this.#failed(id, attempt.signal.aborted ? { status: 0, code: "offline", message: "" } : problem)
    }
  }

  /** Uploads the attachments that are not uploaded yet, and then sends the request. */
  async #deliver(id, { api, keyId }, /** @type {AbortController} */ attempt) {
    const { signal } = attempt
    /** Returns the present state of the entry. Throws if the entry was withdrawn. */
    const now = () => {
      signal.throwIfAborted()
      return /** @type {Entry} */ (this.find(id))
    }
    const users = `/v1/users/${now().userId}`
    for (let entry = now(); entry.parts.length; entry = now()) {
      const [{ at, name, make }, ...parts] = entry.parts
      this.#change(id, { step: name })
      const message = await make((name, body) => api.upload(users, name, body, signal))
      const { body } = now(), composedMessages = [...body.composedMessages]
      composedMessages[at] = { ...message, ...composedMessages[at] }
      this.#change(id, { parts, body: { ...body, composedMessages }, step: "" })
    }
    const { method, path, itemId, body, triedAt } = now()
    if (!triedAt) this.#change(id, { triedAt: this.clock.now(), keyId })
    const headers = method == "POST" ? { "Idempotency-Key": id } : {}
    const stop = this.clock.after(answerLimit, () => attempt.abort())
    try {
      return await api.send(method, users + path.replace("{item}", `${itemId}`), body, headers, signal)
    } finally { stop() }
  }

  #arrived(id, answer) {
    const itemIds = (answer?.chatItems ?? []).map(({ chatItem }) => chatItem.meta.itemId)
    this.#set(this.entries.map(entry => {
      if (entry.id == id) return { ...entry, state: "sent", itemIds, problem: null, attachments: null }
      return entry.of == id ? { ...entry, of: "", itemId: itemIds[0] } : entry
    }))
    this.clock.after(sentLimit, () => this.shown([id]))
  }

  #failed(id, problem) {
    if (!isPassing(problem)) return this.#refuse(id, problem)
    const { tries = 0 } = this.find(id) ?? {}, { status, code, message, retryAfter = 0 } = problem
    const pause = Math.max(Math.min(firstPause * 2 ** tries, longestPause), retryAfter * 1000)
    this.#change(id, {
      state: "waiting", step: "", problem: { status, code, message }, tries: tries + 1,
      notBefore: this.clock.now() + pause, isPaced: retryAfter > 0,
    })
  }

  #refuse(id, /** @type {{status?: number, code?: string, message: string}} */ { status, code, message }) {
    const change = { state: "refused", step: "", problem: { status, code, message } }
    const refused = /** @type {Entry} */ ({ ...this.find(id), ...change })
    this.#set(this.entries.map(entry => (entry.id == id ? refused : entry)), refused)
  }
}
