internal import Agent
internal import ChatAPI
internal import SMP
internal import SQLCipher

/// Operators, their conditions, and each profile's servers.
extension ChatController {
    /// `/_operators`
    func getServerOperators() async throws -> ChatResponse {
        .serverOperatorConditions(conditions: try await store.read { db in try OperatorRecord.summary(in: db) })
    }

    /// `/_operators` with the operators: whether they are used, and what for. It concerns all profiles.
    func setServerOperators(_ operators: [ServerOperator]) async throws -> ChatResponse {
        let summary = try await store.write { tx in
            for one in operators { try OperatorRecord.update(one, in: tx.db) }
            return try OperatorRecord.summary(in: tx.db)
        }
        try await useServers()
        return .serverOperatorConditions(conditions: summary)
    }

    /// `/_servers`
    func getUserServers(user: UserRecord) async throws -> ChatResponse {
        .userServers(user: user.api, userServers: try await store.read { db in try Self.servers(of: user, db) })
    }

    /// `/_servers` with servers. Ids tell which ones are changed; those that are not mentioned stay.
    func setUserServers(_ lists: [UserOperatorServers], user: UserRecord) async throws -> ChatResponse {
        try Self.check(lists)
        try await store.write { tx in
            let errors = try Self.errors(lists, user: user, tx.db)
            guard errors.isEmpty else {
                throw ChatFailure.command("user servers validation error(s): [\(errors.map(\.text).joined(separator: ","))]")
            }
            for list in lists {
                if let one = list.operator { try OperatorRecord.update(one, in: tx.db) }
                for server in list.smpServers + list.xftpServers { try ServerRecord.store(server, user: user.userId, in: tx.db) }
            }
        }
        try await useServers()
        return .cmdOk(user_: nil)
    }

    /// `/_validate_servers`
    func validateServers(_ lists: [UserOperatorServers], user: UserRecord) async throws -> ChatResponse {
        try Self.check(lists)
        let errors = try await store.read { db in try Self.errors(lists, user: user, db) }
        return .userServersValidation(user: user.api, serverErrors: errors, serverWarnings: nil)
    }

    /// `/_conditions`
    func getUsageConditions() async throws -> ChatResponse {
        try await store.read { db in
            .usageConditions(
                usageConditions: try OperatorRecord.conditions(in: db), conditionsText: OperatorRecord.conditionsText,
                acceptedConditions: try OperatorRecord.acceptedConditions(in: db))
        }
    }

    /// `/_accept_conditions`
    func acceptConditions(_ conditionsId: Int64, operators: [Int64]) async throws -> ChatResponse {
        try await store.answer { tx in
            try OperatorRecord.accept(conditionsId, operators: operators, tx)
            return .serverOperatorConditions(conditions: try OperatorRecord.summary(in: tx.db))
        }
    }

    /// `/_conditions_notified`
    func setConditionsNotified(_ conditionsId: Int64) async throws -> ChatResponse {
        try await store.answer { tx in
            try tx.db.execute("UPDATE usage_conditions SET notified_at = ? WHERE usage_conditions_id = ?", [tx.now.nanoseconds, conditionsId])
            return .cmdOk(user_: nil)
        }
    }

    /// `/_server test`: whether queues can be made, secured and deleted there; on a server of files, whether a file comes back as it was uploaded.
    func testServer(_ text: String, user: UserRecord) async throws -> ChatResponse {
        guard let server = try? ProtocolServer(parsing: text) else { throw ChatFailure.command("Failed reading: empty") }
        guard server.scheme != .ntf else { throw ChatFailure.notImplemented("testProtoServer \(server.scheme.rawValue)") }
        let failure = try await withAgent { try await $0.test(server, user: user.agentUserId) }
        return .serverTestResult(
            user: user.api, testServer: text,
            testFailure: failure.map { ProtocolTestFailure(testStep: ProtocolTestStep(rawValue: $0.step.rawValue), testError: $0.error.api) })
    }

    // MARK: What is stored

    static func servers(of user: UserRecord, _ db: StoreConnection) throws -> [UserOperatorServers] {
        ServerRecord.grouped(try ServerRecord.all(user: user.userId, in: db), try OperatorRecord.all(in: db))
    }

    private static func check(_ lists: [UserOperatorServers]) throws {
        for list in lists {
            guard list.chatRelays?.isEmpty != false else { throw ChatFailure.notImplemented("setUserServers chatRelays") }
            for (scheme, servers) in [(ProtocolServer.Scheme.smp, list.smpServers), (.xftp, list.xftpServers)] {
                for server in servers where (try? ProtocolServer(parsing: server.server))?.scheme != scheme {
                    throw ChatFailure.command("\(server.server) is not the address of a server of its list")
                }
            }
        }
    }

    private static func errors(_ lists: [UserOperatorServers], user: UserRecord, _ db: StoreConnection) throws -> [UserServersError] {
        func validation(_ userId: Int64) throws -> ServerValidation {
            let schemes = try Set(ServerRecord.all(user: userId, in: db).map(\.scheme))
            return ServerValidation(protocols: schemes.contains(.xftp) ? [.smp, .xftp] : [.smp])
        }
        var errors = try validation(user.userId).errors(lists)
        let changed = Dictionary(lists.compactMap(\.operator).map { ($0.operatorId, $0) }, uniquingKeysWith: { $1 })
        for other in try UserRecord.all(in: db) where other.userId != user.userId {
            let theirs = try servers(of: other, db).map { list in
                var list = list
                list.operator = list.operator.map { changed[$0.operatorId] ?? $0 }
                return list
            }
            errors += try validation(other.userId).errors(theirs, of: other.api)
        }
        return errors
    }

    // MARK: What is used

    /// The servers with which a new profile begins.
    func newServers() -> [NewServer] {
        let presets = configuration.serverPresets.operators.flatMap { $0.servers() }
        return presets.isEmpty
            ? configuration.servers.map { NewServer(scheme: $0.scheme, address: $0.str, isPreset: false, isEnabled: true) } : presets
    }

    /// Brings presets and configuration into the database, and what follows from them to the agent.
    func configureServers() async throws {
        try await store.write { tx in
            try OperatorRecord.update(self.configuration.serverPresets.operators, tx)
            for user in try UserRecord.all(in: tx.db) { try ServerRecord.configure(self.newServers(), user: user.userId, in: tx.db) }
        }
        try await useServers()
    }

    /// Tells the agent where each profile's queues are to be made, and what its messages go through.
    func useServers() async throws {
        let users = try await store.read { db in
            let operators = try OperatorRecord.all(in: db)
            return try UserRecord.all(in: db).map { user in
                (user.agentUserId, try ServerRecord.all(user: user.userId, in: db).compactMap { $0.agentServer(operators) })
            }
        }
        for (user, servers) in users { try await withAgent { try await $0.setServers(user, servers: self.usable(servers)) } }
    }

    /// The servers that the agent is to use for a profile that begins with these.
    func agentServers(_ new: [NewServer]) async throws -> [AgentServer] {
        let operators = try await store.read { db in try OperatorRecord.all(in: db) }
        return usable(new.compactMap { ServerRecord($0)?.agentServer(operators) })
    }

    /// Without any to make queues on, those of the configuration too: a profile must be reachable.
    private func usable(_ servers: [AgentServer]) -> [AgentServer] {
        servers.contains(where: \.isStorage) ? servers : servers + configuration.servers.map { AgentServer($0) }
    }
}
