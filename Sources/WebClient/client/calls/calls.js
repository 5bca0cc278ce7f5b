// A call of this page. The two browsers exchange session descriptions and ICE candidates through chat messages. Sound
// and pictures go directly between the browsers, or through a TURN server.
import { GatewayError } from "../model/problems.js"
import { app } from "../model/app.js"
import { confirmed } from "../elements/dialogs.js"
import { compressed, decompressed } from "../model/lzstring.js"
import { fromBase64 } from "../model/pictures.js"
import { script } from "../model/push.js"
import { pause } from "../model/requests.js"
import { words } from "../model/words.js"

/** The positions of the sources among the transceivers of a connection, in the order of the apps. */
const sources = { mic: 0, camera: 1, screen: 3 }
const kinds = ["audio", "video", "audio", "video"]
/** The STUN and TURN servers of the apps, for settings without servers. */
const usualServers = [
  "stuns:stun.simplex.im:443",
  "stun:stun.simplex.im:443",
  "turns:private2:Hxuq2QxUjnhj96Zq2r4HjqHRj@turn.simplex.im:443?transport=tcp",
]

const byTransform = "RTCRtpScriptTransform" in window
const byStreams = !byTransform && "createEncodedStreams" in (window.RTCRtpSender?.prototype ?? {})
const capabilities = { encryption: byTransform || byStreams }

/** Parses a server of the settings: `turn:user:password@host:port`. */
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
/**
 * The last request that ends a call. The next call waits for its answer, because the request would end this call too.
 * @type {Promise<any>}
 */
let ending = Promise.resolve()
export const currentCall = () => current
/** Tells views that the call has changed. */
const changed = () => app.emit("call")

export class Call {
  /** The state of the call, as a name in the texts of the page (`words.callState`). */
  state = "starting"
  isEncrypted = false
  /** The time at which the call was connected; 0 before. */
  since = 0
  /** @type {Record<string, MediaStreamTrack | null>} The tracks that this side sends. */
  sent = { mic: null, camera: null, screen: null }
  /** Whether pictures of the camera and of the screen have arrived in the last three seconds. */
  received = { camera: false, screen: false }
  streams = { own: new MediaStream(), camera: new MediaStream(), screen: new MediaStream() }

  /** @type {RTCPeerConnection} */ #connection
  /** @type {Worker | undefined} */ #worker
  /** @type {Uint8Array} */ #secret
  /** @type {any[]} The ICE candidates of this side that were not sent yet. */
  #found = []
  /**
   * The ICE candidates of the other side that arrived before its session description; null after that.
   * @type {any[] | null}
   */
  #early = []
  #mayTell = false
  /**
   * The time at which the call began, as in the model; undefined if it is unknown.
   * @type {string | undefined}
   */
  #began
  /**
   * The request that begins the call, until it is answered.
   * @type {Promise<any> | null}
   */
  #beginning = null
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
    this.chat = `${app.users}/chats/direct/${contact.contactId}`
  }

  /** Calls a contact. */
  static begin = (contact, media) => Call.#open(contact, media, true, async call => {
    // If another page has left a call with the contact open, ends that call first.
    if (app.model.activeCalls[call.id]) await call.api.delete(call.path).catch(() => {})
    call.#stops.signal.throwIfAborted()
    call.#beginning = call.api.post(call.path, { callType: { media, capabilities } })
    await call.#beginning
    call.#beginning = null
    // The store already has the item of this call, while the model of the page may still have an earlier call.
    const answer = await Promise.race([call.api.get(`${call.chat}?limit=20`).catch(() => null), pause(3000)])
    call.#began = answer?.chat.chatItems.filter(item => item.content.type == "sndCall").at(-1)?.meta.itemTs
  })

  /** Accepts a call. The side that was called sends the offer. */
  static take = ({ contact, callType: { media }, ...invitation }) => Call.#open(contact, media, false, async call => {
    call.#began = invitation.callTs
    await call.#connect(invitation.sharedKey)
    for (const kind of kinds) call.#connection.addTransceiver(kind, { streams: [call.streams.own] })
    const rtcSession = await call.#describe(() => call.#connection.createOffer())
    await call.api.post(`${call.path}/offer`, { callOffer: { callType: { media, capabilities }, rtcSession } })
    call.#tell()
  })

  static async #open(contact, media, isOutgoing, begin) {
    // A second press is ignored while the browser asks the user whether the page may use the microphone.
    if (isAsking) return
    isAsking = true
    const { userId } = app
    current?.end()
    // A request that is never answered delays the next call only for three seconds.
    await Promise.race([ending, pause(3000)])
    const stream = await navigator.mediaDevices
      ?.getUserMedia({ audio: true, video: media == "video" })
      .catch(() => null)
    isAsking = false
    if (app.userId != userId) return stream?.getTracks().forEach(track => track.stop())
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
      signal.throwIfAborted()
      call.#show("waiting")
      app.on("model", () => call.#follow(), signal)
      call.#follow()
    })
  }

  /**
   * Does a step of a call, and ends the call if the step fails. If another client of the profile has accepted the call,
   * the call continues there. A step of a call that has ended already may fail.
   */
  async #guard(work) {
    try { await work() } catch (error) {
      if (this.#stops.signal.aborted) return
      const isTaken = error.code == "callState"
      await this.end(!isTaken)
      throw isTaken ? new Error(words.callTaken) : error instanceof GatewayError ? error : new Error(words.callFailed)
    }
  }

  #show(state) {
    this.state = state
    changed()
  }

  /**
   * Follows the state of the call in the model. Continues the negotiation when the model has the other side's session
   * description, and ends the call when the call is no longer in the model. An earlier call with the contact, which may
   * still be in the model, is ignored.
   */
  #follow() {
    const listed = app.model?.activeCalls[this.id]
    const known = this.#began && listed?.callTs && listed.callTs != this.#began ? undefined : listed
    if (!known && this.#isListed) this.end(false)
    this.#isListed ||= Boolean(known)
    if (!known?.peerSession || this.#isAnswered) return
    this.#isAnswered = true
    this.#guard(async () => {
      const { rtcSession, rtcIceCandidates } = known.peerSession, description = parsed(rtcSession)
      // A description of the wrong kind is refused, because it would begin another negotiation.
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
    // All directions are open from the beginning, because each side may switch its camera or screen on later.
    for (const transceiver of this.#connection.getTransceivers()) transceiver.direction = "sendrecv"
    const answer = await this.#describe(() => this.#connection.createAnswer())
    await this.api.post(`${this.path}/answer`, { answer })
    this.#tell()
  }

  async #connect(sharedKey) {
    const settings = (await this.api.get("/v1/settings/app").catch(() => null))?.appSettings ?? {}
    this.#stops.signal.throwIfAborted()
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

  /**
   * Makes the session description of this side, with the ICE candidates that the browser finds within 750 milliseconds.
   */
  async #describe(make) {
    const connection = this.#connection, codecs = RTCRtpReceiver.getCapabilities("video")?.codecs ?? []
    // VP8 comes first, since the number of unencrypted bytes at the beginning of a frame fits this codec.
    codecs.sort((one, other) => Number(other.mimeType == "video/VP8") - Number(one.mimeType == "video/VP8"))
    for (const transceiver of connection.getTransceivers()) {
      if (transceiver.receiver.track.kind == "video") transceiver.setCodecPreferences?.(codecs)
      this.#encrypt(transceiver.sender, true)
      // Decryption is set up before any frame can arrive. A frame that was received without decryption would stay
      // encrypted, and so would later frames.
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

  /** Sends the ICE candidates that were found after the session description was sent. */
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

  /**
   * Receives the ICE candidates that the other side finds after its session description. Only an event contains them.
   */
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
        // A key without the scope `events` cannot receive the additional candidates. The attempts end, because the call
        // often succeeds without these candidates.
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

  /**
   * Finds out whether pictures of the other side still arrive. If the other side switches its camera off, its pictures
   * stop without a message.
   */
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
    // The user can also stop a track with the browser's own button. Then the call turns the track off too.
    if (track) track.onended = () => this.sent[name] && this.switch(name)
    this.#own(name, track)
    await this.#sender(name)?.replaceTrack(track)
    changed()
  }

  /**
   * Ends the call.
   * @param {boolean} [isTold] whether the other side has to be told
   */
  async end(isTold = true) {
    if (this.#stops.signal.aborted) return
    this.#stops.abort()
    current = null
    for (const name of Object.keys(sources)) this.#own(name, null)
    this.#connection?.close()
    this.#worker?.terminate()
    changed()
    if (!isTold) return
    // The request is also sent if the page is being closed (`keepalive`).
    const tell = () => this.api.request(this.path, { method: "DELETE", keepalive: true }).catch(() => {})
    // The gateway cannot end a call that it does not know yet. The request is repeated when the call has begun there,
    // unless the user has called the contact again.
    const later = this.#beginning?.then(() => current?.id == this.id ? undefined : tell(), () => {})
    await (ending = Promise.all([tell(), later]))
  }
}
