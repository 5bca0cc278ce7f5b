// Finds the occurrences of a searched text in texts.

const pattern = (/** @type {string} */ query) =>
  new RegExp(`(${query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")})`, "giu")

/**
 * Splits a text at the places where a searched text occurs, in upper or lower case.
 * @param {string} text
 * @param {string} query
 * @returns {string[]} the parts; those at odd positions are the occurrences
 */
export const splitAt = (text, query) => (query ? text.split(pattern(query)) : [text])

/** The characters before an occurrence that stay in an excerpt. */
const before = 24

/** Returns a text from a place before the first occurrence on, so that one line shows the occurrence. */
export function excerpt(/** @type {string} */ text, /** @type {string} */ query) {
  const start = query ? text.search(pattern(query)) : 0
  if (start <= before) return text
  const rest = text.slice(start - before)
  // The excerpt begins with a whole word, or at least with a whole character.
  const word = rest.search(/\s\S/u)
  return `…${word >= 0 && word < before ? rest.slice(word + 1) : rest.replace(/^[\udc00-\udfff]/, "")}`
}
