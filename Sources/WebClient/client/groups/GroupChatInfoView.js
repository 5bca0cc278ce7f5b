// The panel with the details and actions of a group or a channel.
import {
  app, ask, atLeast, chatImage, chatTitle, dialog, el, isChannel, isCurrent, isGone, row, say, section, settings,
  supportBadge, text, toggle, words,
} from "../elements/base.js"
import { showChannelMembers } from "./ChannelMembersView.js"
import { showChannelRelays } from "./ChannelRelaysView.js"
import { showChannelLink, showGroupLink } from "./GroupLinkView.js"
import { memberLists, roleOptions, showMemberChats } from "./GroupMemberInfoView.js"
import { link } from "../items/link.js"
import { mergePatch } from "../model/patch.js"
import { person } from "../elements/ProfileImage.js"
import { profileInputs, timeInput, timerOf, withPicture } from "../settings/profileForms.js"
import { showSupport } from "./SecondaryView.js"
import { chatSettings, clearRow, danger, deleteChat, head, media, quickActions } from "../chats/chatDetails.js"
import { showPanel } from "../chats/panel.js"

/** Shows the details of a group. `chatInfo` returns the group as it is now. */
export async function showGroupChatInfo(info, chatInfo) {
  const { place } = app, isRelayed = isChannel(info), shownMedia = media()
  const members = isRelayed ? null : memberLists(info), waiting = () => app.chat(place)?.supportUnreadCount
  if (isRelayed && app.isOpen) await app.loadMembers()
  showPanel(chatTitle(info), () => [chatInfo()?.groupInfo, app.session?.groupMembers, waiting()], () => {
    const now = chatInfo(), group = now.groupInfo, path = `/groups/${group.groupId}`
    return [
      withPage(head(chatImage(now), chatTitle(now), group.groupProfile), group),
      quickActions(now, invites(group, path, members)),
      details(now, path, supportBadge(waiting())),
      app.mayWrite && chatSettings(now, path, mentionsOnly(now)),
      shownMedia, members, app.mayWrite && section({ rows: [clearRow(), ends(group, path)] }),
    ]
  })
}

const access = ({ groupProfile }) => groupProfile.publicGroup?.publicGroupAccess

/** Adds the link to the web page of a channel to the part with its name. */
function withPage(/** @type {HTMLElement} */ part, group) {
  const page = access(group)?.groupWebPage
  if (page) part.append(el("p", link(page, text(page))))
  return part
}

/** Edits the web page of a channel, and whether other web pages may show a preview of the channel. */
const editPage = (group, path) => ask(words.channelPage.title, [
  {
    name: "page", label: words.channelPage.address, hint: words.channelPage.hint, type: "url",
    value: access(group)?.groupWebPage,
  },
  { name: "allowEmbedding", label: words.channelPage.embed, type: "checkbox", value: access(group)?.allowEmbedding },
], ({ page, allowEmbedding }) => {
  if (page && !/^https?:/i.test(page)) throw new Error(words.channelPage.wrong)
  const domainWebPage = access(group)?.domainWebPage ?? false
  return app.patch(path, { access: { domainWebPage, groupWebPage: page || null, allowEmbedding } })
})

/** Returns the button that invites members, if the user may do that. */
const invites = ({ useRelays, membership: { memberRole } }, path, members) =>
  !useRelays
  && app.mayWrite
  && atLeast(memberRole, "admin")
  && ["add", words.addMember, () => addMember(path, memberRole, members)]

/** Makes the switch for notifications only of mentions. */
function mentionsOnly(info) {
  const { enableNtfs } = settings(info) ?? {}, { place } = app
  return toggle(words.onlyMentions, enableNtfs == "mentions", isOn =>
    app.setChat(place, { enableNtfs: isOn ? "mentions" : "all" }))
}

/** Makes the rows that leave and delete a group or a channel. */
function ends(group, path) {
  const isRelayed = group.useRelays, isIn = isCurrent(group.membership)
  const deleted = !isIn ? words.deleteChatExplained : isRelayed ? words.deleteForSubscribers : words.deleteForMembers
  return [
    mayLeave(group)
      && danger(isRelayed ? words.leaveChannel : words.leaveGroup, words.leaveExplained, words.leave, () =>
        app.post(`${path}/leave`)),
    // The row is shown to an owner, and to a user who has left the group. Other members must leave the group before
    // deleting it.
    (!isIn || group.membership.memberRole == "owner")
      && danger(isRelayed ? words.deleteChannel : words.deleteGroup, deleted, words.delete, () => deleteChat()),
  ]
}

/** Makes the section with link, subscribers, relays, preferences and profile of a group. */
function details(info, path, waiting) {
  const group = info.groupInfo, isRelayed = isChannel(info)
  const is = role => app.mayWrite && atLeast(group.membership.memberRole, role)
  return section({ rows: [
    is("owner") && row(isRelayed ? words.editChannel : words.editGroup, () => editGroup(group, path)),
    isRelayed ? [
      group.groupProfile.publicGroup && row(words.channelLink, () => showChannelLink(group)),
      group.groupProfile.publicGroup && is("owner") && row(words.channelPage.title, () => editPage(group, path)),
      row(is("admin") ? words.subscribers : words.owners, () => showChannelMembers(info)),
      app.mayWrite && row(words.relays, () => showChannelRelays(group)),
    ] : [
      is("owner") && row(words.groupPreferences, () => editRules(group, path)),
      is("admin") && row(words.groupLink, () => showGroupLink(group, path)),
      is("moderator")
        ? [
            row(words.memberChats, () => showMemberChats(info), { note: waiting }),
            row(words.reportsOf, () => showSupport(words.reportsOf, { contentTag: "report" })),
          ]
        : row(words.askModerators, () =>
            showSupport(words.askModerators, { scope: { type: "memberSupport" } }, "support"), { note: waiting }),
    ],
  ] })
}

/**
 * Shows a dialog that invites a contact to the group.
 * @param {{fill: () => void} | null} [lists] the lists of members that are filled again after the invitation
 */
export const addMember = async (path, highest, lists = null) => {
  const { contacts } = await app.get("/contacts")
  const role = el("select",
    { label: words.roleOf },
    roleOptions(highest).map(([value, label]) => el("option", { value, selected: value == "member" }, label)))
  const list = el("ul.profiles",
    contacts
      .filter(contact => contact.activeConn)
      .map(contact =>
        person(contact.profile.image, contact.profile.displayName, async () => {
          await app.post(`${path}/members`, { contactId: contact.contactId, memberRole: role.value })
          box.close()
          say(words.invited(contact.profile.displayName))
          lists?.fill()
        })))
  const box = dialog(words.addMember, role, contacts.length ? list : el("p", words.noContacts))
}

/**
 * Edits the profile of a group. For a channel there is no setting for the review of members, since relays admit the
 * subscribers.
 */
const editGroup = ({ groupProfile, useRelays }, path) => ask(useRelays ? words.editChannel : words.editGroup, [
  ...profileInputs(groupProfile, words.groupAbout),
  { name: "description", label: words.welcome, type: "long", value: groupProfile.description },
  ...(useRelays
    ? []
    : [{
        name: "review",
        label: words.reviewMembers,
        type: "checkbox",
        value: groupProfile.memberAdmission?.review == "all",
      }]),
], async ({ review, ...values }) => {
  const memberAdmission = useRelays ? groupProfile.memberAdmission : review ? { review: "all" } : undefined
  const profile = { ...groupProfile, ...await withPicture(values), memberAdmission }
  await app.patch(path, { profile: mergePatch(groupProfile, profile) })
})

const rules = Object.keys(words.feature).filter(name => name != "calls")
const editRules = ({ groupProfile, fullGroupPreferences }, path) => ask(words.groupPreferences, [
  ...rules.map(name => ({
    name,
    label: words.feature[name],
    type: "checkbox",
    value: fullGroupPreferences[name]?.enable == "on",
  })),
  timeInput(fullGroupPreferences),
], ({ ttl, ...values }) => {
  const changed = rules.map(name => [
    name,
    { ...fullGroupPreferences[name], enable: values[name] ? "on" : "off", ...timerOf(name, ttl) },
  ])
  const groupPreferences = { ...fullGroupPreferences, ...Object.fromEntries(changed) }
  return app.patch(path, { profile: mergePatch(groupProfile, { ...groupProfile, groupPreferences }) })
})

/** Whether the user can leave the group. The only owner of a channel can only delete it. */
const mayLeave = ({ useRelays, membership }) =>
  !isGone(membership)
  && (!useRelays || membership.memberRole != "owner" || app.members.some(member => member.memberRole == "owner"))
