internal import ChatAPI
internal import ChatStore
internal import SQLCipher

/// Operators of servers, and the accepted conditions of use.
enum ServerOperators {
    /// The commit in the original's repository whose file PRIVACY.md contains the current conditions of use. Users have
    /// to accept these conditions.
    static let currentConditionsCommit = "05f99634c470f8bddac20046947a0606938b22ad"

    /// The text with the address of the current conditions.
    static let conditionsText =
        "The conditions of use of the preset operators' servers: https://github.com/simplex-chat/simplex-chat/blob/\(currentConditionsCommit)/PRIVACY.md\n"

    /// Stores the preset operators, and the current conditions. Accepts the conditions for operators whose deadline has
    /// passed.
    static func storePresets(_ presets: [PresetOperator], _ tx: Transaction) throws {
        let known = try tx.db.queryFirst(
            "SELECT 1 FROM usage_conditions WHERE conditions_commit = ?",
            [currentConditionsCommit]
        )
        if known == nil {
            // The first conditions get the id 2, as in a new database of the original.
            let newest = try tx.db.firstRow("SELECT coalesce(max(usage_conditions_id), 1) AS id FROM usage_conditions")
            let last: Int64 = try newest?.readCount("id") ?? 1
            try tx.db.insert(
                into: "usage_conditions",
                [
                    "usage_conditions_id": last + 1, "conditions_commit": currentConditionsCommit,
                    "created_at": tx.now.nanoseconds,
                ]
            )
        }
        for preset in presets {
            let domains = preset.domains.joined(separator: ",")
            // An operator that is stored already is not written again, because SQLite also writes rows that do not
            // change.
            let stored = try tx.db.firstRow(
                """
                SELECT 1 FROM server_operators
                WHERE trade_name = :trade_name AND legal_name = :legal_name AND server_domains = :server_domains
                AND server_operator_tag = :server_operator_tag
                """,
                [
                    "trade_name": preset.tradeName, "legal_name": preset.legalName, "server_domains": domains,
                    "server_operator_tag": preset.tag.rawValue,
                ]
            )
            guard stored == nil else { continue }
            try tx.db.update(
                "server_operators",
                set: ["trade_name": preset.tradeName, "legal_name": preset.legalName, "server_domains": domains],
                where: ["server_operator_tag": preset.tag.rawValue]
            )
            guard tx.db.changeCount == 0 else { continue }
            try tx.db.insert(
                into: "server_operators",
                [
                    "server_operator_tag": preset.tag.rawValue, "trade_name": preset.tradeName,
                    "legal_name": preset.legalName, "server_domains": domains,
                    "smp_roles": try StoredJSON.encode(preset.smpRoles),
                    "xftp_roles": try StoredJSON.encode(preset.xftpRoles),
                ]
            )
        }
        try acceptOverdueConditions(tx)
    }

    // MARK: Conditions

    private static func parseConditions(_ row: Row) throws -> UsageConditions {
        UsageConditions(
            conditionsId: try row.int64("usage_conditions_id"),
            conditionsCommit: try row.string("conditions_commit"),
            notifiedAt: try row.int64OrNil("notified_at").map { Timestamp(nanoseconds: $0).api },
            createdAt: Timestamp(nanoseconds: try row.int64("created_at")).api
        )
    }

    /// Finds conditions of use.
    /// - Parameter id: the id of the conditions; nil for the newest conditions.
    /// - Throws: `usageConditionsNotFound`.
    static func getConditions(_ id: Int64? = nil, in db: StoreConnection) throws -> UsageConditions {
        let row =
            if let id { try db.queryFirst("SELECT * FROM usage_conditions WHERE usage_conditions_id = ?", [id]) } else {
                try db.firstRow("SELECT * FROM usage_conditions ORDER BY usage_conditions_id DESC LIMIT 1")
            }
        guard let row else { throw ChatFailure(StoreError.usageConditionsNotFound) }
        return try parseConditions(row)
    }

    /// Finds the conditions that were accepted last, for any of the operators.
    static func findAcceptedConditions(in db: StoreConnection) throws -> UsageConditions? {
        try db.firstRow(
            """
            SELECT c.* FROM (SELECT conditions_commit FROM operator_usage_conditions ORDER BY accepted_at DESC LIMIT 1)
              JOIN usage_conditions c USING (conditions_commit)
            """
        ).map(parseConditions)
    }

    // MARK: Operators

    static func findAll(in db: StoreConnection) throws -> [ServerOperator] {
        try db.query("SELECT * FROM server_operators ORDER BY server_operator_id").map { row in
            let id = try row.int64("server_operator_id")
            return ServerOperator(
                operatorId: id,
                operatorTag: try row.stringOrNil("server_operator_tag").map(OperatorTag.init(rawValue:)),
                tradeName: try row.string("trade_name"),
                legalName: try row.stringOrNil("legal_name"),
                serverDomains: try row.string("server_domains").split(separator: ",").map(String.init),
                conditionsAcceptance: try findAcceptance(of: id, in: db),
                enabled: try row.bool("enabled"),
                smpRoles: try StoredJSON.decode(ServerRoles.self, row.string("smp_roles")),
                xftpRoles: try StoredJSON.decode(ServerRoles.self, row.string("xftp_roles"))
            )
        }
    }

    private static func findAcceptance(of id: Int64, in db: StoreConnection) throws -> ConditionsAcceptance {
        guard let latest = try findAcceptedConditions(in: db),
            let row = try db.firstRow(
                """
                SELECT * FROM operator_usage_conditions
                WHERE server_operator_id = :server_operator_id AND conditions_commit = :conditions_commit
                """,
                ["server_operator_id": id, "conditions_commit": latest.conditionsCommit]
            )
        else { return .required(deadline: nil) }
        let current = try db.firstRow("SELECT * FROM usage_conditions ORDER BY usage_conditions_id DESC LIMIT 1")
        guard let current, try current.string("conditions_commit") != latest.conditionsCommit else {
            return .accepted(
                acceptedAt: Timestamp(nanoseconds: try row.int64("accepted_at")).api,
                autoAccepted: try row.bool("auto_accepted")
            )
        }
        return .required(deadline: try acceptanceDeadline(current)?.api)
    }

    /// Returns the time by which newer conditions must be accepted: 31 days after their notice was shown. Returns nil
    /// if the notice was not shown within two weeks after the conditions were stored. In this case, the conditions have
    /// to be accepted immediately.
    private static func acceptanceDeadline(_ conditions: Row) throws -> Timestamp? {
        let created = Timestamp(nanoseconds: try conditions.int64("created_at"))
        let notified = try conditions.int64OrNil("notified_at").map(Timestamp.init(nanoseconds:)) ?? .now
        return notified < created.adding(seconds: 14 * 86_400) ? notified.adding(seconds: 31 * 86_400) : nil
    }

    static func readSummary(in db: StoreConnection) throws -> ServerOperatorConditions {
        let operators = try findAll(in: db)
        let current = try getConditions(in: db)
        return ServerOperatorConditions(
            serverOperators: operators,
            currentConditions: current,
            conditionsAction: try findRequiredAction(operators, in: db)
        )
    }

    private static func findRequiredAction(
        _ operators: [ServerOperator],
        in db: StoreConnection
    ) throws -> UsageConditionsAction? {
        func isAccepted(_ one: ServerOperator) -> Bool {
            if case .accepted = one.conditionsAcceptance { true } else { false }
        }
        let enabled = operators.filter(\.enabled)
        guard !enabled.isEmpty,
            let current = try db.firstRow("SELECT * FROM usage_conditions ORDER BY usage_conditions_id DESC LIMIT 1")
        else { return nil }
        if enabled.allSatisfy(isAccepted) { return .accepted(operators: operators.filter(isAccepted)) }
        return .review(
            operators: enabled.filter { !isAccepted($0) },
            deadline: try acceptanceDeadline(current)?.api,
            showNotice: try current.int64OrNil("notified_at") == nil
        )
    }

    /// Stores whether the servers of an operator are used, and the roles of these servers.
    /// - Throws: `operatorNotFound`.
    static func storeSettings(_ one: ServerOperator, in db: StoreConnection) throws {
        try db.update(
            "server_operators",
            set: [
                "enabled": one.enabled, "smp_roles": try StoredJSON.encode(one.smpRoles),
                "xftp_roles": try StoredJSON.encode(one.xftpRoles),
            ],
            where: ["server_operator_id": one.operatorId]
        )
        guard db.changeCount > 0 else {
            throw ChatFailure(StoreError.operatorNotFound(serverOperatorId: one.operatorId))
        }
    }

    /// Accepts the current conditions of use after their deadline, for operators whose older conditions were accepted.
    /// Does nothing if the user has not seen the notice of the current conditions in time.
    private static func acceptOverdueConditions(_ tx: Transaction) throws {
        let newest = try tx.db.firstRow("SELECT * FROM usage_conditions ORDER BY usage_conditions_id DESC LIMIT 1")
        guard let newest, let deadline = try acceptanceDeadline(newest), deadline < tx.now else { return }
        let commit = try newest.string("conditions_commit")
        for one in try findAll(in: tx.db) {
            guard case .required(_?) = one.conditionsAcceptance else { continue }
            try tx.db.insert(
                into: "operator_usage_conditions",
                or: .ignore,
                [
                    "server_operator_id": one.operatorId, "conditions_commit": commit,
                    "accepted_at": tx.now.nanoseconds, "auto_accepted": 1,
                ]
            )
        }
    }

    /// Marks conditions of use as accepted for some operators.
    /// - Throws: `usageConditionsNotFound`, `operatorNotFound`.
    static func acceptConditions(_ conditionsId: Int64, operators: [Int64], _ tx: Transaction) throws {
        let commit = try getConditions(conditionsId, in: tx.db).conditionsCommit
        for id in operators {
            guard try tx.db.queryFirst("SELECT 1 FROM server_operators WHERE server_operator_id = ?", [id]) != nil
            else {
                throw ChatFailure(StoreError.operatorNotFound(serverOperatorId: id))
            }
            try tx.db.insert(
                into: "operator_usage_conditions",
                or: .ignore,
                ["server_operator_id": id, "conditions_commit": commit, "accepted_at": tx.now.nanoseconds]
            )
        }
    }
}
