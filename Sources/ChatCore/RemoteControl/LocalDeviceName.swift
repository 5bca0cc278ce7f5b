internal import ChatStore
internal import SQLCipher

/// The name of this device that paired devices show.
enum LocalDeviceName {
    static func readName(in db: StoreConnection) throws -> String {
        try db.firstRow("SELECT device_name FROM local_device")?.string("device_name") ?? "SimpleX gateway"
    }

    static func setName(_ name: String, _ tx: Transaction) throws {
        try tx.db.execute("INSERT OR REPLACE INTO local_device (device_id, device_name) VALUES (1, ?)", [name])
    }
}
