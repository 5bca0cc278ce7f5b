// The settings: a list of pages beside the chosen page, whose sections have rows and switches. A search shows the
// matching rows of all pages.
import {
  above, app, ask, button, choice, chooseLanguage, chosenLanguage, confirmed, drawWith, el, fill, frame, languages,
  languageTag, row, say, searchField, section, sure, text, toggle, view, words,
} from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { canNotify, notify } from "../model/push.js"
import { makeCards, makesCards } from "../model/linkCards.js"
import { whenReleased } from "../model/press.js"
import { editTheme, schemeChoice } from "../shell/themes.js"
import { leave } from "../shell/SignInView.js"
import { editWallpaper, loadSignedIn, showBroadcasts, showScheduled, showShortcuts } from "../shell/parts.js"
import { newProfile, openHidden, password, profileRows } from "../shell/ProfilesView.js"
import { databaseSections } from "./DatabaseView.js"
import { networkSections } from "./seldom.js"
import { showDevices } from "./DevicesView.js"
import { editPreferences, profileInputs, timeChoice, withPicture } from "./profileForms.js"
import { callRows, mediaRow } from "./SettingsView.js"

/** @typedef {import("../elements/rows.js").Section} Section */

/**
 * A page of the settings. A page without sections is a dialog of its own.
 * @typedef {{name: string, sign: string, run?: () => any, sections: (redraw: () => void) => any}} Page
 */

/** Returns the pages that the key may see. @returns {Page[]} */
function pages() {
  const isAdmin = app.rights.scopes.includes("admin"), isAlone = Boolean(app.rights.userId), { mayWrite } = app
  const shown = [
    { name: words.profiles, sign: "people", sections: () => profileSections(isAlone) },
    mayWrite && canNotify && {
      name: words.notifications,
      sign: "bell",
      sections: () => [{ rows: [row(words.notify, async () => { await notify(); say(words.saved) })] }],
    },
    mayWrite && { name: words.networkAndServers, sign: "network", sections: networkSections },
    isAdmin && { name: words.callSettings, sign: "phone", sections: async () => [{ rows: await callRows() }] },
    mayWrite && { name: words.privacy, sign: "lock", sections: () => privacySections(isAdmin) },
    { name: words.appearance, sign: "sun", sections: () => [{ rows: [
      schemeChoice(),
      languageChoice(),
      mayWrite && row(words.theme, () =>
        editTheme(words.theme, app.user.uiThemes ?? {}, themes => app.patch("", { themes }))),
      mayWrite && row(words.wallpaper, () =>
        editWallpaper(app.user.uiThemes ?? {}, themes => app.patch("", { themes }))),
    ] }] },
    mayWrite && { name: words.sendingLater, sign: "clock", sections: () => [{ rows: [
      row(words.later.title, () => showScheduled()),
      row(words.broadcast.title, () => showBroadcasts()),
    ] }] },
    { name: words.signedIn, sign: "mobile", sections: async redraw => (await loadSignedIn()).deviceSections(redraw) },
    isAdmin && { name: words.database, sign: "database", sections: databaseSections },
    isAdmin && {
      name: words.devices,
      sign: "screen",
      run: showDevices,
      sections: () => [{ rows: [row(words.devices, showDevices)] }],
    },
    {
      name: words.shortcuts,
      sign: "keyboard",
      run: showShortcuts,
      sections: () => [{ rows: [row(words.shortcuts, () => showShortcuts())] }],
    },
  ]
  return /** @type {Page[]} */ (shown.filter(Boolean))
}

/** Shows the settings, with the page about profiles. */
export function showSettings() {
  const all = pages(), place = el("div.place"), stops = new AbortController()
  let asked = 0, chosen = all[0]
  /** @type {Promise<any[][]> | null} The sections of all pages, which a search reads once. */
  let known = null
  const enter = isInside => box.classList.toggle("inside", isInside)
  /** Shows sections, unless something else was chosen meanwhile. */
  const draw = async sections => {
    const number = ++asked, drawn = await sections
    whenReleased(() => {
      if (number != asked) return
      const { scrollTop } = place
      fill(place, drawn)
      place.scrollTop = scrollTop
    })
  }
  /** Draws the chosen page, or the rows that the search finds. */
  const redraw = () => {
    const query = search.value.trim().toLowerCase()
    for (const [index, entry] of entries.entries())
      entry.setAttribute("aria-current", String(!query && all[index] === chosen))
    return draw(query ? found(query) : drawnPage(chosen))
  }
  const drawnPage = async (/** @type {Page} */ page) => {
    known = null
    const sections = await page.sections(again)
    return [el("h3", page.name), sections.map(section)]
  }
  const again = () => { known = null; redraw() }
  const found = async query => {
    known ??= Promise.all(all.map(page => page.sections(again)))
    const pages = await known
    const fits = row => row && row.textContent.toLowerCase().includes(query)
    const shown = all.map(({ name }, index) =>
      section({ title: name, rows: pages[index].flatMap(({ rows }) => rows.flat(Infinity)).filter(fits) }))
    return shown.some(Boolean) ? shown : el("p.empty", { role: "status" }, words.nothingFound)
  }
  const search = searchField(words.searchSettings, () => { enter(Boolean(search.value)); redraw() })
  const open = (/** @type {Page} */ page, isInside = true) => {
    search.value = ""
    chosen = page
    enter(isInside)
    place.scrollTop = 0
    return redraw()
  }
  const entries = all.map(page => row(page.name, () => (page.run ? page.run() : open(page)), { sign: page.sign }))
  const back = button(words.back, () => open(chosen, false), { icon: "back", kind: "plain round back" })
  const box = frame(words.settings, [back, el("h2", words.settings)], el("div.pages", search,
    el("nav", { label: words.settings }, section({ rows: entries }),
      section({ rows: [row(words.signOut, () => leave(() => app.signOut()), { sign: "leave" })] })),
    place))
  box.classList.add("settings")
  box.addEventListener("close", () => stops.abort())
  app.on("model", () => drawWith(box, [app.user], again), stops.signal)
  drawWith(box, [app.user], again)
  above(box)
}

/** Returns the name of a language in that language, which begins with a capital letter. */
function languageName(/** @type {string} */ language) {
  const tag = languageTag(language), name = new Intl.DisplayNames(tag, { type: "language" }).of(tag) ?? language
  return name.replace(/^./u, first => first.toLocaleUpperCase(language))
}

/** Makes the row that chooses the language of this browser. The page is loaded again in the chosen language. */
function languageChoice() {
  const options = languages.map(language => [language, languageName(language)])
  return choice(words.language, chosenLanguage(), [["", words.schemes[""]], ...options], language => {
    chooseLanguage(language)
    location.reload()
  })
}

/** @returns {Section[]} */
function profileSections(isAlone) {
  const { user, mayWrite } = app
  const others = app.model.users.filter(({ user }) => user.userId != app.userId)
  const edit = () => editPreferences(words.ownPreferences, user.fullPreferences, preferences =>
    app.put("/profile", { profile: { ...profileOf(user), preferences } }))
  const hide = async body => { await app.post("/hide", body); location.hash = "#/" }
  const remove = async () => {
    const { users } = app, other = app.model.users.find(({ user }) => user.userId != app.userId)
    if (other) await app.api.post(`/v1/users/${other.user.userId}/activate`)
    await app.api.delete(users)
    location.hash = "#/"
  }
  const { displayName, image } = user.profile
  return [
    { rows: [
      row(words.editProfile, editProfile, {
        sign: view(ProfileImage, image, displayName),
        note: el("small", text(displayName)),
        disabled: !mayWrite,
      }),
      mayWrite && row(words.preferences, edit),
    ] },
    { title: others.length > 0 ? words.otherProfiles : "", rows: [
      profileRows(others),
      mayWrite && !isAlone && [row(words.newProfile, newProfile), row(words.openHidden, openHidden)],
    ] },
    { rows: [mayWrite && [
      toggle(words.muteProfile, !user.showNtfs, muted => app.patch("", { muted })),
      !isAlone && [
        user.viewPwdHash
          ? row(words.showProfile, () =>
              ask(words.showProfile, [password], body => app.post("/unhide", body), words.showProfile))
          : row(words.hideProfile, () =>
              ask(words.hideProfile, [{ ...password, hint: words.hideExplained }], hide, words.hideProfile)),
        row(words.deleteProfile, () => sure(words.deleteProfile, words.deleteProfileExplained, words.delete, remove), {
          kind: "danger",
        }),
      ],
    ]] },
  ]
}

/** @returns {Promise<Section[]>} */
async function privacySections(isAdmin) {
  const { user } = app, store = `/v1/stores/${app.rights.storeId}`
  const setting = (name, property, patch) => toggle(name, user[property], isOn => app.patch("", patch(isOn)))
  const previews = async isOn => {
    const isSure = !isOn || await confirmed(words.cards, words.cardsExplained, words.allow)
    if (isSure) makeCards(isOn)
    return isSure
  }
  const appPassword = [
    { name: "current", label: words.currentPassword, type: "password" },
    { ...password, name: "password", hint: words.appPasswordExplained },
  ]
  return [
    { title: words.chats, rows: [
      toggle(words.cards, makesCards(), previews),
      timeChoice((await app.get("/ttl")).chatItemTTL, ttlSeconds => app.patch("", { ttlSeconds })),
    ] },
    { title: words.files, rows: [isAdmin && await mediaRow()] },
    { title: words.receiptsTo, rows: [
      setting(words.receiptContacts, "sendRcptsContacts", contacts => ({ receipts: { contacts } })),
      setting(words.receiptGroups, "sendRcptsSmallGroups", groups => ({ receipts: { groups } })),
    ] },
    { title: words.requestsFromGroups, rows: [
      setting(words.autoAccept, "autoAcceptMemberContacts", memberContacts => ({ autoAccept: { memberContacts } })),
    ] },
    { rows: [
      setting(words.acceptInvitations, "autoAcceptGroupInvitations", groupInvitations =>
        ({ autoAccept: { groupInvitations } })),
    ] },
    { title: words.lockTitle, rows: [isAdmin && [
      row(words.setAppPassword, () =>
        ask(words.setAppPassword, appPassword, ({ current, password }) =>
          app.api.put(`${store}/app-password`, { password, ...(current ? { current } : {}) }))),
      row(words.lock, () => app.api.post(`${store}/lock`)),
      row(words.signOutAll, () =>
        sure(words.signOutAll, words.signOutAllExplained, words.signOut, () => leave(signOutEverywhere)), {
        kind: "danger",
      }),
    ]] },
  ]
}

async function signOutEverywhere() {
  const { endOthers } = await loadSignedIn()
  await endOthers()
  app.signOut()
}

const profileOf = user => {
  const { displayName, fullName, shortDescr, description, image, contactLink, preferences } = user.profile
  return { displayName, fullName, shortDescr, description, image, contactLink, preferences }
}

const editProfile = () =>
  ask(words.editProfile, profileInputs(app.user.profile), async values =>
    app.put("/profile", { profile: { ...profileOf(app.user), ...(await withPicture(values)) } }))
