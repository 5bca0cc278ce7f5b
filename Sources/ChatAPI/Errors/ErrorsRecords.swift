/// Why a queue or file was blocked, and how long the notice is valid.
public struct BlockingInfo: Codable, Hashable, Sendable {
    public var reason: BlockingReason
    public var notice: ClientNotice?

    public init(reason: BlockingReason, notice: ClientNotice? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

/// How long an operator's notice is valid, in seconds; unlimited if that is missing.
public struct ClientNotice: Codable, Hashable, Sendable {
    public var ttl: Int64?

    public init(ttl: Int64? = nil) {
        self.ttl = ttl
    }
}

/// A message that was given up after it had failed too often.
public struct DroppedMsg: Codable, Hashable, Sendable {
    public var brokerTs: UTCTime
    public var attempts: Int

    public init(brokerTs: UTCTime, attempts: Int) {
        self.brokerTs = brokerTs
        self.attempts = attempts
    }
}
