// Files of messages: their state, receiving, uploading, downloading and sharing.
import { app } from "../model/app.js"
import { el } from "./dom.js"
import { typeOf } from "../model/pictures.js"
import { percent } from "../model/time.js"
import { words } from "../model/words.js"

const here = new Set(["sndStored", "sndTransfer", "sndComplete", "sndError", "sndWarning", "rcvComplete"])
/** Whether the gateway has the contents of a file. */
export const isHere = file => Boolean(file?.fileSource) && here.has(file.fileStatus.type)

/** Returns the state of a file as a text; empty for a file that is ready. */
export const stateOf = file =>
  !file.fileSource && here.has(file.fileStatus.type) ? words.fileGone : words.file[file.fileStatus.type] ?? ""

export const canReceive = file => ["rcvInvitation", "rcvAborted"].includes(file?.fileStatus.type)

export const path = file => `${app.users}/files/${file.fileId}/content`

/**
 * The ids of files that were requested automatically once, so that a refused request is not repeated each time a
 * message is drawn.
 * @type {Set<number>}
 */
const asked = new Set()
/**
 * Whether the settings of the app allow receiving small files automatically; null before the settings were read.
 * @type {Promise<boolean> | null}
 */
let isWanted = null
app.on("leave", () => { asked.clear(); isWanted = null })
export const settingsChanged = () => { isWanted = null }

/** Reads the saved settings, with the page's defaults for settings that were never saved. */
export const readSettings = () => {
  const defaults = encodeURIComponent('{"privacyAcceptImages":true}')
  return app.api.get(`/v1/settings/app?settings=${defaults}`)
}

export const receive = file => app.post(`/files/${file.fileId}/receive`)

/** Maximal sizes in bytes of media that are received when they become visible, as in the apps. */
const limits = { image: 522_240, voice: 522_240, video: 1_047_552 }
export const isSmall = (file, kind) => file.fileSize <= limits[kind]

export async function receiveSmall(file, kind) {
  if (file?.fileStatus.type != "rcvInvitation" || !isSmall(file, kind) || asked.has(file.fileId) || !app.mayWrite)
    return
  asked.add(file.fileId)
  const { users } = app
  // A key that may not read the settings uses the default, which is true.
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

/** Calls a function when an element is visible, or becomes visible. */
export function whenSeen(element, run) {
  waiting.set(element, run)
  sight.unobserve(element)
  sight.observe(element)
}

export const cancel = file => app.post(`/files/${file.fileId}/cancel`)

/** Starts a download of the browser. The page never has the bytes of the file. */
export const download = async (place, name) => {
  const link = el("a", { href: await app.api.address(place), download: name })
  link.click()
}

export const save = file => download(path(file), file.fileName)

/** @type {Set<number>} The ids of files whose first bytes are being checked before they are played. */
const looked = new Set()
/**
 * Returns an address from which the browser plays a video or a sound. The address contains a ticket, so that the
 * browser can read only the part that it plays. The first bytes of the file, not its name, must show that it is a video
 * or a sound. Returns an empty text for the second of two quick presses.
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

/** Shares a file through the share dialog of the operating system. */
export async function share(file) {
  const blob = await app.api.bytes(path(file)), type = await typeOf(blob) || blob.type
  await navigator.share({ files: [new File([blob], file.fileName, { type })] }).catch(error => {
    if (error.name != "AbortError") throw new Error(words.notShared)
  })
}

/** Returns the progress of a transfer, from 0 to 1; null if no transfer is running. */
export function progress({ fileStatus }) {
  if (fileStatus.type == "sndTransfer") return fileStatus.sndTotal ? fileStatus.sndProgress / fileStatus.sndTotal : 0
  if (fileStatus.type == "rcvTransfer") return fileStatus.rcvTotal ? fileStatus.rcvProgress / fileStatus.rcvTotal : 0
  return null
}

export const progressBar = file => {
  const part = progress(file)
  return part === null
    ? null
    : el("progress", { max: 1, value: part, label: words.transferred(percent(part)) })
}
