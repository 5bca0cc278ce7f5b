internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Clocks
internal import JSON
internal import OutgoingHTTP
internal import SimpleXCrypto

/// Routes for clients that get notifications through the push services of their browsers.
enum PushSubscriptionsResource {
    private static let listPath = "/v1/push-subscriptions"
    private static let itemPath = listPath + "/{subscriptionId}"
    private static let idPrefix = "ps_"

    static let routes: [Route] = [
        makeRoute(.get, listPath, "listPushSubscriptions", listSubscriptions),
        makeRoute(.post, listPath, "createPushSubscription", createSubscription),
        makeRoute(.get, listPath + "/key", "getPushKey", getSenderKey),
        makeRoute(.get, itemPath, "getPushSubscription", getSubscription),
        makeRoute(.patch, itemPath, "updatePushSubscription", changeSubscription),
        makeRoute(.delete, itemPath, "deletePushSubscription") { context throws(ProblemDetails) in
            try context.deleteSubscription(PushSubscription.self)
        },
        makeRoute(.post, itemPath + "/test", "testPushSubscription", sendTestNotification).markedEffectFree(),
    ]

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
            category: "WebPush",
            access: .key(method == .get ? .events : [.events, .write]),
            policy: .receivers,
            problems: method == .patch ? [.preconditionFailed] : [],
            handler: handler
        )
    }

    private static func getSenderKey(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let sender = try await DeliveryEngine.convertStorageErrors { try await engine.requirePushSender() }
            return HTTPResponse(
                json: JSONValue.object(JSONObject([("publicKey", .string(sender.publicKey))])).encodeText()
            )
        }
    }

    private static func listSubscriptions(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        let page = try context.parsePage()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let covered = try await context.listSubscriptions(PushSubscription.self, engine)
            let (shown, ends) = page.selectPage(of: covered, by: \.subscription.listPlace)
            return HTTPResponse(
                "subscriptions",
                shown.map { makeJSON($0.settings, $0.subscription, engine) },
                ends,
                context
            )
        }
    }

    private static func getSubscription(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let (push, subscription) = try await context.requireSubscription(
                PushSubscription.self,
                engine,
                changing: false
            )
            return HTTPResponse(json: makeJSON(push, subscription, engine).encodeText()).addingTag(
                subscription.entityTag
            )
        }
    }

    private static func createSubscription(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal, hub) = (
            try context.requireDeliveryEngine(), try context.requirePrincipal(), context.services.eventHub
        )
        let body = try context.parseBody()
        let endpoint: String = try body.decodeValue("endpoint")
        let keys: BrowserKeys = try body.decodeValue("keys")
        let expiration: Double? = try body.decodeIfPresent("expirationTime")
        let requested = try RequestedSettings(body)
        try context.refuseUnknownNames()
        let url = try DeliveryEngine.checkTarget(endpoint, "endpoint", engine.http.addressPolicy)
        guard let publicKey = try? Base64URL.decode(keys.p256dh), P256.isPublicKey(publicKey) else {
            throw ProblemDetails(member: "keys.p256dh", "must be a point of P-256 in base64url.")
        }
        guard let secret = try? Base64URL.decode(keys.auth), secret.count == 16 else {
            throw ProblemDetails(member: "keys.auth", "must be 16 bytes in base64url.")
        }
        let expires = try expiration.map { value throws(ProblemDetails) in
            guard let moment = Int64(exactly: value.rounded()), moment > WallClock.milliseconds(), moment < 1 << 50
            else {
                throw ProblemDetails(
                    member: "expirationTime",
                    "must be a time in the future, in milliseconds since 1970."
                )
            }
            return moment
        }
        var push = PushSubscription(
            endpoint: url,
            endpointText: endpoint,
            publicKey: publicKey,
            secret: secret,
            expires: expires,
            rights: SubscriptionRights(principal)
        )
        try requested.apply(to: &push)
        let made = push
        let position = hub.latestSeq
        return try context.runOnce(.database) { request async throws(ProblemDetails) in
            try await DeliveryEngine.convertStorageErrors {
                _ = try await engine.requirePushSender()
                return try await engine.subscriptionLock.runLocked {
                    try await addOrChangeSubscription(made, principal, engine, at: position, request)
                }
            }
        }
    }

    /// Makes a subscription, or changes the subscription with the same endpoint. So a browser that subscribes again
    /// keeps its subscription and all waiting events.
    private static func addOrChangeSubscription(
        _ push: PushSubscription,
        _ principal: Principal,
        _ engine: DeliveryEngine,
        at position: UInt64,
        _ request: SealedAnswerRequest?
    ) async throws -> HTTPResponse {
        for known in try await engine.listSubscriptions(kind: PushSubscription.kind) {
            guard let old = PushSubscription(known), old.endpointText == push.endpointText else { continue }
            guard principal.canAccess(old.rights) else {
                throw ProblemDetails(.conflict, "The endpoint is subscribed by another key.")
            }
            let changed = try await engine.changeSubscription(
                known.id,
                kind: PushSubscription.kind,
                known.state == .failed ? .retryNow : .currentPosition,
                keeping: { try request?.makeRow(with: HTTPResponse(json: makeJSON(push, $0, engine).encodeText())) }
            ) { old in
                var new = old
                new.settings = push.storedSettings
                new.keyId = principal.keyID
                new.state = .active
                return new
            }
            if let changed { return HTTPResponse(json: makeJSON(push, changed, engine).encodeText()) }
        }
        let subscription = EventSubscription(
            id: idPrefix + Base64URL.encode(RandomBytes.make(count: 12), padding: false),
            kind: PushSubscription.kind,
            keyId: principal.keyID,
            settings: push.storedSettings,
            position: position,
            created: WallClock.milliseconds()
        )
        var response = HTTPResponse(status: 201, json: makeJSON(push, subscription, engine).encodeText())
        response.headers.append(("Location", "\(listPath)/\(subscription.id)"))
        try await engine.addSubscription(
            subscription,
            of: principal,
            "push subscriptions",
            request?.makeRow(with: response)
        )
        return response
    }

    private static func changeSubscription(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.requireDeliveryEngine(), try context.requirePrincipal())
        let requested = try RequestedSettings(context.parseBody())
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let (_, found) = try await context.requireSubscription(PushSubscription.self, engine)
            let changed = try await DeliveryEngine.convertStorageErrors {
                try await engine.changeSubscription(
                    found.id,
                    kind: PushSubscription.kind,
                    found.state == .failed ? .retryNow : .currentPosition
                ) { old in
                    guard var push = PushSubscription(old) else { return nil }
                    try context.request.checkMatch(old.entityTag)
                    try requested.apply(to: &push)
                    var new = old
                    new.settings = push.storedSettings
                    if new.state == .failed { new.state = .active }
                    if !engine.hasOwnerKey(old) { new.keyId = principal.keyID }
                    return new
                }
            }
            guard let changed, let push = PushSubscription(changed) else {
                throw PushSubscription.missingProblem
            }
            return HTTPResponse(json: makeJSON(push, changed, engine).encodeText()).addingTag(changed.entityTag)
        }
    }

    private static func sendTestNotification(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            var (push, found) = try await context.requireSubscription(PushSubscription.self, engine)
            push.pushSender = try await DeliveryEngine.convertStorageErrors { try await engine.requirePushSender() }
            let now = WallClock.milliseconds()
            let id = "test-" + Base64URL.encode(RandomBytes.make(count: 12), padding: false)
            let message = JSONObject([
                ("id", .string(id)), ("createdAt", .string(Timestamp(milliseconds: now).fullText)), ("type", "test"),
            ])
            guard let request = push.makeRequest(message, left: 60, urgency: .high, topic: nil, now: now) else {
                throw ProblemDetails(.internalError)
            }
            return try await engine.sendTest(request, to: found, of: PushSubscription.self, eventId: id)
        }
    }

    // MARK: Bodies and answers

    private struct BrowserKeys: Decodable, Sendable {
        let p256dh: String
        let auth: String
    }

    private struct RequestedSettings: Sendable {
        let name: String?
        let filter: RequestedFilter
        let mentionsOnly: Bool?
        let content: Bool?

        init(_ body: RequestBody) throws(ProblemDetails) {
            name = try body.decodeIfPresent("name")
            filter = RequestedFilter(
                types: nil,
                users: try body.decodeIfPresent("users"),
                chats: try body.decodeIfPresent("chats")
            )
            mentionsOnly = try body.decodeIfPresent("mentionsOnly")
            content = try body.decodeIfPresent("content")
        }

        func apply(to push: inout PushSubscription) throws(ProblemDetails) {
            if let name { push.name = try EventFilterChecks.checkName(name) }
            try filter.apply(to: &push.requestedEvents, push.rights)
            if let mentionsOnly { push.isOnlyForMentions = mentionsOnly }
            if let content { push.includesContent = content }
        }
    }

    private static func makeJSON(
        _ push: PushSubscription,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine
    ) -> JSONValue {
        var object = JSONObject([("subscriptionId", .string(subscription.id))])
        for (name, value) in push.description { object[name] = value }
        object["state"] = .string(engine.chooseShownState(subscription))
        object["keyId"] = .string(subscription.keyId)
        if let userId = push.rights.userId { object["userId"] = .integer(userId) }
        object["createdAt"] = DeliveryEngine.makeTimeJSON(subscription.createdMilliseconds)
        if let expires = push.expiresAtMilliseconds { object["expiresAt"] = DeliveryEngine.makeTimeJSON(expires) }
        if let since = subscription.failingSinceMilliseconds {
            object["firstFailedAt"] = DeliveryEngine.makeTimeJSON(since)
        }
        if let last = subscription.lastSuccessMilliseconds {
            object["lastDeliveredAt"] = DeliveryEngine.makeTimeJSON(last)
        }
        return .object(object)
    }
}
