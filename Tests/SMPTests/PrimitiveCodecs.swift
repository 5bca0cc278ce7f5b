import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport
import Transport

/// Decodes the bytes of a vector from hex.
func unhex(_ text: String) throws -> [UInt8] { try #require([UInt8](hex: text)) }

extension JSONValue {
    func text(_ key: String) throws -> String { try #require(self[key]?.stringValue, "\(key)") }
    func bytes(_ key: String) throws -> [UInt8] { try unhex(text(key)) }
    /// The value of the key, or nil if it is null or absent.
    func present(_ key: String) -> JSONValue? {
        guard let value = self[key], value != .null else { return Optional.none }
        return value
    }
    func object(_ key: String) throws -> JSONValue { try #require(self[key], "\(key)") }
    func first(_ key: String) throws -> JSONValue {
        let found = try list(key).first
        return try #require(found)
    }
    func list(_ key: String) throws -> [JSONValue] { try #require(self[key]?.arrayValue, "\(key)") }
    func flag(_ key: String) throws -> Bool { try self[key].flag }
    func number(_ key: String) throws -> Int64 { try #require(self[key]?.integerValue, "\(key)") }
    /// The bytes of the key, or nil if it is null or absent.
    func optionalBytes(_ key: String) throws -> [UInt8]? { try self[key]?.stringValue.map { try unhex($0) } }
}

extension JSONValue? {
    var flag: Bool {
        get throws {
            guard let value = self?.boolValue else { throw SMPEncodingError.invalidTag }
            return value
        }
    }
}

/// Codec of one type of encoding.json. `encode` turns the value of a vector into bytes; `recode` parses bytes as the
/// type and writes them again.
struct PrimitiveCodec {
    let encode: (JSONValue) throws -> [UInt8]
    let recode: ([UInt8]) throws -> [UInt8]

    init<T>(
        _ value: @escaping (JSONValue) throws -> T,
        write: @escaping (inout ByteWriter, T) -> Void,
        read: @escaping (inout ByteReader) throws -> T
    ) {
        func written(_ value: T) throws -> [UInt8] {
            var writer = ByteWriter()
            write(&writer, value)
            return try writer.finish()
        }
        encode = { try written(try value($0)) }
        recode = { bytes in
            var reader = ByteReader(bytes)
            let value = try read(&reader)
            try reader.finish()
            return try written(value)
        }
    }

    init<T: SMPCodable>(_ type: T.Type, _ value: @escaping (JSONValue) throws -> T) {
        self.init(value, write: { $0.value($1) }, read: { try $0.value(type) })
    }
}

extension EncodingVectorTests {
    static var codecs: [String: PrimitiveCodec] {
        [
            "Word16": PrimitiveCodec(UInt16.self) { try #require(UInt16(try number($0))) },
            "Word32": PrimitiveCodec(UInt32.self) { try #require(UInt32(try number($0))) },
            "Int64": PrimitiveCodec(Int64.self) { try #require(Int64(try number($0))) },
            "Bool": PrimitiveCodec(Bool.self) { try Optional($0).flag },
            "ByteString": PrimitiveCodec([UInt8].self, hex),
            "Large": PrimitiveCodec(hex, write: { $0.largeBytes($1) }, read: { try $0.largeBytes() }),
            "Tail": PrimitiveCodec(hex, write: { $0.raw($1) }, read: { $0.tail() }),
            "Maybe ByteString": PrimitiveCodec(
                { $0 == .null ? Optional<[UInt8]>.none : try hex($0) },
                write: { $0.optional($1) },
                read: { try $0.optional([UInt8].self) }
            ),
            "Maybe Word16": PrimitiveCodec(
                { $0.integerValue.map { UInt16($0) } },
                write: { $0.optional($1) },
                read: { try $0.optional(UInt16.self) }
            ),
            "NonEmpty ByteString": PrimitiveCodec(
                { try #require($0.arrayValue).map(hex) },
                write: { $0.nonEmptyList($1) },
                read: { try $0.nonEmptyList(of: [UInt8].self) }
            ),
            "NonEmpty Word16": PrimitiveCodec(
                words,
                write: { $0.nonEmptyList($1) },
                read: { try $0.nonEmptyList(of: UInt16.self) }
            ),
            "List Word16": PrimitiveCodec(
                words,
                write: { $0.list($1) { $0.word16($1) } },
                read: { try $0.list { reader throws(SMPEncodingError) in try reader.word16() } }
            ),
            "String": PrimitiveCodec(
                { try #require($0.stringValue) },
                write: { $0.shortText($1) },
                read: { try $0.shortText() }
            ),
            "SystemTime": PrimitiveCodec(Int64.self) { try #require($0["seconds"]?.integerValue) },
            "VersionRange": PrimitiveCodec(ProtocolVersionRange.self) {
                let numbers = try words($0)
                return try #require(ProtocolVersionRange(min: numbers[0], max: numbers[1]))
            },
            "Version": PrimitiveCodec(SMPVersion.self) { SMPVersion(UInt16(try #require($0.integerValue))) },
            "MsgFlags": PrimitiveCodec(MessageFlags.self) {
                MessageFlags(notification: try $0.flag("notification"))
            },
            "SubscriptionMode": PrimitiveCodec(SubscriptionMode.self) {
                $0.stringValue == "subscribe" ? .subscribe : .onlyCreate
            },
            "CorrId": PrimitiveCodec([UInt8].self, hex),
            "EntityId": PrimitiveCodec([UInt8].self, hex),
            "KeyHash": PrimitiveCodec([UInt8].self, hex),
            "CbNonce": PrimitiveCodec(BoxNonce.self) { try BoxNonce(rawRepresentation: hex($0)) },
            "TransportHost": PrimitiveCodec(TransportHost.self) {
                try TransportHost(parsing: #require($0.stringValue))
            },
            "NonEmpty TransportHost": PrimitiveCodec(
                { try #require($0.arrayValue).map { try TransportHost(parsing: #require($0.stringValue)) } },
                write: { $0.nonEmptyList($1) },
                read: { try $0.nonEmptyList(of: TransportHost.self) }
            ),
            "ProtocolServer": PrimitiveCodec(ProtocolServer.self) {
                try ProtocolServer(parsing: #require($0.stringValue))
            },
            "legacyServer": PrimitiveCodec(
                { try ProtocolServer(parsing: #require($0.stringValue)) },
                write: { $1.encodeLegacy(to: &$0) },
                read: { try ProtocolServer(legacyFrom: &$0) }
            ),
        ]
    }

    private static func number(_ value: JSONValue) throws -> String { try #require(value.stringValue) }
    private static func hex(_ value: JSONValue) throws -> [UInt8] { try unhex(#require(value.stringValue)) }
    private static func words(_ value: JSONValue) throws -> [UInt16] {
        try #require(value.arrayValue).map { UInt16(try #require($0.integerValue)) }
    }
}
