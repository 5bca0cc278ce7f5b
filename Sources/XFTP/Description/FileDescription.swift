public import SMP
public import SimpleXCrypto

/// Places of the chunks of a file, with the data to decrypt the file. Each recipient gets a separate description.
/// The sender's description serves to delete the chunks.
///
/// simplexmq `protocol/xftp.md`, "File description". A value may be anything; ``validate()`` says whether it can be
/// worked with.
public struct FileDescription: Hashable, Sendable {
    public enum Party: String, Sendable { case sender, recipient }

    /// A part of the encrypted file.
    public struct Chunk: Hashable, Sendable {
        /// From 1.
        public var number: Int
        /// In bytes.
        public var size: Int
        /// SHA-256.
        public var digest: [UInt8]
        /// Places of the chunk. Each place has the whole chunk.
        public var replicas: [Replica]

        public init(number: Int, size: Int, digest: [UInt8], replicas: [Replica]) {
            self.number = number
            self.size = size
            self.digest = digest
            self.replicas = replicas
        }
    }

    public struct Replica: Hashable, Sendable {
        /// Without a password.
        public var server: ProtocolServer
        /// The party's id of the chunk.
        public var id: [UInt8]
        /// Signs the party's commands.
        public var key: AuthorizationPrivateKey

        public init(server: ProtocolServer, id: [UInt8], key: AuthorizationPrivateKey) {
            self.server = server
            self.id = id
            self.key = key
        }
    }

    /// The file whose description is the contents of this one: its size when encrypted, and its digest.
    public struct Redirect: Hashable, Sendable {
        public var size: Int64
        public var digest: [UInt8]

        public init(size: Int64, digest: [UInt8]) {
            self.size = size
            self.digest = digest
        }
    }

    public var party: Party
    /// The size of the encrypted file in bytes: the sum of the chunks.
    public var size: Int64
    /// SHA-512 of the encrypted file.
    public var digest: [UInt8]
    public var key: SymmetricKey
    public var nonce: BoxNonce
    /// In bytes, of the chunks that name no other size in the text.
    public var chunkSize: Int
    /// Ordered by their numbers.
    public var chunks: [Chunk]
    public var redirect: Redirect?

    public init(
        party: Party,
        size: Int64,
        digest: [UInt8],
        key: SymmetricKey,
        nonce: BoxNonce,
        chunkSize: Int,
        chunks: [Chunk],
        redirect: Redirect? = nil
    ) {
        self.party = party
        self.size = size
        self.digest = digest
        self.key = key
        self.nonce = nonce
        self.chunkSize = chunkSize
        self.chunks = chunks
        self.redirect = redirect
    }

    /// Bytes of the encrypted file that this description leads to, at last.
    public var finalSize: Int64 { redirect?.size ?? size }

    /// All servers with chunks of the file, each once, in the order of the chunks.
    public var servers: [ProtocolServer] {
        var seen: Set<ProtocolServer> = []
        return chunks.flatMap(\.replicas).map(\.server).filter { seen.insert($0).inserted }
    }
}

/// Reason why a description is refused.
public enum FileDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not a description. The value names the fault.
    case malformed(String)
    /// The text is too long, or it names too much.
    case tooLarge
    case chunkNumbers
    case totalSize
    /// A chunk that no server has.
    case chunkSize
    case digest
    /// A chunk has no replica, or too many.
    case replicas
    /// The description is for the other party.
    case party

    public var description: String {
        switch self {
        case .malformed(let what): what
        case .tooLarge: "file description is too large"
        case .chunkNumbers: "chunk numbers are not sequential"
        case .totalSize: "chunks total size is different than file size"
        case .chunkSize: "bad chunk size"
        case .digest: "bad digest"
        case .replicas: "bad number of chunk replicas"
        case .party: "file description of another party"
        }
    }
}

extension FileDescription {
    /// Bytes of the text. A gigabyte in chunks of 4 MiB needs 50 kilobytes for each place where they are.
    public static let maxTextSize = 1 << 20
    /// A file of the largest size has 1,284; more are allowed for those who cut smaller.
    static let maxChunks = 4096
    static let maxReplicas = 8

    /// Checks that the numbers, sizes and digests fit each other and the bounds.
    public func validate() throws(FileDescriptionError) {
        guard digest.count == 64 else { throw .digest }
        guard !chunks.isEmpty, chunks.count <= Self.maxChunks else { throw chunks.isEmpty ? .totalSize : .tooLarge }
        guard chunks.enumerated().allSatisfy({ $0 + 1 == $1.number }) else { throw .chunkNumbers }
        guard chunks.allSatisfy({ (1...ChunkSizes.largest).contains($0.size) }) else { throw .chunkSize }
        guard chunks.reduce(0, { $0 + Int64($1.size) }) == size else { throw .totalSize }
        guard size <= ChunkSizes.hardLimit, size > Int64(FileLayout.overhead) else { throw .tooLarge }
        guard chunks.allSatisfy({ $0.digest.count == 32 }) else { throw .digest }
        guard chunks.allSatisfy({ (1...Self.maxReplicas).contains($0.replicas.count) }) else { throw .replicas }
        guard let redirect else { return }
        guard redirect.digest.count == 64 else { throw .digest }
        guard redirect.size > Int64(FileLayout.overhead), redirect.size <= ChunkSizes.hardLimit else { throw .tooLarge }
    }
}
