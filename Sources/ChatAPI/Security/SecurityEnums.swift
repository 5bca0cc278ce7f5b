/// The state of the synchronization of a ratchet between the two sides of a connection.
package struct RatchetSyncState: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let ok = Self(rawValue: "ok")
    package static let allowed = Self(rawValue: "allowed")
    package static let required = Self(rawValue: "required")
    package static let started = Self(rawValue: "started")
    package static let agreed = Self(rawValue: "agreed")

    package static let knownValues: Set<Self> = [.ok, .allowed, .required, .started, .agreed]
}

/// Progress in replacing a queue from which a connection receives messages.
package struct RcvSwitchStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let switch_started = Self(rawValue: "switch_started")
    package static let sending_qadd = Self(rawValue: "sending_qadd")
    package static let sending_quse = Self(rawValue: "sending_quse")
    package static let received_message = Self(rawValue: "received_message")

    package static let knownValues: Set<Self> = [.switch_started, .sending_qadd, .sending_quse, .received_message]
}

/// Progress in replacing a queue to which a connection sends messages.
package struct SndSwitchStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let sending_qkey = Self(rawValue: "sending_qkey")
    package static let sending_qtest = Self(rawValue: "sending_qtest")

    package static let knownValues: Set<Self> = [.sending_qkey, .sending_qtest]
}

/// Progress in moving a connection to another queue.
package struct SwitchPhase: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let started = Self(rawValue: "started")
    package static let confirmed = Self(rawValue: "confirmed")
    package static let secured = Self(rawValue: "secured")
    package static let completed = Self(rawValue: "completed")

    package static let knownValues: Set<Self> = [.started, .confirmed, .secured, .completed]
}
