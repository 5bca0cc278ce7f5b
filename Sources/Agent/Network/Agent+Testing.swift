public import SMP
import SimpleXCrypto

/// Where the test of a server has failed.
public struct ServerTestFailure: Error, Hashable, Sendable {
    /// The names are those of the API's `ProtocolTestStep`.
    public enum Step: String, Sendable {
        case connect, createQueue, secureQueue, deleteQueue, disconnect
        case createFile, uploadFile, downloadFile, compareFile, deleteFile
    }
    public var step: Step
    public var error: AgentError
}

extension Agent {
    /// Uses a server for what it is there, over a session of its own: a relay for a queue, a server of files for a chunk.
    /// - Returns: nil when all of it went well.
    public func test(_ server: ProtocolServer, user: AgentUserID) async throws -> ServerTestFailure? {
        switch server.scheme {
        case .smp: try await testRelay(server, user: user)
        case .xftp: try await testFileServer(server, user: user)
        case .ntf: throw AgentError.command(.prohibited, context: "test of a notification server")
        }
    }

    /// Makes a queue on a relay, secures and deletes it.
    func testRelay(_ server: ProtocolServer, user: AgentUserID) async throws -> ServerTestFailure? {
        let client = try online().clients.unshared(user, server)
        defer { Task { await client.close() } }
        var step = ServerTestFailure.Step.connect
        do {
            try await client.connect()
            step = .createQueue
            let queue = try await client.createQueue(
                key: .ed25519(try Ed25519.PrivateKey()), dhKey: try X25519.PrivateKey(), mode: .messaging)
            step = .secureQueue
            let key = AuthorizationPrivateKey.ed25519(try Ed25519.PrivateKey())
            if queue.mode == .messaging {
                try await client.secureAsSender(sndID: queue.sndID, key: key)
            } else {
                try await client.secureQueue(queue.credentials, senderKey: key.publicKey)
            }
            step = .deleteQueue
            try await client.deleteQueue(queue.credentials)
            return nil
        } catch let error as SMPClientError {
            return ServerTestFailure(step: step, error: AgentError(error, server: server))
        }
    }
}
