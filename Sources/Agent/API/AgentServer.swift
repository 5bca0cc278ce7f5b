package import SMP

/// A relay or a file server of a user, with the purposes for which the agent uses it.
package struct AgentServer: Hashable, Sendable {
    package var server: ProtocolServer
    /// The operator of the server. The agent prefers servers of different operators for the two ends of a connection.
    package var operatorID: Int64?
    /// Whether the agent creates new queues, or stores new chunks of files, on the server.
    package var hasStorageRole: Bool
    /// Whether the agent uses the server to forward messages to relays that the user has not configured.
    package var isProxy: Bool

    package init(_ server: ProtocolServer, operatorID: Int64? = nil, hasStorageRole: Bool = true, isProxy: Bool = true)
    {
        self.server = server
        self.operatorID = operatorID
        self.hasStorageRole = hasStorageRole
        self.isProxy = isProxy
    }
}

/// The servers of a user: relays for new queues and for the forwarding of messages, and servers for uploads.
package struct AgentUserServers: Sendable {
    let user: AgentUserID
    let relays: [AgentServer]
    let fileServers: [AgentServer]

    package init(user: AgentUserID, relays: [AgentServer], fileServers: [AgentServer]) {
        (self.user, self.relays, self.fileServers) = (user, relays, fileServers)
    }
}

extension Sequence<AgentServer> {
    /// Picks a random server. Prefers operators that have no server in `avoided`, and then servers that are not in
    /// `avoided`. The first server of `avoided` is the last choice.
    func pickServer(avoiding avoided: [ProtocolServer]) -> AgentServer? {
        func isOne(of servers: some Sequence<ProtocolServer>, _ server: AgentServer) -> Bool {
            servers.contains { $0.keyHash == server.server.keyHash }
        }
        func filterUnlessEmpty(_ servers: [AgentServer], _ isWanted: (AgentServer) -> Bool) -> [AgentServer] {
            let wanted = servers.filter(isWanted)
            return wanted.isEmpty ? servers : wanted
        }
        let all = Array(self)
        let usedOperators = Set(all.filter { isOne(of: avoided, $0) }.map(\.operatorID))
        let ofOthers = filterUnlessEmpty(all) { !usedOperators.contains($0.operatorID) }
        let unused = filterUnlessEmpty(ofOthers) { !isOne(of: avoided, $0) }
        return filterUnlessEmpty(unused) { !isOne(of: avoided.prefix(1), $0) }.randomElement()
    }
}
