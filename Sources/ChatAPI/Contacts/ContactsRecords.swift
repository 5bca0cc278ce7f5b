/// The user's settings for one chat: notifications, receipts, and whether the chat is a favourite.
package struct ChatSettings: Codable, Hashable, Sendable {
    package var enableNtfs: MsgFilter
    package var sendRcpts: Bool?
    package var favorite: Bool

    package init(enableNtfs: MsgFilter, sendRcpts: Bool? = nil, favorite: Bool) {
        self.enableNtfs = enableNtfs
        self.sendRcpts = sendRcpts
        self.favorite = favorite
    }
}

/// A request for the message that a notification announces. Commands contain it in the form
/// `msgConnId:msgDbQueueId:time`.
package struct ConnMsgReq: Codable, Hashable, Sendable {
    package var msgConnId: String
    package var msgDbQueueId: Int64
    package var msgTs: UTCTime

    package init(msgConnId: String, msgDbQueueId: Int64, msgTs: UTCTime) {
        self.msgConnId = msgConnId
        self.msgDbQueueId = msgDbQueueId
        self.msgTs = msgTs
    }
}

/// The preferences of the two sides of a chat for one feature, and the resulting state. The preference for disappearing
/// messages also has a time to live.
package struct ContactUserPreference: Codable, Hashable, Sendable {
    package var enabled: PrefEnabled
    package var userPreference: ContactUserPref
    package var contactPreference: SimplePreference

    package init(enabled: PrefEnabled, userPreference: ContactUserPref, contactPreference: SimplePreference) {
        self.enabled = enabled
        self.userPreference = userPreference
        self.contactPreference = contactPreference
    }
}

/// A connection link that the core has created: the full link, and the short link if there is one.
package struct CreatedConnLink: Codable, Hashable, Sendable {
    package var connFullLink: String
    package var connShortLink: String?

    package init(connFullLink: String, connShortLink: String? = nil) {
        self.connFullLink = connFullLink
        self.connShortLink = connShortLink
    }
}

/// The sides of a chat for which a feature is on.
package struct PrefEnabled: Codable, Hashable, Sendable {
    package var forUser: Bool
    package var forContact: Bool

    package init(forUser: Bool, forContact: Bool) {
        self.forUser = forUser
        self.forContact = forContact
    }
}

/// A contact that the core has created from a link, before the user connects to it. It has the link, and the message
/// for the request to connect.
package struct PreparedContact: Codable, Hashable, Sendable {
    package var connLinkToConnect: CreatedConnLink
    package var uiConnLinkType: ConnectionMode
    package var welcomeSharedMsgId: String?
    package var requestSharedMsgId: String?

    package init(
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

/// The subscription to a queue, as the queue's server reports it.
package struct QSub: Codable, Hashable, Sendable {
    package var qSubThread: QSubThread
    package var qDelivered: String?
}

/// The profile of a chat relay: its names and description.
package struct RelayProfile: Codable, Hashable, Sendable {
    package var displayName: String
    package var fullName: String
    package var shortDescr: String?
    package var image: String?

    package init(displayName: String, fullName: String, shortDescr: String? = nil, image: String? = nil) {
        self.displayName = displayName
        self.fullName = fullName
        self.shortDescr = shortDescr
        self.image = image
    }
}

/// The ids and the name of a contact.
package struct ContactRef: Codable, Hashable, Sendable {
    package var contactId: Int64
    package var connId: Int64
    package var agentConnId: String
    package var localDisplayName: String
}

/// The invitation to a direct chat that a member of a group has sent to the user.
package struct GroupDirectInvitation: Codable, Hashable, Sendable {
    package var groupDirectInvLink: String
    package var fromGroupId_: Int64?
    package var fromGroupMemberId_: Int64?
    package var fromGroupMemberConnId_: Int64?
    package var groupDirectInvStartedConnection: Bool

    package init(
        groupDirectInvLink: String,
        fromGroupId_: Int64? = nil,
        fromGroupMemberId_: Int64? = nil,
        fromGroupMemberConnId_: Int64? = nil,
        groupDirectInvStartedConnection: Bool
    ) {
        self.groupDirectInvLink = groupDirectInvLink
        self.fromGroupId_ = fromGroupId_
        self.fromGroupMemberId_ = fromGroupMemberId_
        self.fromGroupMemberConnId_ = fromGroupMemberConnId_
        self.groupDirectInvStartedConnection = groupDirectInvStartedConnection
    }
}
