// The addresses that a message may link to.
const schemes = new Set(["http:", "https:", "mailto:", "tel:", "simplex:"])
const simplexPaths = /^\/(contact|invitation|a|c|g|i|r)\/?$/

function parse(address) {
  // The parser removes spaces and control characters inside of an address, so the page would show another address than
  // it opens.
  if (typeof address != "string" || /[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202f\u2066-\u2069]/.test(address))
    return null
  try { return new URL(address) } catch { return null }
}

/** Whether the page may make a link to an address. */
export const isSafe = address => {
  const url = parse(address)
  return url !== null && schemes.has(url.protocol)
}

/** Whether an address is an invitation to connect, which this page opens itself. */
export function isInvitation(address) {
  const url = parse(address)
  if (!url) return false
  if (url.protocol == "simplex:") return true
  return url.protocol == "https:" && url.hash.length > 1 && simplexPaths.test(url.pathname)
}

/**
 * Whether only the machine of the gateway can reach the relay of a link. In long links, the address of the relay is
 * percent-encoded.
 */
export const isLocalLink = address => /127\.0\.0\.1|localhost|\[::1\]|%5B%3A%3A1%5D/i.test(address)

/** Returns an address with a scheme. In messages, addresses may be without a scheme: `example.org`. */
export const withScheme = address => (/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`)

/** Returns the host to which an address really leads, so that users can check it. */
export const host = address => parse(address)?.host ?? ""
