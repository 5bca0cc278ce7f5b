// The chat relays that serve a channel, and form fields that choose them.
import { app, host, words } from "../elements/base.js"

/** Returns the enabled chat relays of the profile. */
export async function usableRelays() {
  const { userServers } = await app.get("/servers")
  return userServers.flatMap(({ chatRelays }) => chatRelays).filter(({ enabled, deleted }) => enabled && !deleted)
}

const relayInput = ({ chatRelayId, relayProfile, address }) =>
  ({ name: `${chatRelayId}`, label: `${relayProfile.displayName} (${host(address)})`, type: "checkbox", value: true })

/** Makes fields that choose relays, and a field for the address of another relay, which the user may leave empty. */
export const relayInputs = (relays, mayServe = false) => [
  ...relays.map(relayInput),
  {
    name: "address", label: words.relayAddress, hint: mayServe ? words.relayHere : words.relayAddressHint,
    required: !relays.length && !mayServe,
  },
]

/**
 * Returns the ids of the chosen relays. If the user has entered an address, this relay is tested and added to the
 * profile first.
 */
export async function chosenRelays(relays, /** @type {any} */ { address, ...chosen }) {
  const ids = relays.filter(({ chatRelayId }) => chosen[chatRelayId]).map(({ chatRelayId }) => chatRelayId)
  if (address) {
    const { relayProfile, relayTestFailure } = await app.post("/relays/test", { address })
    if (relayTestFailure || !relayProfile) throw new Error(words.noRelay)
    const { userServers } = await app.get("/servers")
    const own = userServers.find(({ operator }) => !operator) ?? userServers[0]
    const use = { preset: false, tested: true, enabled: true, deleted: false }
    own.chatRelays.push({ address, relayProfile, domains: [], ...use })
    await app.put("/servers", { userServers })
    ids.push((await usableRelays()).find(relay => relay.address == address).chatRelayId)
  }
  if (!ids.length) throw new Error(words.noRelays)
  return ids
}

/** Throws an error if the request to a relay has failed. */
export function allAsked({ addRelayResults = [] }) {
  const failed = addRelayResults.filter(({ relayError }) => relayError).length
  if (failed) throw new Error(words.relaysFailed(failed, addRelayResults.length))
}
