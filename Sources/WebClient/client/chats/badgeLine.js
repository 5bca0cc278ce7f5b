// The badges of supporters: the line in details, and the sign beside a name. It is loaded with the first badge.
import { el, fill, icon, sign, text, wholeTime, words } from "../elements/base.js"

/**
 * Returns the name of the type of a badge. The type of a badge that failed is a text that the peer has chosen, so a
 * type that the page does not know is not shown.
 */
const typeOf = badgeType => (Object.hasOwn(words.badgeType, badgeType) ? words.badgeType[badgeType] : words.badgeOther)

/** Returns the result of the check of a badge; empty for an active badge without an end. */
function stateOf({ badge: { badgeExpiry }, status }) {
  if (status == "active") return badgeExpiry ? words.badgeUntil(wholeTime(badgeExpiry)) : ""
  return words.badgeStatus[status] ?? words.badgeStatus.unknownKey
}

/** Fills the line with the type of the badge and with the result of its check. */
export function fillBadge(line, badge) {
  const state = stateOf(badge)
  const isActive = badge.status == "active", type = typeOf(badge.badge.badgeType)
  fill(line, isActive && [el("span.supporter", icon("heart")), " "], text(type), state && ` · ${state}`)
}

/**
 * Fills the sign of a badge: a heart, which is pale if the badge has expired, or a warning if the badge is not
 * verified.
 */
export function fillSign(place, badge) {
  const { status } = badge, isVerified = status == "active" || status == "expired"
  const name = [typeOf(badge.badge.badgeType), status != "active" && stateOf(badge)].filter(Boolean).join(" · ")
  place.classList.toggle("expired", status == "expired")
  fill(place, sign(name, isVerified ? icon("heart") : "⚠"))
}
