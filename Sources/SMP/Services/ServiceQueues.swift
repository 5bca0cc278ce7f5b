import SimpleXCrypto

/// The number and a hash of a service's queues. Service and relay compare these two values when the service subscribes
/// to all its queues (from version 19).
///
/// simplexmq `protocol/simplex-messaging.md`, "Service subscription response".
package struct ServiceQueues: Hashable, Sendable {
    package var count: Int64
    package var hash: QueueIDsHash

    package init(count: Int64, hash: QueueIDsHash = QueueIDsHash()) {
        self.count = count
        self.hash = hash
    }

    /// Makes the number and the hash of the queues with the given recipient ids or notifier ids.
    package init(_ ids: some Sequence<[UInt8]>) {
        self.init(count: 0)
        for id in ids { addQueue(id) }
    }

    package mutating func addQueue(_ id: [UInt8]) {
        count += 1
        hash.toggleID(id)
    }

    /// The value in versions before 19, in which services do not send the number and the hash.
    package static let unknown = ServiceQueues(count: -1)

    func encode(to writer: inout ByteWriter, version: SMPVersion) {
        writer.writeInt64(count)
        if version >= .firstWithServiceSubscriptions { writer.writeValue(hash) }
    }

    init(from reader: inout ByteReader, version: SMPVersion) throws(SMPEncodingError) {
        count = try reader.readInt64()
        hash = version >= .firstWithServiceSubscriptions ? try reader.readValue() : QueueIDsHash()
    }
}

/// The XOR of the MD5 hashes of ids. The order of the ids does not matter, and adding an id twice removes it. The hash
/// gives no security; it only detects that the two sides know different queues.
package struct QueueIDsHash: Hashable, Sendable, SMPCodable {
    private var words = SIMD2<UInt64>()

    /// Makes the hash of an empty set of queues.
    package init() {}

    package mutating func toggleID(_ id: [UInt8]) { words ^= Self.words(of: Digest.md5(id)) }

    /// The 16 bytes of the hash.
    package var bytes: [UInt8] { withUnsafeBytes(of: words) { Array($0) } }

    package func encode(to writer: inout ByteWriter) { writer.writeShortBytes(bytes) }

    package init(from reader: inout ByteReader) throws(SMPEncodingError) {
        let bytes = try reader.readShortBytes()
        guard bytes.count == MemoryLayout<SIMD2<UInt64>>.size else { throw .invalidValue("hash of ids") }
        words = Self.words(of: bytes)
    }

    private static func words(of bytes: [UInt8]) -> SIMD2<UInt64> {
        var words = SIMD2<UInt64>()
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        return words
    }
}
