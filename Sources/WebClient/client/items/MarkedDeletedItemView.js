import { button, el, memberName, View, view, words } from "../elements/base.js"
import { CIMetaView } from "./CIMetaView.js"
import { FramedItemView } from "./FramedItemView.js"

export class MarkedDeletedItemView extends View {
  draw(item, context, showsName) {
    const { type, byGroupMember } = item.meta.itemDeleted
    const line =
      type == "moderated"
        ? words.moderatedBy(memberName(byGroupMember))
        : (words.deleted[type] ?? words.deleted.deleted)
    const reveal = button(words.reveal, () => this.replaceChildren(view(FramedItemView, item, context, showsName)), {
      kind: "plain",
    })
    const hasContent = item.content.msgContent?.text || item.file
    return [el("em", line), hasContent && reveal, view(CIMetaView, item.meta)]
  }
}
