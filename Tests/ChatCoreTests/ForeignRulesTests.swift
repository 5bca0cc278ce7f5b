import Foundation
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent
@testable import ChatCore
@testable import ChatStore
@testable import ForeignData
@testable import SQLCipher

/// The rules for columns of foreign databases.
@Suite struct ForeignRulesTests {
    /// Columns that can have any text: texts of people, keys and links that are checked when they are used, and words
    /// that newer peers may extend.
    private static let freeColumns = ["chat": freeChatColumns, "agent": freeAgentColumns].mapValues {
        Set($0.split(whereSeparator: \.isWhitespace).map(String.init))
    }
    private static let freeChatColumns = """
        calls.call_uuid channel_descriptions.descr_text chat_items.formatted_text
        chat_items.item_content chat_items.item_forwarded chat_items.item_status chat_items.item_text
        chat_items.mentions chat_items.msg_content_tag chat_items.msg_signed
        chat_relays.address chat_relays.domains chat_tags.chat_tag_emoji chat_tags.chat_tag_text
        connections.agent_conn_id connections.conn_full_link connections.conn_short_link connections.conn_status
        connections.group_link_id connections.last_rcv_msg_meta connections.local_alias
        connections.security_code contact_profiles.display_name contact_profiles.local_alias
        contacts.checked_domain
        contacts.conn_full_link_to_connect contacts.conn_short_link_to_connect contacts.custom_data
        contacts.enable_ntfs contacts.local_display_name contacts.ui_themes deleted_connections.agent_conn_id
        deliveries.delivery_status display_names.ldn_base display_names.local_display_name
        event_delivery_attempts.error event_delivery_attempts.event_id event_delivery_attempts.event_type
        event_delivery_attempts.outcome event_delivery_attempts.subscription_id event_sender_keys.name
        event_subjects.chat event_subscription_entries.subscription_id event_subscriptions.key_id
        event_subscriptions.kind event_subscriptions.settings event_subscriptions.subscription_id
        file_descriptions.descr_text files.agent_file_id files.file_key files.file_name files.file_nonce
        files.item_status files.sender_descr group_item_statuses.status group_links.agent_conn_id
        group_links.conn_full_link group_links.conn_short_link group_links.group_link_id group_links.member_role
        group_members.invitation group_members.local_display_name group_members.member_role
        group_members.relay_link group_members.step_request group_relays.relay_link
        groups.checked_domain
        groups.conn_full_link_to_connect groups.conn_short_link_to_connect groups.custom_data groups.enable_ntfs
        groups.invitation groups.local_alias groups.local_display_name groups.ui_themes
        groups.via_group_link_uri local_device.device_name messages.chat_msg_event
        operator_usage_conditions.conditions_commit partial_uploads.file_key partial_uploads.file_name
        partial_uploads.file_nonce partial_uploads.key_id passing_connections.agent_conn_id passing_connections.relay
        planned_messages.key_id
        planned_receivers.problem protocol_servers.protocol
        relay_jobs.author_member_ids relay_tests.agent_conn_id remote_controllers.ctrl_device_name
        remote_hosts.bind_addr remote_hosts.bind_iface remote_hosts.host_device_name
        retired_connections.agent_conn_id retired_files.agent_file_id retired_files.sender_descr
        served_channels.channel_link server_operators.legal_name server_operators.server_domains
        server_operators.server_operator_tag server_operators.trade_name settings.name settings.value
        stored_objects.seal_key stored_objects.seal_nonce uploads.file_name usage_conditions.conditions_commit
        user_addresses.agent_conn_id user_addresses.conn_full_link user_addresses.conn_short_link
        users.local_display_name
        """
    private static let freeAgentColumns = """
        file_servers_stats.counts invitations.request ntf_token.action ntf_token.token
        pending_joins.request rcv_files.description rcv_files.error rcv_messages.integrity servers_stats.counts
        snd_files.error snd_files.name snd_messages.external_id
        """

    /// Returns the columns that are read from a foreign database, with their declared types.
    private func readSchema(of database: String) async throws -> (all: [(name: String, type: String)], DatabaseRules) {
        let (migrations, rules) =
            database == "chat"
            ? (ChatSchema.migrations, ChatRules.makeRules(objects: "a"))
            : (AgentSchema.migrations, AgentRules.databaseRules)
        let path = FileManager.default.temporaryDirectory.appending(path: "rules-\(UUID().uuidString).db").path
        defer { for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) } }
        let opened = try await Database.open(at: path, key: .none, migrations: migrations)
        let columns: [(name: String, type: String)] = try await opened.read { db in
            try db.query(
                """
                SELECT name FROM sqlite_master
                WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'migrations'
                """
            ).map { try $0.string(0) }
                .filter { !rules.isDerivedTable($0) }
                .flatMap { table in
                    try db.query("PRAGMA table_info(\(table))").map { row in
                        (name: "\(table).\(try row.string("name"))", type: try row.string("type"))
                    }
                }
        }
        await opened.close()
        return (columns, rules)
    }

    @Test(arguments: ["chat", "agent"])
    func `Each text column of an imported database has a conversion rule or is listed as free text`(
        database: String
    ) async throws {
        let (columns, rules) = try await readSchema(of: database)
        let texts = columns.filter { $0.type == "TEXT" }.map(\.name)
        let ruled = Set(
            texts.filter { name in
                let parts = name.split(separator: ".").map(String.init)
                return rules.findRule(parts[0], parts[1]) != nil
            }
        )
        #expect(Set(texts).subtracting(ruled).symmetricDifference(Self.freeColumns[database] ?? []).sorted() == [])
    }

    @Test(arguments: ["chat", "agent"])
    func `Each conversion rule for imported databases applies to at least one column`(database: String) async throws {
        let (columns, rules) = try await readSchema(of: database)
        let names = columns.flatMap { column -> [String] in
            let name = column.name.split(separator: ".")[1]
            return [column.name, "*.\(name)", "*\(name[(name.lastIndex(of: "_") ?? name.startIndex)...])"]
        }
        #expect(Set(rules.columns.keys).subtracting(names).sorted() == [])
    }

    @Test(
        arguments: [
            ("events", "event_ts", 1_000_000_000), ("users", "created_at", 1_000_000_000),
            ("requests", "created_at", 1),
            ("event_subscriptions", "created_at", 1_000), ("event_subscriptions", "failing_since", 1_000),
            ("event_subscriptions", "succeeded_at", 1_000), ("event_subscription_entries", "first_attempt", 1_000),
            ("event_subscription_entries", "next_attempt", 1_000), ("event_delivery_attempts", "started_at", 1_000),
            ("event_delivery_attempts", "next_attempt", 1_000),
        ] as [(String, String, Int64)]
    )
    func `A time in an imported chat database is limited to a range that fits the unit of its column`(
        table: String,
        column: String,
        unit: Int64
    ) throws {
        let rule = try #require(ChatRules.makeRules().findRule(table, column))
        #expect(rule.convertValue(.integer(.max)) == .integer(7_250_000_000 * unit))
        #expect(rule.convertValue(.integer(.min)) == .integer(-7_250_000_000 * unit))
    }
}
