// Files of messages: whether they are here, receiving, sending, saving.
import { app } from "../model/app.js"
import { el } from "./dom.js"
import { filmed, prepared, typeOf } from "../model/pictures.js"
import { words } from "../model/words.js"

const here = new Set(["sndStored", "sndTransfer", "sndComplete", "sndError", "sndWarning", "rcvComplete"])
export const isHere = file => Boolean(file) && here.has(file.fileStatus.type)

export const canReceive = file => ["rcvInvitation", "rcvAborted"].includes(file?.fileStatus.type)

export const path = file => `${app.users}/files/${file.fileId}/content`

/** Files that were asked for once: a refusal is not repeated for each drawing. @type {Set<number>} */
const asked = new Set()
/** Whether that is done, by the settings of the app. @type {Promise<boolean> | null} */
let isWanted = null
app.on("leave", () => { asked.clear(); isWanted = null })
export const settingsChanged = () => { isWanted = null }

/** The saved settings, with the page's defaults for those that nobody has saved. */
export const readSettings = () => {
  const defaults = encodeURIComponent('{"privacyAcceptImages":true}')
  return app.api.get(`/v1/settings/app?settings=${defaults}`)
}

export const receive = file => app.post(`/files/${file.fileId}/receive`)

/** Up to so many bytes media are received when they are seen, as in the apps. */
const limits = { image: 522_240, voice: 522_240, video: 1_047_552 }
export const isSmall = (file, kind) => file.fileSize <= limits[kind]

export async function receiveSmall(file, kind) {
  if (file?.fileStatus.type != "rcvInvitation" || !isSmall(file, kind) || asked.has(file.fileId) || !app.mayWrite)
    return
  asked.add(file.fileId)
  const { users } = app
  // Who may not read the settings has the usual ones.
  isWanted ??= readSettings().then(({ appSettings }) => appSettings.privacyAcceptImages, () => true)
  if (await isWanted && users == app.users) receive(file).catch(() => {})
}

/** @type {WeakMap<Element, () => void>} */
const waiting = new WeakMap()
const sight = new IntersectionObserver(entries => {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting) {
      sight.unobserve(target)
      waiting.get(target)?.()
    }
}, { rootMargin: "600px" })

/** Does something when an element is, or comes, in sight. */
export function whenSeen(element, run) {
  waiting.set(element, run)
  sight.unobserve(element)
  sight.observe(element)
}

export const cancel = file => app.post(`/files/${file.fileId}/cancel`)

/** To the browser's downloads: the bytes are never in the page. */
export const download = async (place, name) => {
  const link = el("a", { href: await app.api.address(place), download: name })
  link.click()
}

export const save = file => download(path(file), file.fileName)

/** Files that are looked at, to be played. @type {Set<number>} */
const looked = new Set()
/**
 * The address of a film or a sound, with a ticket, so that the browser reads only the part that it plays. Its bytes
 * show whether it is one, and not its name. Empty for the second of two quick presses.
 */
export async function playable(file, kinds) {
  if (looked.has(file.fileId)) return ""
  looked.add(file.fileId)
  try {
    const begin = await app.api.request(path(file), { headers: { Range: "bytes=0-31" } })
    if (!kinds.test(await typeOf(await begin.blob()))) throw new Error(words.cannotPlay)
    return await app.api.address(path(file))
  } finally { looked.delete(file.fileId) }
}

/** By the system, to its other programs. */
export async function share(file) {
  const blob = await app.api.bytes(path(file)), type = await typeOf(blob) || blob.type
  await navigator.share({ files: [new File([blob], file.fileName, { type })] }).catch(error => {
    if (error.name != "AbortError") throw new Error(words.notShared)
  })
}

/** Between 0 and 1; null while nothing moves. */
export function progress({ fileStatus }) {
  if (fileStatus.type == "sndTransfer") return fileStatus.sndTotal ? fileStatus.sndProgress / fileStatus.sndTotal : 0
  if (fileStatus.type == "rcvTransfer") return fileStatus.rcvTotal ? fileStatus.rcvProgress / fileStatus.rcvTotal : 0
  return null
}

export const progressBar = file => {
  const part = progress(file)
  return part === null
    ? null
    : el("progress", { max: 1, value: part, label: words.transferred(Math.round(part * 100)) })
}

/** Uploads a chosen file, and returns `fileSource` and `msgContent` of its message. */
export async function uploaded(file, text, upload) {
  const picture = file.type.startsWith("image/") ? await prepared(file) : null
  const film = file.type.startsWith("video/") ? await filmed(file) : null
  const name = picture && picture.file !== file ? file.name.replace(/\.[^.]*$/, "") + ".jpg" : file.name
  const body = picture?.file ?? file
  // A file that is gone would look like a network that is gone.
  await body.slice(0, 1).arrayBuffer().catch(() => { throw new Error(words.fileUnreadable) })
  const { fileSource } = await upload(name, body)
  const content = picture
    ? { type: "image", image: picture.preview }
    : film
      ? { type: "video", image: film.preview, duration: film.duration }
      : { type: "file" }
  return { fileSource, msgContent: { ...content, text } }
}
