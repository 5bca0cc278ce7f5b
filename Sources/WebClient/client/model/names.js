// Names of profiles and groups. The rule is that of the core, which refuses other names.

/** Maximal number of characters of a name. */
const longest = 50

const prohibited = new Set(".,;/\\#@'\"`~")
const isSpace = (/** @type {string} */ it) => /[\t-\r\p{Zs}]/u.test(it)
const begins = (/** @type {string} */ it) => /[\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nd}\p{So}]/u.test(it)
const beginsWord = (/** @type {string} */ it) => begins(it) || /[\p{Sc}\p{Sm}]/u.test(it)
const joins = (/** @type {string} */ it) => /[\p{Pc}\p{Pd}\p{Po}]/u.test(it)
const isMark = (/** @type {string} */ it) => /\p{M}/u.test(it)

/**
 * Whether a character may follow another one.
 * @param {string} it
 * @param {string} previous empty before the first character
 * @param {number} joined the number of the punctuation marks since the last letter
 */
function follows(it, previous, joined) {
  if (prohibited.has(it)) return false
  if (!previous) return begins(it)
  if (isSpace(previous)) return beginsWord(it) || (joined == 0 && joins(it))
  if (joins(previous)) return beginsWord(it) || isSpace(it)
  return beginsWord(it) || isSpace(it) || isMark(it) || joins(it)
}

/** Returns a name without the characters that names cannot have. The result may be empty. */
export function validName(/** @type {string} */ name) {
  const kept = /** @type {string[]} */ ([])
  let joined = 0
  for (const it of name) {
    if (kept.length == longest) break
    if (!follows(it, kept.at(-1) ?? "", joined)) continue
    if (joins(it)) joined += 1
    else if (!isSpace(it)) joined = 0
    kept.push(isSpace(it) ? " " : it)
  }
  return kept.join("").trimEnd()
}
