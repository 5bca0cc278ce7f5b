internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Clocks
internal import JSON
internal import OutgoingHTTP
internal import SimpleXCrypto

/// Routes for webhooks: URLs to which the gateway posts events.
enum WebhooksResource {
    private static let listPath = "/v1/webhooks"
    private static let itemPath = listPath + "/{webhookId}"
    private static let idPrefix = "wh_"

    static let routes: [Route] = [
        makeRoute(.get, listPath, "listWebhooks", listWebhooks),
        makeRoute(.post, listPath, "createWebhook", createWebhook),
        makeRoute(.get, itemPath, "getWebhook", getWebhook),
        makeRoute(.patch, itemPath, "updateWebhook", changeWebhook),
        makeRoute(.delete, itemPath, "deleteWebhook") { context throws(ProblemDetails) in
            try context.deleteSubscription(Webhook.self)
        },
        makeRoute(.post, itemPath + "/rotate", "rotateWebhook", rotateSecret),
        makeRoute(.post, itemPath + "/test", "testWebhook", sendTestRequest).markedEffectFree(),
        makeRoute(.post, itemPath + "/replay", "replayWebhook", replayEntries),
        makeRoute(.get, itemPath + "/deliveries", "listWebhookDeliveries", listDeliveries),
    ]

    /// Makes a route. To read webhooks, a key needs the scope `events`. All other routes can make the gateway send
    /// something, and also need the scope `write`.
    private static func makeRoute(
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
            policy: .receivers.replacing(\.answers, .secret),
            problems: method == .patch ? [.preconditionFailed] : [],
            handler: handler
        )
    }

    // MARK: Reading

    private static func listWebhooks(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.requireDeliveryEngine(), try context.requirePrincipal())
        let page = try context.parsePage()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let covered = try await context.listSubscriptions(Webhook.self, engine)
            let (shown, ends) = page.selectPage(of: covered, by: \.subscription.listPlace)
            let webhooks = shown.map { makeJSON($0.settings, $0.subscription, engine, for: principal) }
            return HTTPResponse("webhooks", webhooks, ends, context)
        }
    }

    private static func getWebhook(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let (webhook, subscription) = try await context.requireSubscription(Webhook.self, engine, changing: false)
            return HTTPResponse(
                json: makeJSON(webhook, subscription, engine, for: try context.requirePrincipal()).encodeText()
            )
            .addingTag(subscription.entityTag)
        }
    }

    private static func listDeliveries(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        let page = try context.parsePage()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let (_, subscription) = try await context.requireSubscription(Webhook.self, engine, changing: false)
            let found = try await DeliveryEngine.convertStorageErrors {
                try await engine.listAttempts(of: subscription.id)
            }
            let (shown, ends) = page.selectPage(of: found) { ListPlace(number: -$0.id) }
            return HTTPResponse("deliveries", shown.map(\.json), ends, context)
        }
    }

    // MARK: Changes

    private static func createWebhook(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal, hub) = (
            try context.requireDeliveryEngine(), try context.requirePrincipal(), context.services.eventHub
        )
        let body = try context.parseBody()
        let (urlText, secretText): (String, String?) = (try body.decodeValue("url"), try body.decodeIfPresent("secret"))
        let cursor: String? = try body.decodeIfPresent("cursor")
        let requested = try RequestedSettings(body)
        try context.refuseUnknownNames()
        var webhook = Webhook(
            url: try DeliveryEngine.checkTarget(urlText, "url", engine.http.addressPolicy),
            urlText: urlText,
            secret: try parseSecret(secretText) ?? .random(),
            rights: SubscriptionRights(principal)
        )
        try requested.apply(to: &webhook)
        let made = webhook
        return try context.runOnce(.database) { request async throws(ProblemDetails) in
            let position = try hub.parsePosition(cursor ?? "now")
            let subscription = EventSubscription(
                id: idPrefix + Base64URL.encode(RandomBytes.make(count: 12), padding: false),
                kind: Webhook.kind,
                keyId: principal.keyID,
                settings: made.storedSettings,
                position: position,
                created: WallClock.milliseconds()
            )
            func response() -> HTTPResponse {
                let counts = request == nil
                var response = makeSecretAnswer(made, subscription, engine, for: principal, status: 201, counts: counts)
                response.headers.append(("Location", "\(listPath)/\(subscription.id)"))
                return response
            }
            let kept = try request?.makeRow(with: response())
            try await DeliveryEngine.convertStorageErrors {
                try await engine.addSubscription(subscription, of: principal, "webhooks", kept)
            }
            return response()
        }
    }

    private static func changeWebhook(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.requireDeliveryEngine(), try context.requirePrincipal())
        let body = try context.parseBody()
        let (urlText, stateText): (String?, String?) = (
            try body.decodeIfPresent("url"), try body.decodeIfPresent("state")
        )
        let requested = try RequestedSettings(body)
        try context.refuseUnknownNames()
        let url = try urlText.map { text throws(ProblemDetails) in
            try DeliveryEngine.checkTarget(text, "url", engine.http.addressPolicy)
        }
        let state = try stateText.map { text throws(ProblemDetails) in
            guard let state = EventSubscription.State(rawValue: text), [.active, .paused].contains(state) else {
                throw ProblemDetails(member: "state", "must be active or paused.")
            }
            return state
        }
        return context.replyLater { () async throws(ProblemDetails) in
            let (_, found) = try await context.requireSubscription(Webhook.self, engine)
            let changed = try await DeliveryEngine.convertStorageErrors {
                try await engine.changeSubscription(
                    found.id,
                    kind: Webhook.kind,
                    state == .active ? .retryNow : .currentPosition
                ) {
                    old in
                    guard var webhook = Webhook(old) else { return nil }
                    try context.request.checkMatch(old.entityTag)
                    var new = old
                    if let url, let urlText { (webhook.url, webhook.urlText) = (url, urlText) }
                    try requested.apply(to: &webhook)
                    new.settings = webhook.storedSettings
                    if let state { new.state = state }
                    // If the webhook's key has ended, the key that activates the webhook again becomes its owner. The
                    // rights of the webhook stay the same.
                    if state == .active, !engine.hasOwnerKey(old) { new.keyId = principal.keyID }
                    return new
                }
            }
            guard let changed, let webhook = Webhook(changed) else {
                throw Webhook.missingProblem
            }
            return HTTPResponse(
                json: makeJSON(webhook, changed, engine, for: try context.requirePrincipal()).encodeText()
            )
            .addingTag(changed.entityTag)
        }
    }

    /// Replaces the secret of a webhook. For `graceSeconds`, requests are also signed with the former secret.
    private static func rotateSecret(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        let body = try context.parseBody()
        let (grace, text): (Int64, String?) = (
            try body.decodeIfPresent("graceSeconds") ?? 86_400, try body.decodeIfPresent("secret")
        )
        try context.refuseUnknownNames()
        guard (0...604_800).contains(grace) else {
            throw ProblemDetails(member: "graceSeconds", "must be from 0 to 604800.")
        }
        let (secret, principal) = (try parseSecret(text) ?? .random(), try context.requirePrincipal())
        return try context.runOnce(.database) { request async throws(ProblemDetails) in
            let (_, found) = try await context.requireSubscription(Webhook.self, engine)
            @Sendable func response(_ subscription: EventSubscription) throws(ProblemDetails) -> HTTPResponse {
                guard let webhook = Webhook(subscription) else { throw ProblemDetails(.internalError) }
                return makeSecretAnswer(
                    webhook,
                    subscription,
                    engine,
                    for: principal,
                    status: 200,
                    counts: request == nil
                )
            }
            let changed = try await DeliveryEngine.convertStorageErrors {
                try await engine.changeSubscription(
                    found.id,
                    kind: Webhook.kind,
                    keeping: { try request?.makeRow(with: try response($0)) }
                ) { old in
                    guard var webhook = Webhook(old) else { return nil }
                    var new = old
                    webhook.previousSigningSecret =
                        grace > 0 ? (webhook.signingSecret, WallClock.seconds() + grace) : nil
                    webhook.signingSecret = secret
                    new.settings = webhook.storedSettings
                    return new
                }
            }
            guard let changed else { throw Webhook.missingProblem }
            return try response(changed)
        }
    }

    // MARK: Sending

    private static func sendTestRequest(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let (webhook, subscription) = try await context.requireSubscription(Webhook.self, engine)
            let now = WallClock.milliseconds()
            let id = "test-" + Base64URL.encode(RandomBytes.make(count: 12), padding: false)
            let time = Timestamp(milliseconds: now).fullText
            let body: JSONValue = ["id": .string(id), "createdAt": .string(time), "event": ["type": "test"]]
            let request = webhook.makeRequest(id: id, body: body.encodeText(), now: now)
            return try await engine.sendTest(request, to: subscription, of: Webhook.self, eventId: id)
        }
    }

    /// Maximal number of entries in one request for a replay.
    private static let maxReplayedEntries = 100

    private static func replayEntries(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, hub) = (try context.requireDeliveryEngine(), context.services.eventHub)
        let principal = try context.requirePrincipal()
        let body = try context.parseBody()
        let (cursor, ids): (String?, [String]?) = (try body.decodeIfPresent("cursor"), try body.decodeIfPresent("ids"))
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { request async throws(ProblemDetails) in
            let beginning = try parseResumePosition(cursor, ids, hub)
            let (_, found) = try await context.requireSubscription(Webhook.self, engine)
            @Sendable func response(_ subscription: EventSubscription) throws(ProblemDetails) -> HTTPResponse {
                guard let webhook = Webhook(subscription) else { throw ProblemDetails(.internalError) }
                let body = makeJSON(webhook, subscription, engine, for: principal, counts: request == nil)
                return HTTPResponse(status: 202, json: body.encodeText())
            }
            let changed = try await DeliveryEngine.convertStorageErrors {
                try await engine.changeSubscription(
                    found.id,
                    kind: Webhook.kind,
                    beginning,
                    keeping: { try request?.makeRow(with: try response($0)) }
                ) { $0 }
            }
            guard let changed else { throw Webhook.missingProblem }
            return try response(changed)
        }
    }

    /// Parses the members `cursor` and `ids` of a request for a replay. With a cursor, all events after the cursor are
    /// sent again. With ids, the events with these ids are sent again.
    /// - Returns: the position from which the deliveries of the webhook continue.
    /// - Throws: a problem if neither or both of the members are given, or if a value is invalid or has expired.
    private static func parseResumePosition(
        _ cursor: String?,
        _ ids: [String]?,
        _ hub: EventHub
    ) throws(ProblemDetails) -> DeliveryEngine.ResumePosition {
        switch (cursor, ids) {
        case (let cursor?, nil): return .afterEntry(try hub.parsePosition(cursor))
        case (nil, let ids?):
            guard (1...maxReplayedEntries).contains(ids.count) else {
                throw ProblemDetails(member: "ids", "must have 1 to \(maxReplayedEntries) ids of events.")
            }
            var seqs: Set<UInt64> = []
            for id in ids {
                let seq = try hub.parsePosition(id)
                guard id != "now", seq >= max(1, hub.source.oldestSeq) else {
                    throw hub.expiredProblem(hub.source.oldestSeq)
                }
                seqs.insert(seq)
            }
            return .replayEntries(seqs)
        default: throw ProblemDetails(.invalidValue, "Either cursor or ids must be given.")
        }
    }

    // MARK: Bodies

    /// The name and the filter of a webhook in the body of a request.
    private struct RequestedSettings: Sendable {
        let name: String?
        let filter: RequestedFilter

        init(_ body: RequestBody) throws(ProblemDetails) {
            name = try body.decodeIfPresent("name")
            filter = RequestedFilter(
                types: try body.decodeIfPresent("types"),
                users: try body.decodeIfPresent("users"),
                chats: try body.decodeIfPresent("chats")
            )
        }

        func apply(to webhook: inout Webhook) throws(ProblemDetails) {
            if let name { webhook.name = try EventFilterChecks.checkName(name) }
            try filter.apply(to: &webhook.requestedEvents, webhook.rights)
        }
    }

    private static func parseSecret(_ text: String?) throws(ProblemDetails) -> Webhook.SigningSecret? {
        guard let text else { return nil }
        guard let secret = Webhook.SigningSecret(text) else {
            throw ProblemDetails(member: "secret", "must be whsec_ and 24 to 64 bytes in base64.")
        }
        return secret
    }

    // MARK: Answers

    /// Makes the answer with the secret of a webhook. No other answer contains the secret.
    private static func makeSecretAnswer(
        _ webhook: Webhook,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine,
        for principal: Principal,
        status: Int,
        counts: Bool = true
    ) -> HTTPResponse {
        let body = JSONObject([
            ("secret", .string(webhook.signingSecret.text)),
            ("webhook", makeJSON(webhook, subscription, engine, for: principal, counts: counts)),
        ])
        var response = HTTPResponse(status: status, json: JSONValue.object(body).encodeText())
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    /// Describes a webhook.
    /// - Parameter counts: whether the number of waiting events is shown. An answer that is stored for repetitions is
    ///   made before the change of the webhook, when the number is unknown.
    private static func makeJSON(
        _ webhook: Webhook,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine,
        for principal: Principal,
        counts: Bool = true
    ) -> JSONValue {
        var object = JSONObject([("webhookId", .string(subscription.id))])
        for (name, value) in webhook.description { object[name] = value }
        // A key without rights for this webhook does not see the path of the URL, which may be a secret of the owner.
        if !engine.canChange(principal, subscription) { object["url"] = .string(webhook.url.origin + "/…") }
        object["state"] = .string(engine.chooseShownState(subscription))
        object["keyId"] = .string(subscription.keyId)
        if let userId = webhook.rights.userId { object["userId"] = .integer(userId) }
        object["createdAt"] = DeliveryEngine.makeTimeJSON(subscription.createdMilliseconds)
        object["cursor"] = .string(EventForm.makeCursor(engine.source.epoch, subscription.position))
        if counts, let waiting = engine.waitingCount(subscription.id) { object["waiting"] = .integer(Int64(waiting)) }
        if let since = subscription.failingSinceMilliseconds {
            object["firstFailedAt"] = DeliveryEngine.makeTimeJSON(since)
        }
        if let last = subscription.lastSuccessMilliseconds {
            object["lastDeliveredAt"] = DeliveryEngine.makeTimeJSON(last)
        }
        if let previous = webhook.previousSigningSecret, previous.until > WallClock.seconds() {
            object["previousSecretExpiresAt"] = DeliveryEngine.makeTimeJSON(previous.until * 1_000)
        }
        return .object(object)
    }
}
