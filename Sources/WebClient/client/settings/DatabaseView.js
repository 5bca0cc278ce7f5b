// The page of the settings about the store of this key: stopping and starting it, exporting and importing it, its
// passphrase, and its deletion.
import { app, ask, confirmed, download, el, front, row, say, sure, toggle, words } from "../elements/base.js"
import { migrationSection, storageSections } from "./seldom.js"

const told = (done, { archiveErrors = [] }) =>
  say(archiveErrors.length ? words.archiveErrors(archiveErrors.length) : done)
const passphraseField = hint => ({
  name: "passphrase",
  label: words.archivePassphrase,
  hint,
  type: "password",
  autocomplete: "new-password",
})
const archives = "/v1/database/archives"
const archivePath = "simplex.zip"
const archive = `${archives}/${archivePath}`
const given = ({ passphrase, ...more }) => ({ ...more, ...(passphrase ? { passphrase } : {}) })

/** Returns a bar, and a function that shows the progress of an operation with it. */
const progressOf = label => {
  const bar = el("progress", { max: 1, label })
  return [bar, ({ progress }) => { if (progress?.total) bar.value = progress.done / progress.total }]
}

/** Sends a request for long work, and shows its progress in the front dialog. */
async function work(label, path, body) {
  const [bar, shown] = progressOf(label)
  front().append(bar)
  try { return await app.api.postLong(path, body, shown) } finally { bar.remove() }
}

/** Returns a row for each operation that runs, such as a backup. A row is removed when its operation has ended. */
async function runningWork() {
  const { operations } = await app.api.get("/v1/operations?limit=100")
  // Migrations are left out, since a separate section shows them.
  const shownHere = ({ state, operation }) => state == "running" && !/Migration$/.test(operation)
  return operations.filter(shownHere).map(operation => {
    const label = words.operations[operation.operation] ?? operation.operation
    const [bar, showPart] = progressOf(label)
    const line = el("div.row", label, bar), stops = new AbortController()
    let count = 0
    const shown = state => {
      showPart(state)
      // A row that a search has made may never be in the page. After more than five states outside of the page, it is
      // no longer updated.
      if (++count > 5 && !line.isConnected) stops.abort()
    }
    const end = () => line.remove()
    app.api.ended(operation, shown, stops.signal).then(end, end)
    return line
  })
}

/** Returns the sections of the page. `redraw` is called when the store was started or stopped. */
export async function databaseSections(redraw) {
  const isRunning = (await app.api.get("/v1/core")).type == "chatRunning"
  const again = async run => { await run(); redraw() }
  const run = async isOn => {
    if (isOn) return again(() => app.api.post("/v1/core/start"))
    if (!await confirmed(words.stopCore, words.stopCoreExplained, words.stop, true)) return false
    return again(() => app.api.post("/v1/core/stop"))
  }
  /**
   * Starts the core after the store was replaced, and leaves the profile, since the store now has other profiles or
   * none.
   */
  const replaced = async () => {
    try { await app.api.post("/v1/core/start") } finally { location.hash = "#/" }
  }
  const copy = () => ask(words.exportDatabase, [
    {
      name: "format",
      label: words.archiveFor,
      options: Object.entries(words.archiveFormat).slice(0, isRunning ? 1 : 2),
      value: "gateway",
      hint: isRunning ? "" : words.archiveForApp,
    },
    passphraseField(words.archivePassphraseHint),
  ], async values => {
    // The archive of the last export is deleted here, before the next export: the page does not learn when the browser
    // has downloaded the whole archive.
    if ((await app.api.get(archives)).archives.some(({ name }) => name == archivePath)) await app.api.delete(archive)
    const answer = await work(words.exportDatabase, "/v1/database/export", given({ ...values, archivePath }))
    await download(archive, archivePath)
    told(words.saved, answer)
  }, words.exportDatabase)
  const bring = () => ask(words.importDatabase, [
    { name: "file", label: words.archiveFile, type: "file", accept: ".zip", required: true },
    passphraseField(words.importPassphraseHint),
  ], async ({ file, passphrase }) => {
    if (!await confirmed(words.importDatabase, words.importExplained, words.importDatabase, true)) return
    await app.api.put(archive, file)
    try {
      const answer = await work(words.importDatabase, "/v1/database/import", given({ passphrase, archivePath }))
      await replaced()
      told(words.imported, answer)
    } finally { await app.api.delete(archive) }
  }, words.importDatabase)
  const remove = () => sure(words.deleteDatabase, words.deleteDatabaseExplained, words.delete, async () => {
    await app.api.delete("/v1/database")
    await replaced()
  })
  const passphrase = () => ask(words.passphrase, [
    { name: "currentKey", label: words.currentPassphrase, hint: words.currentPassphraseHint, type: "password" },
    { name: "newKey", label: words.newPassphrase, type: "password", required: true, autocomplete: "new-password" },
  ], body => app.api.put("/v1/database/encryption", body))
  const only = { disabled: isRunning }
  return [
    ...isRunning ? await storageSections(redraw) : [],
    {
      title: words.runCore,
      rows: [toggle(words.coreRuns, isRunning, run)],
      note: words.onlyStopped,
    },
    { title: words.databaseTitle, rows: [
      ...await runningWork(),
      row(words.passphrase, passphrase, only),
      row(words.exportDatabase, copy),
      row(words.importDatabase, bring, { kind: "danger", ...only }),
      row(words.deleteDatabase, remove, { kind: "danger", ...only }),
    ] },
    await migrationSection(redraw),
  ]
}
