import SimpleXCrypto

/// Short links (from SMP version 15): data that the relay keeps with a queue and cannot read.
///
/// simplexmq `rfcs/2025-03-16-smp-queues.md`. For a relay before version 15, these functions throw
/// `.transport(.version)` and send nothing.
extension SMPClient {
    /// Stores the data of a link at the relay (LSET). A later call may change only the user data. Throws `.smp(.auth)`
    /// when another part of the data differs from the stored data, or when the sender has secured the queue.
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

    /// Requests the data of a contact link (LGET).
    package func requestLinkData(
        linkID: [UInt8],
        patience: Patience = .background
    ) async throws(SMPClientError) -> QueueLinkData {
        let request = SMPRequest(.lget, entityID: linkID)
        let message = try await sendRequest(request, from: .firstWithShortLinks, patience: patience)
        guard case .lnk(_, let data) = message else { throw .unexpected(message.tag) }
        return data
    }
}
