internal import Concurrency
package import NIOCore
package import XRCP

/// The limit of the memory for message bodies in one session between a controller and a host. The limit holds for any
/// number of concurrent bodies.
package struct BodyBudget: Sendable {
    /// The size in bytes above which a body is large. Only two large bodies are read at a time.
    private static let largeBodyBytes = 1 << 20
    private let largeBodyLock = AsyncLock(places: 2)
    /// The lock by which only one body at a time is decrypted and decoded. A decoded body can be many times as large as
    /// its encrypted form.
    private let decodingLock = AsyncLock()

    package init() {}

    fileprivate func limitReading<T>(_ size: Int, _ body: () async throws -> T) async throws -> T {
        try await size > Self.largeBodyBytes ? largeBodyLock.runLocked(body) : body()
    }

    fileprivate func limitDecoding<T>(_ body: () throws -> T) async throws -> T {
        try await decodingLock.runLocked(body)
    }
}

extension ExchangeStream {
    /// Reads a message body within the limits of the budget, and decodes it.
    /// - Parameters:
    ///   - time: the maximum time to wait for the body.
    ///   - decode: decodes the content. Its second parameter is the key of a file that may follow the body.
    package func readDecodedBody<T>(
        _ cipher: SessionCipher,
        within time: TimeAmount,
        _ budget: BodyBudget,
        decode: ([UInt8], SealingKey) throws -> T
    ) async throws -> T {
        let head = try await readHead(cipher, within: time)
        return try await budget.limitReading(head.size) {
            let sealed = try await readSealedBody(head, cipher)
            return try await budget.limitDecoding {
                let (content, file) = try Self.openBody(head, sealed, cipher)
                return try decode(content, file)
            }
        }
    }
}
