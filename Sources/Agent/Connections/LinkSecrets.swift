import SMP
import SQLCipher
import SimpleXCrypto

/// The keys of a short link on the side of its owner.
struct LinkSecrets: Sendable {
    var linkKey: [UInt8]
    var rootKey: Ed25519.PrivateKey
    var linkID: [UInt8]
    var dataKey: SymmetricKey
    let isInvitation: Bool

    /// Makes the keys of an address.
    init(linkKey: [UInt8], rootKey: Ed25519.PrivateKey) throws {
        self.linkKey = linkKey
        self.rootKey = rootKey
        isInvitation = false
        (linkID, dataKey) = try LinkKeys.deriveContactCredentials(linkKey)
    }

    /// Makes the keys of an invitation, whose link id the relay has chosen.
    init(linkKey: [UInt8], rootKey: Ed25519.PrivateKey, invitation linkID: [UInt8]) throws {
        self.linkKey = linkKey
        self.rootKey = rootKey
        self.linkID = linkID
        isInvitation = true
        dataKey = try LinkKeys.deriveInvitationKey(linkKey)
    }

    /// Makes the keys for a new short link, whose data contain this request.
    init(_ request: ConnectionRequest, _ identity: LinkIdentity? = nil) throws {
        let rootKey = try identity?.rootKey ?? Ed25519.PrivateKey()
        let fixed = FixedLinkData(
            agentVersions: request.agentVersions,
            rootKey: rootKey.publicKey,
            request: request,
            entityID: identity?.entityID
        )
        try self.init(linkKey: SealedLinkData.computeLinkKey(fixed), rootKey: rootKey)
    }

    /// Encodes, signs and encrypts the fixed data of the link.
    /// - Parameter entityID: the entity id that was used when the key of the link was made.
    func sealFixedData(_ request: ConnectionRequest, entityID: [UInt8]? = nil) throws -> [UInt8] {
        let fixed = FixedLinkData(
            agentVersions: request.agentVersions,
            rootKey: rootKey.publicKey,
            request: request,
            entityID: entityID
        )
        return try SealedLinkData.sealPart(
            SealedLinkData.signPart(fixed, rootKey),
            key: dataKey,
            length: SealedLinkData.fixedPartLength
        )
    }

    func sealUserData(_ userData: LinkUserData) throws -> [UInt8] {
        let data = VersionedUserData(agentVersions: AgentVersions.supported, data: userData)
        do throws(LinkDataError) {
            guard let signed = try? SealedLinkData.signPart(data, rootKey) else { throw .tooLarge }
            return try SealedLinkData.sealPart(signed, key: dataKey, length: SealedLinkData.userPartLength)
        } catch {
            throw AgentError.command(.large, context: "link data")
        }
    }
}

/// A stored short link that this agent owns.
struct StoredLink: Sendable {
    let secrets: LinkSecrets
    /// The encrypted fixed data on the relay; nil for an address of an earlier program version, which did not store the
    /// data.
    let fixedData: [UInt8]?

    static func find(_ connection: ConnectionID, _ db: DatabaseConnection) throws -> StoredLink? {
        let row = try db.firstRow(
            "SELECT link_key, root_key, link_id, fixed_data FROM short_links WHERE conn_id = ?",
            connection.bytes
        )
        guard let row else { return nil }
        let (linkKey, rootKey) = (
            try row.blob("link_key"), try Ed25519.PrivateKey(rawRepresentation: row.blob("root_key"))
        )
        let linkID = try row.blobOrNil("link_id")
        let secrets =
            try linkID.map { try LinkSecrets(linkKey: linkKey, rootKey: rootKey, invitation: $0) }
            ?? LinkSecrets(linkKey: linkKey, rootKey: rootKey)
        return StoredLink(secrets: secrets, fixedData: try row.blobOrNil("fixed_data"))
    }

    func insert(_ connection: ConnectionID, _ db: DatabaseConnection) throws {
        try db.insert(
            into: "short_links",
            [
                "conn_id": connection.bytes, "link_key": secrets.linkKey, "root_key": secrets.rootKey.rawRepresentation,
                "link_id": secrets.isInvitation ? secrets.linkID : nil, "fixed_data": fixedData,
            ]
        )
    }
}
