// The store of this key: whether it sends and receives, a copy of it, and its passphrase.
import { app, ask, button, dialog, el, say, sure, words } from "./base.js"

export async function showDatabase() {
  const isRunning = (await app.api.get("/v1/core")).type == "chatRunning"
  const again = run => async () => { await run(); box.close(); showDatabase() }
  const copy = () => ask(words.exportDatabase, [
    { name: "archivePath", label: words.archivePath, hint: words.archivePathHint, required: true },
    { name: "passphrase", label: words.archivePassphrase, hint: words.archivePassphraseHint, type: "password", autocomplete: "new-password" },
  ], async ({ archivePath, passphrase }) => {
    const { archiveErrors = [] } = await app.api.post("/v1/database/export", { archivePath, ...(passphrase ? { passphrase } : {}) })
    say(archiveErrors.length ? words.archiveErrors(archiveErrors.length) : words.saved)
  }, words.exportDatabase)
  const passphrase = () => ask(words.passphrase, [
    { name: "currentKey", label: words.currentPassphrase, hint: words.currentPassphraseHint, type: "password" },
    { name: "newKey", label: words.newPassphrase, type: "password", required: true, autocomplete: "new-password" },
  ], body => app.api.put("/v1/database/encryption", body))
  const box = dialog(words.database, el("p", isRunning ? words.coreRuns : words.coreStopped), el("footer.actions",
    isRunning ? button(words.stopCore, () => sure(words.stopCore, words.stopCoreExplained, words.stopCore, again(() => app.api.post("/v1/core/stop"))), { kind: "danger" })
      : button(words.startCore, again(() => app.api.post("/v1/core/start")), { kind: "primary" }),
    button(words.exportDatabase, copy), button(words.passphrase, passphrase, { disabled: isRunning })))
}
