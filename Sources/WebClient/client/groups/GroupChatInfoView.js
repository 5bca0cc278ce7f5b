// The dialog with the details and actions of a group or a channel.
import {
  app, ask, atLeast, button, chatImage, chatTitle, dangerous, dialog, el, isChannel, isCurrent, isGone, leading, say,
  words,
} from "../elements/base.js"
import { showChannelMembers } from "./ChannelMembersView.js"
import { showChannelRelays } from "./ChannelRelaysView.js"
import { showChannelLink, showGroupLink } from "./GroupLinkView.js"
import { memberLists, roleOptions } from "./GroupMemberInfoView.js"
import { mergePatch } from "../model/patch.js"
import { person } from "../elements/ProfileImage.js"
import { profileInputs, timeInput, timerOf, withPicture } from "../settings/profileForms.js"
import { showSupport } from "./SecondaryView.js"
import { actions, deleteChat, head } from "../chats/chatDetails.js"

export async function showGroupChatInfo(info) {
  const group = info.groupInfo, isRelayed = isChannel(info), path = `/groups/${group.groupId}`
  if (isRelayed && app.isOpen) await app.loadMembers()
  const close = () => box.close(), open = leading(close), danger = dangerous(close), isIn = isCurrent(group.membership)
  const deleted = !isIn ? words.deleteChatExplained : isRelayed ? words.deleteForSubscribers : words.deleteForMembers
  const box = dialog(chatTitle(info),
    head(chatImage(info), chatTitle(info), group.groupProfile),
    details(info, path, open, close),
    app.mayWrite
      && actions(info, path, close, [isRelayed && open(words.relays, () => showChannelRelays(group))], [
        mayLeave(group)
          && danger(isRelayed ? words.leaveChannel : words.leaveGroup, words.leaveExplained, words.leave, () =>
            app.post(`${path}/leave`)),
        // A member who is not an owner must leave the group before deleting it.
        (!isIn || group.membership.memberRole == "owner")
          && danger(isRelayed ? words.deleteChannel : words.deleteGroup, deleted, words.delete, () => deleteChat()),
      ]))
}

/** Makes the part with members, link, preferences and profile of a group. */
function details(info, path, open, close) {
  const group = info.groupInfo
  const own = group.membership
  const isRelayed = isChannel(info)
  const is = role => app.mayWrite && atLeast(own.memberRole, role)
  const members = isRelayed ? null : memberLists(info, close)
  return el("section", el("footer.actions",
    isRelayed ? [
      group.groupProfile.publicGroup && open(words.channelLink, () => showChannelLink(group)),
      open(is("admin") ? words.ownersAndSubscribers : words.owners, () => showChannelMembers(info)),
    ] : [
      is("admin") && [
        open(words.groupLink, () => showGroupLink(group, path)),
        button(words.addMember, () => addMember(path, own.memberRole, members)),
      ],
      is("moderator")
        ? open(words.reportsOf, () => showSupport(words.reportsOf, { contentTag: "report" }))
        : open(words.askModerators, () =>
            showSupport(words.askModerators, { scope: { type: "memberSupport" } }, "support")),
      is("owner") && open(words.preferences, () => editRules(group, path)),
    ],
    is("owner") && open(isRelayed ? words.editChannel : words.editGroup, () => editGroup(group, path))), members)
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
const editRules = ({ groupProfile, fullGroupPreferences }, path) => ask(words.preferences, [
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
