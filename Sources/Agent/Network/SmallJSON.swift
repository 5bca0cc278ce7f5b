/// Single values of the small objects that relays send.
enum SmallJSON {
    /// The whole number under `name`; nil when there is none.
    static func number(_ name: String, in json: [UInt8]) -> Int64? {
        let name = Array("\"\(name)\":".utf8)
        guard let start = json.indices.first(where: { json[$0...].starts(with: name) }) else { return nil }
        let digits = json[(start + name.count)...].drop { $0 == UInt8(ascii: " ") }.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return Int64(String(decoding: digits, as: UTF8.self))
    }
}
