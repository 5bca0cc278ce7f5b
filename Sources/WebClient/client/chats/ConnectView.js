// The dialog that connects by a link. The dialog shows the owner of the link, and the user chooses the profile that
// connects.
import {
  aboutChat, app, button, chatKind, el, dialog, fill, form, isInvitation, say, text, view, words,
} from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"

/**
 * A link, as the plan of the gateway describes it for a profile.
 * @typedef {{userId: number, state: string, kind: string, profile: any, place: string, links: any, contact: any,
 *   group: any, isRelayed: boolean, isOneTime: boolean}} Target
 *   `userId` is the profile that has asked; `place` is the place (`direct/4`) of the chat that exists already;
 *   `contact` and `group` are the data behind a short link; the messages of an `isRelayed` group go over relays
 */

/** States of links that lead to a chat which exists already. */
const known = new Set(["known", "contactViaAddress", "connecting", "connectingProhibit"])
const unusable = new Set(["noRelays", "updateRequired"])

/** Asks the gateway about a link, for a profile. @returns {Promise<Target>} */
async function planOf(connLink, userId) {
  const { connectionPlan, connLink: links } = await app.api.post(`/v1/users/${userId}/connections/plan`, { connLink })
  const plan = connectionPlan.invitationLinkPlan ?? connectionPlan.contactAddressPlan ?? connectionPlan.groupLinkPlan
  if (!plan) throw new Error(words.noInvitation)
  if (plan.type == "ownLink") throw new Error(words.ownLink)
  const contact = plan.contact ?? plan.contact_, groupInfo = plan.groupInfo ?? plan.groupInfo_
  const data = plan.contactSLinkData_, group = plan.groupSLinkData_
  const isRelayed = plan.groupSLinkInfo_?.direct === false || groupInfo?.useRelays === true
  const kind = groupInfo ? chatKind({ groupInfo }) : connectionPlan.groupLinkPlan
    ? (isRelayed || group?.groupProfile.publicGroup ? "channel" : "group")
    : data?.business ? "business" : "contact"
  return {
    userId, state: plan.type, kind, links: links ?? connLink, contact: data, group, isRelayed,
    isOneTime: Boolean(connectionPlan.invitationLinkPlan),
    profile: contact?.profile ?? groupInfo?.groupProfile ?? data?.profile ?? group?.groupProfile,
    place: contact ? `direct/${contact.contactId}` : groupInfo ? `group/${groupInfo.groupId}` : "",
  }
}

/**
 * Connects a profile by a link. Returns the place of the chat; nothing for a link without the data of its owner.
 * @param {Target} target
 * @param {number} wanted the id of the profile
 * @param {boolean} incognito
 */
async function connect({ userId, links, contact, group, isRelayed }, wanted, incognito) {
  if (isRelayed && group) {
    const body = { connLink: links, directLink: false, groupShortLinkData: group }
    const { chat } = await app.api.post(`/v1/users/${wanted}/groups/prepared`, body)
    return `group/${chat.chatInfo.groupInfo.groupId}`
  }
  if (!contact) {
    await app.api.post(`/v1/users/${wanted}/connections`, { connLink: links, incognito })
    return ""
  }
  const asked = `/v1/users/${userId}`
  const { chat } = await app.api.post(`${asked}/contacts/prepared`, { connLink: links, contactShortLinkData: contact })
  const { groupInfo, contact: prepared } = chat.chatInfo
  const [kind, chats] = groupInfo ? ["group", "groups"] : ["direct", "contacts"]
  let id = groupInfo?.groupId ?? prepared?.contactId
  if (wanted != userId) {
    const moved = await app.api.patch(`${asked}/${chats}/${id}`, { userId: wanted })
    id = moved.toContact?.contactId ?? moved.toGroup?.groupId
  }
  // The chat exists already and offers to connect again, so an error is only shown, and the chat stays.
  await app.api.post(`/v1/users/${wanted}/${chats}/${id}/connect`, { incognito }).catch(error => say(error.message))
  return `${kind}/${id}`
}

/** Returns the profiles with which the user can connect, the present profile first. */
async function profiles() {
  const own = { userId: app.userId, name: app.user?.profile.displayName ?? "" }
  if (app.rights.userId) return [own]
  const { users } = await app.api.get("/v1/users")
  const others = users.filter(({ user }) => user.userId != app.userId && !user.userChatRelay)
  return [own, ...others.map(({ user }) => ({ userId: user.userId, name: user.profile.displayName }))]
}

/** Shows the owner of a link, and connects if the user confirms. Throws the error for a link that cannot be used. */
export async function showTarget(/** @type {string} */ link) {
  // A SimpleX name, such as @alice.simplex or #news, is also accepted, since it leads to a link.
  if (!isInvitation(link) && !/^[@#][\w.-]+$/.test(link)) throw new Error(words.noInvitation)
  const [first, users] = await Promise.all([planOf(link, app.userId), profiles()])
  const about = el("div.profile"), note = el("p", { role: "status" }), place = el("div")
  let target = first, { userId } = target

  const leave = (/** @type {string} */ to) => {
    box.close()
    location.hash = to ? `#/${userId}/${to}` : `#/${userId}`
  }
  const draw = () => {
    const { state, kind, profile } = target
    fill(about, profile && view(ProfileImage, profile.image, profile.displayName, kind == "channel" ? "📣" : ""),
      profile && text(profile.displayName, "b"), el("small", words.bannerOf[kind] ?? ""),
      profile && aboutChat({ contact: { profile }, groupInfo: null })
        .filter(line => line && line != profile.displayName).map(line => el("p", text(line))))
    fill(note, words.target[state] ?? (profile ? words.target[kind] : words.target.unnamed))
    fill(place, known.has(state) ? target.place && open() : !unusable.has(state) && join())
  }
  const open = () => el("footer", button(words.openChat, () => leave(target.place), { kind: "primary" }))
  const join = () => {
    const options = users.map(({ userId, name }) => [String(userId), name])
    // The form for a channel does not ask whether to join incognito: the opened chat asks.
    const isLater = target.isRelayed && target.group
    const box = form([
      ...(users.length > 1 ? [{ name: "user", label: words.connectAs, value: String(userId), options }] : []),
      ...(isLater ? [] : [{ name: "incognito", label: words.incognito, type: "checkbox" }]),
    ], isLater ? words.openChannel : words.connect, async ({ incognito = false }) => {
      const to = await connect(target, userId, incognito)
      leave(to)
      if (!to) say(words.connectingNow)
    })
    box.querySelector("select")?.addEventListener("change", event => choose(Number(event.target.value)))
    return box
  }
  // If the user chooses another profile, the gateway is asked about the link again, since this profile may know the
  // owner of the link already. Only the first profile can ask about a one-time link.
  const choose = async wanted => {
    const before = userId
    userId = wanted
    if (target.isOneTime) return
    try {
      const other = await planOf(link, wanted)
      if (userId != wanted) return
      target = other
    } catch (error) {
      userId = before
      say(error.message)
    }
    draw()
  }
  draw()
  const box = dialog(words.connect, about, note, place)
}
