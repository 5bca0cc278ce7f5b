package import SMP
package import SimpleXCrypto

/// Locations of the chunks of a file, with the values that decrypt the file. Each recipient gets a separate
/// description. The sender uses the sender's description to delete the chunks.
///
/// simplexmq `protocol/xftp.md`, "File description". A description may have any values; ``validate()`` checks whether
/// it can be used.
package struct FileDescription: Hashable, Sendable {
    package enum Party: String, Sendable { case sender, recipient }

    /// A part of the encrypted file.
    package struct Chunk: Hashable, Sendable {
        /// The number of the chunk in the file, from 1.
        package var number: Int
        /// The size of the chunk in bytes.
        package var size: Int
        /// The SHA-256 of the chunk.
        package var digest: [UInt8]
        /// The replicas of the chunk. Each replica is the whole chunk.
        package var replicas: [Replica]

        package init(number: Int, size: Int, digest: [UInt8], replicas: [Replica]) {
            self.number = number
            self.size = size
            self.digest = digest
            self.replicas = replicas
        }
    }

    package struct Replica: Hashable, Sendable {
        /// The server of the replica, without a password.
        package var server: ProtocolServer
        /// The id of the chunk for the owner of the description.
        package var id: [UInt8]
        /// The key that signs the commands of the owner of the description.
        package var key: AuthorizationPrivateKey

        package init(server: ProtocolServer, id: [UInt8], key: AuthorizationPrivateKey) {
            self.server = server
            self.id = id
            self.key = key
        }
    }

    /// The size and digest of the encrypted file to which a description redirects. The chunks of the description then
    /// contain only another description, which leads to that file.
    package struct Redirect: Hashable, Sendable {
        package var size: Int64
        package var digest: [UInt8]

        package init(size: Int64, digest: [UInt8]) {
            self.size = size
            self.digest = digest
        }
    }

    package var party: Party
    /// The size of the encrypted file in bytes, which is the sum of the chunks.
    package var size: Int64
    /// SHA-512 of the encrypted file.
    package var digest: [UInt8]
    package var key: SymmetricKey
    package var nonce: BoxNonce
    /// The size in bytes of the chunks that have no size in the text.
    package var chunkSize: Int
    /// The chunks, ordered by their numbers.
    package var chunks: [Chunk]
    package var redirect: Redirect?

    package init(
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

    /// The number of bytes of the encrypted file to which this description leads, possibly through a redirect.
    package var finalSize: Int64 { redirect?.size ?? size }

    /// All servers with chunks of the file, without repetition, in the order of the chunks.
    package var servers: [ProtocolServer] {
        var seen: Set<ProtocolServer> = []
        return chunks.flatMap(\.replicas).map(\.server).filter { seen.insert($0).inserted }
    }
}

/// The reason why a description is refused.
package enum FileDescriptionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not a description. The value describes the fault.
    case malformed(String)
    /// The text is too long, or contains too many chunks.
    case tooLarge
    case wrongChunkNumbers
    case wrongTotalSize
    /// A chunk has an impossible size.
    case chunkSize
    case digest
    /// A chunk has no replica, or too many replicas.
    case wrongReplicaCount
    /// The description is a sender's description although a recipient's description is needed, or the reverse.
    case wrongParty

    package var description: String {
        switch self {
        case .malformed(let what): what
        case .tooLarge: "file description is too large"
        case .wrongChunkNumbers: "chunk numbers are not sequential"
        case .wrongTotalSize: "chunks total size is different than file size"
        case .chunkSize: "bad chunk size"
        case .digest: "bad digest"
        case .wrongReplicaCount: "bad number of chunk replicas"
        case .wrongParty: "file description of another party"
        }
    }
}

extension FileDescription {
    /// Maximal number of bytes of the text of a description. A file of one gigabyte in chunks of 4 MiB needs 50
    /// kilobytes of text for each server that has all chunks.
    package static let maxTextSize = 1 << 20
    /// Maximal number of chunks. A file of the largest size has 1,284 chunks; more are allowed for senders that use
    /// smaller chunks.
    static let maxChunks = 4096
    static let maxReplicas = 8

    /// Checks that the numbers, sizes and digests fit each other and are within the limits.
    package func validate() throws(FileDescriptionError) {
        guard digest.count == 64 else { throw .digest }
        guard !chunks.isEmpty, chunks.count <= Self.maxChunks else {
            throw chunks.isEmpty ? .wrongTotalSize : .tooLarge
        }
        guard chunks.enumerated().allSatisfy({ $0 + 1 == $1.number }) else { throw .wrongChunkNumbers }
        guard chunks.allSatisfy({ (1...ChunkSizes.largestSize).contains($0.size) }) else { throw .chunkSize }
        guard chunks.reduce(0, { $0 + Int64($1.size) }) == size else { throw .wrongTotalSize }
        guard size <= ChunkSizes.maxEncryptedFileBytes, size > Int64(FileLayout.overheadBytes) else { throw .tooLarge }
        guard chunks.allSatisfy({ $0.digest.count == 32 }) else { throw .digest }
        guard chunks.allSatisfy({ (1...Self.maxReplicas).contains($0.replicas.count) }) else {
            throw .wrongReplicaCount
        }
        guard let redirect else { return }
        guard redirect.digest.count == 64 else { throw .digest }
        guard redirect.size > Int64(FileLayout.overheadBytes), redirect.size <= ChunkSizes.maxEncryptedFileBytes else {
            throw .tooLarge
        }
    }
}
