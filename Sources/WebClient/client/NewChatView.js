// Connecting: an invitation of one's own with its QR code, the link of somebody else, one's address, a new group.
import { el, button } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { attempt, confirmed, dialog, field, form, say } from "./dialogs.js"
import { isInvitation } from "./links.js"
import { copy } from "./itemMenu.js"

export function showNewChat() {
  const body = el("div", { class: "ways" })
  const box = dialog(words.newChat, body)
  const way = (name, explained, run) => el("button", { type: "button", class: "way", on: { click: () => { box.close(); run() } } }, el("b", null, name), el("small", null, explained))
  body.append(way(words.invite, words.inviteExplained, invite), way(words.pasteLink, words.pasteLinkExplained, () => pasteLink()),
    way(words.myAddress, words.myAddressExplained, showAddress), way(words.newGroup, words.newGroupExplained, newGroup))
}

export const invite = () => attempt(async () => {
  const { connLinkInvitation, connection } = await app.api.post(`${app.users}/connections/invitations`, {})
  await showLink(words.invite, words.inviteShow, connLinkInvitation, `${app.users}/connections/${connection.pccConnId}/qr.svg`)
})

/** @param {any} connection that waits */
export const showInvitation = connection => attempt(() =>
  showLink(words.invite, words.inviteShow, connection.connLinkInv, `${app.users}/connections/${connection.pccConnId}/qr.svg`))

const showAddress = () => attempt(async () => {
  const path = `${app.users}/address`
  let link = await app.api.get(path).then(answer => answer.contactLink.connLinkContact, problem => { if (problem.status != 404) throw problem })
  if (!link) {
    if (!await confirmed(words.myAddress, words.addressNone, words.createAddress)) return
    link = (await app.api.post(path, {})).connLinkContact
  }
  await showLink(words.myAddress, words.addressShow, link, `${path}/qr.svg`)
})

/** @param {string} title @param {string} explained @param {any} link @param {string} picture */
async function showLink(title, explained, link, picture) {
  const address = link.connShortLink ?? link.connFullLink
  const code = await app.api.bytes(picture).then(blob => URL.createObjectURL(blob), () => null)
  const box = dialog(title, el("p", null, explained), code && el("img", { src: code, alt: words.qrCode, class: "qr" }),
    el("output", { class: "address" }, address), el("footer", null, button(words.copy, () => copy(address), { kind: "primary" })))
  box.addEventListener("close", () => { if (code) URL.revokeObjectURL(code) })
}

/** @param {string} [given] */
export function pasteLink(given = "") {
  const input = el("textarea", { rows: 3, required: true, spellcheck: "false", autocomplete: "off", autofocus: true, id: "link" })
  input.value = given
  const incognito = el("input", { type: "checkbox", id: "incognito" })
  const box = dialog(words.pasteLink, form(
    [field(words.link, input, words.linkHint), el("label", { class: "check" }, incognito, words.incognito)], words.connect, async () => {
      const link = input.value.trim()
      if (!isInvitation(link)) throw new Error(words.noInvitation)
      const place = await connect(link, incognito.checked)
      box.close()
      if (place) location.hash = app.address(place)
      else say(words.connectingNow)
    }))
}

/** For links in messages. @param {string} link */
export const connectTo = link => pasteLink(link)

/** @returns {Promise<string | null>} the place of a chat that there is already */
async function connect(connLink, incognito) {
  const { connectionPlan } = await app.api.post(`${app.users}/connections/plan`, { connLink })
  const plan = connectionPlan.invitationLinkPlan ?? connectionPlan.contactAddressPlan ?? connectionPlan.groupLinkPlan
  if (plan?.type == "ownLink") throw new Error(words.ownLink)
  const known = plan?.contact ?? plan?.contact_
  if (plan?.type == "known" || plan?.type == "contactViaAddress") {
    if (known) return `direct/${known.contactId}`
    if (plan.groupInfo) return `group/${plan.groupInfo.groupId}`
  }
  await app.api.post(`${app.users}/connections`, { connLink, incognito })
  return null
}

function newGroup() {
  const name = el("input", { type: "text", required: true, maxlength: 100, autocomplete: "off", autofocus: true, id: "group-name" })
  const box = dialog(words.newGroup, form([field(words.groupName, name)], words.createGroup, async () => {
    const { groupInfo } = await app.api.post(`${app.users}/groups`, { groupProfile: { displayName: name.value.trim(), fullName: "" }, incognito: false })
    box.close()
    location.hash = app.address(`group/${groupInfo.groupId}`)
  }))
}
