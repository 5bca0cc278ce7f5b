internal import ChatAPI
internal import JSON
internal import SimpleXCrypto

/// Values that are stored as JSON text in the database.
enum StoredJSON {
    static func encode(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    static func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONDecoder().decode(type, from: Array(text.utf8), limits: .ownText)
    }

    /// Decodes the profile of a user or a contact.
    static func profile(_ text: String) throws -> Profile { try profiles.value(of: text) }

    /// Decodes the preferences of a user for one contact.
    static func preferences(_ text: String) throws -> Preferences { try preferences.value(of: text) }

    /// Clears the caches when the database is locked.
    static func forget() {
        profiles.forget()
        preferences.forget()
    }

    private static let profiles = RecentValues<Profile>()
    private static let preferences = RecentValues<Preferences>()

    static func decodeIfPresent<T: Decodable>(_ type: T.Type, _ text: String?) throws -> T? {
        try text.map { try decode(type, $0) }
    }
}

/// Bytes in the form of text.
enum BytesText {
    static func url(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    /// Encodes a connection id of the agent, which is a text, in the form of the API.
    static func url(_ text: String) -> String { url(Array(text.utf8)) }
}
