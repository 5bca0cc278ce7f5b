public import JSON

public struct AppVersionRange: Codable, Hashable, Sendable {
    public var minVersion: String
    public var maxVersion: String

    public init(minVersion: String, maxVersion: String) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
    }
}

public struct BadgeInfo: Codable, Hashable, Sendable {
    public var badgeType: BadgeType
    public var badgeExpiry: UTCTime?
    public var badgeExtra: String

    public init(badgeType: BadgeType, badgeExpiry: UTCTime? = nil, badgeExtra: String) {
        self.badgeType = badgeType
        self.badgeExpiry = badgeExpiry
        self.badgeExtra = badgeExtra
    }
}

public struct BadgeProof: Codable, Hashable, Sendable {
    public var badgeKeyIdx: Int
    public var presHeader: String
    public var proof: String
    public var badgeInfo: BadgeInfo

    public init(badgeKeyIdx: Int, presHeader: String, proof: String, badgeInfo: BadgeInfo) {
        self.badgeKeyIdx = badgeKeyIdx
        self.presHeader = presHeader
        self.proof = proof
        self.badgeInfo = badgeInfo
    }
}

public struct ChatName: Codable, Hashable, Sendable {
    public var chatType: ChatType
    public var chatName: String

    public init(chatType: ChatType, chatName: String) {
        self.chatType = chatType
        self.chatName = chatName
    }
}

/// Generic: ids are int64 for users and strings for connections
public struct DatabaseDiff: Codable, Hashable, Sendable {
    public var missingIds: [JSONValue]
    public var extraIds: [JSONValue]

    public init(missingIds: [JSONValue], extraIds: [JSONValue]) {
        self.missingIds = missingIds
        self.extraIds = extraIds
    }
}

public struct LinkOwnerSig: Codable, Hashable, Sendable {
    public var ownerId: String?
    public var chatBinding: String
    public var ownerSig: String

    public init(ownerId: String? = nil, chatBinding: String, ownerSig: String) {
        self.ownerId = ownerId
        self.chatBinding = chatBinding
        self.ownerSig = ownerSig
    }
}

public struct LocalBadge: Codable, Hashable, Sendable {
    public var badge: BadgeInfo
    public var status: BadgeStatus

    public init(badge: BadgeInfo, status: BadgeStatus) {
        self.badge = badge
        self.status = status
    }
}

public struct ParsedMarkdown: Codable, Hashable, Sendable {
    public var formattedText: [FormattedText]?

    public init(formattedText: [FormattedText]? = nil) {
        self.formattedText = formattedText
    }
}

public struct ParsedUri: Codable, Hashable, Sendable {
    public var uriInfo: UriInfo?
    public var parseError: String

    public init(uriInfo: UriInfo? = nil, parseError: String) {
        self.uriInfo = uriInfo
        self.parseError = parseError
    }
}

public struct RcvMsgInfo: Codable, Hashable, Sendable {
    public var msgId: Int64
    public var msgDeliveryId: Int64
    public var msgDeliveryStatus: String
    public var agentMsgId: Int64
    public var agentMsgMeta: String

    public init(msgId: Int64, msgDeliveryId: Int64, msgDeliveryStatus: String, agentMsgId: Int64, agentMsgMeta: String) {
        self.msgId = msgId
        self.msgDeliveryId = msgDeliveryId
        self.msgDeliveryStatus = msgDeliveryStatus
        self.agentMsgId = agentMsgId
        self.agentMsgMeta = agentMsgMeta
    }
}

public struct RelayCapabilities: Codable, Hashable, Sendable {
    public var webDomain: String?

    public init(webDomain: String? = nil) {
        self.webDomain = webDomain
    }
}

public struct RelayTestFailure: Codable, Hashable, Sendable {
    public var rtfStep: RelayTestStep
    public var rtfError: ChatError

    public init(rtfStep: RelayTestStep, rtfError: ChatError) {
        self.rtfStep = rtfStep
        self.rtfError = rtfError
    }
}

public struct SMPTotals: Codable, Hashable, Sendable {
    public var sessions: ServerSessions
    public var subs: SMPServerSubs
    public var stats: AgentSMPServerStatsData

    public init(sessions: ServerSessions, subs: SMPServerSubs, stats: AgentSMPServerStatsData) {
        self.sessions = sessions
        self.subs = subs
        self.stats = stats
    }
}

public struct ServerSessions: Codable, Hashable, Sendable {
    public var ssConnected: Int
    public var ssErrors: Int
    public var ssConnecting: Int

    public init(ssConnected: Int, ssErrors: Int, ssConnecting: Int) {
        self.ssConnected = ssConnected
        self.ssErrors = ssErrors
        self.ssConnecting = ssConnecting
    }
}

public struct SlowSQLQuery: Codable, Hashable, Sendable {
    public var query: String
    public var queryStats: SlowQueryStats

    public init(query: String, queryStats: SlowQueryStats) {
        self.query = query
        self.queryStats = queryStats
    }
}

public struct VersionRange: Codable, Hashable, Sendable {
    public var minVersion: Int
    public var maxVersion: Int

    public init(minVersion: Int, maxVersion: Int) {
        self.minVersion = minVersion
        self.maxVersion = maxVersion
    }
}
