// Keeps the children of an element in step with a list. An entry that stays keeps its element, with its focus, its
// selection and its sound or film.

/** @type {WeakMap<object, Map<any, any>>} */
const known = new WeakMap()

/**
 * @template T
 * @param {any} parent only this function gives it children
 * @param {readonly T[]} list
 * @param {(entry: T) => any} key different for each entry
 * @param {(entry: T) => any} make a child for a new entry
 * @param {(child: any, entry: T) => void} update is called for each entry, also for a new one
 */
export function keep(parent, list, key, make, update) {
  const before = known.get(parent) ?? new Map()
  const after = new Map()
  for (const entry of list) {
    const name = key(entry)
    // The first of two entries with one key counts.
    if (!after.has(name)) after.set(name, { entry, child: before.get(name) ?? make(entry) })
  }
  for (const [name, child] of before) if (!after.has(name)) child.remove()
  let place = parent.firstChild
  for (const { entry, child } of after.values()) {
    if (child === place) place = place.nextSibling
    // The element before it has moved down, and is put there later.
    else if (place && place.nextSibling === child) place = child.nextSibling
    else parent.insertBefore(child, place)
    update(child, entry)
  }
  known.set(parent, new Map([...after].map(([name, { child }]) => [name, child])))
}
