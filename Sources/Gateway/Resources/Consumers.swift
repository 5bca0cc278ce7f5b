internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Clocks
internal import JSON
internal import SimpleXCrypto

/// Routes for consumers: workers take events and acknowledge them, and the gateway keeps the place in the journal.
enum ConsumersResource {
    private static let listPath = "/v1/consumers"
    private static let itemPath = listPath + "/{name}"
    private static let setAsidePath = itemPath + "/set-aside"

    static let routes: [Route] = [
        makeRoute(.get, listPath, "listConsumers", listConsumers),
        makeRoute(.put, itemPath, "setConsumer", createOrChangeConsumer),
        makeRoute(.get, itemPath, "getConsumer", getConsumer),
        makeRoute(.delete, itemPath, "deleteConsumer") { context throws(ProblemDetails) in
            try context.deleteSubscription(Consumer.self)
        },
        makeRoute(.post, itemPath + "/take", "takeEvents", follows: true, takeEvents),
        makeRoute(.post, itemPath + "/ack", "acknowledgeEvents", acknowledgeEvents),
        makeRoute(.post, itemPath + "/nack", "refuseEvents", refuseEvents),
        makeRoute(.get, setAsidePath, "listSetAsideEvents", listSetAside),
        makeRoute(.delete, setAsidePath, "deleteSetAsideEvents", deleteAllSetAside),
        makeRoute(.post, setAsidePath + "/retry", "retrySetAsideEvents", retrySetAside),
        makeRoute(.delete, setAsidePath + "/{eventId}", "deleteSetAsideEvent", deleteSetAside),
    ]

    /// Makes a route. A consumer has the rights of a reader of events, so each route needs only the scope `events`.
    private static func makeRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ id: String,
        follows: Bool = false,
        _ handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        var problems: Set<ProblemDetails.Code> = []
        if method == .put { problems = [.preconditionFailed, .cursorExpired] }
        if ["acknowledgeEvents", "refuseEvents"].contains(id) { problems = [.notHandedOut] }
        return Route(
            method,
            template,
            id,
            category: "Consumers",
            access: .key(.events),
            policy: .receivers,
            follows: follows,
            problems: problems,
            handler: handler
        )
    }

    // MARK: Reading

    private static func listConsumers(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        let page = try context.parsePage()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let covered = try await context.listSubscriptions(Consumer.self, engine)
            let (part, ends) = page.selectPage(of: covered) { ListPlace(text: $0.settings.name) }
            var shown: [JSONValue] = []
            for (consumer, subscription) in part { shown.append(try await describe(consumer, subscription, engine)) }
            return HTTPResponse("consumers", shown, ends, context)
        }
    }

    private static func getConsumer(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let (consumer, subscription) = try await context.requireSubscription(Consumer.self, engine, changing: false)
            return try await makeAnswer(consumer, subscription, engine, status: 200)
        }
    }

    // MARK: Changes

    /// The settings of a consumer in the body of a request. Absent members get their standard values, also when a
    /// consumer is changed.
    private struct RequestedSettings: Sendable {
        let filter: RequestedFilter?
        let startCursor: String
        let deadlineSeconds: Int64
        let maxAttempts: Int

        init(_ body: RequestBody) throws(ProblemDetails) {
            filter = try body.decodeIfPresent("filter")
            startCursor = try body.decodeIfPresent("from") ?? "now"
            deadlineSeconds = try body.decodeIfPresent("deadlineSeconds") ?? Consumer.defaultDeadlineSeconds
            maxAttempts = try body.decodeIfPresent("maxAttempts") ?? Consumer.defaultMaxAttempts
            try ConsumersResource.checkRange(deadlineSeconds, in: Consumer.allowedDeadlineSeconds, "deadlineSeconds")
            try ConsumersResource.checkRange(maxAttempts, in: Consumer.allowedAttempts, "maxAttempts")
        }

        func apply(to consumer: inout Consumer) throws(ProblemDetails) {
            consumer.requestedEvents = RequestedEvents()
            try filter?.apply(to: &consumer.requestedEvents, consumer.rights)
            consumer.deadlineSeconds = deadlineSeconds
            consumer.maxAttempts = maxAttempts
        }
    }

    private static func checkRange<T: Comparable & Sendable>(
        _ value: T,
        in range: ClosedRange<T>,
        _ name: String
    ) throws(ProblemDetails) {
        guard range.contains(value) else {
            throw ProblemDetails(
                member: name,
                "must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
        }
    }

    private static func createOrChangeConsumer(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.requireDeliveryEngine(), try context.requirePrincipal())
        let name = context.parameters["name"] ?? ""
        guard Consumer.isName(name) else {
            throw ProblemDetails(parameter: "name", "must have 1 to 64 letters, digits, dots, _ and -.")
        }
        let requested = try RequestedSettings(context.parseBody())
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            if let found = try await context.findSubscription(Consumer.self, engine) {
                return try await changeConsumer(found, requested, engine, principal, context)
            }
            try context.request.checkMatch(nil)
            var consumer = Consumer(name: name, rights: SubscriptionRights(principal), checksumKey: .random(count: 32))
            try requested.apply(to: &consumer)
            let hub = context.services.eventHub
            let subscription = EventSubscription(
                id: Consumer.subscriptionID(name),
                kind: Consumer.kind,
                keyId: principal.keyID,
                settings: consumer.storedSettings,
                position: try hub.parsePosition(
                    requested.startCursor == "oldest" ? nil : requested.startCursor
                ),
                created: WallClock.milliseconds()
            )
            do {
                try await engine.addSubscription(subscription, of: principal, "consumers", nil)
            } catch {
                let problem = error as? ProblemDetails ?? ProblemDetails(error, "The consumer cannot be stored.")
                // If another request has created the consumer at the same time, this request changes that consumer.
                guard problem.code == .conflict, let found = try await context.findSubscription(Consumer.self, engine)
                else {
                    throw problem
                }
                return try await changeConsumer(found, requested, engine, principal, context)
            }
            var response = try await makeAnswer(consumer, subscription, engine, status: 201)
            response.headers.append(("Location", "\(listPath)/\(name)"))
            return response
        }
    }

    private static func changeConsumer(
        _ found: EventSubscription,
        _ requested: RequestedSettings,
        _ engine: DeliveryEngine,
        _ principal: Principal,
        _ context: RouteContext
    ) async throws(ProblemDetails) -> HTTPResponse {
        guard let known = Consumer(found), principal.canAccess(known.rights) else {
            throw ProblemDetails(.conflict, "Another key has a consumer with this name.")
        }
        try context.request.checkMayReplace()
        try engine.checkMayChange(principal, found)
        try context.request.checkMatch(found.entityTag)
        /// Returns a subscription with the requested settings; nil for a subscription that is no consumer.
        @Sendable func makeChangedSubscription(_ old: EventSubscription) throws(ProblemDetails) -> EventSubscription? {
            guard var consumer = Consumer(old) else { return nil }
            try requested.apply(to: &consumer)
            var new = old
            new.settings = consumer.storedSettings
            // If the consumer's key has ended, the key of this request becomes the owner of the consumer. The rights of
            // the consumer stay the same.
            if !engine.hasOwnerKey(old) { new.keyId = principal.keyID }
            return new
        }
        // A program may set its consumer at each start. Without a change, nothing is done, so the other workers are not
        // interrupted.
        if let same = try makeChangedSubscription(found), (same.settings, same.keyId) == (found.settings, found.keyId) {
            return try await makeAnswer(known, found, engine, status: 200)
        }
        let stored = try await DeliveryEngine.convertStorageErrors {
            try await engine.changeSubscription(found.id, kind: Consumer.kind) { old in
                try context.request.checkMatch(old.entityTag)
                return try makeChangedSubscription(old)
            }
        }
        guard let stored, let consumer = Consumer(stored) else { throw Consumer.missingProblem }
        return try await makeAnswer(consumer, stored, engine, status: 200)
    }

    // MARK: Work

    /// The permitted numbers of events in one answer.
    private static let allowedTakeLimits = 1...100
    private static let defaultTakeLimit = 10
    /// The permitted numbers of seconds for which a request waits for events, the same as for a long poll of events.
    private static let allowedWaitSeconds: ClosedRange<Int64> = 0...60
    /// Maximal number of ids of events in a request.
    private static let maxIdsPerRequest = 1_000
    private static let allowedRetryDelaySeconds: ClosedRange<Int64> = 0...86_400

    private static func takeEvents(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        let body = try context.parseBody()
        let (limit, seconds): (Int, Int64) = (
            try body.decodeIfPresent("limit") ?? defaultTakeLimit, try body.decodeIfPresent("timeout") ?? 0
        )
        try checkRange(limit, in: allowedTakeLimits, "limit")
        try checkRange(seconds, in: allowedWaitSeconds, "timeout")
        try context.refuseUnknownNames()
        // If an answer is lost, its events are handed out again after their deadline. So the answer is kept only for a
        // short time.
        let place = AnswerPlace.memoryIfRoom(seconds: Consumer.defaultDeadlineSeconds)
        return try context.runOnce(place, keepingIf: { !isEmpty($0) }) {
            request async throws(ProblemDetails) in
            let queue = try await context.requireQueue(engine)
            let taken = try await DeliveryEngine.convertStorageErrors {
                // A worker that has disconnected gets no events, since they would be handed out again only after their
                // deadline.
                try await queue.handOutEvents(limit: limit, seconds: seconds) {
                    context.hasValidSecret && !context.request.isAbandoned
                }
            }
            var out = Array("{\"events\":[".utf8)
            for (index, event) in taken.enumerated() {
                let deadline = Timestamp(milliseconds: event.deadlineMilliseconds).fullText
                let head = #"{"id":"\#(event.id)","attempt":\#(event.attempt),"deadlineAt":"\#(deadline)","event":"#
                out += Array(((index > 0 ? "," : "") + head).utf8) + event.entryJSON + [UInt8(ascii: "}")]
            }
            var response = HTTPResponse(headers: EventHub.pageHeaders, content: .bytes(out + Array("]}".utf8)))
            // A repeated request with the same idempotency key gets the same events. So unsent events are given back
            // only for requests without an idempotency key.
            if request == nil, !taken.isEmpty { response.onUnsent = { engine.giveBack(taken, to: queue) } }
            return response
        }
    }

    /// Whether an answer has no events.
    private static func isEmpty(_ response: HTTPResponse) -> Bool {
        guard case .bytes(let bytes) = response.content else { return false }
        return bytes.elementsEqual(#"{"events":[]}"#.utf8)
    }

    /// Reads the ids of events in the body of a request.
    private static func parseIds(_ body: RequestBody) throws(ProblemDetails) -> [String]? {
        guard let ids: [String] = try body.decodeIfPresent("ids") else { return nil }
        guard (1...maxIdsPerRequest).contains(ids.count) else {
            throw ProblemDetails(member: "ids", "must have 1 to \(maxIdsPerRequest) ids.")
        }
        return ids
    }

    private static func requireIds(_ body: RequestBody) throws(ProblemDetails) -> [String] {
        guard let ids = try parseIds(body) else { throw ProblemDetails(member: "ids", "is missing.", .missing) }
        return ids
    }

    private static func acknowledgeEvents(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        let ids = try requireIds(context.parseBody())
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { request async throws(ProblemDetails) in
            @Sendable func response(_ new: Int, _ already: Int) -> HTTPResponse {
                makeCountsResponse([("acknowledged", new), ("alreadyAcknowledged", already)])
            }
            let queue = try await context.requireQueue(engine)
            let done = try await DeliveryEngine.convertStorageErrors {
                try await queue.acknowledgeEvents(ids) { try request?.makeRow(with: response($0, $1)) }
            }
            return response(done.new, done.already)
        }
    }

    private static func refuseEvents(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        let body = try context.parseBody()
        let (ids, delay): ([String], Int64) = (try requireIds(body), try body.decodeIfPresent("delaySeconds") ?? 0)
        try checkRange(delay, in: allowedRetryDelaySeconds, "delaySeconds")
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { request async throws(ProblemDetails) in
            @Sendable func response(_ refused: Int, _ setAside: Int) -> HTTPResponse {
                makeCountsResponse([("refused", refused), ("setAside", setAside)])
            }
            let queue = try await context.requireQueue(engine)
            let done = try await DeliveryEngine.convertStorageErrors {
                try await queue.refuseEvents(ids, delay: delay) { try request?.makeRow(with: response($0, $1)) }
            }
            return response(done.refused, done.setAside)
        }
    }

    private static func makeCountsResponse(_ counts: [(String, Int)]) -> HTTPResponse {
        HTTPResponse(json: JSONValue.object(JSONObject(counts.map { ($0, .integer(Int64($1))) })).encodeText())
    }

    // MARK: Events that are set aside

    private static func listSetAside(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, hub) = (try context.requireDeliveryEngine(), context.services.eventHub)
        let page = try context.parsePage(limit: 50, most: 100)
        try context.refuseUnknownNames()
        return context.replyLater { () async throws(ProblemDetails) in
            let queue = try await context.requireQueue(engine, changing: false)
            let (events, ends) = try await DeliveryEngine.convertStorageErrors { try await queue.listSetAside(page) }
            var out = Array("{\"events\":[".utf8)
            for (index, event) in events.enumerated() {
                let (id, since) = (
                    EventForm.makeCursor(hub.epoch, event.seq),
                    Timestamp(milliseconds: event.setAsideMilliseconds).fullText
                )
                let head = #"{"id":"\#(id)","attempts":\#(event.attempts),"setAsideAt":"\#(since)""#
                out += Array(((index > 0 ? "," : "") + head).utf8)
                if let entry = event.entryJSON { out += Array(",\"event\":".utf8) + entry }
                out.append(UInt8(ascii: "}"))
            }
            var response = HTTPResponse(headers: EventHub.pageHeaders, content: .bytes(out + Array("]}".utf8)))
            response.addPageCursors(ends, context)
            return response
        }
    }

    private static func retrySetAside(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, hub) = (try context.requireDeliveryEngine(), context.services.eventHub)
        let seqs = try parseIds(context.parseBody()).map { ids throws(ProblemDetails) in
            var seqs: Set<UInt64> = []
            for id in ids { seqs.insert(try parseSeq(id, hub, .invalidValue)) }
            return seqs
        }
        try context.refuseUnknownNames()
        return try context.runOnce(.database) { request async throws(ProblemDetails) in
            @Sendable func response(_ count: Int) -> HTTPResponse { makeCountsResponse([("retried", count)]) }
            let queue = try await context.requireQueue(engine)
            let count = try await DeliveryEngine.convertStorageErrors {
                try await queue.retrySetAside(seqs, expired: { hub.expiredProblem(hub.source.oldestSeq) }) {
                    try request?.makeRow(with: response($0))
                }
            }
            return response(count)
        }
    }

    private static func deleteAllSetAside(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.refuseUnknownNames()
        return try deleteSetAside(nil, context)
    }

    private static func deleteSetAside(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let id = context.parameters["eventId"] ?? ""
        try context.refuseUnknownNames()
        guard let seq = try? parseSeq(id, context.services.eventHub, .notFound) else {
            throw ProblemDetails(.notFound, "There is no such event.")
        }
        return try deleteSetAside([seq], context)
    }

    private static func deleteSetAside(
        _ seqs: Set<UInt64>?,
        _ context: RouteContext
    ) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.requireDeliveryEngine()
        return context.replyLater { () async throws(ProblemDetails) in
            let queue = try await context.requireQueue(engine)
            try await DeliveryEngine.convertStorageErrors { try await queue.deleteSetAside(seqs) }
            return HTTPResponse(status: 204)
        }
    }

    /// Returns the number in the journal that an event's id contains. Throws a problem with the given code for a
    /// malformed id, and for an id of another journal.
    private static func parseSeq(
        _ id: String,
        _ hub: EventHub,
        _ code: ProblemDetails.Code
    ) throws(ProblemDetails) -> UInt64 {
        guard id.hasPrefix(hub.epoch + "-"), let seq = UInt64(id.dropFirst(hub.epoch.utf8.count + 1)) else {
            throw ProblemDetails(code, "An id is not the id of an event that is set aside.")
        }
        return seq
    }

    // MARK: Answers

    private static func makeAnswer(
        _ consumer: Consumer,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine,
        status: Int
    ) async throws(ProblemDetails) -> HTTPResponse {
        HTTPResponse(status: status, json: try await describe(consumer, subscription, engine).encodeText())
            .addingTag(subscription.entityTag)
    }

    private static func describe(
        _ consumer: Consumer,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine
    ) async throws(ProblemDetails) -> JSONValue {
        let found = try await DeliveryEngine.convertStorageErrors { try await engine.findQueue(subscription.id) }
        guard let queue = found else { throw Consumer.missingProblem }
        let counts = try await DeliveryEngine.convertStorageErrors { try await queue.loadCounts() }
        let present = queue.place.subscription
        var object = consumer.description
        object["keyId"] = .string(subscription.keyId)
        if let userId = consumer.rights.userId { object["userId"] = .integer(userId) }
        object["createdAt"] = DeliveryEngine.makeTimeJSON(subscription.createdMilliseconds)
        object["cursor"] = .string(EventForm.makeCursor(engine.source.epoch, present.position))
        object["lag"] = .integer(Int64(clamping: counts.unacknowledgedCount))
        object["handedOut"] = .integer(Int64(counts.handedOutCount))
        object["setAside"] = .integer(Int64(counts.setAsideCount))
        if let last = present.lastSuccessMilliseconds {
            object["lastAcknowledgedAt"] = DeliveryEngine.makeTimeJSON(last)
        }
        return .object(object)
    }
}

extension RouteContext {
    fileprivate func requireQueue(
        _ engine: DeliveryEngine,
        changing: Bool = true
    ) async throws(ProblemDetails) -> ConsumerQueue {
        let (_, subscription) = try await requireSubscription(Consumer.self, engine, changing: changing)
        let queue = try await DeliveryEngine.convertStorageErrors { try await engine.findQueue(subscription.id) }
        guard let queue else { throw Consumer.missingProblem }
        return queue
    }
}
