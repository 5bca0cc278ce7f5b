internal import ChatAPI
internal import ChatCore
internal import JSON

/// The body of a request for a new key.
struct NewKey: Sendable {
    let name: String
    let scopes: Scopes
    /// The profile to which the key is bound; nil for all profiles.
    let userId: Int64?
    /// The chats to which the key is bound; nil for all chats.
    let chats: Set<KeyChat>?
    /// The phone to which the key is bound; nil for the store.
    let remoteHostId: Int64?
    /// The time at which the key expires, in seconds since 1970; nil for a key that does not expire.
    let expiresAtSeconds: Int64?
    /// Number of seconds in which the key must be claimed; nil for a key that is valid without a claim.
    let claimWithin: Int64?

    /// Reads the body of a request for a new key.
    /// - Parameters:
    ///   - principal: the key that makes the new key. By default, the new key gets the profile and the chats of this
    ///     key.
    ///   - now: the time in seconds since 1970.
    init(_ body: RequestBody, by principal: Principal, now: Int64) throws(ProblemDetails) {
        name = try body.decodeValue("name")
        try KeysResource.checkName(name)
        let names: [String] = try body.decodeIfPresent("scopes") ?? ["read", "write", "events"]
        guard let scopes = Scopes(names: names) else {
            throw ProblemDetails(member: "scopes", "must be some of read, write, events, admin and stores.")
        }
        self.scopes = scopes
        userId = try body.decodeIfPresent("userId") ?? principal.userId
        guard userId ?? 1 > 0 else { throw ProblemDetails(member: "userId", "must be a positive number.") }
        chats = try Self.decodeChats(body) ?? principal.chats
        remoteHostId = try body.decodeIfPresent("remoteHostId")
        guard remoteHostId ?? 1 > 0 else {
            throw ProblemDetails(member: "remoteHostId", "must be a positive number.")
        }
        expiresAtSeconds = try Self.decodeExpiry(body, now: now)
        claimWithin = try body.decodeIfPresent("claimWithin")
        guard (1...86_400).contains(claimWithin ?? 1) else {
            throw ProblemDetails(member: "claimWithin", "must be from 1 to 86400 seconds.")
        }
    }

    /// Refuses bindings and scopes that exclude each other.
    func checkBindings() throws(ProblemDetails) {
        // A key that is bound to chats must be bound to a profile too, and can have only the scopes `read`, `write` and
        // `events`.
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
    }

    /// Refuses a key for a profile, chat or phone that does not exist. Otherwise a later profile, chat or phone could
    /// get the same id, and the key would give access to it.
    func requireBoundObjects(_ services: GatewayServices, _ principal: Principal) async throws(ProblemDetails) {
        guard userId != nil || remoteHostId != nil else { return }
        let own = try services.requireServices(of: principal.storeID)
        func run(_ command: ChatCommand, as user: Int64? = nil) async throws(ProblemDetails) -> ChatResponse {
            switch await own.core.runCommand(command, as: user, with: principal.commandRights, claim: nil) {
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

extension KeyChat {
    fileprivate var chatRef: ChatRef {
        switch type {
        case "group": ChatRef(chatType: .group, chatId: id)
        case "local": ChatRef(chatType: .local, chatId: id)
        default: ChatRef(chatType: .direct, chatId: id)
        }
    }
}
