import Clocks
import Concurrency
import Files
import SMP
import SQLCipher
import SimpleXCrypto
import XFTP

extension FileTransfers {
    /// A chunk whose encrypted bytes are complete in the work folder.
    private struct PreparedChunk: Sendable {
        var number: Int
        var size: Int
        /// Position in the work file, in bytes.
        var offset: Int64
        var digest: [UInt8]
        /// The last replica that an earlier run has created on a server; nil for a chunk that never had a replica.
        var storedReplica: SentChunk?
        /// The record of the file, if the file has only this chunk; otherwise nil.
        var fileWithOneChunk: SentFile?
    }

    func runSending(_ id: FileID) async {
        do {
            try await runWithDiskSpace(of: id) {
                // A repeated call with a known id has nothing to do if the transfer of the file has ended.
                let found = try await database.read { db in
                    try SentFile.find(id, db).map { (file: $0, chunks: try SentChunk.readAll(of: id, db)) }
                }
                guard let (file, chunks) = found, file.status == .new || file.status == .encrypted else { return nil }
                do { try await encryptAndUpload(file, chunks) } catch {
                    if isCausedByEndOfTransfer(error) { throw error }
                    let deadline = file.createdAtSeconds + configuration.sentFileTimeoutSeconds
                    guard isDiskFull(error), WallClock.seconds() < deadline else {
                        try await giveUpSending(file, AgentError(ofFile: error))
                        return nil
                    }
                    // The disk is full, so the incomplete encrypted file is removed. The next attempt writes it again.
                    if file.status == .new { await removeFiles([sentPath(id)]) }
                    emitFileEvent(id, .sendWarning(AgentError(ofFile: error)))
                    let layout = try await database.read { db in try SentFile.find(id, db)?.layout }
                    return DiskShortage(
                        neededBytes: file.status == .new ? layout?.size ?? 0 : 0,
                        deadlineSeconds: deadline
                    )
                }
                return nil
            }
        } catch {
            if !isCausedByEndOfTransfer(error) {
                logger.error(
                    "file transfer stopped until the next start",
                    metadata: ["error": "\(error.descriptionWithoutPath)"]
                )
            }
        }
    }

    /// Encrypts the file if it is not encrypted yet, and uploads each chunk as soon as it is encrypted.
    ///
    /// The progress of a file with one chunk is stored only when the replica of the chunk changes, and when the upload
    /// is complete. The encrypted bytes are not synced: after a crash the file is encrypted again, to the same bytes.
    /// - Parameter chunks: the chunks with replicas from earlier attempts.
    private func encryptAndUpload(_ file: SentFile, _ chunks: [SentChunk]) async throws {
        var file = file
        let path = sentPath(file.id)
        let isNew = file.status == .new
        let (reader, work) = try await runBlocking {
            [file, folder = configuration.filesFolder, roots = configuration.fileRoots()] in
            try DiskFiles.makeFolder(folder)
            let reader = isNew ? UncheckedSendable(try SourceReader(file.source, in: roots)) : nil
            return (reader, try WorkFile(path, empty: isNew))
        }
        if let size = reader?.value.size {
            guard file.contentsSize ?? size == size else { throw AgentError.file(.fileIO("file was changed")) }
            file.contentsSize = size
        }
        guard let layout = file.layout else { throw AgentError.file(.size) }
        let hasOneChunk = layout.chunkSizes.count == 1
        if !hasOneChunk { try await storeWithRetry { [file] db in try file.updateRecord(db) } }
        let stored = Dictionary(chunks.map { ($0.chunkNumber, $0) }) { first, _ in first }
        let progress = TransferProgress(
            done: stored.values.reduce(0) { $0 + Int64($1.isUploaded ? $1.size : 0) },
            total: layout.size
        )
        let (prepared, queue) = AsyncThrowingStream.makeStream(of: PreparedChunk.self)
        file = try await withThrowingTaskGroup(of: SentFile?.self) { [file] group in
            group.addTask { try await self.encryptChunks(file, layout, stored, reader, work, queue) }
            group.addTask {
                try await self.uploadChunks(prepared, file, work, progress)
                return nil
            }
            var result = file
            while let prepared = try await group.next() { result = prepared ?? result }
            return result
        }
        file.status = .complete
        let event = try await storeWithRetry { [file] db in
            if hasOneChunk { try SentChunk.storeUploadedMark(1, of: file.id, db) }
            try file.updateRecord(db)
            return try file.makeSentEvent(db)
        }
        emitFileEvent(file.id, event)
        await removeFiles([path])
    }

    /// Encrypts all chunks in order, and adds each chunk that is not uploaded yet to the upload queue.
    /// - Returns: the file, with its digest.
    private func encryptChunks(
        _ file: SentFile,
        _ layout: FileLayout,
        _ stored: [Int: SentChunk],
        _ reader: UncheckedSendable<SourceReader>?,
        _ work: WorkFile,
        _ queue: AsyncThrowingStream<PreparedChunk, any Error>.Continuation
    ) async throws -> SentFile {
        defer { queue.finish() }
        let encryptor = try reader.map {
            try FileEncryptor($0.value, layout, key: file.key, nonce: file.nonce, into: work)
        }
        if let encryptor, layout.chunkSizes.count == 1 {
            return try await encryptSingleChunk(of: file, stored[1], encryptor, size: layout.chunkSizes[0], queue)
        }
        var offset: Int64 = 0
        for (index, size) in layout.chunkSizes.enumerated() {
            try Task.checkCancellation()
            let known = stored[index + 1]
            let digest: [UInt8]?
            if let encryptor {
                digest = try await runBlocking { try encryptor.encryptNextChunk(size: size) }
            } else if let known {
                digest = known.digest
            } else {
                digest = try await runBlocking { [offset] in try work.computeDigest(at: offset, size: size) }
            }
            guard let digest else { throw AgentError.file(.noFile) }
            // The encrypted chunk must be the same as in earlier attempts, because two different contents under one key
            // would reveal both contents. So a changed file is refused.
            guard known?.digest ?? digest == digest else { throw AgentError.file(.fileIO("file was changed")) }
            if known?.isUploaded != true {
                queue.yield(
                    PreparedChunk(number: index + 1, size: size, offset: offset, digest: digest, storedReplica: known)
                )
            }
            offset += Int64(size)
        }
        guard let encryptor else { return file }
        var file = file
        file.digest = try await runBlocking { try encryptor.finishEncryption(syncs: true) }
        file.status = .encrypted
        try await storeWithRetry { [file] db in try file.updateRecord(db) }
        return file
    }

    /// Encrypts a file with one chunk, and adds the chunk to the upload queue.
    /// - Parameter known: the last replica of the chunk from an earlier attempt.
    /// - Returns: the file, with its digest.
    private func encryptSingleChunk(
        of file: SentFile,
        _ known: SentChunk?,
        _ encryptor: FileEncryptor,
        size: Int,
        _ queue: AsyncThrowingStream<PreparedChunk, any Error>.Continuation
    ) async throws -> SentFile {
        let (chunkDigest, digest) = try await runBlocking {
            let chunkDigest = try encryptor.encryptNextChunk(size: size)
            return (chunkDigest, try encryptor.finishEncryption(syncs: false))
        }
        // A changed file is refused also if it has one chunk, because two different contents under one key would reveal
        // both contents.
        guard known?.digest ?? chunkDigest == chunkDigest, file.digest ?? digest == digest else {
            throw AgentError.file(.fileIO("file was changed"))
        }
        var file = file
        file.digest = digest
        if known?.isUploaded != true {
            queue.yield(
                PreparedChunk(
                    number: 1,
                    size: size,
                    offset: 0,
                    digest: chunkDigest,
                    storedReplica: known,
                    fileWithOneChunk: file
                )
            )
        }
        return file
    }

    private func uploadChunks(
        _ chunks: AsyncThrowingStream<PreparedChunk, any Error>,
        _ file: SentFile,
        _ work: WorkFile,
        _ progress: TransferProgress
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            for try await chunk in chunks {
                if running == Self.maxChunksPerFile {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask {
                    try await self.uploadChunk(chunk, of: file, work)
                    if let sent = progress.addBytes(chunk.size) {
                        self.emitFileEvent(file.id, .sendProgress(sent: sent, total: progress.totalBytes))
                    }
                }
            }
            try await group.waitForAll()
        }
        // A cancellation ends the loop above without an error, so this line throws the error of the cancellation.
        try Task.checkCancellation()
    }

    /// Uploads a chunk to one of the user's servers. If this server refuses the chunk, another server is tried.
    private func uploadChunk(_ chunk: PreparedChunk, of file: SentFile, _ work: WorkFile) async throws {
        let attempt = ChunkPlacement(chunk.storedReplica)
        try await retryUntilDeadline(
            file.id,
            until: file.createdAtSeconds + configuration.sentFileTimeoutSeconds,
            warning: FileEvent.sendWarning
        ) {
            while true {
                try Task.checkCancellation()
                do { return try await self.uploadChunkToServer(chunk, attempt, of: file, work) } catch let error
                    as AgentError
                {
                    if !error.isTemporaryForFiles, let server = attempt.server {
                        self.countFileOperations(file.user, server) { $0.uploadErrs += 1 }
                    }
                    guard attempt.prepareImmediateRetry(after: error) else { throw error }
                    if let replica = attempt.takeAbandonedReplica() { try await self.abandonReplica(replica, of: file) }
                }
            }
        }
    }

    private func uploadChunkToServer(
        _ chunk: PreparedChunk,
        _ attempt: ChunkPlacement,
        of file: SentFile,
        _ work: WorkFile
    ) async throws {
        if attempt.replica == nil {
            let servers = try await database.read { db in try readFileServers(of: file.user, db) }.filter(
                \.hasStorageRole
            )
            guard let server = attempt.chooseServer(among: servers) else {
                throw attempt.takeServerFullError() ?? attempt.lastError ?? AgentError.noUser
            }
            attempt.replica = try await createReplica(chunk, at: server, for: file)
        }
        while var replica = attempt.replica, replica.recipients.count < file.recipientCount {
            let more = try await addRecipients(
                to: replica,
                min(file.recipientCount - replica.recipients.count, Self.maxRecipientsPerCommand),
                of: file
            )
            replica.recipients += more
            try await storeWithRetry { [replica] db in try replica.updateRecipients(file.id, db) }
            attempt.replica = replica
        }
        guard let replica = attempt.replica else { return }
        countFileOperations(file.user, replica.server) { $0.uploadAttempts += 1 }
        do {
            try await sessions.withSession(replica.server, of: file.user, for: file.id, .sending) { session in
                try await session.uploadChunk(size: chunk.size, to: replica.replicaID, key: replica.replicaKey) {
                    [offset = chunk.offset] part, buffer in
                    try work.read(into: buffer, at: offset + Int64(part))
                }
            }
        } catch AgentError.xftp(_, .hasFile) {
            // An earlier upload has succeeded, and only its answer was lost. So the chunk counts as uploaded.
        }
        countFileOperations(file.user, replica.server) { $0.countUpload(of: chunk.size) }
        // If the file has only this chunk, the file is complete now. Then the mark of the upload is stored together
        // with the completion of the file.
        if chunk.fileWithOneChunk == nil {
            try await storeWithRetry { db in try SentChunk.storeUploadedMark(chunk.number, of: file.id, db) }
        }
    }

    /// Creates the chunk on a server, with its first recipients.
    private func createReplica(
        _ chunk: PreparedChunk,
        at server: ProtocolServer,
        for file: SentFile
    ) async throws -> SentChunk {
        let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
        let keys = try Self.makeRecipientKeys(min(file.recipientCount, Self.maxRecipientsPerCommand))
        let info = ChunkInfo(senderKey: key.publicKey, size: UInt32(chunk.size), digest: chunk.digest)
        let ids = try await sessions.withSession(server, of: file.user, for: file.id, .sending) { session in
            try await session.createChunk(info, recipients: keys.map(\.publicKey), password: server.password, key: key)
        }
        let replica = SentChunk(
            chunkNumber: chunk.number,
            size: chunk.size,
            digest: chunk.digest,
            server: server.withoutPassword,
            replicaID: ids.senderID,
            replicaKey: key,
            recipients: zip(ids.recipientIDs, keys).map { SentChunk.Recipient(id: $0, key: $1) }
        )
        try await storeWithRetry { db in
            try replica.storeRecord(file.id, db)
            try chunk.fileWithOneChunk?.updateRecord(db)
        }
        return replica
    }

    private func addRecipients(
        to replica: SentChunk,
        _ count: Int,
        of file: SentFile
    ) async throws -> [SentChunk.Recipient] {
        let keys = try Self.makeRecipientKeys(count)
        let ids = try await sessions.withSession(replica.server, of: file.user, for: file.id, .sending) { session in
            try await session.addRecipients(keys.map(\.publicKey), to: replica.replicaID, key: replica.replicaKey)
        }
        return zip(ids, keys).map { SentChunk.Recipient(id: $0, key: $1) }
    }

    private static func makeRecipientKeys(_ count: Int) throws -> [AuthorizationPrivateKey] {
        try (0..<count).map { _ in .ed25519(try Ed25519.PrivateKey()) }
    }

    /// Gives up a replica that its server refuses. The agent deletes the replica on that server later. The caller
    /// creates the chunk on another server, or again on this server if it may have lost the replica. The record of the
    /// refused replica stays until the new replica is created. After a crash, the digest in this record shows whether
    /// the file was changed.
    private func abandonReplica(_ replica: SentChunk, of file: SentFile) async throws {
        let now = WallClock.seconds()
        try await storeWithRetry { db in
            try replica.storeAsAbandoned(file.id, db)
            try DeletedChunk(
                user: file.user,
                server: replica.server,
                replicaID: replica.replicaID,
                replicaKey: replica.replicaKey,
                at: now
            ).insert(db)
        }
        deletionSignal.wake()
    }

    /// Gives up a file, and deletes its chunks on servers.
    private func giveUpSending(_ file: SentFile, _ error: AgentError) async throws {
        var file = file
        file.status = .error
        file.error = error
        let now = WallClock.seconds()
        try await storeWithRetry { [file] db in
            try DeletedChunk.insertChunks(of: file, at: now, db)
            try file.updateRecord(db)
        }
        deletionSignal.wake()
        await removeFiles([sentPath(file.id)])
        emitFileEvent(file.id, .sendError(error))
    }
}

/// A wrapper that makes a value sendable. Only one task may use the value at a time.
struct UncheckedSendable<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}

/// Progress of the upload of one chunk: its replica on a server, and the servers that refuse the chunk. Only one task
/// uses the object.
private final class ChunkPlacement: @unchecked Sendable {
    var replica: SentChunk?
    private(set) var lastError: AgentError?
    /// Servers that refuse the chunk.
    private var refusingServers: [ProtocolServer] = []
    /// Servers that could not be reached in this attempt.
    private var unreachableServers: [ProtocolServer] = []
    private var chosenServer: ProtocolServer?
    /// The server of the present attempt.
    var server: ProtocolServer? { replica?.server ?? chosenServer }
    private var remainingServerCount = 0
    /// Whether an earlier run of the program has made the replica. Since then, the server may have deleted the replica.
    private var isReplicaFromEarlierRun: Bool
    private var abandonedReplica: SentChunk?
    /// The error of a server that has no space for the chunk at present.
    private var serverFullError: AgentError?

    init(_ stored: SentChunk?) {
        replica = stored?.isAbandoned == true ? nil : stored
        isReplicaFromEarlierRun = replica != nil
    }

    func chooseServer(among servers: [AgentServer]) -> ProtocolServer? {
        let taking = servers.filter { server in
            !refusingServers.contains { $0.withoutPassword == server.server.withoutPassword }
        }
        let untried = taking.filter { server in
            !unreachableServers.contains { $0.withoutPassword == server.server.withoutPassword }
        }
        // If all servers were tried, the next attempt begins again with all of them, including full servers.
        if untried.isEmpty { unreachableServers = [] }
        if taking.isEmpty, serverFullError != nil { refusingServers = [] }
        chosenServer = (untried.isEmpty ? taking : untried).randomElement()?.server
        remainingServerCount = (untried.isEmpty ? taking : untried).count - 1
        return chosenServer
    }

    /// Records the error of an attempt. Returns whether the upload is tried again immediately: on another server, or as
    /// a new chunk on the same server.
    func prepareImmediateRetry(after error: AgentError) -> Bool {
        lastError = error
        if error.isTemporaryForFiles {
            guard replica == nil, let chosenServer else { return false }
            unreachableServers.append(chosenServer)
            return remainingServerCount > 0
        }
        switch error {
        // Without a chosen server, `error` belongs to the previous server. This error was handled already, and is no
        // reason for another attempt.
        case .xftp, .broker: guard server != nil else { return false }
        default: return false
        }
        if error.isServerFull { serverFullError = error }
        if isReplicaFromEarlierRun, let old = replica, case .xftp(_, .auth) = error {
            abandonedReplica = old
        } else if let refused = server {
            refusingServers.append(refused)
            abandonedReplica = replica
        }
        isReplicaFromEarlierRun = false
        replica = nil
        return true
    }

    /// Returns the error of a full server, and forgets it; nil if there is no such error. When all servers have refused
    /// the chunk, the caller throws this error, and the chunk waits for free space.
    func takeServerFullError() -> AgentError? {
        defer { serverFullError = nil }
        return serverFullError
    }

    func takeAbandonedReplica() -> SentChunk? {
        defer { abandonedReplica = nil }
        return abandonedReplica
    }
}
