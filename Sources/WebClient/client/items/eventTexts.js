// The texts of events, settings and errors in a chat, in the language of the page. This module is loaded when the first
// such text is shown.
import { isSent, locale, words } from "../elements/base.js"

const units = /** @type {const} */ ([
  ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1],
])

/** Returns a time in seconds as text: `1 month 3 hours`. A month has 30 days. */
function timeText(/** @type {number} */ seconds) {
  let left = seconds
  return units.flatMap(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count ? [new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(count)] : []
  }).join(" ")
}

const role = (/** @type {string} */ name) => words.role[name] ?? name
/** Returns the name of a setting; undefined for a setting that the page does not know. */
const nameOf = (/** @type {string} */ feature) =>
  feature == "support" ? words.askModerators : words.feature[feature] ?? words.otherFeature[feature]
const withTime = (/** @type {string} */ text, seconds) =>
  (Number.isSafeInteger(seconds) && seconds > 0 ? words.withTime(text, timeText(seconds)) : text)

/** Returns the text about a setting of a chat with a contact. */
function contactFeature(name, { feature, enabled: { forUser, forContact }, param }) {
  const sides = forUser ? (forContact ? "both" : "you") : forContact ? "contact" : "none"
  const isOpen = feature == "timedMessages" && !param
  const text = (isOpen ? words.featureAllowed : words.featureEnabled)[sides](name)
  return forUser && feature == "timedMessages" ? withTime(text, param) : text
}

/** Returns the text about a setting of a group. */
function groupFeature(name, { groupFeature: feature, preference, param, memberRole_: from }) {
  const isOn = preference.enable == "on"
  const text = isOn ? from ? words.featureOnFrom(name, role(from)) : words.featureOn(name) : words.featureOff(name)
  return isOn && feature == "timedMessages" ? withTime(text, param) : text
}

/** Returns the text about an offer of a setting, or about its end. */
function offer(name, isOwn, { feature, allowed, param }) {
  const text = (isOwn ? words.ownOffer : words.offer)[allowed == "no" ? "cancelled" : "offered"](name)
  return feature == "timedMessages" && allowed != "no" ? withTime(text, param) : text
}

/** Returns the name of a profile; the full name follows if it differs. */
const named = ({ displayName, fullName }) =>
  (fullName && fullName != displayName ? `${displayName} (${fullName})` : displayName)

/** Fills an event's sentence with the values that the event has. */
const filled = (sentence, ...values) => (typeof sentence == "function" ? sentence(...values) : sentence)

function groupEvent(texts, event) {
  const { type, profile, role: given, blocked } = event
  const name = type == "memberBlocked" && !blocked ? "memberUnblocked" : type
  return profile ? filled(texts[name], named(profile), role(given)) : filled(texts[name], role(given))
}

function connectionEvent(texts, { type, phase, syncStatus, enabled, member }) {
  if (type == "switchQueue") return texts[phase == "completed" ? "switched" : "switching"]
  if (type == "pqEnabled") return enabled ? words.protection.quantumNow : words.protection.usualNow
  if (type != "ratchetSync") return texts[type]
  const text = words.sync[syncStatus] ?? words.sync.agreed
  return member ? words.said(named(member.profile), text) : text
}

function encryption({ public: isPublic, pqEnabled }) {
  if (isPublic) return words.protection.none
  return pqEnabled === undefined ? words.protection.some : pqEnabled ? words.protection.quantum : words.protection.usual
}

function integrity({ type, fromMsgId, toMsgId }) {
  const count = toMsgId - fromMsgId + 1
  return type == "msgSkipped" ? Number.isSafeInteger(count) && words.skipped(count) : words.integrity[type]
}

/** Returns the text of an item that is no message; a value that is no text for an item that the page does not know. */
function textFor(item) {
  const { content } = item, { type } = content, isOwn = isSent(item)
  const name = nameOf(content.feature ?? content.groupFeature)
  if (/ChatFeature$/.test(type)) return name && contactFeature(name, content)
  if (/GroupFeature$/.test(type)) return name && groupFeature(name, content)
  if (/FeatureRejected$/.test(type)) return name && words.featureRejected(name)
  if (/ChatPreference$/.test(type)) return name && offer(name, isOwn, content)
  if (/E2EEInfo$/.test(type)) return encryption(content.e2eeInfo)
  switch (type) {
    case "rcvGroupEvent": return groupEvent(words.groupEvent, content.rcvGroupEvent)
    case "sndGroupEvent": return groupEvent(words.ownGroupEvent, content.sndGroupEvent)
    case "rcvDirectEvent": {
      const { type, groupProfile } = content.rcvDirectEvent
      return filled(words.contactEvent[type], groupProfile && named(groupProfile))
    }
    case "rcvConnEvent": return connectionEvent(words.connectionEvent, content.rcvConnEvent)
    case "sndConnEvent": return connectionEvent(words.ownConnectionEvent, content.sndConnEvent)
    case "rcvIntegrityError": return integrity(content.msgError)
    case "rcvDecryptionError": return words.undecrypted(content.msgCount || 1)
    default: return words.content[type]
  }
}

/** Returns the text of an item that is no message; empty for an item that the page does not know. */
export function textOf(item) {
  try {
    const found = textFor(item)
    return typeof found == "string" ? found : ""
    // For content of another form, the page shows the text of the gateway.
  } catch { return "" }
}
