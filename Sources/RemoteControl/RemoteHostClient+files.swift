package import ChatAPI
internal import ChatProtocol
internal import ChatText
internal import Concurrency
package import Files
internal import Glibc
internal import JSON
internal import SimpleXCrypto
internal import XRCP

/// Sends files to a host, and fetches files from it. This device keeps a copy of each file, with the same bytes as on
/// the host.
extension RemoteHostClient {
    private var filesFolder: String { folder + "/simplex_v1_files" }
    /// The folder for files that are not complete yet.
    private var partialFolder: String { folder + "/partial" }

    /// Creates the folders, and removes incomplete files of an earlier session. The folders are created only at the
    /// beginning of a session, so that a deleted host gets no new folders.
    /// - Parameter make: creates a folder, or accepts a folder that exists already.
    package func makeFolders(_ make: @escaping @Sendable (String) throws -> Void) async throws {
        try await runBlocking { [filesFolder, partialFolder] in
            DiskFiles.removeTree(partialFolder)
            for folder in [filesFolder, partialFolder] { try make(folder) }
        }
    }

    private func makePartialPath() -> String {
        partialFolder + "/" + Base64URL.encode(RandomBytes.make(count: 18), padding: false)
    }

    // MARK: Sending

    /// Sends a file to the host, and keeps a copy on this device.
    /// - Parameter name: the name of the file; nil for the name in the path.
    /// - Returns: the reference to the file for messages on the host.
    package func sendFile(_ path: String, named name: String? = nil, encrypted: Bool?) async throws -> CryptoFile {
        let arguments = encrypted ?? traits.encryptsFiles ? CryptoFileArguments() : nil
        let copy = makePartialPath()
        do {
            let (size, digest) = try await runBlocking {
                try Self.copyFile(path, to: copy, arguments)
                return try FileDigest.readSizeAndDigest(of: OpenFile(copy, O_RDONLY | O_NOFOLLOW))
            }
            let request = RemoteRequest.storeFile(
                name: name ?? FileName.lastComponent(of: path),
                size: size,
                digest: digest
            )
            let stored = try await exchangeRequest(request, file: (copy, size)) { json, _, _ in
                guard json["type"] == "fileStored", let stored = json["filePath"]?.stringValue else {
                    throw unexpectedAnswerFailure(json)
                }
                return stored
            }
            let place = localPath(of: stored)
            try await runBlocking { try DiskFiles.rename(copy, to: place) }
            return CryptoFile(filePath: stored, cryptoArgs: arguments?.apiArguments)
        } catch {
            await runCleanup { DiskFiles.removeFile(copy) }
            throw error
        }
    }

    /// Returns the location of the copy of a host's file on this device.
    /// - Parameter name: the name of the file in the host's answer.
    package func localFile(of name: String) -> StoreFile {
        StoreFile(StoredPath(FileName.safeName(name)), in: FileRoots(files: filesFolder))
    }

    /// Returns the path of the copy of a host's file on this device.
    /// - Parameter name: the name of the file in the host's answer.
    package func localPath(of name: String) -> String { filesFolder + "/" + FileName.safeName(name) }

    private static func copyFile(_ path: String, to target: String, _ arguments: CryptoFileArguments?) throws {
        let source = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        let box = arguments.map { SecretBoxStream(key: $0.fileKey, nonce: $0.fileNonce) }
        let copy = try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        while true {
            let part = try source.read(upTo: 1 << 20)
            if part.isEmpty { break }
            try copy.write(box?.encrypt(part) ?? part)
        }
        if let box { try copy.write(box.computeTag()) }
    }

    // MARK: Fetching

    /// Fetches a file of the host, unless this device already has it. Concurrent callers for the same file share one
    /// fetch.
    package func fetchIfMissing(_ file: RemoteFile) async throws {
        let fetch = fetches.withLock { fetches in
            if let running = fetches[file] { return running }
            let fetch = Task {
                defer { self.fetches.withLock { $0[file] = nil } }
                try await self.fetchFile(file)
            }
            fetches[file] = fetch
            return fetch
        }
        try await fetch.value
    }

    private func fetchFile(_ file: RemoteFile) async throws {
        let place = localPath(of: file.fileSource.filePath)
        let (size, digest, key, stream) = try await exchangeRequest(.getFile(file), keepsStream: true) {
            json,
            key,
            stream in
            guard json["type"] == "file", let size = json["fileSize"]?.integerValue.flatMap(UInt32.init(exactly:)),
                let digest = json["fileDigest"]?.stringValue.flatMap({ try? FileDigestText.decode($0) })
            else {
                // If the host does not have the file, it answers with the same kind of error as for a command.
                if let error = json["chatResponse"]?["error"],
                    let error = try? JSONDecoder().decode(ChatError.self, from: error)
                {
                    throw ChatFailure(error)
                }
                throw unexpectedAnswerFailure(json)
            }
            guard Int64(size) <= FileLimits.maxFileBytes + Int64(SecretBox.tagSize) else {
                throw makeProtocolFailure(.fileSize)
            }
            return (size, digest, key, stream)
        }
        defer { Task { await stream.dropRemainingBytes() } }
        // A local file with this name may belong to an earlier message. So its size and digest are compared with the
        // size and digest of the host's file.
        let isHere = try await runBlocking {
            guard DiskFiles.fileSize(place) == Int64(size),
                let (_, known) = try? FileDigest.readSizeAndDigest(of: OpenFile(place, O_RDONLY | O_NOFOLLOW))
            else { return false }
            return constantTimeEquals(known, digest)
        }
        if isHere { return }
        let partial = try await runBlocking { [path = makePartialPath()] in try PartialFile(path) }
        do {
            try await stream.readFile(key: key, size: size) { part in try await runBlocking { try partial.write(part) }
            }
            try await runBlocking {
                guard constantTimeEquals(try partial.finishDigest(), digest) else { throw ExchangeError.fileDigest }
                try DiskFiles.rename(partial.path, to: place)
            }
        } catch {
            await runCleanup { DiskFiles.removeFile(partial.path) }
            throw convertToReportedFailure(error)
        }
    }
}

/// A new file that is received in parts, with the digest of the parts received so far.
private final class PartialFile: Sendable {
    let path: String
    private let file: OpenFile
    private let digest: SharedDigest

    init(_ path: String) throws {
        self.path = path
        digest = SharedDigest(try IncrementalDigest(.sha512))
        file = try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    }

    func write(_ part: [UInt8]) throws {
        try digest.update(part)
        try file.write(part)
    }

    /// Returns the SHA-512 digest of all parts, and ends its computation.
    func finishDigest() throws -> [UInt8] { try digest.finalize() }
}
