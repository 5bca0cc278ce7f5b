// The addresses that a message may link to.
const schemes = new Set(["http:", "https:", "mailto:", "tel:", "simplex:"])
const simplexPaths = /^\/(contact|invitation|a|c|g|i|r)\/?$/

function parse(address) {
  // The parser removes spaces and control characters inside of an address, so the page would show another address than
  // it opens. Such an address is refused.
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

const decoded = (/** @type {string} */ text) => { try { return decodeURIComponent(text) } catch { return text } }

/** Returns the hosts of the relays in a link. In long links, the addresses of the relays are percent-encoded twice. */
function relayHosts(/** @type {string} */ link) {
  const text = decoded(decoded(link))
  const relays = [...text.matchAll(/smp:\/\/[^@/]*@([^/?#&;]+)/g)].map(([, hosts]) => hosts)
  const named = relays.length ? relays : [/^https:\/\/([^/?#]+)/.exec(text)?.[1], /[?&]h=([^&#]+)/.exec(text)?.[1]]
  return named.filter(Boolean).flatMap(hosts => /** @type {string} */ (hosts).split(","))
    .map(name => name.replace(/:\d+$/, "").replace(/^\[|\]$/g, "").toLowerCase())
}

const machine = /^(?:localhost|.*\.localhost|127\.[\d.]+|0\.0\.0\.0|::1)$/
/** Private and link-local addresses, those of carriers and of containers, and names that only one network knows. */
const network = [
  /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+$/,
  /^(?:f[cd][\da-f]{2}|fe[89ab][\da-f]):/, /^[^.:]+$/, /\.(?:local|lan|home|internal|home\.arpa)$/,
]

/**
 * Returns who can reach a host: "machine" if only this machine can, "network" if only its network can; otherwise empty.
 */
export const reachOf = (/** @type {string} */ host) =>
  machine.test(host) ? "machine" : network.some(form => form.test(host)) ? "network" : ""

/** Returns who can reach the relays of a link. One host of a relay that everybody can reach is enough. */
export function linkReach(/** @type {string} */ link) {
  const all = relayHosts(link).map(reachOf)
  return all.includes("") ? "" : all.includes("network") ? "network" : all[0] ?? ""
}

/** Returns an address with a scheme. In messages, addresses may be without a scheme: `example.org`. */
export const withScheme = address => (/^[a-z][a-z0-9+.-]*:/i.test(address) ? address : `https://${address}`)

/** Returns the host to which an address really leads, so that users can check it. */
export const host = address => parse(address)?.host ?? ""
