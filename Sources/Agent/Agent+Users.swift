package import SMP
import SQLCipher

/// Creates, changes and deletes users of the agent, with their servers.
extension Agent {
    /// Creates a user whose new queues are created on `servers`.
    package func createUser(servers: [ProtocolServer]) async throws -> AgentUserID {
        try await createUser(servers: servers.map { AgentServer($0) })
    }

    /// Creates a user with servers.
    /// - Parameters:
    ///   - servers: relays for new queues and for the forwarding of messages.
    ///   - fileServers: servers for uploads.
    ///   - isService: whether relays know all queues of the user by one certificate, see ``ClientServices``.
    ///   - key: the key of the caller's request. If an earlier call with this key has created a user, that user gets
    ///     the given servers and is returned.
    /// - Throws: `AgentError.command(.prohibited, …)` for a service if each connection has a separate session.
    package func createUser(
        servers: [AgentServer],
        fileServers: [AgentServer] = [],
        isService: Bool = false,
        for key: AgentRequestKey? = nil
    ) async throws -> AgentUserID {
        guard !isService || networkSettings.sessionMode != .entity else {
            throw AgentError.command(.prohibited, context: "createUser")
        }
        let user = try await database.write { db in
            let made = try DoneRequest.findUser(key, db)
            if made == nil { try db.insert(into: "users", ["deleted": 0, "is_service": isService]) }
            let user = made ?? db.lastInsertRowID
            try storeServers(servers, in: .servers, of: user, db)
            try storeServers(fileServers, in: .fileServers, of: user, db)
            try DoneRequest.recordResult(key, user: user, db)
            return user
        }
        if isService, let run = try? requireOnline() { run.clients.addService(user) }
        return user
    }

    /// Sets the servers of users in one transaction. Existing queues and files stay on their servers. Downloads from
    /// the user's file servers need no approval. Users whose deletion has begun are skipped, because the caller may
    /// have read its list of users before the deletion.
    package func setServers(_ all: [AgentUserServers]) async throws {
        try await database.write { db in
            for own in all where try !db.hasRow("SELECT 1 FROM users WHERE user_id = ? AND deleted = 1", own.user) {
                try storeServers(own.relays, in: .servers, of: own.user, db)
                try storeServers(own.fileServers, in: .fileServers, of: own.user, db)
            }
        }
    }

    /// Deletes a user with all connections.
    /// - Parameter deletingQueues: whether to delete the queues on the relays. Unreachable relays are tried again
    ///   later. With false, the queues stay until the relays delete them.
    package func deleteUser(_ user: AgentUserID, deletingQueues: Bool = true) async throws {
        try await forgetFiles(of: user)
        let connections = try await database.write { db in
            try db.execute("UPDATE users SET deleted = 1 WHERE user_id = ?", user)
            try db.execute("DELETE FROM invitation_keys WHERE user_id = ?", user)
            try db.execute("DELETE FROM client_services WHERE user_id = ?", user)
            return try db.query("SELECT conn_id FROM connections WHERE user_id = ?", user).map {
                ConnectionID(bytes: try $0.blob("conn_id"))
            }
        }
        try await delete(connections: connections, waitDelivery: false, deletingQueues: deletingQueues)
    }

    /// Returns a random server of the user for a new queue.
    /// - Parameter avoided: servers that have or had queues of the connection. The result is another server if
    ///   possible, preferably of another operator. The first server of the list is the last choice.
    func chooseServer(of user: AgentUserID, avoiding avoided: [ProtocolServer] = []) async throws -> ProtocolServer {
        let servers = try await database.read { db in
            guard try db.firstRow("SELECT 1 AS known FROM users WHERE user_id = ? AND deleted = 0", user) != nil else {
                throw AgentError.noUser
            }
            return try readServers(of: user, db)
        }
        guard let chosen = servers.filter(\.hasStorageRole).pickServer(avoiding: avoided) else {
            throw AgentError.noUser
        }
        return chosen.server
    }
}
