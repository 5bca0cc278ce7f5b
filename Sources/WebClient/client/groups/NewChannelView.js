// A channel is made: how it is called, and the chat relays that are to serve it. A relay that is named here is one of the profile's from then on.
import { app, ask, button, el, words } from "../elements/base.js"
import { showChannelLink } from "./GroupLinkView.js"
import { profileInputs, withPicture } from "../settings/profileForms.js"
import { allAsked, chosenRelays, relayInputs, usableRelays } from "./channelRelays.js"

/** Makes a profile that serves channels. Answers its address. */
async function madeRelay() {
  const profile = { displayName: words.relayName, fullName: "" }
  const { user } = await app.api.post("/v1/users", { profile, userChatRelay: true })
  // A new profile is the active one.
  await app.api.post(`${app.users}/activate`)
  return (await app.api.post(`/v1/users/${user.userId}/address`)).connLinkContact.connShortLink
}

/** For those who have no relay yet. A key of one profile makes no others. */
function relayMaker(field) {
  const make = button(words.makeRelay, async () => {
    make.disabled = true
    try { field().value = await madeRelay() } finally { make.disabled = false }
  })
  return el("section", el("p", words.relayNone), !app.rights.userId && [el("p", words.makeRelayExplained), make])
}

export async function newChannel() {
  const relays = await usableRelays()
  const inputs = [...profileInputs({}, words.groupAbout), { name: "description", label: words.welcome, type: "long" }, ...relayInputs(relays)]
  const box = ask(words.newChannel, inputs, async ({ displayName, fullName, shortDescr, description, picture, ...given }) => {
    const groupProfile = { ...await withPicture({ displayName, fullName, shortDescr, picture }), ...(description ? { description } : {}), groupPreferences: { history: { enable: "on" } } }
    const made = await app.post("/public-groups", { relayIds: await chosenRelays(relays, given), groupProfile })
    allAsked(made)
    app.go(`group/${made.groupInfo.groupId}`)
    showChannelLink(made.groupInfo)
  }, words.createChannel, !relays.length && relayMaker(() => [...box.querySelectorAll("input")].at(-1)))
}
