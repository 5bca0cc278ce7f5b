internal import ChatAPI
internal import ChatCore
internal import Concurrency
internal import JSON

/// Routes for the API keys of a store. Administrators manage the keys. Each key can read facts about itself.
enum KeysResource {
    private static let listPath = "/v1/keys"
    private static let itemPath = listPath + "/{keyId}"
    /// Maximal number of keys of a store.
    static let maxKeys = 1_000

    static let routes: [Route] = [
        // Each key may read facts about itself, even a restricted or unclaimed key.
        makeRoute(
            .get,
            "/v1/whoami",
            "getCurrentKey",
            access: .key([]),
            policy: .keys.replacing(\.chatKeys, .answerFiltered).replacing(\.phones, .keys).replacing(
                \.unclaimedKeys,
                .admitted
            ),
            describeCurrentKey
        ),
        makeRoute(.get, listPath, "listKeys", access: .key(.admin), policy: .keys, listKeys),
        // The handler checks that the profile of the new key exists in the store.
        makeRoute(
            .post,
            listPath,
            "createKey",
            access: .key(.admin),
            policy: .keys.replacing(\.storeUse, .gateway(opensStore: true)),
            createKey
        ),
        makeRoute(.get, itemPath, "getKey", access: .key(.admin), policy: .keys, getKey),
        makeRoute(.delete, itemPath, "deleteKey", access: .key(.admin), policy: .keys, deleteKey),
        makeRoute(
            .post,
            itemPath + "/rotate",
            "rotateKey",
            access: .key(.admin),
            policy: .keys.replacing(\.unclaimedKeys, .keyInPath),
            rotateKey
        ),
    ]

    private static func makeRoute(
        _ method: HTTPMethod,
        _ template: String,
        _ id: String,
        access: Route.Access,
        policy: RoutePolicy,
        _ handler: @escaping @Sendable (RouteContext) throws(ProblemDetails) -> HTTPReply
    ) -> Route {
        Route(method, template, id, category: "Keys", access: access, policy: policy, handler: handler)
    }

    private static func describeCurrentKey(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let principal = try context.requireKeyOwner()
        let record = context.services.keys.keys(of: principal.storeID).first { $0.record.id == principal.keyID }?.record
        var object = JSONObject()
        object["keyId"] = .string(principal.keyID)
        if let record { object["name"] = .string(record.name) }
        object["scopes"] = .array(principal.scopes.names.map { .string($0) })
        object["storeId"] = .string(principal.storeID ?? StoreID.firstStore)
        if let userId = principal.userId { object["userId"] = .integer(userId) }
        if let chats = principal.chats { object["chats"] = .array(chats.map(\.text).sorted().map { .string($0) }) }
        if let remoteHostId = principal.remoteHostId { object["remoteHostId"] = .integer(remoteHostId) }
        if let expires = record?.expiresAtSeconds {
            object["expiresAt"] = .string(Timestamp(seconds: expires).fullText)
        }
        return .now(HTTPResponse(json: JSONValue.object(object).encodeText()))
    }

    private static func listKeys(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (principal, now) = (try context.requireKeyOwner(), context.services.keys.clock.seconds())
        let keys = context.services.keys.keys(of: principal.storeID).filter { principal.canSee($0.record) }
        let (page, ends) = try context.parsePage().selectPage(of: keys) {
            ListPlace(number: $0.record.createdAtSeconds, text: $0.record.id)
        }
        return .now(HTTPResponse("keys", page.map { makeJSON($0.record, $0, now: now) }, ends, context))
    }

    private static func getKey(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        try context.refuseUnknownNames()
        let key = try context.requireListedKey()
        return .now(
            HTTPResponse(json: makeJSON(key.record, key, now: context.services.keys.clock.seconds()).encodeText())
        )
    }

    private static func createKey(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let principal = try context.requireKeyOwner()
        let new = try NewKey(context.parseBody(), by: principal, now: context.services.keys.clock.seconds())
        try context.refuseUnknownNames()
        try new.checkBindings()
        guard principal.canGrant(new.scopes, userId: new.userId, chats: new.chats),
            principal.storeID == nil || !new.scopes.contains(.stores)
        else {
            throw ProblemDetails(.forbidden, "A key cannot give rights that it does not have.")
        }
        return try context.runOnce(.keyFile(context.requireKeyFile())) { request async throws(ProblemDetails) in
            guard context.services.keys.keys(of: principal.storeID).count < maxKeys else {
                throw ProblemDetails(.conflict, "A store can have at most \(maxKeys) keys.")
            }
            try await new.requireBoundObjects(context.services, principal)
            return await context.changeKeys { file throws(KeyFileError) in
                let now = file.clock.seconds()
                @Sendable func response(_ key: APIKey, _ record: KeyRecord) -> HTTPResponse {
                    var response = makeSecretAnswer(key, record, now: now, status: 201)
                    response.headers.append(("Location", "\(listPath)/\(record.id)"))
                    return response
                }
                let made = try file.addKey(
                    name: new.name,
                    scopes: new.scopes,
                    userId: new.userId,
                    chats: new.chats,
                    remoteHostId: new.remoteHostId,
                    expires: new.expiresAtSeconds,
                    claimWithin: new.claimWithin,
                    by: principal
                ) { key, record throws(KeyFileError) in
                    guard let request else { return nil }
                    return try KeyFile.SealedAnswer(request, response(key, record), at: now)
                }
                return response(made.key, made.record)
            }
        }
    }

    private static func deleteKey(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let onlyUnclaimed = try context.parseFlag("unclaimed", default: false)
        try context.refuseUnknownNames()
        let (id, principal, request) = (
            try context.requireListedKey().record.id, try context.requireKeyOwner(), context.request
        )
        return context.replyChangingKeys { file throws(KeyFileError) in
            switch try file.revokeKey(id: id, by: principal, onlyUnclaimed: onlyUnclaimed) {
            case .revoked: HTTPResponse(status: 204)
            case .noSuchKey: nil
            case .keptClaimed:
                ProblemDetails(.conflict, "No link that waits to be claimed has this key.").response(for: request)
            }
        }
    }

    static func checkName(_ name: String?) throws(ProblemDetails) {
        guard name.map(KeyFile.isName) ?? true else {
            throw ProblemDetails(member: "name", "must have 1 to 100 characters, and no control characters.")
        }
    }

    /// Replaces the secret of a key. The former secret stays valid for `graceSeconds`.
    private static func rotateKey(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let grace: Int64 = try context.parseBody().decodeIfPresent("graceSeconds") ?? 0
        let name: String? = try context.parseBody().decodeIfPresent("name")
        try context.refuseUnknownNames()
        let (id, principal) = (try context.requireListedKey().record.id, try context.requireKeyOwner())
        guard (0...604_800).contains(grace) else {
            throw ProblemDetails(member: "graceSeconds", "must be from 0 to 604800.")
        }
        try checkName(name)
        return try context.runOnce(.keyFile(context.requireKeyFile())) { request async throws(ProblemDetails) in
            await context.changeKeys { file throws(KeyFileError) in
                let now = file.clock.seconds()
                return try file.rotateKey(id: id, grace: grace, name: name, by: principal) {
                    key,
                    record throws(KeyFileError) in
                    guard let request else { return nil }
                    return try KeyFile.SealedAnswer(
                        request,
                        makeSecretAnswer(key, record, now: now, status: 200),
                        at: now
                    )
                }.map { makeSecretAnswer($0.key, $0.record, now: now, status: 200) }
            }
        }
    }

    /// Makes the answer with the secret of a key. No other answer contains the secret.
    private static func makeSecretAnswer(_ key: APIKey, _ record: KeyRecord, now: Int64, status: Int) -> HTTPResponse {
        var response = HTTPResponse(
            status: status,
            json: JSONValue.object(
                JSONObject([("key", .string(key.text)), ("record", makeJSON(record, nil, now: now))])
            )
            .encodeText()
        )
        response.headers.append(("Cache-Control", "no-store"))
        return response
    }

    private static func makeJSON(_ record: KeyRecord, _ listed: ListedKey?, now: Int64) -> JSONValue {
        var object = JSONObject()
        object["keyId"] = .string(record.id)
        object["name"] = .string(record.name)
        object["scopes"] = .array(record.scopes.names.map { .string($0) })
        if let userId = record.userId { object["userId"] = .integer(userId) }
        if let chats = record.chats { object["chats"] = .array(chats.map(\.text).sorted().map { .string($0) }) }
        if let remoteHostId = record.remoteHostId { object["remoteHostId"] = .integer(remoteHostId) }
        object["createdAt"] = .string(Timestamp(seconds: record.createdAtSeconds).fullText)
        if let expires = record.expiresAtSeconds { object["expiresAt"] = .string(Timestamp(seconds: expires).fullText) }
        if let previous = record.previousSecret, now < previous.validUntilSeconds {
            object["previousSecretExpiresAt"] = .string(Timestamp(seconds: previous.validUntilSeconds).fullText)
        }
        if let used = listed?.lastUsedSeconds { object["lastUsedAt"] = .string(Timestamp(seconds: used).fullText) }
        if let place = listed?.lastAddress { object["lastUsedFrom"] = .string(place.text) }
        return .object(object)
    }
}

extension Principal {
    fileprivate func canSee(_ record: KeyRecord) -> Bool {
        canGrant(record.scopes, userId: record.userId, chats: record.chats)
    }
}

extension RouteContext {
    fileprivate func requireKeyOwner() throws(ProblemDetails) -> Principal {
        guard let principal else { throw ProblemDetails(.unauthorized) }
        return principal
    }

    /// Returns the key in the path, if the request's key may see it. A key sees only keys that have no rights beyond
    /// its own.
    fileprivate func requireListedKey() throws(ProblemDetails) -> ListedKey {
        let principal = try requireKeyOwner()
        guard
            let key = services.keys.keys(of: principal.storeID).first(where: {
                $0.record.id == parameters["keyId"] && principal.canSee($0.record)
            })
        else {
            throw ProblemDetails(.notFound, "There is no such key.")
        }
        return key
    }

    fileprivate func requireKeyFile() throws(ProblemDetails) -> KeyFile {
        guard let file = services.keys.keyFile(of: principal?.storeID) else { throw ProblemDetails(.unauthorized) }
        return file
    }

    /// Changes the store's key file on a thread that may block, and answers the request.
    /// - Parameter change: returns nil when the key does not exist.
    fileprivate func replyChangingKeys(
        _ change: @escaping @Sendable (KeyFile) throws(KeyFileError) -> HTTPResponse?
    ) -> HTTPReply {
        .later { await changeKeys(change) }
    }

    fileprivate func changeKeys(
        _ change: @escaping @Sendable (KeyFile) throws(KeyFileError) -> HTTPResponse?
    ) async -> HTTPResponse {
        let (keys, store) = (services.keys, principal?.storeID)
        guard let file = keys.keyFile(of: store) else { return ProblemDetails(.unauthorized).response(for: request) }
        do {
            let response = try await runBlocking { () throws -> HTTPResponse? in
                let response = try change(file)
                keys.reloadKeys(store)
                return response
            }
            return response ?? ProblemDetails(.notFound, "There is no such key.").response(for: request)
        } catch KeyFileError.requesterRevoked {
            return ProblemDetails(.unauthorized).response(for: request)
        } catch {
            return ProblemDetails(error, "The keys cannot be written.").response(for: request)
        }
    }
}
