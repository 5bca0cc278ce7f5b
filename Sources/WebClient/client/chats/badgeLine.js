// The line about the badge of a supporter in details. It is loaded with the first badge.
import { wholeTime, fill, text, words } from "../elements/base.js"

/**
 * Fills the line with the type of the badge and with the result of its check. The type of a badge that failed is a text
 * that the peer has chosen, so a type that the page does not know is not shown.
 */
export function fillBadge(line, { badge: { badgeType, badgeExpiry }, status }) {
  const state = status == "active"
    ? badgeExpiry && words.badgeUntil(wholeTime(badgeExpiry))
    : words.badgeStatus[status] ?? words.badgeStatus.unknownKey
  const type = Object.hasOwn(words.badgeType, badgeType) ? words.badgeType[badgeType] : words.badgeOther
  fill(line, [status == "active" && "★ ", text(type), state && ` · ${state}`])
}
