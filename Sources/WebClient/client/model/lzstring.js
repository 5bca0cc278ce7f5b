// The compression that the apps use for the session descriptions of calls: LZ-string in base64.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
/** Codes that stand for no earlier text: a new letter of 8 or 16 bits follows, or the text ends. */
const letter8 = 0, letter16 = 1, end = 2

export function compressed(text) {
  const bits = [], known = new Map(), fresh = new Set()
  let size = 2, left = 2, next = 3
  const put = (value, count) => { for (let bit = 0; bit < count; bit++) bits.push(value >> bit & 1) }
  // All codes get one bit more when the number of codes no longer fits into their bits.
  const grow = () => { if (--left == 0) left = 2 ** size++ }
  const write = said => {
    if (fresh.delete(said)) {
      const code = said.charCodeAt(0), isLong = code > 255
      put(isLong ? letter16 : letter8, size)
      put(code, isLong ? 16 : 8)
      grow()
    } else put(known.get(said), size)
    grow()
  }
  let said = ""
  for (let index = 0; index < text.length; index++) {
    const letter = text[index], more = said + letter
    if (!known.has(letter)) { known.set(letter, next++); fresh.add(letter) }
    if (known.has(more)) { said = more; continue }
    write(said)
    known.set(more, next++)
    said = letter
  }
  if (said) write(said)
  put(end, size)
  // At least one bit follows the end code, also if the bits are a multiple of 6 already, as in the apps.
  do bits.push(0); while (bits.length % 6)
  let written = ""
  for (let at = 0; at < bits.length; at += 6)
    written += alphabet[bits.slice(at, at + 6).reduce((value, bit) => value * 2 + bit, 0)]
  return written.padEnd(Math.ceil(written.length / 4) * 4, "=")
}

/**
 * Decompresses a text.
 * @param {number} limit the maximal length of the result, since a short text can become very long; a longer result is
 *   refused
 */
export function decompressed(written, limit = 300_000) {
  const refused = () => new Error("This is no compressed text.")
  let position = 0
  const bit = () => {
    const value = alphabet.indexOf(written[Math.floor(position / 6)] ?? "=")
    if (value < 0) throw refused()
    return value >> 5 - position++ % 6 & 1
  }
  const take = count => { let value = 0; for (let at = 0; at < count; at++) value += bit() * 2 ** at; return value }
  const known = [""], parts = []
  let size = 2, left = 1, said = "", length = 0
  known.length = 3
  const grow = () => { if (--left == 0) left = 2 ** size++ }
  for (;;) {
    let code = take(size)
    if (code == end) return parts.join("")
    if (code < end) {
      known.push(String.fromCharCode(take(code == letter16 ? 16 : 8)))
      code = known.length - 1
      // The first letter has no text before it, so it adds no code.
      if (said) grow()
    }
    const now = known[code] ?? (code == known.length && said ? said + said[0] : "")
    if (!now || (length += now.length) > limit) throw refused()
    parts.push(now)
    if (said) known.push(said + now[0])
    said = now
    grow()
  }
}
