// The dialog that creates a channel, with its name and the chat relays that serve it. If the user enters the address of
// another relay, this relay is added to the relays of the profile.
import { app, ask, button, el, words } from "../elements/base.js"
import { showChannelLink } from "./GroupLinkView.js"
import { profileInputs, withPicture } from "../settings/profileForms.js"
import { allAsked, chosenRelays, relayInputs, usableRelays } from "./channelRelays.js"

/** Creates a profile that serves channels as a chat relay. Returns its address. */
async function madeRelay() {
  const profile = { displayName: words.relayName, fullName: "" }
  const { user } = await app.api.post("/v1/users", { profile, userChatRelay: true })
  // Creating a profile activates it, so the former profile is activated again.
  await app.api.post(`${app.users}/activate`)
  return (await app.api.post(`/v1/users/${user.userId}/address`)).connLinkContact.connShortLink
}

/**
 * Makes the part for users without a relay, with a button that creates a relay. A key for a single profile cannot
 * create another profile, so it gets no button.
 */
function relayMaker(field) {
  const make = button(words.makeRelay, async () => {
    make.disabled = true
    try { field().value = await madeRelay() } finally { make.disabled = false }
  })
  return el("section", el("p", words.relayNone), !app.rights.userId && [el("p", words.makeRelayExplained), make])
}

export async function newChannel() {
  const relays = await usableRelays()
  const welcome = { name: "description", label: words.welcome, type: "long" }
  const inputs = [...profileInputs({}, words.groupAbout), welcome, ...relayInputs(relays)]
  const box = ask(words.newChannel, inputs, async values => {
    const { displayName, fullName, shortDescr, description, picture, ...given } = values
    const groupProfile = {
      ...await withPicture({ displayName, fullName, shortDescr, picture }),
      ...(description ? { description } : {}),
      groupPreferences: { history: { enable: "on" } },
    }
    const made = await app.post("/channels", { relayIds: await chosenRelays(relays, given), groupProfile })
    allAsked(made)
    app.go(`group/${made.groupInfo.groupId}`)
    showChannelLink(made.groupInfo)
  }, words.createChannel, !relays.length && relayMaker(() => [...box.querySelectorAll("input")].at(-1)))
}
