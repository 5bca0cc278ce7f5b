// Notifications while this page is not open. They are sent through the push service of the browser, which cannot read
// their encrypted contents.
import { app } from "./app.js"
import { words } from "./words.js"

export const canNotify = "serviceWorker" in navigator && "PushManager" in window
const scope = new URL("../../../app", import.meta.url).pathname
const scripts = ["worker.js", "calls/frames.js"]
const address = name => new URL(scripts.includes(name) ? `../${name}` : "none", import.meta.url).href
const policy = window["trustedTypes"]?.createPolicy("worker", { createScriptURL: address })
/**
 * Returns the address of a script for a worker. The Trusted Types policy of the page permits only the two scripts
 * above.
 */
export const script = name => policy?.createScriptURL(name) ?? address(name)

export async function notify() {
  if (await Notification.requestPermission() != "granted") throw new Error(words.notAllowed)
  // Error messages of browsers are for programmers, so the page shows its own text.
  const failed = () => { throw new Error(words.notifyFailed) }
  const registration = await navigator.serviceWorker.register(script("worker.js"), { scope }).catch(failed)
  await navigator.serviceWorker.ready
  const { publicKey } = await app.api.get("/v1/push-subscriptions/key")
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await registration.pushManager.subscribe(options).catch(failed)
  await app.api.post("/v1/push-subscriptions", { ...subscription.toJSON(), name: "Web client", content: true })
}

/** Unregisters the service worker, which also ends the browser's push subscription. */
export const stopNotifying = () => {
  if (canNotify)
    navigator.serviceWorker
      .getRegistration(scope)
      .then(registration => registration?.unregister())
      .catch(() => {})
}
