internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Chat items about post-quantum encryption.
enum PostQuantumItems {
    /// The text of the item about encryption while it is not known whether the encryption is post-quantum.
    static let undeterminedEncryptionText = "This conversation is protected by end-to-end encryption"

    static func encryptionText(_ enabled: Bool) -> String {
        enabled
            ? """
            This conversation is protected by quantum resistant end-to-end encryption. It has perfect forward secrecy, repudiation and \
            quantum resistant break-in recovery.
            """
            : "This conversation is protected by end-to-end encryption with perfect forward secrecy, repudiation and break-in recovery."
    }

    /// Records whether a sent or received message had post-quantum encryption. The chat shows a change only when it
    /// takes effect in both directions.
    static func recordEncryption(
        sent: Bool,
        _ enabled: Bool,
        in contact: inout ContactRecord,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        guard var connection = contact.connection else { return }
        let known = sent ? connection.postQuantumState.protectsSent : connection.postQuantumState.protectsReceived
        guard known != enabled, known != nil || enabled else { return }
        let wasOn = connection.postQuantumState.protectsBoth
        if sent {
            connection.postQuantumState.protectsSent = enabled
        } else {
            connection.postQuantumState.protectsReceived = enabled
        }
        try connection.postQuantumState.store(connection.connectionId, tx.db)
        contact.connection = connection
        guard connection.postQuantumState.protectsBoth != wasOn else { return }
        let event = enabled ? "quantum resistant e2e encryption" : "standard end-to-end encryption"
        let (content, text): (CIContent, String) =
            switch (known, sent) {
            case (nil, true): (.sndDirectE2EEInfo(e2eeInfo: E2EInfo(pqEnabled: enabled)), self.encryptionText(enabled))
            case (nil, false): (.rcvDirectE2EEInfo(e2eeInfo: E2EInfo(pqEnabled: enabled)), self.encryptionText(enabled))
            case (_, true): (.sndConnEvent(sndConnEvent: .pqEnabled(enabled: enabled)), event)
            case (_, false): (.rcvConnEvent(rcvConnEvent: .pqEnabled(enabled: enabled)), event)
            }
        // The user need not notice the first state of the encryption, so the item about this state counts as read. The
        // item about a later change is unread.
        let new = NewItem(
            isSent: sent,
            content: content,
            text: text,
            status: sent ? .sndNew : known == nil ? .rcvRead : .rcvNew
        )
        let item = try ItemWriter.create(new, in: &contact, movesChat: new.isSentOrUnread, tx)
        let api = contact.api(user)
        try tx.emit(.newChatItems(user: user.api, chatItems: [item.api(in: api, at: tx.now)]), user: user.userId)
        try tx.emit(.contactPQEnabled(user: user.api, contact: api, pqEnabled: enabled), user: user.userId)
    }
}
