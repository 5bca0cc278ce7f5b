// The sizes of the databases and files of the store, with its limits.
import { app, fact, number, row, say, size, sure, words } from "../elements/base.js"

/** Returns the section of the settings about the sizes of the store. */
export async function storageSection(/** @type {() => void} */ redraw) {
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
