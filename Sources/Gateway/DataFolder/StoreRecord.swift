internal import ChatCore
internal import ChatStore
internal import JSON

/// The data of a store outside of its encrypted databases: `store.json` in its folder.
struct StoreRecord: Sendable, Hashable {
    /// The place of the key of the databases.
    enum Protection: String, Sendable {
        /// The key is in a file beside the databases, so that the store opens without a password.
        case keyFile
        /// The key is derived from a passphrase that only the user knows.
        case passphrase
    }

    var name: String
    /// The time of creation, in seconds since 1970.
    let createdAtSeconds: Int64
    var protection: Protection
    /// Whether a store that needs no password stays locked when the gateway starts.
    var staysLocked = false
    /// Whether the gateway opens the store even if no client uses it, because the store sends events to receivers or
    /// has planned messages; nil when this is unknown.
    var staysOpen: Bool?
    /// The tenant of the store. A broker appends the store's events to the stream of the tenant. Nil for the standard
    /// tenant.
    var tenant: String?
    /// The store's folder in the object storage; nil while the store has no such folder.
    var objectFolder: String?
    /// Limits that differ from the limits of the gateway. A nil value removes the limit of a resource.
    var ownLimits: [StoreLimits.Resource: Int64?] = [:]

    init(name: String, created: Int64, protection: Protection) {
        self.name = name
        self.createdAtSeconds = created
        self.protection = protection
    }

    init?(_ content: [UInt8]) {
        guard let json = try? JSONValue(parsing: content), let name = json["name"]?.stringValue,
            let created = json["created"]?.clampedTime,
            let protection = json["protection"]?.stringValue.flatMap(Protection.init)
        else { return nil }
        self.init(name: name, created: created, protection: protection)
        staysLocked = json["staysLocked"]?.boolValue ?? false
        staysOpen = json["staysOpen"]?.boolValue
        tenant = json["tenant"]?.stringValue
        objectFolder = json["objects"]?.stringValue.flatMap { StoreID.isID($0) ? $0 : nil }
        ownLimits = json["limits"].map(Self.parseLimits) ?? [:]
    }

    var encodedJSON: [UInt8] {
        var json = JSONObject([
            ("name", .string(name)), ("created", .integer(createdAtSeconds)),
            ("protection", .string(protection.rawValue)),
            ("staysLocked", .bool(staysLocked)),
        ])
        if let staysOpen { json["staysOpen"] = .bool(staysOpen) }
        if let tenant { json["tenant"] = .string(tenant) }
        if let objectFolder { json["objects"] = .string(objectFolder) }
        if !ownLimits.isEmpty { json["limits"] = ownLimitsJSON }
        return JSONValue.object(json).encodeText()
    }

    /// The store's own limits as JSON. Null means no limit.
    var ownLimitsJSON: JSONValue {
        .object(
            JSONObject(
                StoreLimits.Resource.allCases.compactMap { one in
                    ownLimits[one].map { (one.rawValue, $0.map(JSONValue.integer) ?? .null) }
                }
            )
        )
    }

    private static func parseLimits(_ json: JSONValue) -> [StoreLimits.Resource: Int64?] {
        StoreLimits.Resource.allCases.reduce(into: [:]) { limits, one in
            switch json[one.rawValue] {
            case nil: break
            case .null?: limits.updateValue(nil, forKey: one)
            case let value?: if let number = value.integerValue { limits[one] = max(0, number) }
            }
        }
    }

    /// Returns the limits of the store.
    /// - Parameter standard: the limits that apply where the store has no limit of its own.
    func effectiveLimits(_ standard: StoreLimits) -> StoreLimits {
        ownLimits.reduce(into: standard) { $0[$1.key] = $1.value }
    }
}
