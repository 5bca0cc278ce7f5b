package import ChatCore
internal import JSON
internal import SimpleXCrypto

/// An API key, which is shown to its user only once. The text of a key is `sxgw_`, then 256 random bits in base64url.
/// In keys of stores other than the first, the id of the store and `_` come before the bits.
///
/// A proxy uses the id to find the node that has the store. The gateway does not derive rights from the id, but from
/// the hash of the key.
package struct APIKey: Sendable {
    static let prefix = "sxgw_"
    private static let secretLength = 43
    package let text: String

    /// Makes a key with new random bits.
    /// - Parameter store: the id of the store; nil for the first store.
    package static func random(of store: String? = nil) -> APIKey {
        APIKey(
            text: prefix + (store.map { $0 + "_" } ?? "")
                + Base64URL.encode(RandomBytes.make(count: 32), padding: false)
        )
    }

    /// Returns the SHA-256 of a key's text; `nil` when the text does not have the form of an API key.
    static func hash(of text: some StringProtocol) -> [UInt8]? {
        guard text.hasPrefix(prefix), text.utf8.count == prefix.utf8.count + secretLength || storeID(in: text) != nil
        else { return nil }
        return Digest.sha256(Array(text.utf8))
    }

    /// Returns the id of the store in a key's text. The result is nil for a key without an id: keys of the first store,
    /// and keys that earlier versions of the gateway have made.
    static func storeID(in text: some StringProtocol) -> String? {
        StoreID.parse(in: text, after: prefix, secretLength)
    }
}

/// The stored record of a key. The record does not contain the key itself.
package struct KeyRecord: Sendable, Hashable {
    /// Eight characters that identify the key in commands and logs.
    package let id: String
    package let name: String
    package let scopes: Scopes
    package let userId: Int64?
    /// The only chats that the key can access; nil for all chats.
    package let chats: Set<KeyChat>?
    /// The id of the connected phone to which the key is bound. Such a key can access only the data of this phone. Nil
    /// for a key that can access the data of the store itself.
    package let remoteHostId: Int64?
    /// The time of creation, in seconds since 1970.
    package let createdAtSeconds: Int64
    /// The time from which the key is invalid, in seconds since 1970; nil for a key that does not expire.
    package let expiresAtSeconds: Int64?
    let secretHash: [UInt8]
    /// The hash of the secret before the last rotation, and the time until which that secret is valid.
    let previousSecret: PreviousSecret?

    struct PreviousSecret: Sendable, Hashable {
        let secretHash: [UInt8]
        let validUntilSeconds: Int64
        /// Whether nobody has claimed the key yet. Until the claim, the previous secret permits only two things: the
        /// claim itself, and reading facts about the key. The claim exchanges the previous secret for the lasting
        /// secret.
        var isClaimOnly = false
    }

    init(
        id: String,
        name: String,
        scopes: Scopes,
        userId: Int64?,
        chats: Set<KeyChat>? = nil,
        remoteHostId: Int64? = nil,
        created: Int64,
        expires: Int64? = nil,
        hash: [UInt8],
        previous: PreviousSecret? = nil
    ) {
        self.id = id
        self.name = name
        self.scopes = scopes
        self.userId = userId
        self.chats = chats
        self.remoteHostId = remoteHostId
        self.createdAtSeconds = created
        self.expiresAtSeconds = expires
        self.secretHash = hash
        self.previousSecret = previous
    }

    /// Reads a record.
    /// - Returns: nil for a malformed record. A restriction unknown to this program makes the record malformed, since
    ///   no restriction may be ignored.
    init?(json: JSONValue) {
        guard let id = json["id"]?.stringValue, let name = json["name"]?.stringValue,
            let names = json["scopes"]?.arrayValue?.compactMap(\.stringValue), let scopes = Scopes(names: names),
            let text = json["sha256"]?.stringValue, let hash = try? Base64URL.decode(text), hash.count == 32
        else { return nil }
        for name in ["userId", "remoteHostId", "expires"] where json[name] != nil && json[name]?.integerValue == nil {
            return nil
        }
        var chats: Set<KeyChat>?
        if let list = json["chats"] {
            guard let texts = list.arrayValue?.map(\.stringValue), !texts.contains(nil) else { return nil }
            let known = texts.compactMap { $0.flatMap { KeyChat($0) } }
            guard known.count == texts.count else { return nil }
            chats = Set(known)
        }
        // A key that is limited to chats has at least one chat, and belongs to one profile. Any other record is
        // malformed.
        guard chats.map({ !$0.isEmpty && json["userId"] != nil }) ?? true else { return nil }
        var previous: PreviousSecret?
        if let old = json["previous"] {
            guard let text = old["sha256"]?.stringValue, let hash = try? Base64URL.decode(text), hash.count == 32,
                let until = old["until"]?.clampedTime
            else { return nil }
            previous = PreviousSecret(
                secretHash: hash,
                validUntilSeconds: until,
                isClaimOnly: old["claim"]?.boolValue ?? false
            )
        }
        self.init(
            id: id,
            name: name,
            scopes: scopes,
            userId: json["userId"]?.integerValue,
            chats: chats,
            remoteHostId: json["remoteHostId"]?.integerValue,
            created: json["created"]?.clampedTime ?? 0,
            expires: json["expires"]?.clampedTime,
            hash: hash,
            previous: previous
        )
    }

    var json: JSONValue {
        var object = JSONObject()
        object["id"] = .string(id)
        object["name"] = .string(name)
        object["scopes"] = .array(scopes.names.map { .string($0) })
        if let userId { object["userId"] = .integer(userId) }
        if let chats { object["chats"] = .array(chats.map(\.text).sorted().map { .string($0) }) }
        if let remoteHostId { object["remoteHostId"] = .integer(remoteHostId) }
        object["created"] = .integer(createdAtSeconds)
        if let expiresAtSeconds { object["expires"] = .integer(expiresAtSeconds) }
        object["sha256"] = .string(Base64URL.encode(secretHash))
        if let previousSecret {
            var old: JSONObject = [
                "sha256": .string(Base64URL.encode(previousSecret.secretHash)),
                "until": .integer(previousSecret.validUntilSeconds),
            ]
            if previousSecret.isClaimOnly { old["claim"] = true }
            object["previous"] = .object(old)
        }
        return .object(object)
    }

    /// Returns the secrets that are valid at a time, in seconds since 1970.
    func validCredentials(at now: Int64) -> [Credential] {
        guard isValid(at: now) else { return [] }
        let own = Credential(keyID: id, hash: secretHash)
        guard let previousSecret, now < previousSecret.validUntilSeconds else { return [own] }
        return [own, Credential(keyID: id, hash: previousSecret.secretHash)]
    }

    /// Returns the record with another secret. The former secret stays valid until the given time, unless it could only
    /// be used to claim the key.
    /// - Parameter name: the new name; nil for the former name.
    func withNewSecret(_ hash: [UInt8], previousUntil until: Int64?, name: String? = nil) -> KeyRecord {
        KeyRecord(
            id: id,
            name: name ?? self.name,
            scopes: scopes,
            userId: userId,
            chats: chats,
            remoteHostId: remoteHostId,
            created: createdAtSeconds,
            expires: expiresAtSeconds,
            hash: hash,
            previous: previousSecret?.isClaimOnly == true
                ? nil : until.map { PreviousSecret(secretHash: self.secretHash, validUntilSeconds: $0) }
        )
    }

    /// Whether the time to claim the key has passed without a claim. Then nobody has a valid secret of the key.
    func isUnclaimed(at now: Int64) -> Bool {
        previousSecret.map { $0.isClaimOnly && now >= $0.validUntilSeconds } ?? false
    }

    /// Whether the key has not expired at a time, in seconds since 1970.
    func isValid(at now: Int64) -> Bool { expiresAtSeconds.map { now < $0 } ?? true }
}

/// A chat to which a key is bound. Its text is the same as in URL paths, such as `direct/4`.
package struct KeyChat: Sendable, Hashable {
    package let type: String
    package let id: Int64

    init(type: String, id: Int64) {
        self.type = type
        self.id = id
    }

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, ["direct", "group", "local"].contains(parts[0]),
            let id = Int64(wholeNumber: String(parts[1])), id > 0
        else { return nil }
        self.init(type: String(parts[0]), id: id)
    }

    /// Makes the chat that the parameters of a URL path name; nil for a path without a chat.
    init?(of parameters: [String: String]) {
        let names = [("direct", "contactId"), ("group", "groupId")].compactMap { type, name in
            parameters[name].map { (type, $0) }
        }
        let named = parameters["chatType"].flatMap { type in parameters["chatId"].map { (type, $0) } }
        // A path with two chats would need the rights for both chats, so it counts as a path without a chat.
        guard let (type, id) = named ?? names.first, names.count + (named == nil ? 0 : 1) == 1 else { return nil }
        self.init("\(type)/\(id)")
    }

    package var text: String { "\(type)/\(id)" }
}
