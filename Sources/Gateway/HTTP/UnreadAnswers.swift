internal import Synchronization

/// The memory of answers that were not sent completely, and of large incomplete requests, over all clients of the
/// process.
///
/// An answer can be far larger than its request. A client that sends requests and reads no answers would make the
/// gateway keep all answers. So answers are counted by client, and a client with too many bytes is refused before its
/// next command runs.
public final class UnreadAnswers: Sendable {
    /// Bytes of all clients together above which only clients with few bytes are served.
    let limit: Int
    /// Maximal bytes of one client.
    var clientLimit: Int { limit / 2 }
    /// Bytes that every client may have, whatever other clients do.
    var guaranteed: Int { limit / 16 }
    private let total = Atomic(0)
    private let clients = Mutex<[String: Int]>([:])

    public init(limit: Int = 128 << 20) { self.limit = limit }

    /// Whether a client must not send more requests now.
    func isFull(_ client: String) -> Bool {
        let total = total.load(ordering: .relaxed)
        // Each request calls this, and the total is nearly always small, so this check comes first.
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

    /// Counts bytes of an incomplete request until the share is released; nil when there is no room for them.
    func keep(_ bytes: Int, of client: String) -> Share? { isFull(client) ? nil : share(bytes, of: client) }

    /// Counts the content of a response until the response is released, unless it is counted already. Small contents
    /// are not counted; the number of connections bounds them.
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

    /// Counted bytes of one client. They count until this object is released.
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
