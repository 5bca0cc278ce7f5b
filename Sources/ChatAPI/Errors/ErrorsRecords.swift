/// The reason why a queue or file is blocked, and the notice of the operator.
package struct BlockingInfo: Codable, Hashable, Sendable {
    package var reason: BlockingReason
    package var notice: ClientNotice?

    package init(reason: BlockingReason, notice: ClientNotice? = nil) {
        self.reason = reason
        self.notice = notice
    }
}

/// A notice of an operator, with its validity in seconds; nil for unlimited.
package struct ClientNotice: Codable, Hashable, Sendable {
    package var ttl: Int64?
}

/// A message that was dropped after too many failed attempts to process it.
package struct DroppedMsg: Codable, Hashable, Sendable {
    package var brokerTs: UTCTime
    package var attempts: Int
}
