internal import Agent
internal import ChatAPI
internal import ChatProtocol
internal import JSON

/// The chat protocol's data behind short links: JSON, compressed if it is large.
enum ShortLinkData {
    /// The maximum size of uncompressed JSON, in bytes. Larger data is stored as the letter `X` and a zstd frame.
    private static let maxUncompressedSize = 10240
    /// The maximum size of decompressed data, in bytes.
    private static let maxDecompressedSize = 65536

    /// Encodes the data behind the short link of an address or of an invitation.
    /// - Parameters:
    ///   - incognito: the incognito profile of the connection, if there is one.
    ///   - settings: the settings of an address; nil for an invitation.
    static func encode(
        _ user: UserRecord,
        incognito: Profile? = nil,
        _ settings: AddressSettings? = nil
    ) throws -> [UInt8] {
        // The link of a relay's address has only the data of the relay, and not the profile of the user.
        if user.isChatRelay, settings != nil { return try encode(relay: user) }
        let data = ContactShortLinkData(
            profile: user.profileWithNewProof(incognito: incognito),
            message: settings?.autoReply,
            business: settings?.businessAddress ?? false
        )
        return try encode(data)
    }

    static func encode(_ group: GroupRecord) throws -> [UInt8] {
        try encode(GroupShortLinkData(groupProfile: group.profile))
    }

    static func encode(_ data: some Encodable) throws -> [UInt8] {
        let json = try JSONEncoder().encode(data)
        guard json.count > maxUncompressedSize else { return json }
        guard let frame = ZstdFrame.compress(json) else { throw ChatFailure.commandError("link data is too large") }
        return [UInt8(ascii: "X")] + frame
    }

    /// Decodes the data; nil when the bytes cannot be decoded, since the link's owner can store any bytes.
    static func decode<T: Decodable>(_ bytes: [UInt8]) -> T? {
        var json = bytes
        if bytes.first == UInt8(ascii: "X") {
            guard let opened = try? ZstdFrame.decompress(Array(bytes.dropFirst()), limit: maxDecompressedSize) else {
                return nil
            }
            json = opened
        }
        return try? JSONDecoder().decode(T.self, from: json)
    }
}

/// A link given by the user, resolved to its connection request.
struct ResolvedLink: Sendable {
    var request: ConnectionRequest
    var shortLink: ShortLink?
    var data: ContactShortLinkData?
    /// The data behind the short link of a group.
    var group: Group?
    /// The keys that verify the signature of an owner who shares the link; nil if no data was fetched.
    var signers: LinkSigners?

    struct Group: Sendable {
        var info: GroupShortLinkInfo
        var data: GroupShortLinkData?
    }

    var link: CreatedConnLink { CreatedConnLink(connFullLink: request.uri, connShortLink: shortLink?.uri) }
}

extension RunningCommand {
    /// Parses a link, and fetches the data behind a short link.
    func resolveLink(_ link: String, user: UserRecord) async throws -> ResolvedLink {
        if let request = try? ConnectionRequest(parsing: link) { return ResolvedLink(request: request) }
        guard let short = try? ShortLink(atServer: link) else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        switch short.kind {
        case .contact(.contact): break
        case .contact(.group): return try await resolveGroup(short, user: user)
        case .invitation:
            let own = try await store.read { db in
                try ConnectionRecord.find(shortLink: short.uri, user: user.userId, in: db)
            }
            if let own, let full = own.fullLink {
                return ResolvedLink(request: try ConnectionRequest(parsing: full), shortLink: short)
            }
        case .contact(.channel):
            throw ChatFailure.commandError("a channel is joined by APIPrepareGroup and APIConnectPreparedGroup")
        case .contact(.relay): throw ChatFailure.commandError("chat relay links are not supported in this version")
        }
        let own = try await store.read { db in try AddressRecord.find(user: user.userId, in: db) }
        if let own, own.shortLink == short.uri {
            return ResolvedLink(request: try ConnectionRequest(parsing: own.fullLink), shortLink: short)
        }
        let (request, data, signers) = try await services.withAgent {
            try await $0.fetchLinkData(user: user.agentUserId, short, patience: .interactive)
        }
        var shown: ContactShortLinkData? = ShortLinkData.decode(data.bytes)
        // The owner of the link writes the data, and could include a false result of the badge's check. Therefore, this
        // function checks the badge itself.
        let badge = shown?.profile.badge
        shown?.localBadge = badge.flatMap { badge in
            LocalBadge(badge.badgeInfo, BadgeCheck(badge, with: services.configuration.badgeKeys, at: .now).status)
        }
        return ResolvedLink(request: request, shortLink: short, data: shown, signers: signers)
    }

    /// Writes the stored profile and settings again to the data behind the short link of an address. If the profile or
    /// the settings change during the write, a background worker repeats the write.
    /// - Returns: the address with its link.
    func refreshLinkData(_ address: AddressRecord, _ user: UserRecord) async throws -> AddressRecord {
        let refreshed = try await refreshLinkData(address, user, address.settings)
        let isCurrent = try await store.read { db in try address.isLinkDataUnchanged(of: user, db) }
        // The profile or the settings have changed during the write, so the worker writes the link again. If a command
        // changes the profile or the settings later, the command itself marks the link as outdated.
        if !isCurrent { try await store.write { tx in try AddressRecord.markLinkDataStale(of: user, tx) } }
        return refreshed
    }

    /// Writes data behind the short link of an address. Creates the short link if the address has none.
    /// - Returns: the address with its link.
    @discardableResult
    func refreshLinkData(
        _ address: AddressRecord,
        _ user: UserRecord,
        _ settings: AddressSettings
    ) async throws -> AddressRecord {
        guard let id = ConnectionID(text: address.agentConnId) else { return address }
        // An address that accepts requests incognito gets no short link, because the data behind the link would publish
        // the user's profile.
        guard address.shortLink != nil || settings.autoAccept?.acceptIncognito != true else {
            throw ChatFailure.commandError("incognito not allowed for address with short link data")
        }
        let data = try ShortLinkData.encode(user, settings)
        let link = try await services.withAgent {
            try await $0.setLinkData(
                id,
                userData: data,
                type: user.isChatRelay ? .relay : .contact,
                patience: .interactive
            )
        }
        guard let link, address.shortLink != link.shownURI else { return address }
        return try await store.write { tx in
            try tx.db.update(
                "user_addresses",
                set: ["conn_short_link": link.shownURI],
                where: ["user_contact_link_id": address.linkId]
            )
            return try AddressRecord.get(user: user, in: tx.db)
        }
    }
}

extension ShortLink {
    /// Parses a link with the scheme of the app (`simplex:`) or of a server (`https:`). The result has the scheme of
    /// the server, since links are stored and compared in this form. Chats show links in the scheme of the app.
    init(atServer text: String) throws(LinkError) {
        try self.init(parsing: text)
        scheme = .https
    }

    /// The link in the form that users see: without the parts that are known for preset servers.
    var shownURI: String { shortened(knowing: PresetOperator.knownServers).uri }
}
