// The sizes of the databases and files of the store, with its limits, and the sizes of the files by chat.
import { app, chatTitle, el, fact, number, row, say, size, sure, text, words } from "../elements/base.js"
import { amountOf, deleteFiles } from "../chats/chatFiles.js"

/** The numbers of chats that are listed at first, that each press adds, and that the gateway lists at most. */
const first = 20, step = 100, most = 5000
/**
 * The numbers of listed chats, by the functions that draw the settings again.
 * @type {WeakMap<() => void, number>}
 */
const listed = new WeakMap()

/** Returns the sections of the settings about the sizes of the store. */
export const storageSections = (/** @type {() => void} */ redraw) =>
  Promise.all([storeSection(redraw), chatsSection(redraw)])

/** Returns the section with the chats of the profile whose files need the most space. */
async function chatsSection(redraw) {
  const limit = listed.get(redraw) ?? first
  const { chats, next } = await app.get(`/file-sizes?limit=${limit}`)
  const more = () => { listed.set(redraw, Math.min(limit + step, most)); redraw() }
  return {
    title: words.filesByChat,
    rows: [
      chats.map(use => {
        const place = `${use.chatType}/${use.chatId}`, title = chatTitle(app.chat(place)?.chatInfo ?? {})
        return row(text(title), () => deleteFiles(place, use, redraw), {
          note: el("small", amountOf(use)),
          label: words.said(words.deleteChatFiles, `${title} (${amountOf(use)})`),
        })
      }),
      next && limit < most && row(words.loadMore, more),
    ],
  }
}

async function storeSection(redraw) {
  const { limits, used } = await app.api.get(`/v1/stores/${app.rights.storeId}/limits`)
  const amount = (name, property, written) => {
    const now = used?.[property], most = limits[property]
    return now !== undefined
      && fact(name, most === undefined ? written(now) : words.amountOf(written(now), written(most)))
  }
  const clean = () => sure(words.deleteFiles, words.deleteFilesExplained, words.delete, async () => {
    const { files } = await app.api.delete("/v1/database/files")
    say(words.deletedFiles(files))
    redraw()
  })
  return {
    title: words.storage,
    rows: [
      amount(words.databaseSize, "databaseBytes", size),
      amount(words.storedMessages, "items", number),
      amount(words.storedFiles, "files", number),
      amount(words.fileSizes, "fileBytes", size),
      row(words.deleteFiles, clean, { kind: "danger" }),
    ],
    note: words.storageExplained,
  }
}
