// The title of the page and the badge of the installed application. Both count unread items and contact requests.
import { app, chatName, number, words } from "../elements/base.js"
import { newsOf } from "../model/news.js"

/** Returns the number of unread items in the open profile. */
export const ownUnread = () => app.model.users.find(({ user }) => user.userId == app.userId)?.unreadCount ?? 0

/** Whether a chat is a contact request that no unread item counts. */
const isRequest = ({ chatInfo, chatStats }) => newsOf(chatInfo) == "request" && !chatStats.unreadCount

/** Shows the title for the open chat, with the number of unread items and contact requests. */
export function drawTitle(/** @type {boolean} */ isRinging) {
  const { chats, totalUnreadCountForAllUsers } = app.model, requests = chats.filter(isRequest).length
  const count = ownUnread() + requests, name = app.place && chatName(app.chat(app.place)?.chatInfo)
  const waiting = `${isRinging ? "📞 " : ""}${count ? `(${number(count)}) ` : ""}`
  document.title = `${waiting}${name ? `${name} – ` : ""}${words.title}`
  setBadge(totalUnreadCountForAllUsers + requests)
}

/** Shows the title of a page without chats. */
export function clearTitle() {
  document.title = words.title
  setBadge(0)
}

let badge = 0
/** Sets the badge of the installed application, in browsers that have badges. */
function setBadge(/** @type {number} */ count) {
  if (count == badge) return
  badge = count
  navigator["setAppBadge"]?.(count).catch(() => {})
}
