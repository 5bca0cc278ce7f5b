internal import JSON
internal import Synchronization

/// The facts of an event that filters check.
struct EventTraits: Sendable {
    let type: String
    let chats: Set<EventChat>

    init(_ json: [UInt8]) {
        guard let event = (try? JSONValue(parsing: json, limits: .forOwnText))?.objectValue else {
            type = ""
            chats = []
            return
        }
        type = event["type"]?.stringValue ?? ""
        var found: Set<EventChat> = []
        for (name, value) in event { EventTraits.addChats(name, value, to: &found) }
        chats = found
    }

    /// Adds the chats that one JSON member of an event names. Chats to which quotes and forwarded messages refer are
    /// left out.
    private static func addChats(_ name: String, _ value: JSONValue, to chats: inout Set<EventChat>) {
        switch name {
        case "chatItem", "chatItem_", "reaction", "chat_": addChats("chatInfo", value["chatInfo"] ?? .null, to: &chats)
        case "chatItems": for item in value.arrayValue ?? [] { addChats("chatItem", item, to: &chats) }
        case "chatItemDeletions":
            for deletion in value.arrayValue ?? [] {
                addChats("chatItem", deletion["deletedChatItem"] ?? .null, to: &chats)
            }
        // The value of each of these members is an object with the same members as an event: contact, groupInfo, …
        case "chatInfo", "connectionEntity", "connEntity", "callInvitation":
            for (name, value) in value.objectValue ?? JSONObject() { addChats(name, value, to: &chats) }
        case "contact", "fromContact", "toContact", "hostContact", "memberContact", "updatedContact", "intoContact",
            "mergedContact":
            addChat(.direct, value["contactId"], to: &chats)
        case "groupInfo", "fromGroup", "toGroup": addChat(.group, value["groupId"], to: &chats)
        case "noteFolder": addChat(.local, value["noteFolderId"], to: &chats)
        case "contactRequest", "userContactRequest":
            addChat(.contactRequest, value["contactRequestId"], to: &chats)
            addChat(.direct, value["contactId_"], to: &chats)
        case "contactConnection": addChat(.contactConnection, value["pccConnId"], to: &chats)
        default: break
        }
    }

    private static func addChat(_ kind: EventChat.Kind, _ id: JSONValue?, to chats: inout Set<EventChat>) {
        if let id = id?.integerValue { chats.insert(EventChat(kind, id)) }
    }
}

/// The traits of an event. They are parsed when a filter first needs them, once for all readers.
final class LazyEventTraits: Sendable, Hashable {
    private let json: [UInt8]
    private let parsedTraits = Mutex<EventTraits?>(nil)

    init(_ json: [UInt8]) { self.json = json }

    var value: EventTraits {
        parsedTraits.withLock { known in
            if let known { return known }
            let traits = EventTraits(json)
            known = traits
            return traits
        }
    }

    // The traits are computed from the JSON of an event. Comparisons of events compare this JSON, and need not compare
    // the traits.
    static func == (a: LazyEventTraits, b: LazyEventTraits) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}
