// The addresses that a message may lead to.
const schemes = new Set(["http:", "https:", "mailto:", "tel:", "simplex:"])
const simplexPaths = /^\/(contact|invitation|a|c|g|i|r)\/?$/

function parse(address) {
  // The parser drops spaces and controls inside of an address: the page would show another address than it opens.
  if (typeof address != "string" || /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202f\u2066-\u2069]/.test(address))
    return null
  try { return new URL(address) } catch { return null }
}

/** Whether a link to it may be made at all. */
export const isSafe = address => {
  const url = parse(address)
  return url !== null && schemes.has(url.protocol)
}

/** Whether it invites to connect, so that it is opened here. */
export function isInvitation(address) {
  const url = parse(address)
  if (!url) return false
  if (url.protocol == "simplex:") return true
  return url.protocol == "https:" && url.hash.length > 1 && simplexPaths.test(url.pathname)
}

/** Whether only the gateway's own machine reaches the relay of a link. Long links have the relay's address escaped. */
export const isLocalLink = address => /127\.0\.0\.1|localhost|\[::1\]|%5B%3A%3A1%5D/i.test(address)

/** An address without a scheme, as it is written in a message: `example.org`. */
export const withScheme = address => (/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`)

/** The host that an address really leads to, for people to check. */
export const host = address => parse(address)?.host ?? ""
