import SimpleXCrypto

/// The queue to which a short link leads, and the data of the link.
package struct LinkedQueue: Hashable, Sendable {
    /// The id under which senders send to the queue.
    package var sndID: [UInt8]
    package var data: QueueLinkData
}

/// Short links (from SMP version 15): data that the relay keeps with a queue and cannot read.
///
/// simplexmq `rfcs/2025-03-16-smp-queues.md`. Before version 15 these functions throw `.transport(.version)` and send
/// nothing.
extension SMPClient {
    /// Stores or changes the data of a link (LSET). Only the user data may change. Throws `.smp(.auth)` when other data
    /// have changed, or when the sender has secured the queue.
    package func setLinkData(
        _ queue: RcvQueueCredentials,
        linkID: [UInt8],
        _ data: QueueLinkData,
        patience: Patience = .background
    ) async throws(SMPClientError) {
        try await sendExpectingOK(
            SMPRequest(.lset(linkID: linkID, data), entityID: queue.rcvID, key: queue.key),
            from: .firstWithShortLinks,
            patience: patience
        )
    }

    /// Requests the data of a contact link and the sender id of its queue (LGET).
    package func requestLinkedQueue(
        linkID: [UInt8],
        patience: Patience = .background
    ) async throws(SMPClientError) -> LinkedQueue {
        try LinkedQueue(
            try await sendRequest(SMPRequest(.lget, entityID: linkID), from: .firstWithShortLinks, patience: patience)
        )
    }
}

extension LinkedQueue {
    init(_ message: BrokerMessage) throws(SMPClientError) {
        guard case .lnk(let senderID, let data) = message else { throw .unexpected(message.tag) }
        self.init(sndID: senderID, data: data)
    }
}
