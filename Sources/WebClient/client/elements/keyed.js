// Keeps the children of an element equal to the entries of a list. An entry that stays in the list keeps its element,
// with the focus, the selected text, and a playing sound or video.

/** @type {WeakMap<object, Map<any, any>>} */
const known = new WeakMap()

/**
 * @template T
 * @param {any} parent an element whose children only this function changes
 * @param {readonly T[]} list
 * @param {(entry: T) => any} key returns a different key for each entry
 * @param {(entry: T) => any} make makes a child for a new entry
 * @param {(child: any, entry: T) => void} update is called for each entry, also for a new one
 */
export function keep(parent, list, key, make, update) {
  const before = known.get(parent) ?? new Map()
  const after = new Map()
  for (const entry of list) {
    const name = key(entry)
    // If two entries have the same key, only the first one is shown.
    if (!after.has(name)) after.set(name, { entry, child: before.get(name) ?? make(entry) })
  }
  for (const [name, child] of before) if (!after.has(name)) child.remove()
  let place = parent.firstChild
  for (const { entry, child } of after.values()) {
    if (child === place) place = place.nextSibling
    // The child at this place has moved down, and is inserted later.
    else if (place && place.nextSibling === child) place = child.nextSibling
    else parent.insertBefore(child, place)
    update(child, entry)
  }
  known.set(parent, new Map([...after].map(([name, { child }]) => [name, child])))
}
