internal import ChatAPI
internal import SQLCipher

extension RunningCommand {
    /// `/_forward plan`: which items can be forwarded, and what they lack.
    func planForward(_ itemIds: [Int64], from key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        try await store.answer { tx in
            let items = try Self.existing(itemIds, in: key.get(user, tx.db), user, tx)
            let plans = try items.map { try Forwarding($0) }
            let missing = plans.count { $0.lacksFile }
            return .forwardPlan(
                user: user.api, itemsCount: itemIds.count,
                chatItemIds: zip(items, plans).filter { $0.1.isForwardedByPlan }.map(\.0.itemId),
                forwardConfirmation: missing > 0 ? .filesMissing(filesCount: missing) : nil)
        }
    }

    /// `/_forward`: the content of items as new messages that say that they are forwarded, and here, from where.
    func forward(
        _ itemIds: [Int64], from source: ChatKey, to target: ChatKey, ttl: Int64?, asGroup: Bool, user: UserRecord
    ) async throws -> ChatResponse {
        try await store.answer { tx in
            let chat = try source.get(user, tx.db)
            let outgoing = try Self.existing(itemIds, in: chat, user, tx).compactMap { item in
                try Forwarding(item).content.map { content in
                    // The owner's signature holds in the chat for which it was made.
                    let keepsSignature = source == target && item.isSent
                    return OutgoingItem(
                        content: keepsSignature ? content : content.withoutSignature, markup: content.text == item.text ? item.markup : .unread,
                        forwarded: Self.origin(of: item, in: chat))
                }
            }
            guard !outgoing.isEmpty else { return .newChatItems(user: user.api, chatItems: []) }
            return try Self.send(outgoing, in: target.get(user, tx.db), live: false, ttl: ttl, asGroup: asGroup, user, tx)
        }
    }

    /// An item that was forwarded before keeps its first origin, if that is known.
    private static func origin(of item: ItemRecord, in chat: some Conversation) -> CIForwardedFrom? {
        if let forwarded = item.forwarded, forwarded != .unknown { return forwarded }
        return chat.origin(of: item)
    }
}

/// The parts of an item that can be forwarded.
private struct Forwarding {
    /// The content that is sent; nil when nothing of it is left.
    let content: MsgContent?
    let lacksFile: Bool
    let isForwardedByPlan: Bool

    /// - Throws: `invalidForward` for items that no person has written.
    init(_ item: ItemRecord) throws {
        guard !item.isDeleted else {
            (content, lacksFile, isForwardedByPlan) = (nil, false, false)
            return
        }
        guard let original = item.messageContent else { throw ChatFailure(ChatErrorType.invalidForward) }
        guard item.hasFile else {
            (content, lacksFile, isForwardedByPlan) = (original, false, true)
            return
        }
        // Files of contacts are not kept here, so that they are missing.
        lacksFile = true
        switch original {
        case .image, .link: content = original
        default: content = original.text.isEmpty ? nil : .text(text: original.text)
        }
        switch original {
        case .video, .voice, .file: isForwardedByPlan = !original.caption.isEmpty
        default: isForwardedByPlan = true
        }
    }
}

extension MsgContent {
    fileprivate var withoutSignature: MsgContent {
        guard case .chat(let text, let link, _?) = self else { return self }
        return .chat(text: text, chatLink: link, ownerSig: nil)
    }
}
