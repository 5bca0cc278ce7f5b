import JSON
package import SMP

/// The record of a name, with which a relay answers RSLV.
/// simplexmq `protocol/simplex-messaging.md`, "Name record response".
package struct NameRecord: Hashable, Sendable {
    package var name: String
    package var nickname = ""
    package var website = ""
    package var location = ""
    /// Short links to contact addresses, the preferred one first.
    package var contacts: [String] = []
    /// Short links to channels, the preferred one first.
    package var channels: [String] = []
    /// Addresses for payments, each under the name of its currency: `eth`, `btc`, `xmr`, `dot`.
    package var coinAddresses: [String: String] = [:]
    /// The owner of the name in the registry, and the contract that resolved the name: `0x` and 40 hexadecimal digits.
    package var owner = NameRecord.noAddress
    package var resolver = NameRecord.noAddress

    /// The address in records of names that are in no registry.
    package static let noAddress = "0x" + String(repeating: "0", count: 40)
    /// Maximal size of a record in bytes. A larger record does not fit into a forwarded answer.
    package static let maxSize = 16_000

    static let coinNames = ["eth", "btc", "xmr", "dot"]
    /// Maximal size, in bytes, of a text in the name file of an operator.
    static let maxTextSize = 255

    package init(name: String) { self.name = name }

    /// Parses the answer of a relay. Members with unknown names are ignored, and addresses for payments may be missing.
    /// Throws ``SMPEncodingError`` for an invalid answer.
    package init(parsing json: [UInt8]) throws(SMPEncodingError) {
        let limits = JSONLimits(size: Self.maxSize, depth: 8)
        guard let object = (try? JSONValue(parsing: json, limits: limits))?.objectValue else {
            throw .invalidValue("name record")
        }
        name = try Self.parseText("name", object)
        nickname = try Self.parseText("nickname", object)
        website = try Self.parseText("website", object)
        location = try Self.parseText("location", object)
        contacts = try Self.parseLinks("simplexContact", object)
        channels = try Self.parseLinks("simplexChannel", object)
        owner = try Self.parseText("owner", object)
        resolver = try Self.parseText("resolver", object)
        for coin in Self.coinNames {
            guard let value = object[coin], !value.isNull else { continue }
            coinAddresses[coin] = try Self.parseText(coin, object)
        }
    }

    /// The record as the JSON that the SMP answer RNAME contains. A coin without an address is null. All other members
    /// have a value, because the original refuses an answer without one of them.
    package var json: [UInt8] {
        var members: [(String, JSONValue)] = [
            ("name", .string(name)), ("nickname", .string(nickname)), ("website", .string(website)),
            ("location", .string(location)), ("simplexContact", .array(contacts.map { .string($0) })),
            ("simplexChannel", .array(channels.map { .string($0) })),
        ]
        for coin in Self.coinNames { members.append((coin, coinAddresses[coin].map { .string($0) } ?? .null)) }
        members += [("owner", .string(owner)), ("resolver", .string(resolver))]
        return JSONValue.object(JSONObject(members)).encodeText()
    }

    private static func parseText(_ member: String, _ object: JSONObject) throws(SMPEncodingError) -> String {
        // The original accepts longer texts than the protocol document allows, so only the whole record has a limit.
        guard let text = object[member]?.stringValue else { throw .invalidValue("name record: \(member)") }
        return text
    }

    private static func parseLinks(_ member: String, _ object: JSONObject) throws(SMPEncodingError) -> [String] {
        let links = object[member]?.arrayValue
        guard let texts = links?.compactMap(\.stringValue), texts.count == links?.count else {
            throw .invalidValue("name record: \(member)")
        }
        return texts
    }
}
