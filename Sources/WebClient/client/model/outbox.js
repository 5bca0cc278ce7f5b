// Messages that were sent here and that the gateway does not have yet. Each chat has a line of them: one request at a
// time, in order, again and again until the gateway takes or refuses the message, or the person takes it back. This
// module knows neither the page nor the network, so that it is tested alone.

/**
 * An attachment that is not uploaded yet. `at` is its place in `composedMessages`. `make` uploads it, and answers the
 * message.
 * @typedef {(name: string, body: Blob) => Promise<any>} Upload
 * @typedef {{at: number, name: string, make: (upload: Upload) => Promise<any>}} Part
 */

/**
 * A message, an edit or a forward. A change makes another object, so that views can compare.
 * @typedef {object} Entry
 * @property {string} id its name, and the Idempotency-Key of its request
 * @property {string} storeId
 * @property {number} userId
 * @property {string} place `direct/4`
 * @property {string} query a scope within a group: `?scope=support`
 * @property {string} method
 * @property {string} path below that of the profile; `{item}` stands for the edited item
 * @property {any} body complete when there are no more parts
 * @property {Part[]} parts
 * @property {string} of the entry that makes the edited item, while that item does not exist
 * @property {number} itemId the edited item; 0 for none
 * @property {string} text
 * @property {string[]} notes the names of what is sent besides the text
 * @property {any} quoted
 * @property {any} attachments for the composer; lost by a reload
 * @property {boolean} isLost whether a reload has lost its attachments
 * @property {number} at when it was written
 * @property {"waiting" | "sending" | "refused" | "sent"} state
 * @property {string} step the name of the part that goes up
 * @property {{status?: number, code?: string, message: string} | null} problem of the last attempt
 * @property {number} tries
 * @property {number} notBefore
 * @property {boolean} isPaced whether the gateway has said when to come again
 * @property {number} triedAt when its request was sent for the first time
 * @property {string} keyId the API key of that request
 * @property {number[]} itemIds the items that it has become
 */

/** Statuses after which the same request may succeed. 0 stands for no answer. */
const passing = new Set([0, 408, 425, 429, 502, 503, 504])
const isPassing = problem => passing.has(problem.status) || problem.code == "requestInProgress"

/** Refusals that leave open whether the message has arrived: another attempt is another message. */
const uncertain = new Set(["uncertain", "conflict", "idempotencyKeyReused"])

// All in milliseconds.
export const firstPause = 500, longestPause = 15_000, answerLimit = 30_000
/** The gateway knows an Idempotency-Key for a day; an hour of it is for clocks that differ. */
export const keyLifetime = 23 * 3_600_000
/** A sent entry stays for so long at most, until the chat shows its item. */
export const sentLimit = 60_000

const isOpen = ({ state }) => state == "waiting" || state == "sending"
const untried = { problem: null, tries: 0, notBefore: 0, isPaced: false }

/** @param {Entry} entry @param {Entry["state"]} state @returns {Entry} */
const withState = (entry, state) => ({ ...entry, state })

/** @param {Entry} entry @returns {any} the entry as it outlives a reload */
const kept = ({ attachments, parts, ...entry }) => ({ ...entry, step: "", isLost: entry.isLost || parts.length > 0 })

/** @param {any} entry @returns {Entry} */
const restored = entry => {
  const whole = { ...entry, attachments: null, parts: [], state: entry.state == "sending" ? "waiting" : entry.state }
  return entry.isLost ? { ...whole, state: "refused", problem: { code: "filesLost", message: "" } } : whole
}

export class Outbox {
  /** @type {readonly Entry[]} In the order in which they were written. */ entries = []
  /** @type {{storeId: string, keyId: string, api: any, vault: any} | null} Who is signed in. */ #account = null
  /** @type {Map<string, AbortController>} The attempts that run, by their entries. */ #attempts = new Map()
  /** @type {Promise<any>} */ #saved = Promise.resolve()
  #isSaving = false
  #stopWaiting = () => {}

  /**
   * @param {object} given
   * @param {{now: () => number, after: (time: number, run: () => void) => () => void}} given.clock `after` answers
   *   a function that stops the timer
   * @param {() => string} given.random a new Idempotency-Key
   * @param {(entry?: Entry) => void} [given.changed] hears of each change, and of the entry that was refused
   */
  constructor({ clock, random, changed = () => {} }) {
    this.clock = clock
    this.random = random
    this.changed = changed
  }

  /**
   * Sends from now on.
   * @param {object} account
   * @param {string} account.storeId
   * @param {string} account.keyId
   * @param {Pick<import("./api.js").Api, "send" | "upload">} account.api
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

  /** Sends no more. The entries wait for a key of the same store, unless they are forgotten. */
  close(isForgotten = false) {
    this.#account?.vault.clear()
    this.#account = null
    for (const attempt of this.#attempts.values()) attempt.abort()
    this.#attempts.clear()
    const stopped = this.entries.map(entry => (entry.state == "sending" ? withState(entry, "waiting") : entry))
    this.#set(isForgotten ? [] : stopped)
  }

  /** Whether something is still to be sent. */
  get isWaiting() { return this.entries.some(isOpen) }

  /** The entries of a chat, or of one of its scopes. */
  list(userId, place, /** @type {string | undefined} */ query = undefined) {
    return this.entries.filter(entry => entry.storeId == this.#account?.storeId && entry.userId == userId
      && entry.place == place && (query ?? entry.query) == entry.query)
  }

  /** @param {string} id @returns {Entry | undefined} */
  find(id) { return this.entries.find(entry => entry.id == id) }

  /** @param {any} given at least the profile, the place and the request @returns {Entry} */
  add(given) {
    const entry = {
      query: "", parts: [], of: "", itemId: 0, text: "", notes: [], quoted: null, attachments: null, ...given,
      id: this.random(), storeId: this.#account?.storeId ?? "", at: this.clock.now(), isLost: false,
      state: "waiting", step: "", ...untried, triedAt: 0, keyId: "", itemIds: [],
    }
    this.#set([...this.entries, entry])
    return entry
  }

  /** Ends an entry and the edits of it. A message whose request was sent may have arrived. */
  takeBack(id) {
    this.#attempts.get(id)?.abort()
    this.#attempts.delete(id)
    this.#set(this.entries.filter(entry => entry.id != id && entry.of != id))
  }

  /** Sends a refused entry once more, at its old place. */
  again(id) {
    const isOther = uncertain.has(this.find(id)?.problem?.code ?? "")
    this.#change(id, { state: "waiting", ...untried, ...(isOther ? { id: this.random(), triedAt: 0 } : {}) })
  }

  /** The network is back: nothing waits any longer, except where the gateway has said how long. */
  wake() { this.#set(this.entries.map(entry => (entry.isPaced ? entry : { ...entry, notBefore: 0 }))) }

  /** The chat shows the items of these entries. */
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

  /** Stores the entries as they are when it is the turn of this. */
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

  /** Begins with the first entry of each line, unless that one has to wait. */
  #run() {
    const account = this.#account, busy = new Set(), now = this.clock.now()
    let next = Infinity
    for (const { id } of account ? this.entries : []) {
      // An attempt that ends at once changes the entries.
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
    // The entry before it was refused, so that there is no item to edit.
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

  /** Uploads what is not uploaded yet, then sends the request. */
  async #deliver(id, { api, keyId }, /** @type {AbortController} */ attempt) {
    const { signal } = attempt
    /** The entry as it is, unless it was taken back. */
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
