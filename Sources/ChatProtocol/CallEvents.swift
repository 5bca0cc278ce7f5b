package import ChatAPI
package import JSON
package import SimpleXCrypto

/// The id of a call, which is the same on both sides (`callId`). In JSON, it is base64url text.
package struct CallID: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    package init?(parsing text: String) {
        guard let bytes = try? Base64URL.decode(text), (1...Self.maxBytes).contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Makes a new id: 16 random bytes, as in simplex-chat.
    package static func random() -> CallID { CallID(bytes: RandomBytes.make(count: 16)) }

    package var text: String { Base64URL.encode(bytes) }

    private static let maxBytes = 255
}

/// Events that set up and end a call between two contacts (`x.call.*`).
///
/// simplex-chat `docs/protocol/simplex-chat.schema.json`, "Call sub-protocol".
package enum CallEvent: Sendable, Hashable {
    /// A contact calls the user. The event contains a key if the app of the contact encrypts the media.
    case invitation(CallID, CallType, key: X25519.PublicKey?)
    /// The called side accepts the call.
    case offer(CallID, CallType, WebRTCSession, key: X25519.PublicKey?)
    /// The calling side accepts the offer.
    case answer(CallID, WebRTCSession)
    /// One side sends further addresses (ICE candidates).
    case extra(CallID, WebRTCExtraInfo)
    case end(CallID)

    /// Reads a call event from its tag and its parameters.
    /// - Returns: nil for a tag that does not belong to calls.
    init?(tag: String, _ params: ParamReader) throws(ChatProtocolError) {
        switch tag {
        case "x.call.inv":
            let invitation = try ParamReader(params.readObject("invitation"), in: "params.invitation")
            self = .invitation(
                try params.readCallID(),
                try invitation.readCallType(),
                key: try invitation.readCallKey()
            )
        case "x.call.offer":
            let offer = try ParamReader(params.readObject("offer"), in: "params.offer")
            self = .offer(
                try params.readCallID(),
                try offer.readCallType(),
                try offer.readSession(),
                key: try offer.readCallKey()
            )
        case "x.call.answer":
            self = .answer(
                try params.readCallID(),
                try ParamReader(params.readObject("answer"), in: "params.answer").readSession()
            )
        case "x.call.extra":
            let extra = try ParamReader(params.readObject("extra"), in: "params.extra")
            let info = try ParamReader(extra.readObject("rtcExtraInfo"), in: "params.extra.rtcExtraInfo")
            self = .extra(
                try params.readCallID(),
                WebRTCExtraInfo(rtcIceCandidates: try info.readString("rtcIceCandidates"))
            )
        case "x.call.end": self = .end(try params.readCallID())
        default: return nil
        }
    }

    package var tag: String {
        switch self {
        case .invitation: "x.call.inv"
        case .offer: "x.call.offer"
        case .answer: "x.call.answer"
        case .extra: "x.call.extra"
        case .end: "x.call.end"
        }
    }

    package var callID: CallID {
        switch self {
        case .invitation(let id, _, _), .offer(let id, _, _, _), .answer(let id, _), .extra(let id, _), .end(let id): id
        }
    }

    package var params: JSONObject {
        var params = JSONObject()
        params["callId"] = .string(callID.text)
        switch self {
        case .invitation(_, let type, let key): params["invitation"] = .object(JSONObject(callType: type, key))
        case .offer(_, let type, let session, let key):
            var offer = JSONObject(callType: type, key)
            offer["rtcSession"] = session.json
            params["offer"] = .object(offer)
        case .answer(_, let session): params["answer"] = ["rtcSession": session.json]
        case .extra(_, let info):
            params["extra"] = ["rtcExtraInfo": ["rtcIceCandidates": .string(info.rtcIceCandidates)]]
        case .end: break
        }
        return params
    }
}

extension ParamReader {
    fileprivate func readCallID() throws(ChatProtocolError) -> CallID {
        guard let id = CallID(parsing: try readString("callId")) else {
            throw .invalidMessage(reason: "\(path).callId: not an id of a call")
        }
        return id
    }

    /// Reads the type of a call. An unknown kind of media is an error.
    fileprivate func readCallType() throws(ChatProtocolError) -> CallType {
        let type = try ParamReader(readObject("callType"), in: "\(path).callType")
        let media = CallMedia(rawValue: try type.readString("media"))
        guard CallMedia.knownValues.contains(media) else {
            throw .invalidMessage(reason: "\(type.path).media: unknown")
        }
        let capabilities = try ParamReader(type.readObject("capabilities"), in: "\(type.path).capabilities")
        return CallType(
            media: media,
            capabilities: CallCapabilities(encryption: try capabilities.readBool("encryption"))
        )
    }

    fileprivate func readCallKey() throws(ChatProtocolError) -> X25519.PublicKey? {
        guard let text = try readOptionalString("callDhPubKey") else { return nil }
        guard let bytes = try? Base64URL.decode(text), let key = try? X25519.PublicKey(spki: bytes) else {
            throw .invalidMessage(reason: "\(path).callDhPubKey: not a key")
        }
        return key
    }

    fileprivate func readSession() throws(ChatProtocolError) -> WebRTCSession {
        let session = try ParamReader(readObject("rtcSession"), in: "\(path).rtcSession")
        return WebRTCSession(
            rtcSession: try session.readString("rtcSession"),
            rtcIceCandidates: try session.readString("rtcIceCandidates")
        )
    }
}

extension JSONObject {
    fileprivate init(callType: CallType, _ key: X25519.PublicKey?) {
        self.init()
        self["callType"] = [
            "media": .string(callType.media.rawValue),
            "capabilities": ["encryption": .bool(callType.capabilities.encryption)],
        ]
        if let key { self["callDhPubKey"] = .string(Base64URL.encode(key.spki)) }
    }
}

extension WebRTCSession {
    fileprivate var json: JSONValue {
        ["rtcSession": .string(rtcSession), "rtcIceCandidates": .string(rtcIceCandidates)]
    }
}
