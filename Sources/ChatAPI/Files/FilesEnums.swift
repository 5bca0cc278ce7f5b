/// Way in which a file is transferred.
public struct FileProtocol: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let smp = Self(rawValue: "smp")
    public static let xftp = Self(rawValue: "xftp")
    public static let local = Self(rawValue: "local")

    public static let known: Set<Self> = [.smp, .xftp, .local]
}

/// Progress of the transfer of a file.
public struct FileStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let new = Self(rawValue: "new")
    public static let accepted = Self(rawValue: "accepted")
    public static let connected = Self(rawValue: "connected")
    public static let complete = Self(rawValue: "complete")
    public static let cancelled = Self(rawValue: "cancelled")

    public static let known: Set<Self> = [.new, .accepted, .connected, .complete, .cancelled]
}

/// The purpose of a file.
public struct FileType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let normal = Self(rawValue: "normal")
    public static let roster = Self(rawValue: "roster")

    public static let known: Set<Self> = [.normal, .roster]
}

/// The way in which a small file is sent inside of messages: offered first, or sent together with its message.
public struct InlineFileMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let offer = Self(rawValue: "offer")
    public static let sent = Self(rawValue: "sent")

    public static let known: Set<Self> = [.offer, .sent]
}
