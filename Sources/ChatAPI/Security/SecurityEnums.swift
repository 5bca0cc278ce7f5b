/// State of the synchronization of a ratchet.
public struct RatchetSyncState: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let ok = Self(rawValue: "ok")
    public static let allowed = Self(rawValue: "allowed")
    public static let required = Self(rawValue: "required")
    public static let started = Self(rawValue: "started")
    public static let agreed = Self(rawValue: "agreed")

    public static let known: Set<Self> = [.ok, .allowed, .required, .started, .agreed]
}

/// Progress in the replacement of a queue for receiving.
public struct RcvSwitchStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let switch_started = Self(rawValue: "switch_started")
    public static let sending_qadd = Self(rawValue: "sending_qadd")
    public static let sending_quse = Self(rawValue: "sending_quse")
    public static let received_message = Self(rawValue: "received_message")

    public static let known: Set<Self> = [.switch_started, .sending_qadd, .sending_quse, .received_message]
}

/// Progress in the replacement of a queue for sending.
public struct SndSwitchStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let sending_qkey = Self(rawValue: "sending_qkey")
    public static let sending_qtest = Self(rawValue: "sending_qtest")

    public static let known: Set<Self> = [.sending_qkey, .sending_qtest]
}

/// Progress of the move of a connection to another queue.
public struct SwitchPhase: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let started = Self(rawValue: "started")
    public static let confirmed = Self(rawValue: "confirmed")
    public static let secured = Self(rawValue: "secured")
    public static let completed = Self(rawValue: "completed")

    public static let known: Set<Self> = [.started, .confirmed, .secured, .completed]
}
