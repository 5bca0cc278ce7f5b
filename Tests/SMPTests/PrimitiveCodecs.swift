import JSON
import SMP
import SimpleXCrypto
import Testing
import TestSupport
import Transport

/// Decodes the bytes of a vector from hex.
func decodeHex(_ text: String) throws -> [UInt8] { try #require([UInt8](hex: text)) }

extension JSONValue {
    func text(_ key: String) throws -> String { try #require(self[key]?.stringValue, "\(key)") }
    func bytes(_ key: String) throws -> [UInt8] { try decodeHex(text(key)) }
    /// The value of the key, or nil if it is null or absent.
    func valueIfPresent(_ key: String) -> JSONValue? {
        guard let value = self[key], value != .null else { return Optional.none }
        return value
    }
    func object(_ key: String) throws -> JSONValue { try #require(self[key], "\(key)") }
    func firstElement(_ key: String) throws -> JSONValue {
        let found = try list(key).first
        return try #require(found)
    }
    func list(_ key: String) throws -> [JSONValue] { try #require(self[key]?.arrayValue, "\(key)") }
    func flag(_ key: String) throws -> Bool { try self[key].flag }
    func number(_ key: String) throws -> Int64 { try #require(self[key]?.integerValue, "\(key)") }
    /// The bytes of the key, or nil if it is null or absent.
    func optionalBytes(_ key: String) throws -> [UInt8]? { try self[key]?.stringValue.map { try decodeHex($0) } }
}

extension JSONValue? {
    var flag: Bool {
        get throws {
            guard let value = self?.boolValue else { throw SMPEncodingError.invalidTag }
            return value
        }
    }
}

/// Codec of one type of encoding.json. `encode` turns the value of a vector into bytes; `parseAndWrite` parses bytes as
/// the type and writes them again.
struct PrimitiveCodec {
    let encode: (JSONValue) throws -> [UInt8]
    let parseAndWrite: ([UInt8]) throws -> [UInt8]

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
        parseAndWrite = { bytes in
            var reader = ByteReader(bytes)
            let value = try read(&reader)
            try reader.requireEnd()
            return try written(value)
        }
    }

    init<T: SMPCodable>(_ type: T.Type, _ value: @escaping (JSONValue) throws -> T) {
        self.init(value, write: { $0.writeValue($1) }, read: { try $0.readValue(type) })
    }
}

extension EncodingVectorTests {
    static var codecs: [String: PrimitiveCodec] {
        [
            "Word16": PrimitiveCodec(UInt16.self) { try #require(UInt16(try numberText($0))) },
            "Word32": PrimitiveCodec(UInt32.self) { try #require(UInt32(try numberText($0))) },
            "Int64": PrimitiveCodec(Int64.self) { try #require(Int64(try numberText($0))) },
            "Bool": PrimitiveCodec(Bool.self) { try Optional($0).flag },
            "ByteString": PrimitiveCodec([UInt8].self, hexBytes),
            "Large": PrimitiveCodec(hexBytes, write: { $0.writeLargeBytes($1) }, read: { try $0.readLargeBytes() }),
            "Tail": PrimitiveCodec(hexBytes, write: { $0.writeRaw($1) }, read: { $0.readRest() }),
            "Maybe ByteString": PrimitiveCodec(
                { $0 == .null ? Optional<[UInt8]>.none : try hexBytes($0) },
                write: { $0.writeOptional($1) },
                read: { try $0.readOptional([UInt8].self) }
            ),
            "Maybe Word16": PrimitiveCodec(
                { $0.integerValue.map { UInt16($0) } },
                write: { $0.writeOptional($1) },
                read: { try $0.readOptional(UInt16.self) }
            ),
            "NonEmpty ByteString": PrimitiveCodec(
                { try #require($0.arrayValue).map(hexBytes) },
                write: { $0.writeNonEmptyList($1) },
                read: { try $0.readNonEmptyList(of: [UInt8].self) }
            ),
            "NonEmpty Word16": PrimitiveCodec(
                words,
                write: { $0.writeNonEmptyList($1) },
                read: { try $0.readNonEmptyList(of: UInt16.self) }
            ),
            "List Word16": PrimitiveCodec(
                words,
                write: { $0.writeList($1) { $0.writeWord16($1) } },
                read: { try $0.readList { reader throws(SMPEncodingError) in try reader.readWord16() } }
            ),
            "String": PrimitiveCodec(
                { try #require($0.stringValue) },
                write: { $0.writeShortText($1) },
                read: { try $0.readShortText() }
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
            "CorrId": PrimitiveCodec([UInt8].self, hexBytes),
            "EntityId": PrimitiveCodec([UInt8].self, hexBytes),
            "KeyHash": PrimitiveCodec([UInt8].self, hexBytes),
            "CbNonce": PrimitiveCodec(BoxNonce.self) { try BoxNonce(rawRepresentation: hexBytes($0)) },
            "TransportHost": PrimitiveCodec(TransportHost.self) {
                try TransportHost(parsing: #require($0.stringValue))
            },
            "NonEmpty TransportHost": PrimitiveCodec(
                { try #require($0.arrayValue).map { try TransportHost(parsing: #require($0.stringValue)) } },
                write: { $0.writeNonEmptyList($1) },
                read: { try $0.readNonEmptyList(of: TransportHost.self) }
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

    private static func numberText(_ value: JSONValue) throws -> String { try #require(value.stringValue) }
    private static func hexBytes(_ value: JSONValue) throws -> [UInt8] { try decodeHex(#require(value.stringValue)) }
    private static func words(_ value: JSONValue) throws -> [UInt16] {
        try #require(value.arrayValue).map { UInt16(try #require($0.integerValue)) }
    }
}
