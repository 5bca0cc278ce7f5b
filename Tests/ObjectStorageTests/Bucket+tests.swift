import Descriptors
import NIOCore
import NIOPosix
import OutgoingHTTP
import Synchronization
import Testing

@testable import ObjectStorage

/// Makes a client for the bucket URL of a test.
func makeBucket(_ url: String, silence: TimeAmount = .seconds(30), authorities: String? = nil) throws -> S3Bucket {
    var patience = S3Bucket.Timeouts()
    (patience.maxSilence, patience.totalTime) = (silence, .seconds(60))
    return try S3Bucket(
        try S3URL(url),
        authorities: authorities,
        group: MultiThreadedEventLoopGroup.singleton,
        connections: Allowance(8),
        patience: patience
    )
}

extension ObjectSource {
    /// Makes a source whose bytes are in memory.
    init(_ bytes: [UInt8], size: Int? = nil) {
        self.init(size: Int64(size ?? bytes.count)) {
            let at = Mutex(0)
            return { count in
                at.withLock { at in
                    let part = bytes[at..<min(at + count, bytes.count)]
                    at += part.count
                    return Array(part)
                }
            }
        }
    }
}

extension S3Bucket {
    /// Reads an object, part by part.
    func readContent(_ key: String, size: Int) async throws -> [UInt8] {
        let received = ReceivedBytes()
        try await fetchObject(key, size: Int64(size)) { received.add($0) }
        return received.all
    }
}

final class ReceivedBytes: Sendable {
    private let bytes = Mutex<[UInt8]>([])
    var all: [UInt8] { bytes.withLock { $0 } }
    func add(_ part: [UInt8]) { bytes.withLock { $0 += part } }
}

/// Runs `body`, and returns the error that it throws.
func catchError(_ body: () async throws -> Void) async -> ObjectError? {
    do { try await body() } catch { return error as? ObjectError }
    return nil
}
