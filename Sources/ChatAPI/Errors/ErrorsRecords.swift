/// The reason why a queue or file was blocked, and the validity of the notice.
package struct BlockingInfo: Codable, Hashable, Sendable {
    package var reason: BlockingReason
    package var notice: ClientNotice?

    package init(reason: BlockingReason, notice: ClientNotice? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

/// The validity of a notice of an operator in seconds; nil for unlimited.
package struct ClientNotice: Codable, Hashable, Sendable {
    package var ttl: Int64?
}

/// A message that was dropped after too many failed attempts.
package struct DroppedMsg: Codable, Hashable, Sendable {
    package var brokerTs: UTCTime
    package var attempts: Int
}
