// The start of the page. A user with a key sees the chats of a profile. Other users are asked for a key.
import {
  app, badge, button, chatPlace, chatTitle, closeDialogs, drawWith, el, fill, language, languageTag, make, say, text,
  view, words,
} from "./elements/base.js"
import { LockedView, SignInView } from "./shell/SignInView.js"
import { ChatListView } from "./chats/ChatListView.js"
import { ChatView } from "./chats/ChatView.js"
import { IncomingCallView } from "./calls/IncomingCallView.js"
import { followLongTouches } from "./elements/longPress.js"
import { newsBetween } from "./model/news.js"
import { followPresses } from "./model/press.js"
import { ProfileImage } from "./elements/ProfileImage.js"
import { stopNotifying } from "./model/push.js"
import { logo } from "./elements/illustrations.js"
import { closePanel } from "./chats/panel.js"
import { followKeys } from "./shell/keys.js"
import { connectTo, loadProfiles, showNewChat, showSearch, showSettings, showShortcuts } from "./shell/parts.js"
import { paint } from "./shell/themes.js"
import { clearTitle, drawTitle, ownUnread } from "./shell/title.js"

document.documentElement.lang = languageTag(language)
document.documentElement.dir = words.direction
followPresses()
followLongTouches()
const offline = el("p.offline", { role: "status", hidden: true })
const page = el("div.page"), incoming = make(IncomingCallView)
document.body.append(offline, incoming, page)

/**
 * The elements of the page: the header, the chat list and the open chat; null while no profile is open.
 * @type {{head: HTMLElement, list: ChatListView, chat: ChatView, whole: HTMLElement} | null}
 */
let shown = null

function show(...content) {
  shown = null
  page.replaceChildren(...content)
  page.querySelector("input")?.focus()
  clearTitle()
}

const askForKey = (problem = "", ticket = "") => show(view(SignInView, problem, ticket))
const wait = () => show(el("p.empty", { role: "status" }, words.loading))

/** Replaces the page by an error and a button. */
function stop(problem, name, run) {
  if (problem.code == "storeLocked") { app.leaveProfile(); return show(view(LockedView)) }
  show(el("main.gate", el("p.problem", { role: "alert" }, problem.message), button(name, run)))
}

/**
 * Opens the profile and the chat in the address of the page: `#/1/direct/4`. An address with an item,
 * `#/1/direct/4/77`, scrolls to the item once.
 */
async function go() {
  if (!app.api.key) return
  const [, userId, kind, id, item] = location.hash.slice(1).split("/")
  if (!/^[1-9][0-9]*$/.test(userId ?? "")) return chooseProfile()
  if (Number(userId) != app.userId) {
    app.openProfile(Number(userId))
    wait()
  }
  const wanted = /^[a-z]+$/.test(kind ?? "") && Number(id) > 0 ? `${kind}/${Number(id)}` : null
  app.goal = wanted && Number(item) || 0
  if (app.goal) history.replaceState(null, "", app.address(wanted))
  if (!shown) { app.place = wanted; return }
  if (wanted == app.place && wanted) return app.goal ? shown.chat.goTo(app.goal) : undefined
  app.place = wanted
  openPlace()
}

async function chooseProfile() {
  app.leaveProfile()
  wait()
  // A key that is bound to a profile may not list the profiles, so its profile is opened without a choice.
  const { userId } = app.rights, { api } = app
  if (userId) return location.replace(`#/${userId}`)
  // While the profiles are read, the user may open one of them by the history of the browser, or sign out.
  const isAwaited = () => !app.userId && app.api === api
  try {
    const users = await api.all("/v1/users", "users")
    if (!isAwaited()) return
    // If there is only one profile, it is opened without a choice.
    if (users.length == 1) return location.replace(`#/${users[0].user.userId}`)
    const { ProfilesView } = await loadProfiles()
    if (isAwaited()) show(view(ProfilesView, users))
  } catch (problem) { if (problem.status != 401 && isAwaited()) stop(problem, words.again, chooseProfile) }
}

function showChats() {
  const head = el("header.bar"), list = make(ChatListView), chat = make(ChatView)
  const whole = el("div.halves",
    el("nav", { label: words.chats }, head, list),
    el("main", el("p.empty.hint", logo(), el("span", words.chooseChat)), chat))
  shown = { head, list, chat, whole }
  page.replaceChildren(whole)
}

/** Puts the focus into the search of the list. In a narrow window, an open chat covers the list. */
function searchAll() {
  if (!shown) return false
  const { list } = shown, focus = () => list.focusSearch()
  if (list.offsetParent) return focus()
  addEventListener("hashchange", focus, { once: true })
  app.go(null)
}

followKeys({
  searchAll,
  searchChat: () => {
    const chat = shown?.chat
    return chat && app.isSearchable ? showSearch(id => chat.goTo(id)) : false
  },
  previousChat: () => shown?.list.goBy(-1) ?? false,
  nextChat: () => shown?.list.goBy(1) ?? false,
  previousUnread: () => shown?.list.goBy(-1, true) ?? false,
  nextUnread: () => shown?.list.goBy(1, true) ?? false,
  settings: () => (shown ? showSettings() : false),
  shortcuts: () => showShortcuts(),
  close: () => closePanel() || (app.place ? app.go(null) : false),
})

function openPlace() {
  if (!shown) return
  shown.whole.classList.toggle("hasChat", Boolean(app.place))
  shown.chat.open()
  shown.list.update()
  if (!app.place) app.openChat(null)
}

/** @param {number} unread the number of unread items in other profiles */
function drawHead(unread) {
  const { profile } = app.user ?? { profile: { displayName: "" } }
  fill(/** @type {any} */ (shown).head,
    button([
      view(ProfileImage, profile.image, profile.displayName),
      text(profile.displayName, "b"),
      badge("muted", words.unreadElsewhere(unread), unread),
    ], showSettings, { kind: "plain who", label: words.profileMenu(profile.displayName) }),
    app.mayWrite && button(words.newChat, showNewChat, { icon: "pencil", kind: "round primary" }))
}

/**
 * Shows the reason if no messages can arrive: the gateway or the network cannot be reached, or the core was stopped.
 */
function drawState() {
  const { networkInfo, lifecycle } = app.model ?? {}
  const state = app.isOffline
    ? words.offline
    : networkInfo?.online === false
      ? words.noNetwork
      : lifecycle?.chatRunning === false
        ? words.coreStopped
        : ""
  offline.hidden = !state
  if (offline.textContent != state) offline.textContent = state
}

/**
 * Shows a notice for news other than messages, such as a new contact.
 * @param {any[]} before the chats before the change
 */
function tellNews(before) {
  for (const { info, name } of newsBetween(before, app.model.chats)) {
    const place = chatPlace(info)
    if (place == app.place) continue
    app.fresh.add(place)
    if (app.user?.showNtfs) say(words.news[name](chatTitle(info)), () => app.go(place))
  }
}

let /** @type {any[] | null} */ known = null
app.on("model", () => {
  if (known) tellNews(known)
  known = app.model.chats
  const isFirst = !shown
  if (isFirst) showChats()
  const elsewhere = app.model.totalUnreadCountForAllUsers - ownUnread()
  if (shown) drawWith(shown.head, [app.user, elsewhere], () => drawHead(elsewhere))
  paint(document.documentElement, app.user?.uiThemes)
  if (isFirst) openPlace()
  shown?.list.update()
  shown?.chat.update()
  incoming.update()
  drawState()
  drawTitle(incoming.isRinging)
})
app.on("ringing", () => { if (app.model && shown) drawTitle(incoming.isRinging) })
/** The place of the chat that the session has shown last. */
let /** @type {string | null} */ opened = null
app.on("session", () => {
  const { chatDeleted, chatId, chatInfo } = app.session
  if (chatId) opened = chatPlace(chatInfo)
  // The user may have chosen another chat before the session reports the deletion.
  else if (chatDeleted && app.place && app.place == opened) app.go(null)
  shown?.chat.update()
})
app.on("outbox", event => {
  shown?.list.update()
  const { detail } = /** @type {CustomEvent} */ (event)
  const isOwn = detail?.userId == app.userId
  // In the open chat, the user sees the refused message itself, so no notice is shown.
  if (!detail || isOwn && detail.place == app.place) return
  say(words.notSentTo(isOwn ? chatTitle(app.chat(detail.place)?.chatInfo) : words.otherProfile))
})
app.on("connect", event => connectTo(/** @type {CustomEvent} */ (event).detail))
app.on("refused", event => say(/** @type {CustomEvent} */ (event).detail.message))
app.on("offline", drawState)
app.on("notKept", () => say(words.notKept))
app.on("leave", () => { closeDialogs(); incoming.update(); known = null })
app.on("signedIn", go)
app.addEventListener("signedOut", event => {
  stopNotifying()
  askForKey(/** @type {CustomEvent} */ (event).detail ? words.keyRefused : "")
})
app.addEventListener("failed", event => {
  const problem = /** @type {CustomEvent} */ (event).detail
  if (problem.status == 401) return
  if (problem.status == 403 || problem.status == 404 || problem.code == "storeLocked")
    return stop(problem, words.chooseProfile, () => {
      location.hash = "#/"
    })
  say(problem.message)
})
addEventListener("hashchange", () => {
  const ticket = takeTicket()
  ticket && !app.api.key ? askForKey("", ticket) : go()
})
// The browser asks for confirmation, since a closed tab loses the messages that are not sent yet.
addEventListener("beforeunload", event => {
  if (app.outbox.isWaiting || app.pending.isWaiting) event.preventDefault()
})
addEventListener("offline", () => app.setOffline(true))
addEventListener("online", () => app.setOffline(false))

/**
 * Returns the ticket of a sign-in link, and removes it from the address, so that the browser's history does not contain
 * it.
 */
function takeTicket() {
  const ticket = /^#ticket=(.+)/.exec(location.hash)?.[1]
  if (ticket) history.replaceState(null, "", location.pathname)
  return ticket
}
const ticket = takeTicket(), key = app.storedKey
function begin() {
  wait()
  app
    .signIn(/** @type {string} */ (key))
    .then(go, problem => (problem.code == "offline" ? stop(problem, words.again, begin) : askForKey(problem.message)))
}
if (ticket || !key) askForKey("", ticket)
else begin()
