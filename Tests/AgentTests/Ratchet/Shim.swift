import CZstd
import Foundation

enum JSONValue { case null, bool(Bool), integer(Int64), string(String), array([JSONValue]), object([String: JSONValue])
    init(_ any: Any) {
        switch any {
        case let s as String: self = .string(s)
        case let n as NSNumber: self = String(cString: n.objCType) == "c" ? .bool(n.boolValue) : .integer(n.int64Value)
        case let a as [Any]: self = .array(a.map(JSONValue.init))
        case let o as [String: Any]: self = .object(o.mapValues(JSONValue.init))
        default: self = .null
        }
    }
    var stringValue: String? { if case .string(let s) = self { s } else { nil } }
    var integerValue: Int64? { if case .integer(let s) = self { s } else { nil } }
    var boolValue: Bool? { if case .bool(let s) = self { s } else { nil } }
    var arrayValue: [JSONValue]? { if case .array(let s) = self { s } else { nil } }
    subscript(key: String) -> JSONValue? { if case .object(let o) = self { o[key] } else { nil } }
}
enum Fixture {
    static func vectors(_ name: String) throws -> JSONValue {
        let root = URL(fileURLWithPath: #filePath).pathComponents.prefix { $0 != "Tests" }.joined(separator: "/").dropFirst()
        let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(root)/Tests/Fixtures/vectors/\(name).json.zst")))
        let size = Int(ZSTD_getFrameContentSize(data, data.count))
        let out = [UInt8](unsafeUninitializedCapacity: size) { b, n in n = ZSTD_decompress(b.baseAddress, size, data, data.count) }
        return JSONValue(try JSONSerialization.jsonObject(with: Data(out)))
    }
}
extension [UInt8] {
    init(hex: String) throws {
        self = []
        var it = hex.utf8.makeIterator()
        while let a = it.next(), let b = it.next() { append(UInt8(String(UnicodeScalar(a)) + String(UnicodeScalar(b)), radix: 16) ?? 0) }
    }
    var hex: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}
