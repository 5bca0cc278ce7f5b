/// The way in which an item is deleted: for all, only for the user, only by a mark, or only from the history of a
/// channel.
package struct CIDeleteMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let broadcast = Self(rawValue: "broadcast")
    package static let `internal` = Self(rawValue: "internal")
    package static let internalMark = Self(rawValue: "internalMark")
    package static let history = Self(rawValue: "history")

    package static let knownValues: Set<Self> = [.broadcast, .internal, .internalMark, .history]
}

/// The state of an invitation to a group: open, accepted, rejected or expired.
package struct CIGroupInvitationStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let pending = Self(rawValue: "pending")
    package static let accepted = Self(rawValue: "accepted")
    package static let rejected = Self(rawValue: "rejected")
    package static let expired = Self(rawValue: "expired")

    package static let knownValues: Set<Self> = [.pending, .accepted, .rejected, .expired]
}

/// A feature that the two sides of a chat can allow each other.
package struct ChatFeature: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let timedMessages = Self(rawValue: "timedMessages")
    package static let fullDelete = Self(rawValue: "fullDelete")
    package static let reactions = Self(rawValue: "reactions")
    package static let voice = Self(rawValue: "voice")
    package static let files = Self(rawValue: "files")
    package static let calls = Self(rawValue: "calls")
    package static let sessions = Self(rawValue: "sessions")

    package static let knownValues: Set<Self> = [
        .timedMessages, .fullDelete, .reactions, .voice, .files, .calls, .sessions,
    ]
}

/// The type of a chat: a contact, a group, the user's notes, and so on.
package struct ChatType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let direct = Self(rawValue: "direct")
    package static let group = Self(rawValue: "group")
    package static let local = Self(rawValue: "local")
    package static let contactRequest = Self(rawValue: "contactRequest")
    package static let contactConnection = Self(rawValue: "contactConnection")

    package static let knownValues: Set<Self> = [.direct, .group, .local, .contactRequest, .contactConnection]
}

/// The type of a message's content.
package struct MsgContentTag: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let text = Self(rawValue: "text")
    package static let link = Self(rawValue: "link")
    package static let image = Self(rawValue: "image")
    package static let video = Self(rawValue: "video")
    package static let voice = Self(rawValue: "voice")
    package static let file = Self(rawValue: "file")
    package static let report = Self(rawValue: "report")
    package static let chat = Self(rawValue: "chat")

    package static let knownValues: Set<Self> = [.text, .link, .image, .video, .voice, .file, .report, .chat]
}

/// The result of a delivery receipt: whether the message that the recipient got equals the sent message.
package struct MsgReceiptStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let ok = Self(rawValue: "ok")
    package static let badMsgHash = Self(rawValue: "badMsgHash")

    package static let knownValues: Set<Self> = [.ok, .badMsgHash]
}

/// The result of checking the signature of a message: verified, or made with an unknown key.
package struct MsgSigStatus: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let verified = Self(rawValue: "verified")
    package static let signedNoKey = Self(rawValue: "signedNoKey")

    package static let knownValues: Set<Self> = [.verified, .signedNoKey]
}

/// The type of an entry in a queue of a server: a message, or the marker of a full queue.
package struct MsgType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let message = Self(rawValue: "message")
    package static let quota = Self(rawValue: "quota")

    package static let knownValues: Set<Self> = [.message, .quota]
}

/// The reason for a report of a message to the moderators.
package struct ReportReason: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let spam = Self(rawValue: "spam")
    package static let content = Self(rawValue: "content")
    package static let community = Self(rawValue: "community")
    package static let profile = Self(rawValue: "profile")
    package static let other = Self(rawValue: "other")

    package static let knownValues: Set<Self> = [.spam, .content, .community, .profile, .other]
}

/// The kind of a SimpleX link.
package struct SimplexLinkType: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let contact = Self(rawValue: "contact")
    package static let invitation = Self(rawValue: "invitation")
    package static let group = Self(rawValue: "group")
    package static let channel = Self(rawValue: "channel")
    package static let relay = Self(rawValue: "relay")

    package static let knownValues: Set<Self> = [.contact, .invitation, .group, .channel, .relay]
}

/// Whether an item was sent to all of its recipients, or only to some.
package struct SndCIStatusProgress: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let partial = Self(rawValue: "partial")
    package static let complete = Self(rawValue: "complete")

    package static let knownValues: Set<Self> = [.partial, .complete]
}
