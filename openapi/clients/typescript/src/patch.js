../../../../openapi/clients/typescript/src/patch.js

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
