import Glibc
import JSON

/// Ids, links, times and keys of this run, which replace the recorded ones. They are learned from the compared answers
/// and events.
struct Substitutions {
    /// Numbers by client and member name.
    private var numbersByMember: [String: [Int64: Int64]] = [:]
    private var textsByRecorded: [String: String] = [:]
    /// The learned texts, the longest first, since a text may be a part of another one.
    private var longestFirst: [(recorded: String, size: Int, ours: String)] = []

    /// The shortest text that is replaced. Shorter texts could occur anywhere.
    static let minTextLength = 16

    mutating func learnNumber(_ recorded: Int64, is ours: Int64, member: String, of client: String) {
        numbersByMember["\(client) \(Self.idKind(member))", default: [:]][recorded] = ours
    }

    mutating func learnText(_ recorded: String, is ours: String, atLeast length: Int = minTextLength) {
        guard recorded.utf8.count >= length, recorded != ours, textsByRecorded[recorded] != ours else { return }
        if textsByRecorded.updateValue(ours, forKey: recorded) != nil {
            longestFirst.removeAll { $0.recorded == recorded }
        }
        let size = recorded.utf8.count
        longestFirst.insert(
            (recorded, size, ours),
            at: longestFirst.firstIndex { $0.size < size } ?? longestFirst.endIndex
        )
    }

    /// Returns a recorded command with all learned values of this run.
    func applied(to command: String, of client: String) -> String {
        let command = applied(toText: command)
        // The text after this position is content, not an address.
        let contentStart =
            [" json ", " text ", " {", " ["].compactMap { command.firstRange(of: $0)?.lowerBound }.min()
            ?? command.endIndex
        var head = String(command[..<contentStart])
        var content = String(command[contentStart...])
        if head.hasPrefix("/_") {
            head = head.replacing(/([ ])([@:#*])([0-9]+)/) { match in
                "\(match.1)\(match.2)\(ownNumber(match.3, as: Self.idKind(ofChat: match.2), of: client))"
            }
            head = head.replacing(/(\(_support:)([0-9]+)/) {
                "\($0.1)\(ownNumber($0.2, as: "groupMember", of: client))"
            }
            head = idForms.reduce(head) { head, form in
                head.replacing(form.pattern) { match in
                    let ids = match.2.split(separator: ",").map { ownNumber($0, as: form.kind, of: client) }
                    return "\(match.1)\(ids.joined(separator: ","))"
                }
            }
            content = content.replacing(/("quotedItemId":)([0-9]+)/) {
                "\($0.1)\(ownNumber($0.2, as: "item", of: client))"
            }
            content = content.replacing(/"mentions":\{[^}]*\}/) { mentions in
                mentions.output.replacing(/(":)([0-9]+)/) { "\($0.1)\(ownNumber($0.2, as: "groupMember", of: client))" }
            }
        }
        return head + content
    }

    /// Returns a recorded text with the links, keys and paths of this run.
    func applied(toText text: String) -> String {
        var text = text
        for (recorded, _, ours) in longestFirst where Self.containsText(text, recorded) {
            text = text.replacing(recorded, with: ours)
        }
        return text
    }

    /// Called several hundred times for each compared text. So it uses the system's search, unless the text contains a
    /// zero byte.
    private static func containsText(_ text: String, _ part: String) -> Bool {
        text.withCString { start in
            if strlen(start) < text.utf8.count { return text.contains(part) }
            return part.withCString { strstr(start, $0) != nil }
        }
    }

    private typealias IdForm = (pattern: Regex<(Substring, Substring, Substring)>, kind: String)

    /// Positions of ids in command texts, besides the references to chats.
    private let idForms: [IdForm] = [
        (
            /^(\/_(?:update item|delete item|delete member item|report|reaction|reaction members [0-9]+|get item info|read chat items|forward plan) [@*#][0-9]+ )([0-9,]+)/,
            "item"
        ),
        (/^(\/_forward [@*#][0-9]+ [@*#][0-9]+ )([0-9,]+)/, "item"),
        (/^(\/_get chat .* (?:around|before|after)=)([0-9]+)/, "item"),
        (/^(\/_get items (?:around|before|after)=)([0-9]+)/, "item"),
        (/^(\/_add #[0-9]+ )([0-9]+)/, "contact"),
        (
            /^(\/_(?:remove|member role|member settings|block|info|accept member|create member contact|get code|verify code|switch|sync|queue info|enable) #[0-9]+ )([0-9,]+)/,
            "groupMember"
        ),
        (/^(\/_accept incognito=(?:on|off) )([0-9]+)/, "contactRequest"),
        (/^(\/_reject )([0-9]+)/, "contactRequest"),
        (/^(\/_connect contact [0-9]+ incognito=(?:on|off) )([0-9]+)/, "contact"),
    ]

    private func ownNumber(_ digits: Substring, as kind: String, of client: String) -> String {
        Int64(digits).flatMap { numbersByMember["\(client) \(kind)"]?[$0] }.map { "\($0)" } ?? String(digits)
    }

    private static func idKind(ofChat letter: Substring) -> String {
        switch letter {
        case "@": "contact"
        case ":": "connection"
        case "#": "group"
        default: "noteFolder"
        }
    }

    private static func idKind(_ member: String) -> String {
        switch member {
        case "pccConnId", "connId": "connection"
        case "minUnreadItemId": "item"
        case _ where member.hasSuffix("Id_"): String(member.dropLast(3))
        case _ where member.hasSuffix("Id"): String(member.dropLast(2))
        default: member
        }
    }
}
