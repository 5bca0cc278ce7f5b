import SimpleXCrypto
import Testing
import TestSupport

/// Typed reading of a vector: a field that is missing or of another type fails the test.
struct Vector {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    static func file(_ name: String) throws -> Vector { Vector(try Fixture.vectors(name)) }

    /// Whether the field is there and not null.
    func has(_ key: String) -> Bool {
        switch value[key] {
        case nil, .null: false
        default: true
        }
    }
    func list(_ key: String) throws -> [Vector] { try #require(value[key]?.arrayValue, "\(key)").map(Vector.init) }
    func object(_ key: String) throws -> Vector { Vector(try #require(value[key], "\(key)")) }
    func text(_ key: String) throws -> String { try #require(value[key]?.stringValue, "\(key)") }
    func bytes(_ key: String) throws -> [UInt8] { try [UInt8](hex: text(key)) }
    func int(_ key: String) throws -> Int { Int(try #require(value[key]?.integerValue, "\(key)")) }
    func bool(_ key: String) throws -> Bool {
        let flag: Bool? = value[key]?.boolValue
        return try #require(flag as Bool?, "\(key)")
    }
    func optionalInt(_ key: String) -> Int? { value[key]?.integerValue.map(Int.init) }
    func optionalText(_ key: String) -> String? { value[key]?.stringValue }
}
