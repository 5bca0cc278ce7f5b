import SMP
import SimpleXCrypto
import Transport

/// Writes and parses a description as YAML text in the form of simplexmq. The keys are in alphabetical order, and the
/// chunks are grouped by server. Only the first replica of a chunk has the digest and the size of the chunk.
extension FileDescription {
    package var text: String {
        var lines = [
            "chunkSize: " + YAMLScalar.quotedIfNeeded(FileSizeText.format(Int64(chunkSize))),
            "digest: " + YAMLScalar.quotedIfNeeded(Base64URL.encode(digest)),
            "key: " + YAMLScalar.quotedIfNeeded(Base64URL.encode(key.rawRepresentation)),
            "nonce: " + YAMLScalar.quotedIfNeeded(Base64URL.encode(nonce.rawRepresentation)),
            "party: " + party.rawValue,
        ]
        if let redirect {
            lines += [
                "redirect:", "  digest: " + YAMLScalar.quotedIfNeeded(Base64URL.encode(redirect.digest)),
                "  size: \(redirect.size)",
            ]
        }
        let groups = replicasByServer
        lines.append(groups.isEmpty ? "replicas: []" : "replicas:")
        for (server, replicas) in groups {
            lines.append("- chunks:")
            lines += replicas.map { "  - " + YAMLScalar.quotedIfNeeded($0) }
            lines.append("  server: " + YAMLScalar.quotedIfNeeded(server.str))
        }
        lines.append("size: " + YAMLScalar.quotedIfNeeded(FileSizeText.format(size)))
        return lines.joined(separator: "\n") + "\n"
    }

    /// The replicas of each server as text. The servers are in the order of simplexmq.
    private var replicasByServer: [(server: ProtocolServer, replicas: [String])] {
        var texts: [ProtocolServer: [String]] = [:]
        for chunk in chunks {
            for (index, replica) in chunk.replicas.enumerated() {
                var text = "\(chunk.number):\(Base64URL.encode(replica.id)):\(Base64URL.encode(replica.key.pkcs8))"
                if index == 0 {
                    text += ":" + Base64URL.encode(chunk.digest)
                    if chunk.size != chunkSize { text += ":" + FileSizeText.format(Int64(chunk.size)) }
                }
                texts[replica.server.withoutPassword, default: []].append(text)
            }
        }
        return texts.map { ($0.key, $0.value) }.sorted {
            $0.server.sortKey.lexicographicallyPrecedes($1.server.sortKey)
        }
    }

    /// Parses a description, and checks it (``validate()``).
    package init(parsing text: String) throws(FileDescriptionError) {
        guard text.utf8.count <= Self.maxTextSize else { throw .tooLarge }
        let fields = try YAMLNode(parsing: text).requireMapping("description")
        guard let party = Party(rawValue: try fields.requireString("party")) else { throw .malformed("party") }
        self.party = party
        size = try fields.parseSize("size")
        guard let chunkSize = Int(exactly: try fields.parseSize("chunkSize")) else { throw .chunkSize }
        self.chunkSize = chunkSize
        digest = try fields.decodeBytes("digest")
        do {
            key = try SymmetricKey(rawRepresentation: try fields.decodeBytes("key"))
            nonce = try BoxNonce(rawRepresentation: try fields.decodeBytes("nonce"))
        } catch { throw .malformed("key or nonce") }
        redirect =
            try fields["redirect"].map { node throws(FileDescriptionError) in
                let fields = try node.requireMapping("redirect")
                return Redirect(size: try fields.parseInteger("size"), digest: try fields.decodeBytes("digest"))
            } ?? nil
        var parts = FileDescriptionParts(defaultChunkSize: chunkSize)
        for server in try fields.requireList("replicas") {
            let fields = try server.requireMapping("replicas")
            guard let address = try? ProtocolServer(parsing: try fields.requireString("server")),
                address.scheme == .xftp,
                address.password == nil
            else {
                throw .malformed("server")
            }
            for chunk in try fields.requireList("chunks") {
                try parts.addReplica(try chunk.requireString("chunk"), at: address)
            }
        }
        chunks = try parts.makeChunks()
        try validate()
    }
}

/// The parts of a file description that is being parsed. The text lists replicas of chunks for each server, and any
/// replica can contain the digest and the size of its chunk.
private struct FileDescriptionParts {
    private struct ChunkPart {
        var size: Int?
        var digest: [UInt8]?
        var replicas: [FileDescription.Replica] = []
    }
    private let defaultChunkSize: Int
    private var parts: [Int: ChunkPart] = [:]

    init(defaultChunkSize: Int) { self.defaultChunkSize = defaultChunkSize }

    /// Adds a replica in the form `number:id:key[:digest][:size]`.
    mutating func addReplica(_ text: String, at server: ProtocolServer) throws(FileDescriptionError) {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (3...5).contains(fields.count), let number = FileSizeText.parse(fields[0]).flatMap(Int.init(exactly:)),
            fields[0].last?.isNumber == true
        else { throw .malformed("chunk") }
        guard (1...FileDescription.maxChunks).contains(number) else {
            throw number < 1 ? .wrongChunkNumbers : .tooLarge
        }
        var part = parts[number] ?? ChunkPart()
        let replica: FileDescription.Replica
        do {
            replica = FileDescription.Replica(
                server: server,
                id: try Base64URL.decode(fields[1]),
                key: try AuthorizationPrivateKey(pkcs8: try Base64URL.decode(fields[2]))
            )
        } catch { throw .malformed("chunk") }
        guard part.replicas.count < FileDescription.maxReplicas, !replica.id.isEmpty else { throw .wrongReplicaCount }
        var rest = fields.dropFirst(3)
        // The replica with the digest becomes the first replica, even if the text contains other replicas before it.
        part.replicas.insert(replica, at: rest.isEmpty || part.digest != nil ? part.replicas.count : 0)
        // A digest and a size cannot be confused: a digest has 32 bytes.
        if let field = rest.first, let digest = try? Base64URL.decode(field), digest.count == 32 {
            guard part.digest ?? digest == digest else {
                throw .malformed("replicas of a chunk have different sizes or digests")
            }
            part.digest = digest
            rest = rest.dropFirst()
        }
        if let field = rest.popFirst() {
            guard let size = FileSizeText.parse(field).flatMap(Int.init(exactly:)) else { throw .malformed("chunk") }
            guard part.size ?? size == size else {
                throw .malformed("replicas of a chunk have different sizes or digests")
            }
            part.size = size
        }
        guard rest.isEmpty else { throw .malformed("chunk") }
        parts[number] = part
    }

    func makeChunks() throws(FileDescriptionError) -> [FileDescription.Chunk] {
        var chunks: [FileDescription.Chunk] = []
        for (number, part) in parts.sorted(by: { $0.key < $1.key }) {
            guard let digest = part.digest else { throw .malformed("the digest of a chunk is missing") }
            chunks.append(
                FileDescription.Chunk(
                    number: number,
                    size: part.size ?? defaultChunkSize,
                    digest: digest,
                    replicas: part.replicas
                )
            )
        }
        return chunks
    }
}

extension ProtocolServer {
    /// The sort key that orders servers as in simplexmq: by hosts (grouped by the kind of host), then by port, then by
    /// fingerprint.
    fileprivate var sortKey: [[UInt8]] {
        hosts.map { host in
            switch host {
            case .ipv4(let bytes): [1] + bytes
            case .ipv6(let bytes): [2] + bytes
            case .onion(let name): [3] + Array(name.utf8)
            case .domain(let name): [4] + Array(name.utf8)
            }
        } + [[0] + Array(port.utf8), [0] + keyHash]
    }
}

extension Array where Element == [UInt8] {
    fileprivate func lexicographicallyPrecedes(_ other: [[UInt8]]) -> Bool {
        lexicographicallyPrecedes(other) { $0.lexicographicallyPrecedes($1) }
    }
}

extension [String: YAMLNode] {
    fileprivate func requireNode(_ name: String) throws(FileDescriptionError) -> YAMLNode {
        guard let node = self[name] else { throw .malformed("no \(name)") }
        return node
    }

    fileprivate func requireString(_ name: String) throws(FileDescriptionError) -> String {
        try requireNode(name).requireString(name)
    }

    fileprivate func requireList(_ name: String) throws(FileDescriptionError) -> [YAMLNode] {
        guard case .list(let items) = try requireNode(name) else { throw .malformed(name) }
        return items
    }

    fileprivate func parseSize(_ name: String) throws(FileDescriptionError) -> Int64 {
        guard let size = FileSizeText.parse(try requireString(name)) else { throw .malformed(name) }
        return size
    }

    fileprivate func decodeBytes(_ name: String) throws(FileDescriptionError) -> [UInt8] {
        guard let bytes = try? Base64URL.decode(try requireString(name)) else { throw .malformed(name) }
        return bytes
    }

    fileprivate func parseInteger(_ name: String) throws(FileDescriptionError) -> Int64 {
        guard case .scalar(let text, isQuoted: false) = try requireNode(name), let number = Int64(text) else {
            throw .malformed(name)
        }
        return number
    }
}

extension YAMLNode {
    fileprivate func requireMapping(_ name: String) throws(FileDescriptionError) -> [String: YAMLNode] {
        guard case .mapping(let fields) = self else { throw .malformed(name) }
        return fields
    }

    /// Returns the scalar as a text. Throws if YAML reads the scalar as a number or a reserved word, such as `null`.
    fileprivate func requireString(_ name: String) throws(FileDescriptionError) -> String {
        guard case .scalar(let text, let isQuoted) = self, isQuoted || YAMLScalar.isText(text) else {
            throw .malformed(name)
        }
        return text
    }
}
