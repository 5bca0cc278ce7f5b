internal import Concurrency
internal import NIOCore
internal import XRCP

/// The memory limit for the bodies of one session, whatever the number of concurrent bodies.
struct BodyBudget: Sendable {
    /// Size in bytes above which only two bodies are read at a time.
    private static let smallBox = 1 << 20
    private let largeBoxes = AsyncLock(places: 2)
    /// Held while a body is decrypted and decoded, since a decoded body can be many times as large as its encrypted
    /// form.
    private let decoding = AsyncLock()

    fileprivate func reading<T>(_ size: Int, _ body: () async throws -> T) async throws -> T {
        try await size > Self.smallBox ? largeBoxes.run(body) : body()
    }

    fileprivate func decoding<T>(_ body: () throws -> T) async throws -> T { try await decoding.run(body) }
}

extension ExchangeStream {
    /// Reads a body within the budget, and decodes it.
    /// - Parameters:
    ///   - time: the limit for waiting for the body.
    ///   - decode: gets the content, and the key of a file that may follow.
    func body<T>(
        _ cipher: SessionCipher,
        within time: TimeAmount,
        _ budget: BodyBudget,
        decode: ([UInt8], SealingKey) throws -> T
    ) async throws -> T {
        let head = try await readHead(cipher, within: time)
        return try await budget.reading(head.size) {
            let sealed = try await readBox(head, cipher)
            return try await budget.decoding {
                let (content, file) = try Self.open(head, sealed, cipher)
                return try decode(content, file)
            }
        }
    }
}
