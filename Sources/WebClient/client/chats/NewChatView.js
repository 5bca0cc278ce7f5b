// Dialogs that connect to somebody: an invitation with its QR code, the link of another user, the user's address, and a
// new group.
import { app, ask, button, confirmed, dialog, el, sure, words } from "../elements/base.js"
import { newChannel } from "../groups/NewChannelView.js"
import { scanInto } from "../elements/scan.js"
import { showTarget } from "./ConnectView.js"
import { showLink } from "./showLink.js"

export function showNewChat() {
  const way = (name, explained, run) =>
    button([el("b", name), el("small", explained)], () => {
      box.close()
      run()
    }, { kind: "way" })
  const box = dialog(words.newChat,
    el("div.ways",
      way(words.invite, words.inviteExplained, invite),
      way(words.pasteLink, words.pasteLinkExplained, () => connectTo()),
      way(words.myAddress, words.myAddressExplained, showAddress),
      way(words.newGroup, words.newGroupExplained, newGroup),
      way(words.newChannel, words.newChannelExplained, newChannel)))
}

const invite = async () => showInvitation((await app.post("/connections/invitations", {})).connection)

export const showInvitation = connection =>
  showLink(words.invite, words.inviteShow, connection.connLinkInv, `/connections/${connection.pccConnId}/qr.svg`)

const showAddress = async () => {
  let link = (await app.find("/address"))?.contactLink.connLinkContact
  if (!link) {
    if (!await confirmed(words.myAddress, words.addressNone, words.createAddress)) return
    link = (await app.post("/address", {})).connLinkContact
  }
  const remove = () =>
    sure(words.deleteAddress, words.deleteAddressExplained, words.delete, () => app.delete("/address"))
  await showLink(words.myAddress, words.addressShow, link, "/address/qr.svg",
    button(words.deleteAddress, remove, { kind: "danger" }),
    app.mayWrite && button(words.addressSettings, editAddress))
}

/**
 * Edits the settings of the address: whether each request opens a group with the customer, automatic acceptance,
 * automatic reply, and whether the profile contains the address.
 */
async function editAddress() {
  const { contactLink: { addressSettings: { businessAddress, autoAccept, autoReply } } } = await app.get("/address")
  const wasShown = Boolean(app.user.profile.contactLink)
  const box = ask(words.addressSettings, [
    { name: "businessAddress", label: words.businessAddress, type: "checkbox", value: businessAddress },
    { name: "accept", label: words.autoAccept, type: "checkbox", value: Boolean(autoAccept) },
    { name: "acceptIncognito", label: words.acceptIncognito, type: "checkbox", value: autoAccept?.acceptIncognito },
    { name: "reply", label: words.autoReply, hint: words.autoReplyHint, type: "long", value: autoReply?.text },
    { name: "isShown", label: words.addressInProfile, type: "checkbox", value: wasShown },
  ], async ({ businessAddress, accept, acceptIncognito, reply, isShown }) => {
    await app.patch("/address", {
      businessAddress,
      autoAccept: accept ? { acceptIncognito } : null,
      autoReply: reply ? { type: "text", text: reply } : null,
    })
    if (isShown != wasShown) await app.patch("", { addressInProfile: isShown })
  })
  // A business address shows its profile and accepts each request, as in the apps, so the user cannot choose these
  // settings.
  const [business, accept, incognito] = /** @type {HTMLInputElement[]} */ ([...box.querySelectorAll("[type=checkbox]")])
  const follow = () => {
    for (const input of [accept, incognito]) input.disabled = business.checked
    if (!business.checked) return
    accept.checked = true
    incognito.checked = false
  }
  business.addEventListener("change", follow)
  follow()
}

/** Connects by a link. Without a link, asks the user for a link first. */
export async function connectTo(given = "") {
  if (given) return showTarget(given)
  const box = ask(words.pasteLink, [
    { name: "link", label: words.link, hint: words.linkHint, type: "long", required: true },
  ], ({ link }) => showTarget(link), words.next, scanInto(() => box.querySelector("textarea")))
}

const newGroup = () =>
  ask(words.newGroup,
    [{ name: "displayName", label: words.groupName, required: true, isName: true, maxlength: 50 }],
    async ({ displayName }) => {
      const { groupInfo } = await app.post("/groups", { groupProfile: { displayName, fullName: "" }, incognito: false })
      app.go(`group/${groupInfo.groupId}`)
    },
    words.createGroup)
