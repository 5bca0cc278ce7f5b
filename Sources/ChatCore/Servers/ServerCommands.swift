internal import Agent
internal import ChatAPI
internal import ChatStore
internal import SMP
internal import SQLCipher

/// Commands for operators, their conditions of use, and the servers of each profile.
extension RunningCommand {
    /// `/_operators`: returns the operators and the state of their conditions.
    func getServerOperators() async throws -> ChatResponse {
        .serverOperatorConditions(conditions: try await store.read { db in try ServerOperators.readSummary(in: db) })
    }

    /// `/_operators` with operators: sets whether the servers of these operators are used, and the roles of the
    /// servers. The change affects all profiles.
    func setServerOperators(_ operators: [ServerOperator]) async throws -> ChatResponse {
        let summary = try await store.write { tx in
            for one in operators { try ServerOperators.storeSettings(one, in: tx.db) }
            return try ServerOperators.readSummary(in: tx.db)
        }
        try await services.passServersToAgent(in: store)
        return .serverOperatorConditions(conditions: summary)
    }

    /// `/_servers`: returns the servers of a profile.
    func getUserServers(user: UserRecord) async throws -> ChatResponse {
        .userServers(user: user.api, userServers: try await store.read { db in try Self.readServers(of: user, db) })
    }

    /// `/_servers` with servers: changes or deletes the servers with ids, and adds the servers without ids. Servers
    /// that are not in the lists are not changed.
    func setUserServers(_ lists: [UserOperatorServers], user: UserRecord) async throws -> ChatResponse {
        try Self.checkAddresses(lists)
        try await store.write { tx in
            let errors = try Self.findErrors(lists, user: user, tx.db)
            guard errors.isEmpty else {
                throw ChatFailure.commandError(
                    "user servers validation error(s): [\(errors.map(\.text).joined(separator: ","))]"
                )
            }
            for list in lists {
                if let one = list.operator { try ServerOperators.storeSettings(one, in: tx.db) }
                for server in list.smpServers + list.xftpServers {
                    try ServerRecord.store(server, user: user.userId, in: tx.db)
                }
                for relay in list.chatRelays ?? [] { try ChatRelays.store(relay, user: user.userId, in: tx.db) }
            }
        }
        try await services.passServersToAgent(in: store)
        return .cmdOk(user_: nil)
    }

    /// `/_validate_servers`: returns the errors and warnings for lists of servers.
    func validateServers(_ lists: [UserOperatorServers], user: UserRecord) async throws -> ChatResponse {
        try Self.checkAddresses(lists)
        return try await store.read { db in
            var warnings = ServerValidation.findWarnings(lists)
            for (other, theirs) in try Self.readOtherProfiles(lists, than: user, db) {
                warnings += ServerValidation.findWarnings(theirs, of: other.api)
            }
            return .userServersValidation(
                user: user.api,
                serverErrors: try Self.findErrors(lists, user: user, db),
                serverWarnings: warnings
            )
        }
    }

    /// `/_conditions`: returns the current conditions of use, and the conditions that were accepted last.
    func getUsageConditions() async throws -> ChatResponse {
        try await store.read { db in
            .usageConditions(
                usageConditions: try ServerOperators.getConditions(in: db),
                conditionsText: ServerOperators.conditionsText,
                acceptedConditions: try ServerOperators.findAcceptedConditions(in: db)
            )
        }
    }

    /// `/_accept_conditions`: marks conditions of use as accepted for some operators.
    func acceptConditions(_ conditionsId: Int64, operators: [Int64]) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try ServerOperators.acceptConditions(conditionsId, operators: operators, tx)
            return .serverOperatorConditions(conditions: try ServerOperators.readSummary(in: tx.db))
        }
    }

    /// `/_conditions_notified`: stores the time at which the notice of the conditions was shown.
    func setConditionsNotified(_ conditionsId: Int64) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            try tx.db.update(
                "usage_conditions",
                set: ["notified_at": tx.now.nanoseconds],
                where: ["usage_conditions_id": conditionsId]
            )
            return .cmdOk(user_: nil)
        }
    }

    /// `/_server test`: tests a server. On a relay, queues are created, secured and deleted. A file server has to
    /// return an uploaded file unchanged. A notification server has to register a token.
    func testServer(_ text: String, user: UserRecord) async throws -> ChatResponse {
        guard let server = try? ProtocolServer(parsing: text) else {
            throw ChatFailure.commandError("Failed reading: empty")
        }
        let failure = try await services.withAgent {
            try await $0.testServer(server, user: user.agentUserId, patience: .interactive)
        }
        return .serverTestResult(
            user: user.api,
            testServer: text,
            testFailure: failure.map {
                ProtocolTestFailure(
                    testStep: ProtocolTestStep(rawValue: $0.step.rawValue),
                    testError: $0.error.apiError
                )
            }
        )
    }

    // MARK: Stored servers

    static func readServers(of user: UserRecord, _ db: StoreConnection) throws -> [UserOperatorServers] {
        ServerRecord.groupByOperator(
            try ServerRecord.findAll(user: user.userId, in: db),
            try ChatRelays.findAll(user: user.userId, in: db),
            try ServerOperators.findAll(in: db)
        )
    }

    private static func checkAddresses(_ lists: [UserOperatorServers]) throws {
        for list in lists {
            for relay in list.chatRelays ?? [] where ChatRelays.parseLink(relay.address) == nil {
                throw ChatFailure.commandError("\(relay.address) is not the address of a chat relay")
            }
            for (scheme, servers) in [(ProtocolServer.Scheme.smp, list.smpServers), (.xftp, list.xftpServers)] {
                for server in servers where (try? ProtocolServer(parsing: server.server))?.scheme != scheme {
                    throw ChatFailure.commandError(
                        "\(server.server) is not the address of a server of the protocol \(scheme.rawValue)"
                    )
                }
            }
        }
    }

    private static func findErrors(
        _ lists: [UserOperatorServers],
        user: UserRecord,
        _ db: StoreConnection
    ) throws -> [UserServersError] {
        func makeValidation(_ userId: Int64) throws -> ServerValidation {
            let schemes = try Set(ServerRecord.findAll(user: userId, in: db).map(\.scheme))
            return ServerValidation(protocols: schemes.contains(.xftp) ? [.smp, .xftp] : [.smp])
        }
        var errors = try makeValidation(user.userId).findErrors(lists)
        for (other, theirs) in try readOtherProfiles(lists, than: user, db) {
            errors += try makeValidation(other.userId).findErrors(theirs, of: other.api)
        }
        return errors
    }

    /// Reads all profiles except the profile of `user`, with their servers. In the result, the operators in `lists`
    /// replace the stored operators.
    private static func readOtherProfiles(
        _ lists: [UserOperatorServers],
        than user: UserRecord,
        _ db: StoreConnection
    ) throws -> [(UserRecord, [UserOperatorServers])] {
        let changed = Dictionary(lists.compactMap(\.operator).map { ($0.operatorId, $0) }, uniquingKeysWith: { $1 })
        return try UserRecord.all(in: db).filter { $0.userId != user.userId }.map { other in
            let theirs = try readServers(of: other, db).map { list in
                var list = list
                list.operator = list.operator.map { changed[$0.operatorId] ?? $0 }
                return list
            }
            return (other, theirs)
        }
    }
}
