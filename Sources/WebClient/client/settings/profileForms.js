// Form fields that the dialogs about profiles, contacts, groups and channels share.
import { ask, choice, features, words } from "../elements/base.js"
import { prepared } from "../shell/parts.js"

/** Makes the fields for the data of a profile or a group that peers see. */
export const profileInputs = (profile, about = words.profileAbout) => [
  {
    name: "displayName", label: words.profileName, required: true, isName: true, maxlength: 50,
    value: profile.displayName,
  },
  { name: "fullName", label: words.fullName, value: profile.fullName },
  { name: "shortDescr", label: about, maxlength: 160, value: profile.shortDescr },
  { name: "picture", label: words.picture, type: "file", accept: "image/*" },
]

/** Returns the values of the fields for a profile or a group, with the chosen picture in a small size. */
export async function withPicture(/** @type {any} */ { picture, shortDescr, ...values }) {
  const image = picture ? { image: (await prepared(picture))?.preview } : {}
  return { ...values, shortDescr: shortDescr || undefined, ...image }
}

/** Makes the field for the number of seconds after which messages disappear, if disappearing messages are allowed. */
export function timeInput({ timedMessages }) {
  const ttl = timedMessages?.ttl
  return { name: "ttl", label: words.disappearAfter, value: String(ttl ?? ""), options: timerOptions(ttl) }
}

/** Returns the usual times, and also the chosen time if it is not among them. */
function timerOptions(ttl) {
  const other = ttl && !words.timer[ttl] ? [[String(ttl), words.seconds(ttl)]] : []
  return [["", words.noTimer], ...Object.entries(words.timer), ...other]
}

/** Returns the time to live as a part of a preference; empty for preferences other than disappearing messages. */
export const timerOf = (name, ttl) => (name == "timedMessages" ? { ttl: Number(ttl) || undefined } : {})

/** Shows a form for preferences: of a profile, or for a contact. `more` contains further options of each preference. */
export function editPreferences(title, given, save, more = []) {
  const options = [...more, ...Object.entries(words.allowed)]
  const inputs = features.map(name => ({ name, label: words.feature[name], value: given[name]?.allow ?? "", options }))
  ask(title, [...inputs, timeInput(given)], ({ ttl, ...values }) => {
    const preference = name => ({ ...given[name], allow: values[name], ...timerOf(name, ttl) })
    const changed = features.map(name => [name, values[name] ? preference(name) : undefined])
    return save({ ...given, ...Object.fromEntries(changed) })
  })
}

/** Makes the row that chooses the time after which items are deleted. `save` gets the seconds; null for none. */
export function timeChoice(now, save, more = []) {
  const value = String(now ?? (more.length ? "" : 0)), options = [...more, ...Object.entries(words.times)]
  return choice(words.keepItems, value, options, seconds => save(seconds ? Number(seconds) : null))
}
