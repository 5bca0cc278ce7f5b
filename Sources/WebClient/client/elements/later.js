// Modules of the composer that are loaded when they are used first, since many visits do not need them.
import { ConnectionFailed } from "../model/problems.js"
import { words } from "../model/words.js"

/**
 * Returns a function that loads a module. If the gateway cannot be reached, the error says so: the outbox waits, and
 * the next call tries again.
 */
const later = (/** @type {string} */ path) => () =>
  import(new URL(path, import.meta.url).href).catch(() => {
    throw new ConnectionFailed(0, "offline", { detail: words.problems.offline })
  })

/** @type {() => Promise<typeof import("../composer/attaching.js")>} */
const loadAttaching = later("../composer/attaching.js")
/** @type {() => Promise<typeof import("../composer/recorder.js")>} */
const loadRecorder = later("../composer/recorder.js")
/** @type {() => Promise<typeof import("../composer/EmojiPicker.js")>} */
const loadEmojiPicker = later("../composer/EmojiPicker.js")
/** @type {() => Promise<typeof import("../model/preparing.js")>} */
const loadPreparing = later("../model/preparing.js")

/** Prepares a picture for sending. */
export const prepared = async file => (await loadPreparing()).prepared(file)

export { loadAttaching, loadEmojiPicker, loadRecorder }
