// Parts of the page that are loaded when they are used first, since many visits do not need them.
import { later } from "../elements/later.js"

/**
 * Returns a function that loads a module, and calls the module's function `name`. While the module is being loaded,
 * other calls are ignored.
 * @param {() => Promise<any>} load
 * @param {string} name
 * @param {boolean} [staysOpen] whether the function is also called if the user opens another chat while the module is
 *   being loaded
 */
function opener(load, name, staysOpen = false) {
  /** @type {any} */ let module = null
  let isLoading = false
  return async (/** @type {any[]} */ ...given) => {
    if (isLoading) return
    const place = location.hash
    if (!module) {
      isLoading = true
      try { module = await load() } finally { isLoading = false }
    }
    if (staysOpen || location.hash == place) return module[name](...given)
  }
}

const call = later("../calls/CallView.js", "calls")
export const beginCall = opener(call, "beginCall")
export const takeCall = opener(call, "takeCall", true)
const chatInfo = later("../chats/ChatInfoView.js", "chats")
export const showChatInfo = opener(chatInfo, "showChatInfo")
export const showSender = opener(chatInfo, "showSender")
export const addMember = opener(later("../groups/GroupChatInfoView.js", "chats"), "addMember")
const newChat = later("../chats/NewChatView.js", "chats")
export const showNewChat = opener(newChat, "showNewChat")
export const connectTo = opener(newChat, "connectTo")
export const showInvitation = opener(newChat, "showInvitation")
export const findMessages = opener(later("../chats/FoundMessages.js"), "findMessages", true)
export const showSearch = opener(later("../chats/SearchView.js"), "showSearch")
export const showShortcuts = opener(later("../shell/ShortcutsView.js", "settings"), "showShortcuts")
/** @type {() => Promise<typeof import("../shell/ProfilesView.js")>} */
export const loadProfiles = later("../shell/ProfilesView.js", "settings")
/** @type {() => Promise<typeof import("../settings/SignedInView.js")>} */
export const loadSignedIn = later("../settings/SignedInView.js", "devices")
/** @type {() => Promise<typeof import("../shell/wallpapers.js")>} */
export const loadWallpapers = later("../shell/wallpapers.js")
export const editWallpaper = opener(later("../shell/WallpaperView.js", "wallpapers"), "editWallpaper")
export const showSettings = opener(later("../settings/SettingsPages.js", "settings"), "showSettings")

export const forwardItems = opener(later("../items/ForwardView.js", "chats"), "forwardItems")
export const showItemInfo = opener(later("../items/ChatItemInfoView.js", "chats"), "showItemInfo")

const scheduled = later("../planned/ScheduledView.js")
export const sendLater = opener(scheduled, "sendLater")
export const showScheduled = opener(scheduled, "showScheduled")
export const showBroadcasts = opener(later("../planned/BroadcastsView.js", "settings"), "showBroadcasts")

// Parts of the field for a message.
/** @type {() => Promise<typeof import("../composer/attaching.js")>} */
export const loadAttaching = later("../composer/attaching.js")
/** @type {() => Promise<typeof import("../composer/recorder.js")>} */
export const loadRecorder = later("../composer/recorder.js")
/** @type {() => Promise<typeof import("../composer/EmojiPicker.js")>} */
export const loadEmojiPicker = later("../composer/EmojiPicker.js")
/** @type {() => Promise<typeof import("../model/preparing.js")>} */
const loadPreparing = later("../model/preparing.js")

/** Prepares a picture for sending. */
export const prepared = async (/** @type {Blob} */ file) => (await loadPreparing()).prepared(file)
