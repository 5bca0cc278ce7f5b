import JSON
import SMP
import Testing
import TestSupport
import Transport

/// encoding.json: the primitive encodings as the original writes and reads them.
struct EncodingVectorTests {
    var vectors: JSONValue { get throws { try Fixture.readVectors("encoding") } }

    @Test
    func `Numbers, texts and other primitive types are encoded as in the original, and read back`() throws {
        var covered: Set<String> = []
        for vector in try vectors.list("smpEncoding") {
            let type = try vector.text("type")
            guard let codec = Self.codecs[type] else { continue }
            covered.insert(type)
            let hex = try vector.text("hex")
            let encoded = try codec.encode(try vector.object("value"))
            #expect(encoded.hex == hex, "\(type)")
            let recoded = try codec.parseAndWrite(try decodeHex(hex))
            #expect(recoded.hex == hex, "\(type)")
        }
        #expect(covered == Set(Self.codecs.keys))
    }

    @Test
    func `Malformed encodings of primitive types are accepted or refused as in the original`() throws {
        for vector in try vectors.list("smpDecodeStrictness") {
            let type = try vector.text("type")
            let codec = try #require(Self.codecs[type], "\(type)")
            let accepted = (try? codec.parseAndWrite(try decodeHex(vector.text("hex")))) != nil
            let expected = try vector.flag("accepted")
            #expect(accepted == expected, "\(type)")
        }
    }

    @Test
    func `Server hosts are parsed to the same kind, text and bytes as in the original`() throws {
        for vector in try vectors.list("hosts") {
            let input = try vector.text("input")
            let host = try? TransportHost(parsing: input)
            guard let rendered = vector["result"]?["rendered"]?.stringValue else {
                #expect(host == nil, "\(input)")
                continue
            }
            #expect(host?.str == rendered, "\(input)")
            #expect(host?.kindName == vector["result"]?["kind"]?.stringValue, "\(input)")
            #expect(try host?.smpEncoded().hex == vector["result"]?["smp"]?.stringValue)
        }
    }

    @Test
    func `Server addresses are parsed, written and encoded as in the original`() throws {
        for vector in try vectors.list("servers") {
            let input = try vector.text("input")
            let result = try #require(vector["result"])
            guard result["error"] == nil else {
                #expect((try? ProtocolServer(parsing: input)) == nil, "\(input)")
                continue
            }
            let server = try ProtocolServer(parsing: input)
            #expect(server.scheme.rawValue == result["protocol"]?.stringValue)
            #expect(server.hosts.map(\.str) == result["hosts"]?.arrayValue?.compactMap(\.stringValue))
            #expect(server.port == result["port"]?.stringValue)
            #expect(server.keyHash.hex == result["keyHash"]?.stringValue)
            #expect(server.password == result["password"]?.stringValue)
            #expect(server.str == result["rendered"]?.stringValue)
            #expect(try server.smpEncoded().hex == result["smpWithoutPassword"]?.stringValue)
        }
    }

    @Test
    func `The description of a server address omits the password`() throws {
        let server = try ProtocolServer(parsing: "smp://q83vmA==:s3cret@localhost:5223")
        #expect(server.description == "smp://q83vmA==@localhost:5223")
    }

    @Test
    func `The common range of two protocol version ranges is their intersection, as in the original`() throws {
        for vector in try vectors.list("compatibleVersions") {
            let agreed = try parseRange(vector["a"]).commonVersions(with: parseRange(vector["b"]))
            let expected = try vector.valueIfPresent("range").map { try parseRange($0) }
            #expect(agreed == expected)
            #expect((agreed?.max).map { Int64($0) } == vector["version"]?.integerValue)
        }
    }

    @Test
    func `Protocol version ranges are parsed and written as text, and malformed texts are refused`() throws {
        for vector in try vectors.list("strEncoding") where try vector.text("type") == "VersionRange" {
            let parsed = try ProtocolVersionRange(parsing: try vector.text("str"))
            let (expected, text) = (try parseRange(vector["value"]), try vector.text("str"))
            #expect(parsed == expected)
            #expect(parsed.str == text)
        }
        for vector in try vectors.list("strDecodeStrictness") where try vector.text("type") == "VersionRange" {
            let parsed = try? ProtocolVersionRange(parsing: try vector.text("str"))
            #expect(parsed == nil)
        }
    }

    private func parseRange(_ value: JSONValue?) throws -> ProtocolVersionRange {
        let numbers = (value?.arrayValue ?? []).compactMap(\.integerValue)
        try #require(numbers.count == 2)
        return try #require(ProtocolVersionRange(min: UInt16(numbers[0]), max: UInt16(numbers[1])))
    }
}

extension TransportHost {
    fileprivate var kindName: String {
        switch self {
        case .ipv4: "ipv4"
        case .ipv6: "ipv6"
        case .onion: "onion"
        case .domain: "domain"
        }
    }
}
