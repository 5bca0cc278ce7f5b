internal import Agent
internal import ChatAPI

enum ServerSummaries {
    /// The same relays of all users put together.
    static func merged(_ states: [ServerState]) -> [ServerState] {
        var byServer: [ServerState] = []
        for state in states {
            guard let index = byServer.firstIndex(where: { $0.server == state.server }) else {
                byServer.append(state)
                continue
            }
            byServer[index].connected += state.connected
            byServer[index].connecting += state.connecting
            byServer[index].failed += state.failed
            byServer[index].active += state.active
            byServer[index].pending += state.pending
            byServer[index].isUsed = byServer[index].isUsed || state.isUsed
            if let more = state.statistics {
                byServer[index].statistics = (byServer[index].statistics ?? ServerStatistics()).adding(more)
            }
        }
        return byServer
    }
}

extension SMPServersSummary {
    /// - Parameter known: whether a server is one of the user's; nil where that is no question.
    init(_ states: [ServerState], known: (ServerState) -> Bool?) {
        let isOnlyProxied: (ServerState) -> Bool = { state in
            guard let one = state.statistics, !state.isUsed else { return false }
            return one.sentViaProxy > 0 && one.sentDirect == 0 && one.recvMsgs == 0
        }
        let total = states.compactMap(\.statistics).reduce(ServerStatistics()) { $0.adding($1) }
        func summaries(_ isWanted: (ServerState) -> Bool) -> [SMPServerSummary] {
            states.filter(isWanted).map { state in
                SMPServerSummary(
                    smpServer: state.server.str, known: known(state), sessions: state.isUsed ? ServerSessions([state]) : nil,
                    subs: state.active + state.pending > 0 ? SMPServerSubs([state]) : nil,
                    stats: state.statistics.map(AgentSMPServerStatsData.init))
            }
        }
        self.init(
            smpTotals: SMPTotals(sessions: ServerSessions(states), subs: SMPServerSubs(states), stats: AgentSMPServerStatsData(total)),
            currentlyUsedSMPServers: summaries(\.isUsed),
            previouslyUsedSMPServers: summaries { !$0.isUsed && !isOnlyProxied($0) },
            onlyProxiedSMPServers: summaries(isOnlyProxied))
    }
}

extension SMPServerSubs {
    init(_ states: [ServerState]) {
        self.init(ssActive: states.reduce(0) { $0 + $1.active }, ssPending: states.reduce(0) { $0 + $1.pending })
    }
}

extension ServerSessions {
    init(_ states: [ServerState]) {
        self.init(
            ssConnected: states.reduce(0) { $0 + $1.connected }, ssErrors: states.reduce(0) { $0 + $1.failed },
            ssConnecting: states.reduce(0) { $0 + $1.connecting })
    }

    static let none = ServerSessions(ssConnected: 0, ssErrors: 0, ssConnecting: 0)
}

extension AgentSMPServerStatsData {
    init(_ one: ServerStatistics) {
        self.init(
            _sentDirect: one.sentDirect, _sentViaProxy: one.sentViaProxy, _sentProxied: one.sentProxied,
            _sentDirectAttempts: one.sentDirectAttempts, _sentViaProxyAttempts: one.sentViaProxyAttempts,
            _sentProxiedAttempts: one.sentProxiedAttempts, _sentAuthErrs: one.sentAuthErrs, _sentQuotaErrs: one.sentQuotaErrs,
            _sentExpiredErrs: one.sentExpiredErrs, _sentOtherErrs: one.sentOtherErrs, _recvMsgs: one.recvMsgs,
            _recvDuplicates: one.recvDuplicates, _recvCryptoErrs: one.recvCryptoErrs, _recvErrs: one.recvErrs, _ackMsgs: one.ackMsgs,
            _ackAttempts: one.ackAttempts, _ackNoMsgErrs: one.ackNoMsgErrs, _ackOtherErrs: one.ackOtherErrs, _connCreated: one.connCreated,
            _connSecured: one.connSecured, _connCompleted: 0, _connDeleted: one.connDeleted, _connDelAttempts: one.connDelAttempts,
            _connDelErrs: one.connDelErrs, _connSubscribed: one.connSubscribed, _connSubAttempts: one.connSubAttempts, _connSubIgnored: 0,
            _connSubErrs: one.connSubErrs, _ntfKey: 0, _ntfKeyAttempts: 0, _ntfKeyDeleted: 0, _ntfKeyDeleteAttempts: 0)
    }
}

extension XFTPServersSummary {
    /// There are no counts without file servers.
    static let unused = XFTPServersSummary(
        xftpTotals: XFTPTotals(
            sessions: .none,
            stats: AgentXFTPServerStatsData(
                _uploads: 0, _uploadsSize: 0, _uploadAttempts: 0, _uploadErrs: 0, _downloads: 0, _downloadsSize: 0, _downloadAttempts: 0,
                _downloadAuthErrs: 0, _downloadErrs: 0, _deletions: 0, _deleteAttempts: 0, _deleteErrs: 0)),
        currentlyUsedXFTPServers: [], previouslyUsedXFTPServers: [])
}

extension NtfServersSummary {
    /// There are no counts without notification servers.
    static let unused = NtfServersSummary(
        ntfTotals: NtfTotals(
            sessions: .none,
            stats: AgentNtfServerStatsData(
                _ntfCreated: 0, _ntfCreateAttempts: 0, _ntfChecked: 0, _ntfCheckAttempts: 0, _ntfDeleted: 0, _ntfDelAttempts: 0)),
        currentlyUsedNtfServers: [], previouslyUsedNtfServers: [])
}
