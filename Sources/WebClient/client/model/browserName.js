// The name of this browser and its system, by which people recognize the device among others.

/**
 * The parts of a user agent by which a browser is recognized, by the names of the browsers. A user agent also has the
 * names of similar browsers, so the order matters.
 */
const browsers = {
  Edg: "Edge", OPR: "Opera", SamsungBrowser: "Samsung Internet", Firefox: "Firefox", FxiOS: "Firefox",
  CriOS: "Chrome", Chrome: "Chrome", Safari: "Safari",
}
const systems = {
  Android: "Android", iPhone: "iPhone", iPad: "iPad", CrOS: "ChromeOS", Windows: "Windows", "Mac OS X": "macOS",
  Linux: "Linux",
}

const named = (names, /** @type {string} */ agent) => Object.entries(names).find(([part]) => agent.includes(part))?.[1]

/**
 * Returns the names of the browser and the system in a user agent: `Firefox, Android`; empty if both are unknown.
 * @param {string} agent
 * @param {number} [touches] the number of fingers that the screen notices: the browser of an iPad names a Mac
 */
export function browserName(agent, touches = 0) {
  const system = named(systems, agent)
  return [named(browsers, agent), system == "macOS" && touches > 1 ? "iPad" : system].filter(Boolean).join(", ")
}
