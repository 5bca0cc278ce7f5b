import Clocks
import Concurrency
import Files
package import SMP
import SQLCipher
import SimpleXCrypto
import Transport
package import XFTP

/// Files on servers (simplexmq `protocol/xftp.md`). ``AgentEvent/file(_:_:)`` reports progress and results.
extension Agent {
    /// Whether a file with this name is the incomplete part of a received file.
    package static func isPartialFileName(_ name: String) -> Bool {
        name.hasPrefix(".") && name.hasSuffix(ReceivedFile.partialFileSuffix)
            && FileID(text: String(name.dropFirst().dropLast(ReceivedFile.partialFileSuffix.count))) != nil
    }

    /// Returns the servers of a description that do not belong to the user and would learn the IP address of this
    /// machine.
    package func findUnapprovedServers(
        of description: FileDescription,
        for user: AgentUserID
    ) async throws -> [ProtocolServer] {
        let transport = state.withLock { $0.networkSettings.clientConfiguration.transport }
        return try await database.read { db in
            try Self.findUnapprovedServers(of: description, for: user, transport, db)
        }
    }

    private static func findUnapprovedServers(
        of description: FileDescription,
        for user: AgentUserID,
        _ transport: TransportConfiguration,
        _ db: DatabaseConnection
    ) throws -> [ProtocolServer] {
        let addresses = Set(try readFileServers(of: user, db).map(\.server.withoutPassword))
        return description.servers.filter {
            !addresses.contains($0.withoutPassword) && !transport.hidesUserAddress($0.hosts)
        }
    }

    // MARK: Sending

    /// Sends a file. The file must not change until ``FileEvent/sent(sender:recipients:)``, because the agent may read
    /// the file again after a crash.
    ///
    /// - Parameters:
    ///   - id: a new id. For a known id, the function does nothing.
    ///   - name: the name for the recipients; nil for the name of the file.
    ///   - recipients: number of descriptions, each for one recipient.
    @discardableResult
    package func sendFile(
        user: AgentUserID,
        _ file: LocalFile,
        id: FileID = FileID(),
        name: String? = nil,
        recipients: Int
    ) async throws -> FileID {
        let name = name ?? String(file.path.text.split(separator: "/").last ?? "")
        return try await startSending(
            SentFile(
                id: id,
                user: user,
                at: WallClock.seconds(),
                source: .file(file),
                name: name,
                recipients: recipients
            )
        )
    }

    /// Sends the description of a file as a file. The recipients' descriptions of this second file lead to the first
    /// file, and are short enough for a link.
    @discardableResult
    package func sendDescription(
        user: AgentUserID,
        _ description: FileDescription,
        id: FileID = FileID(),
        recipients: Int
    ) async throws -> FileID {
        guard description.party == .recipient, description.redirect == nil else {
            throw AgentError.file(.redirect("not a description of a file"))
        }
        return try await startSending(
            SentFile(
                id: id,
                user: user,
                at: WallClock.seconds(),
                source: .text(Array(description.text.utf8)),
                name: "direct.yaml",
                recipients: recipients,
                redirect: FileDescription.Redirect(size: description.size, digest: description.digest)
            )
        )
    }

    /// Maximal number of recipients of a file.
    static let maxRecipients = 1 << 16

    private func startSending(_ file: SentFile) async throws -> FileID {
        guard (1...Self.maxRecipients).contains(file.recipientCount) else {
            throw AgentError.command(.size, context: "recipients")
        }
        try await database.write { db in
            guard try db.firstRow("SELECT 1 AS known FROM users WHERE user_id = ? AND deleted = 0", file.user) != nil
            else { throw AgentError.noUser }
            try file.insert(db)
        }
        (try? requireOnline())?.files.startSendTask(file.id)
        return file.id
    }

    // MARK: Receiving

    /// Receives a file to its target path. The target file is either complete or missing at any time. An existing file
    /// is replaced.
    ///
    /// - Parameters:
    ///   - target: the target path. If the target has a key and a nonce, the file is encrypted on this machine.
    ///   - approvedRelays: whether servers that do not belong to the user may learn the IP address of this machine.
    /// - Throws: ``AgentFileError/notApproved(_:)``, before anything is downloaded.
    @discardableResult
    package func receiveFile(
        user: AgentUserID,
        _ description: FileDescription,
        into target: LocalFile,
        id: FileID = FileID(),
        approvedRelays: Bool
    ) async throws -> FileID {
        do { try description.validate() } catch { throw AgentError.file(.fileIO(error.description)) }
        guard description.party == .recipient else {
            throw AgentError.command(.prohibited, context: "the file description is for a sender, not for a recipient")
        }
        let file = ReceivedFile(
            id: id,
            user: user,
            at: WallClock.seconds(),
            target: target,
            isApproved: approvedRelays,
            description: description
        )
        let transport = state.withLock { $0.networkSettings.clientConfiguration.transport }
        let isNew = try await database.write { db in
            if !approvedRelays {
                let unapproved = try Self.findUnapprovedServers(of: description, for: user, transport, db)
                guard unapproved.isEmpty else { throw AgentError.file(.notApproved(unapproved.map(\.str))) }
            }
            guard try db.hasRow("SELECT 1 FROM users WHERE user_id = ? AND deleted = 0", user) else {
                throw AgentError.noUser
            }
            try file.insert(db)
            return db.changeCount > 0
        }
        (try? requireOnline())?.files.startReceiveTask(id, of: isNew ? file : nil)
        return id
    }

    // MARK: Cancelling and deleting

    /// Deletes the data about a sent or received file, and ends a running transfer of the file. The agent emits no
    /// further event about the file. Chunks on servers are not deleted, and a received file at its target path is kept.
    package func forgetFile(_ id: FileID) async throws {
        try await endTransfer(id) { db in
            try SentFile.remove(id, db)
            try ReceivedFile.remove(id, db)
        }
    }

    /// Deletes the data about a sent file as ``forgetFile(_:)`` does, with fewer reads of the database.
    package func forgetSentFile(_ id: FileID) async throws {
        try await endTransfer(id, isReceived: false) { db in try SentFile.remove(id, db) }
    }

    /// Ends all transfers of a user, as ``forgetFile(_:)`` does.
    func forgetFiles(of user: AgentUserID) async throws {
        let ids = try await database.read { db in
            try db.query(
                """
                SELECT file_id FROM snd_files WHERE user_id = :user_id
                UNION SELECT file_id FROM rcv_files WHERE user_id = :user_id
                """,
                ["user_id": user]
            )
            .map { FileID(bytes: try $0.blob("file_id")) }
        }
        for id in ids { try await forgetFile(id) }
    }

    /// Ends the sending of a file, and deletes its chunks on servers. The function also deletes the chunks of a
    /// completely sent file, until ``forgetFile(_:)`` is called.
    package func cancelSentFile(_ id: FileID) async throws {
        let now = WallClock.seconds()
        try await endTransfer(id, isReceived: false) { db in
            guard let file = try SentFile.find(id, db) else { return }
            try DeletedChunk.insertChunks(of: file, at: now, db)
            try SentFile.remove(id, db)
        }
        (try? requireOnline())?.files.deletionSignal.wake()
    }

    /// Ends the receiving of a file, and deletes the received part. A complete file at its target path is kept.
    package func cancelReceivedFile(_ id: FileID) async throws {
        try await endTransfer(id) { db in try ReceivedFile.remove(id, db) }
    }

    /// Deletes a sent file on its servers as soon as the servers are reachable.
    package func deleteSentFile(user: AgentUserID, _ description: FileDescription) async throws {
        guard description.party == .sender else {
            throw AgentError.command(.prohibited, context: "description of a recipient")
        }
        let now = WallClock.seconds()
        try await database.write { db in
            for replica in description.chunks.flatMap(\.replicas) {
                try DeletedChunk(
                    user: user,
                    server: replica.server.withoutPassword,
                    replicaID: replica.id,
                    replicaKey: replica.key,
                    at: now
                ).insert(db)
            }
        }
        (try? requireOnline())?.files.deletionSignal.wake()
    }

    /// Whether chunks of sent files still have to be deleted on their servers.
    package var hasChunksToDelete: Bool {
        get async throws { try await database.read { db in try db.hasRow("SELECT 1 FROM deleted_chunks") } }
    }

    /// Ends a transfer, removes its files from the work folder, and then runs `body`, which changes the database. After
    /// a crash between these steps, the next start continues with the transfer.
    /// - Parameter isReceived: whether the file may be a received file, which has a partial file in its target folder.
    private func endTransfer(
        _ id: FileID,
        isReceived: Bool = true,
        _ body: @escaping @Sendable (DatabaseConnection) throws -> Void
    ) async throws {
        await (try? requireOnline())?.files.cancelTransfer(id)
        let target = isReceived ? try await database.read { db in try ReceivedFile.findTargetPath(id, db) } : nil
        try await runBlocking { [paths = configuration.workPaths(of: id), roots = configuration.fileRoots()] in
            for path in paths { DiskFiles.removeFile(path) }
            if let target { ReceivedFile.removePartialFile(of: id, target, in: roots) }
        }
        try await storeWithRetry(body)
    }
}
