internal import ChatAPI
internal import SMP
internal import Transport

/// Checks the lists of servers of a profile. The servers must allow the profile to create queues and to send messages,
/// and the lists must not contain a server twice.
struct ServerValidation {
    /// The protocols for which the profile has servers. The profile must keep at least one server for each of them.
    var protocols: [ServerProtocol]

    func findErrors(_ lists: [UserOperatorServers]) -> [UserServersError] {
        protocols.flatMap { findMissingServers($0, lists, user: nil) }
            + [ServerProtocol.smp, .xftp].flatMap { findDuplicateServers($0, lists) }
            + ChatRelays.findDuplicateErrors(lists)
    }

    /// Finds the errors in the lists of another profile. This check is needed because a changed operator affects all
    /// profiles. Duplicates are not checked.
    func findErrors(_ lists: [UserOperatorServers], of user: User) -> [UserServersError] {
        protocols.flatMap { findMissingServers($0, lists, user: user) }
    }

    /// Returns warnings if a profile has no relays of channels, or no servers that resolve names. These are not errors,
    /// because a profile works without such relays and servers.
    /// - Parameter user: the user whose servers the lists contain; nil for the user of the command.
    static func findWarnings(_ lists: [UserOperatorServers], of user: User? = nil) -> [UserServersWarning] {
        let hasRelay = lists.contains { list in
            list.operator?.enabled != false && (list.chatRelays ?? []).contains { $0.enabled && !$0.deleted }
        }
        let hasNames = lists.contains { list in
            list.operator.map { $0.enabled && $0.smpRoles.names } ?? true
                && list.smpServers.contains { $0.enabled && !$0.deleted }
        }
        return (hasRelay ? [] : [.noChatRelays(user: user)]) + (hasNames ? [] : [.noNamesServers(user: user)])
    }

    private func selectServers(_ kind: ServerProtocol, _ list: UserOperatorServers) -> [UserServer] {
        (kind == .smp ? list.smpServers : list.xftpServers).filter { !$0.deleted }
    }

    private func findMissingServers(
        _ kind: ServerProtocol,
        _ lists: [UserOperatorServers],
        user: User?
    ) -> [UserServersError] {
        func hasServer(_ role: KeyPath<ServerRoles, Bool>?, _ override: KeyPath<ServerRolesOverride, Bool?>?) -> Bool {
            lists.contains { list in
                let roles = list.operator.map { kind == .smp ? $0.smpRoles : $0.xftpRoles }
                return list.operator?.enabled != false
                    && selectServers(kind, list).contains { server in
                        guard server.enabled else { return false }
                        guard let role, let override else { return true }
                        return server.roles?[keyPath: override] ?? roles?[keyPath: role] ?? true
                    }
            }
        }
        guard hasServer(nil, nil) else { return [.noServers(protocol: kind, user: user)] }
        return (hasServer(\.storage, \.storage) ? [] : [.storageMissing(protocol: kind, user: user)])
            + (hasServer(\.proxy, \.proxy) ? [] : [.proxyMissing(protocol: kind, user: user)])
    }

    private func findDuplicateServers(_ kind: ServerProtocol, _ lists: [UserOperatorServers]) -> [UserServersError] {
        let all = lists.flatMap { selectServers(kind, $0) }.map {
            ($0.server, (try? ProtocolServer(parsing: $0.server))?.hosts ?? [])
        }
        var counts: [TransportHost: Int] = [:]
        for host in all.flatMap(\.1) { counts[host, default: 0] += 1 }
        return all.compactMap { text, hosts in
            hosts.first { counts[$0, default: 0] > 1 }.map {
                .duplicateServer(protocol: kind, duplicateServer: text, duplicateHost: $0.str)
            }
        }
    }
}

extension UserServersError {
    /// The text that the original writes for the error.
    var text: String {
        func protocolText(_ one: ServerProtocol) -> String { "AProtocolType SP\(one.rawValue.uppercased())" }
        func userText(_ one: User?) -> String { one.map { "Just \($0.localDisplayName)" } ?? "Nothing" }
        switch self {
        case .noServers(let one, let who):
            return "USENoServers {protocol = \(protocolText(one)), user = \(userText(who))}"
        case .storageMissing(let one, let who):
            return "USEStorageMissing {protocol = \(protocolText(one)), user = \(userText(who))}"
        case .proxyMissing(let one, let who):
            return "USEProxyMissing {protocol = \(protocolText(one)), user = \(userText(who))}"
        case .duplicateServer(let one, let server, let host):
            let shown: String
            switch try? TransportHost(parsing: host) {
            case .ipv4(let bytes)?: shown = "THIPv4 (\(bytes.map { String($0) }.joined(separator: ",")))"
            case .onion?: shown = "THOnionHost \"\(host)\""
            case .ipv6?: shown = "THIPv6 \(host)"
            default: shown = "THDomainName \"\(host)\""
            }
            return
                "USEDuplicateServer {protocol = \(protocolText(one)), duplicateServer = \"\(server)\", "
                + "duplicateHost = \(shown)}"
        case .duplicateChatRelayAddress(let name, let address):
            return "USEDuplicateChatRelayAddress {duplicateChatRelay = \"\(name)\", duplicateAddress = \(address)}"
        default: return "\(self)"
        }
    }
}
