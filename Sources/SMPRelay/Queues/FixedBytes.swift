/// 24 bytes stored inline: ids of queues and messages without a heap block for each.
struct Bytes24: Hashable, Sendable {
    static let count = 24
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64

    /// Nil unless there are exactly 24 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var words: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        (a, b, c) = words
    }

    static func random() -> Bytes24 {
        var random = SystemRandomNumberGenerator()
        return Bytes24(random: &random)
    }

    private init(random: inout SystemRandomNumberGenerator) {
        (a, b, c) = (random.next(), random.next(), random.next())
    }

    var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: self) { bytes.append(contentsOf: $0) }
    }
}

/// 32 bytes kept in place: secrets shared with recipients.
struct Bytes32: Hashable, Sendable {
    static let count = 32
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// Nil unless there are exactly 32 bytes.
    init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        (a, b, c, d) = words
    }

    var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    func append(to bytes: inout [UInt8]) {
        withUnsafeBytes(of: self) { bytes.append(contentsOf: $0) }
    }
}

/// The id of a queue for its recipient, or for its sender.
typealias QueueID = Bytes24
/// The id of a message, which is also the nonce of its encryption to the recipient.
typealias MessageID = Bytes24
/// The id of a queue in a short link.
typealias LinkID = Bytes24
/// The id of a queue for a notification server.
typealias NotifierID = Bytes24
/// The id of a client with a certificate of its own.
typealias ServiceID = Bytes24
