internal import Synchronization

/// The limit on uploads, which are bodies that are read while they arrive. A client can have at most half of the
/// uploads, and the last quarter is reserved for clients without an upload. So a client that sends slowly cannot stop
/// other clients from sending.
final class UploadLimit: Sendable {
    private let maxUploads: Int
    private let uploadCountsByClient = Mutex<[String: Int]>([:])

    init(_ limit: Int) { self.maxUploads = limit }

    /// Begins an upload of a client, unless the limit is reached. The caller must end each begun upload.
    /// - Returns: false when the limit is reached for the client.
    func beginUpload(_ client: String) -> Bool {
        uploadCountsByClient.withLock { beginUpload(client, in: &$0) }
    }

    func endUpload(_ client: String) { uploadCountsByClient.withLock { endUpload(client, in: &$0) } }

    /// Counts a running upload for another client. The caller must end the upload of the new client.
    /// - Returns: false when the limit is reached for the new client. Then nothing changes.
    func moveUpload(from client: String, to newClient: String) -> Bool {
        uploadCountsByClient.withLock { running in
            let before = running
            endUpload(client, in: &running)
            if beginUpload(newClient, in: &running) { return true }
            running = before
            return false
        }
    }

    private func beginUpload(_ client: String, in running: inout [String: Int]) -> Bool {
        let (all, own) = (running.values.reduce(0, +), running[client] ?? 0)
        guard all < maxUploads, own == 0 || own < maxUploads / 2 && all < maxUploads - maxUploads / 4 else {
            return false
        }
        running[client] = own + 1
        return true
    }

    private func endUpload(_ client: String, in running: inout [String: Int]) {
        let left = (running[client] ?? 1) - 1
        running[client] = left > 0 ? left : nil
    }
}
