/// The state of a call, as its chat item shows it.
package struct CICallStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let pending = Self(rawValue: "pending")
    package static let missed = Self(rawValue: "missed")
    package static let rejected = Self(rawValue: "rejected")
    package static let accepted = Self(rawValue: "accepted")
    package static let negotiated = Self(rawValue: "negotiated")
    package static let progress = Self(rawValue: "progress")
    package static let ended = Self(rawValue: "ended")
    package static let error = Self(rawValue: "error")

    package static let knownValues: Set<Self> = [
        .pending, .missed, .rejected, .accepted, .negotiated, .progress, .ended, .error,
    ]
}

/// The media of a call: only sound, or sound and video.
package struct CallMedia: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let audio = Self(rawValue: "audio")
    package static let video = Self(rawValue: "video")

    package static let knownValues: Set<Self> = [.audio, .video]
}

/// The step that has been reached in establishing a call.
package struct CallStateTag: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let invitationSent = Self(rawValue: "invitationSent")
    package static let invitationReceived = Self(rawValue: "invitationReceived")
    package static let offerSent = Self(rawValue: "offerSent")
    package static let offerReceived = Self(rawValue: "offerReceived")
    package static let negotiated = Self(rawValue: "negotiated")

    package static let knownValues: Set<Self> = [
        .invitationSent, .invitationReceived, .offerSent, .offerReceived, .negotiated,
    ]
}

/// Whether an incoming call is hidden, shown, or can be accepted while the screen is locked.
package struct LockScreenCalls: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let disable = Self(rawValue: "disable")
    package static let show = Self(rawValue: "show")
    package static let accept = Self(rawValue: "accept")

    package static let knownValues: Set<Self> = [.disable, .show, .accept]
}

/// The state of the media connection of a call.
package struct WebRTCCallStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let connecting = Self(rawValue: "connecting")
    package static let connected = Self(rawValue: "connected")
    package static let disconnected = Self(rawValue: "disconnected")
    package static let failed = Self(rawValue: "failed")

    package static let knownValues: Set<Self> = [.connecting, .connected, .disconnected, .failed]
}
