/// The way in which an item is deleted: for all, only for the user, or only by a mark.
public struct CIDeleteMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let broadcast = Self(rawValue: "broadcast")
    public static let `internal` = Self(rawValue: "internal")
    public static let internalMark = Self(rawValue: "internalMark")
    public static let history = Self(rawValue: "history")

    public static let known: Set<Self> = [.broadcast, .internal, .internalMark, .history]
}

/// The state of an invitation to a group: open, accepted, rejected or expired.
public struct CIGroupInvitationStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let pending = Self(rawValue: "pending")
    public static let accepted = Self(rawValue: "accepted")
    public static let rejected = Self(rawValue: "rejected")
    public static let expired = Self(rawValue: "expired")

    public static let known: Set<Self> = [.pending, .accepted, .rejected, .expired]
}

/// A feature that the two sides of a chat can allow each other.
public struct ChatFeature: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let timedMessages = Self(rawValue: "timedMessages")
    public static let fullDelete = Self(rawValue: "fullDelete")
    public static let reactions = Self(rawValue: "reactions")
    public static let voice = Self(rawValue: "voice")
    public static let files = Self(rawValue: "files")
    public static let calls = Self(rawValue: "calls")
    public static let sessions = Self(rawValue: "sessions")

    public static let known: Set<Self> = [.timedMessages, .fullDelete, .reactions, .voice, .files, .calls, .sessions]
}

/// The type of a chat: a contact, a group, the user's notes, and so on.
public struct ChatType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let direct = Self(rawValue: "direct")
    public static let group = Self(rawValue: "group")
    public static let local = Self(rawValue: "local")
    public static let contactRequest = Self(rawValue: "contactRequest")
    public static let contactConnection = Self(rawValue: "contactConnection")

    public static let known: Set<Self> = [.direct, .group, .local, .contactRequest, .contactConnection]
}

/// The type of a message's content.
public struct MsgContentTag: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let text = Self(rawValue: "text")
    public static let link = Self(rawValue: "link")
    public static let image = Self(rawValue: "image")
    public static let video = Self(rawValue: "video")
    public static let voice = Self(rawValue: "voice")
    public static let file = Self(rawValue: "file")
    public static let report = Self(rawValue: "report")
    public static let chat = Self(rawValue: "chat")

    public static let known: Set<Self> = [.text, .link, .image, .video, .voice, .file, .report, .chat]
}

/// Whether a message is received or sent.
public struct MsgDirection: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let rcv = Self(rawValue: "rcv")
    public static let snd = Self(rawValue: "snd")

    public static let known: Set<Self> = [.rcv, .snd]
}

/// The messages of a chat that cause notifications.
public struct MsgFilter: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let none = Self(rawValue: "none")
    public static let all = Self(rawValue: "all")
    public static let mentions = Self(rawValue: "mentions")

    public static let known: Set<Self> = [.none, .all, .mentions]
}

/// The result of a receipt: whether the recipient's message equals the sent message.
public struct MsgReceiptStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let ok = Self(rawValue: "ok")
    public static let badMsgHash = Self(rawValue: "badMsgHash")

    public static let known: Set<Self> = [.ok, .badMsgHash]
}

/// The state of a signature: verified, or made with an unknown key.
public struct MsgSigStatus: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let verified = Self(rawValue: "verified")
    public static let signedNoKey = Self(rawValue: "signedNoKey")

    public static let known: Set<Self> = [.verified, .signedNoKey]
}

/// The type of an entry in a queue: a message, or the marker of a full queue.
public struct MsgType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let message = Self(rawValue: "message")
    public static let quota = Self(rawValue: "quota")

    public static let known: Set<Self> = [.message, .quota]
}

/// The reason for a report of a message to the moderators.
public struct ReportReason: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let spam = Self(rawValue: "spam")
    public static let content = Self(rawValue: "content")
    public static let community = Self(rawValue: "community")
    public static let profile = Self(rawValue: "profile")
    public static let other = Self(rawValue: "other")

    public static let known: Set<Self> = [.spam, .content, .community, .profile, .other]
}

/// The kind of a SimpleX link.
public struct SimplexLinkType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let contact = Self(rawValue: "contact")
    public static let invitation = Self(rawValue: "invitation")
    public static let group = Self(rawValue: "group")
    public static let channel = Self(rawValue: "channel")
    public static let relay = Self(rawValue: "relay")

    public static let known: Set<Self> = [.contact, .invitation, .group, .channel, .relay]
}

/// The type of a SimpleX name: a contact, or a public group.
public struct SimplexNameType: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let publicGroup = Self(rawValue: "publicGroup")
    public static let contact = Self(rawValue: "contact")

    public static let known: Set<Self> = [.publicGroup, .contact]
}

/// The top-level domain of a SimpleX name.
public struct SimplexTLD: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let simplex = Self(rawValue: "simplex")
    public static let testing = Self(rawValue: "testing")
    public static let web = Self(rawValue: "web")

    public static let known: Set<Self> = [.simplex, .testing, .web]
}

/// Whether an item was sent to all of its recipients, or only to some.
public struct SndCIStatusProgress: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let partial = Self(rawValue: "partial")
    public static let complete = Self(rawValue: "complete")

    public static let known: Set<Self> = [.partial, .complete]
}
