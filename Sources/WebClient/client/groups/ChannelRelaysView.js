// The dialog about the relays of a channel. The owner sees the state of each relay, as in the session's model, and can
// add and remove relays. Other users see the names of the relays.
import { app, ask, button, dialog, el, fill, memberName, sure, text, words } from "../elements/base.js"
import { allAsked, chosenRelays, relayInputs, usableRelays } from "./channelRelays.js"

export async function showChannelRelays({ groupId, membership }) {
  const path = `/groups/${groupId}`, isOwner = membership.memberRole == "owner", mayChange = isOwner && app.mayWrite
  const list = el("ul.profiles.members"), stops = new AbortController()
  let members = [], relays = []
  const read = async () => {
    members = (await app.get(`${path}/members`)).group.members
    if (isOwner) relays = (await app.get(`${path}/relays`)).groupRelays
    draw()
  }
  const named = () => members.filter(member => member.memberRole == "relay")
    .map(member => el("li.card", text(memberName(member))))
  const draw = () => fill(list, isOwner ? relays.map(row) : named())
  const row = ({ groupMemberId, groupRelayId, userChatRelay, relayStatus }) => {
    const name =
      memberName(members.find(member => member.groupMemberId == groupMemberId))
      || userChatRelay.relayProfile?.displayName
    const { channelRelays } = app.session ?? {}, isFollowed = channelRelays?.groupId == groupId
    const now =
      (isFollowed && channelRelays.groupRelays.find(relay => relay.groupRelayId == groupRelayId)?.relayStatus)
      || relayStatus
    const remove = () => sure(words.removeMember(name), words.removeRelayExplained, words.remove, async () => {
      await app.delete(`${path}/members?memberIds=${groupMemberId}`)
      await read()
    })
    return el("li.card",
      el(`span.dot.${now}`),
      text(name),
      el("small", words.relayStatus[now] ?? now),
      mayChange && button(words.removeMember(name), remove, { icon: "close", kind: "plain round" }))
  }
  const add = async () => {
    const taken = relays.map(({ userChatRelay }) => userChatRelay.chatRelayId)
    const others = (await usableRelays()).filter(({ chatRelayId }) => !taken.includes(chatRelayId))
    ask(words.addRelays, relayInputs(others), async given => {
      allAsked(await app.post(`${path}/relays`, { relayIds: await chosenRelays(others, given) }))
      await read()
    }, words.addRelays)
  }
  await read()
  app.on("session", draw, stops.signal)
  const box = dialog(words.relays, el("p", words.relaysExplained), list, mayChange && button(words.addRelays, add))
  box.addEventListener("close", () => stops.abort())
}
