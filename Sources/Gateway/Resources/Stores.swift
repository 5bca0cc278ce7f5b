internal import ChatAPI
internal import Concurrency
internal import JSON
internal import SimpleXCrypto

/// Routes for stores. Each store has its own databases, key, events, API keys and state.
enum StoresResource {
    private static let listPath = "/v1/stores"
    private static let itemPath = listPath + "/{storeId}"

    static let routes: [Route] = [
        makeRoute(.get, listPath, "listStores", .firstStore(.stores), listStores),
        makeRoute(.post, listPath, "createStore", .firstStore(.stores), createStore),
        makeRoute(.get, itemPath, "getStore", .storeInPath, getStore),
        makeRoute(.delete, itemPath, "deleteStore", .storeInPath, deleteStore),
        makeRoute(.post, itemPath + "/lock", "lockStore", .storeInPath, lockStore),
        makeRoute(.post, itemPath + "/unlock", "unlockStore", .storeInPath, unlockStore),
        makeRoute(.post, itemPath + "/move", "moveStore", .firstStore(.stores), moveStore).withLongWork(.uncancellable),
        makeRoute(.get, itemPath + "/limits", "getStoreLimits", .storeInPath, StoreLimitsResource.getLimits),
        makeRoute(
            .put,
            itemPath + "/limits",
            "setStoreLimits",
            .firstStore(.stores),
            problems: [.preconditionFailed],
            StoreLimitsResource.changeLimits
        ),
        makeRoute(.put, itemPath + "/app-password", "setAppPassword", .storeInPath) { context throws(ProblemDetails) in
            try setPassword(context) { host, store, password, current throws(ProblemDetails) in
                try await host.setAppPassword(password, current: current, of: store)
            }
        },
        makeRoute(.delete, itemPath + "/app-password", "deleteAppPassword", .storeInPath) {
            context throws(ProblemDetails) in
            try removePassword(context) { host, store, current throws(ProblemDetails) in
                try await host.removeAppPassword(current: current, of: store)
            }
        },
        makeRoute(
            .put,
            itemPath + "/self-destruct-password",
            "setSelfDestructPassword",
            .storeInPath
        ) { context throws(ProblemDetails) in
            try setPassword(context) { host, store, password, current throws(ProblemDetails) in
                try await host.setSelfDestructPassword(password, current: current, of: store)
            }
        },
        makeRoute(
            .delete,
            itemPath + "/self-destruct-password",
            "deleteSelfDestructPassword",
            .storeInPath
        ) { context throws(ProblemDetails) in
            try removePassword(context) { host, store, current throws(ProblemDetails) in
                try await host.removeSelfDestructPassword(current: current, of: store)
            }
        },
    ]

    private static func makeRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ id: String,
        _ access: Route.Access,
        problems: Set<ProblemDetails.Code> = [.wrongPassphrase],
        _ handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        Route(
            method,
            template,
            id,
            category: "Stores",
            access: access,
            policy: .storeManagement,
            problems: problems,
            handler: handler
        )
    }

    private static func listStores(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let host = context.services.storeHost
        let asked = try context.parsePage()
        let page = { @Sendable (stores: [Store?]) in
            // The first store has no record with a time, and is first in the list.
            asked.selectPage(of: stores) { store in
                guard let store, store.id != StoreID.firstStore else { return .start }
                return ListPlace(number: store.record.createdAtSeconds, text: store.id)
            }
        }
        guard let host, host.settings.placement != nil else {
            let (found, ends) = page([host?.firstStore] + (host?.otherStores ?? []))
            return .now(HTTPResponse("stores", found.map { describeEntry($0, host) }, ends, context))
        }
        return .later {
            let (found, ends) = page([host.firstStore] + (await host.loadSharedStores()))
            let nodes = await host.findNodes(of: found.compactMap(\.self))
            return HTTPResponse(
                "stores",
                found.map { store in describeEntry(store, host, node: store.flatMap { nodes[$0.id] }) },
                ends,
                context
            )
        }
    }

    private static func describeEntry(_ store: Store?, _ host: StoreHost?, node: String? = nil) -> JSONValue {
        store.map { makeJSON($0, $0.id == StoreID.firstStore ? nil : host, node: node) } ?? openStoreDescription
    }

    private static func createStore(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let host = try context.requireStoreHost()
        let body = try context.parseBody(secrets: ["passphrase"])
        let name: String = try body.decodeValue("name")
        guard (1...100).contains(name.count), !name.contains(where: { $0.isNewline || $0 == "\0" }) else {
            throw ProblemDetails(member: "name", "must have 1 to 100 characters.")
        }
        let passphrase = try body.decodePassphrase("passphrase")
        let tenant: String? = try body.decodeIfPresent("tenant")
        guard tenant.map(Tenant.isName) ?? true else {
            throw ProblemDetails(member: "tenant", "must have 1 to 64 lower-case letters, digits and dashes.")
        }
        try context.refuseUnknownNames()
        let requests = host.folders.storeRequestAnswers
        // The answer is written before the new store becomes valid. So a request that is repeated after a crash gets
        // the answer with the key. When the store is open, the answer is written again.
        return try context.runOnce(.storeFolder(requests)) { request async throws(ProblemDetails) in
            let (store, key) = try await host.createStore(name: name, tenant: tenant, passphrase: passphrase) {
                id,
                record,
                key in
                guard let request, let answer = StoredAnswer.encode(makeCreatedResponse(id, record, key)) else {
                    return
                }
                try requests.keepAnswer(answer, to: request, of: id, for: context.principal?.keyID ?? "")
            }
            return makeCreatedResponse(store.id, store.record, key, state: store.phase.name)
        }
    }

    private static func makeCreatedResponse(
        _ id: String,
        _ record: StoreRecord,
        _ key: APIKey,
        state: String = "unlocked"
    ) -> HTTPResponse {
        let store = makeJSON(id, record, state: state, protection: record.protection.rawValue)
        let body = JSONValue.object(JSONObject([("store", store), ("key", .string(key.text))]))
        var response = HTTPResponse(status: 201, json: body.encodeText())
        response.headers += [("Location", "\(listPath)/\(id)"), ("Cache-Control", "no-store")]
        return response
    }

    private static func getStore(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        if context.parameters["storeId"] == StoreID.firstStore, context.services.storeHost?.firstStore == nil {
            return .now(HTTPResponse(json: openStoreDescription.encodeText()))
        }
        let (host, store) = try context.requireStore()
        guard host.settings.placement != nil else {
            return .now(HTTPResponse(json: makeJSON(store, host).encodeText()))
        }
        return .later {
            HTTPResponse(json: makeJSON(store, host, node: await host.findNodes(of: [store])[store.id]).encodeText())
        }
    }

    private static func deleteStore(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        return context.replyLater { () async throws(ProblemDetails) in
            try await host.deleteStore(store)
            await context.services.operations.removeOperationsOfStore(store: store.id)
            return HTTPResponse(status: 204)
        }
    }

    private static func lockStore(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        return try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            try await host.lockStore(store)
            return HTTPResponse(json: makeJSON(store, host).encodeText())
        }
    }

    private static func unlockStore(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        let body = try context.parseBody(secrets: ["passphrase"])
        let passphrase = try body.decodePassphrase("passphrase")
        let retries = try body.decodeIfPresent("retry") ?? false
        // Another attempt to open the store may crash the process again, and with it all other stores. So only a key
        // that manages all stores may request another attempt.
        guard !retries || context.principal?.storeID == nil && context.principal?.scopes.contains(.stores) == true
        else {
            throw ProblemDetails(.forbidden, "retry needs a key of the first store with the scope stores.")
        }
        return try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            if retries { await store.resetCrashes() }
            try await host.unlockStore(store, passphrase)
            return HTTPResponse(json: makeJSON(store, host).encodeText())
        }
    }

    private static func moveStore(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        let node: String = try context.parseBody().decodeValue("node")
        try context.refuseUnknownNames()
        guard (1...32).contains(node.utf8.count) else {
            throw ProblemDetails(member: "node", "must have 1 to 32 characters.")
        }
        return try context.runOnce(.storeFolder(host.folders.storeRequestAnswers)) { _ async throws(ProblemDetails) in
            try await host.moveStore(store, to: node)
            return HTTPResponse(json: makeJSON(store, host).encodeText())
        }
    }

    private static func setPassword(
        _ context: RouteContext,
        _ body: @escaping @Sendable (StoreHost, Store, SecretBytes, SecretBytes?) async throws(ProblemDetails) -> Void
    ) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        let members = try context.parseBody(secrets: ["password", "current"])
        guard let password = try members.decodePassphrase("password") else {
            throw ProblemDetails(member: "password", "is missing.", .missing)
        }
        let current = try members.decodePassphrase("current")
        return context.replyLater { () async throws(ProblemDetails) in
            try await body(host, store, password, current)
            return HTTPResponse(status: 204)
        }
    }

    private static func removePassword(
        _ context: RouteContext,
        _ body: @escaping @Sendable (StoreHost, Store, SecretBytes) async throws(ProblemDetails) -> Void
    ) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        let given = try context.parseCurrentPassword()
        try context.refuseUnknownNames()
        guard let current = given else { throw ProblemDetails(.invalidParameter, "Current-Password is missing.") }
        return context.replyLater { () async throws(ProblemDetails) in
            try await body(host, store, current)
            return HTTPResponse(status: 204)
        }
    }

    /// The description of a first store that is open as long as the gateway runs.
    private static let openStoreDescription: JSONValue = [
        "storeId": .string(StoreID.firstStore), "name": .string(StoreID.firstStore), "state": "unlocked",
        "protection": "keyFile",
    ]

    /// Describes a store.
    /// - Parameters:
    ///   - host: needed for stores that may be closed, because nobody uses them or another node has them.
    ///   - node: the node that has the store.
    static func makeJSON(_ store: Store, _ host: StoreHost? = nil, node: String? = nil) -> JSONValue {
        let record = store.record
        var state = store.phase.name
        if case .locked = store.phase, store.canOpenByItself, host?.isClosed(store) == true { state = "closed" }
        let isHeld = store.isHeldClosed
        if isHeld { state = "held" }
        return makeJSON(
            store.id,
            record,
            state: state,
            reason: isHeld ? CrashCount.heldClosedReason : nil,
            node: node,
            protection: store.hasAppPassword ? "appPassword" : record.protection.rawValue
        )
    }

    private static func makeJSON(
        _ id: String,
        _ record: StoreRecord,
        state: String,
        reason: String? = nil,
        node: String? = nil,
        protection: String
    ) -> JSONValue {
        var members = JSONObject([("storeId", .string(id)), ("name", .string(record.name)), ("state", .string(state))])
        if let reason { members["reason"] = .string(reason) }
        if let node { members["node"] = .string(node) }
        // The creation time of the first store is unknown.
        if id != StoreID.firstStore {
            members["createdAt"] = .string(Timestamp(seconds: record.createdAtSeconds).fullText)
        }
        members["protection"] = .string(protection)
        if let tenant = record.tenant { members["tenant"] = .string(tenant) }
        return .object(members)
    }
}

extension RequestBody {
    /// Reads a secret text on one line, so that a user can type it again; `nil` when the member is absent.
    func decodePassphrase(_ name: String) throws(ProblemDetails) -> SecretBytes? {
        guard let text = readSecret(name) else {
            if readJSON(name) != nil { throw ProblemDetails(member: name, "has the wrong type.", .wrongType) }
            return nil
        }
        guard text.isTypableLine else {
            throw ProblemDetails(member: name, "must have 1 to 1024 bytes, on one line.")
        }
        return text
    }
}

extension RouteContext {
    /// Reads the password in the header `Current-Password`, which is percent-encoded; `nil` when the header is absent.
    /// Requests without a body send a password in this header, because logs and proxies keep URLs.
    func parseCurrentPassword() throws(ProblemDetails) -> SecretBytes? {
        guard let text = request.header("current-password") else { return nil }
        guard let password = PercentEncoding.decode(text).map({ SecretBytes(Array($0.utf8)) }), password.isTypableLine
        else {
            throw ProblemDetails(
                .invalidParameter,
                "Current-Password must have 1 to 1024 bytes of UTF-8, on one line and percent-encoded."
            )
        }
        return password
    }
}

extension SecretBytes {
    /// Whether the text has 1 to 1024 bytes, and can be typed on one line.
    fileprivate var isTypableLine: Bool { (1...1024).contains(count) && !withBytes(Self.hasLineBreak) }

    /// Whether a UTF-8 text contains LF, VT, FF, CR, NEL, or a separator of lines or paragraphs.
    private static func hasLineBreak(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        text.indices.contains { index in
            switch text[index] {
            case 0x0A...0x0D: true
            case 0xC2: index + 1 < text.count && text[index + 1] == 0x85
            case 0xE2:
                index + 2 < text.count && text[index + 1] == 0x80
                    && (text[index + 2] == 0xA8 || text[index + 2] == 0xA9)
            default: false
            }
        }
    }
}

extension RouteContext {
    fileprivate func requireStoreHost() throws(ProblemDetails) -> StoreHost {
        guard let host = services.storeHost else {
            throw ProblemDetails(.unknownRoute, "This gateway has only one store.")
        }
        return host
    }

    /// Returns the store in the path.
    func requireStore() throws(ProblemDetails) -> (host: StoreHost, store: Store) {
        let id = parameters["storeId"] ?? ""
        let host = try requireStoreHost()
        guard id != StoreID.firstStore || host.firstStore != nil else {
            throw ProblemDetails(
                .conflict,
                "The first store of this gateway cannot be managed: it is open as long as the gateway runs."
            )
        }
        return (host, try host.requireStore(id))
    }
}
