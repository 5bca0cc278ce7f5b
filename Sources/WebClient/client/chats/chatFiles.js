// The size of the files of a chat, and their deletion.
import { app, say, size, sure, words } from "../elements/base.js"

/** Returns the number and the size of files as a text. */
export const amountOf = ({ files, bytes }) => words.filesAmount(files, size(bytes))

/**
 * Asks whether the files of a chat are deleted, and deletes them.
 * @param {string | null} place
 * @param {{files: number, bytes: number}} use
 * @param {() => void} done a function that is called afterwards
 */
export function deleteFiles(place, use, done) {
  sure(words.deleteChatFiles, words.deleteChatFilesExplained(amountOf(use)), words.delete, async () => {
    const { files } = await app.delete(`/chats/${place}/files`)
    say(words.deletedFiles(files))
    done()
  })
}
