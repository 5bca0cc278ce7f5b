internal import Synchronization

/// A complete response that is prepared once and sent to any number of clients.
package final class PreparedResponse: Sendable {
    private enum Packed: Sendable {
        case unknown
        case none
        case some(PreparedResponse)
    }

    let status: Int
    let headers: [(name: String, value: String)]
    let body: SharedBytes
    /// The counted memory of the content among unread answers.
    let share: UnreadAnswers.Share?
    /// Whether all clients get the same content, without a key.
    let isPublic: Bool
    private let packed = Mutex(Packed.unknown)

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
        self.share = share
    }

    package convenience init(status: Int, headers: [(name: String, value: String)], body: [UInt8]) {
        self.init(status: status, headers: headers, body: SharedBytes(body))
    }

    convenience init(status: Int, headers: [(name: String, value: String)], body: [UInt8], share: UnreadAnswers.Share?)
    {
        self.init(status: status, headers: headers, body: SharedBytes(body), share: share)
    }

    /// The compressed form; nil before ``pack()``, or when the compressed form is not smaller.
    var compressed: PreparedResponse? {
        if case .some(let response) = packed.withLock({ $0 }) { response } else { nil }
    }

    /// Whether ``pack()`` has been called.
    var isPacked: Bool { if case .unknown = packed.withLock({ $0 }) { false } else { true } }

    /// Makes the compressed form. Large bodies take milliseconds, so this must not run on the HTTP library's threads.
    func pack() {
        guard !isPacked else { return }
        let made = ContentCoding.gzip(body.array, isPublic: isPublic).map {
            PreparedResponse(
                status: status,
                headers: ContentCoding.compressedHeaders(headers),
                body: SharedBytes($0),
                share: share
            )
        }
        packed.withLock { packed in
            if case .unknown = packed { packed = made.map(Packed.some) ?? .none }
        }
    }
}
