// The view of this page's call: the contact, the state of the call, the pictures of both sides, and buttons that switch
// the microphone, the camera and the screen on or off.
import { app, button, chatName, duration, el, fill, make, set, text, View, view, words } from "../elements/base.js"
import { Call, currentCall } from "./calls.js"
import { ProfileImage } from "../elements/ProfileImage.js"

const film = name =>
  Object.assign(el("video", { class: name }), { autoplay: true, playsInline: true, muted: name == "own" })
const sources = ["mic", "camera", "screen"]

class CallView extends View {
  #call
  #films = { camera: film("camera"), screen: film("screen"), own: film("own") }
  #who = el("div.profile")
  #state = el("p", { role: "status" })
  #time = el("p.length")
  #switches = sources.map(name =>
    button(words.callSends[name], () => this.#call.switch(name), {
      icon: name,
      kind: "round",
      hidden: name == "screen" && !navigator.mediaDevices?.["getDisplayMedia"],
    }))

  connectedCallback() {
    if (this.firstChild) return
    this.hidden = true
    set(this, { role: "region", label: words.callNow })
    this.append(this.#who,
      ...Object.values(this.#films),
      el("header", this.#state, this.#time),
      el("footer", this.#switches,
        button(words.callSize, () => this.classList.toggle("small"), { icon: "down", kind: "round" }),
        button(words.callEnd, () => this.#call.end(), { icon: "hangUp", kind: "round danger" })))
    app.on("call", () => this.update())
  }

  update() {
    const call = currentCall()
    this.hidden = !call
    if (call != this.#call) {
      this.#call = call
      this.classList.remove("small")
      for (const [name, film] of Object.entries(this.#films)) film.srcObject = call?.streams[name] ?? null
      const name = call && chatName({ type: "direct", contact: call.contact })
      fill(this.#who, call && [view(ProfileImage, call.contact.profile.image, name), text(name, "h2")])
    }
    if (!call) return
    for (const [index, name] of sources.entries())
      set(this.#switches[index], { "aria-pressed": String(Boolean(call.sent[name])) })
    this.#films.own.hidden = !call.sent.camera && !call.sent.screen
    for (const name of ["camera", "screen"]) this.#films[name].classList.toggle("dark", !call.received[name])
    const state =
      words.callState[call.state] + (call.since ? `, ${call.isEncrypted ? words.callEncrypted : words.callOpen}` : "")
    if (this.#state.textContent != state) this.#state.textContent = state
    this.#time.textContent = call.since ? duration((Date.now() - call.since) / 1000) : ""
  }
}

document.body.append(make(CallView))

/** Calls a contact. */
export const beginCall = (contact, media) => Call.begin(contact, media)
/** Accepts a call. */
export const takeCall = call => Call.take(call)
