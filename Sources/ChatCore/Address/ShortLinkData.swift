internal import Agent
internal import ChatAPI
internal import JSON

/// What chat keeps behind the short link of an address: JSON, compressed where it is large.
enum ShortLinkData {
    /// Above it, `X` and a zstd frame.
    private static let uncompressed = 10240
    /// What a compressed one may grow to.
    private static let limit = 65536

    static func encode(_ user: UserRecord, _ settings: AddressSettings) throws -> [UInt8] {
        let data = ContactShortLinkData(profile: user.profileToSend(preferences: nil), message: settings.autoReply, business: settings.businessAddress)
        let json = try JSONEncoder().encode(data)
        guard json.count > uncompressed else { return json }
        guard let frame = ZstdFrame.compress(json) else { throw ChatFailure.command("link data is too large") }
        return [UInt8(ascii: "X")] + frame
    }

    /// Nil when the bytes are none: what is behind a link is its owner's word.
    static func decode<T: Decodable>(_ bytes: [UInt8]) -> T? {
        var json = bytes
        if bytes.first == UInt8(ascii: "X") {
            guard let opened = try? ZstdFrame.decompress(Array(bytes.dropFirst()), limit: limit) else { return nil }
            json = opened
        }
        return try? JSONDecoder().decode(T.self, from: json)
    }
}

/// A link as the user gives it, followed to the request that it stands for.
struct ResolvedLink: Sendable {
    var request: ConnectionRequest
    var short: ShortLink?
    var data: ContactShortLinkData?

    var link: CreatedConnLink { CreatedConnLink(connFullLink: request.uri, connShortLink: short?.uri) }
}

extension ChatController {
    /// Reads a link; what is behind a short one is fetched.
    func resolve(_ link: String, user: UserRecord) async throws -> ResolvedLink {
        if let request = try? ConnectionRequest(parsing: link) {
            guard !request.leadsToGroup else { throw ChatFailure.notImplemented("apiConnect to a group") }
            return ResolvedLink(request: request)
        }
        guard let short = try? ShortLink(parsing: link) else { throw ChatFailure(ChatErrorType.invalidConnReq) }
        switch short.kind {
        case .contact(.contact): break
        case .invitation:
            let own = try await store.read { db in try ConnectionRecord.find(shortLink: short.uri, user: user.userId, in: db) }
            if let own, let full = own.fullLink { return ResolvedLink(request: try ConnectionRequest(parsing: full), short: short) }
        case .contact: throw ChatFailure.notImplemented("apiConnect to a group")
        }
        let own = try await store.read { db in try AddressRecord.find(user: user.userId, in: db) }
        if let own, own.shortLink == short.uri { return ResolvedLink(request: try ConnectionRequest(parsing: own.fullLink), short: short) }
        let (request, data) = try await withAgent { try await $0.linkData(user: user.agentUserId, short) }
        return ResolvedLink(request: request, short: short, data: ShortLinkData.decode(data.bytes))
    }

    /// Puts what is said by the address behind its short link.
    func refreshLinkData(_ address: AddressRecord, _ user: UserRecord, _ settings: AddressSettings) async throws {
        guard address.shortLink != nil, let id = ConnectionID(text: address.agentConnId) else { return }
        let data = try ShortLinkData.encode(user, settings)
        try await withAgent { try await $0.setLinkData(id, userData: data) }
    }
}
