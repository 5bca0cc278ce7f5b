internal import JSON
internal import Synchronization

/// The facts of an event that filters check.
struct EventTraits: Sendable {
    let type: String
    let chats: Set<EventChat>

    init(_ json: [UInt8]) {
        guard let event = (try? JSONValue(parsing: json, limits: .ownText))?.objectValue else {
            type = ""
            chats = []
            return
        }
        type = event["type"]?.stringValue ?? ""
        var found: Set<EventChat> = []
        for (name, value) in event { EventTraits.add(name, value, to: &found) }
        chats = found
    }

    /// Adds the chats that a member of an event names. Chats to which quotes and forwarded messages refer are left out.
    private static func add(_ name: String, _ value: JSONValue, to chats: inout Set<EventChat>) {
        switch name {
        case "chatItem", "chatItem_", "reaction", "chat_": add("chatInfo", value["chatInfo"] ?? .null, to: &chats)
        case "chatItems": for item in value.arrayValue ?? [] { add("chatItem", item, to: &chats) }
        case "chatItemDeletions":
            for deletion in value.arrayValue ?? [] { add("chatItem", deletion["deletedChatItem"] ?? .null, to: &chats) }
        // Such an object has the same members as an event: contact, groupInfo, …
        case "chatInfo", "connectionEntity", "connEntity", "callInvitation":
            for (name, value) in value.objectValue ?? JSONObject() { add(name, value, to: &chats) }
        case "contact", "fromContact", "toContact", "hostContact", "memberContact", "updatedContact", "intoContact",
            "mergedContact":
            add(.direct, value["contactId"], to: &chats)
        case "groupInfo", "fromGroup", "toGroup": add(.group, value["groupId"], to: &chats)
        case "noteFolder": add(.local, value["noteFolderId"], to: &chats)
        case "contactRequest", "userContactRequest":
            add(.contactRequest, value["contactRequestId"], to: &chats)
            add(.direct, value["contactId_"], to: &chats)
        case "contactConnection": add(.contactConnection, value["pccConnId"], to: &chats)
        default: break
        }
    }

    private static func add(_ kind: EventChat.Kind, _ id: JSONValue?, to chats: inout Set<EventChat>) {
        if let id = id?.integerValue { chats.insert(EventChat(kind, id)) }
    }
}

/// The traits of an event. They are parsed when a filter first needs them, once for all readers.
final class LazyEventTraits: Sendable, Hashable {
    private let json: [UInt8]
    private let known = Mutex<EventTraits?>(nil)

    init(_ json: [UInt8]) { self.json = json }

    var value: EventTraits {
        known.withLock { known in
            if let known { return known }
            let traits = EventTraits(json)
            known = traits
            return traits
        }
    }

    // Traits follow from the event, so equality need not compare them.
    static func == (a: LazyEventTraits, b: LazyEventTraits) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
