// The line about the badge of a supporter in details. It is loaded with the first badge.
import { wholeTime, fill, text, words } from "../elements/base.js"

/** Fills the line with the type of the badge and with the result of its check. */
export function fillBadge(line, { badge: { badgeType, badgeExpiry }, status }) {
  const state = status == "active"
    ? badgeExpiry && words.badgeUntil(wholeTime(badgeExpiry))
    : words.badgeStatus[status] ?? words.badgeStatus.unknownKey
  fill(line, [status == "active" && "★ ", text(words.badgeType[badgeType] ?? badgeType), state && ` · ${state}`])
}
