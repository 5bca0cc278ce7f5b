internal import SQLCipher

/// The pairings with other devices: controllers (desktops) that may use this core, and hosts (phones) that this core
/// uses.
enum RemoteControlSchema {
    static let migration = Migration(
        name: "20261123_remote_control",
        up: """
            CREATE TABLE remote_controllers (
              remote_ctrl_id INTEGER PRIMARY KEY AUTOINCREMENT,
              ctrl_device_name TEXT NOT NULL,
              -- this device's authority for the pairing: DER, and the key
              ca_cert BLOB NOT NULL,
              ca_key BLOB NOT NULL,
              -- SHA-256 of the controller's authority certificate, and the key that signs its commands
              ctrl_fingerprint BLOB NOT NULL UNIQUE,
              id_pub BLOB NOT NULL,
              -- this device's key of the last session, and of the one before: announcements are for one of them
              dh_priv_key BLOB NOT NULL,
              prev_dh_priv_key BLOB
            );
            CREATE TABLE remote_hosts (
              remote_host_id INTEGER PRIMARY KEY AUTOINCREMENT,
              host_device_name TEXT NOT NULL,
              -- the folder for its files, below that for remote hosts
              store_path TEXT NOT NULL UNIQUE,
              bind_addr TEXT,
              bind_iface TEXT,
              bind_port INTEGER,
              ca_cert BLOB NOT NULL,
              ca_key BLOB NOT NULL,
              -- signs the commands of all sessions
              id_key BLOB NOT NULL,
              host_fingerprint BLOB NOT NULL UNIQUE,
              host_dh_pub BLOB NOT NULL
            );
            -- How other devices call this one; one row at most.
            CREATE TABLE local_device (
              device_id INTEGER PRIMARY KEY CHECK (device_id = 1),
              device_name TEXT NOT NULL
            );
            """)

    static func deviceName(in db: StoreConnection) throws -> String {
        try db.first("SELECT device_name FROM local_device")?.string("device_name") ?? "SimpleX gateway"
    }

    static func setDeviceName(_ name: String, _ tx: Transaction) throws {
        try tx.db.execute("INSERT OR REPLACE INTO local_device (device_id, device_name) VALUES (1, ?)", [name])
    }
}
