internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import JSON
internal import SimpleXCrypto

/// Routes for consumers: workers take events and acknowledge them, and the gateway keeps the place in the journal.
enum ConsumersResource {
    private static let listPath = "/v1/consumers"
    private static let itemPath = listPath + "/{name}"
    private static let aside = itemPath + "/set-aside"

    static let routes: [Route] = [
        route(.get, listPath, "listConsumers", list),
        route(.put, itemPath, "setConsumer", set),
        route(.get, itemPath, "getConsumer", get),
        route(.delete, itemPath, "deleteConsumer", delete),
        route(.post, itemPath + "/take", "takeEvents", follows: true, take),
        route(.post, itemPath + "/ack", "acknowledgeEvents", acknowledge),
        route(.post, itemPath + "/nack", "refuseEvents", refuse),
        route(.get, aside, "listSetAsideEvents", listAside),
        route(.delete, aside, "deleteSetAsideEvents", deleteAllAside),
        route(.post, aside + "/retry", "retrySetAsideEvents", retry),
        route(.delete, aside + "/{eventId}", "deleteSetAsideEvent", deleteAside),
    ]

    /// Makes a route. A consumer has the rights of a reader of events, so each route needs only the scope `events`.
    private static func route(
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

    private static func list(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.deliveryEngine(), try context.subscriber())
        let page = try context.page()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let found = try await DeliveryEngine.storing { try await engine.all(kind: EventReceivers.consumer) }
            let covered = found.compactMap { subscription -> (consumer: Consumer, subscription: EventSubscription)? in
                guard let consumer = Consumer(subscription), principal.covers(consumer.rights) else { return nil }
                return (consumer, subscription)
            }
            let (part, ends) = page.page(of: covered) { ListPlace(text: $0.consumer.name) }
            var shown: [JSONValue] = []
            for (consumer, subscription) in part { shown.append(try await json(consumer, subscription, engine)) }
            return HTTPResponse("consumers", shown, ends, context)
        }
    }

    private static func get(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (consumer, subscription) = try await context.consumer(engine, changing: false)
            return try await answer(consumer, subscription, engine, status: 200)
        }
    }

    // MARK: Changes

    /// The filter in a body. An absent list selects all events.
    private struct RequestedFilter: Decodable, Sendable {
        let types: [String]?
        let users: [Int64]?
        let chats: [String]?

        func events(_ rights: SubscriptionRights) throws(ProblemDetails) -> RequestedEvents {
            var events = RequestedEvents()
            if let types { events.types = try EventFilterChecks.types(types) }
            if let users { events.users = try EventFilterChecks.users(users, rights) }
            if let chats { events.chats = try EventFilterChecks.chats(chats, rights) }
            return events
        }
    }

    /// The settings in a body. Absent members get their standard values, also when a consumer is changed.
    private struct RequestedSettings: Sendable {
        let filter: RequestedFilter?
        let from: String
        let deadline: Int64
        let attempts: Int

        init(_ body: RequestBody) throws(ProblemDetails) {
            filter = try body.optional("filter")
            from = try body.optional("from") ?? "now"
            deadline = try body.optional("deadlineSeconds") ?? Consumer.standardDeadline
            attempts = try body.optional("maxAttempts") ?? Consumer.standardAttempts
            try ConsumersResource.check(deadline, in: Consumer.deadlines, "deadlineSeconds")
            try ConsumersResource.check(attempts, in: Consumer.attempts, "maxAttempts")
        }

        func apply(to consumer: inout Consumer) throws(ProblemDetails) {
            consumer.events = try filter?.events(consumer.rights) ?? RequestedEvents()
            consumer.deadlineSeconds = deadline
            consumer.maxAttempts = attempts
        }
    }

    private static func check<T: Comparable & Sendable>(
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

    private static func set(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, principal) = (try context.deliveryEngine(), try context.subscriber())
        let name = context.parameters["name"] ?? ""
        guard Consumer.isName(name) else {
            throw ProblemDetails(parameter: "name", "must have 1 to 64 letters, digits, dots, _ and -.")
        }
        let requested = try RequestedSettings(context.body())
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            if let found = try await context.find(engine) {
                return try await change(found, requested, engine, principal, context)
            }
            try context.request.check(nil)
            var consumer = Consumer(name: name, rights: SubscriptionRights(principal), secret: .random(count: 32))
            try requested.apply(to: &consumer)
            let hub = context.services.events
            let subscription = EventSubscription(
                id: Consumer.id(name),
                kind: EventReceivers.consumer,
                keyId: principal.keyID,
                settings: consumer.settings,
                position: try EventsResource.position(requested.from == "oldest" ? nil : requested.from, hub),
                created: WallClock.milliseconds()
            )
            do {
                try await engine.add(subscription, of: principal, "consumers", nil)
            } catch {
                let problem = error as? ProblemDetails ?? ProblemDetails(error, "The consumer cannot be stored.")
                // If another request has created the consumer meanwhile, this request changes it.
                guard problem.code == .conflict, let found = try await context.find(engine) else { throw problem }
                return try await change(found, requested, engine, principal, context)
            }
            var response = try await answer(consumer, subscription, engine, status: 201)
            response.headers.append(("Location", "\(listPath)/\(name)"))
            return response
        }
    }

    private static func change(
        _ found: EventSubscription,
        _ requested: RequestedSettings,
        _ engine: DeliveryEngine,
        _ principal: Principal,
        _ context: RouteContext
    ) async throws(ProblemDetails) -> HTTPResponse {
        guard let known = Consumer(found), principal.covers(known.rights) else {
            throw ProblemDetails(.conflict, "Another key has a consumer with this name.")
        }
        try context.request.checkMayReplace()
        try engine.check(principal, found)
        try context.request.check(found.tag)
        /// Returns the changed subscription.
        @Sendable func changed(_ old: EventSubscription) throws(ProblemDetails) -> EventSubscription? {
            guard var consumer = Consumer(old) else { return nil }
            try requested.apply(to: &consumer)
            var new = old
            new.settings = consumer.settings
            // If the consumer's key has ended, the key that sets the consumer becomes its owner. The rights of the
            // consumer stay the same.
            if !engine.isOwned(old) { new.keyId = principal.keyID }
            return new
        }
        // A program may set its consumer at each start. Without a change, nothing is done, so the other workers are not
        // interrupted.
        if let same = try changed(found), (same.settings, same.keyId) == (found.settings, found.keyId) {
            return try await answer(known, found, engine, status: 200)
        }
        let stored = try await DeliveryEngine.storing {
            try await engine.change(found.id, kind: EventReceivers.consumer) { old in
                try context.request.check(old.tag)
                return try changed(old)
            }
        }
        guard let stored, let consumer = Consumer(stored) else { throw missing }
        return try await answer(consumer, stored, engine, status: 200)
    }

    private static func delete(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let (_, subscription) = try await context.consumer(engine)
            try await DeliveryEngine.storing { try await engine.delete(subscription.id) }
            return HTTPResponse(status: 204)
        }
    }

    // MARK: Work

    /// Maximal number of events in one answer.
    private static let takeLimit = 1...100
    private static let standardTake = 10
    /// Maximal seconds for which a request waits for events, the same as for a long poll of events.
    private static let waits: ClosedRange<Int64> = 0...60
    /// Maximal number of ids in a request.
    private static let idLimit = 1_000
    private static let delays: ClosedRange<Int64> = 0...86_400

    private static func take(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        let body = try context.body()
        let (limit, seconds): (Int, Int64) = (
            try body.optional("limit") ?? standardTake, try body.optional("timeout") ?? 0
        )
        try check(limit, in: takeLimit, "limit")
        try check(seconds, in: waits, "timeout")
        try context.refuseUnknown()
        // If an answer is lost, its events are handed out again after their deadline. So the answer is kept only for a
        // short time.
        let place = AnswerPlace.memoryWithRoom(seconds: Consumer.standardDeadline)
        return try context.once(place, keepingIf: { !isEmpty($0) }) {
            request async throws(ProblemDetails) in
            let queue = try await context.queue(engine)
            let taken = try await DeliveryEngine.storing {
                // A worker that has disconnected gets no events, since they would be handed out again only after their
                // deadline.
                try await queue.handOut(limit: limit, seconds: seconds) {
                    context.isAdmitted && !context.request.isAbandoned
                }
            }
            var out = Array("{\"events\":[".utf8)
            for (index, event) in taken.enumerated() {
                let deadline = Timestamp(milliseconds: event.deadline).fullText
                let head = #"{"id":"\#(event.id)","attempt":\#(event.attempt),"deadlineAt":"\#(deadline)","event":"#
                out += Array(((index > 0 ? "," : "") + head).utf8) + event.entry + [UInt8(ascii: "}")]
            }
            var response = HTTPResponse(headers: EventHub.pageHeaders, content: .bytes(out + Array("]}".utf8)))
            // With an idempotency key, the repeated request gets the same events, so that they are not given back here.
            if request == nil, !taken.isEmpty { response.unsent = { engine.giveBack(taken, to: queue) } }
            return response
        }
    }

    /// Whether an answer has no events.
    private static func isEmpty(_ response: HTTPResponse) -> Bool {
        guard case .bytes(let bytes) = response.content else { return false }
        return bytes.elementsEqual(#"{"events":[]}"#.utf8)
    }

    /// Reads the ids in a body.
    private static func ids(_ body: RequestBody) throws(ProblemDetails) -> [String]? {
        guard let ids: [String] = try body.optional("ids") else { return nil }
        guard (1...idLimit).contains(ids.count) else {
            throw ProblemDetails(member: "ids", "must have 1 to \(idLimit) ids.")
        }
        return ids
    }

    private static func requiredIds(_ body: RequestBody) throws(ProblemDetails) -> [String] {
        guard let ids = try ids(body) else { throw ProblemDetails(member: "ids", "is missing.", .missing) }
        return ids
    }

    private static func acknowledge(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        let ids = try requiredIds(context.body())
        try context.refuseUnknown()
        return try context.once(.database) { request async throws(ProblemDetails) in
            @Sendable func response(_ new: Int, _ already: Int) -> HTTPResponse {
                countsResponse([("acknowledged", new), ("alreadyAcknowledged", already)])
            }
            let queue = try await context.queue(engine)
            let done = try await DeliveryEngine.storing {
                try await queue.acknowledge(ids) { try request?.row(with: response($0, $1)) }
            }
            return response(done.new, done.already)
        }
    }

    private static func refuse(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        let body = try context.body()
        let (ids, delay): ([String], Int64) = (try requiredIds(body), try body.optional("delaySeconds") ?? 0)
        try check(delay, in: delays, "delaySeconds")
        try context.refuseUnknown()
        return try context.once(.database) { request async throws(ProblemDetails) in
            @Sendable func response(_ refused: Int, _ setAside: Int) -> HTTPResponse {
                countsResponse([("refused", refused), ("setAside", setAside)])
            }
            let queue = try await context.queue(engine)
            let done = try await DeliveryEngine.storing {
                try await queue.refuse(ids, delay: delay) { try request?.row(with: response($0, $1)) }
            }
            return response(done.refused, done.setAside)
        }
    }

    private static func countsResponse(_ counts: [(String, Int)]) -> HTTPResponse {
        HTTPResponse(json: JSONValue.object(JSONObject(counts.map { ($0, .integer(Int64($1))) })).encoded())
    }

    // MARK: Events that are set aside

    private static func listAside(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, hub) = (try context.deliveryEngine(), context.services.events)
        let page = try context.page(limit: 50, most: 100)
        try context.refuseUnknown()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let queue = try await context.queue(engine, changing: false)
            let (events, ends) = try await DeliveryEngine.storing { try await queue.setAside(page) }
            var out = Array("{\"events\":[".utf8)
            for (index, event) in events.enumerated() {
                let (id, since) = (
                    EventForm.cursor(hub.epoch, event.seq), Timestamp(milliseconds: event.since).fullText
                )
                let head = #"{"id":"\#(id)","attempts":\#(event.attempts),"setAsideAt":"\#(since)""#
                out += Array(((index > 0 ? "," : "") + head).utf8)
                if let entry = event.entry { out += Array(",\"event\":".utf8) + entry }
                out.append(UInt8(ascii: "}"))
            }
            var response = HTTPResponse(headers: EventHub.pageHeaders, content: .bytes(out + Array("]}".utf8)))
            response.add(ends, context)
            return response
        }
    }

    private static func retry(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (engine, hub) = (try context.deliveryEngine(), context.services.events)
        let seqs = try ids(context.body()).map { ids throws(ProblemDetails) in
            var seqs: Set<UInt64> = []
            for id in ids { seqs.insert(try number(id, hub, .invalidValue)) }
            return seqs
        }
        try context.refuseUnknown()
        return try context.once(.database) { request async throws(ProblemDetails) in
            @Sendable func response(_ count: Int) -> HTTPResponse { countsResponse([("retried", count)]) }
            let queue = try await context.queue(engine)
            let count = try await DeliveryEngine.storing {
                try await queue.retry(seqs, expired: { hub.expiredProblem(hub.source.oldest) }) {
                    try request?.row(with: response($0))
                }
            }
            return response(count)
        }
    }

    private static func deleteAllAside(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.refuseUnknown()
        return try deleteAside(nil, context)
    }

    private static func deleteAside(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let id = context.parameters["eventId"] ?? ""
        try context.refuseUnknown()
        guard let seq = try? number(id, context.services.events, .notFound) else {
            throw ProblemDetails(.notFound, "There is no such event.")
        }
        return try deleteAside([seq], context)
    }

    private static func deleteAside(_ seqs: Set<UInt64>?, _ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let engine = try context.deliveryEngine()
        return context.replyBlocking { () async throws(ProblemDetails) in
            let queue = try await context.queue(engine)
            try await DeliveryEngine.storing { try await queue.deleteAside(seqs) }
            return HTTPResponse(status: 204)
        }
    }

    /// Returns the number of the event with this id.
    private static func number(
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

    fileprivate static var missing: ProblemDetails { ProblemDetails(.notFound, "There is no such consumer.") }

    private static func answer(
        _ consumer: Consumer,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine,
        status: Int
    ) async throws(ProblemDetails) -> HTTPResponse {
        HTTPResponse(status: status, json: try await json(consumer, subscription, engine).encoded())
            .with(subscription.tag)
    }

    private static func json(
        _ consumer: Consumer,
        _ subscription: EventSubscription,
        _ engine: DeliveryEngine
    ) async throws(ProblemDetails) -> JSONValue {
        let found = try await DeliveryEngine.storing { try await engine.queue(subscription.id) }
        guard let queue = found else { throw missing }
        let counts = try await DeliveryEngine.storing { try await queue.loadedCounts() }
        let present = queue.place.subscription
        var object = consumer.description
        object["keyId"] = .string(subscription.keyId)
        if let userId = consumer.rights.userId { object["userId"] = .integer(userId) }
        object["createdAt"] = DeliveryEngine.moment(subscription.created)
        object["cursor"] = .string(EventForm.cursor(engine.source.epoch, present.position))
        object["lag"] = .integer(Int64(clamping: counts.lag))
        object["handedOut"] = .integer(Int64(counts.handedOut))
        object["setAside"] = .integer(Int64(counts.setAside))
        if let last = present.succeeded { object["lastAcknowledgedAt"] = DeliveryEngine.moment(last) }
        return .object(object)
    }
}

extension RouteContext {
    /// Returns the consumer with the name in the path, also if another key has it.
    fileprivate func find(_ engine: DeliveryEngine) async throws(ProblemDetails) -> EventSubscription? {
        let id = Consumer.id(parameters["name"] ?? "")
        return try await DeliveryEngine.storing { try await engine.find(id, kind: EventReceivers.consumer) }
    }

    /// Returns the consumer in the path, if the key covers the rights of the consumer.
    /// - Parameter changing: whether the request changes something. Then the consumer must belong to the key.
    fileprivate func consumer(
        _ engine: DeliveryEngine,
        changing: Bool = true
    ) async throws(ProblemDetails) -> (Consumer, EventSubscription) {
        let principal = try subscriber()
        guard let found = try await find(engine), let consumer = Consumer(found), principal.covers(consumer.rights)
        else {
            throw ConsumersResource.missing
        }
        if changing { try engine.check(principal, found) }
        return (consumer, found)
    }

    fileprivate func queue(
        _ engine: DeliveryEngine,
        changing: Bool = true
    ) async throws(ProblemDetails) -> ConsumerQueue {
        let (_, subscription) = try await consumer(engine, changing: changing)
        let queue = try await DeliveryEngine.storing { try await engine.queue(subscription.id) }
        guard let queue else { throw ConsumersResource.missing }
        return queue
    }
}
