// The beginning: who has a key sees the profile's chats, others are asked for one.
import { app } from "./app.js"
import { el, button, text, view } from "./dom.js"
import { words } from "./words.js"
import { attempt, dialog, say } from "./dialogs.js"
import { chatName } from "./chats.js"
import { SignInView } from "./SignInView.js"
import { newProfile, profileList, ProfilesView } from "./ProfilesView.js"
import { ChatListView } from "./ChatListView.js"
import { ChatView } from "./ChatView.js"
import { ProfileImage } from "./ProfileImage.js"
import { showNewChat } from "./NewChatView.js"

const offline = el("p", { class: "offline", role: "status", hidden: true })
const page = el("div", { class: "page" })
document.body.append(offline, page)

/** @type {{head: HTMLElement, list: ChatListView, chat: ChatView, whole: HTMLElement} | null} The two halves of the page; null while there is no profile. */
let shown = null

function show(...content) {
  shown = null
  page.replaceChildren(...content)
  document.title = words.title
}

const askForKey = (problem = "") => show(view(SignInView, problem))

/** The profile and the chat that the address of the page names: `#/1/direct/4`. */
async function go() {
  if (!app.api.key) return
  const [, userId, ...place] = decodeURIComponent(location.hash.slice(1)).split("/")
  if (!/^[1-9][0-9]*$/.test(userId ?? "")) return chooseProfile()
  if (Number(userId) != app.userId) {
    app.openProfile(Number(userId))
    show(el("p", { class: "empty", role: "status" }, words.loading))
  }
  const wanted = place.length == 2 ? place.join("/") : null
  if (!shown) { app.place = wanted; return }
  if (wanted == app.place && wanted) return
  app.place = wanted
  openPlace()
}

async function chooseProfile() {
  app.leaveProfile()
  show(el("p", { class: "empty", role: "status" }, words.loading))
  const answer = await attempt(() => app.api.get("/v1/users"))
  if (!answer) return show(el("main", { class: "gate" }, el("p", { class: "problem", role: "alert" }, words.problem("offline")), button(words.again, chooseProfile)))
  const users = answer.users.filter(({ user }) => !app.rights.userId || user.userId == app.rights.userId)
  // Who has one profile has chosen it.
  if (users.length == 1) return location.replace(`#/${users[0].user.userId}`)
  show(view(ProfilesView, users))
}

function showChats() {
  const head = el("header", { class: "bar" }), list = new ChatListView(), chat = new ChatView()
  const whole = el("div", { class: "halves" }, el("nav", { "aria-label": words.chats }, head, list), el("main", null, el("p", { class: "empty hint" }, words.chooseChat), chat))
  shown = { head, list, chat, whole }
  page.replaceChildren(whole)
}

function openPlace() {
  if (!shown) return
  shown.whole.classList.toggle("hasChat", Boolean(app.place))
  shown.chat.open()
  shown.list.update()
  if (!app.place) app.openChat(null)
}

function drawHead() {
  if (!shown) return
  const { profile } = app.user ?? { profile: { displayName: "" } }
  shown.head.replaceChildren(
    el("button", { type: "button", class: "plain who", "aria-label": words.profileMenu(profile.displayName), on: { click: showProfiles } }, view(ProfileImage, profile.image, profile.displayName), text(profile.displayName, "b")),
    app.mayWrite ? button(words.newChat, showNewChat, { icon: "pencil", kind: "round primary" }) : "")
}

function showProfiles() {
  const list = profileList(app.model.users.filter(({ user }) => user.userId != app.userId))
  const box = dialog(words.profiles, list, el("footer", null, app.mayWrite && !app.rights.userId && button(words.newProfile, () => { box.close(); newProfile() }), button(words.signOut, () => { box.close(); app.signOut() })))
  list.addEventListener("click", () => box.close())
}

let drawnUser
app.on("model", () => {
  const isFirst = !shown
  if (isFirst) { drawnUser = null; showChats() }
  if (drawnUser !== app.user) { drawnUser = app.user; drawHead() }
  if (isFirst) openPlace()
  shown?.list.update()
  shown?.chat.update()
  const unread = app.model.totalUnreadCountForAllUsers
  const name = app.place && chatName(app.chat(app.place)?.chatInfo)
  document.title = `${unread ? `(${unread}) ` : ""}${name ? `${name} – ` : ""}${words.title}`
})
app.on("session", () => {
  if (app.session.chatDeleted && app.place && !app.session.chatId) location.hash = app.address(null)
  // The session came after the chat was chosen.
  else if (shown && app.place && app.session.chatId === undefined && !app.isOpen) attempt(() => app.openChat(app.place))
  shown?.chat.update()
})
app.on("offline", () => {
  offline.hidden = !app.isOffline
  offline.textContent = app.isOffline ? words.offline : ""
})
app.on("signedIn", go)
app.addEventListener("signedOut", event => askForKey(/** @type {CustomEvent} */ (event).detail ? words.keyRefused : ""))
app.addEventListener("failed", event => {
  const problem = /** @type {CustomEvent} */ (event).detail
  if (problem.status == 401) return
  say(problem.message)
  if (problem.status == 403 || problem.status == 404) show(el("main", { class: "gate" }, el("p", { class: "problem", role: "alert" }, problem.message), button(words.chooseProfile, () => { location.hash = "#/" })))
})
addEventListener("hashchange", go)
addEventListener("offline", () => app.setOffline(true))
addEventListener("online", () => app.setOffline(false))

const key = app.storedKey
if (!key) askForKey()
else {
  show(el("p", { class: "empty", role: "status" }, words.loading))
  const begin = () => app.signIn(key).then(go, problem => {
    if (problem.code == "offline") return show(el("main", { class: "gate" }, el("p", { class: "problem", role: "alert" }, problem.message), button(words.again, begin)))
    askForKey(problem.message)
  })
  begin()
}
