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
        let (principal, body) = (try context.requireKeyOwner(), try context.parseBody())
        let name: String = try body.decodeValue("name")
        try checkName(name)
        let names: [String] = try body.decodeIfPresent("scopes") ?? ["read", "write", "events"]
        guard let scopes = Scopes(names: names) else {
            throw ProblemDetails(member: "scopes", "must be some of read, write, events, admin and stores.")
        }
        let userId: Int64? = try body.decodeIfPresent("userId") ?? principal.userId
        guard userId ?? 1 > 0 else { throw ProblemDetails(member: "userId", "must be a positive number.") }
        let chats = try decodeChats(body) ?? principal.chats
        let remoteHostId: Int64? = try body.decodeIfPresent("remoteHostId")
        guard remoteHostId ?? 1 > 0 else {
            throw ProblemDetails(member: "remoteHostId", "must be a positive number.")
        }
        let expires = try decodeExpiry(body, now: context.services.keys.clock.seconds())
        let claimWithin: Int64? = try body.decodeIfPresent("claimWithin")
        guard (1...86_400).contains(claimWithin ?? 1) else {
            throw ProblemDetails(member: "claimWithin", "must be from 1 to 86400 seconds.")
        }
        try context.refuseUnknownNames()
        // A key that is bound to chats can have only these scopes.
        guard chats == nil || scopes.isSubset(of: [.read, .write, .events]) && userId != nil else {
            throw ProblemDetails(
                .invalidValue,
                "A key with chats needs the userId of these chats, and can have only the scopes read, write and events."
            )
        }
        guard remoteHostId == nil || userId == nil && chats == nil && !scopes.contains(.stores) else {
            throw ProblemDetails(
                .invalidValue,
                "A key with remoteHostId reaches only this phone: it cannot have userId, chats or the scope stores."
            )
        }
        guard userId == nil || !scopes.contains(.stores) else {
            throw ProblemDetails(.invalidValue, "A key with userId cannot have the scope stores.")
        }
        guard claimWithin == nil || scopes.contains(.admin) else {
            throw ProblemDetails(
                .invalidValue,
                "A key with claimWithin needs the scope admin, because it is rotated with itself."
            )
        }
        guard principal.canGrant(scopes, userId: userId, chats: chats),
            principal.storeID == nil || !scopes.contains(.stores)
        else {
            throw ProblemDetails(.forbidden, "A key cannot give rights that it does not have.")
        }
        return try context.runOnce(.keyFile(context.requireKeyFile())) { request async throws(ProblemDetails) in
            guard context.services.keys.keys(of: principal.storeID).count < maxKeys else {
                throw ProblemDetails(.conflict, "A store can have at most \(maxKeys) keys.")
            }
            try await checkBindings(userId, chats, remoteHostId, context.services, principal)
            return await context.changeKeys { file throws(KeyFileError) in
                let now = file.clock.seconds()
                @Sendable func response(_ key: APIKey, _ record: KeyRecord) -> HTTPResponse {
                    var response = makeSecretAnswer(key, record, now: now, status: 201)
                    response.headers.append(("Location", "\(listPath)/\(record.id)"))
                    return response
                }
                let made = try file.addKey(
                    name: name,
                    scopes: scopes,
                    userId: userId,
                    chats: chats,
                    remoteHostId: remoteHostId,
                    expires: expires,
                    claimWithin: claimWithin,
                    by: principal
                ) { key, record throws(KeyFileError) in
                    guard let request else { return nil }
                    return try KeyFile.SealedAnswer(request, response(key, record), at: now)
                }
                return response(made.key, made.record)
            }
        }
    }

    /// Refuses a key for a profile, chat or phone that does not exist. Otherwise a later profile, chat or phone could
    /// get the same id, and the key would open it.
    private static func checkBindings(
        _ userId: Int64?,
        _ chats: Set<KeyChat>?,
        _ remoteHostId: Int64?,
        _ services: GatewayServices,
        _ principal: Principal
    ) async throws(ProblemDetails) {
        guard userId != nil || remoteHostId != nil else { return }
        let own = try services.services(of: principal.storeID)
        func run(_ command: ChatCommand, as user: Int64? = nil) async throws(ProblemDetails) -> ChatResponse {
            switch await own.core.send(command, as: user, with: principal.commandRights, claim: nil) {
            case .result(let response): return response
            case .error(let error): throw ProblemDetails(error)
            }
        }
        if let userId, principal.userId == nil {
            guard case .usersList(let users) = try await run(.users(.listUsers)),
                users.contains(where: { $0.user.userId == userId })
            else {
                throw ProblemDetails(.invalidValue, "There is no profile \(userId).")
            }
        }
        if let userId, principal.chats == nil {
            for chat in (chats ?? []).sorted(by: { $0.text < $1.text }) {
                do throws(ProblemDetails) {
                    _ = try await run(
                        .messages(
                            .getChat(chat: chat.chatRef, contentTag: nil, pagination: .last(count: 1), search: nil)
                        ),
                        as: userId
                    )
                } catch {
                    guard error.code == .notFound else { throw error }
                    throw ProblemDetails(.invalidValue, "The profile has no chat \(chat.text).")
                }
            }
        }
        if let remoteHostId {
            guard case .remoteHostList(let phones) = try await run(.remoteControl(.listRemoteHosts)),
                phones.contains(where: { $0.remoteHostId == remoteHostId })
            else { throw ProblemDetails(.invalidValue, "There is no phone \(remoteHostId).") }
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

    private static func checkName(_ name: String?) throws(ProblemDetails) {
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

    private static func decodeChats(_ body: RequestBody) throws(ProblemDetails) -> Set<KeyChat>? {
        guard let texts: [String] = try body.decodeIfPresent("chats") else { return nil }
        let chats = texts.compactMap { KeyChat($0) }
        guard !texts.isEmpty, texts.count <= 100, chats.count == texts.count else {
            throw ProblemDetails(member: "chats", "must be 1 to 100 chats such as direct/4, group/2 or local/1.")
        }
        return Set(chats)
    }

    /// Reads the expiry, in seconds since 1970: `expiresAt` is a time, `expiresIn` a number of seconds.
    private static func decodeExpiry(_ body: RequestBody, now: Int64) throws(ProblemDetails) -> Int64? {
        let (text, seconds): (String?, Int64?) = (
            try body.decodeIfPresent("expiresAt"), try body.decodeIfPresent("expiresIn")
        )
        guard text == nil || seconds == nil else {
            throw ProblemDetails(.invalidValue, "Only one of expiresAt and expiresIn can be given.")
        }
        if let seconds {
            guard (1...315_360_000).contains(seconds) else {
                throw ProblemDetails(member: "expiresIn", "must be from 1 to 315360000 seconds.")
            }
            return now + seconds
        }
        guard let text else { return nil }
        // A time after April 2262 is refused, because a timestamp cannot represent it.
        guard let time = Timestamp(parsing: text)?.seconds, time > now, time < Int64.max / 1_000_000_000 else {
            throw ProblemDetails(
                member: "expiresAt",
                "must be a time in the future, in UTC and before April 2262, such as 2030-01-01T00:00:00Z."
            )
        }
        return time
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

    /// Returns the key in the path, if the request's key may see it. A key sees only keys without additional rights.
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

    /// Changes the key file of the store, on a thread that may block.
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

extension KeyChat {
    fileprivate var chatRef: ChatRef {
        switch type {
        case "group": ChatRef(chatType: .group, chatId: id)
        case "local": ChatRef(chatType: .local, chatId: id)
        default: ChatRef(chatType: .direct, chatId: id)
        }
    }
}
