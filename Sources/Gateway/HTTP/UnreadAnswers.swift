internal import Synchronization

/// The memory of answers that are made and have not left, and of large requests that are not complete, over all clients of the process.
///
/// An answer can be far larger than its request. A client that asks and does not read would make the gateway keep what it asked for. So answers are
/// counted by client, and a client that has too much of them is refused before its next command runs.
public final class UnreadAnswers: Sendable {
    /// Bytes of all clients together, from which on only clients that have little are served.
    let limit: Int
    /// Bytes that one client may have.
    var clientLimit: Int { limit / 2 }
    /// Bytes that every client may have, whatever the others do.
    var guaranteed: Int { limit / 16 }
    private let total = Atomic(0)
    private let clients = Mutex<[String: Int]>([:])

    public init(limit: Int = 128 << 20) { self.limit = limit }

    /// Whether a client may not ask for more, or send more, now.
    func isFull(_ client: String) -> Bool {
        let total = total.load(ordering: .relaxed)
        // Nearly always: each request asks.
        guard total >= guaranteed else { return false }
        let own = clients.withLock { $0[client] ?? 0 }
        return own >= clientLimit || total >= limit && own >= guaranteed
    }

    /// Counts an answer until the share is released.
    func share(_ bytes: Int, of client: String) -> Share {
        total.add(bytes, ordering: .relaxed)
        clients.withLock { $0[client, default: 0] += bytes }
        return Share(of: self, client, bytes)
    }

    /// Counts what a client sends until the share is released; nil when there is no room for it.
    func keep(_ bytes: Int, of client: String) -> Share? { isFull(client) ? nil : share(bytes, of: client) }

    /// Counts the content of a response until that is released, unless it is counted already. Small contents are bounded by the number of connections.
    func count(_ response: inout HTTPResponse, of client: String) {
        guard response.share == nil, case .bytes(let bytes) = response.content, bytes.count > 64 * 1024 else { return }
        response.share = share(bytes.count, of: client)
    }

    /// What a refused client reads.
    static let refusal = "Too many answers wait for the client to read them, or too many of its requests are not complete."

    /// Bytes that are counted now.
    var bytes: Int { total.load(ordering: .relaxed) }

    fileprivate func release(_ bytes: Int, of client: String) {
        total.subtract(bytes, ordering: .relaxed)
        clients.withLock { clients in
            let rest = (clients[client] ?? 0) - bytes
            clients[client] = rest > 0 ? rest : nil
        }
    }

    /// One answer. It counts as long as somebody holds this.
    public final class Share: Sendable {
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
