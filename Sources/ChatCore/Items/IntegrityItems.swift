internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Chat items for errors in the sequence of received messages: missing messages before a received message, repeated
/// messages, and a number or hash that does not continue the previous message.
enum IntegrityItems {
    /// Adds a chat item that reports an integrity error of a received message. Adds nothing for a correct message.
    static func addErrorItem(
        _ integrity: MessageIntegrity,
        at brokerTs: Timestamp,
        by author: MemberRecord? = nil,
        in chat: inout some Conversation,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard let error = integrity.apiError else { return }
        var new = NewItem(
            isSent: false,
            content: .rcvIntegrityError(msgError: error),
            text: integrity.itemText,
            status: .rcvNew
        )
        new.author = author
        new.itemTs = brokerTs
        let item = try ItemWriter.create(new, in: &chat, movesChat: true, tx)
        try tx.emit(
            .newChatItems(user: user.api, chatItems: [item.api(in: chat.chatInfo(user), at: tx.now)]),
            user: user.userId
        )
    }

    /// Adds a chat item that reports missing messages before a received message. The received message itself has no
    /// content for the chat; for example, it is a receipt.
    static func addGapItem(_ gap: MessageGap, on peer: ConnectionPeer, _ tx: Transaction) throws {
        try ConnectionItems.showChangeOnce(gap.changeNumber, on: peer, tx) { chat, user in
            let time = Timestamp(seconds: gap.brokerTimestampSeconds)
            switch chat {
            case .contact(var contact): try addErrorItem(gap.integrity, at: time, in: &contact, user, tx)
            case .member(var membership):
                try addErrorItem(gap.integrity, at: time, by: membership.member, in: &membership.group, user, tx)
            }
        }
    }
}
