internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Chat items of calls.
extension CallRecord {
    /// Changes the status that the call's item shows. A deleted item stays deleted.
    /// - Parameter read: whether the user has seen the call.
    mutating func showStatus(
        _ status: CICallStatus,
        seconds: Int64 = 0,
        read: Bool = false,
        in contact: ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        self.shownStatus = status
        guard var item = try ItemQueries.findItems([itemId], in: contact, tx.db).first, item.isCall else { return }
        if read, item.status == .rcvNew { try ItemWriter.setStatus(&item, .rcvRead, tx) }
        let duration = Int(clamping: seconds)
        try ItemWriter.replaceContent(
            &item,
            content: isSent
                ? .sndCall(status: status, duration: duration) : .rcvCall(status: status, duration: duration),
            text: Self.itemText(status, seconds: seconds, isSent: isSent),
            edited: false,
            live: nil,
            tx
        )
        // If new messages of the chat disappear after a time, the item of a finished call also disappears after this
        // time.
        if status.isFinal, let ttl = contact.messageLifetimeSeconds(user) {
            item.lifetimeSeconds = ttl
            try tx.db.update("chat_items", set: ["timed_ttl": ttl], where: ["chat_item_id": itemId])
            try TimedItems.scheduleDeletion(&item, at: tx.now.adding(seconds: ttl), tx)
        }
        try tx.emit(
            .chatItemUpdated(user: user.api, chatItem: item.api(in: contact.chatInfo(user), at: tx.now)),
            user: user.userId
        )
    }

    /// Changes the status of the call after the state of its media has changed.
    mutating func showMediaStatus(
        _ media: WebRTCCallStatus,
        in contact: ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        switch (shownStatus, media) {
        case (.progress, .connected), (.ended, _), (.error, _): return
        case (.progress, .disconnected), (.progress, .failed):
            let seconds = connectedAt.map { max(0, tx.now.seconds - $0.seconds) } ?? 0
            try showStatus(.ended, seconds: seconds, in: contact, user, tx)
        case (.pending, .disconnected): try showStatus(.missed, in: contact, user, tx)
        case (_, .connecting): try showStatus(.negotiated, in: contact, user, tx)
        case (_, .connected):
            connectedAt = tx.now
            try showStatus(.progress, in: contact, user, tx)
        case (_, .disconnected): try showStatus(.ended, in: contact, user, tx)
        case (_, .failed): try showStatus(.error, in: contact, user, tx)
        default: return
        }
    }

    /// Returns the text of a call's item, such as `incoming call: ended (00:03)`.
    static func itemText(_ status: CICallStatus, seconds: Int64 = 0, isSent: Bool) -> String {
        let shown =
            switch status {
            case .pending: "calling..."
            case .negotiated: "connecting..."
            case .progress: "in progress (\(formatTime(seconds)))"
            case .ended: "ended (\(formatTime(seconds)))"
            default: status.rawValue
            }
        return "\(isSent ? "outgoing" : "incoming") call: \(shown)"
    }

    /// Formats a time as minutes and seconds, each with at least two digits. The minutes can exceed 59.
    private static func formatTime(_ seconds: Int64) -> String {
        func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(twoDigits(seconds / 60)):\(twoDigits(seconds % 60))"
    }

    /// Makes a new item of a call, in the status `pending`.
    static func makeItem(isSent: Bool) -> NewItem {
        NewItem(
            isSent: isSent,
            content: isSent ? .sndCall(status: .pending, duration: 0) : .rcvCall(status: .pending, duration: 0),
            text: itemText(.pending, isSent: isSent),
            status: isSent ? .sndNew : .rcvNew
        )
    }

    /// Ends the call without a message to the contact, because the contact was deleted or a new call replaces this
    /// call.
    mutating func endWithoutMessage(in contact: ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        try showMediaStatus(.disconnected, in: contact, user, tx)
        try delete(tx)
    }

    /// Ends the current call with a deleted contact, and emits `callEnded`.
    static func endForDeletedContact(_ contact: ContactRecord, _ user: UserRecord, _ tx: Transaction) throws {
        guard var call = try find(with: contact, tx.db) else { return }
        try call.endWithoutMessage(in: contact, user, tx)
        try tx.emit(.callEnded(user: user.api, contact: contact.api(user)), user: user.userId)
    }
}

extension ItemRecord {
    fileprivate var isCall: Bool {
        switch content {
        case .sndCall, .rcvCall: true
        default: false
        }
    }
}
