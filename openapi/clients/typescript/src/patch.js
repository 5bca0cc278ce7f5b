// JSON Patch (RFC 6902), with the operations that the gateway uses: add, remove, replace, move.

/** @typedef {{container: any, last: string, path: string}} Place */

/**
 * Returns the document after the operations of a patch. Unchanged parts are the same objects as before, so that views
 * can detect changes. The given document does not change.
 * @param {any} document
 * @param {{op: string, path: string, from?: string, value?: any}[]} operations
 * @throws {Error} for a path that does not exist: the patch belongs to another document, and the caller has to read the
 *   document again
 */
export function patched(document, operations) {
  const root = { "": document }
  const own = new Set([root])

  /**
   * Returns the object or array that contains the value at a path, and the name of the value in it. Containers of the
   * original document are copied first.
   * @param {string} path
   * @returns {Place}
   */
  const place = path => {
    const names = ["", ...pointer(path)]
    const last = /** @type {string} */ (names.pop())
    let container = root
    for (const name of names) {
      const child = get(container, name)
      if (child === null || typeof child != "object") throw lost(path)
      if (own.has(child)) { container = child; continue }
      const copy = Array.isArray(child) ? child.slice() : { ...child }
      own.add(copy)
      put(container, name, copy)
      container = copy
    }
    return { container, last, path }
  }

  const take = (/** @type {Place} */ { container, last, path }) => {
    const value = get(container, last)
    if (value === undefined) throw lost(path)
    if (Array.isArray(container)) container.splice(Number(last), 1)
    else delete container[last]
    return value
  }

  const insert = (/** @type {Place} */ { container, last, path }, /** @type {any} */ value) => {
    if (!Array.isArray(container)) return put(container, last, value)
    const index = last == "-" ? container.length : position(last)
    if (!(index <= container.length)) throw lost(path)
    container.splice(index, 0, value)
  }

  for (const { op, path, from, value } of operations) {
    if (op == "add") insert(place(path), value)
    else if (op == "remove") take(place(path))
    else if (op == "move") {
      const moved = take(place(from ?? ""))
      insert(place(path), moved)
    } else if (op == "replace") {
      const to = place(path)
      if (get(to.container, to.last) === undefined) throw lost(path)
      put(to.container, to.last, value)
    } else throw new Error(`A patch has the operation ${op}.`)
  }
  return root[""]
}

/**
 * Splits a JSON pointer (RFC 6901) into names.
 * @param {string} path
 */
function pointer(path) {
  if (path == "") return []
  if (!path.startsWith("/")) throw lost(path)
  return path.slice(1).split("/").map(name => name.replaceAll("~1", "/").replaceAll("~0", "~"))
}

const position = (/** @type {string} */ name) => (/^(0|[1-9][0-9]*)$/.test(name) ? Number(name) : NaN)

/**
 * Returns a member of the container. Inherited properties do not count, so that names such as `constructor` or
 * `__proto__` are names like any other.
 * @param {any} container @param {string} name
 */
function get(container, name) {
  if (Array.isArray(container)) return container[position(name)]
  return Object.hasOwn(container, name) ? container[name] : undefined
}

/** @param {any} container @param {string} name @param {any} value */
function put(container, name, value) {
  if (Array.isArray(container)) container[position(name)] = value
  else Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true })
}

const lost = (/** @type {string} */ path) => new Error(`The path ${path} leads nowhere.`)

/**
 * Makes the merge patch (RFC 7396) that turns an object into another one.
 * @param {any} before
 * @param {any} after
 * @returns {any}
 */
export function mergePatch(before, after) {
  const isObject = (/** @type {any} */ value) => typeof value == "object" && value !== null && !Array.isArray(value)
  /** @type {Record<string, any>} */
  const patch = {}
  for (const name of new Set([...Object.keys(before ?? {}), ...Object.keys(after)])) {
    const [old, now] = [before?.[name] ?? null, after[name] ?? null]
    if (JSON.stringify(old) == JSON.stringify(now)) continue
    patch[name] = isObject(old) && isObject(now) ? mergePatch(old, now) : now
  }
  return patch
}
