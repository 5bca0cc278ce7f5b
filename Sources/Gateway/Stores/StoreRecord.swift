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

    init(name: String, created: Int64, protection: Protection) {
        self.name = name
        self.created = created
        self.protection = protection
    }

    init?(_ content: [UInt8]) {
        guard let json = try? JSONValue(parsing: content), let name = json["name"]?.stringValue, let created = json["created"]?.integerValue,
            let protection = json["protection"]?.stringValue.flatMap(Protection.init)
        else { return nil }
        self.init(name: name, created: created, protection: protection)
        staysLocked = json["staysLocked"]?.boolValue ?? false
        staysOpen = json["staysOpen"]?.boolValue
    }

    var encoded: [UInt8] {
        var json = JSONObject([
            ("name", .string(name)), ("created", .integer(created)), ("protection", .string(protection.rawValue)), ("staysLocked", .bool(staysLocked)),
        ])
        if let staysOpen { json["staysOpen"] = .bool(staysOpen) }
        return JSONValue.object(json).encoded()
    }
}
