/// The features for calls that the app of one side supports.
package struct CallCapabilities: Codable, Hashable, Sendable {
    package var encryption: Bool

    package init(encryption: Bool) {
        self.encryption = encryption
    }
}

/// The media of a call, and the call features of the app that requests or answers the call.
package struct CallType: Codable, Hashable, Sendable {
    package var media: CallMedia
    package var capabilities: CallCapabilities

    package init(media: CallMedia, capabilities: CallCapabilities) {
        self.media = media
        self.capabilities = capabilities
    }
}

/// The offer with which the called side accepts a call: the type of the call, and the session of the called side.
package struct WebRTCCallOffer: Codable, Hashable, Sendable {
    package var callType: CallType
    package var rtcSession: WebRTCSession
}

/// ICE candidates that were found after the session description was sent.
package struct WebRTCExtraInfo: Codable, Hashable, Sendable {
    package var rtcIceCandidates: String

    package init(rtcIceCandidates: String) {
        self.rtcIceCandidates = rtcIceCandidates
    }
}

/// A session description with its ICE candidates, in the compressed form of the apps.
package struct WebRTCSession: Codable, Hashable, Sendable {
    package var rtcSession: String
    package var rtcIceCandidates: String

    package init(rtcSession: String, rtcIceCandidates: String) {
        self.rtcSession = rtcSession
        self.rtcIceCandidates = rtcIceCandidates
    }
}
