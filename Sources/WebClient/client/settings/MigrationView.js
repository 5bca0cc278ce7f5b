// The migration of all profiles of the store to or from another device by a link, as the apps have it.
import {
  app, button, confirmed, copy, dialog, el, fill, form, row, say, sure, words,
} from "../elements/base.js"
import { qrPicture } from "../elements/qrCode.js"
import { scanInto } from "../elements/scan.js"

/**
 * @typedef {{operationId: string, operation: string, state: string, progress?: {done: number, total?: number},
 *   result?: any}} Operation
 * @typedef {(shown: (operation: Operation) => void) => Promise<any>} Work a function that does long work, and calls
 *   `shown` with each state of its operation
 */

const path = "/v1/database/migration"
const lost = (/** @type {{archiveErrors?: any[]}} */ { archiveErrors = [] }) =>
  archiveErrors.length > 0 && words.archiveErrors(archiveErrors.length)

/** Returns the operation that makes or has made the newest link; undefined if there is none. */
async function newest() {
  const operations = /** @type {Operation[]} */ (await app.api.all("/v1/operations?limit=100", "operations"))
  const found = operations.filter(({ operation }) => operation == "createMigration")
  const known = found.find(({ state }) => state == "running") ?? found.find(({ state }) => state == "done")
  return known && /** @type {Promise<Operation>} */ (app.api.get(`/v1/operations/${known.operationId}`))
}

/** Returns the section of the settings about migrations. `redraw` is called when a migration has begun or ended. */
export async function migrationSection(/** @type {() => void} */ redraw) {
  const of = words.migration, { state } = await app.api.get(path)
  return {
    title: of.title,
    rows: [row(state == "none" ? of.send : of.continue, () => sendProfiles(redraw))],
    note: state == "ready" ? of.twice : of.receiveHint,
  }
}

/** Shows the progress of long work in place of the content of an element. The user can cancel the work. */
async function withProgress(/** @type {Element} */ place, /** @type {string} */ label, /** @type {Work} */ run) {
  const of = words.migration, before = [...place.children]
  let id = "", isCancelled = false
  const bar = el("progress", { max: 1, label }), cancel = button(words.cancel, async () => {
    cancel.disabled = isCancelled = true
    try { await app.api.post(`/v1/operations/${id}/cancel`) } catch (problem) {
      cancel.disabled = isCancelled = false
      throw problem
    }
  }, { kind: "danger", disabled: true })
  fill(place, el("p", { role: "status" }, label), bar, el("footer", cancel))
  try {
    return await run(({ operationId, progress }) => {
      if (!id) cancel.disabled = false
      id = operationId
      if (progress?.total) bar.value = progress.done / progress.total
    })
  } catch (problem) { throw isCancelled && problem.status == 409 ? new Error(of.cancelled) : problem } finally {
    fill(place, before)
  }
}

/** Shows the dialog that makes a link for another device, or that goes on with a migration that has begun. */
export async function sendProfiles(/** @type {() => void} */ redraw) {
  const of = words.migration, { state } = await app.api.get(path)
  const place = el("div.rows"), box = dialog(of.send, place)
  let picture = ""
  const hide = () => { URL.revokeObjectURL(picture); picture = "" }
  box.addEventListener("close", () => { hide(); redraw() })

  const ending = () => el("footer",
    button(of.cancel, () => sure(of.cancel, of.cancelExplained, of.cancel, async () => {
      await app.api.delete(path)
      box.close()
      say(of.cancelled)
    })),
    button(of.finish, () => sure(of.finish, of.finishExplained, of.finish, async () => {
      await app.api.post(`${path}/finish`)
      box.close()
      location.hash = "#/"
      say(of.finished)
    }), { kind: "danger" }))

  /** Shows the link, or that the link is lost: the gateway keeps it only as the result of its operation. */
  const show = (/** @type {any} */ made) => {
    const link = made?.link, code = link && qrPicture(link)
    hide()
    picture = code && box.isConnected ? URL.createObjectURL(code) : ""
    fill(place,
      link ? el("p", { role: "status" }, of.scan) : el("p.problem", of.linkLost),
      picture && el("img", { src: picture, alt: words.qrCode, class: "qr" }),
      link && [
        el("p", el("small", of.secret)),
        el("footer", button(words.copy, () => copy(link), { kind: "primary" })),
      ],
      made && lost(made) && el("p.problem", lost(made)),
      el("p", el("strong", of.twice)),
      ending())
  }
  const make = async (/** @type {Work} */ run) => show(await withProgress(place, of.sending, run))
  const begin = () => fill(place,
    el("p", of.sendExplained),
    form([
      {
        name: "passphrase", label: of.passphrase, hint: of.passphraseHint, type: "password", required: true,
        maxlength: 1024, autocomplete: "new-password",
      },
      {
        name: "format", label: words.archiveFor, hint: words.archiveForApp, value: "app",
        options: Object.entries(words.archiveFormat),
      },
    ], of.make, async values => {
      if (await confirmed(of.send, words.stopCoreExplained, of.make, true))
        await make(shown => app.api.postLong(path, values, shown))
    }))

  if (state == "none") return begin()
  const operation = await newest()
  if (state == "running" && operation?.state != "running") return fill(place, el("p.problem", of.elsewhere))
  if (operation?.state != "running") return show(operation?.result)
  begin()
  return make(shown => app.api.ended(operation, shown))
}

/** Whether the gateway asks if it is to use the proxy of a link. */
const asksForProxy = (/** @type {any} */ problem) =>
  problem.details?.errors?.some((/** @type {any} */ { pointer }) => pointer == "/usesProxy")

/** Shows the dialog that takes the link of another device. The store has no profiles yet. */
export function receiveProfiles() {
  const of = words.migration, place = el("div.rows"), box = dialog(words.migrateHere, place)

  const receive = async (/** @type {any} */ values) => {
    let answer
    try {
      answer = await withProgress(place, of.receiving, shown => app.api.postLong(`${path}/receive`, values, shown))
    } catch (problem) {
      if (!asksForProxy(problem)) throw problem
      return askForProxy(values)
    }
    const { users } = await app.api.get("/v1/users")
    const open = users.find((/** @type {any} */ { user }) => user.activeUser) ?? users[0]
    box.close()
    location.hash = open ? `#/${open.user.userId}` : "#/"
    say(lost(answer) || of.received)
  }
  const askForProxy = (/** @type {any} */ values) => fill(place,
    el("p", of.proxy),
    form([{
      name: "uses", label: words.networkAndServers, value: "no",
      options: [["no", of.keepNetwork], ["yes", of.useNetwork]],
    }], words.migrateHere, ({ uses }) => receive({ ...values, usesProxy: uses == "yes" })))

  const fields = form([
    { name: "link", label: words.link, hint: of.linkHint, required: true },
    { name: "passphrase", label: of.passphrase, hint: of.passphraseThere, type: "password", maxlength: 1024 },
  ], words.migrateHere, ({ link, passphrase }) => receive(passphrase ? { link, passphrase } : { link }))
  fill(place, el("p", of.receiveExplained), fields, scanInto(() => fields.querySelector("input")))
}
