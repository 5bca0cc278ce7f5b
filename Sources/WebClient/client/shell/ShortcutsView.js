// The list of the keyboard shortcuts.
import { dialog, el, words } from "../elements/base.js"
import { isApple, shortcuts } from "../model/shortcuts.js"

/** The groups of the list, and the keys that parts of the page handle themselves. */
const groups = {
  everywhere: ["searchAll", "searchChat", "settings", "shortcuts", "close"],
  chats: ["previousChat", "nextChat", "previousUnread", "nextUnread"],
  message: { send: "Enter", newLine: "Shift+Enter", editLast: "ArrowUp" },
  items: { walk: "ArrowUp+ArrowDown", actions: "Enter" },
}

/** Makes the keys of a combination. */
function keys(/** @type {string} */ written) {
  const names = isApple(navigator.platform) ? { ...words.keyNames, ...words.appleKeys } : words.keyNames
  return el("span.keys", { dir: "ltr" }, written.split("+").map(key => el("kbd", names[key] ?? key)))
}

const line = ([action, written]) => el("div.row", el("span.name", words.shortcutFor[action]), keys(written))

export const showShortcuts = () => dialog(words.shortcuts, Object.entries(groups).map(([name, actions]) => {
  const own = Array.isArray(actions) ? actions.map(action => [action, shortcuts[action]]) : Object.entries(actions)
  return el("section.rows", el("h3", words.shortcutsIn[name]), el("div", own.map(line)))
}))
