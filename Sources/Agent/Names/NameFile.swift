import JSON
package import SMP

/// The names that the operator of a relay lists in a JSON file: `{"alice.simplex": {"simplexContact": ["https://…"]}}`.
/// A record has the members of the SMP answer RNAME except `name`. In a record, all members are optional.
package struct NameFile: Sendable {
    package var records: [NameDomain: NameRecord] = [:]

    /// Maximal number of names. The number is limited because the records of all names are in memory.
    package static let maxNames = 10_000

    /// The reason why a file is refused.
    package struct Fault: Error, CustomStringConvertible {
        package let description: String
    }

    /// Parses the text of a file. Throws ``Fault`` for an unknown member, a malformed name, or a link of a kind that
    /// does not suit its member.
    package init(parsing text: [UInt8]) throws(Fault) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: text) } catch {
            throw Fault(description: error.description)
        }
        guard let object = value.objectValue else { throw Fault(description: "not a JSON object with names") }
        guard object.count <= Self.maxNames else {
            throw Fault(description: "has \(object.count) names, but at most \(Self.maxNames) are allowed")
        }
        for key in object.keys {
            guard let name = try? NameDomain(parsing: key.utf8) else {
                throw Fault(
                    description:
                        "\(key) is not a name: use ASCII letters, digits and single hyphens, as in alice.simplex"
                )
            }
            guard let members = object[key]?.objectValue else {
                throw Fault(description: "the record of \(key) is not a JSON object")
            }
            // A file that has a name twice, once in upper case and once in lower case, is refused.
            guard records[name] == nil else { throw Fault(description: "the name \(name) is given twice") }
            let record = try Self.parseRecord(name, members)
            guard record.json.count <= NameRecord.maxSize else {
                throw Fault(description: "the record of \(name) has more than \(NameRecord.maxSize) bytes")
            }
            records[name] = record
        }
    }

    private static func parseRecord(_ name: NameDomain, _ members: JSONObject) throws(Fault) -> NameRecord {
        var record = NameRecord(name: name.text)
        for member in members.keys {
            guard let value = members[member] else { continue }
            switch member {
            case "nickname": record.nickname = try parseText(value, member, name)
            case "website": record.website = try parseText(value, member, name)
            case "location": record.location = try parseText(value, member, name)
            case "simplexContact": record.contacts = try parseLinks(value, .contact, member, name)
            case "simplexChannel": record.channels = try parseLinks(value, .channel, member, name)
            case "owner": record.owner = try parseAddress(value, member, name)
            case "resolver": record.resolver = try parseAddress(value, member, name)
            case _ where NameRecord.coinNames.contains(member):
                record.coinAddresses[member] = try parseText(value, member, name)
            default: throw Fault(description: "the record of \(name) has the unknown member \(member)")
            }
        }
        return record
    }

    private static func parseText(_ value: JSONValue, _ member: String, _ name: NameDomain) throws(Fault) -> String {
        guard let text = value.stringValue, text.utf8.count <= NameRecord.maxTextSize else {
            throw Fault(
                description: "\(member) of \(name) is not a text of at most \(NameRecord.maxTextSize) bytes"
            )
        }
        return text
    }

    private static func parseAddress(_ value: JSONValue, _ member: String, _ name: NameDomain) throws(Fault) -> String {
        let text = try parseText(value, member, name).lowercased()
        guard text.hasPrefix("0x"), text.utf8.count == 42, text.utf8.dropFirst(2).allSatisfy({ isHex($0) }) else {
            throw Fault(description: "\(member) of \(name) is not 0x and 40 hexadecimal digits")
        }
        return text
    }

    private static func isHex(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private static func parseLinks(
        _ value: JSONValue,
        _ type: ShortLink.ContactType,
        _ member: String,
        _ name: NameDomain
    ) throws(Fault) -> [String] {
        guard let values = value.arrayValue else {
            throw Fault(description: "\(member) of \(name) is not a list of links")
        }
        var links: [String] = []
        for value in values {
            guard let text = value.stringValue, let link = try? ShortLink(parsing: text), link.kind == .contact(type)
            else {
                let kind = type == .channel ? "a channel" : "a contact address"
                throw Fault(description: "\(member) of \(name) has a text that is not a short link of \(kind)")
            }
            links.append(text)
        }
        return links
    }
}
