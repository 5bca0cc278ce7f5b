internal import Agent
internal import ChatAPI
internal import ChatStore
internal import JSON
internal import SimpleXCrypto
internal import SQLCipher

/// Commands about the state of the core.
extension RunningCommand {
    /// `/version`: returns the version.
    func showVersion() -> ChatResponse {
        .versionInfo(
            versionInfo: CoreVersionInfo(
                version: ProgramVersion.text,
                simplexmqVersion: ProgramVersion.text,
                simplexmqCommit: ""
            ),
            chatMigrations: ChatSchema.migrations.map { UpMigration(upName: $0.name, withDown: false) },
            agentMigrations: Agent.migrationNames.map { UpMigration(upName: $0, withDown: false) }
        )
    }

    /// `/get subs total`: returns the numbers of the user's subscriptions, by their state.
    func showSubscriptionsTotal(user: UserRecord) -> ChatResponse {
        let states = services.agent.serverStates().1.filter { $0.user == user.agentUserId && $0.server.scheme == .smp }
        return .agentSubsTotal(
            user: user.api,
            subsTotal: SMPServerSubs(states),
            hasSession: states.contains { $0.connectedSessions > 0 }
        )
    }

    /// `/get servers summary`: returns the state of all servers.
    func showServersSummary(user: UserRecord) async throws -> ChatResponse {
        let (startedAt, all) = services.agent.serverStates()
        let states = all.filter { $0.server.scheme == .smp }
        let files = services.agent.fileServerStates()
        // Sessions with notification servers belong to no user (0), so they count for each user.
        let notifications = all.filter { $0.server.scheme == .ntf }
        let ownNotifications = notifications.filter { $0.user == user.agentUserId || $0.user == 0 }
        let tokenServers = Set(
            services.configuration.notificationServers ?? services.configuration.serverPresets.notificationServers
        )
        let own = try await store.read { db in try ServerRecord.findAll(user: user.userId, in: db) }
        let known = Set(own.map(\.address.withoutPassword))
        return .agentServersSummary(
            user: user.api,
            serversSummary: PresentedServersSummary(
                statsStartedAt: Timestamp(seconds: startedAt).api,
                allUsersSMP: SMPServersSummary(ServerSummaries.mergeByServer(states)) { _ in nil },
                allUsersXFTP: XFTPServersSummary(ServerSummaries.mergeByServer(files)) { _ in nil },
                allUsersNtf: NtfServersSummary(ServerSummaries.mergeByServer(notifications)) { _ in nil },
                currentUserSMP: SMPServersSummary(states.filter { $0.user == user.agentUserId }) {
                    known.contains($0.server)
                },
                currentUserXFTP: XFTPServersSummary(files.filter { $0.user == user.agentUserId }) {
                    known.contains($0.server)
                },
                currentUserNtf: NtfServersSummary(ServerSummaries.mergeByServer(ownNotifications)) {
                    tokenServers.contains($0.server)
                }
            )
        )
    }

    /// `/reset servers stats`: resets the statistics of all servers.
    func resetServersStats() async throws -> ChatResponse {
        try await services.withAgent { try await $0.resetStatistics() }
        return .cmdOk(user_: nil)
    }

    /// `/_queue info @`: returns the relay's report about the queue that receives the messages of a contact.
    func showQueueInfo(_ contactId: Int64, user: UserRecord) async throws -> ChatResponse {
        let contact = try await store.read { db in try ContactRecord.get(contactId, user: user, in: db) }
        guard let connectionId = contact.connection?.connectionId, let id = contact.connection?.agentConnectionID else {
            throw ChatFailure(ChatErrorType.contactNotActive(contact: contact.api(user)))
        }
        return try await showQueueInfo(of: id, connectionId, user: user)
    }

    /// `/_queue info #`: returns the relay's report about the queue that receives the messages of a member.
    func showMemberQueueInfo(_ groupId: Int64, _ memberId: Int64, user: UserRecord) async throws -> ChatResponse {
        let (membership, id) = try await requireMemberConnection(groupId, memberId, user: user)
        return try await showQueueInfo(of: id, membership.member.connection?.connectionId ?? 0, user: user)
    }

    private func showQueueInfo(
        of id: ConnectionID,
        _ connectionId: Int64,
        user: UserRecord
    ) async throws -> ChatResponse {
        let report = try await services.withAgent { try await $0.requestQueueReport(id, patience: .interactive) }
        guard let info = try? JSONDecoder().decode(QueueInfo.self, from: report.info) else {
            throw ChatFailure(
                ChatError.agentError(.broker(brokerAddress: report.server, brokerErr: .response(respErr: "queue info")))
            )
        }
        let last = try await store.read { db in try RcvMsgInfo.findLast(over: connectionId, in: db) }
        return .queueInfo(
            user: user.api,
            rcvMsgInfo: last,
            queueInfo: ServerQueueInfo(
                server: report.server,
                rcvId: Base64.encode(report.rcvID),
                sndId: Base64.encode(report.sndID),
                status: report.status,
                info: info
            )
        )
    }

    /// `/sql slow`: returns the slow statements of the chat database and of the agent's database since the opening of
    /// the databases, with times in microseconds.
    func showSlowStatements() -> ChatResponse {
        .slowSQLQueries(
            chatQueries: store.slowStatements.all.map(SlowSQLQuery.init),
            agentQueries: services.agent.slowStatements.all.map(SlowSQLQuery.init)
        )
    }

    /// `/_resubscribe all`: subscribes to all queues again. Events report the results.
    func resubscribeAll() async throws -> ChatResponse {
        try await services.withAgent { try await $0.resubscribeAll(patience: .interactive) }
        return .cmdOk(user_: nil)
    }

    /// `/_network_statuses`: returns for each contact whether the agent is subscribed to the contact's queues.
    func showNetworkStatuses() async throws -> ChatResponse {
        let ids = try await store.read { db in
            try UserRecord.all(in: db).flatMap { user in
                try ContactRecord.all(user: user.userId, in: db).compactMap { $0.connection?.agentConnectionID }
            }
        }
        let receiving = try await services.withAgent { try await $0.subscribedConnections(ids) }
        return .networkStatuses(
            user_: nil,
            networkStatuses: ids.map {
                ConnNetworkStatus(
                    agentConnId: $0.api,
                    networkStatus: receiving.contains($0) ? .connected : .disconnected
                )
            }
        )
    }
}

extension SlowSQLQuery {
    fileprivate init(_ statement: SlowStatement) {
        self.init(
            query: statement.text,
            queryStats: SlowQueryStats(
                count: statement.count,
                timeMax: statement.maxMicroseconds,
                timeAvg: statement.averageMicroseconds,
                errs: [:]
            )
        )
    }
}
