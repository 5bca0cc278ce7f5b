internal import Synchronization

/// The memory of answers that were not sent completely, and of large incomplete requests, for all clients of the
/// process.
///
/// An answer can be far larger than its request. For a client that sends requests and reads no answers, the gateway
/// would have to keep all answers. So answers are counted for each client, and a client with too many bytes is refused
/// before its next command runs.
package final class UnreadAnswers: Sendable {
    /// Limit for the bytes of all clients together. Above this limit, only clients with few bytes are served.
    let limit: Int
    /// Maximal number of bytes of one client.
    var clientLimit: Int { limit / 2 }
    /// Number of bytes that every client may have, independent of other clients.
    var guaranteed: Int { limit / 16 }
    private let total = Atomic(0)
    private let clients = Mutex<[String: Int]>([:])

    package init(limit: Int = 128 << 20) { self.limit = limit }

    /// Whether a client has too many bytes to send another request now.
    func isFull(_ client: String) -> Bool {
        let total = total.load(ordering: .relaxed)
        // Each request calls this function, and the total is nearly always small, so this check comes first.
        guard total >= guaranteed else { return false }
        let own = clients.withLock { $0[client] ?? 0 }
        return own >= clientLimit || total >= limit && own >= guaranteed
    }

    /// Counts the bytes of an answer until the returned share is released.
    func share(_ bytes: Int, of client: String) -> Share {
        total.add(bytes, ordering: .relaxed)
        clients.withLock { $0[client, default: 0] += bytes }
        return Share(of: self, client, bytes)
    }

    /// Counts bytes of an incomplete request until the returned share is released. Returns nil when the limit is
    /// reached.
    func reserve(_ bytes: Int, of client: String) -> Share? { isFull(client) ? nil : share(bytes, of: client) }

    /// Counts the content of a response until the response is released, unless it is counted already. Small contents
    /// are not counted, since the number of connections limits their memory.
    func count(_ response: inout HTTPResponse, of client: String) {
        guard response.share == nil, case .bytes(let bytes) = response.content, bytes.count > 64 * 1024 else { return }
        response.share = share(bytes.count, of: client)
    }

    /// The text of the refusal for a client.
    static let refusal =
        "Too many answers wait for the client to read them, or too many of its requests are not complete."

    /// The number of bytes that are counted now.
    var bytes: Int { total.load(ordering: .relaxed) }

    fileprivate func release(_ bytes: Int, of client: String) {
        total.subtract(bytes, ordering: .relaxed)
        clients.withLock { clients in
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

        deinit { answers.release(bytes, of: client) }
    }
}
