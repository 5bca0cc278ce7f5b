internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import JSON
internal import OutgoingHTTP
internal import SimpleXCrypto

/// Routes for webhooks: URLs to which the gateway posts events.
enum WebhooksResource {
    private static let listPath = "/v1/webhooks"
    private static let itemPath = listPath + "/{webhookId}"
    private static let idPrefix = "wh_"

    static let routes: [Route] = [
        route(.get, listPath, "listWebhooks", list),
        route(.post, listPath, "createWebhook", create),
        route(.get, itemPath, "getWebhook", get),
        route(.patch, itemPath, "updateWebhook", update),
        route(.delete, itemPath, "deleteWebhook", delete),
        route(.post, itemPath + "/rotate", "rotateWebhook", rotate),
        route(.post, itemPath + "/test", "testWebhook", test).onlyReading(),
        route(.post, itemPath + "/replay", "replayWebhook", replay),
        route(.get, itemPath + "/deliveries", "listWebhookDeliveries", deliveries),
    ]

    /// Makes a route. To read webhooks, a key needs the scope `events`. All other routes can make the gateway send
    /// something, and also need the scope `write`.
    private static func route(
        _ method: HTTPMethod,
        _ template: String,
        _ id: String,
        _ handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        Route(
            method,
            template,
            id,
            category: "Webhooks",
            access: .key(method == .get ? .events : [.events, .write]),
            policy: .receivers.with(\.answers, .secret),
            problems: method == .patch ? [.preconditionFailed] : [],
            handler: handler
        )
    }

    // MARK: Reading

    private static func list(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.deliveryEngine(), try context.subscriber())
        let page = try context.page()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let found = try await DeliveryEngine.storing { try await engine.all(kind: EventReceivers.webhook) }
            let covered = found.compactMap { subscription -> (subscription: EventSubscription, webhook: Webhook)? in
                guard let webhook = Webhook(subscription), principal.covers(webhook.rights) else { return nil }
                return (subscription, webhook)
            }
            let (shown, ends) = page.page(of: covered, by: \.subscription.place)
            let webhooks = shown.map { json($0.webhook, $0.subscription, engine, for: principal) }
            return HTTPResponse("webhooks", webhooks, ends, context)
        }
    }

    private static func get(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (webhook, subscription) = try await context.webhook(engine, changing: false)
            return HTTPResponse(json: json(webhook, subscription, engine, for: try context.subscriber()).encoded())
                .with(subscription.tag)
        }
    }

    private static func deliveries(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        let page = try context.page()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (_, subscription) = try await context.webhook(engine, changing: false)
            let found = try await DeliveryEngine.storing { try await engine.attempts(of: subscription.id) }
            let (shown, ends) = page.page(of: found) { ListPlace(number: -$0.id) }
            return HTTPResponse("deliveries", shown.map(\.json), ends, context)
        }
    }

    // MARK: Changes

    private static func create(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal, hub) = (try context.deliveryEngine(), try context.subscriber(), context.services.events)
        let body = try context.body()
        let (urlText, secretText): (String, String?) = (try body.value("url"), try body.optional("secret"))
        let cursor: String? = try body.optional("cursor")
        let requested = try RequestedSettings(body)
        try context.refuseUnknown()
        var webhook = Webhook(
            url: try DeliveryEngine.target(urlText, "url", engine.http.policy),
            urlText: urlText,
            secret: try secret(secretText) ?? .random(),
            rights: SubscriptionRights(principal)
        )
        try requested.apply(to: &webhook)
        let made = webhook
        return try context.once(.database) { request async throws(ProblemDetails) in
            let position = try EventsResource.position(cursor ?? "now", hub)
            let subscription = EventSubscription(
                id: idPrefix + Base64URL.encode(RandomBytes.make(count: 12), padding: false),
                kind: EventReceivers.webhook,
                keyId: principal.keyID,
                settings: made.settings,
                position: position,
                created: WallClock.milliseconds()
            )
            func response() -> HTTPResponse {
                let counts = request == nil
                var response = secretAnswer(made, subscription, engine, for: principal, status: 201, counts: counts)
                response.headers.append(("Location", "\(listPath)/\(subscription.id)"))
                return response
            }
            let kept = try request?.row(with: response())
            try await DeliveryEngine.storing { try await engine.add(subscription, of: principal, "webhooks", kept) }
            return response()
        }
    }

    private static func update(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.deliveryEngine(), try context.subscriber())
        let body = try context.body()
        let (urlText, stateText): (String?, String?) = (try body.optional("url"), try body.optional("state"))
        let requested = try RequestedSettings(body)
        try context.refuseUnknown()
        let url = try urlText.map { text throws(ProblemDetails) in
            try DeliveryEngine.target(text, "url", engine.http.policy)
        }
        let state = try stateText.map { text throws(ProblemDetails) in
            guard let state = EventSubscription.State(rawValue: text), [.active, .paused].contains(state) else {
                throw ProblemDetails(member: "state", "must be active or paused.")
            }
            return state
        }
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (_, found) = try await context.webhook(engine)
            let changed = try await DeliveryEngine.storing {
                try await engine.change(found.id, kind: EventReceivers.webhook, state == .active ? .hurrying : .here) {
                    old in
                    guard var webhook = Webhook(old) else { return nil }
                    try context.request.check(old.tag)
                    var new = old
                    if let url, let urlText { (webhook.url, webhook.urlText) = (url, urlText) }
                    try requested.apply(to: &webhook)
                    new.settings = webhook.settings
                    if let state { new.state = state }
                    // If the webhook's key has ended, the key that activates the webhook again becomes its owner. The
                    // rights of the webhook stay the same.
                    if state == .active, !engine.isOwned(old) { new.keyId = principal.keyID }
                    return new
                }
            }
            guard let changed, let webhook = Webhook(changed) else {
                throw ProblemDetails(.notFound, "There is no such webhook.")
            }
            return HTTPResponse(json: json(webhook, changed, engine, for: try context.subscriber()).encoded())
                .with(changed.tag)
        }
    }

    private static func delete(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (_, subscription) = try await context.webhook(engine)
            try await DeliveryEngine.storing { try await engine.delete(subscription.id) }
            return HTTPResponse(status: 204)
        }
    }

    /// Replaces the secret of a webhook. For `graceSeconds`, requests are also signed with the former secret.
    private static func rotate(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        let body = try context.body()
        let (grace, text): (Int64, String?) = (try body.optional("graceSeconds") ?? 86_400, try body.optional("secret"))
        try context.refuseUnknown()
        guard (0...604_800).contains(grace) else {
            throw ProblemDetails(member: "graceSeconds", "must be from 0 to 604800.")
        }
        let (secret, principal) = (try secret(text) ?? .random(), try context.subscriber())
        return try context.once(.database) { request async throws(ProblemDetails) in
            let (_, found) = try await context.webhook(engine)
            @Sendable func response(_ subscription: EventSubscription) throws(ProblemDetails) -> HTTPResponse {
                guard let webhook = Webhook(subscription) else { throw ProblemDetails(.internalError) }
                return secretAnswer(webhook, subscription, engine, for: principal, status: 200, counts: request == nil)
            }
            let changed = try await DeliveryEngine.storing {
                try await engine.change(
                    found.id,
                    kind: EventReceivers.webhook,
                    keeping: { try request?.row(with: try response($0)) }
                ) { old in
                    guard var webhook = Webhook(old) else { return nil }
                    var new = old
                    webhook.previous = grace > 0 ? (webhook.secret, WallClock.seconds() + grace) : nil
                    webhook.secret = secret
                    new.settings = webhook.settings
                    return new
                }
            }
            guard let changed else { throw ProblemDetails(.notFound, "There is no such webhook.") }
            return try response(changed)
        }
    }

    // MARK: Sending

    private static func test(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (webhook, subscription) = try await context.webhook(engine)
            let now = WallClock.milliseconds()
            let id = "test-" + Base64URL.encode(RandomBytes.make(count: 12), padding: false)
            let time = Timestamp(milliseconds: now).fullText
            let body: JSONValue = ["id": .string(id), "createdAt": .string(time), "event": ["type": "test"]]
            let request = webhook.request(id: id, body: body.encoded(), now: now)
            guard
                let attempt = try await DeliveryEngine.storing({
                    try await engine.sendOnce(request, subscription.id, eventId: id, type: "test")
                })
            else {
                throw ProblemDetails(.notFound, "There is no such webhook.")
            }
            return HTTPResponse(json: attempt.json.encoded())
        }
    }

    /// Maximal number of entries in one request for a replay.
    private static let replayLimit = 100

    private static func replay(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, hub) = (try context.deliveryEngine(), context.services.events)
        let principal = try context.subscriber()
        let body = try context.body()
        let (cursor, ids): (String?, [String]?) = (try body.optional("cursor"), try body.optional("ids"))
        try context.refuseUnknown()
        return try context.once(.database) { request async throws(ProblemDetails) in
            let beginning = try beginning(cursor, ids, hub)
            let (_, found) = try await context.webhook(engine)
            @Sendable func response(_ subscription: EventSubscription) throws(ProblemDetails) -> HTTPResponse {
                guard let webhook = Webhook(subscription) else { throw ProblemDetails(.internalError) }
                let body = json(webhook, subscription, engine, for: principal, counts: request == nil)
                return HTTPResponse(status: 202, json: body.encoded())
            }
            let changed = try await DeliveryEngine.storing {
                try await engine.change(
                    found.id,
                    kind: EventReceivers.webhook,
                    beginning,
                    keeping: { try request?.row(with: try response($0)) }
                ) { $0 }
            }
            guard let changed else { throw ProblemDetails(.notFound, "There is no such webhook.") }
            return try response(changed)
        }
    }

    /// Returns the place from which a replay begins.
    private static func beginning(
        _ cursor: String?,
        _ ids: [String]?,
        _ hub: EventHub
    ) throws(ProblemDetails) -> DeliveryEngine.Beginning {
        switch (cursor, ids) {
        case (let cursor?, nil): return .after(try EventsResource.position(cursor, hub))
        case (nil, let ids?):
            guard (1...replayLimit).contains(ids.count) else {
                throw ProblemDetails(member: "ids", "must have 1 to \(replayLimit) ids of events.")
            }
            var seqs: Set<UInt64> = []
            for id in ids {
                let seq = try EventsResource.position(id, hub)
                guard id != "now", seq >= max(1, hub.source.oldest) else { throw hub.expiredProblem(hub.source.oldest) }
                seqs.insert(seq)
            }
            return .replaying(seqs)
        default: throw ProblemDetails(.invalidValue, "Either cursor or ids must be given.")
        }
    }

    // MARK: Bodies

    /// The filter in a body. An empty list selects all events.
    private struct RequestedSettings: Sendable {
        let name: String?
        let types: [String]?
        let users: [Int64]?
        let chats: [String]?

        init(_ body: RequestBody) throws(ProblemDetails) {
            name = try body.optional("name")
            types = try body.optional("types")
            users = try body.optional("users")
            chats = try body.optional("chats")
        }

        func apply(to webhook: inout Webhook) throws(ProblemDetails) {
            if let name { webhook.name = try EventFilterChecks.name(name) }
            if let types { webhook.events.types = try EventFilterChecks.types(types) }
            if let users { webhook.events.users = try EventFilterChecks.users(users, webhook.rights) }
            if let chats { webhook.events.chats = try EventFilterChecks.chats(chats, webhook.rights) }
        }
    }

    private static func secret(_ text: String?) throws(ProblemDetails) -> Webhook.Secret? {
        guard let text else { return nil }
        guard let secret = Webhook.Secret(text) else {
            throw ProblemDetails(member: "secret", "must be whsec_ and 24 to 64 bytes in base64.")
        }
        return secret
    }

    // MARK: Answers

    /// Makes the answer with the secret. No other answer contains the secret.
    private static func secretAnswer(
        _ webhook: Webhook,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine,
        for principal: Principal,
        status: Int,
        counts: Bool = true
    ) -> HTTPResponse {
        let body = JSONObject([
            ("secret", .string(webhook.secret.text)),
            ("webhook", json(webhook, subscription, engine, for: principal, counts: counts)),
        ])
        var response = HTTPResponse(status: status, json: JSONValue.object(body).encoded())
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    /// Describes a webhook.
    /// - Parameter counts: whether the number of waiting events is shown. A kept answer is made before its change, when
    ///   the number is unknown.
    private static func json(
        _ webhook: Webhook,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine,
        for principal: Principal,
        counts: Bool = true
    ) -> JSONValue {
        var object = JSONObject([("webhookId", .string(subscription.id))])
        for (name, value) in webhook.description { object[name] = value }
        // A key without rights for this webhook does not see the path of the URL, which may be a secret of the owner.
        if !engine.permits(principal, subscription) { object["url"] = .string(webhook.url.origin + "/…") }
        object["state"] = .string(engine.shownState(subscription))
        object["keyId"] = .string(subscription.keyId)
        if let userId = webhook.rights.userId { object["userId"] = .integer(userId) }
        object["createdAt"] = DeliveryEngine.moment(subscription.created)
        object["cursor"] = .string(EventForm.cursor(engine.source.epoch, subscription.position))
        if counts, let waiting = engine.waiting(subscription.id) { object["waiting"] = .integer(Int64(waiting)) }
        if let since = subscription.failingSince { object["firstFailedAt"] = DeliveryEngine.moment(since) }
        if let last = subscription.succeeded { object["lastDeliveredAt"] = DeliveryEngine.moment(last) }
        if let previous = webhook.previous, previous.until > WallClock.seconds() {
            object["previousSecretExpiresAt"] = DeliveryEngine.moment(previous.until * 1_000)
        }
        return .object(object)
    }
}

extension Webhook {
    init?(_ subscription: EventSubscription) {
        guard subscription.kind == EventReceivers.webhook,
            let json = try? JSONValue(parsing: Array(subscription.settings.utf8))
        else { return nil }
        self.init(json: json)
    }
}

extension RouteContext {
    /// Returns the webhook in the path, if the key covers the rights of the webhook.
    fileprivate func webhook(
        _ engine: DeliveryEngine,
        changing: Bool = true
    ) async throws(ProblemDetails) -> (Webhook, EventSubscription) {
        let (id, principal) = (parameters["webhookId"] ?? "", try subscriber())
        let found = try await DeliveryEngine.storing { try await engine.find(id, kind: EventReceivers.webhook) }
        guard let found, let webhook = Webhook(found), principal.covers(webhook.rights) else {
            throw ProblemDetails(.notFound, "There is no such webhook.")
        }
        if changing { try engine.check(principal, found) }
        return (webhook, found)
    }
}
