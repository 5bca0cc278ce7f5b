internal import ChatCore
internal import JSON

/// What is stored about a store outside its encrypted databases: `store.json` in its folder.
struct StoreRecord: Sendable, Hashable {
    /// Where the key of its databases is.
    enum Protection: String, Sendable {
        /// In a file beside them, so that the store opens by itself.
        case keyFile
        /// In somebody's mind.
        case passphrase
    }

    var name: String
    /// Seconds since 1970.
    let created: Int64
    var protection: Protection
    /// Whether a store that could open by itself stays locked when the gateway starts.
    var staysLocked = false
    /// Whether somebody outside is sent its events, so that it is opened though nobody uses it; nil: it is not known.
    var staysOpen: Bool?
    /// To whose stream a broker's its events are appended; nil for that of stores without a tenant.
    var tenant: String?
    /// Its folder in the object storage; nil as long as it has none.
    var objects: String?
    /// What it may hold, where that is otherwise than the gateway's standard; nil for a resource without a limit.
    var limits: [StoreLimits.Resource: Int64?] = [:]

    init(name: String, created: Int64, protection: Protection) {
        self.name = name
        self.created = created
        self.protection = protection
    }

    init?(_ content: [UInt8]) {
        guard let json = try? JSONValue(parsing: content), let name = json["name"]?.stringValue, let created = json["created"]?.timeValue,
            let protection = json["protection"]?.stringValue.flatMap(Protection.init)
        else { return nil }
        self.init(name: name, created: created, protection: protection)
        staysLocked = json["staysLocked"]?.boolValue ?? false
        staysOpen = json["staysOpen"]?.boolValue
        tenant = json["tenant"]?.stringValue
        objects = json["objects"]?.stringValue.flatMap { StoreFolders.isID($0) ? $0 : nil }
        limits = json["limits"].map(Self.limits) ?? [:]
    }

    var encoded: [UInt8] {
        var json = JSONObject([
            ("name", .string(name)), ("created", .integer(created)), ("protection", .string(protection.rawValue)), ("staysLocked", .bool(staysLocked)),
        ])
        if let staysOpen { json["staysOpen"] = .bool(staysOpen) }
        if let tenant { json["tenant"] = .string(tenant) }
        if let objects { json["objects"] = .string(objects) }
        if !limits.isEmpty { json["limits"] = ownLimits }
        return JSONValue.object(json).encoded()
    }

    /// The store's own limits as JSON: null for no limit.
    var ownLimits: JSONValue {
        .object(JSONObject(StoreLimits.Resource.allCases.compactMap { one in limits[one].map { (one.rawValue, $0.map(JSONValue.integer) ?? .null) } }))
    }

    private static func limits(_ json: JSONValue) -> [StoreLimits.Resource: Int64?] {
        StoreLimits.Resource.allCases.reduce(into: [:]) { limits, one in
            switch json[one.rawValue] {
            case nil: break
            case .null?: limits.updateValue(nil, forKey: one)
            case let value?: if let number = value.integerValue { limits[one] = max(0, number) }
            }
        }
    }

    /// What the store may hold.
    /// - Parameter standard: where nobody has said otherwise.
    func limits(_ standard: StoreLimits) -> StoreLimits {
        limits.reduce(into: standard) { $0[$1.key] = $1.value }
    }
}
