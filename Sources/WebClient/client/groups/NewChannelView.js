// The dialog that creates a channel. The channel is served by chat relays of the profile, or by a relay whose address
// the user enters. For a user without relays, this gateway serves the channel.
import { app, ask, words } from "../elements/base.js"
import { showChannelLink } from "./GroupLinkView.js"
import { profileInputs, withPicture } from "../settings/profileForms.js"
import { allAsked, chosenRelays, relayInputs, usableRelays } from "./channelRelays.js"

/** Whether the servers of the public network carry the messages of the profile. */
async function isOnNetwork() {
  const { userServers } = await app.get("/servers")
  return userServers.some(({ operator, smpServers }) => operator?.enabled && smpServers.some(({ enabled }) => enabled))
}

/** Returns the address of a chat relay of this gateway: a profile that serves channels, which is created once. */
async function ownRelay() {
  const { users } = await app.api.get("/v1/users")
  const known = users.find(({ user }) => user.userChatRelay)?.user.userId
  const address = known && await app.api.get(`/v1/users/${known}/address`)
    .catch(problem => { if (problem.status != 404) throw problem })
  if (address) return address.contactLink.connLinkContact.connShortLink
  const made = known ?? await createRelay()
  return (await app.api.post(`/v1/users/${made}/address`)).connLinkContact.connShortLink
}

/** Creates a profile that serves channels, with servers like those of the present profile. Returns its id. */
async function createRelay() {
  const profile = { displayName: words.relayName, fullName: "" }
  const servers = await isOnNetwork() ? "network" : "relay"
  const usual = (await app.api.get("/v1")).servers?.default ?? servers
  const more = servers == usual ? {} : { servers }
  const { user } = await app.api.post("/v1/users", { profile, userChatRelay: true, activate: false, ...more })
  return user.userId
}

export async function newChannel() {
  const relays = await usableRelays()
  // A key for a single profile cannot create the profile of a relay, so this gateway is not offered as the relay.
  const mayServe = !relays.length && !app.rights.userId
  const welcome = { name: "description", label: words.welcome, type: "long" }
  const inputs = [...profileInputs({}, words.groupAbout), welcome, ...relayInputs(relays, mayServe)]
  ask(words.newChannel, inputs, async values => {
    const { displayName, fullName, shortDescr, description, picture, ...given } = values
    const groupProfile = {
      ...await withPicture({ displayName, fullName, shortDescr, picture }),
      ...(description ? { description } : {}),
      groupPreferences: { history: { enable: "on" } },
    }
    if (mayServe && !given.address) given.address = await ownRelay()
    const made = await app.post("/channels", { relayIds: await chosenRelays(relays, given), groupProfile })
    allAsked(made)
    app.go(`group/${made.groupInfo.groupId}`)
    showChannelLink(made.groupInfo)
  }, words.createChannel)
}
