// Desktops that use the profiles of this store from afar, as they use those of a phone.
import { app, button, dialog, el, fill, form, pause, sure, text, words } from "./base.js"

const path = "/v1/remote-control", session = `${path}/session`

export async function showDevices() {
  const place = el("div.body", { role: "status" })
  const box = dialog(words.devices, el("p", words.devicesExplained), place)
  for (let drawn = ""; box.isConnected; await pause(1000)) {
    const state = await app.api.get(session), { remoteCtrls } = await app.api.get(`${path}/controllers`), written = JSON.stringify([state, remoteCtrls])
    // What is being entered stays while nothing changes.
    if (written != drawn) fill(place, state.sessionState ? current(state) : [link(), known(remoteCtrls)])
    drawn = written
  }
}

function current({ sessionState: { type, sessionCode, remoteCtrl }, ctrlDeviceName }) {
  const name = ctrlDeviceName ?? remoteCtrl?.ctrlDeviceName, end = button(words.disconnect, () => app.api.delete(session), { kind: "danger" })
  const about = el("p", words.deviceState[type] ?? type, name && [" ", text(name, "b")])
  if (type != "pendingConfirmation") return [about, end]
  const same = button(words.sameCode, () => app.api.post(`${session}/verify`, { sessionCode }), { kind: "primary" })
  return [about, el("p", words.compareCodes), el("output.address", sessionCode), el("footer", end, same)]
}

const link = () => form([{ name: "xrcpInvitation", label: words.deviceLink, hint: words.deviceLinkHint, required: true }], words.connect, body => app.api.post(`${path}/connect`, body))

const known = devices => el("ul.profiles", devices.map(({ remoteCtrlId, ctrlDeviceName }) => el("li.card", text(ctrlDeviceName),
  button(words.forget, () => sure(words.forget, words.forgetExplained, words.forget, () => app.api.delete(`${path}/controllers/${remoteCtrlId}`)), { kind: "danger" }))))
