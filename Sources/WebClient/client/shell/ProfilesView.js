// Choosing and creating a profile, and opening a hidden profile.
import { app, ask, badge, button, dialog, el, form, row, section, text, view, View, words } from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { leave } from "./SignInView.js"

export class ProfilesView extends View {
  draw(users) {
    const first = [el("h1", words.firstProfile), el("p", words.firstProfileExplained), profileForm()]
    return el("main.gate",
      users.length
        ? [
            el("h1", words.chooseProfile),
            section({ rows: profileRows(users) }),
            app.mayWrite && button(words.newProfile, newProfile),
          ]
        : first,
      app.mayWrite && button(words.openHidden, openHidden),
      button(words.signOut, () => leave(() => app.signOut()), { kind: "plain" }))
  }
}

/** Makes a row for each profile, which opens the profile. */
export const profileRows = users =>
  users.map(({ user: { userId, profile: { displayName, image } }, unreadCount }) =>
    row(text(displayName), () => open(userId), {
      sign: view(ProfileImage, image, displayName),
      note: badge("", words.unread(unreadCount), unreadCount),
    }))

/**
 * Opens another profile. If the present profile is hidden, the other profile is activated, so that the present profile
 * is hidden again.
 */
const open = async userId => {
  if (app.user?.viewPwdHash) await app.api.post(`/v1/users/${userId}/activate`)
  location.hash = `#/${userId}`
}

export const newProfile = () => { const box = dialog(words.newProfile, profileForm(() => box.close())) }

const profileForm = (done = () => {}) => form([
  { name: "displayName", label: words.profileName, hint: words.profileNameHint, required: true, isName: true, maxlength: 50 },
  { name: "shortDescr", label: words.profileAbout, maxlength: 160 },
], words.createProfile, async ({ displayName, shortDescr }) => {
  const { user } = await app.api.post("/v1/users", {
    profile: { displayName, fullName: "", ...(shortDescr ? { shortDescr } : {}) },
  })
  done()
  location.hash = `#/${user.userId}`
})

export const password = { name: "viewPwd", label: words.password, type: "password", required: true }

export const openHidden = () => ask(words.openHidden, [password], async body => {
  const { user } = await app.api.put("/v1/users/active", body).catch(problem => {
    throw problem.status == 404 ? new Error(words.noHidden) : problem
  })
  location.hash = `#/${user.userId}`
}, words.open)
