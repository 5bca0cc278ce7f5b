// The names of the keys of browsers, by which the page finds the devices that are signed in.

/** The name of a key that a link creates. The browser that signs in adds its own name to it. */
export const ofBrowsers = "Web client"

/** Whether a key with this name belongs to a browser that has signed in by a link. */
export const isOfBrowser = (/** @type {string} */ name) => name == ofBrowsers || name.startsWith(`${ofBrowsers} (`)

/** Returns the browser and the system in the name of a key; empty if the name has none. */
export const browserOf = (/** @type {string} */ name) => /^[^(]*\((.+)\)$/.exec(name)?.[1] ?? ""
