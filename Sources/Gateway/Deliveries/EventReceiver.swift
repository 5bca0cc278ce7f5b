internal import ChatCore
internal import ChatStore
internal import JSON
internal import OutgoingHTTP

/// A receiver of events outside of the gateway, with its settings.
protocol EventReceiver: Sendable {
    /// The filter for the events of the receiver.
    var filter: EventFilter { get }
    /// Makes the request for an event; nil when the receiver gets no request for the event.
    func makeRequest(for event: Event, epoch: String, now: Int64) -> OutgoingRequest?
    /// Makes the request that reports lost events; nil for a receiver that gets no such report.
    func makeRequest(forGap oldest: UInt64, epoch: String, now: Int64) -> OutgoingRequest?
    /// Determines the outcome of an attempt from the answer of the receiver.
    func judgeAnswer(_ answer: OutgoingAnswer) -> DeliveryOutcome
    /// Whether the subscription is deleted when the receiver refuses all further events.
    var isDeletedWithReceiver: Bool { get }
    /// The time at which the subscription expires, in milliseconds since 1970; nil for a subscription without expiry.
    var expiresAtMilliseconds: Int64? { get }
}

enum DeliveryOutcome: Hashable {
    case delivered
    /// The receiver did not accept the event now. The answer of the receiver may contain the seconds until the next
    /// attempt.
    case refusedForNow(retryAfter: Int64?)
    /// The receiver will never accept the event.
    case refusedForever
    /// The receiver refuses all further events.
    case receiverGone
}

enum EventReceivers {
    /// Makes the receiver of a subscription.
    /// - Parameter sender: the sender for push services.
    /// - Returns: nil for an unknown kind, for unknown settings, and for a browser without a sender.
    static func makeReceiver(_ subscription: EventSubscription, _ sender: PushSender?) -> (any EventReceiver)? {
        if let webhook = Webhook(subscription) { return webhook }
        guard let sender, var push = PushSubscription(subscription) else { return nil }
        push.pushSender = sender
        return push
    }
}

/// The profile and the chats whose events a subscription may send, from the rights of the key that made the
/// subscription.
struct SubscriptionRights: Hashable {
    let userId: Int64?
    let chats: Set<KeyChat>?

    init(_ principal: Principal) {
        userId = principal.userId
        chats = principal.chats
    }

    init?(json: JSONValue?) {
        guard let members = json?.objectValue else { return nil }
        userId = members["userId"]?.integerValue
        guard let list = members["chats"] else {
            chats = nil
            return
        }
        guard let texts = list.arrayValue else { return nil }
        let known = texts.compactMap { $0.stringValue.flatMap { KeyChat($0) } }
        guard known.count == texts.count else { return nil }
        chats = Set(known)
    }

    var json: JSONValue {
        var object = JSONObject()
        if let userId { object["userId"] = .integer(userId) }
        if let chats { object["chats"] = .array(chats.map(\.text).sorted().map { .string($0) }) }
        return .object(object)
    }

    var eventChats: Set<EventChat>? {
        chats.map { chats in
            Set(chats.compactMap { chat in EventChat.Kind(rawValue: chat.type).map { EventChat($0, chat.id) } })
        }
    }
}

/// The types, profiles and chats whose events the owner of a subscription requests. A member is nil if all types, all
/// profiles or all chats are requested.
struct RequestedEvents: Sendable, Hashable {
    var types: Set<String>?
    var userIds: Set<Int64>?
    var chats: Set<EventChat>?

    func makeFilter(_ rights: SubscriptionRights) -> EventFilter {
        EventFilter(userId: rights.userId, types: types, userIds: userIds, chats: chats, boundChats: rights.eventChats)
    }
}

extension RequestedEvents {
    /// - Parameter json: an object with the members of ``write(to:)``.
    init(json: JSONValue) {
        if let list = json["types"] { types = Set(list.arrayValue?.compactMap(\.stringValue) ?? []) }
        if let list = json["users"] { userIds = Set(list.arrayValue?.compactMap(\.integerValue) ?? []) }
        if let list = json["chats"] {
            chats = Set(list.arrayValue?.compactMap { $0.stringValue.flatMap { EventChat($0) } } ?? [])
        }
    }

    func write(to object: inout JSONObject) {
        if let types { object["types"] = .array(types.sorted().map { .string($0) }) }
        if let userIds { object["users"] = .array(userIds.sorted().map { .integer($0) }) }
        if let chats { object["chats"] = .array(chats.map(\.text).sorted().map { .string($0) }) }
    }
}

extension Principal {
    /// Whether a key may see and change a subscription with these rights.
    func canAccess(_ rights: SubscriptionRights) -> Bool {
        canGrant(.events, userId: rights.userId, chats: rights.chats)
    }
}
