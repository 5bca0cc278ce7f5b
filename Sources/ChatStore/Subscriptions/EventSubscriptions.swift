package import SQLCipher

/// The subscriptions of a store to events. The chat database contains them.
package final class EventSubscriptions: Sendable {
    /// Maximum number of kept attempts of a subscription.
    package static let maxKeptAttempts = 1_000

    private let database: Database

    package init(database: Database) { self.database = database }

    // MARK: Subscriptions

    /// Returns all subscriptions, the oldest first.
    package func readAll() async throws -> [EventSubscription] {
        try await database.read { db in
            try db.query("SELECT * FROM event_subscriptions ORDER BY created_at, subscription_id").compactMap {
                try EventSubscription($0)
            }
        }
    }

    /// Adds a subscription.
    /// - Parameters:
    ///   - limit: the maximum number of subscriptions of one kind.
    ///   - share: the maximum number of subscriptions of one kind for one key.
    ///   - answered: the request that adds the subscription, with its answer.
    /// - Returns: false if a maximum is reached, or if a subscription has the same id.
    package func add(
        _ subscription: EventSubscription,
        limit: Int,
        share: Int,
        _ answered: AnsweredRequest? = nil
    ) async throws -> Bool {
        try await database.write { db in
            let counts = try db.firstRow(
                """
                SELECT count(*) AS n, coalesce(sum(key_id = :key_id), 0) AS own FROM event_subscriptions
                WHERE kind = :kind
                """,
                ["key_id": subscription.keyId, "kind": subscription.kind]
            )
            guard try counts?.readCount("n") ?? 0 < limit, try counts?.readCount("own") ?? 0 < share else {
                return false
            }
            try db.insert(
                into: "event_subscriptions",
                or: .ignore,
                [
                    "subscription_id": subscription.id, "kind": subscription.kind, "key_id": subscription.keyId,
                    "settings": subscription.settings, "state": subscription.state.rawValue,
                    "position": Int64(clamping: subscription.position), "created_at": subscription.createdMilliseconds,
                ]
            )
            guard db.changeCount > 0 else { return false }
            try answered?.store(in: db)
            return true
        }
    }

    /// Deletes a subscription with its entries and attempts.
    package func delete(_ id: String) async throws {
        try await database.write { db in
            try db.execute("DELETE FROM event_subscriptions WHERE subscription_id = ?", [id])
        }
    }

    /// Stores a subscription that its owner has changed, and the answer to the request that changed it.
    package func replace(_ subscription: EventSubscription, _ answered: AnsweredRequest? = nil) async throws {
        try await database.write { db in
            try subscription.updateRow(db)
            try answered?.store(in: db)
        }
    }

    /// Stores a subscription whose position its owner has moved, and deletes the states of its entries.
    package func movePosition(_ subscription: EventSubscription, _ answered: AnsweredRequest? = nil) async throws {
        try await database.write { db in
            try subscription.updateRow(db)
            try db.execute("DELETE FROM event_subscription_entries WHERE subscription_id = ?", [subscription.id])
            try answered?.store(in: db)
        }
    }

    /// Marks entries that must be sent again.
    package func markForReplay(_ seqs: Set<UInt64>, of id: String, _ answered: AnsweredRequest? = nil) async throws {
        try await database.write { db in
            for seq in seqs { try SubscribedEntry(seq: seq, state: .replay).store(of: id, db) }
            try answered?.store(in: db)
        }
    }

    /// Makes all waiting entries of a subscription due now.
    package func makeEntriesDueNow(_ id: String) async throws {
        try await database.write { db in
            try db.execute(
                "UPDATE event_subscription_entries SET next_attempt = 0, attempts = 0, first_attempt = NULL WHERE subscription_id = ?",
                [id]
            )
        }
    }

    /// Returns a private key with which this store identifies itself to receivers, such as the key `vapid` for Web
    /// Push. Creates the key at the first use.
    package func findOrCreateSenderKey(
        _ name: String,
        make: @escaping @Sendable () throws -> [UInt8]
    ) async throws -> [UInt8] {
        @Sendable func findKey(_ db: StoreConnection) throws -> [UInt8]? {
            try db.queryFirst("SELECT value FROM event_sender_keys WHERE name = ?", [name])?.blob("value")
        }
        if let key = try await database.read(findKey) { return key }
        return try await database.write { db in
            if let key = try findKey(db) { return key }
            let key = try make()
            try db.insert(into: "event_sender_keys", ["name": name, "value": key])
            return key
        }
    }

    // MARK: Deliveries

    /// Returns the entries that have a separate state for the subscription. The position of the subscription gives the
    /// state of all other entries.
    package func readEntries(of id: String) async throws -> [SubscribedEntry] {
        try await database.read { db in
            try db.query("SELECT * FROM event_subscription_entries WHERE subscription_id = ? ORDER BY seq", [id])
                .compactMap { try SubscribedEntry($0) }
        }
    }

    /// Stores changes of a subscription, for example after an attempt to deliver an event. Does nothing if the
    /// subscription no longer exists.
    package func apply(_ change: SubscriptionChange) async throws {
        let subscription = change.subscription
        try await database.write { db in
            try subscription.updateRow(db)
            // If the owner has deleted the subscription during the attempt, nothing is stored.
            guard db.changeCount > 0 else { return }
            for entry in change.entriesToRemove {
                try db.delete(
                    from: "event_subscription_entries",
                    where: ["subscription_id": subscription.id, "seq": Int64(clamping: entry.seq)]
                )
            }
            for entry in change.entriesToStore { try entry.store(of: subscription.id, db) }
            try db.execute(
                """
                DELETE FROM event_subscription_entries
                WHERE subscription_id = :subscription_id AND seq <= :seq AND state IN ('done', 'waiting')
                """,
                ["subscription_id": subscription.id, "seq": Int64(clamping: subscription.position)]
            )
            if let attempt = change.attempt { try attempt.store(of: subscription.id, db) }
            try change.answeredRequest?.store(in: db)
        }
    }

    /// Returns the kept attempts to deliver events of a subscription, the newest first.
    package func readAttempts(of id: String) async throws -> [DeliveryAttempt] {
        try await database.read { db in
            try db.query(
                "SELECT * FROM event_delivery_attempts WHERE subscription_id = ? ORDER BY attempt_id DESC",
                [id]
            ).map { try DeliveryAttempt($0) }
        }
    }

    /// Stores an attempt that does not change the subscription.
    package func storeAttempt(_ attempt: DeliveryAttempt, of id: String) async throws {
        try await database.write { db in
            guard try db.queryFirst("SELECT 1 AS found FROM event_subscriptions WHERE subscription_id = ?", [id]) != nil
            else { return }
            try attempt.store(of: id, db)
        }
    }
}

extension EventSubscription {
    fileprivate init?(_ row: Row) throws {
        guard let state = State(rawValue: try row.string("state")) else { return nil }
        id = try row.string("subscription_id")
        kind = try row.string("kind")
        keyId = try row.string("key_id")
        settings = try row.string("settings")
        self.state = state
        position = UInt64(clamping: try row.int64("position"))
        createdMilliseconds = try row.readTime("created_at")
        failingSinceMilliseconds = try row.readTimeOrNil("failing_since")
        lastSuccessMilliseconds = try row.readTimeOrNil("succeeded_at")
    }

    fileprivate func updateRow(_ db: StoreConnection) throws {
        try db.update(
            "event_subscriptions",
            set: [
                "key_id": keyId, "settings": settings, "state": state.rawValue, "position": Int64(clamping: position),
                "failing_since": failingSinceMilliseconds, "succeeded_at": lastSuccessMilliseconds,
            ],
            where: ["subscription_id": id]
        )
    }
}

extension SubscribedEntry {
    fileprivate init?(_ row: Row) throws {
        guard let state = State(rawValue: try row.string("state")) else { return nil }
        seq = UInt64(clamping: try row.int64("seq"))
        self.state = state
        attemptCount = try row.readClampedCount("attempts")
        firstAttemptMilliseconds = try row.readTimeOrNil("first_attempt")
        nextAttemptUnixMilliseconds = try row.readTime("next_attempt")
    }

    fileprivate func store(of id: String, _ db: StoreConnection) throws {
        try db.insert(
            into: "event_subscription_entries",
            or: .replace,
            [
                "subscription_id": id, "seq": Int64(clamping: seq), "state": state.rawValue, "attempts": attemptCount,
                "first_attempt": firstAttemptMilliseconds, "next_attempt": nextAttemptUnixMilliseconds,
            ]
        )
    }
}

extension DeliveryAttempt {
    fileprivate init(_ row: Row) throws {
        id = try row.int64("attempt_id")
        eventId = try row.string("event_id")
        eventType = try row.string("event_type")
        attemptNumber = try row.readClampedCount("attempt")
        startedMilliseconds = try row.readTime("started_at")
        durationMilliseconds = try row.readTime("duration")
        httpStatus = try row.readClampedCountOrNil("status")
        outcome = try row.string("outcome")
        error = try row.stringOrNil("error")
        nextAttemptUnixMilliseconds = try row.readTimeOrNil("next_attempt")
    }

    fileprivate func store(of id: String, _ db: StoreConnection) throws {
        try db.insert(
            into: "event_delivery_attempts",
            [
                "subscription_id": id, "event_id": eventId, "event_type": eventType, "attempt": attemptNumber,
                "started_at": startedMilliseconds, "duration": durationMilliseconds, "status": httpStatus,
                "outcome": outcome,
                "error": error,
                "next_attempt": nextAttemptUnixMilliseconds,
            ]
        )
        try db.execute(
            """
            DELETE FROM event_delivery_attempts WHERE subscription_id = :subscription_id AND attempt_id <=
              (SELECT attempt_id FROM event_delivery_attempts
              WHERE subscription_id = :subscription_id ORDER BY attempt_id DESC LIMIT 1 OFFSET :offset)
            """,
            ["subscription_id": id, "offset": EventSubscriptions.maxKeptAttempts]
        )
    }
}
