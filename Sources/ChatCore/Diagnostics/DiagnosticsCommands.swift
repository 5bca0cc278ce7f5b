internal import Agent
internal import ChatAPI
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

/// What the core says of itself.
extension ChatController {
    /// `/version`
    func showVersion() -> ChatResponse {
        .versionInfo(
            versionInfo: CoreVersionInfo(version: CoreVersion.text, simplexmqVersion: CoreVersion.text, simplexmqCommit: ""),
            chatMigrations: ChatSchema.migrations.map { UpMigration(upName: $0.name, withDown: false) },
            agentMigrations: Agent.migrationNames.map { UpMigration(upName: $0, withDown: false) })
    }

    /// `/get subs total`
    func subscriptionsTotal(user: UserRecord) -> ChatResponse {
        let states = agent.serverStates().1.filter { $0.user == user.agentUserId }
        return .agentSubsTotal(user: user.api, subsTotal: SMPServerSubs(states), hasSession: states.contains { $0.connected > 0 })
    }

    /// `/get servers summary`
    func serversSummary(user: UserRecord) async throws -> ChatResponse {
        let (startedAt, states) = agent.serverStates()
        let own = try await store.read { db in try ServerRecord.all(user: user.userId, in: db) }
        let known = Set(own.map(\.address.withoutPassword))
        return .agentServersSummary(
            user: user.api,
            serversSummary: PresentedServersSummary(
                statsStartedAt: Timestamp(seconds: startedAt).api,
                allUsersSMP: SMPServersSummary(ServerSummaries.merged(states)) { _ in nil },
                allUsersXFTP: .unused, allUsersNtf: .unused,
                currentUserSMP: SMPServersSummary(states.filter { $0.user == user.agentUserId }) { known.contains($0.server) },
                currentUserXFTP: .unused, currentUserNtf: .unused))
    }

    /// `/reset servers stats`
    func resetServersStats() async throws -> ChatResponse {
        try await withAgent { try await $0.resetStatistics() }
        return .cmdOk(user_: nil)
    }

    /// `/_queue info @`: what the relay says of the queue from which a contact's messages come.
    func queueInfo(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let contact = try await store.read { db in try ContactRecord.get(contactId, user: user, in: db) }
        guard let connectionId = contact.connection?.connectionId, let id = contact.connection?.agentConnectionID else {
            throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
        }
        let report = try await withAgent { try await $0.queueReport(id) }
        guard let info = try? JSONDecoder().decode(QueueInfo.self, from: report.info) else {
            throw ChatFailure(ChatError.agent(.broker(brokerAddress: report.server, brokerErr: .response(respErr: "queue info"))))
        }
        let last = try await store.read { db in try RcvMsgInfo.last(over: connectionId, in: db) }
        return .queueInfo(
            user: user.api, rcvMsgInfo: last,
            queueInfo: ServerQueueInfo(
                server: report.server, rcvId: Base64.encode(report.rcvID), sndId: Base64.encode(report.sndID), status: report.status, info: info))
    }

    /// `/_resubscribe all`: what comes of it is told by events.
    func resubscribeAll() async throws -> ChatResponse {
        try await withAgent { try await $0.resubscribeAll() }
        return .cmdOk(user_: nil)
    }

    /// `/_connections diff`: the users and connections that only one of the two databases has. Those that the agent lacks are missing.
    func connectionsDiff(showsIds: Bool) async throws -> ChatResponse {
        let known = try await withAgent { try await $0.contents() }
        let (users, connections) = try await store.read { db in
            (
                Set(try db.query("SELECT agent_user_id FROM users").map { try $0.int64("agent_user_id") }),
                // Those that are retired wait for the agent to delete them.
                Set(
                    try ["connections", "user_addresses", "retired_connections"].flatMap { table in
                        try db.query("SELECT agent_conn_id FROM \(table)").map { try $0.string("agent_conn_id") }
                    })
            )
        }
        func json(_ connections: Set<String>) -> [JSONValue] {
            connections.sorted().map { .string(BytesText.url($0)) }
        }
        func json(_ users: Set<Int64>) -> [JSONValue] { users.sorted().map { .integer($0) } }
        let knownConnections = Set(known.connections.map(\.text))
        return .connectionsDiff(
            showIds: showsIds,
            userIds: DatabaseDiff(missingIds: json(users.subtracting(known.users)), extraIds: json(known.users.subtracting(users))),
            connIds: DatabaseDiff(
                missingIds: json(connections.subtracting(knownConnections)), extraIds: json(knownConnections.subtracting(connections))))
    }

    /// `/_network_statuses`: which contacts' messages come.
    func networkStatuses() async throws -> ChatResponse {
        let ids = try await store.read { db in
            try UserRecord.all(in: db).flatMap { user in
                try ContactRecord.all(user: user.userId, in: db).compactMap { $0.connection?.agentConnectionID }
            }
        }
        let receiving = try await withAgent { try await $0.receiving(ids) }
        return .networkStatuses(
            user_: nil,
            networkStatuses: ids.map {
                ConnNetworkStatus(
                    agentConnId: $0.api, networkStatus: receiving.contains($0) ? .connected : .disconnected)
            })
    }
}

/// The version of the core, which is that of the program.
enum CoreVersion {
    static let text = "0.1.0"
}
