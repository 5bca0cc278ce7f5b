// Sections of the settings that few visits open. Their modules and words are loaded with their page.
import { later } from "../elements/later.js"

/** @type {() => Promise<typeof import("./ServersView.js")>} */
const servers = later("../settings/ServersView.js", "settings")
/** @type {() => Promise<typeof import("./StorageView.js")>} */
const storage = later("../settings/StorageView.js", "settings")

/** @type {() => Promise<typeof import("./MigrationView.js")>} */
const migration = later("../settings/MigrationView.js", "migration")

/** Returns the section about the migration to another device. */
export const migrationSection = async (/** @type {() => void} */ redraw) => (await migration()).migrationSection(redraw)
/** Shows the dialog for the migration from another device. */
export const receiveProfiles = async () => (await migration()).receiveProfiles()
/** Returns the sections about servers, their operators and their statistics. */
export const networkSections = async (/** @type {() => void} */ redraw) => (await servers()).networkSections(redraw)
/** Returns the sections with the sizes of the store. */
export const storageSections = async (/** @type {() => void} */ redraw) => (await storage()).storageSections(redraw)
