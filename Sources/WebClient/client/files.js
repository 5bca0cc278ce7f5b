// Files of messages: whether they are here, receiving, sending, saving.
import { app } from "./app.js"
import { el } from "./dom.js"
import { filmed, prepared } from "./pictures.js"
import { words } from "./words.js"

const here = new Set(["sndStored", "sndTransfer", "sndComplete", "sndError", "sndWarning", "rcvComplete"])
export const isHere = file => Boolean(file) && here.has(file.fileStatus.type)

export const canReceive = file => ["rcvInvitation", "rcvAborted"].includes(file?.fileStatus.type)

export const path = file => `${app.users}/files/${file.fileId}/content`

/** @type {Set<string>} Files that were asked for once: a refusal is not repeated for each drawing. */
const asked = new Set()

export const receive = file => app.post(`/files/${file.fileId}/receive`)

/** As the apps do with small pictures and voice messages. */
export function receiveSmall(file, limit) {
  const name = `${app.userId}/${file.fileId}`
  if (file.fileStatus.type != "rcvInvitation" || file.fileSize > limit || asked.has(name) || !app.mayWrite) return
  asked.add(name)
  app.post(`/files/${file.fileId}/receive`).catch(() => {})
}

export const cancel = file => app.post(`/files/${file.fileId}/cancel`)

/** To the browser's downloads: its bytes are never in the page. */
export const save = async file => {
  const link = el("a", { href: await app.api.address(path(file)), download: file.fileName })
  link.click()
}

/** Between 0 and 1; null while nothing moves. */
export function progress({ fileStatus }) {
  if (fileStatus.type == "sndTransfer") return fileStatus.sndTotal ? fileStatus.sndProgress / fileStatus.sndTotal : 0
  if (fileStatus.type == "rcvTransfer") return fileStatus.rcvTotal ? fileStatus.rcvProgress / fileStatus.rcvTotal : 0
  return null
}

export const progressBar = file => {
  const part = progress(file)
  return part === null ? null : el("progress", { max: 1, value: part, label: words.transferred(Math.round(part * 100)) })
}

/** What a chosen file becomes in a message. `fileSource` and `msgContent` */
export async function uploaded(file, text) {
  const picture = file.type.startsWith("image/") ? await prepared(file) : null, film = file.type.startsWith("video/") ? await filmed(file) : null
  const name = picture && picture.file !== file ? file.name.replace(/\.[^.]*$/, "") + ".jpg" : file.name
  const body = picture?.file ?? file
  const { fileSource } = await app.upload(name, body)
  const content = picture ? { type: "image", image: picture.preview } : film ? { type: "video", image: film.preview, duration: film.duration } : { type: "file" }
  return { fileSource, msgContent: { ...content, text } }
}
