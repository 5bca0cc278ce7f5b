/// The user's settings for one chat: notifications, receipts, favourite.
public struct ChatSettings: Codable, Hashable, Sendable {
    public var enableNtfs: MsgFilter
    public var sendRcpts: Bool?
    public var favorite: Bool

    public init(enableNtfs: MsgFilter, sendRcpts: Bool? = nil, favorite: Bool) {
        self.enableNtfs = enableNtfs
        self.sendRcpts = sendRcpts
        self.favorite = favorite
    }
}

/// A request for the message of a notification. Commands contain it in the form `msgConnId:msgDbQueueId:time`.
public struct ConnMsgReq: Codable, Hashable, Sendable {
    public var msgConnId: String
    public var msgDbQueueId: Int64
    public var msgTs: UTCTime

    public init(msgConnId: String, msgDbQueueId: Int64, msgTs: UTCTime) {
        self.msgConnId = msgConnId
        self.msgDbQueueId = msgDbQueueId
        self.msgTs = msgTs
    }
}

/// The preferences of both sides for a feature, and the resulting state. Disappearing messages also have a time to
/// live.
public struct ContactUserPreference: Codable, Hashable, Sendable {
    public var enabled: PrefEnabled
    public var userPreference: ContactUserPref
    public var contactPreference: SimplePreference

    public init(enabled: PrefEnabled, userPreference: ContactUserPref, contactPreference: SimplePreference) {
        self.enabled = enabled
        self.userPreference = userPreference
        self.contactPreference = contactPreference
    }
}

/// A created link: the full link, and the short link if there is one.
public struct CreatedConnLink: Codable, Hashable, Sendable {
    public var connFullLink: String
    public var connShortLink: String?

    public init(connFullLink: String, connShortLink: String? = nil) {
        self.connFullLink = connFullLink
        self.connShortLink = connShortLink
    }
}

/// The sides for which a feature is on.
public struct PrefEnabled: Codable, Hashable, Sendable {
    public var forUser: Bool
    public var forContact: Bool

    public init(forUser: Bool, forContact: Bool) {
        self.forUser = forUser
        self.forContact = forContact
    }
}

/// A contact that was created from a link and is not connected yet, with the link and the message for the request.
public struct PreparedContact: Codable, Hashable, Sendable {
    public var connLinkToConnect: CreatedConnLink
    public var uiConnLinkType: ConnectionMode
    public var welcomeSharedMsgId: String?
    public var requestSharedMsgId: String?

    public init(
        connLinkToConnect: CreatedConnLink,
        uiConnLinkType: ConnectionMode,
        welcomeSharedMsgId: String? = nil,
        requestSharedMsgId: String? = nil
    ) {
        self.connLinkToConnect = connLinkToConnect
        self.uiConnLinkType = uiConnLinkType
        self.welcomeSharedMsgId = welcomeSharedMsgId
        self.requestSharedMsgId = requestSharedMsgId
    }
}

/// The subscription of a queue, in the report of its server.
public struct QSub: Codable, Hashable, Sendable {
    public var qSubThread: QSubThread
    public var qDelivered: String?
}

/// The result of connecting to a chat relay of a group.
public struct RelayConnectionResult: Codable, Hashable, Sendable {
    public var relayMember: GroupMember
    public var relayError: ChatError?

    public init(relayMember: GroupMember, relayError: ChatError? = nil) {
        self.relayMember = relayMember
        self.relayError = relayError
    }
}

/// The profile of a chat relay.
public struct RelayProfile: Codable, Hashable, Sendable {
    public var displayName: String
    public var fullName: String
    public var shortDescr: String?
    public var image: String?

    public init(displayName: String, fullName: String, shortDescr: String? = nil, image: String? = nil) {
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescr = shortDescr
        self.image = image
    }
}

/// A preference that contains only whether the feature is allowed.
public struct SimplePreference: Codable, Hashable, Sendable {
    public var allow: FeatureAllowed
    public var ttl: Int?

    public init(allow: FeatureAllowed, ttl: Int? = nil) {
        self.allow = allow
        self.ttl = ttl
    }
}

/// The ids and the name of a contact.
public struct ContactRef: Codable, Hashable, Sendable {
    public var contactId: Int64
    public var connId: Int64
    public var agentConnId: String
    public var localDisplayName: String
}

/// Whether the subscription of a connection succeeded.
public struct ConnSubResult: Codable, Hashable, Sendable {
    public var agentConnId: String
    public var connSubError: ChatError?
}
