// Functions that compute properties of a chat from its `chatInfo`: its name, its place in the API, and the actions that
// it allows.

const nameOf = (it, profile) =>
  it.localAlias || profile?.localAlias || profile?.displayName || it.localDisplayName || ""

/** Returns the name of a chat; empty for a chat without a name. */
export function chatName(info) {
  const { contact, groupInfo, contactRequest, contactConnection } = info ?? {}
  const named = contact ?? groupInfo ?? contactRequest ?? contactConnection
  return named ? nameOf(named, named.profile ?? named.groupProfile) : ""
}

/** Returns the picture of a chat as a data address; undefined for a chat without a picture. */
export const chatImage = info =>
  info?.contact?.profile?.image ?? info?.groupInfo?.groupProfile?.image ?? info?.contactRequest?.profile?.image

const places = {
  direct: ["contact", "contactId"], group: ["groupInfo", "groupId"], local: ["noteFolder", "noteFolderId"],
  contactRequest: ["contactRequest", "contactRequestId"], contactConnection: ["contactConnection", "pccConnId"],
}
/** Returns the place of a chat, as in the address of the page: `direct/4`; null for an unknown kind of chat. */
export function chatPlace(info) {
  const [of, id] = places[info?.type] ?? []
  return of ? `${info.type.replace("contact", "").toLowerCase()}/${info[of][id]}` : null
}

export const settings = info => info?.contact?.chatSettings ?? info?.groupInfo?.chatSettings

export const isMuted = info => settings(info)?.enableNtfs == "none"
export const isFavorite = info => settings(info)?.favorite === true
export const isChannel = info => info?.groupInfo?.useRelays === true
/**
 * Returns what a request to send a message contains besides the message. Messages of a channel's owner are sent in
 * the name of the channel. Other users send in their own name, if their role allows it.
 */
export const asGroup = info =>
  isChannel(info) && info.groupInfo.membership.memberRole == "owner" ? { sendAsGroup: true } : {}
/** Returns the symbol for a chat without a picture; empty if the page draws the first letter of the chat's name. */
export const chatIcon = info => (isChannel(info) ? "📣" : { local: "✎", contactConnection: "…" }[info?.type] ?? "")

/** Returns the kind of a chat, as a name in the texts of the page. */
export const chatKind = ({ groupInfo }) =>
  groupInfo ? (groupInfo.businessChat ? "business" : groupInfo.useRelays ? "channel" : "group") : "contact"
/** Returns the full name and the descriptions in the profile of a chat. */
export const aboutChat = ({ contact, groupInfo }) => {
  const { fullName, shortDescr, description } = contact?.profile ?? groupInfo?.groupProfile ?? {}
  return [fullName, shortDescr, description]
}

const ranks = ["relay", "observer", "author", "member", "moderator", "admin", "owner"]
export const atLeast = (one, other) => ranks.indexOf(one) >= ranks.indexOf(other)

const current = new Set(["introduced", "intro-inv", "accepted", "announced", "connected", "complete", "creator"])
export const isCurrent = ({ memberStatus }) => current.has(memberStatus)

const gone = new Set(["left", "removed", "deleted", "rejected"])
/** Whether a member no longer belongs to the group. */
export const isGone = ({ memberStatus }) => gone.has(memberStatus)

/**
 * Returns the reason why the user cannot write in a chat, as a name in the texts of the page; undefined if the user can
 * write.
 */
export function closedBecause(info) {
  if (info.type == "direct") {
    const contact = info.contact
    if (contact.contactStatus != "active")
      return contact.contactStatus == "deletedByUser" ? "deletedByUser" : "contactDeleted"
    const status = contact.activeConn?.connStatus
    const state = typeof status == "string" ? status : status?.type
    if (!contact.activeConn) return contact.contactRequestId ? "requestWaits" : "notConnected"
    if (state == "failed" || contact.activeConn.connDisabled) return "notConnected"
    return state == "ready" || state == "sndReady" || state == "snd-ready" ? null : "connecting"
  }
  if (info.type == "group") {
    const { preparedGroup, membership: { memberStatus, memberRole } } = info.groupInfo
    if (memberStatus == "invited") return "groupInvited"
    if (preparedGroup && memberStatus == "unknown")
      return preparedGroup.connLinkStartedConnection ? "connecting" : "prepared"
    if (!isCurrent(info.groupInfo.membership)) return memberStatus.startsWith("pending") ? "pendingReview" : "notMember"
    return atLeast(memberRole, "author") ? null : "observer"
  }
  return info.type == "local" ? null : "notConnected"
}

/** The features for which contacts have preferences. */
export const features = ["timedMessages", "fullDelete", "reactions", "voice", "files", "calls"]

/** Whether a feature is on in a chat, for example `reactions`, `voice`, `files`, `fullDelete` or `reports`. */
export function allows(info, feature) {
  if (info.type == "direct") return info.contact.mergedPreferences?.[feature]?.enabled?.forUser === true
  if (info.type == "group") {
    const preference = info.groupInfo.fullGroupPreferences?.[feature]
    return preference?.enable == "on"
      && (!preference.role || atLeast(info.groupInfo.membership.memberRole, preference.role))
  }
  return feature == "files" || feature == "voice"
}

const sent = new Set(["directSnd", "groupSnd", "localSnd"])
export const isSent = item => sent.has(item.chatDir?.type)

/** Returns the content of a message; null for an event. */
export const message = item =>
  item.content?.type == "sndMsgContent" || item.content?.type == "rcvMsgContent" ? item.content.msgContent : null

/** Returns a text that is equal for items of the same author. */
export function author(item) {
  const direction = item.chatDir
  if (direction?.type == "groupRcv") return `m${direction.groupMember.groupMemberId}`
  return direction?.type ?? ""
}

export const memberName = member => (member ? nameOf(member, member.memberProfile) : "")

/** A regular expression for one pictograph, with a variation selector or a skin tone after it. */
const pictograph = /\p{Extended_Pictographic}(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])?/u.source
const onlyEmoji = new RegExp(
  `^(?:(?:\\p{Regional_Indicator}{2}|${pictograph}(?:\\u200d${pictograph})*)\\s?){1,5}$`,
  "u"
)
/** Whether a text consists of at most five emojis, which are shown large. */
export const isOnlyEmoji = text => typeof text == "string" && text.length <= 60 && onlyEmoji.test(text)
