// What there is to know and to do about a contact, and, for groups and channels, their members (GroupChatInfoView).
import { el, button, text, view } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { attempt, confirmed, dialog, say } from "./dialogs.js"
import { atLeast, chatImage, chatName, isChannel, memberName, settings } from "./chats.js"
import { chatTitle } from "./ChatPreviewView.js"
import { ProfileImage } from "./ProfileImage.js"

export function showChatInfo() {
  const info = app.session?.chatInfo
  if (!info) return
  const profile = info.contact?.profile ?? info.groupInfo?.groupProfile
  const box = dialog(chatTitle(info), el("div", { class: "profile" }, view(ProfileImage, chatImage(info), chatName(info)), el("h3", null, text(chatTitle(info))),
    profile?.fullName && el("p", null, text(profile.fullName)), profile?.shortDescr && el("p", null, text(profile.shortDescr)), profile?.description && el("p", null, text(profile.description))),
    info.type == "direct" && contactDetails(info.contact), info.type == "group" && groupDetails(info), app.mayWrite && info.type != "local" && actions(info, () => box.close()))
}

function contactDetails(contact) {
  const code = el("output", { class: "address" })
  const connection = contact.activeConn
  return el("dl", null, connection && [el("dt", null, words.encryption), el("dd", null, connection.pqRcvEnabled && connection.pqSndEnabled ? words.quantum : words.endToEnd)],
    connection && [el("dt", null, words.securityCode), el("dd", null, connection.connectionCode ? `${words.verified} ` : "",
      button(words.show, () => attempt(async () => { code.textContent = (await app.api.get(`${app.users}/contacts/${contact.contactId}/code`)).connectionCode }), { kind: "plain" }), code)])
}

function groupDetails(info) {
  const group = info.groupInfo, own = group.membership, isAdmin = atLeast(own.memberRole, "admin")
  const list = el("ul", { class: "profiles members" }), path = `${app.users}/groups/${group.groupId}`
  const fill = () => attempt(async () => {
    const { group: { members } } = await app.api.get(`${path}/members`)
    const row = (member, isSelf) => el("li", null, view(ProfileImage, member.memberProfile.image, memberName(member)), text(isSelf ? `${memberName(member)} (${words.you})` : memberName(member)),
      el("small", null, [words.role[member.memberRole] ?? member.memberRole, words.memberStatus[member.memberStatus]].filter(Boolean).join(" · ")),
      !isSelf && isAdmin && app.mayWrite && atLeast(own.memberRole, member.memberRole) && button(words.removeMember(memberName(member)), async () => {
        if (!await confirmed(words.removeMember(memberName(member)), words.removeMemberExplained, words.remove, true)) return
        await attempt(() => app.api.delete(`${path}/members`, { memberIds: [member.groupMemberId], withMessages: false }))
        fill()
      }, { icon: "close", kind: "plain" }))
    list.replaceChildren(row(own, true), ...members.filter(member => !["removed", "left", "deleted"].includes(member.memberStatus)).map(member => row(member, false)))
  })
  fill()
  return el("section", null, el("h3", null, isChannel(info) ? words.subscribers : words.members), isAdmin && app.mayWrite && !isChannel(info) && button(words.addMember, () => addMember(path, fill)), list)
}

const addMember = (path, done) => attempt(async () => {
  const { contacts } = await app.api.get(`${app.users}/contacts`)
  const list = el("ul", { class: "profiles" }, contacts.filter(contact => contact.activeConn).map(contact => el("li", null, el("button", {
    type: "button", class: "plain", on: {
      click: () => attempt(async () => {
        await app.api.post(`${path}/members`, { contactId: contact.contactId, memberRole: "member" })
        box.close()
        say(words.invited(contact.profile.displayName))
        done()
      }),
    },
  }, view(ProfileImage, contact.profile.image, contact.profile.displayName), text(contact.profile.displayName)))))
  const box = dialog(words.addMember, contacts.length ? list : el("p", null, words.noContacts))
})

function actions(info, close) {
  const { enableNtfs = "all", favorite = false, sendRcpts } = settings(info) ?? {}
  const set = change => attempt(async () => {
    await app.api.put(`${app.chatPath}/settings`, { enableNtfs, favorite, ...(sendRcpts === undefined ? {} : { sendRcpts }), ...change })
    close()
  })
  const ask = async (title, explained, action, run) => { if (await confirmed(title, explained, action, true)) { close(); await attempt(run) } }
  const member = info.type == "group" && !["left", "removed", "deleted"].includes(info.groupInfo.membership.memberStatus)
  return el("footer", { class: "actions" },
    button(favorite ? words.notFavorite : words.makeFavorite, () => set({ favorite: !favorite })),
    button(enableNtfs == "none" ? words.unmute : words.mute, () => set({ enableNtfs: enableNtfs == "none" ? "all" : "none" })),
    button(words.clearChat, () => ask(words.clearChat, words.clearExplained, words.clear, () => app.api.post(`${app.chatPath}/clear`)), { kind: "danger" }),
    member && button(isChannel(info) ? words.leaveChannel : words.leaveGroup, () => ask(words.leaveGroup, words.leaveExplained, words.leave, () => app.api.post(`${app.users}/groups/${info.groupInfo.groupId}/leave`)), { kind: "danger" }),
    button(words.deleteChat, () => ask(words.deleteChat, words.deleteChatExplained, words.delete, async () => { const path = app.chatPath; location.hash = app.address(null); await app.api.delete(path) }), { kind: "danger" }))
}
