/// The reason why the operator of a server has blocked a queue or a file.
package struct BlockingReason: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let spam = Self(rawValue: "spam")
    package static let content = Self(rawValue: "content")

    package static let knownValues: Set<Self> = [.spam, .content]
}

/// The reason why received messages could not be decrypted.
package struct MsgDecryptError: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let ratchetHeader = Self(rawValue: "ratchetHeader")
    package static let tooManySkipped = Self(rawValue: "tooManySkipped")
    package static let ratchetEarlier = Self(rawValue: "ratchetEarlier")
    package static let other = Self(rawValue: "other")
    package static let ratchetSync = Self(rawValue: "ratchetSync")

    package static let knownValues: Set<Self> = [
        .ratchetHeader, .tooManySkipped, .ratchetEarlier, .other, .ratchetSync,
    ]
}

/// Whether a message is received or sent.
package struct MsgDirection: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let rcv = Self(rawValue: "rcv")
    package static let snd = Self(rawValue: "snd")

    package static let knownValues: Set<Self> = [.rcv, .snd]
}
