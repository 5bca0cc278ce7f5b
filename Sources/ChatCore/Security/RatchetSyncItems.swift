internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Chat items for messages that cannot be decrypted, and for the negotiation of a new ratchet.
enum RatchetSyncItems {
    static func addChangeItem(
        _ change: RatchetSyncChange,
        _ stats: ConnectionStats,
        on peer: ConnectionPeer,
        _ tx: Transaction
    ) throws {
        try ConnectionItems.showChangeOnce(change.changeNumber, on: peer, tx) { chat, user in
            let state = RatchetSyncState(rawValue: change.state.rawValue)
            let progress = RatchetSyncProgress(ratchetSyncStatus: state, connectionStats: stats)
            if let failure = change.failure, change.state == .required || change.state == .allowed {
                return try addDecryptionError(failure, progress, &chat, user, tx)
            }
            var isReset = false
            if change.state == .agreed, peer.connection.securityCode != nil {
                try peer.connection.setSecurityCode(nil, tx)
                chat.setSecurityCode(nil)
                isReset = true
            }
            try tx.emit(chat.makeRatchetSyncEvent(progress, user), user: user.userId)
            try chat.addItem(
                .rcvConnEvent(rcvConnEvent: .ratchetSync(syncStatus: state)),
                state.itemText,
                sent: false,
                user,
                tx
            )
            guard isReset else { return }
            try tx.emit(chat.makeVerificationResetEvent(user), user: user.userId)
            try chat.addItem(
                .rcvConnEvent(rcvConnEvent: .verificationCodeReset),
                "security code changed",
                sent: false,
                user,
                tx
            )
        }
    }

    /// Adds an item for a message that cannot be decrypted. Consecutive failures are counted in one item.
    private static func addDecryptionError(
        _ failure: AgentCryptoFailure,
        _ progress: RatchetSyncProgress,
        _ chat: inout ConnectedChat,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        let (error, count) = failure.decryptError
        if case (var last, let info)? = try chat.findLastItem(tx),
            case .rcvDecryptionError(error, let before) = last.content
        {
            let total = error == .tooManySkipped ? count : error == .ratchetSync ? 0 : before &+ count
            try ItemWriter.replaceContent(
                &last,
                content: .rcvDecryptionError(msgDecryptError: error, msgCount: total),
                text: error.itemText(total),
                edited: false,
                live: nil,
                tx
            )
            return try tx.emit(
                .chatItemUpdated(user: user.api, chatItem: last.api(in: info(user), at: tx.now)),
                user: user.userId
            )
        }
        try tx.emit(chat.makeRatchetSyncEvent(progress, user), user: user.userId)
        try chat.addItem(
            .rcvDecryptionError(msgDecryptError: error, msgCount: count),
            error.itemText(count),
            sent: false,
            user,
            tx
        )
    }
}

extension AgentCryptoFailure {
    /// The value of the API for this failure, and the number of messages that could not be decrypted.
    fileprivate var decryptError: (MsgDecryptError, UInt32) {
        switch self {
        case .decryptAES, .decryptCB: (.other, 1)
        case .ratchetHeader: (.ratchetHeader, 1)
        case .ratchetEarlier: (.ratchetEarlier, 1)
        case .ratchetSkipped(let count): (.tooManySkipped, UInt32(clamping: count))
        case .ratchetSync: (.ratchetSync, 0)
        }
    }
}

extension MsgDecryptError {
    fileprivate func itemText(_ count: UInt32) -> String {
        let messages = count == 1 ? nil : "\(count) messages"
        let counter = messages.map { ", \($0)" } ?? ""
        let detail: String? =
            switch self {
            case .ratchetHeader: "header\(counter)"
            case .tooManySkipped: "too many skipped messages\(counter)"
            case .ratchetEarlier: "earlier message\(counter)"
            case .ratchetSync: "synchronization error"
            default: messages
            }
        return "decryption error, possibly due to the device change" + (detail.map { " (\($0))" } ?? "")
    }
}

extension RatchetSyncState {
    var itemText: String {
        switch self {
        case .ok: "connection synchronized"
        case .allowed: "decryption error (connection may be out of sync), synchronization allowed"
        case .required: "decryption error (connection out of sync), synchronization required"
        case .started: "connection synchronization started"
        default: "connection synchronization agreed"
        }
    }
}
