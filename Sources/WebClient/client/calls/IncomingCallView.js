// The view of incoming calls that are not answered yet, with buttons to accept or reject them. A call rings for
// three minutes, like in the apps.
import { app, button, chatName, el, keep, text, View, view, words } from "../elements/base.js"
import { ProfileImage } from "../elements/ProfileImage.js"
import { takeCall } from "../shell/parts.js"

const ringsFor = 180_000

/**
 * Whether this browser can make calls. False without WebRTC, and over plain HTTP, where browsers permit no microphone.
 */
export const canCall = "RTCPeerConnection" in window && Boolean(navigator.mediaDevices)

export class IncomingCallView extends View {
  #userId = 0
  /**
   * The time at which this page saw each call first. The other side's time is not used, since the two clocks may
   * differ.
   * @type {Map<string, number>}
   */
  #since = new Map()
  #timer = 0
  isRinging = false

  update() {
    const isFirst = this.#userId != app.userId
    const now = Date.now()
    const calls = app.mayWrite ? Object.values(app.model?.callInvitations ?? {}) : []
    this.#userId = app.userId
    for (const { callUUID, callTs } of calls)
      if (!this.#since.has(callUUID)) this.#since.set(callUUID, isFirst ? Math.min(now, Date.parse(callTs)) : now)
    const ringing = calls.filter(({ callUUID }) => now - (this.#since.get(callUUID) ?? 0) < ringsFor)
    keep(this, ringing, call => call.callUUID, call => {
      const name = chatName({ type: "direct", ...call }), { media } = call.callType
      return el("div",
        { role: "alert", label: words.callFrom(name) },
        view(ProfileImage, call.contact.profile.image, name),
        el("p", text(name, "b"), el("small", words.callKind[media], call.sharedKey ? `, ${words.callEncrypted}` : "")),
        answers(call))
    }, () => {})
    clearTimeout(this.#timer)
    if (this.isRinging != ringing.length > 0) {
      this.isRinging = ringing.length > 0
      app.emit("ringing")
    }
    if (!this.isRinging) return
    if (app.user?.showNtfs) ring()
    this.#timer = setTimeout(() => this.update(), 3000)
  }
}

export const answers = call => [
  canCall ? button(words.accept, () => takeCall(call), { kind: "primary" }) : el("small", words.noCalls),
  button(words.reject, () => app.post(`/contacts/${call.contact.contactId}/call/reject`), { kind: "danger" }),
]

/** @type {AudioContext | undefined} */
let sounds
/** Plays a short tone. Browsers play no sound before the user has clicked or typed in the page. */
function ring() {
  sounds ??= new AudioContext()
  const tone = sounds.createOscillator(), volume = sounds.createGain()
  volume.gain.value = 0.1
  tone.connect(volume).connect(sounds.destination)
  tone.start()
  tone.stop(sounds.currentTime + 0.6)
}
