// Profiles: choose one, make one, open a hidden one; and what is set for the profile, the store and this browser.
import { app, ask, button, confirmed, dialog, el, features, form, say, sure, View, words } from "./base.js"
import { badge } from "./ChatPreviewView.js"
import { makeCards, makesCards } from "./ComposeView.js"
import { person } from "./ProfileImage.js"
import { prepared } from "./pictures.js"
import { canNotify, notify } from "./push.js"
import { editCalls, editNetwork, editServers } from "./SettingsView.js"
import { editTheme } from "./themes.js"

export class ProfilesView extends View {
  draw(users) {
    const first = [el("h1", words.firstProfile), el("p", words.firstProfileExplained), profileForm()]
    return el("main.gate", users.length ? [el("h1", words.chooseProfile), profileList(users), app.mayWrite && button(words.newProfile, newProfile)] : first,
      app.mayWrite && button(words.openHidden, openHidden), button(words.signOut, () => app.signOut(), { kind: "plain" }))
  }
}

const profileList = users => el("ul.profiles", users.map(({ user, unreadCount }) => person(user.profile.image, user.profile.displayName, () => open(user.userId),
  badge("", words.unread(unreadCount), unreadCount))))

/** A hidden profile that is left is hidden again: another one is the active one then. */
const open = async userId => {
  if (app.user?.viewPwdHash) await app.api.post(`/v1/users/${userId}/activate`)
  location.hash = `#/${userId}`
}

const newProfile = () => { const box = dialog(words.newProfile, profileForm(() => box.close())) }

const profileForm = (done = () => {}) => form([
  { name: "displayName", label: words.profileName, hint: words.profileNameHint, required: true, maxlength: 100 }, { name: "shortDescr", label: words.profileAbout, maxlength: 160 },
], words.createProfile, async ({ displayName, shortDescr }) => {
  const { user } = await app.api.post("/v1/users", { profile: { displayName, fullName: "", ...(shortDescr ? { shortDescr } : {}) } })
  done()
  location.hash = `#/${user.userId}`
})

const password = { name: "viewPwd", label: words.password, type: "password", required: true }

/** Nothing says that there are hidden profiles, or how many: the password is tried for those numbers that nobody else has. */
const openHidden = () => ask(words.openHidden, [password], async ({ viewPwd }) => {
  const known = new Set((await app.api.get("/v1/users")).users.map(({ user }) => user.userId))
  for (let userId = 1; userId <= Math.max(0, ...known) + 5; userId++) {
    if (known.has(userId)) continue
    const opened = await app.api.post(`/v1/users/${userId}/activate`, { viewPwd }).catch(problem => { if (problem.code == "offline" || problem.status == 429) throw problem })
    if (opened) { location.hash = `#/${userId}`; return }
  }
  throw new Error(words.noHidden)
}, words.open)

export function showProfiles() {
  const { user } = app, isAlone = Boolean(app.rights.userId), isAdmin = app.rights.scopes.includes("admin")
  const store = `/v1/stores/${app.rights.storeId}`
  const put = (name, path) => async () => { await app.put(path, { enable: !user[name] }); say(words.saved) }
  const entry = (name, run) => button(name, () => { box.close(); run() })
  const others = profileList(app.model.users.filter(({ user }) => user.userId != app.userId))
  others.addEventListener("click", () => box.close())
  const box = dialog(words.profiles, others, el("footer.actions",
    app.mayWrite && [
      !isAlone && [entry(words.newProfile, newProfile), entry(words.openHidden, openHidden)],
      entry(words.editProfile, editProfile), entry(words.preferences, () => editPreferences(words.preferences, user.fullPreferences, preferences =>
        app.put("/profile", { profile: { ...profileOf(user), preferences } }))),
      entry(user.sendRcptsContacts ? words.noReceipts : words.receipts, put("sendRcptsContacts", "/receipts/contacts")),
      entry(user.autoAcceptMemberContacts ? words.noMemberContacts : words.memberContacts, put("autoAcceptMemberContacts", "/auto-accept-member-contacts")),
      entry(words.keepItems, async () => { const { chatItemTTL } = await app.get("/ttl"); editTime(chatItemTTL, "/ttl") }),
      entry(words.theme, () => editTheme()), entry(words.servers, editServers),
      makesCards() ? entry(words.noCards, () => makeCards(false)) : entry(words.cards, async () => { if (await confirmed(words.cards, words.cardsExplained, words.cards)) makeCards(true) }),
      entry(user.showNtfs ? words.muteProfile : words.unmuteProfile, () => app.post(user.showNtfs ? "/mute" : "/unmute")),
      !isAlone && [user.viewPwdHash ? entry(words.showProfile, () => ask(words.showProfile, [password], body => app.post("/unhide", body), words.showProfile))
        : entry(words.hideProfile, () => ask(words.hideProfile, [{ ...password, hint: words.hideExplained }], async body => { await app.post("/hide", body); location.hash = "#/" }, words.hideProfile)),
      entry(words.deleteProfile, () => sure(words.deleteProfile, words.deleteProfileExplained, words.delete, async () => {
        const { users } = app, other = app.model.users.find(({ user }) => user.userId != app.userId)
        if (other) await app.api.post(`/v1/users/${other.user.userId}/activate`)
        await app.api.delete(users)
        location.hash = "#/"
      }))],
    ],
    isAdmin && [
      entry(words.network, editNetwork), entry(words.callSettings, editCalls),
      entry(words.setAppPassword, () => ask(words.setAppPassword, [{ name: "current", label: words.currentPassword, type: "password" }, { ...password, name: "password", hint: words.appPasswordExplained }],
        ({ current, password }) => app.api.put(`${store}/app-password`, { password, ...(current ? { current } : {}) }))),
      entry(words.lock, () => app.api.post(`${store}/lock`)), entry(words.signOutAll, () => app.signOutEverywhere()),
    ],
    canNotify && app.mayWrite && entry(words.notify, async () => { await notify(); say(words.saved) }), entry(words.signOut, () => app.signOut())))
}

const profileOf = user => {
  const { displayName, fullName, shortDescr, description, image, contactLink, preferences } = user.profile
  return { displayName, fullName, shortDescr, description, image, contactLink, preferences }
}

/** What peers see of a profile or a group. */
export const profileInputs = (profile, about = words.profileAbout) => [
  { name: "displayName", label: words.profileName, required: true, maxlength: 100, value: profile.displayName }, { name: "fullName", label: words.fullName, value: profile.fullName },
  { name: "shortDescr", label: about, maxlength: 160, value: profile.shortDescr }, { name: "picture", label: words.picture, type: "file", accept: "image/*" },
]

/** With the chosen picture, made small. */
export async function withPicture(/** @type {any} */ { picture, shortDescr, ...values }) {
  return { ...values, shortDescr: shortDescr || undefined, ...(picture ? { image: (await prepared(picture))?.preview } : {}) }
}

const editProfile = () => ask(words.editProfile, profileInputs(app.user.profile), async values => app.put("/profile", { profile: { ...profileOf(app.user), ...await withPicture(values) } }))

export const editPreferences = (title, given, save, more = []) => ask(title, features.map(name => ({
  name, label: words.feature[name], value: given[name]?.allow ?? "", options: [...more, ...Object.entries(words.allowed)],
})), values => save({ ...given, ...Object.fromEntries(features.map(name => [name, values[name] ? { ...given[name], allow: values[name] } : undefined])) }))

/** For how long items are kept. */
export const editTime = (seconds, path) => ask(words.keepItems, [{ name: "seconds", label: words.keepItems, value: String(seconds ?? 0), options: Object.entries(words.times) }],
  ({ seconds }) => app.put(path, { seconds: Number(seconds) }))
