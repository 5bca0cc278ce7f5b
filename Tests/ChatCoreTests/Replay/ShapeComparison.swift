import JSON

/// Comparison of an answer or event with the recorded one: members, kinds of values, tags, and values that must not
/// differ between runs.
struct ShapeComparison {
    let client: String
    private let unsupportedCategories: LaterCategories
    /// The type of the event; nil for an answer.
    private let eventType: String?
    private(set) var differences: Set<String> = []
    private(set) var substitutions: Substitutions
    /// Whether the value is the present state of the contact, beside an event in its chat.
    private var isSnapshot = false

    init(client: String, learned: Substitutions, later: LaterCategories, event: String?) {
        (self.client, self.unsupportedCategories, self.eventType) = (client, later, event)
        self.substitutions = learned
    }

    /// Records that occur in many places. A difference in them is reported once.
    private static let recordTypes: Set = [
        "user", "user_", "contact", "activeConn", "chatItem", "profile", "mergedPreferences", "contactConnection",
        "noteFolder", "chatSettings",
        "fullPreferences", "preferences", "chatError", "groupInfo", "connLinkInvitation", "connLinkInv", "chatStats",
        "navInfo", "quotedItem",
        "entityConnection", "contactRequest", "membership", "member", "groupMember",
    ]

    mutating func compareShapes(_ recorded: JSONValue, _ ours: JSONValue, at place: String) {
        switch (recorded, ours) {
        case (.object(let recorded), .object(let ours)):
            let place = Self.taggedPlace(place, recorded)
            learnNameOfId(recorded, ours)
            for key in recorded.keys where !dependsOnMoment(key) {
                guard let before = recorded[key] else { continue }
                let inner = Self.recordTypes.contains(key) ? key : "\(place).\(key)"
                guard let now = ours[key] else {
                    differences.insert("\(inner) is missing")
                    continue
                }
                compareMember(key, before, now, at: inner)
            }
            for key in ours.keys where recorded[key] == nil && !dependsOnMoment(key) {
                differences.insert(
                    "\(Self.recordTypes.contains(key) ? key : "\(place).\(key)") is not in the recording"
                )
            }
        case (.array(let recorded), .array(let ours)): compareElements(recorded, ours, at: place)
        default: compareValue(recorded, ours, at: place)
        }
    }

    /// Learns the name of a member whose real name is unknown. This name is the beginning of the member id.
    private mutating func learnNameOfId(_ recorded: JSONObject, _ ours: JSONObject) {
        guard let id = recorded["memberId"]?.stringValue, let own = ours["memberId"]?.stringValue,
            id.utf8.count >= Substitutions.minTextLength
        else { return }
        substitutions.learnText(String(id.prefix(7)), is: String(own.prefix(7)), atLeast: 7)
    }

    /// Members of a contact that change at any time during a conversation. Separate events report the changes.
    private static let changingContactMembers: Set = [
        "mergedPreferences", "preferences", "userPreferences", "localAlias",
    ]

    /// Members of a message that depend on the moment of its status event: the present text of a live message, and
    /// whether the message is edited or deleted.
    private static let changingItemMembers: Set = [
        "itemText", "content", "formattedText", "itemEdited", "itemDeleted", "editable", "deletable",
    ]

    /// Members of a group that depend on the moment of a status event: the numbers of members, and of unread messages.
    private static let changingGroupMembers: Set = ["groupSummary", "supportChat"]

    /// Members that depend on the moment of an event: the present number of refusals of a relay, and the verified code.
    private static let changingEventMembers: Set = ["connectionCode", "authErrCounter"]

    private func dependsOnMoment(_ key: String) -> Bool {
        // The status event of a message can precede or follow a change of the user's data, the message or its group.
        if eventType == "chatItemsStatusesUpdated",
            key == "user" || Self.changingItemMembers.contains(key) || Self.changingGroupMembers.contains(key)
        {
            return true
        }
        return key == "stats" || isSnapshot && Self.changingContactMembers.contains(key)
            || eventType != nil && Self.changingEventMembers.contains(key)
    }

    private mutating func compareMember(_ key: String, _ recorded: JSONValue, _ ours: JSONValue, at place: String) {
        switch (recorded, ours) {
        case (.integer(let recorded), .integer(let ours)) where Self.differsInEachRun(key):
            substitutions.learnNumber(recorded, is: ours, member: key, of: client)
        case (.string(let recorded), .string(let ours))
        where Self.differsInEachRun(key) || Self.isTime(recorded) && Self.isTime(ours):
            substitutions.learnText(recorded, is: ours)
        case (.array(let recorded), .array(let ours)) where Self.differsInEachRun(key):
            for (recorded, ours) in zip(recorded, ours) { compareMember(key, recorded, ours, at: place) }
        case (_, .object) where key == "chatInfo" || key == "contact" && eventType == nil:
            let outer = isSnapshot
            isSnapshot = true
            compareShapes(recorded, ours, at: place)
            isSnapshot = outer
        // A text that contains JSON.
        case (.string(let recorded), .string(let ours)) where key == "agentMsgMeta":
            compareShapes(
                (try? JSONValue(parsing: recorded)) ?? .null,
                (try? JSONValue(parsing: ours)) ?? .null,
                at: place
            )
        // The state of a queue on a relay (number of messages, next message) holds only for a moment.
        case (.object, .object) where key == "info" && place.hasPrefix("queueInfo"): break
        // The addresses of the machine differ.
        case (.array, .array) where key == "localAddrs": break
        // The length of a call differs in each run.
        case (.object(let recorded), .object(let ours))
        where key == "content" && (recorded["type"] == "sndCall" || recorded["type"] == "rcvCall"):
            for member in ["type", "status"] {
                compareValue(recorded[member] ?? .null, ours[member] ?? .null, at: "\(place).\(member)")
            }
        case (.string(let recorded), .string(let ours))
        where key == "itemText" && recorded.contains("call: ") && recorded.contains(/call: .*\([0-9:]+\)/):
            compareValue(
                .string(recorded.replacing(/[0-9]/, with: "")),
                .string(ours.replacing(/[0-9]/, with: "")),
                at: place
            )
        // An event reports the arrival of a message, so the status in an answer does not matter.
        case (.object, .object) where key == "itemStatus": break
        // Events report the progress of a file too, so the file status in an answer does not matter.
        case (.object, .object) where key == "fileStatus" && eventType?.contains("File") != true: break
        default: compareShapes(recorded, ours, at: place)
        }
    }

    private mutating func compareElements(_ recorded: [JSONValue], _ ours: [JSONValue], at place: String) {
        // Events are split until they have one element, by which they were matched.
        if eventType != nil, let one = recorded.first, let own = ours.first, recorded.count == 1, ours.count == 1,
            one["chatItem"] != nil
        {
            return compareShapes(one, own, at: place + "[]")
        }
        var rest = Array(ours.enumerated())
        var last = -1
        for element in recorded where !unsupportedCategories.isUnsupported(element, for: client) {
            let label = EventSignature.elementLabel(of: element)
            guard let position = rest.firstIndex(where: { EventSignature.elementLabel(of: $0.element) == label }) else {
                differences.insert("\(place)[\(label)] is missing")
                continue
            }
            let found = rest.remove(at: position)
            if found.offset < last { differences.insert("\(place)[\(label)] stands elsewhere") }
            last = max(last, found.offset)
            compareShapes(element, found.element, at: place + "[]")
        }
        for element in rest {
            differences.insert("\(place)[\(EventSignature.elementLabel(of: element.element))] is not in the recording")
        }
    }

    private mutating func compareValue(_ recorded: JSONValue, _ ours: JSONValue, at place: String) {
        guard recorded != ours else { return }
        if case .string(let text) = recorded, substitutions.applied(toText: text) == ours.stringValue { return }
        // Links contain the relay, which differs from run to run.
        if case (.string(let text), .string(let own)) = (recorded, ours), text.hasPrefix(Self.relayLink),
            let link = text.prefixMatch(of: /https:\/\/127\.0\.0\.1\/[a-z]#/), own.hasPrefix(link.0)
        {
            return substitutions.learnText(text, is: own)
        }
        differences.insert("\(place) is \(Self.valueText(ours)) for \(Self.valueText(recorded))")
    }

    private static let relayLink = "https://127.0.0.1/"

    private static func valueText(_ value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array: "an array"
        default: String(value.text.prefix(60))
        }
    }

    private static func taggedPlace(_ place: String, _ object: JSONObject) -> String {
        guard let type = object["type"]?.stringValue, !place.hasSuffix(type) else { return place }
        return "\(place)<\(type)>"
    }

    private static let ownMemberNames: Set = [
        "connFullLink", "connShortLink", "verificationCode", "connectionCode", "contactLink", "serverAddress", "server",
        "keyHash", "host", "hash", "salt", "rcvServer",
        "sndServer", "brokerAddress", "testServer", "smpServer", "duplicateServer", "upName", "securityCode",
        "expectedCode", "archivePath",
        "viaContact", "forwardedByMember", "fileKey", "fileNonce", "fileDescrText", "privateSndFileDescr",
        "invitation", "sessionCode", "storePath", "ctrlPort", "memberPubKey",
    ]

    /// Whether the value of the member differs in each run.
    private static func differsInEachRun(_ member: String) -> Bool {
        ownMemberNames.contains(member) || member == "connections"
            || ["Id", "Ids", "Id_", "At", "Ts"].contains { member.hasSuffix($0) }
    }

    /// Whether the text begins like `2026-11-27T`. A regular expression would be compiled again for each text.
    private static func isTime(_ text: String) -> Bool {
        let start = text.utf8.prefix(11)
        return start.count == 11
            && zip(start, "0000-00-00T".utf8).allSatisfy {
                $1 == UInt8(ascii: "0") ? (0x30...0x39).contains($0) : $0 == $1
            }
    }
}
