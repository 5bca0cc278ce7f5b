// The keyboard shortcuts of the page. They are those of similar programs, except combinations that browsers reserve.

/** The combinations of keys by action. `Mod` is the control key, or the command key of Apple's keyboards. */
export const shortcuts = {
  searchAll: "Mod+K",
  searchChat: "Mod+Shift+F",
  previousChat: "Alt+ArrowUp",
  nextChat: "Alt+ArrowDown",
  previousUnread: "Alt+Shift+ArrowUp",
  nextUnread: "Alt+Shift+ArrowDown",
  settings: "Mod+,",
  shortcuts: "Mod+/",
  close: "Escape",
}

/** Whether a keyboard has Apple's keys. */
export const isApple = (/** @type {string} */ platform) => /^(Mac|iP)/.test(platform)

const byKeys = new Map(Object.entries(shortcuts).map(([action, keys]) => [keys, action]))

/**
 * Returns the action of a pressed combination of keys; empty for other combinations.
 * @param {{key: string, code: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean}} event
 * @param {boolean} hasCommandKey
 * @param {boolean} isTyping whether the key would write a character into a field
 */
export function actionOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }, hasCommandKey, isTyping) {
  const isMod = hasCommandKey ? metaKey : ctrlKey
  if (hasCommandKey ? ctrlKey : metaKey) return ""
  if (key == "?" && !isMod && !altKey) return isTyping ? "" : "shortcuts"
  // On a keyboard with another script, the key is not a Latin letter, but its code contains the Latin letter of this
  // key.
  const letter = /^[a-z]$/i.test(key) ? key : /^Key([A-Z])$/.exec(code)?.[1]
  const isNamed = key.length > 1
  const name = isNamed ? key : letter?.toUpperCase() ?? key
  // Some keyboards need the shift key for a sign, so the shift key counts only for letters and named keys.
  const isShifted = shiftKey && (isNamed || Boolean(letter))
  const pressed = [isMod && "Mod", altKey && "Alt", isShifted && "Shift", name].filter(Boolean).join("+")
  return byKeys.get(pressed) ?? ""
}
