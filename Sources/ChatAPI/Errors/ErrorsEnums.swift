/// The reason why the operator of a server blocked a queue or a file.
public struct BlockingReason: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let spam = Self(rawValue: "spam")
    public static let content = Self(rawValue: "content")

    public static let known: Set<Self> = [.spam, .content]
}

/// The reason why messages could not be decrypted.
public struct MsgDecryptError: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let ratchetHeader = Self(rawValue: "ratchetHeader")
    public static let tooManySkipped = Self(rawValue: "tooManySkipped")
    public static let ratchetEarlier = Self(rawValue: "ratchetEarlier")
    public static let other = Self(rawValue: "other")
    public static let ratchetSync = Self(rawValue: "ratchetSync")

    public static let known: Set<Self> = [.ratchetHeader, .tooManySkipped, .ratchetEarlier, .other, .ratchetSync]
}
