internal import ChatAPI
internal import ChatStore
internal import Files
internal import Glibc
internal import SimpleXCrypto
internal import SQLCipher
internal import XRCP

/// The data that this device stores about the pairing with a known host, which is a phone.
struct RemoteHostRecord: Sendable {
    let id: Int64
    let deviceName: String
    /// The name of the host's folder.
    let folderName: String

    /// Returns the path of the host's folder, which lies in the folder of all hosts. Blocks the thread.
    /// - Throws: an error if the stored name of the folder leads to another place.
    func resolveFolder(in hosts: String) throws(FileSystemError) -> String {
        let folder = hosts + "/" + folderName
        guard FilePaths.isName(folderName), !DiskFiles.isLink(folder) else {
            throw FileSystemError(.resolve, folder, code: ENOENT)
        }
        return folder
    }

    let bindAddress: RCCtrlAddress?
    let bindPort: Int?
    let pairing: HostPairing

    private init(_ row: Row) throws {
        id = try row.int64("remote_host_id")
        deviceName = try row.string("host_device_name")
        folderName = try row.string("store_path")
        if let address = try row.stringOrNil("bind_addr"), let interface = try row.stringOrNil("bind_iface") {
            bindAddress = RCCtrlAddress(address: address, interface: interface)
        } else {
            bindAddress = nil
        }
        bindPort = try row.readClampedCountOrNil("bind_port")
        pairing = HostPairing(
            authority: DeviceAuthority(
                certificate: try row.blob("ca_cert"),
                key: try Ed25519.PrivateKey(rawRepresentation: row.blob("ca_key"))
            ),
            identity: try Ed25519.PrivateKey(rawRepresentation: row.blob("id_key")),
            known: (try row.blob("host_fingerprint"), try X25519.PublicKey(rawRepresentation: row.blob("host_dh_pub")))
        )
    }

    static func findAll(in db: StoreConnection) throws -> [RemoteHostRecord] {
        try db.query("SELECT * FROM remote_hosts ORDER BY remote_host_id", []).map(RemoteHostRecord.init)
    }

    /// Finds the record of a host.
    /// - Throws: `remoteHostNotFound`.
    static func get(_ id: Int64, in db: StoreConnection) throws -> RemoteHostRecord {
        guard let row = try db.queryFirst("SELECT * FROM remote_hosts WHERE remote_host_id = ?", [id]) else {
            throw ChatFailure(StoreError.remoteHostNotFound(remoteHostId: id))
        }
        return try RemoteHostRecord(row)
    }

    /// Inserts a new host, and returns its record.
    static func insert(
        _ pairing: HostPairing,
        fingerprint: [UInt8],
        key: X25519.PublicKey,
        name: String,
        _ address: RCCtrlAddress?,
        _ port: Int?,
        _ tx: Transaction
    ) throws -> RemoteHostRecord {
        try tx.db.insert(
            into: "remote_hosts",
            [
                "host_device_name": name, "store_path": Base64URL.encode(RandomBytes.make(count: 12)),
                "bind_addr": address?.address, "bind_iface": address?.interface, "bind_port": port.map(Int64.init),
                "ca_cert": pairing.authority.certificate, "ca_key": pairing.authority.key.rawRepresentation,
                "id_key": pairing.identityKey.rawRepresentation, "host_fingerprint": fingerprint,
                "host_dh_pub": key.rawRepresentation,
            ]
        )
        return try get(tx.db.lastInsertRowID, in: tx.db)
    }

    static func updatePairing(
        _ id: Int64,
        key: X25519.PublicKey,
        name: String,
        _ address: RCCtrlAddress?,
        _ port: Int?,
        _ tx: Transaction
    ) throws -> RemoteHostRecord {
        try tx.db.update(
            "remote_hosts",
            set: [
                "host_device_name": name, "host_dh_pub": key.rawRepresentation, "bind_addr": address?.address,
                "bind_iface": address?.interface, "bind_port": port.map(Int64.init),
            ],
            where: ["remote_host_id": id]
        )
        return try get(id, in: tx.db)
    }

    func apiInfo(_ state: RemoteHostSessionState?) -> RemoteHostInfo {
        RemoteHostInfo(
            remoteHostId: id,
            hostDeviceName: deviceName,
            storePath: folderName,
            bindAddress_: bindAddress,
            bindPort_: bindPort,
            sessionState: state
        )
    }
}

/// The long-term keys of this device for a host.
struct HostPairing: Sendable {
    let authority: DeviceAuthority
    let identityKey: Ed25519.PrivateKey
    /// The fingerprint of the host's authority, and the host's key in the last session; nil before the first session.
    var knownHost: (fingerprint: [UInt8], key: X25519.PublicKey)?

    static func generate() throws -> HostPairing {
        HostPairing(authority: try .generate(), identity: try Ed25519.PrivateKey())
    }

    init(
        authority: DeviceAuthority,
        identity: Ed25519.PrivateKey,
        known: (fingerprint: [UInt8], key: X25519.PublicKey)? = nil
    ) {
        self.authority = authority
        self.identityKey = identity
        self.knownHost = known
    }
}
