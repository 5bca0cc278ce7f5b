// The page of the settings about signed-in devices, which are the keys of browsers. The user can sign out each device,
// and link another one.
import {
  app, button, el, fact, icon, row, say, sure, text, wholeTime, words,
} from "../elements/base.js"
import { browserOf, isOfBrowser } from "../model/browsers.js"
import { linkDevice } from "./LinkDeviceView.js"

/** @typedef {import("../elements/rows.js").Section} Section */
/**
 * @typedef {{keyId: string, name: string, createdAt: string, expiresAt?: string, lastUsedAt?: string,
 *   lastUsedFrom?: string}} Key
 */

/** Returns the name of the device with a key. A key that was not made by a link is shown with its own name. */
const deviceName = (/** @type {Key} */ { name }) =>
  (isOfBrowser(name) ? browserOf(name) || words.deviceList.unnamed : name)

const isMobile = (/** @type {string} */ name) => /Android|iPhone|iPad/.test(name)

/** Returns the keys of browsers, with the newest first, and the key of this page. */
async function readKeys() {
  const keys = /** @type {Key[]} */ (await app.api.all("/v1/keys", "keys"))
  const others = keys.filter(({ name, keyId }) => isOfBrowser(name) && keyId != app.rights.keyId).reverse()
  return { own: keys.find(({ keyId }) => keyId == app.rights.keyId), others }
}

/** Deletes a key, which may be deleted already. */
const end = (/** @type {Key} */ { keyId }) =>
  app.api.delete(`/v1/keys/${keyId}`).catch(problem => { if (problem.status != 404) throw problem })

/** Signs out all other browsers. Keys with other names may belong to programs, so they stay. */
export async function endOthers() { await Promise.all((await readKeys()).others.map(end)) }

function device(/** @type {Key} */ key, isOwn, ...more) {
  const { createdAt, expiresAt, lastUsedAt, lastUsedFrom } = key, { since, until, used, from } = words.deviceList
  const facts = [
    isOfBrowser(key.name) && since(wholeTime(createdAt)), !isOwn && lastUsedAt && used(wholeTime(lastUsedAt)),
    lastUsedFrom && from(lastUsedFrom), expiresAt && until(wholeTime(expiresAt)),
  ]
  return el("div.row",
    icon(isMobile(key.name) ? "mobile" : "screen"),
    el("span.name", el("span", text(deviceName(key))), facts.map(line => line && el("small", line))), more)
}

/** Returns the sections of the page about devices. @returns {Promise<Section[]>} */
export async function deviceSections(/** @type {() => void} */ redraw) {
  const of = words.deviceList
  if (!app.rights.scopes.includes("admin"))
    return [{ rows: [fact(of.own, text(app.rights.name ?? ""))], note: of.noRight }]
  const { own, others } = await readKeys()
  const remove = key => sure(of.end, of.endExplained(deviceName(key)), words.signOut, async () => {
    await end(key)
    say(of.ended(deviceName(key)))
    redraw()
  })
  const removeAll = () => sure(of.endOthers, of.endOthersExplained, words.signOut, async () => {
    await endOthers()
    redraw()
  })
  const ending = key => button(words.signOut, () => remove(key), {
    kind: "danger",
    label: of.endNamed(deviceName(key)),
  })
  return [
    { rows: [row(of.link, () => linkDevice(redraw, deviceName), { sign: "add" })], note: of.linkHint },
    own && {
      title: of.own,
      rows: [device(own, true)],
      note: !isOfBrowser(own.name) && of.sharedKey,
    },
    {
      title: of.others,
      rows: others.length
        ? [
            others.map(key => device(key, false, ending(key))),
            row(of.endOthers, removeAll, { kind: "danger" }),
          ]
        : [el("div.row", el("span.name", of.none))],
    },
  ].filter(Boolean)
}
