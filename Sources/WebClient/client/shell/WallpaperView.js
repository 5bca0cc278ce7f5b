// The dialog that chooses the wallpaper of all chats, or of one chat.
import { app, ask, words } from "../elements/base.js"
import { mergePatch } from "../model/patch.js"
import { colour, scheme } from "./themes.js"
import { isPreset, presets } from "./wallpapers.js"

/** The choice of no wallpaper for one chat, whose value is an empty object. */
const none = "none"

/**
 * Chooses the wallpaper. The choice is for both modes, and the colours are for the mode in use.
 * @param {any} themes the themes of the profile or of the chat
 * @param {(changed: any) => Promise<any>} save gets the changed parts of the themes
 * @param {boolean} [isOfChat] whether it is the wallpaper of one chat, which otherwise has that of all chats
 */
export function editWallpaper(themes, save, isOfChat = false) {
  const mode = scheme(), before = themes[mode]?.wallpaper
  const texts = words.wallpapers, known = Object.keys(presets)
  const chosen = before ? (isPreset(before.preset) ? before.preset : none) : ""
  const others = isOfChat ? [["", texts.usual], [none, texts.none]] : [["", texts.none]]
  const usual = name => (isPreset(name) ? presets[name][mode] : ["#000000", "#000000"])
  const colourOf = (index, value, name = chosen) => colour(value).slice(0, 7) || usual(name)[index]
  const box = ask(words.wallpaper, [
    {
      name: "preset", label: words.wallpaper, value: !isOfChat && chosen == none ? "" : chosen,
      options: [...others, ...known.map(name => [name, texts.presets[name]])],
    },
    { name: "background", label: texts.background, type: "color", value: colourOf(0, before?.background) },
    { name: "tint", label: texts.tint, type: "color", value: colourOf(1, before?.tint) },
  ], async ({ preset, background, tint }) => {
    const given = { background, tint }
    const changed = Object.entries(given)
      .filter(([name, value]) => value != colourOf(Object.keys(given).indexOf(name), "", preset))
      .map(([name, value]) => [name, `#ff${value.slice(1)}`])
    const scale = before?.preset == preset && before.scale ? { scale: before.scale } : {}
    const own = isPreset(preset) ? { preset, ...scale, ...Object.fromEntries(changed) } : preset == none ? {} : null
    const other = mode == "light" ? "dark" : "light", kept = themes[other]?.wallpaper
    const after = {
      ...themes,
      ...themeWith(mode, themes[mode], own),
      ...themeWith(other, themes[other], own && kept?.preset == own.preset ? kept : own && presetOnly(own)),
    }
    await save(mergePatch(themes, after))
    app.emit("model")
  })
  const select = /** @type {HTMLSelectElement} */ (box.querySelector("select"))
  const inputs = /** @type {HTMLInputElement[]} */ ([...box.querySelectorAll("[type=color]")])
  const follow = () => { for (const input of inputs) input.disabled = !isPreset(select.value) }
  select.addEventListener("change", () => {
    for (const [index, input] of inputs.entries()) input.value = usual(select.value)[index]
    follow()
  })
  follow()
}

/** Returns the preset alone, since the colours are for one mode. */
const presetOnly = ({ preset }) => (preset ? { preset } : {})

/** Returns a theme with another wallpaper; null for none. A theme that is then empty is left out. */
function themeWith(/** @type {string} */ mode, theme, wallpaper) {
  if (!theme && !wallpaper) return {}
  const { wallpaper: _, ...rest } = theme ?? {}
  return { [mode]: { mode, colors: {}, ...rest, ...(wallpaper && { wallpaper }) } }
}
