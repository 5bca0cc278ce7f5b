package import SMP

extension Agent {
    /// Asks one of the given relays for the record of a name. The request is sent directly, or through a forwarding
    /// relay of the user.
    ///
    /// If a relay cannot resolve names (NO_RESOLVER, or a version before 20), the next relay is asked. After any other
    /// answer no further relay is asked, since each asked relay learns the name.
    /// - Parameter resolvers: the relays that may learn the name, in any order; at least one.
    package func resolveName(
        _ name: NameDomain,
        user: AgentUserID,
        at resolvers: [ProtocolServer],
        patience: Patience = .background
    ) async throws -> NameRecord {
        let clients = try requireOnline().clients
        let servers = try await database.read { db in try readServers(of: user, db) }
        var failure = AgentError.command(.prohibited, context: "no relay for names")
        for server in resolvers.shuffled() {
            do throws(SMPClientError) {
                let answer = try await clients.sendCommand(
                    SMPRequest(.rslv(name)),
                    to: server,
                    user: user,
                    connection: nil,
                    servers: servers,
                    patience: patience
                ).answer
                guard case .rname(let json) = answer else { throw .unexpected(answer.tag) }
                guard let record = try? NameRecord(parsing: json) else { throw .response("RNAME") }
                return record
            } catch {
                failure = AgentError(error, server: server)
                guard error.isFromRelayWithoutNames else { throw failure }
            }
        }
        throw failure
    }
}

extension SMPClientError {
    /// Whether a relay refused RSLV because it resolves no names.
    fileprivate var isFromRelayWithoutNames: Bool {
        switch self {
        case .smp(.name(.noResolver)), .smp(.cmd(.unknown)), .transport(.version): true
        default: false
        }
    }
}
