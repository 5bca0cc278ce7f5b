// The dialog and the view for profiles: choosing and creating a profile, opening a hidden profile, and settings of the
// profile, the store and this browser.
import {
  app, ask, badge, button, confirmed, dialog, el, form, leading, say, sure, View, words,
} from "../elements/base.js"
import { person } from "../elements/ProfileImage.js"
import { canNotify, notify } from "../model/push.js"
import { editCalls, editMedia, editNetwork, editServers } from "../settings/SettingsView.js"
import { leave } from "./SignInView.js"
import { showDatabase } from "../settings/DatabaseView.js"
import { showDevices } from "../settings/DevicesView.js"
import { editTheme } from "./themes.js"
import { makeCards, makesCards } from "../model/linkCards.js"
import { editPreferences, editTime, profileInputs, withPicture } from "../settings/profileForms.js"

export class ProfilesView extends View {
  draw(users) {
    const first = [el("h1", words.firstProfile), el("p", words.firstProfileExplained), profileForm()]
    return el("main.gate",
      users.length
        ? [el("h1", words.chooseProfile), profileList(users), app.mayWrite && button(words.newProfile, newProfile)]
        : first,
      app.mayWrite && button(words.openHidden, openHidden),
      button(words.signOut, () => leave(() => app.signOut()), { kind: "plain" }))
  }
}

const profileList = users =>
  el("ul.profiles",
    users.map(({ user, unreadCount }) =>
      person(user.profile.image, user.profile.displayName,
        () => open(user.userId),
        badge("", words.unread(unreadCount), unreadCount))))

/**
 * Opens another profile. If the present profile is hidden, the other profile is activated, so that the present profile
 * is hidden again.
 */
const open = async userId => {
  if (app.user?.viewPwdHash) await app.api.post(`/v1/users/${userId}/activate`)
  location.hash = `#/${userId}`
}

const newProfile = () => { const box = dialog(words.newProfile, profileForm(() => box.close())) }

const profileForm = (done = () => {}) => form([
  { name: "displayName", label: words.profileName, hint: words.profileNameHint, required: true, maxlength: 50 },
  { name: "shortDescr", label: words.profileAbout, maxlength: 160 },
], words.createProfile, async ({ displayName, shortDescr }) => {
  const { user } = await app.api.post("/v1/users", {
    profile: { displayName, fullName: "", ...(shortDescr ? { shortDescr } : {}) },
  })
  done()
  location.hash = `#/${user.userId}`
})

const password = { name: "viewPwd", label: words.password, type: "password", required: true }

const openHidden = () => ask(words.openHidden, [password], async body => {
  const { user } = await app.api.put("/v1/users/active", body).catch(problem => {
    throw problem.status == 404 ? new Error(words.noHidden) : problem
  })
  location.hash = `#/${user.userId}`
}, words.open)

export function showProfiles() {
  const { user } = app, isAlone = Boolean(app.rights.userId), isAdmin = app.rights.scopes.includes("admin")
  const store = `/v1/stores/${app.rights.storeId}`
  const entry = leading(() => box.close())
  /** Makes a button that switches a setting of the profile on or off. */
  const toggle = (name, on, off, patch) =>
    entry(user[name] ? off : on, async () => {
      await app.patch("", patch(!user[name]))
      say(words.saved)
    })
  const others = profileList(app.model.users.filter(({ user }) => user.userId != app.userId))
  others.addEventListener("click", () => box.close())
  const hide = async body => { await app.post("/hide", body); location.hash = "#/" }
  const remove = async () => {
    const { users } = app, other = app.model.users.find(({ user }) => user.userId != app.userId)
    if (other) await app.api.post(`/v1/users/${other.user.userId}/activate`)
    await app.api.delete(users)
    location.hash = "#/"
  }
  const appPassword = [
    { name: "current", label: words.currentPassword, type: "password" },
    { ...password, name: "password", hint: words.appPasswordExplained },
  ]
  const box = dialog(words.profiles, others, el("footer.actions",
    app.mayWrite && [
      !isAlone && [entry(words.newProfile, newProfile), entry(words.openHidden, openHidden)],
      entry(words.editProfile, editProfile),
      entry(words.preferences, () =>
        editPreferences(words.preferences, user.fullPreferences, preferences =>
          app.put("/profile", { profile: { ...profileOf(user), preferences } }))),
      toggle("sendRcptsContacts", words.receipts, words.noReceipts, contacts => ({ receipts: { contacts } })),
      toggle("sendRcptsSmallGroups", words.groupReceipts, words.noGroupReceipts, groups => ({ receipts: { groups } })),
      toggle("autoAcceptMemberContacts", words.memberContacts, words.noMemberContacts, memberContacts =>
        ({ autoAccept: { memberContacts } })),
      entry(words.keepItems, async () => {
        const { chatItemTTL } = await app.get("/ttl")
        editTime(chatItemTTL, ttlSeconds => app.patch("", { ttlSeconds }))
      }),
      entry(words.theme, () => editTheme()), entry(words.servers, editServers),
      makesCards()
        ? entry(words.noCards, () => makeCards(false))
        : entry(words.cards, async () => {
            if (await confirmed(words.cards, words.cardsExplained, words.cards)) makeCards(true)
          }),
      entry(user.showNtfs ? words.muteProfile : words.unmuteProfile, () =>
        app.patch("", { muted: user.showNtfs })),
      !isAlone && [
        user.viewPwdHash
          ? entry(words.showProfile, () =>
              ask(words.showProfile, [password], body => app.post("/unhide", body), words.showProfile))
          : entry(words.hideProfile, () =>
              ask(words.hideProfile, [{ ...password, hint: words.hideExplained }], hide, words.hideProfile)),
        entry(words.deleteProfile, () => sure(words.deleteProfile, words.deleteProfileExplained, words.delete, remove)),
      ],
    ],
    isAdmin && [
      entry(words.network, editNetwork),
      entry(words.callSettings, editCalls),
      entry(words.mediaSettings, editMedia),
      entry(words.devices, showDevices),
      entry(words.database, showDatabase),
      entry(words.setAppPassword, () =>
        ask(words.setAppPassword, appPassword, ({ current, password }) =>
          app.api.put(`${store}/app-password`, { password, ...(current ? { current } : {}) }))),
      entry(words.lock, () => app.api.post(`${store}/lock`)),
      entry(words.signOutAll, () => leave(() => app.signOutEverywhere())),
    ],
    canNotify && app.mayWrite && entry(words.notify, async () => { await notify(); say(words.saved) }),
    entry(words.signOut, () => leave(() => app.signOut()))))
}

const profileOf = user => {
  const { displayName, fullName, shortDescr, description, image, contactLink, preferences } = user.profile
  return { displayName, fullName, shortDescr, description, image, contactLink, preferences }
}

const editProfile = () =>
  ask(words.editProfile, profileInputs(app.user.profile), async values =>
    app.put("/profile", { profile: { ...profileOf(app.user), ...(await withPicture(values)) } }))
