internal import ChatAPI
internal import ChatStore
internal import Concurrency
internal import Files
internal import SQLCipher

extension RunningCommand {
    /// `/_forward plan`: returns which items can be forwarded, and which files are missing.
    func planForward(_ itemIds: [Int64], from key: ChatKey, user: UserRecord) async throws -> ChatResponse {
        let paths = services.folders.paths
        return try await store.writeAndAnswer { tx in
            let items = try Self.findExistingItems(itemIds, in: key.getConversation(user, tx.db), user, tx)
            let plans = try items.map { try ForwardableParts($0, paths, tx.db) }
            return .forwardPlan(
                user: user.api,
                itemsCount: itemIds.count,
                chatItemIds: zip(items, plans).filter { $0.1.isListedInPlan }.map(\.0.itemId),
                forwardConfirmation: UnavailableFile.makeConfirmation(plans.compactMap(\.unavailableFile))
            )
        }
    }

    /// `/_forward`: sends the content of items in new messages that are marked as forwarded. In the user's store, the
    /// new items also record the origin. Files are copied, so that each message has its own file.
    func forwardItems(
        _ itemIds: [Int64],
        from source: ChatKey,
        to target: ChatKey,
        ttl: Int64?,
        asGroup: Bool,
        user: UserRecord
    ) async throws -> ChatResponse {
        let paths = services.folders.paths
        let (outgoing, copies) = try await store.write { tx in
            let chat = try source.getConversation(user, tx.db)
            var copies: [FileCopy] = []
            let outgoing = try Self.findExistingItems(itemIds, in: chat, user, tx).compactMap { item -> OutgoingItem? in
                let forwarding = try ForwardableParts(item, paths, tx.db)
                guard let content = forwarding.content else { return nil }
                // The signature of an owner is valid only in the chat for which it was made. So it is kept only if the
                // item stays in that chat.
                let keepsSignature = source == target && item.isSent
                var outgoing = OutgoingItem(
                    content: keepsSignature ? content : content.contentWithoutSignature,
                    markup: content.text == item.text ? item.markup : .unparsed,
                    forwarded: Self.resolveOrigin(of: item, in: chat)
                )
                if let file = forwarding.file {
                    let copy = try FileCopy(of: file, as: content, paths, user, tx)
                    copies.append(copy)
                    outgoing.file = copy.outgoingFile
                }
                return outgoing
            }
            return (outgoing, copies)
        }
        guard !outgoing.isEmpty else { return .newChatItems(user: user.api, chatItems: []) }
        if !copies.isEmpty {
            let uses = try await services.fileObjects.fetchAndHold(copies.map(\.sourcePath))
            defer { withExtendedLifetime(uses) {} }
            try await runBlocking { for copy in copies { try copy.writeCopy() } }
        }
        return try await store.writeAndAnswer { tx in
            try Self.sendItems(
                outgoing,
                in: target.getConversation(user, tx.db),
                live: false,
                ttl: ttl,
                asGroup: asGroup,
                user,
                tx
            )
        }
    }

    /// Returns the origin to record in a forwarded copy of an item. For an item that was itself forwarded from a known
    /// origin, this is the first origin.
    private static func resolveOrigin(of item: ItemRecord, in chat: some Conversation) -> CIForwardedFrom? {
        if let forwarded = item.forwardOrigin, forwarded != .unknown { return forwarded }
        return chat.forwardedOrigin(of: item)
    }
}

/// The reason why the file of a message cannot be forwarded. If the files of several messages have different reasons,
/// the first reason in the order of these cases is reported.
private enum UnavailableFile: Hashable {
    case notAccepted(Int64), inProgress, failed, missing

    init?(_ file: FileRecord) {
        switch file.status {
        case .rcvInvitation, .rcvAborted: self = .notAccepted(file.fileId)
        case .rcvAccepted, .rcvTransfer: self = .inProgress
        case let status where status.hasLocalContents: return nil
        default: self = .failed
        }
    }

    static func makeConfirmation(_ reasons: [UnavailableFile]) -> ForwardConfirmation? {
        let notAccepted = reasons.compactMap { if case .notAccepted(let id) = $0 { id } else { nil } }
        if !notAccepted.isEmpty { return .filesNotAccepted(fileIds: notAccepted) }
        func count(_ reason: UnavailableFile) -> Int { reasons.count { $0 == reason } }
        if reasons.contains(.inProgress) { return .filesInProgress(filesCount: count(.inProgress)) }
        if reasons.contains(.failed) { return .filesFailed(filesCount: count(.failed)) }
        return reasons.isEmpty ? nil : .filesMissing(filesCount: reasons.count)
    }
}

/// The parts of an item that can be forwarded.
private struct ForwardableParts {
    /// The content to send; nil if nothing can be sent.
    let content: MsgContent?
    /// The file to send with the content.
    let file: FileRecord?
    let unavailableFile: UnavailableFile?
    let isListedInPlan: Bool

    /// Finds the parts of an item that can be forwarded.
    /// - Throws: `invalidForward` for an item that is not a message, for example a call.
    init(_ item: ItemRecord, _ folders: LocalFolders.Paths, _ db: StoreConnection) throws {
        guard !item.isHidden else {
            (content, file, unavailableFile, isListedInPlan) = (nil, nil, nil, false)
            return
        }
        guard let original = item.messageContent else { throw ChatFailure(ChatErrorType.invalidForward) }
        guard let file = item.file else {
            (content, self.file, unavailableFile, isListedInPlan) = (original, nil, nil, true)
            return
        }
        let isHere =
            try file.path.map { path in try folders.makeStoreFile(path).isFile || StoredObject.exists(path.text, in: db)
            }
            ?? false
        unavailableFile = UnavailableFile(file) ?? (isHere ? nil : .missing)
        if unavailableFile == nil {
            (content, self.file, isListedInPlan) = (original, file, true)
            return
        }
        self.file = nil
        switch original {
        case .image, .link: content = original
        default: content = original.text.isEmpty ? nil : .text(text: original.text)
        }
        switch original {
        case .video, .voice, .file: isListedInPlan = !original.caption.isEmpty
        default: isListedInPlan = true
        }
    }
}

extension MsgContent {
    fileprivate var contentWithoutSignature: MsgContent {
        guard case .chat(let text, let link, _?) = self else { return self }
        return .chat(text: text, chatLink: link, ownerSig: nil)
    }
}
