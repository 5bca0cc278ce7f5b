/// Collects a request body up to its limit. Once the limit is passed, nothing of the body is kept.
struct BodyIntake {
    /// In bytes; 0 for a refused request.
    var limit = 0
    /// Bytes that are read and dropped after that, since no answer can be sent in mid-body. A client that sends more is disconnected.
    let patience: Int
    /// Whether more has come than is kept.
    private(set) var isOver = false
    private(set) var dropped = 0

    init(patience: Int) { self.patience = patience }

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
