internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import Files
internal import JSON
internal import SQLCipher

extension FileRecord {
    private var chunkCount: Int64 { (size - 1) / max(1, chunkSize) + 1 }

    /// Whether the sender sends the chunks in messages after the user has accepted the file.
    /// - Parameter requested: the value of `inline` in the command; nil if the command does not set `inline`.
    func isReceivedInline(requested: Bool? = nil) -> Bool {
        inlineMode == .offer && requested != false
            && chunkCount <= (requested == true ? InlineFiles.maxRequestedChunks : InlineFiles.maxUnrequestedChunks)
    }

    /// Whether this program accepts chunks that the sender sends directly after the message, without a request. Only
    /// small voice messages are accepted in this way.
    func isSentInline(with content: MsgContent) -> Bool {
        inlineMode == .sent && content.isVoice && chunkCount <= InlineFiles.maxUnrequestedChunks
    }

    /// Continues to receive an accepted file. Requests the chunks from the sender, or completes the file if all chunks
    /// have arrived.
    mutating func continueInlineTransfer(_ user: UserRecord, _ tx: Transaction) throws {
        if try InlineFiles.countChunks(of: self, tx.db) == chunkCount {
            task = .assemble
        } else if inlineMode == .offer, let (item, chat) = try findItem(user, tx.db), let id = item.sharedID {
            let params: JSONObject = ["msgId": .string(id.text), "fileName": .string(name)]
            try tx.enqueue(.other(tag: "x.file.acpt.inv", params: params), to: findSender(in: chat, user, tx.db))
        }
        try store(tx)
    }

    private func findSender(in chat: any Conversation, _ user: UserRecord, _ db: StoreConnection) throws -> Recipients {
        guard let memberId, let group = chat.group else { return try chat.findRecipients(user, in: db) }
        return try Recipients(members: [MemberRecord.get(memberId, in: group, db)], db)
    }

    /// Stores the next chunk of the file. A repeated chunk is ignored.
    /// - Parameter content: the content of the message that has offered the file.
    /// - Throws: `inlineFileProhibited` for a file that was not accepted; `fileRcvChunk` for a chunk with a wrong
    ///   number or size. After `fileRcvChunk` the file is cancelled.
    fileprivate mutating func storeChunk(
        _ chunk: InlineFileChunk,
        _ number: Int64,
        with content: MsgContent?,
        _ user: UserRecord,
        _ tx: Transaction
    ) throws {
        // Unrequested chunks are sent only once, so they are stored even if the file exceeds the limit of the store.
        guard receivingStatus != .new || task == .accept || content.map({ isSentInline(with: $0) }) == true else {
            if number == 1 { throw ChatFailure(ChatErrorType.inlineFileProhibited(fileId: fileId)) }
            return
        }
        let next = try InlineFiles.countChunks(of: self, tx.db) + 1
        if number < next { return }
        let expected = min(chunkSize, size - (number - 1) * chunkSize)
        guard number == next, number <= chunkCount, chunk.bytes.count == expected else {
            try endTransfer(tx)
            (isCancelled, status, receivingStatus) = (true, .rcvCancelled, .cancelled)
            try store(tx)
            throw ChatFailure(
                ChatErrorType.fileRcvChunk(
                    message: number == next ? "the chunk has another size" : "the chunk is not the next one"
                )
            )
        }
        try tx.db.execute(
            "INSERT INTO inline_chunks (file_id, chunk_no, bytes) VALUES (:file_id, :chunk_no, :bytes)",
            ["file_id": fileId, "chunk_no": number, "bytes": chunk.bytes]
        )
        guard receivingStatus != .new else { return }
        if number == chunkCount { task = .assemble }
        guard number == 1 else { return try store(tx) }
        receivingStatus = .connected
        status = .rcvTransfer(rcvProgress: 0, rcvTotal: 1)
        try store(tx)
        if let item = try apiItem(user, tx) {
            try tx.emit(.rcvFileStart(user: user.api, chatItem: item), user: user.userId)
        }
    }
}

extension MessageReceiver {
    /// Handles a chunk of a file that the sender has offered in the chat.
    /// - Returns: false if the sender has offered no such file.
    func receiveInlineChunk(_ chunk: InlineFileChunk, _ chat: some Conversation) throws -> Bool {
        guard let item = try ItemQueries.find(shared: chunk.messageID, by: author, in: chat, tx.db), !item.isSent,
            var file = item.file,
            file.inlineMode != nil
        else { return false }
        if file.isReceivedOrCancelled || file.task == .assemble { return true }
        guard let number = chunk.chunkNumber else {
            try cancelFile(file)
            return true
        }
        do { try file.storeChunk(chunk, Int64(number), with: item.messageContent, user, tx) } catch let error
            as ChatFailure
        {
            try tx.emit(.chatError(chatError: error.error), user: user.userId)
        }
        return true
    }
}
