import JSON

/// A decoded JSON value, with the members that its type does not know, at any depth. Encoding adds these members again
/// in their places.
///
/// So members of a later core are forwarded. (Unknown cases of unions are forwarded without this type.) After a change
/// of the value, unknown members stay in the objects that still exist. In a list with a changed length they are
/// dropped.
public struct Verbatim<Value: Codable & Sendable>: Codable, Sendable {
    public var value: Value
    private let rest: Remainder?

    public init(from decoder: any Decoder) throws {
        let json = try JSONValue(from: decoder)
        value = try JSONDecoder().decode(Value.self, from: json)
        rest = Remainder(json, beyond: try JSONEncoder().encodeValue(value))
    }

    public func encode(to encoder: any Encoder) throws {
        let known = try JSONEncoder().encodeValue(value)
        try (rest?.added(to: known) ?? known).encode(to: encoder)
    }
}

/// The part of a JSON value that a second value does not have.
private indirect enum Remainder: Sendable {
    /// The second value has nothing in this place.
    case whole(JSONValue)
    case members([(name: String, rest: Remainder)])
    case elements(count: Int, [(index: Int, rest: Remainder)])

    /// Computes the part of `json` that `known` does not have; nil for no such part.
    init?(_ json: JSONValue, beyond known: JSONValue) {
        switch (json, known) {
        case (.object(let all), .object(let known)):
            let rest = all.compactMap { name, value in
                (known[name].map { Remainder(value, beyond: $0) } ?? .whole(value)).map { (name: name, rest: $0) }
            }
            guard !rest.isEmpty else { return nil }
            self = .members(rest)
        case (.array(let all), .array(let known)) where all.count == known.count:
            let rest = zip(all, known).enumerated().compactMap { index, pair in
                Remainder(pair.0, beyond: pair.1).map { (index: index, rest: $0) }
            }
            guard !rest.isEmpty else { return nil }
            self = .elements(count: all.count, rest)
        default: return nil
        }
    }

    func added(to known: JSONValue) -> JSONValue {
        switch (self, known) {
        case (.whole(let value), _): return value
        case (.members(let rest), .object(var object)):
            for (name, rest) in rest {
                if let present = object[name] {
                    if case .whole = rest { continue }
                    object[name] = rest.added(to: present)
                } else if case .whole(let value) = rest {
                    object[name] = value
                }
            }
            return .object(object)
        case (.elements(let count, let rest), .array(var array)) where array.count == count:
            for (index, rest) in rest where array.indices.contains(index) {
                array[index] = rest.added(to: array[index])
            }
            return .array(array)
        default: return known
        }
    }
}
