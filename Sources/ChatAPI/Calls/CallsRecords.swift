/// The features for calls that the app of one side has.
public struct CallCapabilities: Codable, Hashable, Sendable {
    public var encryption: Bool

    public init(encryption: Bool) {
        self.encryption = encryption
    }
}

/// The media of a call, and the call features of the app that requests or answers the call.
public struct CallType: Codable, Hashable, Sendable {
    public var media: CallMedia
    public var capabilities: CallCapabilities

    public init(media: CallMedia, capabilities: CallCapabilities) {
        self.media = media
        self.capabilities = capabilities
    }
}

/// The caller's offer: the type of the call and the session.
public struct WebRTCCallOffer: Codable, Hashable, Sendable {
    public var callType: CallType
    public var rtcSession: WebRTCSession
}

/// ICE candidates that were found after the session was sent.
public struct WebRTCExtraInfo: Codable, Hashable, Sendable {
    public var rtcIceCandidates: String

    public init(rtcIceCandidates: String) {
        self.rtcIceCandidates = rtcIceCandidates
    }
}

/// A session description with its ICE candidates, in the compressed form of the apps.
public struct WebRTCSession: Codable, Hashable, Sendable {
    public var rtcSession: String
    public var rtcIceCandidates: String

    public init(rtcSession: String, rtcIceCandidates: String) {
        self.rtcSession = rtcSession
        self.rtcIceCandidates = rtcIceCandidates
    }
}
