// The dialog that chooses the wallpaper of all chats, or of one chat.
import { app, ask, el, words } from "../elements/base.js"
import { mergePatch } from "../model/patch.js"
import { asWallpaper } from "../model/preparing.js"
import { colour, scheme } from "./themes.js"
import { isPreset, photoIn, photoOf, presets, show } from "./wallpapers.js"

/** The choice of no wallpaper for one chat, whose value is an empty object. */
const none = "none"
/** The choice of an own picture. */
const own = "own"
/** The strongest tint over an own picture, in percent. A stronger tint would hide the picture. */
const maxStrength = 80

/**
 * Chooses the wallpaper. The choice is for both modes, and the colours are for the mode in use.
 * @param {any} themes the themes of the profile or of the chat
 * @param {(changed: any) => Promise<any>} save gets the changed parts of the themes
 * @param {boolean} [isOfChat] whether it is the wallpaper of one chat, which otherwise has that of all chats
 */
export function editWallpaper(themes, save, isOfChat = false) {
  const mode = scheme(), before = themes[mode]?.wallpaper
  const texts = words.wallpapers, known = Object.keys(presets)
  const chosen = before ? (isPreset(before.preset) ? before.preset : before.imageFile ? own : none) : ""
  const others = isOfChat ? [["", texts.usual], [none, texts.none]] : [["", texts.none]]
  const usual = name => (isPreset(name) ? presets[name][mode] : [plain, plain])
  const colourOf = (index, value, name = chosen) => colour(value).slice(0, 7) || usual(name)[index]
  const tint = colour(before?.tint), strength = tint ? parseInt(tint.slice(7) || "ff", 16) / 2.55 : 0

  /** Whether a background is chosen for the own picture. */
  let hasBackground = chosen == own && Boolean(before.background)

  /**
   * Returns the wallpaper in the form; null for none, and an empty object for no wallpaper in one chat.
   * @returns {any}
   */
  const wallpaperOf = (/** @type {any} */ { preset, background, tint, strength, scaleType, scale }) => {
    if (preset != own && !isPreset(preset)) return preset == none ? {} : null
    const alpha = preset == own ? Math.round(strength * 2.55).toString(16).padStart(2, "0") : "ff"
    // The request contains only chosen colours. A colour that was not chosen is that of the preset, or of the page.
    const isChosen = preset == own
      ? [hasBackground, alpha != "00"]
      : [background, tint].map((value, index) => value != colourOf(index, "", preset))
    const colours = Object.entries({ background: `#ff${background.slice(1)}`, tint: `#${alpha}${tint.slice(1)}` })
      .filter((_, index) => isChosen[index])
    const kept = before?.preset == preset && before.scale ? { scale: before.scale } : {}
    const source = preset == own
      ? { imageFile: before?.imageFile, scaleType, ...(scaleType == "repeat" && { scale: scale / 100 }) }
      : { preset, ...kept }
    return { ...source, ...Object.fromEntries(colours) }
  }

  const box = ask(words.wallpaper, [
    {
      name: "preset", label: words.wallpaper, value: !isOfChat && chosen == none ? "" : chosen,
      options: [...others, [own, texts.own], ...known.map(name => [name, texts.presets[name]])],
    },
    { name: "file", label: texts.picture, type: "file", value: "", accept: "image/*" },
    {
      name: "scaleType", label: texts.scaling, value: Object.hasOwn(texts.scalings, before?.scaleType)
        ? before.scaleType : "fill",
      options: Object.entries(texts.scalings),
    },
    { name: "scale", label: texts.scale, type: "range", min: 25, max: 400, value: (before?.scale ?? 1) * 100 },
    { name: "background", label: texts.background, type: "color", value: colourOf(0, before?.background) },
    { name: "tint", label: texts.tint, type: "color", value: colourOf(1, before?.tint) },
    { name: "strength", label: texts.strength, type: "range", min: 0, max: maxStrength, value: strength },
  ], async ({ file: given, ...values }) => {
    const made = wallpaperOf(values)
    if (values.preset == own) {
      await drawing
      if (given && !picture) throw new Error(texts.unreadable)
      if (!picture && !before?.imageFile) throw new Error(texts.missing)
      if (picture) made.imageFile = (await app.post("/wallpapers", picture)).imageFile
    }
    const other = mode == "light" ? "dark" : "light", kept = themes[other]?.wallpaper
    const { background: _1, tint: _2, .../** @type {any} */ source } = made ?? {}
    const isSame = source.preset ? kept?.preset == source.preset : source.imageFile && kept?.imageFile
    const after = {
      ...themes,
      ...themeWith(mode, themes[mode], made),
      ...themeWith(other, themes[other], made && (isSame ? { ...kept, ...source } : source)),
    }
    await save(mergePatch(themes, after))
    app.emit("model")
  })

  const [select, scaling] = [...box.querySelectorAll("select")]
  const [file, scale, background, tintField, strengthField] =
    /** @type {HTMLInputElement[]} */ ([...box.querySelectorAll("input")])
  const preview = el("div.stage.wallpaper", { "aria-hidden": "true" }, el("p"), el("p"))
  select.closest("label")?.after(preview)

  /** @type {Blob | null} The chosen picture, drawn again. */
  let picture = null
  /** @type {import("./wallpapers.js").Photo | null} */
  let photo = null
  /** The drawing of the chosen pictures, one after the other. */
  let drawing = Promise.resolve()
  const draw = () => {
    const wallpaper = wallpaperOf({
      preset: select.value, background: background.value, tint: tintField.value, strength: strengthField.value,
      scaleType: scaling.value, scale: scale.value,
    })
    show(preview, wallpaper ?? {}, mode, select.value == own ? photo : null)
  }
  const follow = () => {
    const isOwn = select.value == own
    for (const input of [background, tintField]) input.disabled = !isOwn && !isPreset(select.value)
    for (const input of [file, scaling, strengthField]) shown(input, isOwn)
    shown(scale, isOwn && scaling.value == "repeat")
    preview.hidden = !isOwn && !isPreset(select.value)
    draw()
  }
  background.addEventListener("input", () => { hasBackground = true })
  select.addEventListener("change", () => {
    hasBackground = false
    for (const [index, input] of [background, tintField].entries()) input.value = usual(select.value)[index]
    follow()
  })
  const take = async given => {
    const drawn = given ? await asWallpaper(given) : null
    release()
    photo = drawn ? await photoIn(drawn) : null
    picture = drawn
    draw()
  }
  const release = () => { if (picture && photo) URL.revokeObjectURL(photo.address) }
  file.addEventListener("change", () => {
    const given = file.files?.[0]
    drawing = drawing.then(() => take(given))
  })
  box.addEventListener("close", release)
  for (const input of [scaling, scale, background, tintField, strengthField]) input.addEventListener("input", follow)
  follow()
  if (chosen == own)
    photoOf(before).then(found => {
      if (picture) return
      photo = found
      draw()
    })
}

/** The colours that the fields show without a preset. */
const plain = "#000000"

/** Shows or hides a field with its label. */
const shown = (/** @type {HTMLElement} */ input, /** @type {boolean} */ isShown) => {
  const label = input.closest("label")
  if (label) label.hidden = !isShown
}

/** Returns a theme with another wallpaper; null for none. A theme that is then empty is left out. */
function themeWith(/** @type {string} */ mode, theme, wallpaper) {
  if (!theme && !wallpaper) return {}
  const { wallpaper: _, ...rest } = theme ?? {}
  return { [mode]: { mode, colors: {}, ...rest, ...(wallpaper && { wallpaper }) } }
}
