// What a chat is, from its `chatInfo`: its names, its place in the API, and what can be done in it.

const nameOf = (it, profile) =>
  it.localAlias || profile?.localAlias || profile?.displayName || it.localDisplayName || ""

/** The name of a chat; empty for one that has none. */
export function chatName(info) {
  const { contact, groupInfo, contactRequest, contactConnection } = info ?? {}
  const named = contact ?? groupInfo ?? contactRequest ?? contactConnection
  return named ? nameOf(named, named.profile ?? named.groupProfile) : ""
}

/** A picture as a data address, or nothing. */
export const chatImage = info =>
  info?.contact?.profile?.image ?? info?.groupInfo?.groupProfile?.image ?? info?.contactRequest?.profile?.image

const places = {
  direct: ["contact", "contactId"], group: ["groupInfo", "groupId"], local: ["noteFolder", "noteFolderId"],
  contactRequest: ["contactRequest", "contactRequestId"], contactConnection: ["contactConnection", "pccConnId"],
}
/** `direct/4`, as in the address of the page; nothing for a kind that is not known. */
export function chatPlace(info) {
  const [of, id] = places[info?.type] ?? []
  return of ? `${info.type.replace("contact", "").toLowerCase()}/${info[of][id]}` : null
}

export const settings = info => info?.contact?.chatSettings ?? info?.groupInfo?.chatSettings

export const isMuted = info => settings(info)?.enableNtfs == "none"
export const isFavorite = info => settings(info)?.favorite === true
export const isChannel = info => info?.groupInfo?.useRelays === true
/** Messages of an owner appear as the channel's; others write as themselves, if their role allows it. */
export const asGroup = info =>
  isChannel(info) && info.groupInfo.membership.memberRole == "owner" ? { sendAsGroup: true } : {}
/** Sign for a chat without a picture; empty when the page draws the first letter of its name. */
export const chatIcon = info => (isChannel(info) ? "📣" : { local: "✎", contactConnection: "…" }[info?.type] ?? "")

/** Kind of a chat, as a name in the words. */
export const chatKind = ({ groupInfo }) =>
  groupInfo ? (groupInfo.businessChat ? "business" : groupInfo.useRelays ? "channel" : "group") : "contact"
/** Full name and descriptions in the profile of a chat. */
export const aboutChat = ({ contact, groupInfo }) => {
  const { fullName, shortDescr, description } = contact?.profile ?? groupInfo?.groupProfile ?? {}
  return [fullName, shortDescr, description]
}

const ranks = ["relay", "observer", "author", "member", "moderator", "admin", "owner"]
export const atLeast = (one, other) => ranks.indexOf(one) >= ranks.indexOf(other)

const current = new Set(["introduced", "intro-inv", "accepted", "announced", "connected", "complete", "creator"])
export const isCurrent = ({ memberStatus }) => current.has(memberStatus)

const gone = new Set(["left", "removed", "deleted", "rejected"])
/** Whether a member is in its group no longer. */
export const isGone = ({ memberStatus }) => gone.has(memberStatus)

/** Why nothing can be written here, as a name in the words; nothing when it can. */
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

/** Features that contacts allow each other. */
export const features = ["timedMessages", "fullDelete", "reactions", "voice", "files", "calls"]

/** Whether a feature is on: `reactions`, `voice`, `files`, `fullDelete`, `reports`. */
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

/** The content of a message; nothing for events. */
export const message = item =>
  item.content?.type == "sndMsgContent" || item.content?.type == "rcvMsgContent" ? item.content.msgContent : null

/** Key of the author of an item. */
export function author(item) {
  const direction = item.chatDir
  if (direction?.type == "groupRcv") return `m${direction.groupMember.groupMemberId}`
  return direction?.type ?? ""
}

export const memberName = member => (member ? nameOf(member, member.memberProfile) : "")

/** One with its form or its colour. */
const pictograph = /\p{Extended_Pictographic}(?:\ufe0f|[\u{1f3fb}-\u{1f3ff}])?/u.source
const onlyEmoji = new RegExp(
  `^(?:(?:\\p{Regional_Indicator}{2}|${pictograph}(?:\\u200d${pictograph})*)\\s?){1,5}$`,
  "u"
)
/** Emoji alone, at most five of them: shown large. */
export const isOnlyEmoji = text => typeof text == "string" && text.length <= 60 && onlyEmoji.test(text)
