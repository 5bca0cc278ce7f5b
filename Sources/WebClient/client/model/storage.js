// The storage of the browser for small values of the page. Some browsers refuse it, or it is full. Then the values last
// until the page is closed.

/** Makes a storage that never fails. @param {"localStorage" | "sessionStorage"} kind */
function storage(kind) {
  /** @type {Map<string, string>} The values that the browser does not store. */
  const held = new Map()
  /** Runs a function with the storage of the browser. Returns undefined if the browser refuses it. */
  const use = (/** @type {(them: Storage) => any} */ run) => { try { return run(globalThis[kind]) } catch {} }
  return {
    /** @returns {string | null} */
    getItem: (/** @type {string} */ name) => held.get(name) ?? use(them => them.getItem(name)) ?? null,
    /** Stores a value. Returns whether it outlasts the page. */
    setItem(/** @type {string} */ name, /** @type {string} */ value) {
      held.delete(name)
      if (use(them => { them.setItem(name, value); return true })) return true
      // If the new value cannot be stored, the older value is removed: otherwise it would come back when the page is
      // loaded again.
      use(them => them.removeItem(name))
      held.set(name, value)
      return false
    },
    removeItem(/** @type {string} */ name) {
      held.delete(name)
      use(them => them.removeItem(name))
    },
  }
}

/** Values of this browser. */
export const browserStorage = storage("localStorage")
/** Values of this tab. */
export const tabStorage = storage("sessionStorage")
