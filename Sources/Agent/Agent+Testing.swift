package import SMP
import SimpleXCrypto

/// Failure of the test of a server, with the failed step.
package struct ServerTestFailure: Error, Hashable, Sendable {
    /// Step of the test. The names are those in `ProtocolTestStep` of the API.
    package enum Step: String, Sendable {
        case connect, createQueue, secureQueue, deleteQueue, disconnect
        case createNtfToken, deleteNtfToken
        case createFile, uploadFile, downloadFile, compareFile, deleteFile
    }
    package var step: Step
    package var error: AgentError
}

extension Agent {
    /// Tests a server over a separate session: creates and deletes a queue on a relay, a chunk on a file server, or a
    /// token on a notification server.
    /// - Returns: the failure; nil after success.
    package func testServer(
        _ server: ProtocolServer,
        user: AgentUserID,
        patience: Patience = .background
    ) async throws -> ServerTestFailure? {
        switch server.scheme {
        case .smp: try await testRelay(server, user: user, patience)
        case .xftp: try await testFileServer(server, user: user)
        case .ntf: try await testNotificationServer(server, patience)
        }
    }

    /// Creates a queue on a relay, secures the queue, and deletes it.
    func testRelay(_ server: ProtocolServer, user: AgentUserID, _ patience: Patience) async throws -> ServerTestFailure?
    {
        let client = try requireOnline().clients.makeUnsharedClient(user, server)
        defer { Task { await client.close() } }
        var step = ServerTestFailure.Step.connect
        do {
            try await client.connectIfNeeded(patience: patience)
            step = .createQueue
            let queue = try await client.createQueue(
                key: .ed25519(try Ed25519.PrivateKey()),
                dhKey: try X25519.PrivateKey(),
                mode: .messaging,
                patience: patience
            )
            step = .secureQueue
            let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            if queue.mode == .messaging {
                try await client.secureQueueAsSender(sndID: queue.sndID, key: key, patience: patience)
            } else {
                try await client.secureQueue(queue.credentials, senderKey: key.publicKey, patience: patience)
            }
            step = .deleteQueue
            try await client.deleteQueue(queue.credentials, patience: patience)
            return nil
        } catch let error as SMPClientError {
            return ServerTestFailure(step: step, error: AgentError(error, server: server))
        }
    }
}
