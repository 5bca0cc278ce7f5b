/// The direction of a queue: for receiving or for sending messages.
package struct QueueDirection: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let rcv = Self(rawValue: "rcv")
    package static let snd = Self(rawValue: "snd")

    package static let knownValues: Set<Self> = [.rcv, .snd]
}

/// Progress in establishing a queue.
package struct QueueStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let new = Self(rawValue: "new")
    package static let confirmed = Self(rawValue: "confirmed")
    package static let secured = Self(rawValue: "secured")
    package static let active = Self(rawValue: "active")
    package static let disabled = Self(rawValue: "disabled")

    package static let knownValues: Set<Self> = [.new, .confirmed, .secured, .active, .disabled]
}
