internal import Agent
internal import ChatAPI
internal import SQLCipher

/// Items that show that messages before a received one are missing, came twice, or are not what the peer says they were.
enum IntegrityItems {
    /// Nothing where nothing is wrong.
    static func tell(
        _ integrity: MessageIntegrity, at brokerTs: Timestamp, in contact: inout ContactRecord, _ user: UserRecord, _ tx: Transaction
    ) throws {
        guard let error = integrity.apiError else { return }
        var new = NewItem(isSent: false, content: .rcvIntegrityError(msgError: error), text: integrity.text, status: .rcvNew)
        new.itemTs = brokerTs
        let item = try ItemWriter.create(new, in: &contact, movesChat: true, tx)
        try tx.emit(.newChatItems(user: user.api, chatItems: [item.api(in: contact.api(user), at: tx.now)]), user: user.userId)
    }

    /// Before receipts.
    static func tell(_ gap: MessageGap, on connection: ConnectionRecord, _ tx: Transaction) throws {
        try ConnectionItems.tell(gap.number, on: connection, tx) { contact, user in
            try tell(gap.integrity, at: Timestamp(seconds: gap.brokerTimestamp), in: &contact, user, tx)
        }
    }
}
