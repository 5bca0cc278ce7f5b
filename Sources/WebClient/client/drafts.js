// Drafts are the gateway's, so that other clients have them. What this page has written holds until the gateway's model has followed.
import { app } from "./app.js"

/**
 * @typedef {{message: string, quotedItemId?: number, editingItemId?: number}} Draft
 * @typedef {{draft: Draft | null, isSaved: boolean, seen: any, saving: Promise<any>, save: () => Promise<any>}} Own `seen` is that of the model when it was saved
 */

/** @type {Map<string, Own>} */
const written = new Map()
const listed = id => app.model?.drafts[id]

/** @param {string} id that of the chat in the model @returns {Draft | null | undefined} */
export function draftOf(id) {
  const own = written.get(app.users + id)
  return own && (!own.isSaved || own.seen === listed(id)) ? own.draft : listed(id)
}

/** One after the other, so that an older draft does not arrive last. @param {string} place @param {string} id @param {Draft | null} draft */
export function saveDraft(place, id, draft) {
  const { api, users } = app, path = `${users}/model/drafts/${place}`, before = written.get(users + id)?.saving ?? Promise.resolve()
  const saved = () => Object.assign(own, { isSaved: true, seen: listed(id) })
  /** @type {Own} */
  const own = { draft, isSaved: false, seen: null, saving: before, save: () => (draft ? api.put(path, draft) : api.delete(path)).then(saved, () => {}) }
  own.saving = before.then(own.save)
  written.set(users + id, own)
}

// The drafts that did not reach the gateway are saved when it is back.
app.on("offline", () => { if (!app.isOffline) for (const own of written.values()) if (!own.isSaved) own.saving = own.saving.then(() => own.isSaved || own.save()) })
app.on("signedOut", () => written.clear())
