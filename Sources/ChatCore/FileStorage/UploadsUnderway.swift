internal import Concurrency
internal import Glibc
import Synchronization

/// The uploads that requests of this process have begun. Resumable uploads are kept in this object between requests, so
/// their files need not be read again.
final class UploadsUnderway: Sendable {
    private struct State {
        var idleUploads: [String: Upload] = [:]
        /// For each upload in use, a function that ends its request; nil if this request receives no part of the
        /// upload.
        var busyInterrupts: [String: (@Sendable () -> Void)?] = [:]
        /// Idle uploads in the order in which they became idle.
        var idleOrder: [String] = []
    }
    private let state = Mutex(State())
    private let releaseWaiters = CompletionWaiters<String>()
    /// The maximum number of idle uploads; each uses some kilobytes of memory.
    private static let maxIdleUploads = 256
    private let takeOverTimeout: Duration

    /// Creates an empty set of uploads.
    /// - Parameter takeOverTimeout: the time for which a request waits until another request releases the upload.
    init(takeOverTimeout: Duration = .seconds(10)) { self.takeOverTimeout = takeOverTimeout }

    /// Reserves an upload for one request.
    /// - Parameter interrupt: a function that ends the request if another request takes over the upload; nil if the
    ///   request receives no part.
    /// - Returns: false if another request uses the upload; otherwise true, and the upload if this process knows it.
    func reserveUpload(_ id: String, interrupt: (@Sendable () -> Void)? = nil) -> (isFree: Bool, upload: Upload?) {
        state.withLock { state in
            guard state.busyInterrupts[id] == nil else { return (false, nil) }
            state.busyInterrupts[id] = .some(interrupt)
            state.idleOrder.removeAll { $0 == id }
            return (true, state.idleUploads.removeValue(forKey: id))
        }
    }

    /// Reserves an upload for one request, and interrupts another request that uses the upload. A client that continues
    /// an upload has lost its earlier connection, even if this connection still looks open to this program.
    func takeOverUpload(_ id: String, interrupt: (@Sendable () -> Void)?) async -> (isFree: Bool, upload: Upload?) {
        let end = ContinuousClock.now + takeOverTimeout
        while true {
            let change = releaseWaiters.expectCompletion(id)
            let taken = reserveUpload(id, interrupt: interrupt)
            let left = end - .now
            guard !taken.isFree, left > .zero else { return taken }
            state.withLock { $0.busyInterrupts[id] ?? nil }?()
            await releaseWaiters.waitForCompletion(for: change, of: id, atMost: left)
        }
    }

    /// Releases an upload.
    /// - Parameter upload: the upload for the next request; nil if the upload has ended.
    func releaseUpload(_ id: String, _ upload: Upload?) {
        defer { releaseWaiters.reportCompletion(id) }
        state.withLock { state in
            state.busyInterrupts[id] = nil
            guard let upload else { return }
            state.idleUploads[id] = upload
            state.idleOrder.append(id)
            if state.idleOrder.count > Self.maxIdleUploads { state.idleUploads[state.idleOrder.removeFirst()] = nil }
        }
    }

    var knownUploadIds: Set<String> { state.withLock { Set($0.busyInterrupts.keys).union($0.idleUploads.keys) } }
}
