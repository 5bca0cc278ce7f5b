// Fields of forms that profiles, contacts, groups and channels share.
import { app, ask, features, prepared, words } from "../elements/base.js"

/** Fields of a profile or a group that peers see. */
export const profileInputs = (profile, about = words.profileAbout) => [
  { name: "displayName", label: words.profileName, required: true, maxlength: 50, value: profile.displayName }, { name: "fullName", label: words.fullName, value: profile.fullName },
  { name: "shortDescr", label: about, maxlength: 160, value: profile.shortDescr }, { name: "picture", label: words.picture, type: "file", accept: "image/*" },
]

/** With the chosen picture, made small. */
export async function withPicture(/** @type {any} */ { picture, shortDescr, ...values }) {
  return { ...values, shortDescr: shortDescr || undefined, ...(picture ? { image: (await prepared(picture))?.preview } : {}) }
}

/** After how many seconds messages disappear, where that is allowed. */
export const timeInput = given => ({ name: "ttl", label: words.disappearAfter, value: String(given.timedMessages?.ttl ?? ""), options: timerOptions(given.timedMessages?.ttl) })
/** Also a time that others have chosen. */
const timerOptions = ttl => [["", words.noTimer], ...Object.entries(words.timer), ...(ttl && !words.timer[ttl] ? [[String(ttl), words.seconds(ttl)]] : [])]
/** The setting of a timer, where it is one for these. */
export const timerOf = (name, ttl) => (name == "timedMessages" ? { ttl: Number(ttl) || undefined } : {})

export const editPreferences = (title, given, save, more = []) => ask(title, [
  ...features.map(name => ({ name, label: words.feature[name], value: given[name]?.allow ?? "", options: [...more, ...Object.entries(words.allowed)] })), timeInput(given),
], ({ ttl, ...values }) => {
  const changed = features.map(name => [name, values[name] ? { ...given[name], allow: values[name], ...timerOf(name, ttl) } : undefined])
  return save({ ...given, ...Object.fromEntries(changed) })
})

/** For how long items are kept. */
export const editTime = (seconds, path, more = []) => ask(words.keepItems, [
  { name: "seconds", label: words.keepItems, value: String(seconds ?? (more.length ? "" : 0)), options: [...more, ...Object.entries(words.times)] },
], ({ seconds }) => app.put(path, seconds ? { seconds: Number(seconds) } : {}))
