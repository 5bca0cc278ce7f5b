internal import Synchronization

/// The memory of answers that were not sent completely, and of large incomplete requests, for all clients of the
/// process.
///
/// An answer can be far larger than its request. For a client that sends requests and reads no answers, the gateway
/// would have to keep all answers. So answers are counted for each client, and a client with too many bytes is refused
/// before its next command runs.
package final class UnreadAnswers: Sendable {
    /// Limit for the bytes of all clients together. Above this limit, only clients with few bytes are served.
    let maxBytes: Int
    /// Maximal number of bytes of one client.
    var maxClientBytes: Int { maxBytes / 2 }
    /// Number of counted bytes that every client may have, even when the limit for all clients together is reached.
    var guaranteedBytes: Int { maxBytes / 16 }
    private let totalBytes = Atomic(0)
    private let bytesByClient = Mutex<[String: Int]>([:])

    package init(limit: Int = 128 << 20) { self.maxBytes = limit }

    /// Whether a client has too many bytes to send another request now.
    func isFull(_ client: String) -> Bool {
        let total = totalBytes.load(ordering: .relaxed)
        // Each request calls this function, and the total is nearly always small, so this check comes first.
        guard total >= guaranteedBytes else { return false }
        let own = bytesByClient.withLock { $0[client] ?? 0 }
        return own >= maxClientBytes || total >= maxBytes && own >= guaranteedBytes
    }

    /// Counts the bytes of an answer until the returned share is released.
    func countBytes(_ bytes: Int, of client: String) -> Share {
        totalBytes.add(bytes, ordering: .relaxed)
        bytesByClient.withLock { $0[client, default: 0] += bytes }
        return Share(of: self, client, bytes)
    }

    /// Counts bytes of an incomplete request until the returned share is released. Returns nil when the limit is
    /// reached.
    func reserve(_ bytes: Int, of client: String) -> Share? { isFull(client) ? nil : countBytes(bytes, of: client) }

    /// Counts the content of a response until the response is released, unless it is counted already. Small contents
    /// are not counted, since the number of connections limits their memory.
    func countContent(_ response: inout HTTPResponse, of client: String) {
        guard response.memoryShare == nil, case .bytes(let bytes) = response.content, bytes.count > 64 * 1024 else {
            return
        }
        response.memoryShare = countBytes(bytes.count, of: client)
    }

    /// The text for a client that is refused because of these limits.
    static let refusalText =
        "Too many answers wait for the client to read them, or too many of its requests are not complete."

    /// The number of bytes that are counted now.
    var countedBytes: Int { totalBytes.load(ordering: .relaxed) }

    fileprivate func releaseBytes(_ bytes: Int, of client: String) {
        totalBytes.subtract(bytes, ordering: .relaxed)
        bytesByClient.withLock { clients in
            let rest = (clients[client] ?? 0) - bytes
            clients[client] = rest > 0 ? rest : nil
        }
    }

    /// Counted bytes of one client. They are counted until this object is released.
    package final class Share: Sendable {
        private let answers: UnreadAnswers
        private let client: String
        private let bytes: Int

        fileprivate init(of answers: UnreadAnswers, _ client: String, _ bytes: Int) {
            self.answers = answers
            self.client = client
            self.bytes = bytes
        }

        deinit { answers.releaseBytes(bytes, of: client) }
    }
}
