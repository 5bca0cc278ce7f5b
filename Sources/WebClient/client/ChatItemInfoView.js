import { app, dialog, el, memberName, text, view, wholeTime, words } from "./base.js"
import { MsgContentView } from "./MsgContentView.js"
import { status } from "./CIMetaView.js"

export const showItemInfo = async (item, context) => {
  const { meta } = item
  const { chatItemInfo } = await app.get(`${app.chatPath}/items/${meta.itemId}`)
  let members = []
  if (context.type == "group" && chatItemInfo.memberDeliveryStatuses?.length) members = (await app.get(`/groups/${context.chatId}/members`)).group.members
  const line = (label, value) => value && [el("dt", label), el("dd", value)]
  dialog(words.info,
    el("dl", [
      line(words.sentAt, wholeTime(meta.itemTs)), line(words.createdAt, wholeTime(meta.createdAt)), line(words.changedAt, meta.updatedAt != meta.createdAt && wholeTime(meta.updatedAt)),
      line(words.disappearsAt, meta.itemTimed?.deleteAt && wholeTime(meta.itemTimed.deleteAt)), line(words.deletedAt, meta.itemDeleted?.deletedTs && wholeTime(meta.itemDeleted.deletedTs)),
      line(words.from, meta.itemForwarded?.chatName && text(meta.itemForwarded.chatName)), line(words.number, String(meta.itemId)),
    ]),
    chatItemInfo.itemVersions?.length > 0 && [el("h3", words.versions), el("ol.versions", chatItemInfo.itemVersions.map(version =>
      el("li", view(MsgContentView, version.msgContent.text ?? "", version.formattedText), el("small", wholeTime(version.itemVersionTs)))))],
    chatItemInfo.memberDeliveryStatuses?.length > 0 && [el("h3", words.delivery), el("ul.versions", chatItemInfo.memberDeliveryStatuses.map(({ groupMemberId, memberDeliveryStatus }) =>
      el("li", text(memberName(members.find(member => member.groupMemberId == groupMemberId)) || `${groupMemberId}`), " ", delivery(memberDeliveryStatus))))])
}

const delivery = ({ type, msgRcptStatus }) => {
  const kinds = { new: "sndNew", sent: "sndSent", rcvd: "sndRcvd", error: "sndError", warning: "sndWarning" }
  return kinds[type] ? status({ type: kinds[type], msgRcptStatus }) : el("small", words.memberDelivery[type] ?? type)
}
