// The dialog about desktops that control the profiles of this store, as they can control those of a phone.
import { app, ask, button, dialog, el, fill, form, pause, sure, text, words } from "../elements/base.js"
import { scanInto } from "../elements/scan.js"
import { whenReleased } from "../model/press.js"

const path = "/v1/remote-control", session = `${path}/session`

export async function showDevices() {
  const place = el("div.body", { role: "status" })
  const box = dialog(words.devices, el("p", words.devicesExplained), place, button(words.deviceName, rename))
  for (let drawn = ""; box.isConnected; await pause(1000)) {
    const state = await app.api.get(session)
    const { remoteCtrls } = await app.api.get(`${path}/controllers`)
    const written = JSON.stringify([state, remoteCtrls])
    // The dialog is drawn only after a change, so that text in its fields is not lost.
    const draw = () => fill(place, state.sessionState ? current(state) : [ended(state), link(), known(remoteCtrls)])
    if (written != drawn) whenReleased(draw)
    drawn = written
  }
}

const rename = () => ask(words.deviceName, [
  { name: "displayName", label: words.deviceName, hint: words.deviceNameHint, required: true, maxlength: 100 },
], body => app.api.put(`${path}/device-name`, body))

function current({ sessionState: { type, sessionCode }, remoteCtrlId, ctrlDeviceName }) {
  const isFound = type == "searching" && remoteCtrlId
  const end = button(type == "connected" ? words.disconnect : words.cancel, () => app.api.delete(session), {
    kind: "danger",
  })
  const about = el("p",
    isFound ? words.deviceFound : (words.deviceState[type] ?? type),
    ctrlDeviceName && [" ", text(ctrlDeviceName, "b")])
  const next = (name, path, body = {}) => button(name, () => app.api.post(path, body), { kind: "primary" })
  if (isFound) return [about, el("footer", end, next(words.connect, `${path}/controllers/${remoteCtrlId}/confirm`))]
  if (type != "pendingConfirmation") return [about, end]
  return [
    about,
    el("p", words.compareCodes),
    el("output.address", sessionCode),
    el("footer", end, next(words.sameCode, `${session}/verify`, { sessionCode })),
  ]
}

/** Returns the reason why the last session has ended. */
const ended = ({ rcStopReason }) => rcStopReason && el("p.problem", words.deviceEnd[rcStopReason.type] ?? "")

function link() {
  const box = form([{ name: "xrcpInvitation", label: words.deviceLink, hint: words.deviceLinkHint, required: true }],
    words.connect,
    body => app.api.post(`${path}/connect`, body))
  return [box, scanInto(() => box.querySelector("input"))]
}

const known = devices => devices.length > 0 && [
  button(words.findDesktop, () => app.api.post(`${path}/find`)),
  el("ul.profiles", devices.map(({ remoteCtrlId, ctrlDeviceName }) => el("li.card", text(ctrlDeviceName),
    button(words.forget,
      () =>
        sure(words.forget, words.forgetExplained, words.forget, () =>
          app.api.delete(`${path}/controllers/${remoteCtrlId}`)),
      { kind: "danger" })))),
]
