internal import ChatCore

/// Authorizes requests, and selects the services that each request uses.
extension GatewayService {
    /// Returns the principal of a request: its key, with the rights of the key. Returns nil for a route that needs no
    /// key.
    /// - Throws: a problem when the request has no valid key, or the key may not call the route.
    func authorize(
        _ request: HTTPRequest,
        _ route: Route,
        _ parameters: [String: String],
        _ remoteHost: Int64?
    ) throws(ProblemDetails) -> Principal? {
        if case .noKey = route.access { return nil }
        guard let principal = authenticate(request, route) else {
            if let key = request.presentedKey(for: route), services.keys.hasUnknownValidity(key) {
                throw ProblemDetails(.unavailable, "The keys of the store cannot be read.")
            }
            if request.presentsKey(for: route) || request.parameter("ticket") != nil {
                services.metrics.countRefusedKey()
                if let seconds = wrongKeys.countWrongKey(
                    request.address,
                    at: services.configuration.clock.monotonicMicroseconds()
                ) {
                    throw rateLimitProblem("Too many wrong keys have come from this address.", seconds)
                }
                accessLog.logRefusedKey(request, route)
            }
            var problem =
                request.parameter("token") == nil
                ? ProblemDetails(.unauthorized)
                : ProblemDetails(.unauthorized, "A key in a URL is refused: send it in a header field.")
            problem.headers = [("WWW-Authenticate", "Bearer realm=\"simplex-gateway\"")]
            throw problem
        }
        try Self.checkPermission(principal, route, parameters, remoteHost)
        return principal
    }

    /// Checks that a key may call a route.
    /// - Parameters:
    ///   - parameters: the values in the path of the request.
    ///   - remoteHost: the id of the phone to which the request goes; nil for a request to this gateway.
    static func checkPermission(
        _ principal: Principal,
        _ route: Route,
        _ parameters: [String: String],
        _ remoteHost: Int64?
    ) throws(ProblemDetails) {
        if let phone = principal.remoteHostId, remoteHost != phone, route.policy.phones != .keys {
            throw ProblemDetails(.forbidden, "The key is bound to a phone.")
        }
        guard !principal.isClaimOnly || route.policy.unclaimedKeys.admits(principal, parameters) else {
            throw ProblemDetails(
                .forbidden,
                "The key must be claimed first: POST /v1/keys/\(principal.keyID)/rotate returns its lasting secret."
            )
        }
        switch route.access {
        case .noKey: break
        case .key(let needed): try principal.requireScopes(needed)
        case .firstStore(let needed):
            try principal.requireScopes(needed)
            guard principal.storeID == nil else {
                throw ProblemDetails(.forbidden, "The key belongs to another store.")
            }
        case .storeInPath:
            let isManager = principal.storeID == nil && principal.scopes.contains(.stores)
            let isOwn = parameters["storeId"] == (principal.storeID ?? StoreID.firstStore)
            // The store in the path may not exist. Only its own keys, and keys that manage all stores, may learn this.
            guard isManager || isOwn else { throw ProblemDetails(.forbidden, "The key belongs to another store.") }
            guard isManager || principal.scopes.contains(.admin) else {
                throw ProblemDetails(.forbidden, "The key lacks the scope admin.")
            }
        }
        if let chats = principal.chats, !route.policy.chatKeys.admits(chats, parameters) {
            throw ProblemDetails(.forbidden, "The key is bound to other chats.")
        }
        if let own = principal.userId, !route.policy.profileKeys.admits(own, parameters) {
            let isOfStore = parameters["userId"] == nil
            throw ProblemDetails(
                .forbidden,
                isOfStore
                    ? "A key that is bound to a profile cannot use this route." : "The key is bound to another profile."
            )
        }
    }

    private func authenticate(_ request: HTTPRequest, _ route: Route) -> Principal? {
        if request.presentsKey(for: route) {
            return request.presentedKey(for: route).flatMap {
                services.keys.findPrincipal(for: $0, from: request.address)
            }
        }
        if route.policy.acceptedCredentials != .key, let ticket = request.parameter("ticket"),
            let principal = services.tickets.redeem(ticket, for: request.path)
        {
            // A ticket is refused if the secret with which it was made is no longer valid.
            return services.keys.isStillValid(principal) ? principal : nil
        }
        if route.policy.acceptedCredentials == .terminal, services.configuration.allowsKeylessSocket {
            return Principal(keyID: "", scopes: [.read, .write, .events], userId: nil)
        }
        return nil
    }

    /// Returns the services that a route uses: the services of the key's store, or of the whole gateway.
    func selectServices(_ principal: Principal?, _ route: Route) throws(ProblemDetails) -> GatewayServices {
        switch route.policy.storeUse {
        case .gateway: return services
        case .process where principal?.storeID == nil:
            return services.storeHost?.firstStore?.openedStore?.services ?? services
        case .storeOfKey, .process: return try services.requireServices(of: principal?.storeID)
        }
    }

    /// Returns the services of a connected phone. Only administrators of the store and keys of the phone may use them.
    static func findPhoneServices(
        of remoteHost: Int64,
        _ own: GatewayServices,
        _ principal: Principal?
    ) throws(ProblemDetails) -> GatewayServices {
        guard let principal, principal.canAccessPhone(remoteHost) else {
            throw ProblemDetails(
                .forbidden,
                "Only a key of the store with the scope admin, or a key of this phone, can use the phone."
            )
        }
        return try own.remoteHosts.findOrMakeServices(remoteHost, own)
    }
}

extension Principal {
    fileprivate func requireScopes(_ needed: Scopes) throws(ProblemDetails) {
        guard !scopes.allows(needed) else { return }
        let missing = needed.subtracting(scopes).names.joined(separator: ", ")
        throw ProblemDetails(.forbidden, "The key lacks the scope \(missing).")
    }
}

extension RoutePolicy.UnclaimedKeys {
    fileprivate func admits(_ principal: Principal, _ parameters: [String: String]) -> Bool {
        switch self {
        case .refused: false
        case .keyInPath: parameters["keyId"] == principal.keyID
        case .admitted: true
        }
    }
}

extension RoutePolicy.ChatKeys {
    /// Whether the route admits a key that is bound to chats.
    /// - Parameter chats: the chats of the key.
    fileprivate func admits(_ chats: Set<KeyChat>, _ parameters: [String: String]) -> Bool {
        switch self {
        case .refused: false
        case .chatInPath: KeyChat(of: parameters).map(chats.contains) ?? false
        case .answerFiltered: true
        }
    }
}

extension RoutePolicy.ProfileKeys {
    /// Whether the route admits a key that is bound to a profile.
    /// - Parameter own: the profile of the key.
    fileprivate func admits(_ own: Int64, _ parameters: [String: String]) -> Bool {
        switch self {
        case .profileInPath: parameters["userId"].flatMap { Int64($0) } == own
        case .answerFiltered: true
        }
    }
}
