import Clocks
import Concurrency
import Files
import Glibc
import SMP
import SQLCipher
import Synchronization
import XFTP

extension FileTransfers {
    /// Maximal size, in bytes, of the encrypted description to which a redirect leads.
    private static let maxDescriptionBytes: Int64 = 1 << 22

    /// Receives a file until it is complete or given up, and emits events about the result.
    /// - Parameter stored: the record of the file, if it was stored just now; nil to read the record.
    func runReceiving(_ id: FileID, _ stored: ReceivedFile?) async {
        do {
            var stored = stored
            try await runWithDiskSpace(of: id) {
                // A repeated call with a known id has nothing to do if the transfer of the file has ended.
                let found = try await database.read { [stored] db in
                    try ReceivedFile.isReceiving(id, db) ? stored ?? ReceivedFile.find(id, db) : nil
                }
                stored = nil
                guard let file = found else { return nil }
                do { try await receiveContents(file) } catch {
                    if isCausedByEndOfTransfer(error) { throw error }
                    let deadline = file.createdAtSeconds + configuration.receivedFileTimeoutSeconds
                    guard isDiskFull(error), WallClock.seconds() < deadline else {
                        try await giveUpReceiving(file, AgentError(ofFile: error))
                        return nil
                    }
                    // The disk is full, so the received part is removed, and the file will be received again. The
                    // process may end before the record of the received chunks is deleted. Then the check of the
                    // digests shows later that the chunks are missing.
                    await removeFiles([receivedPath(id)], with: file)
                    try await storeWithRetry { db in
                        try db.execute("DELETE FROM rcv_chunks WHERE file_id = ?", id.bytes)
                    }
                    emitFileEvent(id, .receiveWarning(AgentError(ofFile: error)))
                    return DiskShortage(neededBytes: 2 * file.description.size, deadlineSeconds: deadline)
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

    private func receiveContents(_ file: ReceivedFile) async throws {
        var file = file
        try await runBlocking { [folder = configuration.filesFolder] in try DiskFiles.makeFolder(folder) }
        let total = file.description.finalSize
        if let redirect = file.description.redirect {
            file.description = try await followRedirect(redirect, file, total: total)
            try await storeWithRetry { [file] db in try file.setDescription(db) }
            await removeFiles([redirectPath(file.id)])
        }
        let (place, partial) = (StoreFile(file.target.path, in: configuration.fileRoots()), file.partialFileName)
        _ = try await fetchContents(file, at: receivedPath(file.id), total: total) { [file] in
            FileOutput(try place.createPartialFile(partial), file.target.cryptoArguments)
        }
        try await runBlocking { try place.completeFile(from: partial) }
        file.status = .complete
        try await storeWithRetry { [file] db in
            try file.updateStatus(db)
            try db.execute("DELETE FROM rcv_chunks WHERE file_id = ?", file.id.bytes)
        }
        emitFileEvent(file.id, .received(file.target))
        await removeFiles([receivedPath(file.id)])
    }

    /// Receives the description to which a redirect leads. The size and the digest in this description must match the
    /// redirect.
    private func followRedirect(
        _ redirect: FileDescription.Redirect,
        _ file: ReceivedFile,
        total: Int64
    ) async throws -> FileDescription {
        guard file.description.size <= Self.maxDescriptionBytes else { throw AgentError.file(.redirect("size")) }
        let text = try await fetchContents(file, at: redirectPath(file.id), total: total) { FileOutput() }
        guard let text = String(validating: text, as: UTF8.self), let description = try? FileDescription(parsing: text),
            description.party == .recipient
        else { throw AgentError.file(.redirect("decode error")) }
        guard description.size == redirect.size else { throw AgentError.file(.redirect("size mismatch")) }
        guard description.digest == redirect.digest else { throw AgentError.file(.redirect("digest mismatch")) }
        guard description.redirect == nil else { throw AgentError.file(.redirect("another redirect")) }
        return description
    }

    /// Downloads the chunks of a description into the work folder, and decrypts them as they arrive.
    /// - Returns: the contents if they were decrypted into memory; an empty array if they were written to a file.
    private func fetchContents(
        _ file: ReceivedFile,
        at path: String,
        total: Int64,
        _ output: @escaping @Sendable () throws -> FileOutput
    ) async throws -> [UInt8] {
        let work = try await runBlocking { try WorkFile(path) }
        var isRepeated = false
        while true {
            let (there, known) = try await database.read { db in
                (
                    try ReceivedFile.readReceivedChunkNumbers(file.id, db),
                    file.isApproved ? [] : try readFileServers(of: file.user, db)
                )
            }
            try checkApproval(of: file, known)
            let chunks = ReceivedChunks(there)
            let done = file.description.chunks.reduce(Int64(0)) { $0 + Int64(there.contains($1.number) ? $1.size : 0) }
            let progress = TransferProgress(done: done, total: total)
            do {
                return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                    group.addTask { try await self.decryptContents(file, work, chunks, output) }
                    group.addTask {
                        try await self.downloadChunks(file, work, chunks, progress)
                        return nil
                    }
                    var contents: [UInt8] = []
                    while let result = try await group.next() { contents = result ?? contents }
                    return contents
                }
            } catch is FileDecryptor.WrongDigest {
                // The work folder may lack chunks that the database lists, for example after a power failure. These
                // chunks are received again, once.
                let wrong = isRepeated ? [] : try await findDamagedChunks(file, work)
                guard !wrong.isEmpty else { throw AgentError.xftp(server: "", .digest) }
                try await storeWithRetry { db in try ReceivedFile.removeReceivedChunks(wrong, of: file.id, db) }
                isRepeated = true
            }
        }
    }

    private func decryptContents(
        _ file: ReceivedFile,
        _ work: WorkFile,
        _ chunks: ReceivedChunks,
        _ output: @escaping @Sendable () throws -> FileOutput
    ) async throws -> [UInt8] {
        var opened: (output: UncheckedSendable<FileOutput>, decryptor: FileDecryptor)?
        for chunk in file.description.chunks {
            try await chunks.waitForChunk(for: chunk.number)
            let current: (output: UncheckedSendable<FileOutput>, decryptor: FileDecryptor)
            if let opened {
                current = opened
            } else {
                current = try await runBlocking {
                    let output = try output()
                    return (UncheckedSendable(output), try FileDecryptor(file.description, from: work, into: output))
                }
            }
            opened = current
            do { try await runBlocking { try current.decryptor.decryptNextChunk(size: chunk.size) } } catch let error
                as FileSystemError where error.isMissingData
            {
                throw FileDecryptor.WrongDigest()
            }
        }
        guard let opened else { return [] }
        try await runBlocking { try opened.decryptor.verifyAndSync() }
        return opened.output.value.contents
    }

    private func findDamagedChunks(_ file: ReceivedFile, _ work: WorkFile) async throws -> [Int] {
        try await runBlocking {
            var (offset, damaged): (Int64, [Int]) = (0, [])
            for chunk in file.description.chunks {
                if try work.computeDigest(at: offset, size: chunk.size) != chunk.digest { damaged.append(chunk.number) }
                offset += Int64(chunk.size)
            }
            return damaged
        }
    }

    private func downloadChunks(
        _ file: ReceivedFile,
        _ work: WorkFile,
        _ chunks: ReceivedChunks,
        _ progress: TransferProgress
    ) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var (running, offset): (Int, Int64) = (0, 0)
            for chunk in file.description.chunks {
                defer { offset += Int64(chunk.size) }
                if chunks.containsChunk(chunk.number) { continue }
                if running == Self.maxChunksPerFile {
                    try await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { [offset] in
                    try await self.downloadChunk(chunk, of: file, work, at: offset)
                    chunks.addChunk(chunk.number)
                    if let done = progress.addBytes(chunk.size) {
                        self.emitFileEvent(file.id, .receiveProgress(received: done, total: progress.totalBytes))
                    }
                    // The only chunk of a file needs no record, since the completion of the file follows immediately.
                    guard file.description.chunks.count > 1 else { return }
                    // The record is written after the data. If a crash prevents the record, the next run receives the
                    // chunk again.
                    try await self.storeWithRetry { db in
                        try ReceivedFile.storeReceivedChunk(chunk.number, of: file.id, db)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Number of malformed responses after which a replica is given up.
    private static let maxMalformedResponses = 3

    /// Downloads a chunk from the first of its replicas that is available.
    private func downloadChunk(
        _ chunk: FileDescription.Chunk,
        of file: ReceivedFile,
        _ work: WorkFile,
        at offset: Int64
    ) async throws {
        let faults = Mutex([Int](repeating: 0, count: chunk.replicas.count))
        let deadline = file.createdAtSeconds + configuration.receivedFileTimeoutSeconds
        let repeats: @Sendable (AgentError) -> Bool = { error in
            error.isMalformed && faults.withLock { $0.contains { $0 < Self.maxMalformedResponses } }
        }
        try await retryUntilDeadline(file.id, until: deadline, warning: FileEvent.receiveWarning, repeats: repeats) {
            var last: AgentError?
            for (index, replica) in chunk.replicas.enumerated()
            where faults.withLock({ $0[index] < Self.maxMalformedResponses }) {
                try Task.checkCancellation()
                do {
                    self.countFileOperations(file.user, replica.server) { $0.downloadAttempts += 1 }
                    try await self.sessions.withSession(replica.server, of: file.user, for: file.id, .receiving) {
                        session in
                        try await session.downloadChunk(
                            replica.id,
                            size: chunk.size,
                            digest: chunk.digest,
                            key: replica.key
                        ) { part, bytes in
                            try work.write(bytes, at: offset + Int64(part))
                        }
                    }
                    return self.countFileOperations(file.user, replica.server) { $0.countDownload(of: chunk.size) }
                } catch let error as AgentError {
                    if error == .inactive { throw error }
                    if !error.isTemporaryForFiles {
                        faults.withLock { $0[index] = error.isMalformed ? $0[index] + 1 : Self.maxMalformedResponses }
                        self.countFileOperations(file.user, replica.server) { $0.countDownloadError(error) }
                    }
                    // If all replicas fail, one error is reported. A temporary error is preferred, because the replica
                    // with this error may be available later.
                    if last?.isTemporaryForFiles != true { last = error }
                }
            }
            throw last ?? AgentError.file(.noFile)
        }
    }

    /// Checks whether the servers of a file may be contacted.
    /// - Parameter known: the file servers of the user.
    /// - Throws: `notApproved` when a server that does not belong to the user would learn the IP address of this
    ///   machine.
    private func checkApproval(of file: ReceivedFile, _ known: [AgentServer]) throws {
        guard !file.isApproved else { return }
        let unapproved = clients.filterUnapprovedServers(file.description.servers, known: known)
        guard unapproved.isEmpty else { throw AgentError.file(.notApproved(unapproved.map(\.str))) }
    }

    private func giveUpReceiving(_ file: ReceivedFile, _ error: AgentError) async throws {
        var file = file
        file.status = .error
        file.error = error
        try await storeWithRetry { [file] db in
            try file.updateStatus(db)
            try db.execute("DELETE FROM rcv_chunks WHERE file_id = ?", file.id.bytes)
        }
        await removeFiles([receivedPath(file.id), redirectPath(file.id)], with: file)
        emitFileEvent(file.id, .receiveError(error))
    }
}

extension RelayClients {
    /// Returns the servers that would learn the IP address of this machine: the user has not configured these servers,
    /// and neither a SOCKS proxy nor an onion host hides the address from them.
    func filterUnapprovedServers(_ servers: [ProtocolServer], known: [AgentServer]) -> [ProtocolServer] {
        let known = Set(known.map(\.server.withoutPassword))
        return servers.filter { !known.contains($0.withoutPassword) && !hidesUserAddress($0) }
    }
}

/// The chunks of a file that are in the work folder. One task waits for the chunks in their order.
private final class ReceivedChunks: Sendable {
    private let chunkNumbers: Mutex<Set<Int>>
    private let changeSignal = WakeSignal()

    init(_ chunkNumbers: Set<Int>) { self.chunkNumbers = Mutex(chunkNumbers) }

    func containsChunk(_ number: Int) -> Bool { chunkNumbers.withLock { $0.contains(number) } }

    func addChunk(_ number: Int) {
        chunkNumbers.withLock { _ = $0.insert(number) }
        changeSignal.wake()
    }

    func waitForChunk(for number: Int) async throws(CancellationError) {
        while !containsChunk(number) {
            guard await changeSignal.waitForSignal() else { throw CancellationError() }
        }
    }
}

extension FileSystemError {
    /// Whether the error means that the file is shorter than its description says.
    fileprivate var isMissingData: Bool { operation == .read && errnoCode == ENODATA }
}
