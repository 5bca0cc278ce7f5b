public struct CallCapabilities: Codable, Hashable, Sendable {
    public var encryption: Bool

    public init(encryption: Bool) {
        self.encryption = encryption
    }
}

public struct CallType: Codable, Hashable, Sendable {
    public var media: CallMedia
    public var capabilities: CallCapabilities

    public init(media: CallMedia, capabilities: CallCapabilities) {
        self.media = media
        self.capabilities = capabilities
    }
}

public struct WebRTCCallOffer: Codable, Hashable, Sendable {
    public var callType: CallType
    public var rtcSession: WebRTCSession

    public init(callType: CallType, rtcSession: WebRTCSession) {
        self.callType = callType
        self.rtcSession = rtcSession
    }
}

public struct WebRTCExtraInfo: Codable, Hashable, Sendable {
    public var rtcIceCandidates: String

    public init(rtcIceCandidates: String) {
        self.rtcIceCandidates = rtcIceCandidates
    }
}

public struct WebRTCSession: Codable, Hashable, Sendable {
    public var rtcSession: String
    public var rtcIceCandidates: String

    public init(rtcSession: String, rtcIceCandidates: String) {
        self.rtcSession = rtcSession
        self.rtcIceCandidates = rtcIceCandidates
    }
}
