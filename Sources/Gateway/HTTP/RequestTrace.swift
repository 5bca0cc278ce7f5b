internal import SimpleXCrypto
internal import Synchronization

/// What becomes known of a request on its way, for the log and the metrics.
public final class RequestTrace: Sendable {
    struct Facts: Sendable {
        /// The template of its route; nil where there is none.
        var route: String?
        /// The id of the key that let it in.
        var keyID: String?
        /// The trace that it belongs to; its header fields are not kept.
        var context: TraceContext?
        /// Whether it follows something, so that its duration is its client's choice.
        var follows = false
        /// Whether it is one of many that only watch the program.
        var isProbe = false
    }

    private let state = Mutex(Facts())

    var facts: Facts { state.withLock { $0 } }

    func note(_ change: (inout Facts) -> Void) { state.withLock { change(&$0) } }
}

/// A request that has its answer.
public struct FinishedRequest: Sendable {
    public let request: HTTPRequest
    /// 0 when it was not answered.
    public let status: Int
    /// From the header of the request to the end of the answer.
    public let microseconds: Int64
    /// Bytes of the answer's content, if they were known before it was sent.
    public let bytes: Int?
}

/// The name of a request in answers, logs and problem documents: that of its client or proxy, or 96 random bits.
enum RequestID {
    static let header = "X-Request-Id"
    /// Characters of a name that is taken from a request.
    static let longest = 128

    static func of(_ sent: String?) -> String {
        guard let sent, isAcceptable(sent) else { return Base64URL.encode(RandomBytes.make(count: 12), padding: false) }
        return sent
    }

    /// It is repeated in headers and log lines, so it has neither spaces nor anything that means something there.
    private static func isAcceptable(_ text: String) -> Bool {
        guard (1...longest).contains(text.utf8.count) else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "-._:/+=@".utf8.contains(byte)
            }
        }
    }
}
