internal import SimpleXCrypto
internal import Synchronization

/// Facts about a request for the log and the metrics. They are collected while the request is served.
package final class RequestTrace: Sendable {
    struct Facts: Sendable {
        /// The template of the request's route; nil for a request without a route.
        var route: String?
        /// The id of the key that authorized the request.
        var keyID: String?
        /// The id of the store to which the key belongs; nil for the first store.
        var storeID: String?
        /// The request's place in a distributed trace, from the header field `traceparent`.
        var traceContext: TraceContext?
        /// The messages that the request has sent; nil for none.
        var sentMessages: SentMessages?
        /// Whether the request is a stream or long poll. The client decides about its duration.
        var isStreamOrPoll = false
        /// Whether the request is a probe. Probes are frequent and only check the program.
        var isProbe = false
        /// The announced end of the request's route.
        var deprecation: Deprecation?
        /// The limits of requests that apply to this request, each with the number of requests that are left.
        var quotas: [RequestQuota] = []
    }

    /// Messages that a request has sent.
    struct SentMessages: Sendable {
        /// The epoch of the journal in the store that has the messages.
        let epoch: String
        let itemIds: [Int64]
    }

    private let state = Mutex(Facts())

    var facts: Facts { state.withLock { $0 } }

    func changeFacts(_ change: (inout Facts) -> Void) { state.withLock { change(&$0) } }

    /// Records how many more requests a limit allows the client. Does nothing for nil, which means that there is no
    /// limit.
    func addQuota(_ quota: RequestQuota?) {
        if let quota { changeFacts { $0.quotas.append(quota) } }
    }
}

/// A request that has ended, with or without an answer.
package struct FinishedRequest: Sendable {
    package let request: HTTPRequest
    /// The status; 0 for a request without an answer.
    package let status: Int
    /// Microseconds from the header of the request to the end of the answer.
    package let durationMicroseconds: Int64
    /// The number of bytes in the answer's content; nil if it was unknown before the answer was sent.
    package let contentBytes: Int?
}

/// The id of a request in answers, logs and problem documents: the id from the client or its proxy, or 96 random bits.
enum RequestID {
    static let headerName = "X-Request-Id"
    /// Maximal number of characters in an id from a client.
    static let maxLength = 128

    static func chooseID(_ sent: String?) -> String {
        guard let sent, isAcceptableID(sent) else {
            return Base64URL.encode(RandomBytes.make(count: 12), padding: false)
        }
        return sent
    }

    /// Whether an id can be repeated in headers and log lines. An acceptable id has no spaces, and no characters with a
    /// special meaning in headers or log lines.
    private static func isAcceptableID(_ text: String) -> Bool {
        guard (1...maxLength).contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._:/+=@".utf8.contains(byte)
            }
        }
    }
}
