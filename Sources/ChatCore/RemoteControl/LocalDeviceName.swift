internal import ChatStore
internal import SQLCipher

/// The name of this device that paired devices show.
enum LocalDeviceName {
    static func readName(in db: StoreConnection) throws -> String {
        try db.firstRow("SELECT device_name FROM local_device")?.string("device_name") ?? "SimpleX gateway"
    }

    static func setName(_ name: String, _ tx: Transaction) throws {
        try tx.db.insert(into: "local_device", or: .replace, ["device_id": 1, "device_name": name])
    }
}
