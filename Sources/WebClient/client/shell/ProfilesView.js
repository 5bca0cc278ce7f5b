// Choosing and creating a profile, and opening a hidden profile.
import {
  app, ask, badge, button, dialog, el, fill, form, pause, row, section, text, view, View, visible, words,
} from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { receiveProfiles } from "../settings/seldom.js"
import { leave } from "./SignInView.js"

export class ProfilesView extends View {
  /**
   * Checks whether the key has ended. While no profile is open, the page has no stream from which it would learn the
   * end of the key.
   */
  async connectedCallback() {
    while (this.isConnected) {
      await pause(5000)
      await visible()
      if (this.isConnected) await app.api.get("/v1/whoami").catch(() => {})
    }
  }

  draw(users) {
    const first = [
      el("h1", words.firstProfile), el("p", words.firstProfileExplained), profileForm(),
      app.rights.scopes.includes("admin") && button(words.migrateHere, receiveProfiles),
    ]
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

function profileForm(done = () => {}) {
  const chosen = serverChoice()
  const box = form([
    { name: "displayName", label: words.profileName, hint: words.profileNameHint, required: true, isName: true,
      maxlength: 50 },
    { name: "shortDescr", label: words.profileAbout, maxlength: 160 },
  ], words.createProfile, async ({ displayName, shortDescr }) => {
    const servers = chosen.value
    const { user } = await app.api.post("/v1/users", {
      profile: { displayName, fullName: "", ...(shortDescr ? { shortDescr } : {}) },
      ...(servers ? { servers } : {}),
    })
    if (chosen.isNetwork) await acceptConditions().catch(() => {})
    done()
    location.hash = `#/${user.userId}`
  })
  box.querySelector("button[type=submit]")?.before(chosen.box)
  return box
}

/** Makes the choice of the servers of a new profile. Without a choice, the gateway uses its default. */
function serverChoice() {
  const box = el("fieldset.choices", { hidden: true })
  const checked = () => /** @type {any} */ (box.querySelector(":checked"))?.value ?? ""
  let usual = ""
  app.api.get("/v1").then(({ servers }) => {
    usual = servers?.default ?? ""
    const offered = servers?.offered ?? []
    if (offered.length < 2) return
    // The choices have the order of the page's texts. The first choice has the servers that the apps of other people
    // can reach.
    const shown = Object.keys(words.serverSet).filter(name => offered.includes(name))
    fill(box, el("legend", words.whichServers), shown.map(name => el("label.way",
      el("span", el("input", { type: "radio", name: "servers", value: name, checked: name == usual }),
        el("b", words.serverSet[name])), el("small", words.serverSetExplained[name]))))
    box.hidden = false
  }, () => {})
  return {
    box,
    /** The servers to request; empty for the default. */
    get value() { return checked() == usual ? "" : checked() },
    get isNetwork() { return (checked() || usual) == "network" },
  }
}

/**
 * Accepts the conditions of the operators, as the text beside the choice announces. Only administrators can accept
 * conditions.
 */
async function acceptConditions() {
  if (!app.rights.scopes.includes("admin")) return
  const { conditions: { serverOperators, currentConditions } } = await app.api.get("/v1/server-operators")
  const operatorIds = serverOperators.map(({ operatorId }) => operatorId)
  await app.api.post(`/v1/usage-conditions/${currentConditions.conditionsId}/accept`, { operatorIds })
}

export const password = { name: "viewPwd", label: words.password, type: "password", required: true }

export const openHidden = () => ask(words.openHidden, [password], async body => {
  const { user } = await app.api.put("/v1/users/active", body).catch(problem => {
    throw problem.status == 404 ? new Error(words.noHidden) : problem
  })
  location.hash = `#/${user.userId}`
}, words.open)
