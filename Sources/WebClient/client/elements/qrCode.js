// Draws a text as a QR code (ISO/IEC 18004): bytes, with the lowest level of error correction, as the gateway draws its
// codes. The gateway does not draw codes with secrets of the page, so that no request contains such a secret.

/** For each version from 1: the error correction bytes of a block, and the number of blocks. */
const versions = (
  "7 1,10 1,15 1,20 1,26 1,18 2,20 2,24 2,30 2,18 4,20 4,24 4,26 4,30 4,22 6,24 6,28 6,30 6,28 7,28 8,28 8,28 9,30 9,"
  + "30 10,26 12,28 12,30 12,30 13,30 14,30 15,30 16,30 17,30 18,30 19,30 19,30 20,30 21,30 22,30 24,30 25"
).split(",").map(entry => entry.split(" ").map(Number))

/** Returns the number of modules that a version has for data: all modules except the modules with a fixed purpose. */
function dataModules(/** @type {number} */ version) {
  const marks = version > 1 ? Math.floor(version / 7) + 2 : 0
  const patterns = marks ? 25 * marks * marks - 10 * marks - 55 : 0
  return (16 * version + 128) * version + 64 - patterns - (version > 6 ? 36 : 0)
}

/** Returns the centres of the alignment patterns, in one direction. */
function centres(/** @type {number} */ version) {
  if (version == 1) return []
  const gaps = Math.floor(version / 7) + 1, last = 4 * version + 10
  // The gap of version 32 does not follow the formula of the other versions.
  const gap = version == 32 ? 26 : Math.ceil((last - 6) / gaps / 2) * 2
  return [6, ...Array.from({ length: gaps }, (_, index) => last - gap * (gaps - 1 - index))]
}

/** Multiplies two elements of the field of 256 elements. */
function multiply(/** @type {number} */ left, /** @type {number} */ right) {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = product << 1 ^ (product >> 7) * 0x11d
    if (right >> bit & 1) product ^= left
  }
  return product
}

/** Returns the coefficients of the generator polynomial, without the first one. */
function generator(/** @type {number} */ degree) {
  const found = [...Array(degree - 1).fill(0), 1]
  for (let root = 1, count = 0; count < degree; count++, root = multiply(root, 2))
    for (let index = 0; index < degree; index++)
      found[index] = multiply(found[index], root) ^ (found[index + 1] ?? 0)
  return found
}

/** Returns the error correction bytes of a block. */
function correction(/** @type {number[]} */ block, /** @type {number[]} */ divisor) {
  const rest = divisor.map(() => 0)
  for (const byte of block) {
    const factor = byte ^ /** @type {number} */ (rest.shift())
    rest.push(0)
    for (const [index, coefficient] of divisor.entries()) rest[index] ^= multiply(coefficient, factor)
  }
  return rest
}

/** Returns the bytes of the code, with their error correction, in the order of their places. */
function codewords(/** @type {Uint8Array} */ bytes, /** @type {number} */ version) {
  const [extra, count] = versions[version - 1], all = Math.floor(dataModules(version) / 8), room = all - extra * count
  const bits = [], add = (value, length) => { while (length--) bits.push(value >> length & 1) }
  add(4, 4)
  add(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) add(byte, 8)
  add(0, Math.min(4, room * 8 - bits.length))
  add(0, -bits.length & 7)
  const data = Array.from({ length: bits.length / 8 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((value, bit) => value * 2 + bit, 0))
  for (let filler = 0xec; data.length < room; filler ^= 0xec ^ 0x11) data.push(filler)
  const short = Math.floor(room / count), longer = count - room % count, divisor = generator(extra)
  const blocks = Array.from({ length: count }, (_, index) => {
    const begin = index * short + Math.max(0, index - longer)
    return data.slice(begin, begin + short + (index < longer ? 0 : 1))
  })
  const corrections = blocks.map(block => correction(block, divisor))
  const woven = parts => Array.from({ length: Math.max(...parts.map(part => part.length)) }, (_, index) =>
    parts.map(part => part[index]).filter(byte => byte !== undefined)).flat()
  return [...woven(blocks), ...woven(corrections)]
}

const masks = [
  (x, y) => (x + y) % 2, (x, y) => y % 2, (x, y) => x % 3, (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2, (x, y) => x * y % 2 + x * y % 3,
  (x, y) => (x * y % 2 + x * y % 3) % 2, (x, y) => ((x + y) % 2 + x * y % 3) % 2,
]

/** Returns the check bits of a value: the rest of its division by a polynomial. */
function checked(/** @type {number} */ value, /** @type {number} */ polynomial, /** @type {number} */ bits) {
  let rest = value
  for (let count = 0; count < bits; count++) rest = rest << 1 ^ (rest >> bits - 1) * polynomial
  return value << bits | rest
}

/** A code that is being drawn: its rows, and which modules have a fixed purpose. */
class Grid {
  constructor(/** @type {number} */ version) {
    this.version = version
    this.width = 17 + 4 * version
    /** @type {boolean[][]} */
    this.rows = Array.from({ length: this.width }, () => Array(this.width).fill(false))
    this.fixed = this.rows.map(row => [...row])
    const { width } = this
    for (let at = 0; at < width; at++) { this.#fix(6, at, at % 2 == 0); this.#fix(at, 6, at % 2 == 0) }
    for (const [x, y] of [[3, 3], [width - 4, 3], [3, width - 4]]) this.#square(x, y, 4, ring => ring != 2 && ring != 4)
    const places = centres(version), last = places.length - 1
    for (const [column, x] of places.entries())
      for (const [row, y] of places.entries())
        if (!(!column && !row || !column && row == last || column == last && !row))
          this.#square(x, y, 2, ring => ring != 1)
    this.drawFormat(0)
    if (version > 6) {
      const bits = checked(version, 0x1f25, 12)
      for (let bit = 0; bit < 18; bit++) {
        const far = width - 11 + bit % 3, near = Math.floor(bit / 3), isDark = (bits >> bit & 1) == 1
        this.#fix(far, near, isDark)
        this.#fix(near, far, isDark)
      }
    }
  }

  #fix(x, y, isDark) {
    if (this.rows[y]?.[x] === undefined) return
    this.rows[y][x] = isDark
    this.fixed[y][x] = true
  }

  #square(x, y, radius, isDark) {
    for (let down = -radius; down <= radius; down++)
      for (let right = -radius; right <= radius; right++)
        this.#fix(x + right, y + down, isDark(Math.max(Math.abs(right), Math.abs(down))))
  }

  /** Writes the level of error correction and the number of the mask, twice. */
  drawFormat(/** @type {number} */ mask) {
    const bits = checked(8 | mask, 0x537, 10) ^ 0x5412, { width } = this
    const isDark = bit => (bits >> bit & 1) == 1
    for (let bit = 0; bit < 15; bit++) {
      const near = bit < 6 ? bit : bit < 8 ? bit + 1 : 14 - bit
      if (bit < 8) this.#fix(8, near, isDark(bit))
      else this.#fix(bit == 8 ? 7 : near, 8, isDark(bit))
      if (bit < 8) this.#fix(width - 1 - bit, 8, isDark(bit))
      else this.#fix(8, width - 15 + bit, isDark(bit))
    }
    this.#fix(8, width - 8, true)
  }

  /** Writes the data in columns of two modules, from the right, upwards and downwards in turn. */
  drawData(/** @type {number[]} */ bytes) {
    let at = 0
    for (let right = this.width - 1; right > 0; right -= 2) {
      if (right == 6) right = 5
      const isUp = (right + 1 & 2) == 0
      for (let step = 0; step < this.width; step++)
        for (const x of [right, right - 1]) {
          const y = isUp ? this.width - 1 - step : step
          if (this.fixed[y][x]) continue
          this.rows[y][x] = (bytes[at >> 3] >> 7 - (at & 7) & 1) == 1
          at++
        }
    }
  }

  /** Inverts the data where a mask has zero. A second call restores the data. */
  mask(/** @type {number} */ number) {
    for (const [y, row] of this.rows.entries())
      for (const x of row.keys()) if (!this.fixed[y][x] && masks[number](x, y) == 0) row[x] = !row[x]
  }

  /**
   * Returns how hard the code is to read. Long runs, blocks, patterns that look like marks, and unequal shares of dark
   * and light make it harder.
   */
  get penalty() {
    const { rows, width } = this, turned = rows.map((_, x) => rows.map(row => row[x]))
    let sum = 0
    for (const line of [...rows, ...turned]) {
      const text = line.map(Number).join("")
      for (const run of text.match(/0{5,}|1{5,}/g) ?? []) sum += run.length - 2
      sum += 40 * [...`0000${text}0000`.matchAll(/(?=00001011101|10111010000)/g)].length
    }
    for (let y = 1; y < width; y++)
      for (let x = 1; x < width; x++)
        if (rows[y][x] == rows[y][x - 1] && rows[y][x] == rows[y - 1][x] && rows[y][x] == rows[y - 1][x - 1]) sum += 3
    const dark = rows.flat().filter(Boolean).length, all = width * width
    return sum + 10 * Math.floor(Math.abs(dark * 20 - all * 10) / all)
  }
}

/** Returns the rows of the code for a text, with true for dark modules; null for a text that is too long. */
export function qrRows(/** @type {string} */ text) {
  const bytes = new TextEncoder().encode(text)
  const fits = ([extra, count], index) =>
    Math.floor(dataModules(index + 1) / 8) - extra * count >= bytes.length + (index < 9 ? 2 : 3)
  const version = versions.findIndex(fits) + 1
  if (!version) return null
  const grid = new Grid(version)
  grid.drawData(codewords(bytes, version))
  const penalties = masks.map((_, number) => {
    grid.drawFormat(number)
    grid.mask(number)
    const { penalty } = grid
    grid.mask(number)
    return penalty
  })
  const best = penalties.indexOf(Math.min(...penalties))
  grid.drawFormat(best)
  grid.mask(best)
  return grid.rows
}

/** Returns the code for a text as an SVG image with its margin; null for a text that is too long. */
export function qrPicture(/** @type {string} */ text) {
  const rows = qrRows(text)
  if (!rows) return null
  const side = rows.length + 8
  const path = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("")
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges">`
    + `<rect width="${side}" height="${side}" fill="#fff"/><path d="${path}"/></svg>`
  return new Blob([svg], { type: "image/svg+xml" })
}
