// The views before the chats: signing in with a key or a link, and unlocking a store.
import { app, button, confirmed, el, form, View, words } from "../elements/base.js"
import { logo } from "../elements/illustrations.js"
import { later } from "../elements/later.js"

/** @type {() => Promise<typeof import("../model/browserName.js")>} */
const loadBrowserName = later("../model/browserName.js")

/** Signs out. Asks for confirmation first if messages wait, since they would be lost. */
export async function leave(run) {
  if (!app.outbox.isWaiting || await confirmed(words.signOut, words.unsent, words.signOut, true)) await run()
}

export class SignInView extends View {
  draw(problem, ticket) {
    const key = {
      name: "key",
      label: words.key,
      hint: words.keyHint,
      type: "password",
      required: true,
      autocomplete: "current-password",
    }
    // A link works only once, so the checkbox to keep the key is checked for a link.
    const keep = { name: "keep", label: words.keepKey, type: "checkbox", value: Boolean(ticket) }
    return el("main.gate",
      logo(),
      el("h1", words.title),
      problem && el("p.problem", { role: "alert" }, problem),
      el("p", ticket ? words.signInByLink : words.signInExplained),
      form([...(ticket ? [] : [key]), keep], words.signIn, async ({ key, keep }) => {
        if (ticket) {
          const { browserName } = await loadBrowserName()
          await app.claim(ticket, keep, browserName(navigator.userAgent, navigator.maxTouchPoints))
        } else await app.signIn(key, keep)
        app.emit("signedIn")
      }))
  }
}

export class LockedView extends View {
  draw() {
    return el("main.gate",
      el("h1", words.locked),
      form([{ name: "passphrase", label: words.appPassword, type: "password", required: true }],
        words.unlock,
        async body => {
          await app.api.post(`/v1/stores/${app.rights.storeId}/unlock`, body)
          app.emit("signedIn")
        }),
      button(words.signOut, () => leave(() => app.signOut()), { kind: "plain" }))
  }
}
