/// Direction of a queue: for receiving, or for sending.
public struct QueueDirection: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let rcv = Self(rawValue: "rcv")
    public static let snd = Self(rawValue: "snd")

    public static let known: Set<Self> = [.rcv, .snd]
}

/// Progress of establishing a queue.
public struct QueueStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let new = Self(rawValue: "new")
    public static let confirmed = Self(rawValue: "confirmed")
    public static let secured = Self(rawValue: "secured")
    public static let active = Self(rawValue: "active")
    public static let disabled = Self(rawValue: "disabled")

    public static let known: Set<Self> = [.new, .confirmed, .secured, .active, .disabled]
}
