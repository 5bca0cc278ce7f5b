internal import ChatAPI
internal import ChatText
internal import Concurrency
internal import JSON
internal import SimpleXCrypto
internal import XFTP

/// Files that are uploaded and downloaded without a message.
extension RunningCommand {
    /// `/_upload`: uploads a file for anybody who has its link.
    func uploadStandaloneFile(_ source: CryptoFile, user: UserRecord) async throws -> ChatResponse {
        let paths = services.folders.paths
        let use = try await services.fileObjects.fetchAndHold(source.filePath)
        defer { withExtendedLifetime(use) {} }
        let file = try await runBlocking { try OutgoingFile(source, paths, limit: FileRecord.maxSize) }
        return try await store.writeAndAnswer { tx in
            let file = try file.withShownName(tx.db)
            try SentFiles.assignToMessage(file.source.filePath, user, tx)
            var record = try FileRecord.insert(
                user: user.userId,
                isSent: true,
                .xftp,
                name: file.name,
                size: file.size,
                status: .sndStored,
                recipients: SentFiles.descriptionCount(for: 1),
                tx
            )
            record.path = file.path
            record.cryptoArgs = source.cryptoArgs
            record.setAgentTask(.send)
            try record.store(tx)
            return .sndStandaloneFileCreated(user: user.api, fileTransferMeta: record.apiMeta)
        }
    }

    /// `/_download`: receives the file to which a link leads.
    func downloadStandaloneFile(
        _ url: String,
        to target: CryptoFile,
        user: UserRecord
    ) async throws -> ChatResponse {
        let description = try Self.parseFileLink(url).fileDescription
        let paths = services.folders.paths
        if let arguments = target.cryptoArgs { _ = try Self.parseCryptoArguments(arguments) }
        return try await store.writeAndAnswer { tx in
            try tx.quota.checkFile(of: description.size, tx.db)
            let place = try FileRecord.choosePath(
                for: FileName.lastComponent(of: target.filePath),
                at: target.filePath,
                of: nil,
                paths,
                tx
            )
            var file = try FileRecord.insert(
                user: user.userId,
                isSent: false,
                .xftp,
                name: FileName.lastComponent(of: place.text),
                size: description.size,
                chunkSize: Int64(description.chunkSize),
                status: .rcvTransfer(rcvProgress: 0, rcvTotal: 1),
                tx
            )
            file.path = place
            file.cryptoArgs = target.cryptoArgs
            file.receivingStatus = .connected
            // The user has chosen the link, so the user has also approved the servers that the link names.
            file.approvesRelays = true
            let text = try FileDescriptionRecord.create(
                description.text,
                partNo: 1,
                isComplete: true,
                of: file.fileId,
                tx
            )
            file.setAgentTask(.receive)
            file.descriptionId = text.descriptionId
            try file.store(tx)
            return .rcvStandaloneFileCreated(user: user.api, rcvFileTransfer: try file.apiReceivedTransfer(tx.db))
        }
    }

    private static func parseCryptoArguments(_ arguments: CryptoFileArgs) throws -> CryptoFileArguments {
        do { return try CryptoFileArguments(arguments) } catch {
            throw ChatFailure.commandError("bad key or nonce of the file")
        }
    }

    /// Parses a link to a file.
    /// - Throws: `commandError` for a text that is not a link to a file.
    static func parseFileLink(_ url: String) throws -> FileDescriptionURI {
        do { return try FileDescriptionURI(parsing: url) } catch {
            throw ChatFailure.commandError("bad link of a file: \(error)")
        }
    }

    /// Returns the additional data that the creator of a link has added; nil if there is none.
    static func parseClientData(of link: FileDescriptionURI) -> JSONValue? {
        link.clientData.flatMap { try? JSONValue(parsing: $0) }
    }
}
