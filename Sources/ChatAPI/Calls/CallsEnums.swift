/// The state of a call in its chat item.
public struct CICallStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let pending = Self(rawValue: "pending")
    public static let missed = Self(rawValue: "missed")
    public static let rejected = Self(rawValue: "rejected")
    public static let accepted = Self(rawValue: "accepted")
    public static let negotiated = Self(rawValue: "negotiated")
    public static let progress = Self(rawValue: "progress")
    public static let ended = Self(rawValue: "ended")
    public static let error = Self(rawValue: "error")

    public static let known: Set<Self> = [
        .pending, .missed, .rejected, .accepted, .negotiated, .progress, .ended, .error,
    ]
}

/// The media of a call: only sound, or sound and video.
public struct CallMedia: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let audio = Self(rawValue: "audio")
    public static let video = Self(rawValue: "video")

    public static let known: Set<Self> = [.audio, .video]
}

/// Progress of establishing a call.
public struct CallStateTag: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let invitationSent = Self(rawValue: "invitationSent")
    public static let invitationReceived = Self(rawValue: "invitationReceived")
    public static let offerSent = Self(rawValue: "offerSent")
    public static let offerReceived = Self(rawValue: "offerReceived")
    public static let negotiated = Self(rawValue: "negotiated")

    public static let known: Set<Self> = [
        .invitationSent, .invitationReceived, .offerSent, .offerReceived, .negotiated,
    ]
}

/// Permissions for calls while the screen is locked.
public struct LockScreenCalls: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let disable = Self(rawValue: "disable")
    public static let show = Self(rawValue: "show")
    public static let accept = Self(rawValue: "accept")

    public static let known: Set<Self> = [.disable, .show, .accept]
}

/// The state of the media connection of a call.
public struct WebRTCCallStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let connecting = Self(rawValue: "connecting")
    public static let connected = Self(rawValue: "connected")
    public static let disconnected = Self(rawValue: "disconnected")
    public static let failed = Self(rawValue: "failed")

    public static let known: Set<Self> = [.connecting, .connected, .disconnected, .failed]
}
