internal import ChatAPI
internal import ChatProtocol
internal import Concurrency
internal import Files
internal import Glibc
internal import JSON
internal import RemoteControl
internal import SimpleXCrypto
internal import XRCP

/// Answers the requests of a connected controller (simplex-chat `docs/rfcs/2023-09-12-remote-profile.md`).
struct RemoteRequests: Sendable {
    let cipher: SessionCipher
    /// Whether the JSON texts of requests and answers are compressed as zstd frames.
    let compressesBodies: Bool
    let events: RemoteEvents
    let desktop: RemoteDesktop
    private let bodyBudget = BodyBudget()

    /// The rights of a controller. A controller may send all commands that an administrator of this store may send, but
    /// the paths in its commands must lie in the folders of the store.
    private static let rights = CommandRights(scopes: [.read, .write, .events, .admin], paths: .ownFolders)
    /// The maximum size of a request after decompression, in bytes. No command is longer.
    private static let maxBodyBytes = JSONLimits.default.maxBytes
    /// The maximum time that a request for events may wait, in microseconds.
    private static let maxWaitMicroseconds: Int64 = 60_000_000

    /// Answers one request. The session continues after any error.
    func answerRequest(_ stream: ExchangeStream) async {
        do {
            let (request, file) = try await stream.readDecodedBody(cipher, within: stream.peerTimeout, bodyBudget) {
                content,
                key in
                (try self.decodeRequest(content), key)
            }
            try await answerRequest(request, file, stream)
        } catch let error as ExchangeError {
            await refuseRequest(error.apiError, stream)
        } catch let error as RemoteRefusal {
            await refuseRequest(error.error, stream)
        } catch let failure as ChatFailure {
            await sendAnswer(.chatResponse(.error(failure.error)), stream)
        } catch {
            await refuseRequest(.exception(someException: "\(error)"), stream)
        }
    }

    private struct RemoteRefusal: Error { let error: RemoteProtocolError }

    private func refuseRequest(_ error: RemoteProtocolError, _ stream: ExchangeStream) async {
        // The connection is lost, so no answer can be sent.
        if case .hTTP2 = error { return stream.close() }
        await sendAnswer(.protocolError(error), stream)
    }

    private func decodeRequest(_ content: [UInt8]) throws -> RemoteRequest {
        do {
            let text = compressesBodies ? try ZstdFrame.decompress(content, limit: Self.maxBodyBytes) : content
            return try JSONDecoder().decode(RemoteRequest.self, from: text, limits: .default)
        } catch let error as ChatProtocolError {
            throw RemoteRefusal(error: .invalidBody(invalidBody: "\(error)"))
        } catch {
            throw RemoteRefusal(error: .invalidJSON(invalidJSON: "\(error)"))
        }
    }

    private func answerRequest(_ request: RemoteRequest, _ file: SealingKey, _ stream: ExchangeStream) async throws {
        guard let core = desktop.core else { return stream.close() }
        switch request {
        case .send(let command, let attempt):
            let answer = await CommandAttempt.$earlierAttemptCount.withValue(attempt) {
                await runCommand(command, core)
            }
            await sendAnswer(.chatResponse(answer), stream)
        case .recv(let microseconds):
            let event = await events.waitForNextEvent(
                within: .microseconds(min(max(microseconds, 0), Self.maxWaitMicroseconds))
            )
            await sendAnswer(.chatEvent(event), stream)
        case .storeFile(let name, let size, let digest):
            let path = try await receiveFile(name, size, digest, file, stream, core)
            await sendAnswer(.fileStored(path), stream)
        case .getFile(let file): try await sendFile(file, stream, core)
        }
    }

    private func runCommand(_ text: String, _ core: any ControlledCore) async -> APIResult<ChatResponse> {
        let command: ChatCommand
        do throws(CommandParseError) { command = try ChatCommand(parsing: text) } catch {
            return .error(error.chatError)
        }
        guard command.isForRemoteHosts else {
            return .error(.error(errorType: .commandError(message: "another device may not send this command")))
        }
        // The command runs in a separate task. If the controller disconnects, the task of the request is cancelled, but
        // a command that has begun is completed.
        return await Task { await core.send(command, as: nil, with: Self.rights, in: nil) }.value
    }

    // MARK: Files

    private func findActiveUserId() async throws -> Int64 {
        try await desktop.store.read { db in try UserRecord.getActive(in: db).userId }
    }

    /// Receives a file for a message of the active user. The bytes are stored as the controller sends them.
    private func receiveFile(
        _ name: String,
        _ size: UInt32,
        _ digest: [UInt8],
        _ key: SealingKey,
        _ stream: ExchangeStream,
        _ core: any ControlledCore
    ) async throws -> String {
        guard Int64(size) <= FileLimits.maxFileBytes + Int64(SecretBox.tagSize) else { throw ExchangeError.fileSize }
        let files = core.chatFiles
        let upload = try await files.beginUpload(
            user: findActiveUserId(),
            name: name,
            encrypts: false,
            length: Int64(size),
            isResumable: false
        )
        do {
            let hash = SharedDigest(try IncrementalDigest(.sha512))
            try await stream.readFile(key: key, size: size) { part in
                try await runBlocking {
                    try hash.update(part)
                    try upload.write(part)
                }
            }
            guard constantTimeEquals(try hash.finalize(), digest) else { throw ExchangeError.fileDigest }
        } catch {
            await files.cancelUpload(upload)
            throw error
        }
        return try await files.finishUpload(upload, digest: nil).source.filePath
    }

    /// Sends a file of the active user as it is stored.
    private func sendFile(_ file: RemoteFile, _ stream: ExchangeStream, _ core: any ControlledCore) async throws {
        let userId = try await findActiveUserId()
        guard file.userId == userId else {
            throw ChatFailure(ChatErrorType.differentActiveUser(commandUserId: file.userId, activeUserId: userId))
        }
        let record = try await desktop.store.read { db in try FileRecord.find(file.fileId, user: userId, in: db) }
        guard let record, record.isSent == file.sent, let stored = record.path, stored.text == file.fileSource.filePath,
            record.cryptoArgs == file.fileSource.cryptoArgs
        else {
            throw ChatFailure(StoreError.fileNotFound(fileId: file.fileId))
        }
        let use: FileObjects.FileHold?
        do { use = try await core.chatFiles.objects.fetchAndHold(stored.text) } catch let away as FileFetchError {
            throw ChatFailure(away.chatError)
        }
        defer { withExtendedLifetime(use) {} }
        let kept = core.chatFiles.folders.paths.makeStoreFile(stored)
        let (size, digest) = try await runBlocking {
            let opened: OpenFile
            do throws(FileSystemError) { opened = try kept.openFile(O_RDONLY) } catch {
                throw RemoteRefusal(error: .exception(someException: "the file is missing"))
            }
            return try FileDigest.readSizeAndDigest(of: opened)
        }
        let answer = try RemoteAnswer.file(size, digest).encodeJSON()
        try await stream.writeBodyWithFile(body: try compressIfNeeded(answer), cipher, fileSize: size) {
            offset,
            count in
            try await runBlocking { try kept.openFile(O_RDONLY).read(count, at: offset) }
        }
    }

    // MARK: Answers

    private func compressIfNeeded(_ json: [UInt8]) throws -> [UInt8] {
        guard compressesBodies else { return json }
        guard let frame = ZstdFrame.compress(json) else { throw XRCPError.encrypt }
        return frame
    }

    private func sendAnswer(_ answer: RemoteAnswer, _ stream: ExchangeStream) async {
        do {
            try await stream.writeBody(
                compressIfNeeded(answer.encodeJSON(JSONEncoder(desktop.store.recentTexts))),
                cipher
            )
        } catch {
            stream.close()
        }
    }
}
