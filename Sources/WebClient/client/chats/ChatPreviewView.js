// A row of the chat list: the name of the chat, its last item, the time of the item, and unread counts.
import {
  app, badge, chatIcon, chatImage, chatPlace, chatTitle, el, icon, isFavorite, isMuted, isSent,
  itemText, marked, memberName, menu, message, set, settings, shortTime, sign, supportBadge, text, View, view, words,
} from "../elements/base.js"
import { markUnread, readChat, setChat } from "../model/changes.js"
import { isOpenNews, newsOf } from "../model/news.js"
import { chatBadge } from "../elements/badges.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { eventText } from "../items/CIEventView.js"

/** @typedef {import("../model/outbox.js").Entry} Entry */

export class ChatPreviewView extends View {
  draw(chat, isOpen, draft, index, count, /** @type {Entry | undefined} */ waiting, isNew, query, call) {
    const { chatInfo, chatItems, chatStats: { unreadCount, unreadMentions, unreadChat, reportsCount } } = chat
    const { supportUnreadCount } = chat
    const place = chatPlace(chatInfo)
    this.oncontextmenu = event => {
      if (chatMenu(chat, place, event.clientX ? { x: event.clientX, y: event.clientY } : this)) event.preventDefault()
    }
    set(this, { role: "listitem", "aria-posinset": index + 1, "aria-setsize": count })
    const name = chatTitle(chatInfo)
    // The time of a chat's banner has no meaning, so the preview then shows the time at which the chat was created.
    const time = chatItems[0] && chatItems[0].content.type != "chatBanner" ? chatItems[0].meta.itemTs : chat.createdAt
    const news = newsOf(chatInfo)
    return el("a",
      { href: place ? app.address(place) : "#", class: isOpen ? "open" : "", "aria-current": isOpen ? "true" : null },
      view(ProfileImage, chatImage(chatInfo), name, chatIcon(chatInfo)),
      el("span.name",
        marked(name, query, "b"),
        chatBadge(chatInfo),
        isFavorite(chatInfo) && sign(words.favorite, "★"),
        isMuted(chatInfo) && sign(words.muted, "🔕")),
      el("time", { datetime: time, title: time }, shortTime(time)),
      el("span.preview", own(waiting, draft) ?? preview(chatInfo, chatItems[0])),
      el("span.badges",
        badge("call", call == "incomingCall" ? words.incomingCall : words.callNow, call && icon("phone")),
        badge("danger", words.reports(reportsCount), reportsCount && "⚑"),
        supportBadge(supportUnreadCount),
        badge("", words.mentions(unreadMentions), unreadMentions && "@"),
        news && (isNew || isOpenNews(news)) && badge("", words.newsBadge[news], "!"),
        badge(
          isMuted(chatInfo) ? "muted" : "",
          unreadCount ? words.unread(unreadCount) : words.markedUnread,
          unreadCount || (unreadChat && "•")
        )))
  }
}

/** Shows a menu of actions that do not need the chat to be open. */
function chatMenu({ chatInfo, chatStats: { unreadCount, unreadChat } }, place, at) {
  if (!app.mayWrite || !["direct", "group", "local"].includes(chatInfo.type)) return false
  const isSet = Boolean(settings(chatInfo))
  const entry = (name, run) => ({ name, run })
  const read = () => {
    if (unreadCount) readChat(place)
    if (unreadChat) markUnread(place, false)
  }
  menu({ at, label: words.actions, entries: [
    unreadCount || unreadChat ? entry(words.markRead, read) : entry(words.markUnread, () => markUnread(place, true)),
    isSet
      && entry(isFavorite(chatInfo) ? words.notFavorite : words.makeFavorite, () =>
        setChat(place, { favorite: !isFavorite(chatInfo) })),
    isSet
      && entry(isMuted(chatInfo) ? words.unmute : words.mute, () =>
        setChat(place, { enableNtfs: isMuted(chatInfo) ? "all" : "none" })),
  ] })
  return true
}

/**
 * Makes the preview of a text that this user has not sent yet: a waiting message or a draft; null without such a text.
 */
function own(waiting, draft) {
  const written = (name, shown) => [el("em", name), " ", text(shown)]
  if (!waiting) return draft ? written(words.draft, draft.message) : null
  const shown = waiting.text || waiting.notes[0]
  if (waiting.state == "refused") return written(words.notSent, shown)
  return [el("span", words.waitsToBeSent), " ", text(shown)]
}

function preview(info, item) {
  if (info.type == "contactConnection")
    return words.connecting[info.contactConnection.connLinkInv ? "invited" : "joined"]
  if (info.type == "contactRequest") return words.wantsToConnect
  if (!item || item.content.type == "chatBanner") {
    if (info.type == "direct" && info.contact.contactRequestId && !info.contact.activeConn) return words.wantsToConnect
    if (info.type == "group" && info.groupInfo.membership.memberStatus == "invited") return words.invitedToGroup
    return ""
  }
  if (isBeginning(info, item)) return words.connectedNow
  return message(item) ? text(withAuthor(info, item)) : eventPreview(item)
}

/**
 * Whether the last item is one of the settings that a chat gets when its contact is connected. Such an item is
 * recognized by its time: less than a minute after the contact was created.
 */
const isBeginning = ({ contact }, { content: { type }, meta: { itemTs } }) =>
  Boolean(contact) && type == "rcvChatFeature" && Date.parse(itemTs) - Date.parse(contact.createdAt) < 60_000

/** Makes the preview of an item that is no message. */
function eventPreview(item) {
  const { type, status, memberRole } = item.content
  switch (type) {
    case "sndGroupInvitation": return words.groupInvitationSent
    case "rcvGroupInvitation": return words.groupInvitation(words.role[memberRole] ?? memberRole)
    case "sndCall": return callPreview(words.outgoingCall, status)
    case "rcvCall": return callPreview(words.incomingCall, status)
    default: return eventText(item, true)
  }
}

const callPreview = (kind, status) => (words.call[status] ? words.said(kind, words.call[status]) : kind)

/** Returns the text of a message, with the name of its author before it. */
function withAuthor(info, item) {
  const shown = itemText(item)
  if (item.chatDir.type == "groupRcv") return words.said(memberName(item.chatDir.groupMember), shown)
  return isSent(item) && info.type != "local" ? words.said(words.you, shown) : shown
}
