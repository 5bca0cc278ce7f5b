// Which profile: choose one, or make the first.
import { View, define, el, button, text, view } from "./dom.js"
import { app } from "./app.js"
import { words } from "./words.js"
import { dialog, field, form } from "./dialogs.js"
import { ProfileImage } from "./ProfileImage.js"

export class ProfilesView extends View {
  /** @param {any[]} users */
  draw(users) {
    const out = button(words.signOut, () => app.signOut(), { kind: "plain" })
    if (!users.length) {
      return el("main", { class: "gate" }, el("h1", null, words.firstProfile), el("p", null, words.firstProfileExplained), profileForm(), out)
    }
    return el("main", { class: "gate" }, el("h1", null, words.chooseProfile), profileList(users), app.mayWrite && button(words.newProfile, newProfile), out)
  }
}
define("profiles-view", ProfilesView)

/** @param {any[]} users */
export const profileList = users => el("ul", { class: "profiles" }, users.map(({ user, unreadCount }) =>
  el("li", null, el("a", { href: `#/${user.userId}` }, view(ProfileImage, user.profile.image, user.profile.displayName), text(user.profile.displayName),
    unreadCount ? el("span", { class: "badge", "aria-label": words.unread(unreadCount) }, unreadCount) : null))))

export function newProfile() { const box = dialog(words.newProfile, profileForm(() => box.close())) }

function profileForm(done = () => {}) {
  const name = el("input", { type: "text", id: "profile-name", required: true, maxlength: 100, autocomplete: "off", autofocus: true })
  const about = el("input", { type: "text", id: "profile-about", maxlength: 160, autocomplete: "off" })
  return form([field(words.profileName, name, words.profileNameHint), field(words.profileAbout, about)], words.createProfile, async () => {
    const profile = { displayName: name.value.trim(), fullName: "", ...(about.value.trim() ? { shortDescr: about.value.trim() } : {}) }
    const { user } = await app.api.post("/v1/users", { profile })
    done()
    location.hash = `#/${user.userId}`
  })
}
