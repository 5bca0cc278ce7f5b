// Drafts of messages. The gateway stores drafts, so that other clients can show them. A draft that this page has
// written is used until the gateway's model contains it.
import { app } from "./app.js"

/**
 * @typedef {{message: string, quotedItemId?: number, editingItemId?: number}} Draft
 * @typedef {{draft: Draft | null, isSaved: boolean, seen: any, saving: Promise<any>, save: () => Promise<any>}} Own
 *   `seen` is the draft of the model at the time of saving
 */

/** @type {Map<string, Own>} */
const written = new Map()
const listed = id => app.model?.drafts[id]

/** @param {string} id the id of the chat in the model @returns {Draft | null | undefined} */
export function draftOf(id) {
  const own = written.get(app.users + id)
  return own && (!own.isSaved || own.seen === listed(id)) ? own.draft : listed(id)
}

/** Saves a draft after the earlier drafts of the chat, so that an older draft does not arrive last. */
export function saveDraft(/** @type {string} */ place, /** @type {string} */ id, /** @type {Draft | null} */ draft) {
  const { api, users } = app, path = `${users}/model/drafts/${place}`
  const before = written.get(users + id)?.saving ?? Promise.resolve()
  const saved = () => Object.assign(own, { isSaved: true, seen: listed(id) })
  const save = () => (draft ? api.put(path, draft) : api.delete(path)).then(saved, () => {})
  /** @type {Own} */
  const own = { draft, isSaved: false, seen: null, saving: before.then(save), save }
  written.set(users + id, own)
}

/** Saves the drafts again that have not reached the gateway. */
function saveAgain() {
  for (const own of written.values()) if (!own.isSaved) own.saving = own.saving.then(() => own.isSaved || own.save())
}

app.on("offline", () => { if (!app.isOffline) saveAgain() })
app.on("signedOut", () => written.clear())
