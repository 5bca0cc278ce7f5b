internal import ChatAPI
internal import JSON

/// Selects the events of a reader: the requested events among the events that the key permits.
struct EventFilter: Sendable, Hashable {
    /// The profile to which the key is bound; nil for a key of all profiles.
    var userId: Int64?
    /// The types of the requested events; nil for all types.
    var types: Set<String>?
    /// The profiles whose events the reader gets; nil for all profiles. The reader also gets the events with the
    /// audience `everybody`.
    var userIds: Set<Int64>?
    /// The chats whose events the reader gets; nil for all events. An event belongs to each chat that it names.
    var chats: Set<EventChat>?
    /// The chats to which the key is bound; nil for a key of all chats. A key that is bound to chats gets only events
    /// about chat items, and only if an event names no other chat.
    var boundChats: Set<EventChat>?

    /// Whether the filter admits all events of all profiles.
    var isUnrestricted: Bool { self == EventFilter() }

    /// Whether the reader gets an event.
    /// - Parameter unseen: hidden users that are not active. Readers of all profiles do not get the events of these
    ///   users, because the events would reveal the users. The journal keeps the events until the user is shown again.
    func admits(_ event: Event, unseen: Set<Int64>) -> Bool {
        switch event.audience {
        case .everybody: break
        case .user(let user):
            guard userId.map({ $0 == user }) ?? !unseen.contains(user), userIds?.contains(user) ?? true else {
                return false
            }
        case .keysWithoutUser: guard userId == nil, userIds == nil else { return false }
        }
        if let types, !types.contains(event.traits.value.type) { return false }
        if let chats, chats.isDisjoint(with: event.traits.value.chats) { return false }
        if let boundChats {
            let traits = event.traits.value
            guard EventFilter.itemEventTypes.contains(traits.type), !traits.chats.isEmpty,
                traits.chats.isSubset(of: boundChats)
            else { return false }
        }
        return true
    }
}

extension EventFilter {
    /// Returns the event as the reader may see it. For a key that is bound to chats, the origin of a forwarded item
    /// becomes `unknown`, unless the origin is one of these chats.
    func visibleForm(of event: Event) -> Event {
        guard let boundChats, event.json.firstRange(of: EventFilter.forwardKey) != nil,
            let json = try? JSONValue(parsing: event.json, limits: .forOwnText)
        else { return event }
        return event.withJSON(json: EventFilter.hideOrigins(json, except: boundChats).encodeText())
    }

    private static let forwardKey = Array(#""itemForwarded""#.utf8)

    private static func hideOrigins(_ value: JSONValue, except only: Set<EventChat>) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { hideOrigins($0, except: only) })
        case .object(var object):
            for (name, member) in object {
                object[name] =
                    name == "itemForwarded" && !isFromChats(member, only)
                    ? ["type": "unknown"] : hideOrigins(member, except: only)
            }
            return .object(object)
        case .null, .bool, .integer, .real, .string: return value
        }
    }

    private static func isFromChats(_ origin: JSONValue, _ only: Set<EventChat>) -> Bool {
        let chats = [
            origin["contactId"]?.integerValue.map { EventChat(.direct, $0) },
            origin["groupId"]?.integerValue.map { EventChat(.group, $0) },
        ].compactMap(\.self)
        return !chats.isEmpty && chats.allSatisfy(only.contains)
    }

    /// Maximal number of values of one parameter.
    static let maxValuesPerParameter = 200

    // The following functions check the values of a filter, which come from the query or the body of a request.

    static func checkType(_ text: String, _ code: ProblemDetails.Code) throws(ProblemDetails) -> String {
        guard knownTypes.contains(text) else {
            throw ProblemDetails(code, "types: \(text.prefix(100)) is not an event type.")
        }
        return text
    }

    /// Checks that a filter may contain a profile, and returns the id of the profile.
    /// - Parameter own: the profile to which the key is bound; nil for a key of all profiles.
    static func checkUser(_ user: Int64, of own: Int64?, _ code: ProblemDetails.Code) throws(ProblemDetails) -> Int64 {
        guard user > 0 else { throw ProblemDetails(code, "users must be numbers of profiles.") }
        guard own.map({ $0 == user }) ?? true else {
            throw ProblemDetails(.forbidden, "The key is bound to another profile.")
        }
        return user
    }

    static func parseChat(_ text: String, _ code: ProblemDetails.Code) throws(ProblemDetails) -> EventChat {
        guard let chat = EventChat(text) else {
            throw ProblemDetails(
                code,
                "chats must be chats such as direct/4 or group/2. The kinds are \(EventChat.kindList)."
            )
        }
        return chat
    }

    /// Types of events for which this program knows all chats that the event can name.
    private static let itemEventTypes: Set = [
        "newChatItems", "chatItemsStatusesUpdated", "chatItemUpdated", "chatItemNotChanged", "chatItemReaction",
        "chatItemsDeleted",
    ]
    private static let knownTypes = Set(ChatEvent.types + ["redacted"])
}

/// A chat that an event names. Its text is the same as in URL paths, such as `direct/4`.
struct EventChat: Sendable, Hashable {
    enum Kind: String, Sendable, CaseIterable {
        case direct, group, local, contactRequest, contactConnection
    }

    let kind: Kind
    let id: Int64

    init(_ kind: Kind, _ id: Int64) {
        self.kind = kind
        self.id = id
    }

    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = Kind(rawValue: String(parts[0])),
            let id = Int64(wholeNumber: String(parts[1])), id > 0
        else { return nil }
        self.init(kind, id)
    }

    var text: String { "\(kind.rawValue)/\(id)" }

    static var kindList: String { Kind.allCases.map(\.rawValue).joined(separator: ", ") }
}
