// Lists of the members of a group or a channel, and a dialog about one member with the actions that the user may take.
import {
  above, app, ask, atLeast, badge, button, dialog, drawWith, el, fill, frame, isChannel, isGone, memberName, row,
  section, sign, sure, text, view, words,
} from "../elements/base.js"
import { badgeSign } from "../elements/badges.js"
import { person, ProfileImage } from "../elements/ProfileImage.js"
import { showSupport } from "./SecondaryView.js"
import { head, security } from "../chats/chatDetails.js"

const roles = ["observer", "member", "moderator", "admin", "owner"]
export const roleOptions = highest =>
  roles.filter(role => atLeast(highest, role)).map(role => /** @type {[string, string]} */ ([role, words.role[role]]))

const state = member => [
  words.role[member.memberRole] ?? member.memberRole,
  words.memberStatus[member.memberStatus],
  member.blockedByAdmin && words.blocked,
].filter(Boolean).join(" · ")
const unreadSupport = ({ supportChat }) => badge("", words.unread(supportChat?.unread), supportChat?.unread)
const isPending = member => member.memberStatus.startsWith("pending")

/**
 * Makes lists of members. Their function `fill` fills them again after a change. For a channel, there are a list of
 * owners, and a list of subscribers if the user may see them.
 */
export function memberLists(info) {
  const own = info.groupInfo.membership, place = el("div"), isOwner = member => atLeast(member.memberRole, "owner")
  const sections = !isChannel(info)
    ? [[words.members, () => true]]
    : [
        [words.owners, isOwner],
        [
          words.subscribers,
          member => atLeast(own.memberRole, "admin") && !isOwner(member) && member.memberRole != "relay",
        ],
      ]
  const listed = member =>
    person(member.memberProfile.image,
      memberName(member),
      () => showMember(info, member, place.fill),
      badgeSign(member.memberProfile),
      el("small", member.activeConn?.connectionCode && sign(words.verified, "🛡 "), state(member)),
      unreadSupport(member))
  const self = el("li.card",
    view(ProfileImage, own.memberProfile.image, memberName(own)),
    text(`${memberName(own)} (${words.you})`),
    el("small", state(own)))
  place.fill = async () => {
    const { group: { members } } = await app.get(`/groups/${info.groupInfo.groupId}/members`)
    const all = members.filter(member => !isGone(member)).sort((a, b) => Number(isPending(b)) - Number(isPending(a)))
    fill(place, sections.map(([title, fits]) => {
      const rows = [fits(own) && self, ...all.filter(fits).map(listed)].filter(Boolean)
      return rows.length ? [el("h3", title), el("ul.profiles.members", rows)] : []
    }))
  }
  place.fill()
  return place
}

/** Shows the conversation of a member with the moderators. */
const showSupportOf = ({ groupMemberId, ...member }) =>
  showSupport(memberName(member), { scope: { type: "memberSupport", groupMemberId_: groupMemberId } },
    `support:${groupMemberId}`)

/**
 * Shows the members who have a conversation with the moderators. The conversations that wait for an answer come first.
 */
export function showMemberChats({ groupInfo: { groupId } }) {
  const { place } = app, list = el("div.body"), stops = new AbortController()
  const order = member => (isPending(member) ? 2 : 0) + (member.supportChat?.unread ? 1 : 0)
  const read = async () => {
    const { group: { members } } = await app.get(`/groups/${groupId}/members`)
    const shown = members.filter(member => !isGone(member) && (member.supportChat || isPending(member)))
    fill(list, shown.length
      ? el("ul.profiles.members", shown.sort((a, b) => order(b) - order(a)).map(member =>
          person(member.memberProfile.image, memberName(member), () => showSupportOf(member),
            el("small", state(member)), unreadSupport(member))))
      : el("p.empty", { role: "status" }, words.nothingFound))
  }
  const box = dialog(words.memberChats, list)
  const draw = () => drawWith(list, [app.chat(place)?.supportUnreadCount], read)
  app.on("model", draw, stops.signal)
  app.on("leave", () => stops.abort(), stops.signal)
  box.addEventListener("close", () => stops.abort())
  draw()
}

/** Shows the dialog about a member, with the actions that the user may take (GroupMemberInfoView). */
export function showMember(info, member, changed = () => {}) {
  const own = info.groupInfo.membership
  const group = `/groups/${info.groupInfo.groupId}`
  const path = `${group}/members/${member.groupMemberId}`
  const name = memberName(member)
  const waits = isPending(member), isShown = member.memberSettings?.showMessages !== false
  const outranks = app.mayWrite && atLeast(own.memberRole, "moderator") && atLeast(own.memberRole, member.memberRole)
  const isAdmin = outranks && atLeast(own.memberRole, "admin")
  const run = work => async () => { box.close(); await work(); changed() }
  const askRole = (title, memberRole, send, action = words.save) => () => {
    box.close()
    ask(title,
      [{ name: "memberRole", label: words.roleOf, value: memberRole, options: roleOptions(own.memberRole) }],
      async body => {
        await send(body)
        changed()
      },
      action)
  }
  const support = () => {
    box.close()
    showSupportOf(member)
  }
  const write = run(async () => {
    const contactId = member.memberContactId ?? (await app.post(`${path}/contact`)).contact.contactId
    app.go(`direct/${contactId}`)
  })
  const setBlocked = run(() => app.patch(path, { blocked: !member.blockedByAdmin }))
  const setShown = run(() => app.patch(path, { settings: { showMessages: !isShown } }))
  const unsafe = { kind: "danger" }
  /**
   * Asks whether the messages of the member are deleted too. A person who waits for admission is rejected without this
   * question.
   */
  const remove = () => {
    const removal = (label, query = "") =>
      button(label, () => {
        asked.close()
        return run(() => app.delete(`${group}/members?memberIds=${member.groupMemberId}${query}`))()
      }, unsafe)
    const explained = isChannel(info) ? words.removeSubscriberExplained : words.removeMemberExplained
    const asked = dialog(words.removeMember(name), el("div.explanation", explained),
      el("footer", button(words.cancel, () => asked.close()),
        !waits && removal(words.removeWithMessages, "&withMessages=true"), removal(words.remove)))
  }
  const box = frame(name, null, head(member.memberProfile.image, name, member.memberProfile, state(member)),
    section({ rows: [
      outranks
        && waits
        && row(words.letIn, askRole(words.letIn, "member", body => app.post(`${path}/accept`, body), words.letIn)),
      outranks && (waits || member.supportChat) && row(words.supportChat, support),
      app.mayWrite && !waits && row(words.writeTo, write),
      isAdmin
        && !waits
        && row(words.changeRole,
          askRole(words.changeRole, member.memberRole, ({ memberRole }) => app.patch(path, { role: memberRole }))),
    ] }),
    security(member, path),
    section({ rows: [
      app.mayWrite
        && (isShown
          ? row(words.hideMessages, () =>
              sure(words.hideMessages, words.hideMessagesExplained, words.block, setShown), unsafe)
          : row(words.showMessages, setShown)),
      outranks
        && !waits
        && (member.blockedByAdmin
          ? row(words.unblock, setBlocked)
          : row(words.blockForAll, () =>
              sure(words.blockForAll, words.blockForAllExplained, words.block, setBlocked), unsafe)),
      (isAdmin || (outranks && waits)) && row(waits ? words.reject : words.removeMemberRow, remove, unsafe),
    ] }))
  above(box)
}
