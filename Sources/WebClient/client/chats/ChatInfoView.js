// The panel with the details of the open chat. This file has the details of a contact.
import { app, askDanger, chatImage, chatTitle, closeDialogs, row, section, words } from "../elements/base.js"
import { chatSettings, clearRow, deleteChat, head, media, quickActions, security } from "./chatDetails.js"
import { showPanel } from "./panel.js"
import { showGroupChatInfo } from "../groups/GroupChatInfoView.js"
import { showMember } from "../groups/GroupMemberInfoView.js"
import { mergePatch } from "../model/patch.js"
import { editPreferences } from "../settings/profileForms.js"

/** Returns the open chat from the session's model. Before the chat is loaded, returns the chat from the chat list. */
const chatInfo = () => (app.isOpen ? app.session.chatInfo : app.chat(app.place)?.chatInfo)

/** Shows the details of the open chat. */
export function showChatInfo() {
  const info = chatInfo()
  if (!info) return
  if (info.groupInfo) return showGroupChatInfo(info, chatInfo)
  const path = `/contacts/${info.contact.contactId}`, shownMedia = media(), code = security(info.contact, path)
  showPanel(chatTitle(info), () => [chatInfo()?.contact], () => {
    const info = chatInfo(), { contact } = info
    const save = preferences =>
      app.patch(path, { preferences: mergePatch(contact.userPreferences, preferences) })
    const edit = () => editPreferences(words.contactPreferences, contact.userPreferences, save, [["", words.asForAll]])
    return [
      head(chatImage(info), chatTitle(info), contact.profile), quickActions(info),
      app.mayWrite && chatSettings(info, path, row(words.contactPreferences, edit)),
      shownMedia, code,
      app.mayWrite && section({ rows: [clearRow(), row(words.deleteContact, deleteContact, { kind: "danger" })] }),
    ]
  })
}

const deleteContact = () => askDanger(words.deleteContact, [
  { name: "mode", label: words.messages, value: "full", options: Object.entries(words.deleteMode) },
  { name: "notify", label: words.deleteNotify, type: "checkbox", value: true },
], async ({ mode, notify }) => { await deleteChat(`?mode=${mode}&notify=${notify}`); closeDialogs() }, words.delete)

/** Shows the details of the author of an item in the open group or channel. */
export function showSender({ chatDir: { type, groupMember } }) {
  if (type == "channelRcv") return showChatInfo()
  const member = app.members.find(({ groupMemberId }) => groupMemberId == groupMember?.groupMemberId) ?? groupMember
  const info = chatInfo()
  if (member && info) showMember(info, member)
}
