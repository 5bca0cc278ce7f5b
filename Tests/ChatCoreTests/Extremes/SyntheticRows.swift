@testable import SQLCipher

/// Rows for tables that are otherwise empty. The value of each column depends on its name or its type.
struct SyntheticRows {
    private let half: ExtremeColumn.DatabaseHalf
    private let database: DatabaseConnection

    init(_ half: ExtremeColumn.DatabaseHalf, _ database: DatabaseConnection) {
        self.half = half
        self.database = database
    }

    func addRows() throws {
        for table in try ExtremeColumn.listTables(of: database) where try !database.hasRow("SELECT 1 FROM \(table)") {
            let columns = try database.query("PRAGMA table_info(\(table))")
            let names = try columns.map { try $0.string("name") }.joined(separator: ", ")
            for number in 1...Extreme.rowLimit {
                let values = try columns.map { try columnValue(table, $0.string("name"), $0.string("type"), number) }
                let row = values.joined(separator: ", ")
                try database.execute("INSERT OR IGNORE INTO \(table) (\(names)) VALUES (\(row))")
            }
        }
    }

    private func columnValue(_ table: String, _ column: String, _ type: String, _ number: Int) -> String {
        if let known = Self.knownValues["\(table).\(column)"] ?? Self.knownValues[column] { return known }
        if let source = Self.copiedColumns[half]?[column], source.table != table {
            return """
                (SELECT \(source.column) FROM \(source.table)
                LIMIT 1 OFFSET \(number - 1) % (SELECT count(*) FROM \(source.table)))
                """
        }
        if column.hasSuffix("_at") || column.hasSuffix("_ts") {
            return half == .chat ? "1770000000000000000" : "1770000000"
        }
        return switch type.split(separator: " ").first {
        case "INTEGER": "\(number)"
        case "BLOB": "randomblob(32)"
        default: "'text \(number)'"
        }
    }

    private static let serverRoles = #"'{"storage":true,"proxy":true}'"#
    private static let knownValues = [
        "user_id": "1", "agent_user_id": "1", "contact_id": "1", "group_id": "1", "chat_type": "0", "chat_id": "1",
        "accepting": "0", "auto_reply": "NULL", "smp_roles": serverRoles, "xftp_roles": serverRoles,
        "profile": "'{}'", "settings": "'{}'", "deleted": "0", "cancelled": "0", "capabilities": "'{}'",
        "badge_status": "'active'", "badge_credential": "NULL",
        "retired_connections.agent_conn_id": "lower(hex(randomblob(12)))",
        "wallpapers.file_name": "'wallpaper.jpg'", "wallpapers.content": "x'ffd8ff00'",
        "planned_messages.content": "NULL", "planned_receivers.state": "'sent'", "planned_receivers.item_ids": "'[]'",
        "relay_profile": "'{\"displayName\":\"relay\",\"fullName\":\"\"}'",
    ]

    /// Sources of valid values.
    private static let copiedColumns: [ExtremeColumn.DatabaseHalf: [String: (table: String, column: String)]] = [
        .chat: [
            "group_member_id": ("group_members", "group_member_id"), "chat_item_id": ("chat_items", "chat_item_id"),
            "connection_id": ("connections", "connection_id"), "agent_conn_id": ("connections", "agent_conn_id"),
            "file_id": ("files", "file_id"), "body_id": ("message_bodies", "body_id"),
            "shared_msg_id": ("chat_items", "shared_msg_id"),
            "contact_profile_id": ("contact_profiles", "contact_profile_id"),
        ],
        .agent: [
            "conn_id": ("connections", "conn_id"), "server": ("rcv_queues", "server"),
            "rcv_id": ("rcv_queues", "rcv_id"),
            "rcv_key": ("rcv_queues", "rcv_key"), "rcv_dh_secret": ("rcv_queues", "rcv_dh_secret"),
            "snd_id": ("snd_queues", "snd_id"), "snd_key": ("snd_queues", "snd_key"),
            "e2e_secret": ("snd_queues", "e2e_secret"),
        ],
    ]
}
