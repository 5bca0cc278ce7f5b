internal import ChatAPI
internal import Concurrency
internal import Files
internal import Glibc
internal import JSON
internal import SimpleXCrypto
internal import XRCP

/// Sends requests to a connected host.
struct RemoteHostClient: Sendable {
    let id: Int64
    let connection: DeviceConnection
    let requests: DeviceConnection.Requests
    let cipher: SessionCipher
    let compresses: Bool
    let encryptsFiles: Bool
    /// Whether sum types come as apps in Swift write them.
    let isSwift: Bool
    /// For its files here.
    let folder: String
    let events = RemoteHostEvents()
    let changes = RemoteHostChanges()

    private func failure(_ error: RemoteProtocolError) -> ChatFailure { ChatFailure(RemoteHostError.protocolError(data: error), .id(remoteHostId: id)) }

    /// What a command's text gets.
    func run(_ text: String) async throws -> APIResult<ChatResponse> {
        let (json, _, stream) = try await exchange(.send(command: text))
        stream.close()
        guard json["type"] == "chatResponse" else { throw unexpected(json) }
        do {
            if let result = json["chatResponse"]?["result"] { return .result(try JSONDecoder().decode(ChatResponse.self, from: result)) }
            if let error = json["chatResponse"]?["error"] { return .error(try JSONDecoder().decode(ChatError.self, from: error)) }
        } catch {
            throw failure(.invalidJSON(invalidJSON: "\(error)"))
        }
        throw unexpected(json)
    }

    /// Asks for events for as long as the session lasts.
    func poll() async {
        while !Task.isCancelled {
            do {
                let (json, _, stream) = try await exchange(.recv(wait: 10_000_000))
                stream.close()
                guard json["type"] == "chatEvent" else { throw unexpected(json) }
                if let event = json["chatEvent"]?["result"] {
                    changes.tell(event)
                    events.add(event)
                }
            } catch {
                // A host that goes on answering nonsense is left.
                connection.close()
                return
            }
        }
    }

    // MARK: Files

    /// Sends a file to the host, and keeps it here too.
    /// - Returns: the file as messages name it there.
    func store(_ path: String, encrypted: Bool?, temporary: String) async throws -> ChatAPI.CryptoFile {
        let name = FileName.last(of: path)
        let arguments = encrypted ?? encryptsFiles ? CryptoFileArguments() : nil
        let sealed = temporary + "/" + Base64URL.encode(RandomBytes.make(count: 18), padding: false)
        defer { DiskFiles.removeFile(sealed) }
        let (size, digest) = try await blocking {
            try LocalFolders.make(temporary)
            if let arguments { try Self.copy(path, to: sealed, arguments) } else { try Self.copy(path, to: sealed) }
            return try RemoteRequests.size(of: sealed)
        }
        let (json, _, stream) = try await exchange(.storeFile(name: name, size: size, digest: digest), file: sealed, size)
        stream.close()
        guard json["type"] == "fileStored", let stored = json["filePath"]?.stringValue else { throw unexpected(json) }
        let place = filesFolder + "/" + FileName.shown(stored)
        try await blocking {
            try LocalFolders.make(FilePaths.folder(of: place))
            try DiskFiles.move(sealed, to: place)
        }
        return ChatAPI.CryptoFile(filePath: stored, cryptoArgs: arguments?.api)
    }

    private var filesFolder: String { folder + "/simplex_v1_files" }

    /// Fetches a file of the host into its folder here.
    func get(_ file: RemoteFile) async throws {
        let (json, key, stream) = try await exchange(.getFile(file))
        defer { stream.close() }
        guard json["type"] == "file", let size = json["fileSize"]?.integerValue.flatMap(UInt32.init(exactly:)),
            let digest = json["fileDigest"]?.stringValue.flatMap({ try? FileDigestText.bytes($0) })
        else {
            // A host that has no such file says so as for a command.
            if let error = json["chatResponse"]?["error"], let error = try? JSONDecoder().decode(ChatError.self, from: error) { throw ChatFailure(error) }
            throw unexpected(json)
        }
        guard Int64(size) <= FileRecord.sizeLimit + Int64(SecretBox.tagSize) else { throw failure(.fileSize) }
        let place = filesFolder + "/" + FileName.shown(file.fileSource.filePath)
        let partial = place + ".part"
        do {
            let hash = SharedDigest(try IncrementalDigest(.sha512))
            try await blocking {
                try LocalFolders.make(FilePaths.folder(of: place))
                _ = try OpenFile(partial, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
            }
            try await stream.readFile(key: key, size: size) { part in
                try await blocking {
                    try hash.update(part)
                    try OpenFile(partial, O_WRONLY | O_APPEND | O_NOFOLLOW).write(part)
                }
            }
            guard constantTimeEquals(try hash.finalize(), digest) else { throw ExchangeError.fileDigest }
            try await blocking { try DiskFiles.move(partial, to: place) }
        } catch {
            DiskFiles.removeFile(partial)
            if let error = error as? ExchangeError { throw failure(error.api) }
            throw error
        }
    }

    private static func copy(_ path: String, to target: String, _ arguments: CryptoFileArguments? = nil) throws {
        let source = try OpenFile(path, O_RDONLY | O_NOFOLLOW)
        let box = arguments.map { SecretBoxStream(key: $0.fileKey, nonce: $0.fileNonce) }
        let copy = try OpenFile(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        while true {
            let part = try source.read(upTo: 1 << 20)
            if part.isEmpty { break }
            try copy.write(box?.encrypt(part) ?? part)
        }
        if let box { try copy.write(box.tag()) }
    }

    // MARK: Exchange

    private func unexpected(_ json: JSONValue) -> ChatFailure {
        if let error = json["remoteProcotolError"], let known = try? JSONDecoder().decode(RemoteProtocolError.self, from: error) { return failure(known) }
        return failure(.unexpectedResponse(response: String(json.text.prefix(200))))
    }

    private func exchange(
        _ request: RemoteRequest, file: String? = nil, _ size: UInt32 = 0
    ) async throws -> (json: JSONValue, file: FileKey, stream: ExchangeStream) {
        do {
            let text = try request.json()
            var body = text
            if compresses {
                guard let frame = ZstdFrame.compress(text) else { throw XRCPError.encrypt }
                body = frame
            }
            let stream = try await requests.open()
            return try await withTaskCancellationHandler {
                if let file {
                    try await stream.write(body: body, cipher, fileSize: size) { offset, count in
                        try await blocking { try RemoteRequests.part(of: file, at: offset, count) }
                    }
                } else {
                    try await stream.write(body: body, cipher)
                }
                let (content, key) = try await stream.readBody(cipher)
                let answer = compresses ? try ZstdFrame.decompress(content, limit: RemoteRequests.bodyLimit) : content
                let json = try JSONValue(parsing: answer, limits: JSONLimits(size: RemoteRequests.bodyLimit, depth: 256, allowsNUL: true))
                return (isSwift ? SwiftJSON.tagged(json) : json, key, stream)
            } onCancel: {
                stream.close()
            }
        } catch let error as ExchangeError {
            throw failure(error.api)
        } catch let error as JSONError {
            throw failure(.invalidJSON(invalidJSON: "\(error)"))
        } catch let error as ChatProtocolError {
            throw failure(.invalidBody(invalidBody: "\(error)"))
        }
    }
}

/// The JSON of apps in Swift: a sum type is an object with one member of its own and the member `_owsf`.
enum SwiftJSON {
    /// The same value with sum types as others write them: with a member `type`.
    static func tagged(_ value: JSONValue) -> JSONValue { convert(value).value }

    private static func convert(_ value: JSONValue) -> (value: JSONValue, isTagged: Bool) {
        switch value {
        case .array(let elements): return (.array(elements.map(tagged)), false)
        case .object(let members):
            guard members.count == 2, members["_owsf"] == true, let (name, inner) = members.first(where: { $0.key != "_owsf" }) else {
                return (.object(JSONObject(members.map { ($0.key, tagged($0.value)) })), false)
            }
            let (content, isTagged) = convert(inner)
            // A case whose content is a sum type too cannot have both tags in one object.
            guard case .object(let fields) = content, !isTagged else { return (["type": .string(name), "data": content], true) }
            return (.object(JSONObject([("type", .string(name))] + fields.map { ($0.key, $0.value) })), true)
        default: return (value, false)
        }
    }
}
