/// Collects a request body up to its limit. When the body exceeds the limit, all its bytes are dropped.
struct BodyIntake {
    /// Maximal number of bytes of the body; 0 for a refused request.
    var maxBytes = 0
    /// Maximal number of bytes of a refused body that are read and dropped. The answer can be sent only after the body.
    /// A client that sends more bytes is disconnected, and may lose the answer.
    var maxDroppedBytes: Int
    /// Whether the body was dropped because of a limit.
    private(set) var isDropped = false
    private(set) var droppedBytes = 0

    /// The memory of the body, which counts toward the memory limit of all requests and answers.
    private var memoryShare = GrowingShare()

    init(patience: Int) { self.maxDroppedBytes = patience }

    /// Counts the bytes that the body has gained since the last call toward the memory limit. Small bodies are not
    /// counted, since the number of connections limits their memory.
    /// - Returns: false if the limit of memory is reached. Then the body is dropped.
    mutating func countMemory(_ body: inout HTTPBody, of client: String, in answers: UnreadAnswers) -> Bool {
        guard !isDropped, !memoryShare.growShare(to: body.count, { answers.reserve($0, of: client) }) else {
            return true
        }
        isDropped = true
        body = HTTPBody()
        releaseMemory()
        return false
    }

    /// Ends the counting of the body's memory, when the body is complete or was dropped.
    mutating func releaseMemory() { memoryShare.releaseShares() }

    /// Adds bytes to the body. If the body exceeds its limit, drops the whole body.
    /// - Returns: whether to read more from the client.
    mutating func appendBytes(_ bytes: UnsafeRawBufferPointer, into body: inout HTTPBody) -> Bool {
        if !isDropped, bytes.count <= maxBytes - body.count {
            body.append(bytes)
            return true
        }
        isDropped = true
        body = HTTPBody()
        droppedBytes += bytes.count
        return droppedBytes <= maxDroppedBytes
    }
}
