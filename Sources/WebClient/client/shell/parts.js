// Parts of the page that are loaded when they are opened first, since many visits do not need them.
import { words } from "../model/words.js"

/** Returns the addresses of the modules that a module imports. */
const imported = (/** @type {string} */ text, /** @type {string} */ of) =>
  [...text.matchAll(/(?:from|import) "(\.[^"]+)"/g)].map(([, path]) => new URL(path, of).href)

/** @type {Map<string, Promise<any>>} The addresses of fetched modules. */
const fetched = new Map()

/** Fetches a module, and the modules that it imports, into the cache of the browser. */
function fetchModule(/** @type {string} */ address) {
  const known = fetched.get(address)
  if (known) return known
  const fetching = (async () => {
    const answer = await fetch(address).catch(() => { throw new Error(words.partFailed) })
    // The gateway serves only the files of its version.
    if (!answer.ok) throw new Error(answer.status == 404 ? words.pageIsOld : words.partFailed)
    const text = await answer.text().catch(() => { throw new Error(words.partFailed) })
    await Promise.all(imported(text, address).map(fetchModule))
  })()
  fetched.set(address, fetching)
  fetching.catch(() => fetched.delete(address))
  return fetching
}

let loading = 0
/** Loads a module. After a failure, the next call tries again. */
async function load(/** @type {string} */ address) {
  document.body.setAttribute("aria-busy", String(++loading > 0))
  try {
    // The modules of the page's start are in its head. They are not fetched again.
    for (const link of document.querySelectorAll("link[rel=modulepreload]"))
      fetched.set(/** @type {HTMLLinkElement} */ (link).href, Promise.resolve())
    // A browser imports no module again that it could not load. A failure of `fetch` has no such effect.
    await fetchModule(address)
    return await import(address).catch(error => {
      throw error instanceof TypeError ? new Error(words.partFailed) : error
    })
  } finally { document.body.setAttribute("aria-busy", String(--loading > 0)) }
}

/**
 * Returns a function that calls the function `name` of a module, and loads the module first. While the module is being
 * loaded, other calls are ignored.
 */
function later(/** @type {string} */ path, /** @type {string} */ name) {
  const address = new URL(path, import.meta.url).href
  /** @type {any} */ let module = null
  let isLoading = false
  return async (/** @type {any[]} */ ...given) => {
    if (isLoading) return
    if (!module) {
      isLoading = true
      try { module = await load(address) } finally { isLoading = false }
    }
    return module[name](...given)
  }
}

export const beginCall = later("../calls/CallView.js", "beginCall")
export const takeCall = later("../calls/CallView.js", "takeCall")
export const showChatInfo = later("../chats/ChatInfoView.js", "showChatInfo")
export const showSender = later("../chats/ChatInfoView.js", "showSender")
export const addMember = later("../groups/GroupChatInfoView.js", "addMember")
export const showNewChat = later("../chats/NewChatView.js", "showNewChat")
export const connectTo = later("../chats/NewChatView.js", "connectTo")
export const showInvitation = later("../chats/NewChatView.js", "showInvitation")
export const findMessages = later("../chats/FoundMessages.js", "findMessages")
export const showSearch = later("../chats/SearchView.js", "showSearch")
export const showShortcuts = later("../shell/ShortcutsView.js", "showShortcuts")
export const showSettings = later("../settings/SettingsPages.js", "showSettings")
