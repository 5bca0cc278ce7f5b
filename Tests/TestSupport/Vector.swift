package import JSON

/// Typed access to a value in a vector file. A field that is missing or has another type throws an error with its name,
/// so that the test fails.
package struct Vector: Sendable {
    package enum Failure: Error { case field(String) }

    package let value: JSONValue

    package init(_ value: JSONValue) { self.value = value }

    /// Reads a whole file of `Fixtures/vectors`.
    package static func readFile(_ name: String) throws -> Vector { Vector(try Fixture.readVectors(name)) }

    /// Returns whether the field exists and is not null.
    package func has(_ key: String) -> Bool {
        switch value[key] {
        case nil, .null: false
        default: true
        }
    }

    package func list(_ key: String) throws -> [Vector] {
        try requireField(value[key]?.arrayValue, key).map { Vector($0) }
    }
    package func object(_ key: String) throws -> Vector { Vector(try requireField(value[key], key)) }
    package func text(_ key: String) throws -> String { try requireField(value[key]?.stringValue, key) }
    /// Returns the bytes of a field, which the file contains as hexadecimal text.
    package func bytes(_ key: String) throws -> [UInt8] { try requireField([UInt8](hex: text(key)), key) }
    package func int(_ key: String) throws -> Int { Int(try requireField(value[key]?.integerValue, key)) }
    package func bool(_ key: String) throws -> Bool { try requireField(value[key]?.boolValue, key) }
    package func optionalInt(_ key: String) -> Int? { value[key]?.integerValue.map { Int($0) } }
    package func optionalText(_ key: String) -> String? { value[key]?.stringValue }

    private func requireField<T>(_ found: T?, _ key: String) throws(Failure) -> T {
        guard let found else { throw .field(key) }
        return found
    }
}
