// The members of a group or of a channel, and one of them with what one may do to it.
import { app, ask, atLeast, button, dialog, el, isChannel, memberName, sure, words } from "./base.js"
import { head, security } from "./ChatInfoView.js"
import { badge } from "./ChatPreviewView.js"
import { person } from "./ProfileImage.js"
import { showSupport } from "./SecondaryView.js"

export const isGone = member => ["left", "removed", "deleted", "rejected"].includes(member.memberStatus)
const roles = ["observer", "member", "moderator", "admin", "owner"]
export const roleOptions = highest => roles.filter(role => atLeast(highest, role)).map(role => /** @type {[string, string]} */ ([role, words.role[role]]))

const state = member => [words.role[member.memberRole] ?? member.memberRole, words.memberStatus[member.memberStatus], member.blockedByAdmin && words.blocked].filter(Boolean).join(" · ")
const isPending = member => member.memberStatus.startsWith("pending")

/** Lists of members, to be filled again with `fill` when something was changed. Of a channel: its owners, and for those who may see them its subscribers. */
export function memberLists(info, close) {
  const own = info.groupInfo.membership, place = el("div"), isOwner = member => atLeast(member.memberRole, "owner")
  const sections = !isChannel(info) ? [[words.members, () => true]]
    : [[words.owners, isOwner], [words.subscribers, member => atLeast(own.memberRole, "admin") && !isOwner(member) && member.memberRole != "relay"]]
  const row = member => person(member.memberProfile.image, memberName(member), () => showMember(info, member, place.fill, close), el("small", state(member)),
    badge("", words.unread(member.supportChat?.unread), member.supportChat?.unread))
  place.fill = async () => {
    const { group: { members } } = await app.get(`/groups/${info.groupInfo.groupId}/members`)
    const all = members.filter(member => !isGone(member)).sort((a, b) => Number(isPending(b)) - Number(isPending(a)))
    place.replaceChildren(...sections.flatMap(([title, fits]) => {
      const rows = [fits(own) && person(own.memberProfile.image, `${memberName(own)} (${words.you})`, () => {}, el("small", state(own))), ...all.filter(fits).map(row)].filter(Boolean)
      return rows.length ? [el("h3", title), el("ul.profiles.members", rows)] : []
    }))
  }
  place.fill()
  return place
}

/** A member, with what one may do to it (GroupMemberInfoView). */
function showMember(info, member, changed, closeGroup) {
  const own = info.groupInfo.membership, group = `/groups/${info.groupInfo.groupId}`, path = `${group}/members/${member.groupMemberId}`, ids = { memberIds: [member.groupMemberId] }
  const outranks = app.mayWrite && atLeast(own.memberRole, "moderator") && atLeast(own.memberRole, member.memberRole), isAdmin = outranks && atLeast(own.memberRole, "admin")
  const waits = isPending(member), isShown = member.memberSettings?.showMessages !== false
  const run = work => async () => { box.close(); await work(); changed() }
  const box = dialog(memberName(member), head(member.memberProfile.image, memberName(member), member.memberProfile), el("footer.actions",
    outranks && waits && button(words.letIn, () => { box.close(); ask(words.letIn, [{ name: "memberRole", label: words.roleOf, value: "member", options: roleOptions(own.memberRole) }], async body => { await app.post(`${path}/accept`, body); changed() }, words.letIn) }, { kind: "primary" }),
    outranks && (waits || member.supportChat) && button(words.supportChat, () => { box.close(); closeGroup(); showSupport(memberName(member), { scope: { type: "memberSupport", groupMemberId_: member.groupMemberId } }, `support:${member.groupMemberId}`) }),
    app.mayWrite && !waits && button(words.writeTo, run(async () => { const { contact } = member.memberContactId ? { contact: { contactId: member.memberContactId } } : await app.post(`${path}/contact`); closeGroup(); app.go(`direct/${contact.contactId}`) })),
    isAdmin && !waits && button(words.changeRole, () => { box.close(); ask(words.changeRole, [{ name: "memberRole", label: words.roleOf, value: member.memberRole, options: roleOptions(own.memberRole) }], async body => { await app.put(`${group}/members/role`, { ...ids, ...body }); changed() }) }),
    app.mayWrite && button(isShown ? words.hideMessages : words.showMessages, run(() => app.put(`${path}/settings`, { showMessages: !isShown }))),
    outranks && !waits && button(member.blockedByAdmin ? words.unblock : words.block, run(() => app.put(`${group}/members/blocked`, { ...ids, blocked: !member.blockedByAdmin })), { kind: "danger" }),
    (isAdmin || outranks && waits) && button(waits ? words.reject : words.remove, () => sure(words.removeMember(memberName(member)), words.removeMemberExplained, words.remove, run(() => app.delete(`${group}/members`, { ...ids, withMessages: false }))), { kind: "danger" })),
  security(member, path))
}

