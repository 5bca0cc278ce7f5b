internal import Agent
internal import ChatAPI

enum ServerSummaries {
    /// Merges the states of all users into one state for each relay.
    static func mergeByServer(_ states: [ServerState]) -> [ServerState] {
        var byServer: [ServerState] = []
        for state in states {
            guard let index = byServer.firstIndex(where: { $0.server == state.server }) else {
                byServer.append(state)
                continue
            }
            byServer[index].connectedSessions += state.connectedSessions
            byServer[index].connectingSessions += state.connectingSessions
            byServer[index].failedSessions += state.failedSessions
            byServer[index].activeQueues += state.activeQueues
            byServer[index].pendingQueues += state.pendingQueues
            byServer[index].isUsed = byServer[index].isUsed || state.isUsed
            if let more = state.statistics {
                byServer[index].statistics = (byServer[index].statistics ?? ServerStatistics()).adding(more)
            }
        }
        return byServer
    }

    /// Merges the states of all users into one state for each file server.
    static func mergeByServer(_ states: [FileServerState]) -> [FileServerState] {
        var byServer: [FileServerState] = []
        for state in states {
            guard let index = byServer.firstIndex(where: { $0.server == state.server }) else {
                byServer.append(state)
                continue
            }
            byServer[index].connectedSessions += state.connectedSessions
            byServer[index].runningWork.formUnion(state.runningWork)
            if let more = state.statistics {
                byServer[index].statistics = (byServer[index].statistics ?? FileServerStatistics()).adding(more)
            }
        }
        return byServer
    }
}

extension SMPServersSummary {
    /// Summarizes the states of relays.
    /// - Parameter known: a function that returns whether a server is one of the user's servers. For the summary of
    ///   all users, the function returns nil.
    init(_ states: [ServerState], known: (ServerState) -> Bool?) {
        let isOnlyProxied: (ServerState) -> Bool = { state in
            guard let one = state.statistics, !state.isUsed else { return false }
            return one.sentViaProxy > 0 && one.sentDirect == 0 && one.recvMsgs == 0
        }
        let total = states.compactMap(\.statistics).reduce(ServerStatistics()) { $0.adding($1) }
        func summaries(_ isWanted: (ServerState) -> Bool) -> [SMPServerSummary] {
            states.filter(isWanted).map { state in
                SMPServerSummary(
                    smpServer: state.server.str,
                    known: known(state),
                    sessions: state.isUsed ? ServerSessions([state]) : nil,
                    subs: state.activeQueues + state.pendingQueues > 0 ? SMPServerSubs([state]) : nil,
                    stats: state.statistics.map(AgentSMPServerStatsData.init)
                )
            }
        }
        self.init(
            smpTotals: SMPTotals(
                sessions: ServerSessions(states),
                subs: SMPServerSubs(states),
                stats: AgentSMPServerStatsData(total)
            ),
            currentlyUsedSMPServers: summaries(\.isUsed),
            previouslyUsedSMPServers: summaries { !$0.isUsed && !isOnlyProxied($0) },
            onlyProxiedSMPServers: summaries(isOnlyProxied)
        )
    }
}

extension SMPServerSubs {
    init(_ states: [ServerState]) {
        self.init(
            ssActive: states.reduce(0) { $0 + $1.activeQueues },
            ssPending: states.reduce(0) { $0 + $1.pendingQueues }
        )
    }
}

extension ServerSessions {
    init(_ states: [ServerState]) {
        self.init(
            ssConnected: states.reduce(0) { $0 + $1.connectedSessions },
            ssErrors: states.reduce(0) { $0 + $1.failedSessions },
            ssConnecting: states.reduce(0) { $0 + $1.connectingSessions }
        )
    }
}

extension AgentSMPServerStatsData {
    init(_ one: ServerStatistics) {
        self.init(
            _sentDirect: one.sentDirect,
            _sentViaProxy: one.sentViaProxy,
            _sentProxied: one.sentProxied,
            _sentDirectAttempts: one.sentDirectAttempts,
            _sentViaProxyAttempts: one.sentViaProxyAttempts,
            _sentProxiedAttempts: one.sentProxiedAttempts,
            _sentAuthErrs: one.sentAuthErrs,
            _sentQuotaErrs: one.sentQuotaErrs,
            _sentExpiredErrs: one.sentExpiredErrs,
            _sentOtherErrs: one.sentOtherErrs,
            _recvMsgs: one.recvMsgs,
            _recvDuplicates: one.recvDuplicates,
            _recvCryptoErrs: one.recvCryptoErrs,
            _recvErrs: one.recvErrs,
            _ackMsgs: one.ackMsgs,
            _ackAttempts: one.ackAttempts,
            _ackNoMsgErrs: one.ackNoMsgErrs,
            _ackOtherErrs: one.ackOtherErrs,
            _connCreated: one.connCreated,
            _connSecured: one.connSecured,
            _connCompleted: 0,
            _connDeleted: one.connDeleted,
            _connDelAttempts: one.connDelAttempts,
            _connDelErrs: one.connDelErrs,
            _connSubscribed: one.connSubscribed,
            _connSubAttempts: one.connSubAttempts,
            _connSubIgnored: 0,
            _connSubErrs: one.connSubErrs,
            _ntfKey: one.ntfKey,
            _ntfKeyAttempts: one.ntfKeyAttempts,
            _ntfKeyDeleted: one.ntfKeyDeleted,
            _ntfKeyDeleteAttempts: one.ntfKeyDeleteAttempts
        )
    }
}

extension XFTPServersSummary {
    /// Summarizes the states of file servers.
    /// - Parameter known: a function that returns whether a server is one of the user's servers. For the summary of
    ///   all users, the function returns nil.
    init(_ states: [FileServerState], known: (FileServerState) -> Bool?) {
        func sessions(_ states: [FileServerState]) -> ServerSessions {
            ServerSessions(ssConnected: states.reduce(0) { $0 + $1.connectedSessions }, ssErrors: 0, ssConnecting: 0)
        }
        let isUsed: (FileServerState) -> Bool = { $0.connectedSessions > 0 || !$0.runningWork.isEmpty }
        func summaries(_ isWanted: (FileServerState) -> Bool) -> [XFTPServerSummary] {
            states.filter(isWanted).map { state in
                XFTPServerSummary(
                    xftpServer: state.server.str,
                    known: known(state),
                    sessions: state.connectedSessions > 0 ? sessions([state]) : nil,
                    stats: state.statistics.map(AgentXFTPServerStatsData.init),
                    rcvInProgress: state.runningWork.contains(.receiving),
                    sndInProgress: state.runningWork.contains(.sending),
                    delInProgress: state.runningWork.contains(.deleting)
                )
            }
        }
        let total = states.compactMap(\.statistics).reduce(FileServerStatistics()) { $0.adding($1) }
        self.init(
            xftpTotals: XFTPTotals(sessions: sessions(states), stats: AgentXFTPServerStatsData(total)),
            currentlyUsedXFTPServers: summaries(isUsed),
            previouslyUsedXFTPServers: summaries { !isUsed($0) }
        )
    }
}

extension AgentXFTPServerStatsData {
    init(_ one: FileServerStatistics) {
        self.init(
            _uploads: one.uploads,
            _uploadsSize: Int64(one.uploadsSize),
            _uploadAttempts: one.uploadAttempts,
            _uploadErrs: one.uploadErrs,
            _downloads: one.downloads,
            _downloadsSize: Int64(one.downloadsSize),
            _downloadAttempts: one.downloadAttempts,
            _downloadAuthErrs: one.downloadAuthErrs,
            _downloadErrs: one.downloadErrs,
            _deletions: one.deletions,
            _deleteAttempts: one.deleteAttempts,
            _deleteErrs: one.deleteErrs
        )
    }
}

extension NtfServersSummary {
    /// Summarizes the states of notification servers.
    /// - Parameter known: a function that returns whether notification tokens of the user are registered at a server.
    ///   For the summary of all users, the function returns nil.
    init(_ states: [ServerState], known: (ServerState) -> Bool?) {
        func summaries(_ isWanted: (ServerState) -> Bool) -> [NtfServerSummary] {
            states.filter(isWanted).map { state in
                NtfServerSummary(
                    ntfServer: state.server.str,
                    known: known(state),
                    sessions: state.isUsed ? ServerSessions([state]) : nil,
                    stats: state.statistics.map(AgentNtfServerStatsData.init)
                )
            }
        }
        let total = states.compactMap(\.statistics).reduce(ServerStatistics()) { $0.adding($1) }
        self.init(
            ntfTotals: NtfTotals(sessions: ServerSessions(states), stats: AgentNtfServerStatsData(total)),
            currentlyUsedNtfServers: summaries(\.isUsed),
            previouslyUsedNtfServers: summaries { !$0.isUsed }
        )
    }
}

extension AgentNtfServerStatsData {
    /// Converts statistics of notification servers to the form of the API. The numbers of deleted subscriptions stay
    /// zero: a subscription ends with its queue, and is never deleted separately.
    init(_ one: ServerStatistics) {
        self.init(
            _ntfCreated: one.ntfCreated,
            _ntfCreateAttempts: one.ntfCreateAttempts,
            _ntfChecked: one.ntfChecked,
            _ntfCheckAttempts: one.ntfCheckAttempts,
            _ntfDeleted: 0,
            _ntfDelAttempts: 0
        )
    }
}
