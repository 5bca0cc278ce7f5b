// The sizes of the databases and files of the store, with its limits, and the sizes of the files by chat.
import { app, chatTitle, el, fact, number, row, say, size, sure, text, words } from "../elements/base.js"
import { amountOf, deleteFiles } from "../chats/chatFiles.js"

/** Maximal number of listed chats. */
const most = 20

/** Returns the sections of the settings about the sizes of the store. */
export const storageSections = (/** @type {() => void} */ redraw) =>
  Promise.all([storeSection(redraw), chatsSection(redraw)])

/** Returns the section with the chats of the profile whose files need the most space. */
async function chatsSection(redraw) {
  const { chats } = await app.get(`/file-sizes?limit=${most}`)
  return {
    title: words.filesByChat,
    rows: chats.map(use => {
      const place = `${use.chatType}/${use.chatId}`
      return row(text(chatTitle(app.chat(place)?.chatInfo ?? {})), () => deleteFiles(place, use, redraw), {
        note: el("small", amountOf(use)),
      })
    }),
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
