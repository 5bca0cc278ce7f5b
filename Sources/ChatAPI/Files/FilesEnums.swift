/// The way in which a file is transferred: inside messages (`smp`), over XFTP servers, or not at all (`local`).
package struct FileProtocol: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let smp = Self(rawValue: "smp")
    package static let xftp = Self(rawValue: "xftp")
    package static let local = Self(rawValue: "local")

    package static let knownValues: Set<Self> = [.smp, .xftp, .local]
}

/// Progress of the transfer of a file.
package struct FileStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let new = Self(rawValue: "new")
    package static let accepted = Self(rawValue: "accepted")
    package static let connected = Self(rawValue: "connected")
    package static let complete = Self(rawValue: "complete")
    package static let cancelled = Self(rawValue: "cancelled")

    package static let knownValues: Set<Self> = [.new, .accepted, .connected, .complete, .cancelled]
}

/// The purpose of a file: an ordinary file, or the roster (list of members) of a group.
package struct FileType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let normal = Self(rawValue: "normal")
    package static let roster = Self(rawValue: "roster")

    package static let knownValues: Set<Self> = [.normal, .roster]
}

/// The way in which a small file is sent inside messages: offered first, or sent together with its message.
package struct InlineFileMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let offer = Self(rawValue: "offer")
    package static let sent = Self(rawValue: "sent")

    package static let knownValues: Set<Self> = [.offer, .sent]
}
