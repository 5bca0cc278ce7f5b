import SMP
import SimpleXCrypto
import XFTP

extension Agent {
    /// Size of the chunk for the test of a file server, in bytes: the smallest size that all servers accept.
    private static let testChunkSize = 65536

    /// Tests a file server: creates, uploads, downloads and deletes a chunk, as its sender and its only recipient.
    func testFileServer(_ server: ProtocolServer, user: AgentUserID) async throws -> ServerTestFailure? {
        let clients = try requireOnline().clients
        var step = ServerTestFailure.Step.connect
        do {
            let session = try await clients.openFileSession(user, server)
            defer { Task { await session.close() } }
            let sender = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            let recipient = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            let chunk = RandomBytes.make(count: Self.testChunkSize)
            let digest = Digest.sha256(chunk)
            step = .createFile
            let file = ChunkInfo(senderKey: sender.publicKey, size: UInt32(Self.testChunkSize), digest: digest)
            let (senderID, recipientIDs) = try await session.createChunk(
                file,
                recipients: [recipient.publicKey],
                password: server.password,
                key: sender
            )
            step = .uploadFile
            try await session.uploadChunk(chunk, to: senderID, key: sender)
            step = .downloadFile
            var received: [UInt8]?
            for id in recipientIDs {
                received = try await session.downloadChunk(id, size: chunk.count, digest: digest, key: recipient)
            }
            step = .compareFile
            guard received == chunk else { throw XFTPClientError.xftp(.digest) }
            step = .deleteFile
            try await session.deleteChunk(senderID, key: sender)
            return nil
        } catch let error as XFTPClientError {
            return ServerTestFailure(step: step, error: AgentError(error, server: server))
        }
    }
}
