// Changes that the page shows before the gateway has confirmed them. A change is applied to the gateway's documents
// until they contain it. If the gateway refuses the change, the documents are shown without it again. This module does
// not use the page or the network, so that it can be tested alone.
import { isPassing } from "./requests.js"

/**
 * A change of documents. A function of a document returns the document with the change, or the same object if the
 * document contains the change already.
 * @typedef {object} Change
 * @property {string} key the changed value; a later change with the same key replaces this change
 * @property {Record<string, (document: any) => any>} shown the functions by the names of the documents
 * @property {() => Promise<any>} send sends the request; it may be called again after an error that passes
 */

/**
 * @typedef {Change & {state: "waiting" | "sending" | "sent", tries: number, next: Change | null,
 *   stop: () => void}} Entry `next`: the change that replaces this change after its request; `stop` stops the timer
 */

// Times in milliseconds: the pauses between attempts.
export const firstPause = 500, longestPause = 15_000
/** The time for which a confirmed change stays, since the documents may come after the answer. */
export const settling = 1000
/** The maximal time for which a confirmed change stays while a document does not contain it. */
export const longest = 10_000

export class PendingChanges {
  /** @type {Entry[]} */ #entries = []
  /** @type {Record<string, any>} The documents of the gateway, without the changes. */
  #documents = {}

  /**
   * @param {object} given
   * @param {{now: () => number, after: (time: number, run: () => void) => () => void}} given.clock
   * @param {(names: string[]) => void} given.changed is called when documents with these names are shown differently
   * @param {(problem: any) => void} given.refused is called when the gateway has refused a change
   */
  constructor({ clock, changed, refused }) {
    this.clock = clock
    this.changed = changed
    this.refused = refused
  }

  /** Whether a change waits for another attempt. */
  get isWaiting() { return this.#entries.some(({ state }) => state == "waiting") }

  /** Returns a document with the changes, and keeps the document. */
  shown(/** @type {string} */ name, document) {
    this.#documents[name] = document
    return this.applied(name)
  }

  /** Returns the kept document with the changes. */
  applied(/** @type {string} */ name) {
    const document = this.#documents[name]
    return document && this.#entries.reduce((shown, { next, shown: { [name]: own }, state }) => {
      // If another change has replaced this one, the other change is shown.
      const change = next ? next.shown[name] : own
      return change ? change(shown) : shown
    }, document)
  }

  /** Shows a change, and sends it. */
  add(/** @type {Change} */ change) {
    const running = this.#entries.find(({ key, state }) => key == change.key && state == "sending")
    if (running) running.next = change
    else {
      this.#remove(({ key }) => key == change.key)
      const entry = { ...change, state: /** @type {Entry["state"]} */ ("waiting"), tries: 0, next: null, stop() {} }
      this.#entries.push(entry)
      this.#send(entry)
    }
    this.changed(Object.keys(change.shown))
  }

  /** Sends the waiting changes at once, after the network is back. */
  wake() { for (const entry of this.#entries) if (entry.state == "waiting") this.#send(entry) }

  /** Forgets all changes and documents, when the profile is left. */
  clear() {
    this.#remove(() => true)
    this.#documents = {}
  }

  #remove(/** @type {(entry: Entry) => boolean} */ isRemoved) {
    for (const entry of this.#entries.filter(isRemoved)) entry.stop()
    this.#entries = this.#entries.filter(entry => !isRemoved(entry))
  }

  /** Whether the documents of the gateway contain a change. */
  #isContained({ shown }) {
    return Object.entries(shown).every(([name, change]) => {
      const document = this.#documents[name]
      return !document || change(document) === document
    })
  }

  async #send(/** @type {Entry} */ entry) {
    entry.stop()
    entry.state = "sending"
    let /** @type {any} */ problem = null
    try { await entry.send() } catch (error) { problem = error }
    // If the profile was left meanwhile, the answer is ignored.
    if (!this.#entries.includes(entry)) return
    const { next } = entry
    if (next) return this.#replace(entry, next)
    if (problem && isPassing(problem)) {
      const pause = Math.max(Math.min(firstPause * 2 ** entry.tries++, longestPause), (problem.retryAfter ?? 0) * 1000)
      entry.state = "waiting"
      entry.stop = this.clock.after(pause, () => this.#send(entry))
      return
    }
    if (!problem) return this.#settle(Object.assign(entry, { state: "sent" }), this.clock.now())
    // An earlier attempt may have succeeded although its answer was lost. Then the gateway refuses the second attempt,
    // and the refusal is not reported.
    const isDone = this.#isContained(entry)
    this.#end(entry)
    if (!isDone) this.refused(problem)
  }

  /** Sends the change that has replaced another change during its request. */
  #replace(/** @type {Entry} */ entry, /** @type {Change} */ next) {
    this.#remove(other => other === entry)
    this.add(next)
  }

  /** Ends a confirmed change when the documents contain it. */
  #settle(/** @type {Entry} */ entry, since) {
    entry.stop = this.clock.after(settling, () => {
      if (this.#isContained(entry) || this.clock.now() - since >= longest) this.#end(entry)
      else this.#settle(entry, since)
    })
  }

  #end(/** @type {Entry} */ entry) {
    this.#remove(other => other === entry)
    this.changed(Object.keys(entry.shown))
  }
}
