// What there is to know and to do about a contact, a group or a channel (GroupChatInfoView).
import { app, ask, atLeast, button, chatImage, confirmed, dialog, el, fill, isChannel, say, settings, sure, text, view, words } from "./base.js"
import { chatTitle } from "./ChatPreviewView.js"
import { showChannelMembers } from "./ChannelMembersView.js"
import { showChannelRelays } from "./ChannelRelaysView.js"
import { isGone, memberLists, roleOptions } from "./GroupMemberInfoView.js"
import { found, showLink } from "./NewChatView.js"
import { person, ProfileImage } from "./ProfileImage.js"
import { editPreferences, editTime, profileInputs, timeInput, timerOf, withPicture } from "./ProfilesView.js"
import { showSupport } from "./SecondaryView.js"
import { editTheme } from "./themes.js"

export const head = (image, title, profile) => el("div.profile", view(ProfileImage, image, title), el("h3", text(title)),
  ["fullName", "shortDescr", "description"].map(name => profile?.[name] && el("p", text(profile[name]))))

export async function showChatInfo() {
  const info = app.isOpen ? app.session.chatInfo : app.chat(app.place)?.chatInfo
  if (!info) return
  if (isChannel(info) && app.isOpen) await app.loadMembers()
  const box = dialog(chatTitle(info), head(chatImage(info), chatTitle(info), info.contact?.profile ?? info.groupInfo?.groupProfile),
    info.type == "direct" && security(info.contact, `/contacts/${info.contact.contactId}`), info.type == "group" && groupDetails(info, () => box.close()),
    app.mayWrite && info.type != "local" && actions(info, () => box.close()))
}

/** The code that both sides compare, and what mends a connection. */
export function security(peer, path) {
  const code = el("output.address"), connection = peer.activeConn
  if (!connection) return null
  const show = async () => {
    const { connectionCode } = await app.get(`${path}/code`), isVerified = Boolean(connection.connectionCode)
    fill(code, connectionCode, app.mayWrite && button(isVerified ? words.notVerified : words.verify, async () => {
      await app.post(`${path}/verify`, isVerified ? {} : { connectionCode })
      say(isVerified ? words.notVerified : words.verified)
    }, { kind: "plain" }))
  }
  return [el("dl", el("dt", words.encryption), el("dd", connection.pqRcvEnabled && connection.pqSndEnabled ? words.quantum : words.endToEnd),
    el("dt", words.securityCode), el("dd", connection.connectionCode ? `${words.verified} ` : "", button(words.show, show, { kind: "plain" }), code)),
  app.mayWrite && el("footer.actions", button(words.switchAddress, () => sure(words.switchAddress, words.switchExplained, words.switchAddress, () => app.post(`${path}/switch`))),
    button(words.fixConnection, () => sure(words.fixConnection, words.fixExplained, words.fix, () => app.post(`${path}/sync`))))]
}

function groupDetails(info, close) {
  const group = info.groupInfo, own = group.membership, path = `/groups/${group.groupId}`, isRelayed = isChannel(info), is = role => app.mayWrite && atLeast(own.memberRole, role)
  const members = isRelayed ? null : memberLists(info, close)
  const open = (name, run) => button(name, () => { close(); run() })
  return el("section", el("footer.actions",
    isRelayed ? [
      group.groupProfile.publicGroup && open(words.channelLink, () => showChannelLink(group)),
      open(is("admin") ? words.ownersAndSubscribers : words.owners, () => showChannelMembers(info)), open(words.relays, () => showChannelRelays(group)),
    ] : [
      is("admin") && [open(words.groupLink, () => showGroupLink(group, path)), button(words.addMember, () => addMember(path, members, own.memberRole))],
      is("moderator") ? open(words.reportsOf, () => showSupport(words.reportsOf, { contentTag: "report" }))
        : open(words.askModerators, () => showSupport(words.askModerators, { scope: { type: "memberSupport" } }, "support")),
      is("owner") && open(words.preferences, () => editRules(group, path)),
    ],
    is("owner") && open(isRelayed ? words.editChannel : words.editGroup, () => editGroup(group, path))), members)
}

export const showChannelLink = ({ groupId, groupProfile }) =>
  showLink(words.channelLink, words.channelLinkShow, { connShortLink: groupProfile.publicGroup.groupLink }, `/groups/${groupId}/link/qr.svg`)

const showGroupLink = async (group, path) => {
  let link = (await found(`${path}/link`))?.groupLink
  if (!link) {
    if (!await confirmed(words.groupLink, words.groupLinkNone, words.createAddress)) return
    link = (await app.post(`${path}/link`, { memberRole: "member" })).groupLink
  }
  const remove = () => sure(words.groupLink, words.groupLinkDelete, words.delete, () => app.delete(`${path}/link`))
  await showLink(words.groupLink, words.groupLinkShow, link.connLinkContact, `${path}/link/qr.svg`, button(words.delete, remove, { kind: "danger" }))
}

const addMember = async (path, lists, highest) => {
  const { contacts } = await app.get("/contacts")
  const role = el("select", { label: words.roleOf }, roleOptions(highest).map(([value, label]) => el("option", { value, selected: value == "member" }, label)))
  const list = el("ul.profiles", contacts.filter(contact => contact.activeConn).map(contact => person(contact.profile.image, contact.profile.displayName, async () => {
    await app.post(`${path}/members`, { contactId: contact.contactId, memberRole: role.value })
    box.close()
    say(words.invited(contact.profile.displayName))
    lists.fill()
  })))
  const box = dialog(words.addMember, role, contacts.length ? list : el("p", words.noContacts))
}

/** Who joins a channel is let in by its relays: there is nobody to review. */
const editGroup = ({ groupProfile, useRelays }, path) => ask(useRelays ? words.editChannel : words.editGroup, [
  ...profileInputs(groupProfile, words.groupAbout), { name: "description", label: words.welcome, type: "long", value: groupProfile.description },
  ...(useRelays ? [] : [{ name: "review", label: words.reviewMembers, type: "checkbox", value: groupProfile.memberAdmission?.review == "all" }]),
], async ({ review, ...values }) => {
  const memberAdmission = useRelays ? groupProfile.memberAdmission : review ? { review: "all" } : undefined
  await app.put(`${path}/profile`, { groupProfile: { ...groupProfile, ...await withPicture(values), memberAdmission } })
})

const rules = Object.keys(words.feature).filter(name => name != "calls")
const editRules = ({ groupProfile, fullGroupPreferences }, path) => ask(words.preferences, [
  ...rules.map(name => ({ name, label: words.feature[name], type: "checkbox", value: fullGroupPreferences[name]?.enable == "on" })), timeInput(fullGroupPreferences),
], ({ ttl, ...values }) => {
  const changed = rules.map(name => [name, { ...fullGroupPreferences[name], enable: values[name] ? "on" : "off", ...timerOf(name, ttl) }])
  return app.put(`${path}/profile`, { groupProfile: { ...groupProfile, groupPreferences: { ...fullGroupPreferences, ...Object.fromEntries(changed) } } })
})

/** Its only owner can but delete a channel. */
const mayLeave = info => !isChannel(info) || info.groupInfo.membership.memberRole != "owner" || app.members.some(member => member.memberRole == "owner")

function actions(info, close) {
  const { contact, groupInfo } = info, { chatPath, place } = app, isRelayed = isChannel(info)
  // They may be others when something of them is changed.
  const now = () => ({ enableNtfs: "all", favorite: false, ...settings(app.chat(place)?.chatInfo ?? info) }), { enableNtfs, favorite, sendRcpts } = now()
  const path = contact ? `/contacts/${contact.contactId}` : `/groups/${groupInfo.groupId}`, it = contact ?? groupInfo
  const set = async change => {
    await app.put(`${chatPath}/settings`, { ...now(), ...change })
    close()
  }
  const danger = (name, explained, action, run) => button(name, () => sure(name, explained, action, async () => { close(); await run() }), { kind: "danger" })
  const open = (name, run) => button(name, () => { close(); run() })
  const notify = (name, enableNtfs) => button(name, () => set({ enableNtfs }))
  const rename = () => ask(words.alias, [{ name: "localAlias", label: words.aliasHint, value: it.profile?.localAlias ?? it.localAlias }], body => app.put(`${path}/alias`, body))
  // Without a setting of its own, that of the profile holds.
  const editReceipts = () => ask(words.receiptsOf, [{ name: "send", label: words.receiptsOf, value: String(sendRcpts ?? ""), options: Object.entries(words.receiptChoices) }],
    ({ send }) => set({ sendRcpts: send ? send == "true" : undefined }))
  const preferences = () => editPreferences(words.preferences, contact.userPreferences, preferences => app.put(`${path}/preferences`, { preferences }), [["", words.asForAll]])
  return el("footer.actions",
    button(favorite ? words.notFavorite : words.makeFavorite, () => set({ favorite: !favorite })),
    enableNtfs == "all" ? notify(words.mute, "none") : notify(words.unmute, "all"),
    groupInfo && enableNtfs != "mentions" && notify(words.onlyMentions, "mentions"),
    open(words.alias, rename), open(words.tags, editTags),
    open(words.theme, () => editTheme(it.uiThemes ?? {}, `${chatPath}/themes`, /** @type {any} */ (document.querySelector("chat-view")))),
    open(words.keepItems, () => editTime(it.chatItemTTL, `${chatPath}/ttl`, [["", words.asForAll]])),
    !isRelayed && open(words.receiptsOf, editReceipts), contact && open(words.preferences, preferences),
    danger(words.clearChat, words.clearExplained, words.clear, () => app.post(`${chatPath}/clear`)),
    groupInfo && !isGone(groupInfo.membership) && mayLeave(info) && danger(isRelayed ? words.leaveChannel : words.leaveGroup, words.leaveExplained, words.leave, () => app.post(`${path}/leave`)),
    danger(isRelayed ? words.deleteChannel : words.deleteChat, words.deleteChatExplained, words.delete, async () => { app.go(null); await app.delete(chatPath) }))
}

/** Which tags the chat has, and a new one. */
function editTags() {
  const { contact, groupInfo } = app.chat(app.place).chatInfo, has = (contact ?? groupInfo).chatTags ?? [], known = app.model.chatTagsModel.userTags, { chatPath } = app
  const inputs = known.map(tag => ({ name: `${tag.chatTagId}`, label: `${tag.chatTagEmoji ?? ""} ${tag.chatTagText}`, type: "checkbox", value: has.includes(tag.chatTagId) }))
  ask(words.tags, [...inputs, { name: "text", label: words.newTag, maxlength: 30 }], async ({ text, ...given }) => {
    const before = new Set(known.map(tag => tag.chatTagId))
    const made = text ? (await app.post("/tags", { text })).userTags.filter(tag => !before.has(tag.chatTagId)) : []
    await app.put(`${chatPath}/tags`, { tagIds: [...Object.keys(given).filter(id => given[id]).map(Number), ...made.map(tag => tag.chatTagId)] })
  })
}
