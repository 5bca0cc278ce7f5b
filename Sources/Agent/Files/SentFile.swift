import Files
import SMP
import SQLCipher
import SimpleXCrypto
import XFTP

/// A file that is being sent or was sent. The record exists until the caller has confirmed the result.
struct SentFile: Sendable {
    enum Status: String, Sendable {
        /// The file is not completely encrypted. A file with only one chunk keeps this state until the end of its
        /// upload.
        case new
        /// The whole encrypted file is in the work folder.
        case encrypted
        case complete, error
    }

    enum Source: Sendable {
        case file(LocalFile)
        case text([UInt8])
    }

    var id: FileID
    var user: AgentUserID
    /// Time of the start, in seconds since 1970.
    var createdAtSeconds: Int64
    var source: Source
    /// The name of the file for the recipients.
    var name: String
    var recipientCount: Int
    var key: SymmetricKey
    var nonce: BoxNonce
    var redirect: FileDescription.Redirect?
    var status: Status
    /// Size of the contents in bytes; nil until it is known.
    var contentsSize: Int64?
    /// SHA-512 of the encrypted file; nil until it is known.
    var digest: [UInt8]?
    var error: AgentError?

    init(
        id: FileID,
        user: AgentUserID,
        at now: Int64,
        source: Source,
        name: String,
        recipients: Int,
        redirect: FileDescription.Redirect? = nil
    ) {
        self.id = id
        self.user = user
        createdAtSeconds = now
        self.source = source
        self.name = name
        self.recipientCount = recipients
        key = SymmetricKey()
        nonce = .random()
        self.redirect = redirect
        status = .new
    }

    init(_ row: Row) throws {
        id = FileID(bytes: try row.blob("file_id"))
        user = try row.int64("user_id")
        createdAtSeconds = try row.readTime("created_at")
        source =
            if let path = try row.stringOrNil("source_path") {
                .file(
                    LocalFile(
                        path: StoredPath(path, seal: try row.blobOrNil("source_seal")),
                        arguments: try CryptoFileArguments(row, "source_key", "source_nonce")
                    )
                )
            } else { .text(try row.blob("source_text")) }
        name = try row.string("name")
        recipientCount = try row.readCount("recipients")
        key = try SymmetricKey(rawRepresentation: row.blob("key"))
        nonce = try BoxNonce(rawRepresentation: row.blob("nonce"))
        redirect = try row.readCountOrNil("redirect_size").map {
            FileDescription.Redirect(size: $0, digest: try row.blob("redirect_digest"))
        }
        status = Status(rawValue: try row.string("status")) ?? .error
        contentsSize = try row.readCountOrNil("contents_size")
        digest = try row.blobOrNil("digest")
        error = try row.stringOrNil("error").map { AgentError(stored: $0) }
    }

    /// The sizes of the chunks; nil when the size of the contents is not known, or too large.
    var layout: FileLayout? {
        contentsSize.flatMap { FileLayout(header: FileHeader(name: name), contentsSize: $0, isSingle: redirect != nil) }
    }

    static func find(_ id: FileID, _ db: DatabaseConnection) throws -> SentFile? {
        try db.firstRow("SELECT * FROM snd_files WHERE file_id = ?", id.bytes).map(SentFile.init)
    }

    /// Returns the readable records, the oldest first. Unreadable records are skipped, because they must not prevent a
    /// start.
    static func readAll(_ db: DatabaseConnection) throws -> [SentFile] {
        try db.query("SELECT * FROM snd_files ORDER BY created_at").compactMap { try? SentFile($0) }
    }

    /// Inserts the file, unless its id is known.
    func insert(_ db: DatabaseConnection) throws {
        var (path, arguments, text): (StoredPath?, CryptoFileArguments?, [UInt8]?)
        switch source {
        case .file(let file): (path, arguments) = (file.path, file.cryptoArguments)
        case .text(let bytes): text = bytes
        }
        try db.insert(
            into: "snd_files",
            or: .ignore,
            [
                "file_id": id.bytes, "user_id": user, "created_at": createdAtSeconds, "source_path": path?.text,
                "source_seal": path?.seal, "source_key": arguments?.fileKey.rawRepresentation,
                "source_nonce": arguments?.fileNonce.rawRepresentation, "source_text": text, "name": name,
                "recipients": recipientCount, "key": key.rawRepresentation, "nonce": nonce.rawRepresentation,
                "redirect_size": redirect?.size, "redirect_digest": redirect?.digest, "status": status.rawValue,
            ]
        )
    }

    /// Stores the properties that change: status, size, digest and error.
    func updateRecord(_ db: DatabaseConnection) throws {
        try db.update(
            "snd_files",
            or: .fail,
            set: [
                "status": status.rawValue, "contents_size": contentsSize, "digest": digest, "error": error?.storedForm,
            ],
            where: ["file_id": id.bytes]
        )
    }

    static func remove(_ id: FileID, _ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM snd_files WHERE file_id = ?", id.bytes)
    }

    /// Makes the event with the descriptions for the sender and for the recipients.
    func makeSentEvent(_ db: DatabaseConnection) throws -> FileEvent {
        let chunks = try SentChunk.readAll(of: id, db)
        guard let digest, let first = chunks.first else { throw AgentError.internal("sent file without chunks") }
        let size = chunks.reduce(Int64(0)) { $0 + Int64($1.size) }
        func makeDescription(
            _ party: FileDescription.Party,
            _ redirect: FileDescription.Redirect?,
            _ replica: (SentChunk) -> (id: [UInt8], key: AuthorizationPrivateKey)
        ) -> FileDescription {
            FileDescription(
                party: party,
                size: size,
                digest: digest,
                key: key,
                nonce: nonce,
                chunkSize: first.size,
                chunks: chunks.map { chunk in
                    let (id, key) = replica(chunk)
                    return FileDescription.Chunk(
                        number: chunk.chunkNumber,
                        size: chunk.size,
                        digest: chunk.digest,
                        replicas: [FileDescription.Replica(server: chunk.server, id: id, key: key)]
                    )
                },
                redirect: redirect
            )
        }
        let count = chunks.map(\.recipients.count).min() ?? 0
        return .sent(
            sender: makeDescription(.sender, nil) { ($0.replicaID, $0.replicaKey) },
            recipients: (0..<count).map { index in
                makeDescription(.recipient, redirect) { ($0.recipients[index].id, $0.recipients[index].key) }
            }
        )
    }
}

/// A chunk of a sent file that exists on a server.
struct SentChunk: Sendable {
    struct Recipient: Sendable {
        var id: [UInt8]
        var key: AuthorizationPrivateKey
    }

    var chunkNumber: Int
    var size: Int
    /// SHA-256 of the encrypted chunk.
    var digest: [UInt8]
    var server: ProtocolServer
    var replicaID: [UInt8]
    var replicaKey: AuthorizationPrivateKey
    var recipients: [Recipient]
    var isUploaded = false
    /// Whether the sender has given up this replica. Then only the digest and the size of the chunk are valid.
    var isAbandoned: Bool { recipients.isEmpty }

    init(
        chunkNumber: Int,
        size: Int,
        digest: [UInt8],
        server: ProtocolServer,
        replicaID: [UInt8],
        replicaKey: AuthorizationPrivateKey,
        recipients: [Recipient]
    ) {
        self.chunkNumber = chunkNumber
        self.size = size
        self.digest = digest
        self.server = server
        self.replicaID = replicaID
        self.replicaKey = replicaKey
        self.recipients = recipients
    }

    init(_ row: Row) throws {
        chunkNumber = try row.readCount("number")
        size = try row.readCount("size")
        digest = try row.blob("digest")
        server = try parseStoredServer(row.string("server"))
        replicaID = try row.blob("replica_id")
        replicaKey = try AuthorizationPrivateKey(pkcs8: row.blob("replica_key"))
        recipients = try Self.parseRecipients(stored: row.blob("recipients"))
        isUploaded = try row.bool("uploaded")
    }

    static func readAll(of id: FileID, _ db: DatabaseConnection) throws -> [SentChunk] {
        try db.query("SELECT * FROM snd_chunks WHERE file_id = ? ORDER BY number", id.bytes).map(SentChunk.init)
    }

    /// Inserts the record of the chunk, or replaces the record of an abandoned replica of this chunk.
    func storeRecord(_ id: FileID, _ db: DatabaseConnection) throws {
        try db.insert(
            into: "snd_chunks",
            or: .replace,
            [
                "file_id": id.bytes, "number": chunkNumber, "size": size, "digest": digest, "server": server.str,
                "replica_id": replicaID, "replica_key": replicaKey.pkcs8, "recipients": try encodeRecipients(),
                "uploaded": isUploaded,
            ]
        )
    }

    /// Stores all recipients of the chunk, after the server has created more recipients.
    func updateRecipients(_ id: FileID, _ db: DatabaseConnection) throws {
        try db.update(
            "snd_chunks",
            or: .fail,
            set: ["recipients": try encodeRecipients()],
            where: ["file_id": id.bytes, "number": chunkNumber]
        )
    }

    /// Records that this replica was given up. The next replica replaces the record.
    func storeAsAbandoned(_ id: FileID, _ db: DatabaseConnection) throws {
        var abandoned = self
        abandoned.recipients = []
        try abandoned.updateRecipients(id, db)
    }

    static func storeUploadedMark(_ number: Int, of id: FileID, _ db: DatabaseConnection) throws {
        try db.update("snd_chunks", or: .fail, set: ["uploaded": 1], where: ["file_id": id.bytes, "number": number])
    }

    private func encodeRecipients() throws -> [UInt8] {
        var writer = ByteWriter(capacity: recipients.count * 76)
        for recipient in recipients {
            writer.writeShortBytes(recipient.id)
            writer.writeShortBytes(recipient.key.pkcs8)
        }
        return try writer.finish()
    }

    private static func parseRecipients(stored: [UInt8]) throws -> [Recipient] {
        var reader = ByteReader(stored)
        var recipients: [Recipient] = []
        while !reader.isAtEnd {
            recipients.append(
                Recipient(
                    id: try reader.readShortBytes(),
                    key: try AuthorizationPrivateKey(pkcs8: try reader.readShortBytes())
                )
            )
        }
        return recipients
    }
}

extension CryptoFileArguments {
    /// Reads key and nonce; nil when a column is null.
    init?(_ row: Row, _ key: String, _ nonce: String) throws {
        guard let key = try row.blobOrNil(key), let nonce = try row.blobOrNil(nonce) else { return nil }
        self.init(fileKey: try SymmetricKey(rawRepresentation: key), fileNonce: try BoxNonce(rawRepresentation: nonce))
    }
}
