// A call of this page. Descriptions and addresses of its connection go through the chat; sound and pictures go from
// browser to browser, or by a relay.
import { Problem } from "../model/api.js"
import { app } from "../model/app.js"
import { confirmed } from "../elements/dialogs.js"
import { compressed, decompressed } from "../model/lzstring.js"
import { fromBase64 } from "../model/pictures.js"
import { script } from "../model/push.js"
import { pause } from "../model/time.js"
import { words } from "../model/words.js"

/** Sources of a connection, in the order of the apps. */
const sources = { mic: 0, camera: 1, screen: 3 }
const kinds = ["audio", "video", "audio", "video"]
/** Servers of the apps, for settings that name none. */
const usualServers = [
  "stuns:stun.simplex.im:443",
  "stun:stun.simplex.im:443",
  "turns:private2:Hxuq2QxUjnhj96Zq2r4HjqHRj@turn.simplex.im:443?transport=tcp",
]

const byTransform = "RTCRtpScriptTransform" in window
const byStreams = !byTransform && "createEncodedStreams" in (window.RTCRtpSender?.prototype ?? {})
/** Not in browsers without WebRTC, nor over plain HTTP, where there is no microphone. */
export const canCall = "RTCPeerConnection" in window && Boolean(navigator.mediaDevices)
const capabilities = { encryption: byTransform || byStreams }

/** `turn:user:password@host:port`, as the settings have it. */
function server(address) {
  const [, scheme, username, credential, host] = /^(stuns?|turns?):(?:([^:@]*):([^@]*)@)?(.+)$/.exec(address) ?? []
  return host && { urls: `${scheme}:${host}`, ...(username ? { username, credential } : {}) }
}

const parsed = written => JSON.parse(decompressed(written))
const packed = value => compressed(JSON.stringify(value))
const bytes = base64url => fromBase64(base64url.replaceAll("-", "+").replaceAll("_", "/"))

/** @type {Call | null} */
let current = null
let isAsking = false
export const currentCall = () => current
/** Tells views that the call has changed. */
const changed = () => app.emit("call")

export class Call {
  /** State of the call, as a name in the words. */ state = "starting"
  isEncrypted = false
  /** When it was connected. */ since = 0
  /** Tracks that this side sends. @type {Record<string, MediaStreamTrack | null>} */
  sent = { mic: null, camera: null, screen: null }
  /** Which pictures have come in the last seconds. */ received = { camera: false, screen: false }
  streams = { own: new MediaStream(), camera: new MediaStream(), screen: new MediaStream() }

  /** @type {RTCPeerConnection} */ #connection
  /** @type {Worker | undefined} */ #worker
  /** @type {Uint8Array} */ #secret
  /** @type {any[]} Addresses of this side that are to be sent. */ #found = []
  /** @type {any[] | null} Addresses of the other side that came before its description. */ #early = []
  #mayTell = false
  #isListed = false
  #isAnswered = false
  /** @type {Record<string, {frames: number, at: number}>} */ #seen = {}
  #stops = new AbortController()

  constructor(contact, isOutgoing) {
    this.contact = contact
    this.isOutgoing = isOutgoing
    this.id = `@${contact.contactId}`
    this.api = app.api
    this.path = `${app.users}/contacts/${contact.contactId}/call`
  }

  /** Calls a contact. */
  static begin = (contact, media) => Call.#open(contact, media, true, async call => {
    // One that another page has left open is over.
    if (app.model.activeCalls[call.id]) await call.api.delete(call.path).catch(() => {})
    await call.api.post(call.path, { callType: { media, capabilities } })
  })

  /** Takes a call: the offer comes from the side that was called. */
  static take = ({ contact, callType: { media }, sharedKey }) => Call.#open(contact, media, false, async call => {
    await call.#connect(sharedKey)
    for (const kind of kinds) call.#connection.addTransceiver(kind, { streams: [call.streams.own] })
    const rtcSession = await call.#describe(() => call.#connection.createOffer())
    await call.api.post(`${call.path}/offer`, { callOffer: { callType: { media, capabilities }, rtcSession } })
    call.#tell()
  })

  static async #open(contact, media, isOutgoing, begin) {
    // The browser may be asking whether the microphone may be used.
    if (isAsking) return
    isAsking = true
    await current?.end()
    const stream = await navigator.mediaDevices
      ?.getUserMedia({ audio: true, video: media == "video" })
      .catch(() => null)
    isAsking = false
    if (!stream) throw new Error(media == "video" ? words.noCamera : words.noMicrophone)
    const call = current = new Call(contact, isOutgoing), { signal } = call.#stops
    for (const track of stream.getTracks()) call.#own(track.kind == "audio" ? "mic" : "camera", track)
    addEventListener("pagehide", () => call.end(), { signal })
    app.on("leave", () => call.end(), signal)
    const clock = setInterval(() => call.#watch(), 1000)
    signal.addEventListener("abort", () => clearInterval(clock))
    changed()
    await call.#guard(async () => {
      call.#listen()
      await begin(call)
      call.#show("waiting")
      app.on("model", () => call.#follow(), signal)
      call.#follow()
    })
  }

  /** A call that fails leaves nothing behind. One that another client of the profile has taken goes on there. */
  async #guard(work) {
    try { await work() } catch (error) {
      const isTaken = error.code == "callState"
      await this.end(!isTaken)
      throw isTaken ? new Error(words.callTaken) : error instanceof Problem ? error : new Error(words.callFailed)
    }
  }

  #show(state) {
    this.state = state
    changed()
  }

  /** The model has the other side's description; when it has the call no more, the call is over. */
  #follow() {
    const known = app.model?.activeCalls[this.id]
    if (!known && this.#isListed) this.end(false)
    this.#isListed ||= Boolean(known)
    if (!known?.peerSession || this.#isAnswered) return
    this.#isAnswered = true
    this.#guard(async () => {
      const { rtcSession, rtcIceCandidates } = known.peerSession, description = parsed(rtcSession)
      // Another kind of description would start another negotiation.
      if (description.type != (this.isOutgoing ? "offer" : "answer")) throw new Error(words.callFailed)
      if (known.askConfirmation && !(await confirmed(words.callOpen, words.callOpenExplained, words.accept)))
        return this.end()
      if (this.isOutgoing) await this.#answer(description, known.sharedKey)
      else await this.#connection.setRemoteDescription(description)
      const early = [...parsed(rtcIceCandidates), ...this.#early ?? []]
      this.#early = null
      this.#add(early)
    })
  }

  async #answer(description, sharedKey) {
    await this.#connect(sharedKey)
    await this.#connection.setRemoteDescription(description)
    // Either side may show more later.
    for (const transceiver of this.#connection.getTransceivers()) transceiver.direction = "sendrecv"
    const answer = await this.#describe(() => this.#connection.createAnswer())
    await this.api.post(`${this.path}/answer`, { answer })
    this.#tell()
  }

  async #connect(sharedKey) {
    const settings = (await this.api.get("/v1/settings/app").catch(() => null))?.appSettings ?? {}
    this.isEncrypted = Boolean(sharedKey) && capabilities.encryption
    if (this.isEncrypted) {
      this.#secret = bytes(sharedKey)
      this.#worker = new Worker(script("calls/frames.js"))
    }
    const connection = this.#connection = new RTCPeerConnection(/** @type {any} */ ({
      iceServers: (settings.webrtcICEServers ?? usualServers).map(server).filter(Boolean),
      iceTransportPolicy: settings.webrtcPolicyRelay === false ? "all" : "relay",
      encodedInsertableStreams: byStreams && this.isEncrypted,
    }))
    connection.onicecandidate = ({ candidate }) => {
      if (candidate && this.#found.push(candidate) == 1 && this.#mayTell) setTimeout(() => this.#tell(), 1000)
    }
    connection.ontrack = ({ track, transceiver: { mid } }) =>
      this.streams[Number(mid) < sources.screen - 1 ? "camera" : "screen"].addTrack(track)
    connection.onconnectionstatechange = () => this.#connectionChanged(connection.connectionState)
  }

  /** The description of this side, with the addresses that it finds at once. */
  async #describe(make) {
    const connection = this.#connection, codecs = RTCRtpReceiver.getCapabilities("video")?.codecs ?? []
    // The bytes that stay clear are those of this codec.
    codecs.sort((one, other) => Number(other.mimeType == "video/VP8") - Number(one.mimeType == "video/VP8"))
    for (const transceiver of connection.getTransceivers()) {
      if (transceiver.receiver.track.kind == "video") transceiver.setCodecPreferences?.(codecs)
      this.#encrypt(transceiver.sender, true)
      // Before anything can come: what has come as it is goes on to do so.
      this.#encrypt(transceiver.receiver, false)
    }
    for (const name of Object.keys(sources)) await this.#sender(name)?.replaceTrack(this.sent[name])
    const description = await make()
    await connection.setLocalDescription(description)
    await Promise.race([
      pause(750),
      new Promise(next => {
        connection.onicegatheringstatechange = () => {
          if (connection.iceGatheringState == "complete") next(undefined)
        }
      }),
    ])
    return { rtcSession: packed(description), rtcIceCandidates: packed(this.#found.splice(0)) }
  }

  #sender(name) { return this.#connection?.getTransceivers()[sources[name]]?.sender }

  #encrypt(/** @type {any} */ end, isSent) {
    if (!this.#worker) return
    const options = { isSent, secret: this.#secret }
    if (byTransform) end.transform = new window["RTCRtpScriptTransform"](this.#worker, options)
    else {
      const streams = end.createEncodedStreams()
      this.#worker.postMessage({ ...options, ...streams }, [streams.readable, streams.writable])
    }
  }

  /** Sends what was found after the description. */
  #tell() {
    this.#mayTell = true
    if (this.#found.length)
      this.api
        .post(`${this.path}/extra`, { extraInfo: { rtcIceCandidates: packed(this.#found.splice(0)) } })
        .catch(() => {})
  }

  #add(candidates) {
    for (const candidate of candidates.slice(0, 100)) this.#connection.addIceCandidate(candidate).catch(() => {})
  }

  /** Receives candidates that the peer found after its description: only an event has them. */
  async #listen() {
    const query = { types: "callExtraInfo", chats: `direct/${this.contact.contactId}` }, { signal } = this.#stops
    for (let cursor = "now"; !signal.aborted;) {
      try {
        const socket = await this.api.socket("/v1/events/ws", cursor, query)
        if (signal.aborted) return socket.close()
        signal.addEventListener("abort", () => socket.close())
        await new Promise(ended => {
          socket.onclose = ended
          socket.onmessage = ({ data }) => {
            const { id, event } = JSON.parse(data)
            cursor = id ?? cursor
            if (
              event.type != "callExtraInfo"
              || event.user.userId != app.userId
              || event.contact.contactId != this.contact.contactId
            )
              return
            const found = parsed(event.extraInfo.rtcIceCandidates)
            if (this.#early) this.#early.push(...found)
            else this.#add(found)
          }
        })
      } catch (error) {
        // A key that may not read events: the call may do without.
        if (error.code == "forbidden") return
      }
      await pause(1000)
    }
  }

  #connectionChanged(callStatus) {
    if (["connecting", "connected", "disconnected", "failed"].includes(callStatus))
      this.api.put(`${this.path}/status`, { callStatus }).catch(() => {})
    if (callStatus == "connected") this.since ||= Date.now()
    if (callStatus == "failed") this.end()
    else if (words.callState[callStatus]) this.#show(callStatus)
  }

  /** Nothing says that the other side has switched its camera off, but that no pictures come. */
  async #watch() {
    for (const [id, report] of await this.#connection?.getStats() ?? []) {
      if (report.type != "inbound-rtp" || report.kind != "video") continue
      const before = this.#seen[id], isMore = report.framesDecoded > (before?.frames ?? 0)
      if (!before || isMore) this.#seen[id] = { frames: report.framesDecoded, at: isMore ? Date.now() : 0 }
      this.received[Number(report.mid) == sources.screen ? "screen" : "camera"] = Date.now() - this.#seen[id].at < 3000
    }
    changed()
  }

  #own(name, track) {
    const before = this.sent[name]
    if (before) { before.stop(); this.streams.own.removeTrack(before) }
    this.sent[name] = track
    if (track) this.streams.own.addTrack(track)
  }

  /** Switches the microphone, the camera or the picture of the screen on or off. */
  async switch(name) {
    const devices = navigator.mediaDevices, wanted = name == "mic" ? { audio: true } : { video: true }
    const stream = this.sent[name]
      ? null
      : await (name == "screen" ? devices.getDisplayMedia(wanted) : devices.getUserMedia(wanted)).catch(() => {
          throw new Error(words.noCamera)
        })
    const track = stream?.getTracks()[0] ?? null
    // The browser's own button ends it too.
    if (track) track.onended = () => this.sent[name] && this.switch(name)
    this.#own(name, track)
    await this.#sender(name)?.replaceTrack(track)
    changed()
  }

  /** @param {boolean} [isTold] the other side does not know it yet */
  async end(isTold = true) {
    if (this.#stops.signal.aborted) return
    this.#stops.abort()
    current = null
    for (const name of Object.keys(sources)) this.#own(name, null)
    this.#connection?.close()
    this.#worker?.terminate()
    changed()
    // Also when the page closes.
    if (isTold) await this.api.request(this.path, { method: "DELETE", keepalive: true }).catch(() => {})
  }
}
