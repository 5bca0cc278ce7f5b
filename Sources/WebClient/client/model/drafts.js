// Drafts of messages. The gateway stores drafts, so that other clients can show them. A draft that this page has
// written is used until the gateway's model contains it. A draft that another device has written meanwhile is kept.
import { app } from "./app.js"

/**
 * @typedef {{message: string, quotedItemId?: number, editingItemId?: number}} Draft
 * @typedef {{draft: Draft | null, etag: string}} Version
 * @typedef {{
 *   draft: Draft | null, bases: Given[], isSaved: boolean, seen: any, saving: Promise<any>, save: () => Promise<any>,
 * }} Own `bases` are the drafts that the text continues; `seen` is the draft of the model at the time of saving
 * @typedef {Draft | null | undefined} Given
 */

/** @type {Map<string, Own>} */
const written = new Map()
/** @type {Map<string, Version>} The last version of each draft that the gateway has confirmed, by path. */
const versions = new Map()
/** @type {Map<string, string>} The texts of other devices that this page has replaced, by the ids of the chats. */
const replaced = new Map()
const listed = id => app.model?.drafts[id]

const isSame = (/** @type {Given} */ one, /** @type {Given} */ other) =>
  one?.message == other?.message && (one?.quotedItemId ?? 0) == (other?.quotedItemId ?? 0)
  && (one?.editingItemId ?? 0) == (other?.editingItemId ?? 0)

/** @param {string} id the id of the chat in the model @returns {Given} */
export function draftOf(id) {
  const own = written.get(app.users + id)
  return own && (!own.isSaved || own.seen === listed(id)) ? own.draft : listed(id)
}

/** Returns the text of another device that this page has replaced; empty if there is none. */
export const replacedDraft = (/** @type {string} */ id) => replaced.get(app.users + id) ?? ""
export const forgetReplaced = (/** @type {string} */ id) => replaced.delete(app.users + id)

/** Reads the present version of a draft. @returns {Promise<Version>} */
async function present(api, path) {
  try {
    const answer = await api.request(path)
    return { draft: await answer.json(), etag: answer.headers.get("ETag") }
  } catch (problem) {
    if (problem.status == 404) return { draft: null, etag: "" }
    throw problem
  }
}

/** Replaces one version of a draft. @returns {Promise<Version>} */
async function replace(api, path, /** @type {string} */ etag, /** @type {Draft | null} */ draft) {
  if (!draft && !etag) return { draft, etag }
  /** @type {Record<string, string>} */
  const headers = etag ? { "If-Match": etag } : { "If-None-Match": "*" }
  if (draft) headers["Content-Type"] = "application/json"
  const method = draft ? "PUT" : "DELETE"
  const answer = await api.request(path, { method, headers, body: draft ? JSON.stringify(draft) : null })
  return { draft, etag: answer.headers.get("ETag") ?? "" }
}

/**
 * Stores a draft. If another device has changed the draft meanwhile and the user is writing here, this page's text is
 * stored, and the other text is shown beside it. If the user is not writing here, the draft gets both texts.
 */
async function store(api, path, key, /** @type {Own} */ own, isInUse) {
  const isBase = draft => own.bases.some(base => isSame(base, draft))
  for (let isKnown = true; ; isKnown = false) {
    let version = isKnown && versions.get(path)
    if (!version || !isBase(version.draft)) {
      // If the answer to an earlier request was lost, the gateway may have a draft that this page does not know. So a
      // deletion first reads the gateway's version.
      const isNew = isKnown && own.draft && own.bases.some(base => !base)
      version = isNew ? { draft: null, etag: "" } : await present(api, path)
    }
    const other = version.draft
    if (other && !isBase(other) && !isSame(other, own.draft)) {
      // If a text is sent or deleted here, a text that another device has written since then becomes the draft.
      if (!own.draft) own.draft = other
      else if (!own.draft.message.includes(other.message.trim())) {
        const isMerged = !isInUse() && !other.editingItemId && !own.draft.editingItemId
        if (isMerged) own.draft = { ...own.draft, message: `${own.draft.message}\n${other.message}` }
        else {
          const earlier = replaced.get(key) ?? ""
          replaced.set(key, other.message.includes(earlier) ? other.message : `${earlier}\n${other.message}`)
        }
      }
      own.bases.push(other)
    }
    if (isSame(other, own.draft)) return versions.set(path, version)
    try { return versions.set(path, await replace(api, path, version.etag, own.draft)) } catch (problem) {
      if (problem.status != 412) throw problem
    }
  }
}

/**
 * Saves a draft after the earlier drafts of the chat, so that an older draft does not arrive last.
 * @param {string} place
 * @param {string} id
 * @param {Draft | null} draft
 * @param {Given} base the draft that the text continues
 * @param {() => boolean} isInUse whether the user writes in the chat now
 * @returns {Promise<any>} ends when the draft was saved, or could not be saved
 */
export function saveDraft(place, id, draft, base, isInUse) {
  const { api, users } = app, path = `${users}/model/drafts/${place}`, before = written.get(users + id)
  const saved = () => Object.assign(own, { isSaved: true, seen: listed(id) })
  const save = () => store(api, path, users + id, own, isInUse).then(saved, () => {})
  /** @type {Own} */
  const own = { draft, bases: [base], isSaved: false, seen: null, saving: Promise.resolve(), save }
  own.saving = (before?.saving ?? own.saving).then(() => {
    // If the answer to an earlier request was lost, the gateway may have that earlier draft, so the new draft continues
    // it too.
    if (before && !before.isSaved) own.bases.push(before.draft, ...before.bases)
    return save()
  })
  written.set(users + id, own)
  return own.saving
}

/** Saves again all drafts that have not reached the gateway. */
function saveAgain() {
  for (const own of written.values()) if (!own.isSaved) own.saving = own.saving.then(() => own.isSaved || own.save())
}

app.on("offline", () => { if (!app.isOffline) saveAgain() })
app.on("signedOut", () => { for (const kept of [written, versions, replaced]) kept.clear() })
