// The previews of the files that will be sent with a message, and their upload.
import { button, el, keep, set, size, text, View, words } from "../elements/base.js"
import { canDraw, drawSample, filmed, prepared } from "../model/preparing.js"

/** The number of pixels on each side of a preview. */
const side = 160
/** The drawing of previews, one after the other, so that many large pictures are not in the memory together. */
let drawing = Promise.resolve()

export class AttachmentsView extends View {
  /** @param {File[]} files @param {(file: File) => void} remove */
  draw(files, remove) {
    set(this, { role: "list", label: words.attaching.list })
    keep(this, files, file => file, file => card(file, () => this.#remove(file, remove)), () => {})
    return undefined
  }

  /** Removes a file, and moves the focus to the next file. */
  #remove(file, remove) {
    const at = [...this.querySelectorAll("button")].indexOf(/** @type {any} */ (document.activeElement))
    remove(file)
    const rest = this.querySelectorAll("button")
    rest[Math.min(Math.max(at, 0), rest.length - 1)]?.focus()
  }
}

function card(file, remove) {
  const sample = el("span.sample", { "aria-hidden": "true" }, "📄"), about = el("small", text(size(file.size)))
  const canvas = /** @type {HTMLCanvasElement} */ (el("canvas")), shown = el("div", { role: "listitem" },
    sample, el("span.name", text(file.name)), about,
    button(words.removeFile(file.name), remove, { icon: "close", kind: "round" }))
  if (/^(image|video)\//.test(file.type))
    drawing = drawing.then(async () => {
      // The user may have removed the file meanwhile. Then nothing is drawn.
      if (!shown.isConnected) return
      if (file.type.startsWith("image/") && !await canDraw(file)) about.append(" · ", words.attaching.asFile)
      else if (await drawSample(canvas, file, side)) sample.replaceChildren(canvas)
    }).catch(() => {})
  return shown
}

/** Uploads a chosen file, and returns `fileSource` and `msgContent` of its message. */
export async function uploaded(file, text, upload) {
  const picture = file.type.startsWith("image/") ? await prepared(file) : null
  const film = file.type.startsWith("video/") ? await filmed(file) : null
  const name = picture && picture.file !== file ? file.name.replace(/\.[^.]*$/, "") + ".jpg" : file.name
  const body = picture?.file ?? file
  // Reads one byte first: if the file no longer exists, the upload would fail with the same error as a lost network.
  await body.slice(0, 1).arrayBuffer().catch(() => { throw new Error(words.fileUnreadable) })
  const { fileSource } = await upload(name, body)
  const content = picture
    ? { type: "image", image: picture.preview }
    : film
      ? { type: "video", image: film.preview, duration: film.duration }
      : { type: "file" }
  return { fileSource, msgContent: { ...content, text } }
}
