public import ChatCore
internal import JSON
internal import SimpleXCrypto

/// An API key as shown to its user, once: `sxgw_` and 256 random bits in base64url.
public struct APIKey: Sendable {
    static let prefix = "sxgw_"
    public let text: String

    public static func random() -> APIKey {
        APIKey(text: prefix + Base64URL.encode(RandomBytes.make(count: 32), padding: false))
    }

    /// SHA-256 of a key's text; `nil` when the text does not look like one of our keys.
    static func hash(of text: some StringProtocol) -> [UInt8]? {
        guard text.hasPrefix(prefix), text.utf8.count == prefix.utf8.count + 43 else { return nil }
        return Digest.sha256(Array(text.utf8))
    }
}

/// The stored record of a key. It does not contain the key itself.
public struct KeyRecord: Sendable, Hashable {
    /// Eight letters that name the key in commands and logs.
    public let id: String
    public let name: String
    public let scopes: Scopes
    public let userId: Int64?
    /// Seconds since 1970.
    public let created: Int64
    let hash: [UInt8]

    init(id: String, name: String, scopes: Scopes, userId: Int64?, created: Int64, hash: [UInt8]) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.userId = userId
        self.created = created
        self.hash = hash
    }

    init?(json: JSONValue) {
        guard let id = json["id"]?.stringValue, let name = json["name"]?.stringValue,
            let names = json["scopes"]?.arrayValue?.compactMap(\.stringValue), let scopes = Scopes(names: names),
            let text = json["sha256"]?.stringValue, let hash = try? Base64URL.decode(text), hash.count == 32
        else { return nil }
        let userId = json["userId"]
        guard userId == nil || userId?.integerValue != nil else { return nil }
        self.init(
            id: id, name: name, scopes: scopes, userId: userId?.integerValue, created: json["created"]?.integerValue ?? 0, hash: hash)
    }

    var json: JSONValue {
        var object = JSONObject()
        object["id"] = .string(id)
        object["name"] = .string(name)
        object["scopes"] = .array(scopes.names.map { .string($0) })
        if let userId { object["userId"] = .integer(userId) }
        object["created"] = .integer(created)
        object["sha256"] = .string(Base64URL.encode(hash))
        return .object(object)
    }
}
