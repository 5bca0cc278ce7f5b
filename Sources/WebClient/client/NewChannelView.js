// A channel is made: how it is called, and the chat relays that are to serve it. A relay that is named here is one of the profile's from then on.
import { app, ask, button, el, host, words } from "./base.js"
import { showChannelLink } from "./GroupLinkView.js"
import { profileInputs, withPicture } from "./ProfilesView.js"

/** Enabled chat relays of the profile. */
export const usableRelays = async () => (await app.get("/servers")).userServers.flatMap(({ chatRelays }) => chatRelays).filter(({ enabled, deleted }) => enabled && !deleted)

/** To choose relays, and to name another one. */
export const relayInputs = relays => [
  ...relays.map(({ chatRelayId, relayProfile, address }) => ({ name: `${chatRelayId}`, label: `${relayProfile.displayName} (${host(address)})`, type: "checkbox", value: true })),
  { name: "address", label: words.relayAddress, hint: words.relayAddressHint, required: !relays.length },
]

/** The numbers of those that were chosen. One that was named is asked for its name first. */
export async function chosenRelays(relays, /** @type {any} */ { address, ...chosen }) {
  const ids = relays.filter(({ chatRelayId }) => chosen[chatRelayId]).map(({ chatRelayId }) => chatRelayId)
  if (address) {
    const { relayProfile, relayTestFailure } = await app.post("/relays/test", { address })
    if (relayTestFailure || !relayProfile) throw new Error(words.noRelay)
    const { userServers } = await app.get("/servers"), own = userServers.find(({ operator }) => !operator) ?? userServers[0]
    own.chatRelays.push({ address, relayProfile, domains: [], preset: false, tested: true, enabled: true, deleted: false })
    await app.put("/servers", { userServers })
    ids.push((await usableRelays()).find(relay => relay.address == address).chatRelayId)
  }
  if (!ids.length) throw new Error(words.noRelays)
  return ids
}

/** Throws when a relay could not be asked. */
export function allAsked({ addRelayResults = [] }) {
  const failed = addRelayResults.filter(({ relayError }) => relayError).length
  if (failed) throw new Error(words.relaysFailed(failed, addRelayResults.length))
}

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
