// Fields of forms that profiles, contacts, groups and channels share.
import { app, ask, features, prepared, words } from "../elements/base.js"

/** Fields of a profile or a group that peers see. */
export const profileInputs = (profile, about = words.profileAbout) => [
  { name: "displayName", label: words.profileName, required: true, maxlength: 50, value: profile.displayName },
  { name: "fullName", label: words.fullName, value: profile.fullName },
  { name: "shortDescr", label: about, maxlength: 160, value: profile.shortDescr },
  { name: "picture", label: words.picture, type: "file", accept: "image/*" },
]

/** With the chosen picture, made small. */
export async function withPicture(/** @type {any} */ { picture, shortDescr, ...values }) {
  const image = picture ? { image: (await prepared(picture))?.preview } : {}
  return { ...values, shortDescr: shortDescr || undefined, ...image }
}

/** After how many seconds messages disappear, where that is allowed. */
export function timeInput({ timedMessages }) {
  const ttl = timedMessages?.ttl
  return { name: "ttl", label: words.disappearAfter, value: String(ttl ?? ""), options: timerOptions(ttl) }
}

/** The usual times, and a time that others have chosen. */
function timerOptions(ttl) {
  const other = ttl && !words.timer[ttl] ? [[String(ttl), words.seconds(ttl)]] : []
  return [["", words.noTimer], ...Object.entries(words.timer), ...other]
}

/** The setting of a timer, where it is one for these. */
export const timerOf = (name, ttl) => (name == "timedMessages" ? { ttl: Number(ttl) || undefined } : {})

/** Asks what is allowed: by a profile, or to a contact. `more` are further choices. */
export function editPreferences(title, given, save, more = []) {
  const options = [...more, ...Object.entries(words.allowed)]
  const inputs = features.map(name => ({ name, label: words.feature[name], value: given[name]?.allow ?? "", options }))
  ask(title, [...inputs, timeInput(given)], ({ ttl, ...values }) => {
    const preference = name => ({ ...given[name], allow: values[name], ...timerOf(name, ttl) })
    const changed = features.map(name => [name, values[name] ? preference(name) : undefined])
    return save({ ...given, ...Object.fromEntries(changed) })
  })
}

/** Asks for how long items are kept. */
export function editTime(now, path, more = []) {
  const value = String(now ?? (more.length ? "" : 0)), options = [...more, ...Object.entries(words.times)]
  const input = { name: "seconds", label: words.keepItems, value, options }
  ask(words.keepItems, [input], ({ seconds }) => app.put(path, seconds ? { seconds: Number(seconds) } : {}))
}
