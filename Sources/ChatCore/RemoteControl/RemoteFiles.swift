public import ChatAPI
internal import Concurrency
internal import Files
internal import Glibc
internal import JSON
internal import SimpleXCrypto
import Synchronization

/// The files of a connected host, with the references in the items of the host. The host returns a file only for its
/// complete reference, and has no command that finds the reference of a file.
final class RemoteFiles: Sendable {
    struct Known: Sendable {
        let file: RemoteFile
        /// The displayed name of the file.
        let name: String
    }

    private struct Key: Hashable {
        let userId: Int64
        let fileId: Int64
    }

    private struct State {
        var known: [Key: Known] = [:]
        /// The keys, in the order in which the files were first recorded.
        var order: [Key] = []
    }
    private let state = Mutex(State())
    let underway = UploadsUnderway()

    /// The maximum number of known files. Above this number, the files that were recorded first are removed.
    private static let limit = 4096

    /// Records the files in an answer or an event of the host.
    func note(_ value: JSONValue) {
        guard let user = (value["user"] ?? value["user_"])?["userId"]?.integerValue else { return }
        note(value, user)
    }

    private func note(_ value: JSONValue, _ user: Int64) {
        switch value {
        case .array(let elements): for element in elements { note(element, user) }
        case .object(let members):
            if let direction = value["chatDir"]?["type"]?.stringValue, let file = value["file"] {
                add(file, sent: direction.hasSuffix("Snd"), user)
            }
            for (_, member) in members { note(member, user) }
        default: return
        }
    }

    private func add(_ file: JSONValue, sent: Bool, _ user: Int64) {
        guard let fileId = file["fileId"]?.integerValue, let source = file["fileSource"],
            let source = try? JSONDecoder().decode(CryptoFile.self, from: source)
        else { return }
        let name = FileName.shown(file["fileName"]?.stringValue ?? source.filePath)
        let known = Known(file: RemoteFile(userId: user, fileId: fileId, sent: sent, fileSource: source), name: name)
        let key = Key(userId: user, fileId: fileId)
        state.withLock { state in
            if state.known.updateValue(known, forKey: key) == nil { state.order.append(key) }
            guard state.order.count > Self.limit else { return }
            for old in state.order.prefix(Self.limit / 4) { state.known[old] = nil }
            state.order.removeFirst(Self.limit / 4)
        }
    }

    func find(_ fileId: Int64, user userId: Int64) -> Known? {
        state.withLock { $0.known[Key(userId: userId, fileId: fileId)] }
    }
}

/// The contents of files of a connected host.
extension ConnectedHost {
    /// Finds a file in a message that was read or received in this session; nil for other files.
    public func file(_ fileId: Int64, user userId: Int64) -> RemoteFile? {
        client.files.find(fileId, user: userId)?.file
    }

    /// The contents of a file that was fetched from the host.
    /// - Throws: `ChatFiles.Refusal`: `notFound` if the file was not fetched.
    public func contents(of file: RemoteFile) async throws -> ChatFiles.Contents {
        let name = client.files.find(file.fileId, user: file.userId)?.name ?? FileName.shown(file.fileSource.filePath)
        let arguments = try file.fileSource.cryptoArgs.map { try CryptoFileArguments($0) }
        let (stored, underway) = (client.file(of: file.fileSource.filePath), client.files.underway)
        return try await blocking {
            try ChatFiles.contents(of: file.fileId, name: name, in: stored, arguments, underway)
        }
    }
}

extension ChatFiles {
    /// Begins an upload of a file for a connected host. The caller owns the upload until it calls
    /// ``finish(_:digest:on:encrypts:)`` or ``cancel(_:)``.
    public func begin(forHost name: String, length: Int64?) async throws -> Upload {
        let folder = folders.paths.uploads
        let upload = Upload(
            id: Base64URL.encode(RandomBytes.make(count: 18)),
            user: 0,
            name: FileName.shown(name),
            nil,
            in: folder,
            length: length,
            isResumable: false
        )
        try await blocking {
            try DiskFiles.makeFolder(folder)
            try upload.create()
        }
        return upload
    }

    /// Completes the upload, and sends the file to the host.
    /// - Parameter encrypts: whether the file is encrypted; nil to follow the setting of the host.
    /// - Returns: the reference to the file for messages on the host.
    public func finish(
        _ upload: Upload,
        digest: [UInt8]?,
        on host: ConnectedHost,
        encrypts: Bool?
    ) async throws -> APIResult<CryptoFile> {
        defer { upload.remove() }
        guard upload.offset > 0 else { throw Refusal(reason: .empty) }
        guard upload.length == nil || upload.length == upload.offset else { throw Refusal(reason: .otherContents) }
        try await blocking {
            if let digest, try upload.digest() != digest { throw Refusal(reason: .otherContents) }
            try upload.seal()
        }
        do {
            return .result(try await host.client.store(upload.path, named: upload.name, encrypted: encrypts))
        } catch {
            return .error(ChatFailure.of(error).error)
        }
    }
}
