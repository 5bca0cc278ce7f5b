import {
  app, button, chatPlace, chatTitle, dialog, el, memberName, text, view, wholeTime, words,
} from "../elements/base.js"
import { MsgContentView } from "./MsgContentView.js"
import { status } from "./CIMetaView.js"

export const showItemInfo = async (item, context) => {
  const { meta } = item
  const { chatItemInfo } = await app.get(`/chats/${context.place}/messages/${meta.itemId}${context.query}`)
  let members = []
  if (context.type == "group" && chatItemInfo.memberDeliveryStatuses?.length)
    members = (await app.get(`/groups/${context.chatId}/members`)).group.members
  const line = (label, value) => value && [el("dt", label), el("dd", value)]
  const box = dialog(words.info,
    el("dl", [
      line(words.sentAt, wholeTime(meta.itemTs)),
      line(words.createdAt, wholeTime(meta.createdAt)),
      line(words.changedAt, meta.updatedAt != meta.createdAt && wholeTime(meta.updatedAt)),
      line(words.disappearsAt, meta.itemTimed?.deleteAt && wholeTime(meta.itemTimed.deleteAt)),
      line(words.deletedAt, meta.itemDeleted?.deletedTs && wholeTime(meta.itemDeleted.deletedTs)),
      line(words.from, origin(meta.itemForwarded, chatItemInfo.forwardedFromChatItem, () => box.close())),
      line(words.number, String(meta.itemId)),
    ]),
    chatItemInfo.itemVersions?.length > 0 && [
      el("h3", words.versions),
      el("ol.versions",
        chatItemInfo.itemVersions.map(version =>
          el("li",
            view(MsgContentView, version.msgContent.text ?? "", version.formattedText),
            el("small", wholeTime(version.itemVersionTs))))),
    ],
    chatItemInfo.memberDeliveryStatuses?.length > 0 && [
      el("h3", words.delivery),
      el("ul.versions",
        chatItemInfo.memberDeliveryStatuses.map(({ groupMemberId, memberDeliveryStatus }) =>
          el("li",
            text(memberName(members.find(member => member.groupMemberId == groupMemberId)) || `${groupMemberId}`),
            " ",
            delivery(memberDeliveryStatus)))),
    ])
}

/**
 * Makes the part about the origin of a forwarded item, with a button that opens the original item while its chat
 * exists.
 */
function origin(forwarded, from, close) {
  const place = from && chatPlace(from.chatInfo), name = from ? chatTitle(from.chatInfo) : forwarded?.chatName
  return name && [
    text(name),
    " ",
    place && button(words.open, () => {
      close()
      app.go(place, from.chatItem?.meta.itemId)
    }, { kind: "plain" }),
  ]
}

const delivery = ({ type, msgRcptStatus }) => {
  const kinds = { new: "sndNew", sent: "sndSent", rcvd: "sndRcvd", error: "sndError", warning: "sndWarning" }
  return kinds[type] ? status({ type: kinds[type], msgRcptStatus }) : el("small", words.memberDelivery[type] ?? type)
}
