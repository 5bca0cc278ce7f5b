// Loads modules when they are used first.
import { problem } from "../model/problems.js"
import { addWords, words } from "../model/words.js"

/** Returns the addresses of the modules that a module imports. */
const imported = (/** @type {string} */ text, /** @type {string} */ of) =>
  [...text.matchAll(/(?:from|import) "(\.[^"]+)"/g)].map(([, path]) => new URL(path, of).href)

/**
 * Makes the error for a module that did not arrive. The gateway serves only the files of its version. `status` is 0
 * without an answer, so that the outbox tries the request again.
 */
const failed = (/** @type {number} */ status) =>
  problem(status, { detail: status == 404 ? words.pageIsOld : words.partFailed })

/** @type {Map<string, Promise<any>>} The addresses of fetched modules. */
const fetched = new Map()

/** Fetches a module, and the modules that it imports, into the cache of the browser. */
function fetchModule(/** @type {string} */ address) {
  const known = fetched.get(address)
  if (known) return known
  const fetching = (async () => {
    const answer = await fetch(address).catch(() => { throw failed(0) })
    if (!answer.ok) throw failed(answer.status)
    const text = await answer.text().catch(() => { throw failed(0) })
    await Promise.all(imported(text, address).map(fetchModule))
  })()
  fetched.set(address, fetching)
  fetching.catch(() => fetched.delete(address))
  return fetching
}

let loading = 0
/** Loads a module, and the words of its part. After a failure, the next call tries again. */
async function load(/** @type {string} */ address, /** @type {string} */ part) {
  document.body.setAttribute("aria-busy", String(++loading > 0))
  try {
    // The modules of the page's start are in its head. They are not fetched again.
    for (const link of document.querySelectorAll("link[rel=modulepreload]"))
      fetched.set(/** @type {HTMLLinkElement} */ (link).href, Promise.resolve())
    // After a failed import, a browser never imports the same module again. After a failed `fetch`, the browser fetches
    // it again. So the modules are fetched before the import.
    await Promise.all([fetchModule(address), part && addWords(part).catch(() => { throw failed(0) })])
    return await import(address).catch(error => { throw error instanceof TypeError ? failed(0) : error })
  } finally { document.body.setAttribute("aria-busy", String(--loading > 0)) }
}

/**
 * Returns a function that loads a module, once. After a failure, the next call tries again. The path is relative to a
 * folder beside this one.
 * @param {string} path
 * @param {string} [part] the part of the page whose words the module needs
 */
export function later(path, part = "") {
  const address = new URL(path, import.meta.url).href
  /** @type {Promise<any> | null} */ let loading = null
  return () => loading ??= load(address, part).catch(error => { loading = null; throw error })
}
