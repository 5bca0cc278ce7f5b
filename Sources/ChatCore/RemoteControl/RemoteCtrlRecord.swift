internal import ChatAPI
internal import ChatStore
internal import SimpleXCrypto
internal import SQLCipher
internal import XRCP

/// The data that this device stores about the pairing with a known controller, which is a desktop.
struct RemoteCtrlRecord: Sendable {
    let id: Int64
    var deviceName: String
    let authority: DeviceAuthority
    let fingerprint: [UInt8]
    let identityKey: Ed25519.PublicKey
    let dhKey: X25519.PrivateKey
    let previousDHKey: X25519.PrivateKey?

    private init(_ row: Row) throws {
        id = try row.int64("remote_ctrl_id")
        deviceName = try row.string("ctrl_device_name")
        authority = DeviceAuthority(
            certificate: try row.blob("ca_cert"),
            key: try Ed25519.PrivateKey(rawRepresentation: row.blob("ca_key"))
        )
        fingerprint = try row.blob("ctrl_fingerprint")
        identityKey = try Ed25519.PublicKey(rawRepresentation: row.blob("id_pub"))
        dhKey = try X25519.PrivateKey(rawRepresentation: row.blob("dh_priv_key"))
        previousDHKey = try row.blobOrNil("prev_dh_priv_key").map { try X25519.PrivateKey(rawRepresentation: $0) }
    }

    static func findAll(in db: StoreConnection) throws -> [RemoteCtrlRecord] {
        try db.query("SELECT * FROM remote_controllers ORDER BY remote_ctrl_id", []).map(RemoteCtrlRecord.init)
    }

    static func find(fingerprint: [UInt8], in db: StoreConnection) throws -> RemoteCtrlRecord? {
        try db.queryFirst("SELECT * FROM remote_controllers WHERE ctrl_fingerprint = ?", [fingerprint]).map(
            RemoteCtrlRecord.init
        )
    }

    /// Records a session with a controller: adds a new pairing, or updates the name and key of a known controller.
    /// - Returns: the id of the controller.
    static func recordSession(
        _ invitation: Invitation,
        name: String,
        authority: DeviceAuthority,
        key: X25519.PrivateKey,
        _ tx: Transaction
    ) throws -> Int64 {
        if let known = try find(fingerprint: invitation.authorityFingerprint, in: tx.db) {
            try tx.db.execute(
                """
                UPDATE remote_controllers
                SET ctrl_device_name = :ctrl_device_name, prev_dh_priv_key = dh_priv_key, dh_priv_key = :dh_priv_key
                WHERE remote_ctrl_id = :remote_ctrl_id
                """,
                ["ctrl_device_name": name, "dh_priv_key": key.rawRepresentation, "remote_ctrl_id": known.id]
            )
            return known.id
        }
        try tx.db.insert(
            into: "remote_controllers",
            [
                "ctrl_device_name": name, "ca_cert": authority.certificate, "ca_key": authority.key.rawRepresentation,
                "ctrl_fingerprint": invitation.authorityFingerprint, "id_pub": invitation.identityKey.rawRepresentation,
                "dh_priv_key": key.rawRepresentation,
            ]
        )
        return tx.db.lastInsertRowID
    }

    static func delete(_ id: Int64, _ tx: Transaction) throws {
        try tx.db.execute("DELETE FROM remote_controllers WHERE remote_ctrl_id = ?", [id])
    }

    func apiInfo(_ state: RemoteCtrlSessionState?) -> RemoteCtrlInfo {
        RemoteCtrlInfo(remoteCtrlId: id, ctrlDeviceName: deviceName, sessionState: state)
    }
}
