// One chat in the list: its name, its last item, its time, what is unread.
import { app, chatImage, chatName, chatPlace, el, isFavorite, isMuted, isSent, memberName, shortTime, text, View, view, words } from "./base.js"
import { ProfileImage } from "./ProfileImage.js"
import { itemText } from "./MsgContentView.js"

export class ChatPreviewView extends View {
  draw(chat, isOpen, draft, index, count) {
    const { chatInfo, chatItems, chatStats } = chat
    const place = chatPlace(chatInfo)
    this.setAttribute("role", "listitem")
    this.setAttribute("aria-posinset", String(index + 1))
    this.setAttribute("aria-setsize", String(count))
    const name = chatTitle(chatInfo)
    const unread = chatStats.unreadCount || (chatStats.unreadChat ? "•" : null)
    const time = chatItems[0]?.meta.itemTs ?? chat.created
    return el("a", { href: place ? app.address(place) : "#", class: isOpen ? "open" : "", "aria-current": isOpen ? "true" : null },
      view(ProfileImage, chatImage(chatInfo), name, icon(chatInfo)),
      el("span.name", text(name, "b"), isFavorite(chatInfo) && el("span", { title: words.favorite, role: "img", "aria-label": words.favorite }, "★"),
        isMuted(chatInfo) && el("span", { title: words.muted, role: "img", "aria-label": words.muted }, "🔕")),
      el("time", { datetime: time, title: time }, shortTime(time)),
      el("span.preview", draft ? [el("em", words.draft), " ", text(draft.message)] : preview(chatInfo, chatItems[0])),
      chatStats.reportsCount ? el("span", { class: "badge danger", "aria-label": words.reports(chatStats.reportsCount) }, "⚑") : null,
      chatStats.unreadMentions ? el("span", { class: "badge", "aria-label": words.mentions(chatStats.unreadMentions) }, "@") : null,
      unread ? el("span", { class: isMuted(chatInfo) ? "badge muted" : "badge", "aria-label": chatStats.unreadCount ? words.unread(chatStats.unreadCount) : words.markedUnread }, unread) : null)
  }
}

const icon = info => ({ local: "✎", contactConnection: "…" })[info.type] ?? ""

/** The name of a chat, or what it is. */
export const chatTitle = info => chatName(info) || ({ local: words.notes, contactConnection: words.pendingConnection })[info.type] || words.unknownChat

function preview(info, item) {
  if (info.type == "contactConnection") return words.connecting[info.contactConnection.connLinkInv ? "invited" : "joined"]
  if (info.type == "contactRequest") return words.wantsToConnect
  if (!item) {
    if (info.type == "direct" && info.contact.contactRequestId && !info.contact.activeConn) return words.wantsToConnect
    if (info.type == "group" && info.groupInfo.membership.memberStatus == "invited") return words.invitedToGroup
    return ""
  }
  const name = item.chatDir.type == "groupRcv" ? `${memberName(item.chatDir.groupMember)}: ` : isSent(item) && info.type != "local" ? `${words.you}: ` : ""
  return text(name + itemText(item))
}
