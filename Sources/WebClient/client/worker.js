// A service worker that shows the push notifications of the gateway while no page is open. It sends no requests.
self.addEventListener("push", (/** @type {any} */ event) => {
  const { title = "SimpleX", text = "", chat = "", userId = 0, itemId = "", id = "" } = event.data?.json() ?? {}
  event.waitUntil(
    self["registration"].showNotification(title, {
      body: text,
      tag: `${userId}/${chat || id}`,
      icon: "icon.svg",
      data: [userId, chat, ...(itemId ? [itemId] : [])].join("/"),
    })
  )
})

self.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close()
  const place = /^[0-9]+\/((direct|group)\/[0-9]+(\/[0-9]+)?)?$/.test(event.notification.data)
    ? event.notification.data
    : ""
  event.waitUntil(self["clients"].openWindow(new URL(`../../app#/${place}`, self.location.href).href))
})
