// The details of an item: its times, its versions, and who has received it.
import { el, text, view } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { attempt, dialog } from "./dialogs.js"
import { memberName } from "./chats.js"
import { wholeTime } from "./time.js"
import { MsgContentView } from "./MsgContentView.js"
import { status } from "./CIMetaView.js"

/** @param {any} item @param {any} context */
export const showItemInfo = (item, context) => attempt(async () => {
  const { meta } = item
  const { chatItemInfo } = await app.api.get(`${app.chatPath}/items/${meta.itemId}`)
  let members = []
  if (context.type == "group" && chatItemInfo.memberDeliveryStatuses?.length) members = (await app.api.get(`${app.users}/groups/${context.chatId}/members`)).group.members
  const line = (label, value) => value && [el("dt", null, label), el("dd", null, value)]
  dialog(words.info,
    el("dl", null, [
      line(words.sentAt, wholeTime(meta.itemTs)), line(words.createdAt, wholeTime(meta.createdAt)), line(words.changedAt, meta.updatedAt != meta.createdAt && wholeTime(meta.updatedAt)),
      line(words.disappearsAt, meta.itemTimed?.deleteAt && wholeTime(meta.itemTimed.deleteAt)), line(words.deletedAt, meta.itemDeleted?.deletedTs && wholeTime(meta.itemDeleted.deletedTs)),
      line(words.from, meta.itemForwarded?.chatName && text(meta.itemForwarded.chatName)), line(words.number, String(meta.itemId)),
    ].flat(3)),
    chatItemInfo.itemVersions?.length > 0 && [el("h3", null, words.versions), el("ol", { class: "versions" }, chatItemInfo.itemVersions.map(version =>
      el("li", null, view(MsgContentView, version.msgContent.text ?? "", version.formattedText), el("small", null, wholeTime(version.itemVersionTs)))))],
    chatItemInfo.memberDeliveryStatuses?.length > 0 && [el("h3", null, words.delivery), el("ul", { class: "versions" }, chatItemInfo.memberDeliveryStatuses.map(({ groupMemberId, memberDeliveryStatus }) =>
      el("li", null, text(memberName(members.find(member => member.groupMemberId == groupMemberId)) || `${groupMemberId}`), " ", delivery(memberDeliveryStatus))))])
})

const delivery = ({ type, msgRcptStatus }) => {
  const kinds = { new: "sndNew", sent: "sndSent", rcvd: "sndRcvd", error: "sndError", warning: "sndWarning" }
  return kinds[type] ? status({ type: kinds[type], msgRcptStatus }) : el("small", null, words.memberDelivery[type] ?? type)
}
