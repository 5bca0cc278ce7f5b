// A dialog that links another device by a QR code. The code contains a link that signs in once, within two minutes.
import { app, button, copy, dialog, duration, el, fill, pause, reachOf, visible, words } from "../elements/base.js"
import { qrPicture } from "../elements/qrCode.js"
import { ofBrowsers } from "../model/browsers.js"
import { whenReleased } from "../model/press.js"

/** Seconds for which the link works. */
const lifetime = 120
/** Seconds for which the other device stays signed in, as after a link of the command `simplex-gateway web`. */
const signedIn = 30 * 86_400

/**
 * Makes a key whose secret works once. The key has at most the rights of this page's key, without the management of
 * stores.
 */
const makeKey = () => app.api.post("/v1/keys", {
  name: ofBrowsers,
  scopes: app.rights.scopes.filter(scope => scope != "stores"),
  ...(app.rights.userId ? { userId: app.rights.userId } : {}),
  expiresIn: signedIn,
  claimWithin: lifetime,
})

/**
 * Returns the present state of the key at the gateway; undefined if the key has ended. Throws an error if the gateway
 * does not answer.
 */
const present = keyId =>
  app.api.get(`/v1/keys/${keyId}`).catch(problem => { if (problem.status != 404) throw problem })

const isClaimed = key => key && !key.previousSecretExpiresAt

/** Ends a link, unless it was used. The gateway decides, since a device may use the link at the same time. */
const withdraw = keyId => app.api.delete(`/v1/keys/${keyId}?unclaimed=true`)

/**
 * Shows the dialog.
 * @param {() => void} changed a function that is called when another device has signed in
 * @param {(key: any) => string} nameOf returns the name of the device with a key
 */
export function linkDevice(changed, nameOf) {
  const of = words.deviceList, place = el("div.rows"), state = el("p", { role: "status" })
  const box = dialog(of.link, state, place)
  /** The id of the key whose link is shown; empty when no link is shown. */
  let shown = ""
  let picture = ""
  const hide = () => {
    URL.revokeObjectURL(picture)
    shown = picture = ""
  }
  const tell = (/** @type {string} */ message) => { if (state.textContent != message) state.textContent = message }
  const again = () => button(of.newCode, show, { kind: "primary" })
  const finish = (message, ...content) => {
    hide()
    whenReleased(() => { tell(message); fill(place, el("footer", ...content)) })
  }

  /**
   * Waits for the other device. The times are those of `performance.now()`, which changes of the system clock do not
   * affect.
   */
  async function follow(keyId, ends, rest) {
    while (box.isConnected && shown == keyId) {
      const left = Math.ceil((ends - performance.now()) / 1000)
      rest.textContent = of.left(duration(Math.max(0, left)))
      if (left <= 0) fill(place, rest)
      try {
        const key = await present(keyId)
        if (shown != keyId) return
        if (isClaimed(key)) {
          finish(of.linked(nameOf(key)), button(words.close, () => box.close(), { kind: "primary" }))
          return changed()
        }
        if (!key) return finish(of.linkExpired, again())
        tell(of.scan)
      } catch (problem) {
        if (problem.status == 401) return
        // The other device can sign in while this page is offline, so the wait continues.
        tell(words.offline)
      }
      await pause(1000)
      await visible()
    }
  }

  async function show() {
    hide()
    fill(place)
    tell(words.loading)
    const begun = performance.now()
    let made
    try { made = await makeKey() } catch (problem) { return finish(problem.message, again()) }
    const { key, record: { keyId } } = made
    if (!box.isConnected) return withdraw(keyId).catch(() => {})
    shown = keyId
    // The key is in the part after the character #, which browsers do not send to a server.
    const link = `${location.origin}${location.pathname}#ticket=${key}`, code = qrPicture(link)
    const reach = reachOf(location.hostname.replace(/^\[|\]$/g, "")), rest = el("p", { role: "timer" })
    picture = code ? URL.createObjectURL(code) : ""
    tell(of.scan)
    fill(place,
      reach && el("p.problem", of.reach[reach]),
      picture && el("img", { src: picture, alt: words.qrCode, class: "qr" }),
      rest,
      el("p", el("small", of.once)),
      el("footer", button(words.copy, () => copy(link))))
    return follow(keyId, begun + lifetime * 1000, rest)
  }

  box.addEventListener("close", () => {
    const keyId = shown
    hide()
    // The status 409 means that a device has signed in meanwhile, so the list of devices is read again.
    if (keyId) withdraw(keyId).then(changed, problem => { if (problem.status == 409) changed() })
  })
  return show()
}
