// The relays of a channel: for its owner with how far each of them is, as the session's model has it, and for others their names.
import { app, dialog, el, memberName, text, words } from "./base.js"

export async function showChannelRelays({ groupId, membership }) {
  const path = `/groups/${groupId}`, isOwner = membership.memberRole == "owner"
  const [{ group: { members } }, answer] = await Promise.all([app.get(`${path}/members`), isOwner ? app.get(`${path}/relays`) : null])
  const name = relay => memberName(members.find(member => member.groupMemberId == relay.groupMemberId)) || relay.userChatRelay.relayProfile?.displayName
  const list = el("ul.profiles.members"), stops = new AbortController()
  const draw = () => {
    const model = app.session?.channelRelays, relays = model?.groupId == groupId ? model.groupRelays : answer?.groupRelays
    list.replaceChildren(...isOwner ? relays.map(relay => el("li.card", el("span", { class: `dot ${relay.relayStatus}` }), text(name(relay)), el("small", words.relayStatus[relay.relayStatus] ?? relay.relayStatus)))
      : members.filter(member => member.memberRole == "relay").map(member => el("li.card", text(memberName(member)))))
  }
  app.on("session", draw, stops.signal)
  draw()
  dialog(words.relays, el("p", words.relaysExplained), list).addEventListener("close", () => stops.abort())
}
