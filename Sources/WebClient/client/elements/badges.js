// The badges of supporters, in details and beside names. Their words are loaded with the first badge.
import { el } from "./dom.js"
import { later } from "./later.js"

/** @type {() => Promise<typeof import("../chats/badgeLine.js")>} */
const parts = later("../chats/badgeLine.js", "badges")

/** Makes an element for the badge of a profile, which is filled later. A badge that expired long ago is not shown. */
function element(tag, profile, fill) {
  const badge = profile?.localBadge
  if (!badge || badge.status == "expiredOld") return null
  const place = el(tag)
  parts().then(module => fill(module)(place, badge), () => {})
  return place
}

/** Makes the line about a badge in details. */
export const badgeLine = profile => element("p", profile, module => module.fillBadge)

/** Makes the sign of a badge beside a name. */
export const badgeSign = profile => element("span.supporter", profile, module => module.fillSign)

/** Makes the sign of the badge of a contact, or of a person who asks to be one. Groups have no badges. */
export const chatBadge = ({ contact, contactRequest }) =>
  badgeSign(contact ? contact.contactStatus == "active" && contact.profile : contactRequest?.profile)
