internal import ChatCore
internal import JSON
internal import OutgoingHTTP

/// A kind of external receiver of events, with its settings.
protocol EventReceiver: Sendable {
    /// The filter for the receiver's events.
    var filter: EventFilter { get }
    /// The request for an event; nil when the receiver gets no request for it.
    func request(for event: Event, epoch: String, now: Int64) -> OutgoingRequest?
    /// The request that reports lost events; nil when the receiver needs none.
    func request(forGap oldest: UInt64, epoch: String, now: Int64) -> OutgoingRequest?
    /// The outcome of an answer.
    func outcome(_ answer: OutgoingAnswer) -> DeliveryOutcome
    /// Whether the subscription is deleted when the receiver wants no more events.
    var endsWithReceiver: Bool { get }
    /// The time at which the subscription ends by itself, in milliseconds since 1970.
    var expires: Int64? { get }
}

enum DeliveryOutcome: Hashable {
    case delivered
    /// The event was not taken. The receiver may give the seconds after which to try again.
    case refused(retryAfter: Int64?)
    /// The receiver will never take the event.
    case rejected
    /// The receiver wants no more events.
    case gone
}

enum EventReceivers {
    static let webhook = "webhook"
    static let push = "push"

    /// - Parameter sender: the sender for push services.
    /// - Returns: nil for an unknown kind, for unknown settings, and for a browser without a sender.
    static func receiver(_ subscription: EventSubscription, _ sender: PushSender?) -> (any EventReceiver)? {
        guard let json = try? JSONValue(parsing: Array(subscription.settings.utf8)) else { return nil }
        return switch subscription.kind {
        case webhook: Webhook(json: json)
        case push: sender.flatMap { PushSubscription(json: json, sender: $0) }
        default: nil
        }
    }
}

/// The data that a subscription may send: the rights of the key that made it.
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

extension Principal {
    /// Whether a key may see and change a subscription with these rights.
    func covers(_ rights: SubscriptionRights) -> Bool { covers(.events, userId: rights.userId, chats: rights.chats) }
}
