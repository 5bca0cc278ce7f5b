internal import ChatAPI

/// Terminal commands for servers, their operators and the network.
extension Console {
    /// Returns the user's servers of one kind.
    func listServers(_ kind: ServerProtocol, user: Engine.User) async throws -> ChatResponse {
        let answer = try await run(.servers(.getUserServers(userId: user.userId)), as: user.userId)
        guard case .userServers(let apiUser, var all) = answer else { return answer }
        for index in all.indices {
            if kind == .smp { all[index].xftpServers = [] } else { all[index].smpServers = [] }
        }
        return .userServers(user: apiUser, userServers: all)
    }

    /// Replaces the user's own servers of one kind by `addresses`. Disables preset servers that have an operator, and
    /// preset servers that are not among the addresses.
    func setServers(_ kind: ServerProtocol, _ addresses: [String], user: Engine.User) async throws -> ChatResponse {
        guard
            case .userServers(_, var lists) = try await run(
                .servers(.getUserServers(userId: user.userId)),
                as: user.userId
            )
        else {
            throw ChatFailure.commandError("no servers")
        }
        let list: WritableKeyPath<UserOperatorServers, [UserServer]> = kind == .smp ? \.smpServers : \.xftpServers
        for index in lists.indices {
            // A server that the user already has keeps its id.
            lists[index][keyPath: list] = lists[index][keyPath: list].map { server in
                var server = server
                let isNamed = lists[index].operator == nil && addresses.contains(server.server)
                if server.preset { server.enabled = isNamed } else { server.deleted = !isNamed }
                if isNamed { server.enabled = true }
                return server
            }
            guard lists[index].operator == nil else { continue }
            let known = Set(lists[index][keyPath: list].map(\.server))
            lists[index][keyPath: list] += addresses.filter { !known.contains($0) }.map {
                UserServer(server: $0, preset: false, enabled: true, deleted: false)
            }
        }
        return try await run(.servers(.setUserServers(userId: user.userId, userServers: lists)), as: user.userId)
    }

    /// Returns the user's chat relays.
    func listRelays(user: Engine.User) async throws -> ChatResponse {
        let answer = try await run(.servers(.getUserServers(userId: user.userId)), as: user.userId)
        guard case .userServers(let apiUser, var all) = answer else { return answer }
        for index in all.indices { (all[index].smpServers, all[index].xftpServers) = ([], []) }
        return .userServers(user: apiUser, userServers: all)
    }

    /// Replaces the user's own chat relays, and disables preset relays.
    func setRelays(_ relays: [ConsoleRelay], user: Engine.User) async throws -> ChatResponse {
        guard
            case .userServers(_, var lists) = try await run(
                .servers(.getUserServers(userId: user.userId)),
                as: user.userId
            )
        else {
            throw ChatFailure.commandError("no relays")
        }
        let named = Set(relays.map(\.address))
        for index in lists.indices {
            // A relay that the user already has keeps its id.
            lists[index].chatRelays = lists[index].chatRelays?.map { relay in
                var relay = relay
                if relay.preset { relay.enabled = false } else { relay.deleted = !named.contains(relay.address) }
                return relay
            }
        }
        let known = lists.flatMap { $0.chatRelays ?? [] }
        for index in lists.indices where lists[index].operator == nil {
            lists[index].chatRelays =
                (lists[index].chatRelays ?? []).filter { $0.deleted || $0.preset }
                + relays.map { relay in
                    UserChatRelay(
                        chatRelayId: known.first { $0.address == relay.address }?.chatRelayId,
                        address: relay.address,
                        relayProfile: RelayProfile(displayName: relay.name, fullName: ""),
                        domains: [""],
                        preset: false,
                        enabled: true,
                        deleted: false
                    )
                }
        }
        return try await run(.servers(.setUserServers(userId: user.userId, userServers: lists)), as: user.userId)
    }

    /// Changes the settings of operators.
    /// - Throws: `operatorNotFound`.
    func setOperators(_ wishes: [ConsoleOperator], as userId: Int64) async throws -> ChatResponse {
        let operators = try await engine.readOperators()
        let changed = try wishes.map { wish in
            guard var one = operators.first(where: { $0.operatorId == wish.operatorId }) else {
                throw ChatFailure(StoreError.operatorNotFound(serverOperatorId: wish.operatorId))
            }
            one.enabled = wish.isEnabled
            (one.smpRoles.storage, one.smpRoles.proxy) = (wish.smpRoles.allowsStorage, wish.smpRoles.allowsProxy)
            (one.xftpRoles.storage, one.xftpRoles.proxy) = (wish.xftpRoles.allowsStorage, wish.xftpRoles.allowsProxy)
            return one
        }
        return try await run(.servers(.setServerOperators(operators: changed)), as: userId)
    }

    func setNetworkConfig(_ wish: ConsoleNetwork, as userId: Int64) async throws -> ChatResponse {
        var config = try await engine.readNetworkConfig()
        config.socksProxy = wish.socksProxy
        (config.socksMode, config.hostMode, config.requiredHostMode) = (
            wish.socksMode, wish.hostMode, wish.requiredHostMode
        )
        if let mode = wish.smpProxyMode { config.smpProxyMode = mode }
        if let fallback = wish.smpProxyFallback { config.smpProxyFallback = fallback }
        config.smpWebPortServers = wish.smpWebPortServers
        config.logTLSErrors = wish.logTLSErrors
        if let seconds = wish.timeoutSeconds {
            // The given time is the timeout for answers. The timeout for connecting is 1.5 times as long. Both timeouts
            // are three times as long for background requests.
            guard (1...86_400).contains(seconds) else {
                throw ChatFailure.commandError("the timeout must be from 1 to 86400 seconds")
            }
            let (answer, session) = (Int(seconds) * 1_000_000, Int(seconds) * 1_500_000)
            config.tcpTimeout = NetworkTimeout(backgroundTimeout: answer * 3, interactiveTimeout: answer)
            config.tcpConnectTimeout = NetworkTimeout(backgroundTimeout: session * 3, interactiveTimeout: session)
        }
        _ = try await run(.settings(.setNetworkConfig(networkConfig: config)), as: userId)
        return .networkConfig(networkConfig: try await engine.readNetworkConfig())
    }
}
