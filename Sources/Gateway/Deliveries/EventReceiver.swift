internal import ChatCore
internal import JSON
internal import OutgoingHTTP

/// A kind of receiver of events outside, with the settings of one.
protocol EventReceiver: Sendable {
    /// The events that it gets.
    var filter: EventFilter { get }
    /// The request for an event; nil when it gets none for this one.
    func request(for event: Event, epoch: String, now: Int64) -> OutgoingRequest?
    /// The request that says that events were lost; nil when it needs none.
    func request(forGap oldest: UInt64, epoch: String, now: Int64) -> OutgoingRequest?
    /// The outcome of an answer.
    func outcome(_ answer: OutgoingAnswer) -> DeliveryOutcome
    /// Whether the receiver is forgotten when it wants no more.
    var endsWithReceiver: Bool { get }
    /// When it ends by itself, in milliseconds since 1970.
    var expires: Int64? { get }
}

enum DeliveryOutcome: Hashable {
    case delivered
    /// Not taken. The receiver may say when to come again, in seconds.
    case refused(retryAfter: Int64?)
    /// It will never be taken.
    case rejected
    /// The receiver wants no more events.
    case gone
}

enum EventReceivers {
    static let webhook = "webhook"
    static let push = "push"

    /// - Parameter sender: by whom browsers are notified.
    /// - Returns: nil for a kind, or settings, that this version does not know, and for a browser without a sender.
    static func receiver(_ subscription: EventSubscription, _ sender: PushSender?) -> (any EventReceiver)? {
        guard let json = try? JSONValue(parsing: Array(subscription.settings.utf8)) else { return nil }
        return switch subscription.kind {
        case webhook: Webhook(json: json)
        case push: sender.flatMap { PushSubscription(json: json, sender: $0) }
        default: nil
        }
    }
}

/// What a subscription may see: the rights of the key that made it.
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
        chats.map { chats in Set(chats.compactMap { chat in EventChat.Kind(rawValue: chat.type).map { EventChat($0, chat.id) } }) }
    }
}

extension Principal {
    /// Whether it may see and change a subscription with these rights.
    func covers(_ rights: SubscriptionRights) -> Bool { covers(.events, userId: rights.userId, chats: rights.chats) }
}
