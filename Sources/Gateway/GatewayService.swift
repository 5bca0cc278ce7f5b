internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import Descriptors
internal import Logging
internal import NIOCore
internal import OutgoingHTTP

/// What handlers work with: the services of the store of a request's key, and those shared by all stores.
struct GatewayServices: Sendable {
    let configuration: GatewayConfiguration
    let core: any GatewayCore
    let keys: KeyRing
    let tickets: TicketStore
    let events: EventHub
    let models: ModelHost
    /// Sends events to receivers outside; nil where the core is a phone.
    var deliveries: DeliveryEngine?
    /// Appends events to the broker's streams; nil where there is none.
    var feed: BrokerFeed?
    /// For all stores.
    let outgoing: OutgoingHTTP
    /// For all stores; nil where pages of others are not read.
    var previews: LinkPreviewReader?
    let metrics: Metrics
    var cache = ReadCache()
    var requests = RequestsInFlight()
    /// Commands of the store that only read. They hold their whole answer, first as values and then as text, so that only a few run at a time.
    var reading = AsyncLock(places: 4)
    let group: any EventLoopGroup
    /// Shared by all stores and ports.
    let answers: UnreadAnswers
    /// Shared by all stores and ports.
    let rates: ClientRates
    /// The services of the phones that are connected to the store.
    var remoteHosts = RemoteHostServices()
    /// The core of a store that can be locked at any time.
    var store: StoreCore?
    /// All stores; `nil` if there is only the first one, and for requests of other stores.
    var stores: StoreHost?

    /// Whether these are the services of the first store, or of the whole gateway.
    var isOfFirst: Bool { store == nil || stores != nil }

    /// Makes an answer of a command, when its client has room for it.
    /// - Parameter make: runs the command, and counts the answer.
    /// - Returns: nil when the client has not read what it asked for before.
    func answer<T: Sendable>(_ command: ChatCommand, for client: String, _ make: @Sendable () async -> T) async -> T? {
        guard command.onlyReads else { return answers.isFull(client) ? nil : await make() }
        return await reading.run { answers.isFull(client) ? nil : await make() }
    }

    /// The services of a store that was just opened. Each store counts its own requests; the first store's metrics count all requests.
    /// - Parameter id: nil for the first store.
    func with(_ store: StoreCore, id: String?, log: Logger) -> GatewayServices {
        GatewayServices(
            configuration: configuration, core: store, keys: keys, tickets: tickets,
            events: EventHub(source: store.eventSource, heartbeatSeconds: configuration.heartbeatSeconds),
            models: ModelHost(core: store, configuration: configuration),
            deliveries: DeliveryEngine(core: store, keys: keys, store: id, settings: configuration.deliveries, http: outgoing, log: log), outgoing: outgoing, previews: previews,
            metrics: id == nil ? metrics : Metrics(), group: group, answers: answers, rates: rates, store: store)
    }

    /// The services of a phone that is connected to the store of these.
    func with(_ host: RemoteHostCore) -> GatewayServices {
        GatewayServices(
            configuration: configuration, core: host, keys: keys, tickets: tickets,
            events: EventHub(source: host.eventSource, heartbeatSeconds: configuration.heartbeatSeconds),
            models: ModelHost(core: host, configuration: configuration), outgoing: outgoing, previews: previews, metrics: metrics, group: group, answers: answers, rates: rates,
            store: store, stores: stores)
    }

    /// The services of the store of a key.
    /// - Parameter store: nil for the first one.
    func own(of store: String?) throws(ProblemDetails) -> GatewayServices {
        guard let stores else { return self }
        if let store { return try stores.services(of: store) }
        guard let first = stores.first else { return self }
        return try first.services()
    }

    /// Ends what follows something with a secret that is no longer good.
    func keep(_ valid: Set<Credential>) {
        events.keep(valid)
        models.keep(valid)
        deliveries?.keysChanged()
        for services in remoteHosts.all { services.keep(valid) }
    }

    /// Ends all that follows something, also on the phones.
    func endStreams(_ reason: StreamEnd = .ended) async {
        events.stop(reason)
        await models.stop(reason)
        await deliveries?.stop()
        await feed?.stop()
        for services in remoteHosts.all { await services.endStreams(reason) }
    }

    /// The same for a port on which the terminal client's socket asks for no key.
    func opened() -> GatewayServices {
        var configuration = configuration
        configuration.openSocket = true
        return GatewayServices(
            configuration: configuration, core: core, keys: keys, tickets: tickets, events: events, models: models, deliveries: deliveries, feed: feed,
            outgoing: outgoing, previews: previews, metrics: metrics, cache: cache, requests: requests, reading: reading, group: group, answers: answers,
            rates: rates, remoteHosts: remoteHosts, stores: stores)
    }
}

/// The way of a request: host, origin, route, key, scope, profile, media type; only then its body is read.
struct GatewayService: HTTPService {
    let router: Router
    let policy: HostPolicy
    let services: GatewayServices
    let log: Logger
    let wrongKeys = WrongKeys()

    /// What is decided about a request now.
    private enum Decision {
        case admitted(HTTPAdmission)
        /// Its store has to be opened first. Then it is looked at again.
        case waits(Route, client: String, @Sendable () async throws(ProblemDetails) -> Void)
    }

    func admit(_ request: HTTPRequest) -> HTTPAdmission {
        do throws(ProblemDetails) {
            switch try decide(request, isFirst: true) {
            case .admitted(let admission): return admission
            case .waits(let route, let client, let opening):
                guard route.upload == nil else {
                    // Its body cannot wait.
                    Task { try? await opening() }
                    throw Self.opening
                }
                return .read(limit: services.configuration.http.bodyLimit, follows: route.follows, client: client) { request in
                    .deferred { responder in Task { await resume(request, opening, responder) } }
                }
            }
        } catch {
            return .refuse(decorate(error.response(for: request), request))
        }
    }

    private static var opening: ProblemDetails {
        var problem = ProblemDetails(.unavailable, "The store is being opened. Send this again.")
        problem.headers = [("Retry-After", "1")]
        return problem
    }

    /// Goes on with a request that has waited for its store.
    private func resume(
        _ request: HTTPRequest, _ opening: @escaping @Sendable () async throws(ProblemDetails) -> Void, _ responder: HTTPResponder
    ) async {
        var opening = opening
        do throws(ProblemDetails) {
            // Its keys become known, then it is opened; and it may be closed again meanwhile.
            for _ in 0..<4 {
                try await opening()
                switch try decide(request, isFirst: false) {
                case .waits(_, _, let next): opening = next
                case .admitted(.refuse(let response)): return responder.respond(response)
                case .admitted(.stream): throw Self.opening
                case .admitted(.read(_, _, _, let then)):
                    switch then(request) {
                    case .now(let response): return responder.respond(response)
                    case .later(let work): return responder.respond(await work())
                    case .deferred(let register): return register(responder)
                    }
                }
            }
            throw Self.opening
        } catch {
            responder.respond(decorate(error.response(for: request), request))
        }
    }

    /// The stores that a request names, by its key, its ticket or its path.
    private func named(_ request: HTTPRequest, _ parameters: [String: String]) -> [String] {
        [
            request.presentedKey.flatMap { APIKey.store(in: $0) }, request.parameter("ticket").flatMap { TicketStore.store(in: $0) },
            parameters["storeId"],
        ].compactMap(\.self)
    }

    /// What has to be done before a request with a key is served.
    private func opening(_ principal: Principal?, _ route: Route) -> (@Sendable () async throws(ProblemDetails) -> Void)? {
        // A new key may be of a profile, which is looked for.
        guard route.storeUse != .gateway || route.operationID == "createKey", let host = services.stores, let id = principal?.store,
            let store = host.find(id), host.isClosed(store)
        else { return nil }
        return { () async throws(ProblemDetails) in try await host.open(store) }
    }

    private func decide(_ request: HTTPRequest, isFirst: Bool) throws(ProblemDetails) -> Decision {
        if let problem = policy.check(request) { throw problem }
        guard !request.hasMalformedTarget else {
            throw ProblemDetails(.malformedRequest, "In the URL, % is followed by two hexadecimal digits, and what they stand for is UTF-8 without NUL.")
        }
        if request.method == "OPTIONS", let origin = policy.crossOrigin(request) { return .admitted(.refuse(preflight(origin))) }
        // People write the slash, and the page's own addresses are without it. Relative: a proxy may have this server below another path.
        if request.path == "/app/", ["GET", "HEAD"].contains(request.method) { return .admitted(.refuse(Self.elsewhere("../app"))) }
        let (route, parameters, remoteHost) = try route(request)
        request.trace.note { facts in
            facts.route = route.template
            facts.context = TraceContext(request.header("traceparent"))
            facts.follows = route.follows
            facts.isProbe = Operations.probes.contains(route.template) || route.operationID == "metrics"
        }
        if let page = pageForPeople(request, route) { return .admitted(.refuse(page)) }
        if isFirst, !request.trace.facts.isProbe, let seconds = services.rates.take(request.address) {
            throw tooMany("Too many requests have come from this address.", seconds)
        }
        if isFirst, let host = services.stores {
            let unknown = named(request, parameters).filter { host.isUnknown($0) }
            if !unknown.isEmpty {
                return .waits(route, client: "") { () async throws(ProblemDetails) in for id in unknown { await host.attach(id) } }
            }
        }
        let principal = try authorize(request, route, parameters, remoteHost)
        request.trace.note { $0.keyID = principal?.keyID }
        if let opening = opening(principal, route) { return .waits(route, client: principal?.keyID ?? "", opening) }
        if let seconds = services.rates.take(principal) {
            throw tooMany("Too many requests have come with this key.", seconds)
        }
        let own = try services(principal, route)
        let services = try remoteHost.map { id throws(ProblemDetails) in try self.services(of: id, own, principal) } ?? own
        if let upload = route.upload {
            try checkCoding(request)
            return .admitted(.stream(limit: route.uploadLimit, client: principal?.keyID ?? "") { request, body in
                let context = RouteContext(
                    request: request, route: route, parameters: parameters, principal: principal, services: services)
                do throws(ProblemDetails) {
                    return decorate(counted(try upload(context, body), context), request)
                } catch {
                    return decorate(counted(.now(error.response(for: request)), context), request)
                }
            })
        }
        guard let handler = route.handler else {
            throw ProblemDetails(.notImplemented, "\(route.operationID) is not served yet.")
        }
        try checkMediaType(request, route)
        return .admitted(.read(limit: services.configuration.http.bodyLimit, follows: route.follows, client: principal?.keyID ?? "") { request in
            let context = RouteContext(
                request: request, route: route, parameters: parameters, principal: principal, services: services)
            do throws(ProblemDetails) {
                return decorate(counted(coded(try handler(context), context), context), request)
            } catch {
                return decorate(counted(.now(error.response(for: request)), context), request)
            }
        })
    }

    private func tooMany(_ detail: String, _ seconds: Int64) -> ProblemDetails {
        var problem = ProblemDetails(.tooManyRequests, detail)
        problem.headers = [("Retry-After", "\(seconds)")]
        return problem
    }

    /// A browser in which somebody has opened the URL of this server is sent to the web client: what is here is for programs.
    private func pageForPeople(_ request: HTTPRequest, _ route: Route) -> HTTPResponse? {
        guard route.operationID == "cliSocket", request.header("upgrade") == nil, request.header("accept")?.contains("text/html") == true else { return nil }
        return Self.elsewhere("app")
    }

    private static func elsewhere(_ place: String) -> HTTPResponse {
        HTTPResponse(status: 303, headers: [("Location", place), ("Cache-Control", "no-store")])
    }

    func bodyTooLarge(_ request: HTTPRequest, limit: Int) -> HTTPResponse {
        ProblemDetails(.bodyTooLarge, "A body may have \(limit) bytes.").response(for: request)
    }

    func noRoom(_ request: HTTPRequest) -> HTTPResponse { noRoom(request, "Too many clients follow something; commands are still answered.") }

    func noRoomForUpload(_ request: HTTPRequest) -> HTTPResponse { noRoom(request, "As many files are being uploaded as may be at a time.") }

    private func noRoom(_ request: HTTPRequest, _ detail: String) -> HTTPResponse {
        var problem = ProblemDetails(.unavailable, detail)
        problem.headers = [("Retry-After", "5")]
        return decorate(problem.response(for: request), request)
    }

    func tooMuchUnread(_ request: HTTPRequest) -> HTTPResponse { decorate(ProblemDetails.tooMuchUnread.response(for: request), request) }

    func malformed(_ request: HTTPRequest, _ defect: FramingDefect) -> HTTPResponse {
        var problem = ProblemDetails(defect.status == 501 ? .notImplemented : .malformedRequest, defect.text)
        problem.statusOverride = defect.status
        problem.headers = [("Connection", "close")]
        return problem.response(for: request)
    }

    func finished(_ finished: FinishedRequest) {
        let facts = finished.request.trace.facts
        services.metrics.count(
            method: finished.request.method, route: facts.route, follows: facts.follows, status: finished.status,
            microseconds: finished.microseconds, bytes: finished.bytes)
        accessLog.write(finished, facts)
    }

    private var accessLog: AccessLog { AccessLog(log: log) }

    /// The route of a path, and the phone that it is for; nil for what is here.
    private func route(_ request: HTTPRequest) throws(ProblemDetails) -> (Route, [String: String], remoteHost: Int64?) {
        if case .none = router.match(method: request.method, path: request.path), let (id, path) = RemoteHosts.split(request.path) {
            let (route, parameters) = try route(request, path)
            guard RemoteHosts.serves(route) else { throw ProblemDetails(.unknownRoute) }
            return (route, parameters.merging(["remoteHostId": "\(id)"]) { own, _ in own }, id)
        }
        let (route, parameters) = try route(request, request.path)
        return (route, parameters, nil)
    }

    private func route(_ request: HTTPRequest, _ path: String) throws(ProblemDetails) -> (Route, [String: String]) {
        switch router.match(method: request.method, path: path) {
        case .found(let route, let parameters):
            // Of two values one would be obeyed and the other not even looked at.
            var names: Set<String> = []
            for field in request.query where !names.insert(field.name).inserted {
                throw ProblemDetails(.invalidParameter, "A parameter of the query can be given once.")
            }
            return (route, parameters)
        case .otherMethods(let methods):
            var problem = ProblemDetails(.methodNotAllowed)
            var names = methods.map(\.rawValue)
            if methods.contains(.get) { names.append("HEAD") }
            problem.headers = [("Allow", names.joined(separator: ", "))]
            throw problem
        case .none:
            throw ProblemDetails(.unknownRoute)
        }
    }

    private func authorize(
        _ request: HTTPRequest, _ route: Route, _ parameters: [String: String], _ remoteHost: Int64?
    ) throws(ProblemDetails) -> Principal? {
        if case .open = route.access { return nil }
        guard let principal = authenticate(request, route) else {
            if request.header("authorization") != nil || request.parameter("ticket") != nil {
                services.metrics.countRefusedKey()
                if let seconds = wrongKeys.note(request.address, at: services.configuration.clock.microseconds()) {
                    throw tooMany("Too many wrong keys have come from this address.", seconds)
                }
                accessLog.refusedKey(request, route)
            }
            var problem = ProblemDetails(.unauthorized)
            problem.headers = [("WWW-Authenticate", "Bearer realm=\"simplex-gateway\"")]
            throw problem
        }
        if let phone = principal.remoteHostId, remoteHost != phone, route.operationID != "whoami" {
            throw ProblemDetails(.forbidden, "The key is bound to a phone.")
        }
        switch route.access {
        case .open: break
        case .key(let needed):
            guard principal.scopes.allows(needed) else {
                throw ProblemDetails(.forbidden, "The key lacks the scope \(needed.subtracting(principal.scopes).names.joined(separator: ", ")).")
            }
            guard !needed.contains(.stores) || principal.store == nil else { throw ProblemDetails(.forbidden, "The key is of another store.") }
        case .store:
            let isManager = principal.store == nil && principal.scopes.contains(.stores)
            let isOwn = parameters["storeId"] == (principal.store ?? Stores.first)
            // Only the store's own keys and managers may learn whether a store of that name exists.
            guard isManager || isOwn else { throw ProblemDetails(.forbidden, "The key is of another store.") }
            guard isManager || principal.scopes.contains(.admin) else { throw ProblemDetails(.forbidden, "The key lacks the scope admin.") }
        }
        if let chats = principal.chats, !GatewayService.forChats.contains(route.operationID) {
            // Of such a key's routes each names its chat; all others are refused. The core refuses what is more than reading and writing there.
            guard let chat = KeyChat(of: parameters), chats.contains(chat), parameters["chatId"] != nil || GatewayService.ofChats.contains(route.operationID)
            else { throw ProblemDetails(.forbidden, "The key is bound to other chats.") }
        }
        if let own = principal.userId {
            // A key of one profile has no business outside of it; events are filtered instead.
            guard route.profileLimit == .filtered || parameters["userId"].flatMap({ Int64($0) }) == own else {
                throw ProblemDetails(.forbidden, "The key is bound to another profile.")
            }
        }
        return principal
    }

    /// What keys of single chats can call besides the routes of their chats. Events are filtered.
    private static let forChats = Set(
        ["whoami", "events", "createEventTicket", "eventSocket"] + (Webhooks.routes + PushSubscriptions.routes).map(\.operationID))
    /// Routes for them that name a chat by its contact, group or notes.
    private static let ofChats: Set<String> = Set([CommandName.contactInfo, .groupInfo, .listMembers, .createChatItems].map(\.rawValue))

    private func authenticate(_ request: HTTPRequest, _ route: Route) -> Principal? {
        if request.header("authorization") != nil { return request.presentedKey.flatMap { services.keys.principal(for: $0) } }
        if route.entrance != .key, let ticket = request.parameter("ticket"), let principal = services.tickets.redeem(ticket, for: request.path) {
            // A secret that is no longer good also voids its tickets.
            return services.keys.admits(principal) ? principal : nil
        }
        if route.entrance == .terminal, services.configuration.openSocket {
            return Principal(keyID: "", scopes: [.read, .write, .events], userId: nil)
        }
        return nil
    }

    /// The services that the route works with.
    private func services(_ principal: Principal?, _ route: Route) throws(ProblemDetails) -> GatewayServices {
        if route.storeUse == .gateway { return services }
        if route.storeUse == .process, principal?.store == nil { return services.stores?.first?.opened?.services ?? services }
        return try services.own(of: principal?.store)
    }

    /// The services of a phone, for administrators of the store and for keys of the phone.
    private func services(
        of remoteHost: Int64, _ own: GatewayServices, _ principal: Principal?
    ) throws(ProblemDetails) -> GatewayServices {
        guard let principal, principal.reaches(remoteHost) else {
            throw ProblemDetails(.forbidden, "Phones are only for administrators of the store, and for keys of the phone.")
        }
        return try own.remoteHosts.services(remoteHost, own)
    }

    /// Counts the request in the metrics of its own store, unless that is the first one. A 5xx caused by the store being locked meanwhile
    /// becomes `storeLocked` (503).
    private func counted(_ reply: HTTPReply, _ context: RouteContext) -> HTTPReply {
        guard let store = context.services.store else { return reply }
        let (request, begin) = (context.request, MonotonicClock.microseconds())
        let metrics = context.services.isOfFirst ? nil : context.services.metrics
        store.beginRequest()
        return reply.map { response in
            var response = response
            store.endRequest()
            if response.status >= 500, store.ending != nil { response = ProblemDetails(.storeLocked).response(for: request) }
            let facts = request.trace.facts
            metrics?.count(
                method: request.method, route: facts.route, follows: facts.follows, status: response.status,
                microseconds: MonotonicClock.microseconds() - begin, bytes: nil)
            return response
        }
    }

    private func checkMediaType(_ request: HTTPRequest, _ route: Route) throws(ProblemDetails) {
        guard request.header("content-length").map({ $0 != "0" }) ?? (request.header("transfer-encoding") != nil) else { return }
        try checkCoding(request)
        guard let field = request.header("content-type") else { return }
        let type = field.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() } ?? ""
        if route.takesText, try request.isText() { return }
        // `curl -d` sends this media type whatever the body is.
        guard type == "application/json" || type.hasSuffix("+json") || type == "application/x-www-form-urlencoded" else {
            throw ProblemDetails(.unsupportedMediaType)
        }
    }

    private func checkCoding(_ request: HTTPRequest) throws(ProblemDetails) {
        if let coding = request.header("content-encoding")?.lowercased(), coding != "identity" {
            throw ProblemDetails(.unsupportedMediaType, "Content-Encoding \(coding) is not taken.")
        }
    }

    /// Compressed for a client that takes it, where there is nothing in the answer that its length must not reveal.
    private func coded(_ reply: HTTPReply, _ context: RouteContext) -> HTTPReply {
        guard context.request.method == "GET", !context.route.holdsSecrets else { return reply }
        let reply = context.request.acceptsGzip ? reply.compressed() : reply
        return reply.map { response in
            var response = response
            response.headers.append(("Vary", "Accept-Encoding"))
            return response
        }
    }

    private func preflight(_ origin: String) -> HTTPResponse {
        HTTPResponse(
            status: 204,
            headers: [
                ("Access-Control-Allow-Origin", origin), ("Vary", "Origin"),
                ("Access-Control-Allow-Methods", "GET, POST, PUT, PATCH, DELETE"),
                ("Access-Control-Allow-Headers", "Authorization, Content-Type, Idempotency-Key, If-None-Match, If-Range, Last-Event-ID, Range, Repr-Digest, Upload-Complete, Upload-Length, Upload-Offset, X-Request-Id"),
                ("Access-Control-Max-Age", "600"),
            ])
    }

    private func decorate(_ reply: HTTPReply, _ request: HTTPRequest) -> HTTPReply {
        guard policy.crossOrigin(request) != nil else { return reply }
        return reply.map { decorate($0, request) }
    }

    /// Response headers that scripts may read, in addition to those always readable (`Cache-Control`, `Content-Type`, `Content-Length`).
    private var exposed: String {
        "Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, Idempotent-Replayed, Link, Location, Retry-After, Upload-Complete, Upload-Length, "
            + "Upload-Offset, WWW-Authenticate, X-Request-Id"
    }

    private func decorate(_ response: HTTPResponse, _ request: HTTPRequest) -> HTTPResponse {
        guard let origin = policy.crossOrigin(request) else { return response }
        var response = response
        response.headers.append(("Access-Control-Allow-Origin", origin))
        response.headers.append(("Access-Control-Expose-Headers", exposed))
        response.headers.append(("Vary", "Origin"))
        return response
    }
}

extension HTTPRequest {
    /// The text of `Authorization` that should be a key.
    var presentedKey: String? {
        guard let header = header("authorization"), let space = header.firstIndex(of: " ") else { return nil }
        let value = header[header.index(after: space)...].trimmingSpaces
        switch header[..<space].lowercased() {
        case "bearer": return value
        case "basic": return BasicCredentials.password(value)
        default: return nil
        }
    }
}
