package import ChatAPI
internal import JSON
internal import SimpleXCrypto
package import SQLCipher

/// Values that are stored as JSON text in the database.
package enum StoredJSON {
    package static func encode(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    package static func decode<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
        try JSONDecoder().decode(type, from: Array(text.utf8), limits: .forOwnText)
    }

    package static func decodeIfPresent<T: Decodable>(_ type: T.Type, _ text: String?) throws -> T? {
        try text.map { try decode(type, $0) }
    }
}

extension Row {
    /// Decodes the profile of a user or a contact, which is JSON in the given column.
    package func profile(_ column: String) throws -> Profile { try decodeCachedValue(column) }

    /// Decodes the preferences of a user for one contact, which are JSON in the given column.
    package func preferences(_ column: String) throws -> Preferences { try decodeCachedValue(column) }

    /// Decodes a JSON column that has equal texts in many rows. The values decoded last are cached by their texts.
    private func decodeCachedValue<Value: Decodable & Sendable>(_ column: String) throws -> Value {
        try findOrMakeCache { RecentValues<Value>(capacity: 128 * 1_024) }.decodeValue(of: string(column))
    }
}

/// Conversion of bytes to base64url text.
package enum BytesText {
    package static func base64URL(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }

    /// Encodes a connection id of the agent, which is a text, as base64url text for the API.
    package static func base64URL(_ text: String) -> String { base64URL(Array(text.utf8)) }
}
