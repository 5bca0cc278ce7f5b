extension JSONValue: Codable {
    /// Decodes a value from any decoder. If the decoder belongs to this module, its JSON value is returned without
    /// decoding.
    package init(from decoder: any Decoder) throws {
        if let decoder = decoder as? ValueDecoder {
            decoder.requestedMembers?.acceptAllMembers()
            self = decoder.value
        } else if let members = try? decoder.container(keyedBy: AnyKey.self) {
            var object = JSONObject()
            for key in members.allKeys { object[key.stringValue] = try members.decode(JSONValue.self, forKey: key) }
            self = .object(object)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(JSONValue.self)) }
            self = .array(array)
        } else {
            let single = try decoder.singleValueContainer()
            if single.decodeNil() {
                self = .null
            } else if let value = try? single.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? single.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? single.decode(Double.self) {
                self = .real(value)
            } else {
                self = .string(try single.decode(String.self))
            }
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object): try object.encode(to: encoder)
        case .array(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let value): try value.encode(to: encoder)
        case .integer(let value): try value.encode(to: encoder)
        case .real(let value): try value.encode(to: encoder)
        case .string(let value): try value.encode(to: encoder)
        }
    }
}

extension JSONObject: Codable {
    package init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        guard case .object(let object) = value else {
            throw DecodingError.typeMismatch(
                JSONObject.self,
                .init(codingPath: decoder.codingPath, debugDescription: "an object is expected here")
            )
        }
        self = object
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyKey.self)
        for (name, value) in self { try container.encode(value, forKey: AnyKey(name)) }
    }
}

extension JSONFragment: Codable {
    /// Decodes a value, and stores it as JSON text. The text has the same value as the input, but may have other bytes.
    package init(from decoder: any Decoder) throws { bytes = try JSONValue(from: decoder).encodeText() }

    package func encode(to encoder: any Encoder) throws {
        try JSONValue(parsing: bytes, limits: .forOwnText).encode(to: encoder)
    }
}

/// The name of a JSON member that is known only at run time.
package struct AnyKey: CodingKey, Hashable, Sendable, ExpressibleByStringLiteral {
    package let stringValue: String

    package init(_ name: String) { stringValue = name }
    package init(stringLiteral value: String) { stringValue = value }
    package init(stringValue: String) { self.stringValue = stringValue }
    package init?(intValue: Int) { nil }

    package var intValue: Int? { nil }
}
