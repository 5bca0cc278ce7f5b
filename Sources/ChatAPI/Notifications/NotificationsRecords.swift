/// The token of a device at its push service.
public struct DeviceToken: Codable, Hashable, Sendable {
    public var pushProvider: PushProvider
    public var token: String

    public init(pushProvider: PushProvider, token: String) {
        self.pushProvider = pushProvider
        self.token = token
    }

    /// Whether the token consists of hexadecimal digits in 1 to 127 pairs, or is the token for tests of notification
    /// servers.
    public var isWellFormed: Bool {
        if pushProvider == .apns_null, token == "test_ntf_token" { return true }
        let digits = token.utf8
        return digits.count.isMultiple(of: 2) && (2...254).contains(digits.count)
            && digits.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

/// The connection of a notification, and the expected message.
public struct NtfConn: Codable, Hashable, Sendable {
    public var user: User
    public var agentConnId: String
    public var agentDbQueueId: Int64
    public var connEntity: ConnectionEntity
    public var expectedMsg_: NtfMsgInfo?

    public init(
        user: User,
        agentConnId: String,
        agentDbQueueId: Int64,
        connEntity: ConnectionEntity,
        expectedMsg_: NtfMsgInfo? = nil
    ) {
        self.user = user
        self.agentConnId = agentConnId
        self.agentDbQueueId = agentDbQueueId
        self.connEntity = connEntity
        self.expectedMsg_ = expectedMsg_
    }
}

/// The last acknowledged message of a queue.
public struct NtfMsgAckInfo: Codable, Hashable, Sendable {
    public var msgId: String
    public var msgTs_: UTCTime?

    public init(msgId: String, msgTs_: UTCTime? = nil) {
        self.msgId = msgId
        self.msgTs_ = msgTs_
    }
}

/// The message that a notification announces.
public struct NtfMsgInfo: Codable, Hashable, Sendable {
    public var msgId: String
    public var msgTs: UTCTime

    public init(msgId: String, msgTs: UTCTime) {
        self.msgId = msgId
        self.msgTs = msgTs
    }
}

/// Sessions and statistics of one notification server.
public struct NtfServerSummary: Codable, Hashable, Sendable {
    public var ntfServer: String
    public var known: Bool?
    public var sessions: ServerSessions?
    public var stats: AgentNtfServerStatsData?

    public init(
        ntfServer: String,
        known: Bool? = nil,
        sessions: ServerSessions? = nil,
        stats: AgentNtfServerStatsData? = nil
    ) {
        self.ntfServer = ntfServer
        self.known = known
        self.sessions = sessions
        self.stats = stats
    }
}

/// Sessions and statistics of the notification servers, grouped by whether the user uses the server.
public struct NtfServersSummary: Codable, Hashable, Sendable {
    public var ntfTotals: NtfTotals
    public var currentlyUsedNtfServers: [NtfServerSummary]
    public var previouslyUsedNtfServers: [NtfServerSummary]

    public init(
        ntfTotals: NtfTotals,
        currentlyUsedNtfServers: [NtfServerSummary],
        previouslyUsedNtfServers: [NtfServerSummary]
    ) {
        self.ntfTotals = ntfTotals
        self.currentlyUsedNtfServers = currentlyUsedNtfServers
        self.previouslyUsedNtfServers = previouslyUsedNtfServers
    }
}

/// Sessions and statistics over all notification servers together.
public struct NtfTotals: Codable, Hashable, Sendable {
    public var sessions: ServerSessions
    public var stats: AgentNtfServerStatsData

    public init(sessions: ServerSessions, stats: AgentNtfServerStatsData) {
        self.sessions = sessions
        self.stats = stats
    }
}
