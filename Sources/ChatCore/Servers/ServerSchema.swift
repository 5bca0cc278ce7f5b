internal import SQLCipher

/// The tables of server operators, the conditions of using their servers, and each profile's servers.
enum ServerSchema {
    static let migration = Migration(name: "20261121_servers", up: """
        CREATE TABLE server_operators (
          server_operator_id INTEGER PRIMARY KEY AUTOINCREMENT,
          server_operator_tag TEXT UNIQUE,
          trade_name TEXT NOT NULL,
          legal_name TEXT,
          server_domains TEXT NOT NULL,
          enabled INTEGER NOT NULL DEFAULT 1,
          smp_roles TEXT NOT NULL,
          xftp_roles TEXT NOT NULL
        );
        CREATE TABLE usage_conditions (
          usage_conditions_id INTEGER PRIMARY KEY,
          conditions_commit TEXT NOT NULL UNIQUE,
          notified_at INTEGER,
          created_at INTEGER NOT NULL
        );
        CREATE TABLE operator_usage_conditions (
          server_operator_id INTEGER NOT NULL REFERENCES server_operators ON DELETE CASCADE,
          conditions_commit TEXT NOT NULL,
          accepted_at INTEGER NOT NULL,
          auto_accepted INTEGER NOT NULL DEFAULT 0,
          PRIMARY KEY (server_operator_id, conditions_commit)
        ) WITHOUT ROWID;
        CREATE TABLE protocol_servers (
          server_id INTEGER PRIMARY KEY AUTOINCREMENT,
          user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
          protocol TEXT NOT NULL,
          -- with the password, where there is one
          server TEXT NOT NULL,
          preset INTEGER NOT NULL,
          tested INTEGER,
          enabled INTEGER NOT NULL,
          roles TEXT,
          -- as the configuration had it: it follows the configuration until somebody sets the profile's servers
          configured INTEGER NOT NULL DEFAULT 0,
          UNIQUE (user_id, server)
        );
        """)
}
