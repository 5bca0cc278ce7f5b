internal import Synchronization

/// A complete response that is prepared once and sent to any number of clients.
package final class PreparedResponse: Sendable {
    private enum CompressionState: Sendable {
        case notTried
        case notSmaller
        case compressed(PreparedResponse)
    }

    let status: Int
    let headers: [(name: String, value: String)]
    let body: SharedBytes
    /// The share of the content in the memory that ``UnreadAnswers`` counts; nil if the content is not counted.
    let memoryShare: UnreadAnswers.Share?
    /// Whether clients need no key for this content, and all clients get the same content.
    let isPublic: Bool
    private let compressionState = Mutex(CompressionState.notTried)

    init(
        status: Int,
        headers: [(name: String, value: String)],
        body: SharedBytes,
        isPublic: Bool = false,
        share: UnreadAnswers.Share? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isPublic = isPublic
        self.memoryShare = share
    }

    package convenience init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.init(status: status, headers: headers, body: SharedBytes(body))
    }

    convenience init(status: Int, headers: [(name: String, value: String)], body: [UInt8], share: UnreadAnswers.Share?)
    {
        self.init(status: status, headers: headers, body: SharedBytes(body), share: share)
    }

    /// The compressed form; nil before ``compress()``, or when the compressed form is not smaller.
    var compressed: PreparedResponse? {
        if case .compressed(let response) = compressionState.withLock({ $0 }) { response } else { nil }
    }

    /// Whether ``compress()`` has been called.
    var isCompressionKnown: Bool { if case .notTried = compressionState.withLock({ $0 }) { false } else { true } }

    /// Makes the compressed form. Large bodies take milliseconds, so this function must not run on the HTTP library's
    /// threads.
    func compress() {
        guard !isCompressionKnown else { return }
        let made = ContentCoding.gzip(body.array, isPublic: isPublic).map {
            PreparedResponse(
                status: status,
                headers: ContentCoding.makeCompressedHeaders(headers),
                body: SharedBytes($0),
                share: memoryShare
            )
        }
        compressionState.withLock { packed in
            if case .notTried = packed { packed = made.map(CompressionState.compressed) ?? .notSmaller }
        }
    }
}
