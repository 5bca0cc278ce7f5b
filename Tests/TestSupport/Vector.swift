public import JSON

/// Typed access to a value in a vector file. A field that is missing or has another type throws an error with its name,
/// so that the test fails.
public struct Vector: Sendable {
    public enum Failure: Error { case field(String) }

    public let value: JSONValue

    public init(_ value: JSONValue) { self.value = value }

    /// Reads a whole file of `Fixtures/vectors`.
    public static func file(_ name: String) throws -> Vector { Vector(try Fixture.vectors(name)) }

    /// Whether the field exists and is not null.
    public func has(_ key: String) -> Bool {
        switch value[key] {
        case nil, .null: false
        default: true
        }
    }

    public func list(_ key: String) throws -> [Vector] { try required(value[key]?.arrayValue, key).map { Vector($0) } }
    public func object(_ key: String) throws -> Vector { Vector(try required(value[key], key)) }
    public func text(_ key: String) throws -> String { try required(value[key]?.stringValue, key) }
    /// Returns bytes, which the files contain as hexadecimal text.
    public func bytes(_ key: String) throws -> [UInt8] { try required([UInt8](hex: text(key)), key) }
    public func int(_ key: String) throws -> Int { Int(try required(value[key]?.integerValue, key)) }
    public func bool(_ key: String) throws -> Bool { try required(value[key]?.boolValue, key) }
    public func optionalInt(_ key: String) -> Int? { value[key]?.integerValue.map { Int($0) } }
    public func optionalText(_ key: String) -> String? { value[key]?.stringValue }

    private func required<T>(_ found: T?, _ key: String) throws(Failure) -> T {
        guard let found else { throw .field(key) }
        return found
    }
}
