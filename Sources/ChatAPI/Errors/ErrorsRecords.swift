/// The reason why a queue or file was blocked, and the validity of the notice.
public struct BlockingInfo: Codable, Hashable, Sendable {
    public var reason: BlockingReason
    public var notice: ClientNotice?

    public init(reason: BlockingReason, notice: ClientNotice? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

/// The validity of a notice of an operator in seconds; nil for unlimited.
public struct ClientNotice: Codable, Hashable, Sendable {
    public var ttl: Int64?
}

/// A message that was dropped after too many failed attempts.
public struct DroppedMsg: Codable, Hashable, Sendable {
    public var brokerTs: UTCTime
    public var attempts: Int
}
