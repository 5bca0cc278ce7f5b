/// A change that an attacker makes to one of the databases of a store before its archive or copy is restored.
package struct HostileEdit: Sendable, CustomStringConvertible {
    package enum Outcome: Sendable {
        /// The rows are accepted, and the edit does no harm.
        case accepted
        /// The store is refused with a reason that contains these words.
        case refused(String)
    }

    package let description: String
    /// `chat` or `agent`.
    package let database: String
    package let statements: [String]
    package let outcome: Outcome

    private init(
        _ description: String,
        _ database: String = "chat",
        _ outcome: Outcome = .accepted,
        _ statements: String...
    ) {
        self.description = description
        self.database = database
        self.outcome = outcome
        self.statements = statements
    }

    /// A path outside of every store.
    package static let outsidePath = "/etc/hostname"

    private static func fileInsertionSQL(_ isSent: Int, _ rest: String) -> String {
        """
        INSERT INTO files (user_id, is_sent, protocol, file_name, file_size, chunk_size, file_path, item_status,
          transfer_status, file_inline, task, created_at, updated_at)
        VALUES (1, \(isSent), 'local', 'a', 3, 15780, '\(outsidePath)', '{"type":"sndStored"}', \(rest), 0, 0)
        """
    }

    /// The attacks that were found in an earlier release, and similar attacks.
    package static let all = [
        HostileEdit(
            "the counter of events is -1",
            "chat",
            .accepted,
            "UPDATE sqlite_sequence SET seq = -1 WHERE name = 'events'"
        ),
        HostileEdit(
            "the counter of deliveries is the greatest number",
            "chat",
            .accepted,
            "DELETE FROM sqlite_sequence WHERE name = 'deliveries'",
            "INSERT INTO sqlite_sequence VALUES ('deliveries', 9223372036854775807), ('nothing', 'text')"
        ),
        HostileEdit(
            "statistics divide by zero",
            "chat",
            .accepted,
            "ANALYZE",
            "UPDATE sqlite_stat1 SET stat = stat || ' sz=0'",
            "INSERT INTO sqlite_stat1 VALUES ('users', NULL, 'sz=0')"
        ),
        HostileEdit(
            "a trigger reads memory",
            "chat",
            .accepted,
            """
            CREATE TRIGGER zz AFTER INSERT ON users BEGIN
              UPDATE users SET ui_themes = rtreenode(1, x'000003e8') WHERE rowid = NEW.rowid;
            END
            """
        ),
        HostileEdit(
            "a trigger never ends",
            "chat",
            .accepted,
            """
            CREATE TRIGGER zz AFTER INSERT ON users BEGIN
              SELECT (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c);
            END
            """
        ),
        HostileEdit("a file to read is outside the store", "chat", .accepted, fileInsertionSQL(1, "'new', NULL, 0")),
        HostileEdit(
            "a file to write is outside the store",
            "chat",
            .accepted,
            fileInsertionSQL(0, "'connected', 'offer', 6"),
            "INSERT INTO inline_chunks SELECT max(file_id), 1, x'616263' FROM files"
        ),
        HostileEdit(
            "files in transfer are outside the store",
            "agent",
            .accepted,
            """
            INSERT INTO snd_files (file_id, user_id, created_at, source_path, name, recipients, key, nonce, status)
            VALUES (x'01', 1, 0, '\(outsidePath)', 'n', 1, x'', x'', 'new')
            """,
            """
            INSERT INTO rcv_files (file_id, user_id, created_at, target_path, approved, description, status)
            VALUES (x'02', 1, 0, '\(outsidePath)', 1, '', 'error')
            """
        ),
        HostileEdit(
            "names have quotes, and tables are virtual",
            "chat",
            .accepted,
            "CREATE TABLE \"a \"\" b\" (\"c \"\" d\")",
            "CREATE VIRTUAL TABLE letters USING fts3(a)",
            "CREATE VIEW v AS SELECT fts3_tokenizer('simple')",
            "CREATE INDEX i ON users (abs(length(local_display_name)))"
        ),
        HostileEdit(
            "times are the greatest and the least number",
            "chat",
            .accepted,
            "UPDATE users SET created_at = 9223372036854775807, updated_at = -9223372036854775808"
        ),
        HostileEdit(
            "a view replaces a table",
            "chat",
            .refused("lacks the table chat_tags"),
            "DROP TABLE chat_tags",
            "CREATE VIEW chat_tags AS SELECT 1 AS chat_tag_id"
        ),
        HostileEdit(
            "a value has another type",
            "chat",
            .refused("users.created_at has a value of another type"),
            "UPDATE users SET created_at = 'soon'"
        ),
        HostileEdit(
            "a number is negative",
            "chat",
            .refused("users.user_id is not from 0"),
            "UPDATE users SET user_id = -1"
        ),
        HostileEdit(
            "a text is not JSON",
            "chat",
            .refused("contact_profiles.profile is not a valid JSON"),
            "UPDATE contact_profiles SET profile = 'a'"
        ),
        HostileEdit(
            "a reference has no target",
            "chat",
            .refused("refers to a missing row"),
            "UPDATE contact_profiles SET user_id = 77"
        ),
        HostileEdit(
            "there are many profiles",
            "chat",
            .refused("too large: the table users"),
            """
            WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 11001)
            INSERT INTO users (agent_user_id, contact_profile_id, local_display_name, created_at, updated_at)
              SELECT 1, 1, 'u' || i, 0, 0 FROM n
            """
        ),
        HostileEdit(
            "a name is too long",
            "chat",
            .refused("contact_profiles.display_name has more than"),
            "UPDATE contact_profiles SET display_name = hex(zeroblob(40000))"
        ),
        HostileEdit(
            "a message has an invalid padded length",
            "agent",
            .refused("snd_messages.padded_length is not from"),
            """
            INSERT INTO snd_messages (conn_id, internal_id, kind, notify, body, created_at, padded_length)
            VALUES (x'01', 1, 'message', 0, x'', 0, 9007199254740992)
            """
        ),
        HostileEdit(
            "the address of a server is invalid",
            "agent",
            .refused("servers.address is not a valid address"),
            "INSERT INTO servers (user_id, position, address) VALUES (1, 7, 'smp://a')"
        ),
    ]
}
