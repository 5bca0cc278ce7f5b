/// What is kept of a body while it comes: no more than its limit, and nothing once there is more.
struct BodyIntake {
    /// Bytes. None is kept of a request that is refused.
    var limit = 0
    /// Bytes that are read and dropped, as nothing can be answered in mid-body. A client that goes on after them is cut off.
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
