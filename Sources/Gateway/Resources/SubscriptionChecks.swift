internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import JSON
internal import OutgoingHTTP

/// The filter of events in the body of a request. An absent member is nil. A member with an empty list does not
/// restrict the events.
struct RequestedFilter: Decodable, Sendable {
    let types: [String]?
    let users: [Int64]?
    let chats: [String]?

    func apply(to events: inout RequestedEvents, _ rights: SubscriptionRights) throws(ProblemDetails) {
        if let types { events.types = try EventFilterChecks.checkTypes(types) }
        if let users { events.userIds = try EventFilterChecks.checkUsers(users, rights) }
        if let chats { events.chats = try EventFilterChecks.checkChats(chats, rights) }
    }
}

/// Checks the filter of events in the body of a request for a subscription. An empty list does not restrict the events.
enum EventFilterChecks {
    static func checkName(_ name: String) throws(ProblemDetails) -> String {
        guard KeyFile.isName(name) else {
            throw ProblemDetails(member: "name", "must have 1 to 100 characters, and no control characters.")
        }
        return name
    }

    static func checkTypes(_ types: [String]) throws(ProblemDetails) -> Set<String>? {
        try checkValues(types, "types") { text throws(ProblemDetails) in try EventFilter.checkType(text, .invalidValue)
        }
    }

    static func checkUsers(_ users: [Int64], _ rights: SubscriptionRights) throws(ProblemDetails) -> Set<Int64>? {
        try checkValues(users, "users") { user throws(ProblemDetails) in
            try EventFilter.checkUser(user, of: rights.userId, .invalidValue)
        }
    }

    static func checkChats(_ chats: [String], _ rights: SubscriptionRights) throws(ProblemDetails) -> Set<EventChat>? {
        try checkValues(chats, "chats") { text throws(ProblemDetails) in
            let chat = try EventFilter.parseChat(text, .invalidValue)
            guard rights.eventChats.map({ $0.contains(chat) }) ?? true else {
                throw ProblemDetails(.forbidden, "The key is bound to other chats.")
            }
            return chat
        }
    }

    private static func checkValues<T, R: Hashable>(
        _ values: [T],
        _ name: String,
        _ read: (T) throws(ProblemDetails) -> R
    ) throws(ProblemDetails) -> Set<R>? {
        guard values.count <= EventFilter.maxValuesPerParameter else {
            throw ProblemDetails(member: name, "can have at most \(EventFilter.maxValuesPerParameter) values.")
        }
        var set: Set<R> = []
        for value in values { set.insert(try read(value)) }
        return set.isEmpty ? nil : set
    }
}

extension DeliveryEngine {
    /// Checks a URL to which events will be sent. The host's name is not resolved for this check.
    /// - Parameter name: the name of the member with the URL.
    static func checkTarget(_ text: String, _ name: String, _ policy: AddressPolicy) throws(ProblemDetails) -> TargetURL
    {
        let url: TargetURL
        do throws(TargetURL.Refusal) { url = try TargetURL(text) } catch {
            throw ProblemDetails(member: name, "\(error)")
        }
        switch url.host {
        case .address(let address) where !policy.permits(address, isEncrypted: url.isEncrypted):
            throw ProblemDetails(
                member: name,
                "has an address that is not allowed: it is in an inner network, or without TLS."
            )
        case .name where !url.isEncrypted && policy.allowedRanges.isEmpty:
            throw ProblemDetails(member: name, "must begin with https://.")
        default: return url
        }
    }

    /// Runs `body`, and converts failures of the database to problems.
    static func convertStorageErrors<T>(_ body: () async throws -> T) async throws(ProblemDetails) -> T {
        do { return try await body() } catch {
            throw error as? ProblemDetails ?? ProblemDetails(error, "The subscription cannot be read or stored.")
        }
    }

    /// Sends a test request, which contains no event, to the receiver of a subscription. Answers with the outcome of
    /// the test request.
    func sendTest<Settings: SubscriptionSettings>(
        _ request: OutgoingRequest,
        to subscription: EventSubscription,
        of _: Settings.Type,
        eventId: String
    ) async throws(ProblemDetails) -> HTTPResponse {
        let attempt = try await Self.convertStorageErrors {
            try await sendOnce(request, subscription.id, eventId: eventId, type: "test")
        }
        guard let attempt else { throw Settings.missingProblem }
        return HTTPResponse(json: attempt.json.encodeText())
    }

    static func makeTimeJSON(_ milliseconds: Int64) -> JSONValue {
        .string(Timestamp(milliseconds: milliseconds).fullText)
    }

    /// Whether a key may change a subscription and see its target. An administrator may do this for all subscriptions,
    /// and any key for its own subscriptions and for subscriptions whose key has ended. Otherwise a key could learn or
    /// change the target of another key's subscription, with effects that last longer than the key itself.
    func canChange(_ principal: Principal, _ subscription: EventSubscription) -> Bool {
        principal.keyID == subscription.keyId || principal.scopes.contains(.admin) || !hasOwnerKey(subscription)
    }

    func checkMayChange(_ principal: Principal, _ subscription: EventSubscription) throws(ProblemDetails) {
        guard canChange(principal, subscription) else {
            throw ProblemDetails(
                .forbidden,
                "The subscription belongs to another key: only that key, or a key with the scope admin, can change it."
            )
        }
    }

    /// Returns the state of a subscription as answers show it: `revoked` for an active subscription whose key no longer
    /// exists.
    func chooseShownState(_ subscription: EventSubscription) -> String {
        subscription.state == .active && !hasOwnerKey(subscription) ? "revoked" : subscription.state.rawValue
    }
}

extension EventSubscription {
    /// The entity tag of the subscription, from the values that clients can change.
    var entityTag: EntityTag { EntityTag([settings, state.rawValue, keyId]) }

    /// The place of the subscription in a list, which begins with the oldest subscription.
    var listPlace: ListPlace { ListPlace(number: createdMilliseconds, text: id) }
}

extension DeliveryAttempt {
    var json: JSONValue {
        var object = JSONObject()
        if id > 0 { object["deliveryId"] = .integer(id) }
        object["eventId"] = .string(eventId)
        object["type"] = .string(eventType)
        object["attempt"] = .integer(Int64(attemptNumber))
        object["startedAt"] = DeliveryEngine.makeTimeJSON(startedMilliseconds)
        object["milliseconds"] = .integer(durationMilliseconds)
        object["outcome"] = .string(outcome)
        if let httpStatus { object["status"] = .integer(Int64(httpStatus)) }
        if let error { object["error"] = .string(error) }
        if let nextAttemptUnixMilliseconds {
            object["nextAttemptAt"] = DeliveryEngine.makeTimeJSON(nextAttemptUnixMilliseconds)
        }
        return .object(object)
    }
}

extension RouteContext {
    func requireDeliveryEngine() throws(ProblemDetails) -> DeliveryEngine {
        guard let engine = services.deliveries else { throw ProblemDetails(.unavailable, "Events cannot be sent now.") }
        return engine
    }

    /// Returns the subscription in the path, even if it belongs to another key.
    func findSubscription<Settings: SubscriptionSettings>(
        _: Settings.Type,
        _ engine: DeliveryEngine
    ) async throws(ProblemDetails) -> EventSubscription? {
        let id = Settings.subscriptionID(parameters[Settings.pathParameter] ?? "")
        return try await DeliveryEngine.convertStorageErrors {
            try await engine.findSubscription(id, kind: Settings.kind)
        }
    }

    /// Returns the subscription in the path, if the key covers the rights of the subscription.
    /// - Parameter changing: whether the request changes something. If so, the subscription must belong to the key.
    func requireSubscription<Settings: SubscriptionSettings>(
        _ kind: Settings.Type,
        _ engine: DeliveryEngine,
        changing: Bool = true
    ) async throws(ProblemDetails) -> (Settings, EventSubscription) {
        let principal = try requirePrincipal()
        guard let found = try await findSubscription(kind, engine), let settings = Settings(found),
            principal.canAccess(settings.rights)
        else {
            throw Settings.missingProblem
        }
        if changing { try engine.checkMayChange(principal, found) }
        return (settings, found)
    }

    /// Returns all subscriptions of a kind whose rights the key covers.
    func listSubscriptions<Settings: SubscriptionSettings>(
        _: Settings.Type,
        _ engine: DeliveryEngine
    ) async throws(ProblemDetails) -> [(settings: Settings, subscription: EventSubscription)] {
        let principal = try requirePrincipal()
        let found = try await DeliveryEngine.convertStorageErrors {
            try await engine.listSubscriptions(kind: Settings.kind)
        }
        return found.compactMap { subscription in
            guard let settings = Settings(subscription), principal.canAccess(settings.rights) else { return nil }
            return (settings, subscription)
        }
    }

    func deleteSubscription(_ kind: (some SubscriptionSettings).Type) throws(ProblemDetails) -> HTTPReply {
        let engine = try requireDeliveryEngine()
        try refuseUnknownNames()
        return replyLater { () async throws(ProblemDetails) in
            let (_, subscription) = try await requireSubscription(kind, engine)
            try await DeliveryEngine.convertStorageErrors { try await engine.deleteSubscription(subscription.id) }
            return HTTPResponse(status: 204)
        }
    }

    /// Returns the key that has authorized the request. Throws a problem for a request without a key.
    func requirePrincipal() throws(ProblemDetails) -> Principal {
        guard let principal else { throw ProblemDetails(.unauthorized) }
        return principal
    }
}
