/// Collects a request body up to its limit. Once the limit is passed, nothing of the body is kept.
struct BodyIntake {
    /// In bytes; 0 for a refused request.
    var limit = 0
    /// Bytes that are read and dropped after that, since no answer can be sent in mid-body. A client that sends more is disconnected.
    let patience: Int
    /// Whether more has come than is kept.
    private(set) var isOver = false
    private(set) var dropped = 0

    /// What is counted of the body, so that all together keep no more than there is room for.
    private var share = GrowingShare()

    init(patience: Int) { self.patience = patience }

    /// Counts what is kept of the body since the last time. Small bodies are bounded by the number of connections.
    /// - Returns: whether there is room for it; if not, nothing is kept.
    mutating func count(_ body: inout HTTPBody, of client: String, in answers: UnreadAnswers) -> Bool {
        guard !isOver, !share.grow(to: body.count, { answers.keep($0, of: client) }) else { return true }
        isOver = true
        body = HTTPBody()
        clear()
        return false
    }

    /// The body is complete.
    mutating func clear() { share.clear() }

    /// - Returns: whether the client is read from any longer.
    mutating func take(_ bytes: UnsafeRawBufferPointer, into body: inout HTTPBody) -> Bool {
        if !isOver, bytes.count <= limit - body.count {
            body.append(bytes)
            return true
        }
        isOver = true
        body = HTTPBody()
        dropped += bytes.count
        return dropped <= patience
    }
}
