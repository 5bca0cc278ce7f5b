// The colours of the profile and of a chat, as set in the apps, which replace the colours in style.css; and the choice
// of light or dark mode for this browser.
import { app, ask, choice, words } from "../elements/base.js"
import { mergePatch } from "../model/patch.js"
import { browserStorage } from "../model/storage.js"
import { loadWallpapers } from "./parts.js"

/** The colours of a theme that this page uses, and the CSS variables that they set. */
const places = {
  accent: "--accent",
  background: "--page",
  menus: "--side",
  sentMessage: "--sent",
  receivedMessage: "--received",
}
const kept = "simplex-gateway.scheme"
const system = matchMedia("(prefers-color-scheme: dark)")
const root = document.documentElement
const chosen = () => browserStorage.getItem(kept) ?? ""
/** Returns the mode in use. @returns {"light" | "dark"} */
export const scheme = () => /** @type {any} */ (chosen()) || (system.matches ? "dark" : "light")
system.addEventListener("change", () => app.emit("model"))

/** Converts a colour in the form of the apps, `#aarrggbb`. */
export const colour = value => {
  const [, alpha = "", rest] = /^#([0-9a-f]{2})?([0-9a-f]{6})$/i.exec(value ?? "") ?? []
  return rest ? `#${rest}${alpha}` : ""
}

/** @type {WeakMap<HTMLElement, any>} The wallpapers that were requested last. */
const wallpapers = new WeakMap()

/** The CSS variables of a wallpaper. */
const hooks = ["--wall", "--tint", "--pattern", "--tile", "--veil", "--photo", "--photo-size", "--photo-repeat"]

/**
 * Shows the wallpaper of a theme. A chat without its own wallpaper, or whose own picture is missing, has the wallpaper
 * of the profile.
 */
async function hang(/** @type {HTMLElement} */ element, wallpaper) {
  wallpapers.set(element, wallpaper)
  // If the module of the wallpapers cannot be loaded, the chat has no wallpaper until the next change.
  const part = wallpaper && await loadWallpapers().catch(() => null)
  const isCurrent = () => wallpapers.get(element) === wallpaper
  if (wallpaper && (!part || !isCurrent() || await part.hang(element, wallpaper, scheme(), isCurrent))) return
  if (isCurrent()) for (const name of hooks) element.style.removeProperty(name)
}

export function paint(/** @type {HTMLElement} */ element, themes) {
  const { colors: colours = {}, wallpaper } = themes?.[scheme()] ?? {}
  hang(element, wallpaper)
  if (element === root) root.style.colorScheme = chosen()
  for (const [name, place] of Object.entries(places)) element.style.setProperty(place, colour(colours[name]))
  // The text on the accent colour is black or white, so that it can be read.
  const [red, green, blue] = [1, 3, 5].map(at => parseInt(colour(colours.accent).slice(at, at + 2), 16))
  element.style.setProperty("--on-accent",
    isNaN(red) ? "" : red * 0.3 + green * 0.59 + blue * 0.11 > 140 ? "#000" : "#fff")
}

/** Returns the current colour as `#rrggbb`, the only form that a colour field accepts. */
function shown(place, within) {
  const drawing = document.createElement("canvas").getContext("2d")
  if (!drawing) return "#000000"
  const probe = within.appendChild(document.createElement("i"))
  probe.style.color = `var(${place})`
  drawing.fillStyle = getComputedStyle(probe).color
  probe.remove()
  return String(drawing.fillStyle).slice(0, 7)
}

/** Makes the row that chooses light or dark mode for this browser. */
export const schemeChoice = () => choice(words.scheme, chosen(), Object.entries(words.schemes), async scheme => {
  if (scheme) browserStorage.setItem(kept, scheme)
  else browserStorage.removeItem(kept)
  app.emit("model")
})

/** Returns the change to the usual colours, which keeps the wallpapers; null for none of the themes. */
function withoutColours(themes) {
  const hung = Object.entries(themes).filter(([, theme]) => theme.wallpaper)
  if (!hung.length) return null
  return mergePatch(themes, Object.fromEntries(hung.map(([mode, theme]) => [mode, { ...theme, colors: {} }])))
}

/** Edits the colours of the profile, or of the open chat. `save` gets the changed themes; null for none of them. */
export const editTheme = (title, themes, save, /** @type {HTMLElement} */ within = document.body) => {
  const now = scheme()
  const before = Object.fromEntries(Object.entries(places).map(([name, place]) => [name, shown(place, within)]))
  ask(title, [
    ...Object.keys(places).map(name => ({ name, label: words.colour[name], type: "color", value: before[name] })),
    { name: "usual", label: words.usualColours, type: "checkbox" },
  ], async ({ usual, ...given }) => {
    const changed = Object.entries(given).filter(([name, value]) => value != before[name])
    if (usual || changed.length) await save(usual ? withoutColours(themes) : {
      ...themes,
      [now]: {
        mode: now,
        ...themes[now],
        colors: {
          ...themes[now]?.colors,
          ...Object.fromEntries(changed.map(([name, value]) => [name, `#ff${value.slice(1)}`])),
        },
      },
    })
    app.emit("model")
  })
}
