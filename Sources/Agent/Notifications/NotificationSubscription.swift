import NTF
import SMP
import SQLCipher
import SimpleXCrypto

/// Subscription of the notification server to a connection's queue. The queue has a notifier at its relay (NKEY), and
/// the server subscribes to the notifier (SNEW). Each step is stored before the next step, so that the work continues
/// after a crash.
struct NotificationSubscription: Sendable {
    enum Action: String, Sendable {
        /// Make a notifier for the queue on the relay (NKEY).
        case key
        /// Subscribe to the notifier on the notification server (SNEW).
        case create
        /// Check that the notification server is still subscribed (SCHK).
        case check
        /// Remove the notifier from the relay (NDEL).
        case remove
    }

    var queueID: Int64
    var connection: ConnectionID
    var user: AgentUserID
    var server: ProtocolServer
    var rcvID: [UInt8]
    var notifierID: [UInt8]?
    var notifierKey: AuthorizationPrivateKey?
    var notificationServer: ProtocolServer
    var subscriptionID: [UInt8]?
    var action: Action
    /// The queue; nil when the connection no longer has the queue.
    var queue: RcvQueueCredentials?

    private init(_ row: Row) throws {
        queueID = try row.int64("queue_id")
        connection = ConnectionID(bytes: try row.blob("conn_id"))
        user = try row.int64("user_id")
        server = try parseStoredServer(row.string("server"))
        rcvID = try row.blob("rcv_id")
        notifierID = try row.blobOrNil("notifier_id")
        notifierKey = try row.blobOrNil("notifier_key").map { try AuthorizationPrivateKey(pkcs8: $0) }
        notificationServer = try parseStoredServer(row.string("ntf_server"))
        subscriptionID = try row.blobOrNil("subscription_id")
        action = Action(rawValue: try row.string("action")) ?? .key
        queue = try row.blobOrNil("rcv_key").map { key in
            RcvQueueCredentials(
                rcvID: try row.blob("rcv_id"),
                key: try AuthorizationPrivateKey(pkcs8: key),
                dhSecret: try X25519.SharedSecret(rawRepresentation: row.blob("rcv_dh_secret"))
            )
        }
    }

    /// The longest time until the next action for a subscription, in seconds.
    static let longestPauseSeconds: Int64 = 3 * 86_400

    /// Returns subscriptions with a due action, the oldest first. An action that is later than the longest pause from
    /// now is due too: the system's clock was set back after the action was stored.
    static func findDue(at now: Int64, limit: Int, _ db: DatabaseConnection) throws -> [NotificationSubscription] {
        try db.query(
            """
            SELECT s.*, c.user_id, q.rcv_key, q.rcv_dh_secret
            FROM ntf_subscriptions s JOIN connections c USING (conn_id)
            LEFT JOIN rcv_queues q ON q.server = s.server AND q.rcv_id = s.rcv_id
            WHERE s.action_at <= :now OR s.action_at > :latest ORDER BY s.action_at, s.queue_id LIMIT :limit
            """,
            ["now": now, "latest": now + longestPauseSeconds, "limit": limit]
        ).map(NotificationSubscription.init)
    }

    /// Returns the time of the next action after `now`.
    static func findNextActionTime(after now: Int64, _ db: DatabaseConnection) throws -> Int64? {
        try db.firstRow("SELECT min(action_at) AS at FROM ntf_subscriptions WHERE action_at > ?", now)?.readTimeOrNil(
            "at"
        )
    }

    // MARK: Connections with notifications

    /// Stores the connections for which the chat wants no pushes.
    static func storeMutedConnections(_ connections: Set<ConnectionID>, _ db: DatabaseConnection) throws {
        let known = try Set(
            db.query("SELECT conn_id FROM muted_connections").map { ConnectionID(bytes: try $0.blob("conn_id")) }
        )
        for id in known.subtracting(connections) {
            try db.execute("DELETE FROM muted_connections WHERE conn_id = ?", id.bytes)
        }
        for id in connections.subtracting(known) {
            try db.execute(
                "INSERT INTO muted_connections (conn_id) SELECT conn_id FROM connections WHERE conn_id = ?",
                id.bytes
            )
        }
    }

    /// Adds and changes entries in the table of subscriptions. Afterwards each connection with notifications has an
    /// entry for its queue, and the entries of other connections are marked for removal.
    ///
    /// Existing entries stay while a token is verified again.
    static func reconcileSubscriptions(with token: StoredToken?, _ db: DatabaseConnection) throws {
        guard let token, token.mode == .instant else {
            return try db.execute(
                "UPDATE ntf_subscriptions SET action = 'remove', action_at = 0 WHERE action <> 'remove'"
            )
        }
        try db.execute(
            """
            UPDATE ntf_subscriptions SET action = 'remove', action_at = 0
            WHERE action <> 'remove' AND conn_id IN (SELECT conn_id FROM muted_connections)
            """
        )
        guard token.receivesInstantPushes, let id = token.id else { return }
        try db.execute(
            """
            INSERT INTO ntf_subscriptions (conn_id, server, rcv_id, ntf_server, action, action_at)
            SELECT q.conn_id, q.server, q.rcv_id, ?, 'key', 0 FROM rcv_queues q JOIN connections c USING (conn_id)
            LEFT JOIN ntf_subscriptions s USING (conn_id) LEFT JOIN muted_connections m USING (conn_id)
            WHERE q.is_replacement = 0 AND c.delete_when_sent = 0 AND s.queue_id IS NULL AND m.conn_id IS NULL
            """,
            token.server.str
        )
        // The selected subscriptions begin again with the first step, because their queue, server or token has changed,
        // or because notifications are wanted again.
        for row in try db.query(
            """
            SELECT s.queue_id, q.server, q.rcv_id
            FROM ntf_subscriptions s JOIN rcv_queues q ON q.conn_id = s.conn_id AND q.is_replacement = 0
            LEFT JOIN muted_connections m ON m.conn_id = s.conn_id
            WHERE m.conn_id IS NULL
            AND (s.action = 'remove' OR s.server <> q.server OR s.rcv_id <> q.rcv_id OR s.ntf_server <> :ntf_server
              OR (s.token_id IS NOT NULL AND s.token_id <> :token_id))
            """,
            ["ntf_server": token.server.str, "token_id": id]
        ) {
            try db.update(
                "ntf_subscriptions",
                set: [
                    "server": try row.string("server"), "rcv_id": try row.blob("rcv_id"), "notifier_id": nil,
                    "notifier_key": nil, "notifier_secret": nil, "ntf_server": token.server.str, "token_id": nil,
                    "subscription_id": nil, "action": Action.key.rawValue, "action_at": 0,
                ],
                where: ["queue_id": try row.int64("queue_id")]
            )
        }
    }

    // MARK: Results of actions

    /// Stores the new notifier of the queue.
    func storeNotifier(_ notifier: NotifierCredentials, key: AuthorizationPrivateKey, _ db: DatabaseConnection) throws {
        try db.update(
            "ntf_subscriptions",
            set: [
                "notifier_id": notifier.notifierID, "notifier_key": key.pkcs8,
                "notifier_secret": notifier.dhSecret.rawRepresentation, "token_id": nil, "subscription_id": nil,
                "action": Action.create.rawValue, "action_at": 0,
            ],
            where: ["queue_id": queueID, "action": Action.key.rawValue, "server": server.str, "rcv_id": rcvID]
        )
    }

    func storeSubscriptionID(_ id: [UInt8], token: [UInt8], checkAt: Int64, _ db: DatabaseConnection) throws {
        try db.execute(
            """
            UPDATE ntf_subscriptions
            SET subscription_id = :subscription_id, token_id = :token_id, action = 'check', action_at = :action_at
            WHERE queue_id = :queue_id AND action = 'create' AND notifier_id = :notifier_id
            """,
            [
                "subscription_id": id, "token_id": token, "action_at": checkAt, "queue_id": queueID,
                "notifier_id": notifierID,
            ]
        )
    }

    func storeNextCheck(nextAt: Int64, _ db: DatabaseConnection) throws {
        try db.execute(
            "UPDATE ntf_subscriptions SET action_at = :action_at WHERE queue_id = :queue_id AND action = 'check'",
            ["action_at": nextAt, "queue_id": queueID]
        )
    }

    /// Starts the subscription again, with a new notifier.
    func restartSubscription(at time: Int64, _ db: DatabaseConnection) throws {
        try db.execute(
            """
            UPDATE ntf_subscriptions SET action = 'key', action_at = :action_at
            WHERE queue_id = :queue_id AND action = :action
            """,
            ["action_at": time, "queue_id": queueID, "action": action.rawValue]
        )
    }

    func remove(_ db: DatabaseConnection) throws {
        try db.execute("DELETE FROM ntf_subscriptions WHERE queue_id = ? AND action = 'remove'", queueID)
    }

    // MARK: Received messages

    /// Stores the time at which the relay received a message of the queue, unless a later time is stored.
    static func recordReceivedMessage(
        at brokerTimestamp: Int64,
        _ connection: ConnectionID,
        _ db: DatabaseConnection
    ) throws {
        try db.execute(
            """
            UPDATE ntf_subscriptions SET last_broker_ts = :last_broker_ts
            WHERE conn_id = :conn_id AND (last_broker_ts IS NULL OR last_broker_ts < :last_broker_ts)
            """,
            ["last_broker_ts": brokerTimestamp, "conn_id": connection.bytes]
        )
    }
}
