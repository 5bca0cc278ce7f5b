// The wallpapers behind the items of a chat: own pictures, and the presets of the apps with patterns that were drawn
// for this page.
import { app } from "../elements/base.js"
import { isDrawable, sizeBytes, typeOf } from "../model/pictures.js"
import { pictureSize } from "../model/pictureSize.js"
import { colour } from "./themes.js"

/**
 * A preset has the paths of its drawings, each in a square of 24 units, and the colours of the background and of the
 * drawings in light and dark mode.
 * @type {Record<string, {light: [string, string], dark: [string, string], drawings: string[]}>}
 */
export const presets = {
  cats: { light: ["#fbf7e8", "#efe0b6"], dark: ["#14130f", "#3d3215"], drawings: [
    "M5 20V5l4.5 3.5h5L19 5v15zM9 13v1M15 13v1M11 16.5h2l-1 1zM2 15l4 .7M2 18l4-.7M22 15l-4 .7M22 18l-4-.7",
    "M12 12c-3 0-5 3-5 5.2s1.5 2.8 3 2.3q2-.6 4 0c1.5.5 3-.1 3-2.3S15 12 12 12zM5 9.5a1.6 2 0 1 0 .01 0"
      + "M9.5 5a1.6 2.2 0 1 0 .01 0M14.5 5a1.6 2.2 0 1 0 .01 0M19 9.5a1.6 2 0 1 0 .01 0",
    "M3 12c4-6 10-6 14 0-4 6-10 6-14 0zM17 12l4-4v8zM7.5 11v.5",
    "M12 3a9 9 0 1 0 .01 0M5 7q8 1 11 12M3.5 13q5 0 7 8M9 3.5q8 3 11.5 11",
  ] },
  flowers: { light: ["#eafbe9", "#c9e8ab"], dark: ["#0f1410", "#25401a"], drawings: [
    "M12 9.5C8.5 7 9 2.5 12 2.5s3.5 4.5 0 7M14.5 12C17 8.5 21.5 9 21.5 12s-4.5 3.5-7 0"
      + "M12 14.5c3.5 2.5 3 7 0 7s-3.5-4.5 0-7M9.5 12C7 15.5 2.5 15 2.5 12s4.5-3.5 7 0M12 9.5a2.5 2.5 0 1 0 .01 0",
    "M12 22V12M7 4l2.5 3L12 3l2.5 4L17 4v5a5 5 0 0 1-10 0z"
      + "M12 20c-4 0-5-2-5-4 3 0 5 1 5 4M12 20c4 0 5-2 5-4-3 0-5 1-5 4",
    "M4 20C4 9 11 4 20 4c0 9-5 16-16 16zM4 20L14 10",
  ] },
  hearts: { light: ["#fdf0f0", "#f7d9d9"], dark: ["#151011", "#40181c"], drawings: [
    "M12 20C4 14.5 3 11 3 8.5a4.5 4.5 0 0 1 9-1 4.5 4.5 0 0 1 9 1c0 2.5-1 6-9 11.5z",
    "M12 16.5C8 13.5 7.5 12 7.5 10.5a2.3 2.3 0 0 1 4.5-.5 2.3 2.3 0 0 1 4.5.5c0 1.5-.5 3-4.5 6z",
    "M3 6h18v13H3zM3 6l9 7 9-7",
  ] },
  kids: { light: ["#e6faf9", "#bfe8ee"], dark: ["#0f1415", "#1a3c45"], drawings: [
    "M12 3c4 0 6 3 6 6.2S15 16 12 16s-6-3.6-6-6.8S8 3 12 3zM11 16l-1 2h4l-1-2M12 18c-2 2 2 2 0 4",
    "M12 3l2.7 5.7 6.3.8-4.6 4.3 1.2 6.2L12 17l-5.6 3 1.2-6.2L3 9.5l6.3-.8z",
    "M3 13h8v8H3zM13 13h8v8h-8zM8 4h8v8H8z", "M12 3a9 9 0 1 0 .01 0M3 12h18M12 3c4 5 4 13 0 18",
  ] },
  school: { light: ["#ecf6fd", "#c6e3f6"], dark: ["#0f1317", "#173246"], drawings: [
    "M12 6c-3-2-6-2-9-1v14c3-1 6-1 9 1 3-2 6-2 9-1V5c-3-1-6-1-9 1zM12 6v14", "M4 20l1-5L16 4l4 4L9 19zM14 6l4 4",
    "M9 3h6M10 3v6L4.5 19a1.5 1.5 0 0 0 1.5 2h12a1.5 1.5 0 0 0 1.5-2L14 9V3M7 15h10",
    "M3 16L16 3l5 5L8 21zM7 12l2 2M10 9l2 2M13 6l2 2",
  ] },
  travel: { light: ["#f8f0fd", "#ead9f7"], dark: ["#131017", "#35224a"], drawings: [
    "M3 12l18-8-6 17-4-7zM11 14l10-10", "M2 20L9 7l4 7 2-3 7 9zM17 4a2 2 0 1 0 .01 0",
    "M4 8h16v12H4zM9 8V4h6v4M8 8v12M16 8v12", "M3 15h18l-3 5H6zM12 15V3l7 9h-7M10 6v6H6z",
  ] },
}
export const isPreset = (/** @type {any} */ name) => Object.hasOwn(presets, name)

const cell = 48, cells = 4, side = cell * cells, turns = [-14, 9, 20, -6, 3]
/**
 * The smallest and the largest scale. The scales of the apps are around 1. Much smaller or larger scales would keep the
 * browser busy, or hide the drawings.
 */
const limits = [0.25, 4]

/** Returns the picture that is repeated. Every second row is shifted, so its last drawing is also at its start. */
function tile(/** @type {string[]} */ drawings) {
  const shapes = Array.from({ length: cells * cells }, (_, index) => {
    const row = Math.floor(index / cells), x = (index % cells) * cell + (row % 2 ? cell / 2 : 0)
    const path = drawings[(index + row) % drawings.length], turn = `rotate(${turns[index % turns.length]} 12 12)`
    return [x, x - side].map(left =>
      `<path transform="translate(${left + 12} ${row * cell + 12}) ${turn}" d="${path}"/>`)
  })
  const line = 'fill="none" stroke="#000" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"'
  const size = `width="${side}" height="${side}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} ${line}>${shapes.flat().join("")}</svg>`
}

/** @type {Map<string, string>} The addresses of the patterns in memory. */
const addresses = new Map()
function address(/** @type {string} */ name) {
  const made = addresses.get(name)
    ?? URL.createObjectURL(new Blob([tile(presets[name].drawings)], { type: "image/svg+xml" }))
  addresses.set(name, made)
  return made
}

/** @typedef {{address: string, width: number}} Photo an own picture in memory, with its width in pixels */

/** @type {Map<string, Promise<Photo | null>>} The own pictures of the profile by their names; null for missing ones. */
const photos = new Map()
/** Maximal number of own pictures in memory. */
const maxPhotos = 12
function forgetPhoto(/** @type {string} */ name) {
  photos.get(name)?.then(photo => photo && URL.revokeObjectURL(photo.address), () => {})
  photos.delete(name)
}
app.on("leave", () => { for (const name of [...photos.keys()]) forgetPhoto(name) })

/**
 * Makes an own picture from a file; null if the page cannot draw the file.
 * @returns {Promise<Photo | null>}
 */
export async function photoIn(/** @type {Blob} */ file) {
  const type = await typeOf(file), begin = new Uint8Array(await file.slice(0, sizeBytes).arrayBuffer())
  if (!type.startsWith("image/") || !isDrawable(begin)) return null
  return {
    address: URL.createObjectURL(file.slice(0, file.size, type)),
    width: pictureSize(begin)?.width ?? side,
  }
}

/**
 * Returns the own picture that a wallpaper names; null if the profile has no such picture. A name that is not a plain
 * file name is refused, because a name from another program may be a path.
 * @returns {Promise<Photo | null>}
 */
export async function photoOf(/** @type {any} */ { imageFile }) {
  if (!/^[\w-][\w.-]{0,127}$/.test(imageFile ?? "")) return null
  const path = `${app.users}/wallpapers/${imageFile}`
  const known = photos.get(path)
  photos.delete(path)
  if (known) photos.set(path, known)
  else {
    const read = app.api.bytes(path).then(photoIn, problem => {
      // Only status 404 is remembered: any other problem may be temporary.
      if (problem.status != 404) photos.delete(path)
      return null
    })
    photos.set(path, read)
    if (photos.size > maxPhotos) forgetPhoto(photos.keys().next().value ?? "")
  }
  return await photos.get(path) ?? null
}

/** Shows an own picture, or a preset. A wallpaper without both has no pattern. */
export function show(
  /** @type {HTMLElement} */ element, wallpaper, /** @type {"light" | "dark"} */ mode,
  /** @type {Photo | null} */ photo,
) {
  const { preset, background, tint, scaleType } = wallpaper, isKnown = !photo && isPreset(preset), style = element.style
  const [usual, usualTint] = isKnown ? presets[preset][mode] : ["transparent", "transparent"]
  const scale = Math.min(Math.max(Number(wallpaper.scale) || 1, limits[0]), limits[1])
  const tile = `${(photo?.width ?? side) * scale}px`, isTiled = scaleType == "repeat"
  style.setProperty("--wall", colour(background) || usual)
  style.setProperty("--tint", photo || isKnown ? colour(tint) || usualTint : "transparent")
  style.setProperty("--pattern", isKnown ? `url("${address(preset)}")` : "none")
  style.setProperty("--tile", tile)
  style.setProperty("--photo", photo ? `url("${photo.address}")` : "none")
  style.setProperty("--photo-size", isTiled ? tile : scaleType == "fit" ? "contain" : "cover")
  style.setProperty("--photo-repeat", isTiled ? "repeat" : "no-repeat")
  style.setProperty("--veil", photo || isKnown ? "color-mix(in srgb, var(--page) 88%, transparent)" : "transparent")
}

/**
 * Shows a wallpaper in the chats within an element. An own picture follows when it has arrived. Returns whether the
 * wallpaper exists.
 * @param {() => boolean} isCurrent whether the element still has this wallpaper
 */
export async function hang(
  /** @type {HTMLElement} */ element, wallpaper, /** @type {"light" | "dark"} */ mode, isCurrent,
) {
  const isOwn = !isPreset(wallpaper.preset) && Boolean(wallpaper.imageFile)
  const photo = isOwn ? await photoOf(wallpaper) : null
  if (isOwn && !photo) return false
  if (isCurrent()) show(element, wallpaper, mode, photo)
  return true
}
