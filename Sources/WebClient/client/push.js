// Notifications while this page is not open, by the push service of the browser, which cannot read them.
import { app } from "./app.js"
import { words } from "./words.js"

export const canNotify = "serviceWorker" in navigator && "PushManager" in window
const scope = new URL("../../app", import.meta.url).pathname
const worker = new URL("worker.js", import.meta.url).href
/** The only script that the policy of the page lets a worker have. */
const policy = canNotify && window["trustedTypes"]?.createPolicy("worker", { createScriptURL: () => worker })

export async function notify() {
  if (await Notification.requestPermission() != "granted") throw new Error(words.notAllowed)
  const registration = await navigator.serviceWorker.register(policy ? policy.createScriptURL("") : worker, { scope })
  await navigator.serviceWorker.ready
  const { publicKey } = await app.api.get("/v1/push-subscriptions/key")
  const subscription = await registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
  await app.api.open("/v1/push-subscriptions", { ...subscription.toJSON(), name: "Web client", content: true })
}

/** With its worker the browser's subscription ends. */
export const stopNotifying = () => { if (canNotify) navigator.serviceWorker.getRegistration(scope).then(registration => registration?.unregister()).catch(() => {}) }
