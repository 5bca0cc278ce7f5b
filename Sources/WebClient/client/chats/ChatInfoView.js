// The dialog with the details of the open chat. This file has the details of a contact.
import { app, ask, button, chatImage, chatTitle, closeDialogs, dialog, leading, words } from "../elements/base.js"
import { actions, deleteChat, head, security } from "./chatDetails.js"
import { showGroupChatInfo } from "../groups/GroupChatInfoView.js"
import { showMember } from "../groups/GroupMemberInfoView.js"
import { mergePatch } from "../model/patch.js"
import { editPreferences } from "../settings/profileForms.js"

/** Shows the details of the open chat. */
export async function showChatInfo() {
  const info = app.isOpen ? app.session.chatInfo : app.chat(app.place)?.chatInfo
  if (!info) return
  if (info.groupInfo) return showGroupChatInfo(info)
  const { contact } = info, path = `/contacts/${contact.contactId}`, close = () => box.close()
  const save = preferences =>
    app.patch(path, { preferences: mergePatch(contact.userPreferences, preferences) })
  const edit = () => editPreferences(words.preferences, contact.userPreferences, save, [["", words.asForAll]])
  const own = [leading(close)(words.preferences, edit)]
  const last = [button(words.deleteContact, deleteContact, { kind: "danger" })]
  const box = dialog(
    chatTitle(info), head(chatImage(info), chatTitle(info), contact.profile), security(contact, path),
    app.mayWrite && actions(info, path, close, own, last))
}

const deleteContact = () => ask(words.deleteContact, [
  { name: "mode", label: words.messages, value: "full", options: Object.entries(words.deleteMode) },
  { name: "notify", label: words.deleteNotify, type: "checkbox", value: true },
], async ({ mode, notify }) => { await deleteChat(`?mode=${mode}&notify=${notify}`); closeDialogs() }, words.delete)

/** Shows the details of the author of an item in the open group or channel. */
export function showSender({ chatDir: { type, groupMember } }) {
  if (type == "channelRcv") return showChatInfo()
  const member = app.members.find(({ groupMemberId }) => groupMemberId == groupMember?.groupMemberId) ?? groupMember
  if (member && app.isOpen) showMember(app.session.chatInfo, member)
}
