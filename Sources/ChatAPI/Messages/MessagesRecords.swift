public struct ACIReaction: Codable, Hashable, Sendable {
    public var chatInfo: ChatInfo
    public var chatReaction: CIReaction

    public init(chatInfo: ChatInfo, chatReaction: CIReaction) {
        self.chatInfo = chatInfo
        self.chatReaction = chatReaction
    }
}

/// A chat with some of its items.
public struct AChat: Codable, Hashable, Sendable {
    public var chatInfo: ChatInfo
    public var chatItems: [ChatItem]
    public var chatStats: ChatStats

    public init(chatInfo: ChatInfo, chatItems: [ChatItem], chatStats: ChatStats) {
        self.chatInfo = chatInfo
        self.chatItems = chatItems
        self.chatStats = chatStats
    }
}

public struct AChatItem: Codable, Hashable, Sendable {
    public var chatInfo: ChatInfo
    public var chatItem: ChatItem

    public init(chatInfo: ChatInfo, chatItem: ChatItem) {
        self.chatInfo = chatInfo
        self.chatItem = chatItem
    }
}

public struct CIGroupInvitation: Codable, Hashable, Sendable {
    public var groupId: Int64
    public var groupMemberId: Int64
    public var localDisplayName: String
    public var groupProfile: GroupProfile
    public var status: CIGroupInvitationStatus

    public init(
        groupId: Int64,
        groupMemberId: Int64,
        localDisplayName: String,
        groupProfile: GroupProfile,
        status: CIGroupInvitationStatus
    ) {
        self.groupId = groupId
        self.groupMemberId = groupMemberId
        self.localDisplayName = localDisplayName
        self.groupProfile = groupProfile
        self.status = status
    }
}

public struct CIMention: Codable, Hashable, Sendable {
    public var memberId: String
    public var memberRef: CIMentionMember?

    public init(memberId: String, memberRef: CIMentionMember? = nil) {
        self.memberId = memberId
        self.memberRef = memberRef
    }
}

public struct CIMentionMember: Codable, Hashable, Sendable {
    public var groupMemberId: Int64
    public var displayName: String
    public var localAlias: String?
    public var memberRole: GroupMemberRole

    public init(groupMemberId: Int64, displayName: String, localAlias: String? = nil, memberRole: GroupMemberRole) {
        self.groupMemberId = groupMemberId
        self.displayName = displayName
        self.localAlias = localAlias
        self.memberRole = memberRole
    }
}

public struct CIReaction: Codable, Hashable, Sendable {
    public var chatDir: CIDirection
    public var chatItem: ChatItem
    public var sentAt: UTCTime
    public var reaction: MsgReaction

    public init(chatDir: CIDirection, chatItem: ChatItem, sentAt: UTCTime, reaction: MsgReaction) {
        self.chatDir = chatDir
        self.chatItem = chatItem
        self.sentAt = sentAt
        self.reaction = reaction
    }
}

public struct CIReactionCount: Codable, Hashable, Sendable {
    public var reaction: MsgReaction
    public var userReacted: Bool
    public var totalReacted: Int

    public init(reaction: MsgReaction, userReacted: Bool, totalReacted: Int) {
        self.reaction = reaction
        self.userReacted = userReacted
        self.totalReacted = totalReacted
    }
}

public struct CITimed: Codable, Hashable, Sendable {
    public var ttl: Int
    public var deleteAt: UTCTime?

    public init(ttl: Int, deleteAt: UTCTime? = nil) {
        self.ttl = ttl
        self.deleteAt = deleteAt
    }
}

public struct ChatItemDeletion: Codable, Hashable, Sendable {
    public var deletedChatItem: AChatItem
    public var toChatItem: AChatItem?

    public init(deletedChatItem: AChatItem, toChatItem: AChatItem? = nil) {
        self.deletedChatItem = deletedChatItem
        self.toChatItem = toChatItem
    }
}

public struct ChatItemInfo: Codable, Hashable, Sendable {
    public var itemVersions: [ChatItemVersion]
    public var memberDeliveryStatuses: [MemberDeliveryStatus]?
    public var forwardedFromChatItem: AChatItem?

    public init(
        itemVersions: [ChatItemVersion],
        memberDeliveryStatuses: [MemberDeliveryStatus]? = nil,
        forwardedFromChatItem: AChatItem? = nil
    ) {
        self.itemVersions = itemVersions
        self.memberDeliveryStatuses = memberDeliveryStatuses
        self.forwardedFromChatItem = forwardedFromChatItem
    }
}

public struct ChatItemVersion: Codable, Hashable, Sendable {
    public var chatItemVersionId: Int64
    public var msgContent: MsgContent
    public var formattedText: [FormattedText]?
    public var itemVersionTs: UTCTime
    public var createdAt: UTCTime

    public init(
        chatItemVersionId: Int64,
        msgContent: MsgContent,
        formattedText: [FormattedText]? = nil,
        itemVersionTs: UTCTime,
        createdAt: UTCTime
    ) {
        self.chatItemVersionId = chatItemVersionId
        self.msgContent = msgContent
        self.formattedText = formattedText
        self.itemVersionTs = itemVersionTs
        self.createdAt = createdAt
    }
}

public struct ChatRef: Codable, Hashable, Sendable {
    public var chatType: ChatType
    public var chatId: Int64
    public var chatScope: GroupChatScope?

    public init(chatType: ChatType, chatId: Int64, chatScope: GroupChatScope? = nil) {
        self.chatType = chatType
        self.chatId = chatId
        self.chatScope = chatScope
    }
}

public struct ChatStats: Codable, Hashable, Sendable {
    public var unreadCount: Int
    public var unreadMentions: Int
    public var reportsCount: Int
    public var minUnreadItemId: Int64
    public var unreadChat: Bool

    public init(unreadCount: Int, unreadMentions: Int, reportsCount: Int, minUnreadItemId: Int64, unreadChat: Bool) {
        self.unreadCount = unreadCount
        self.unreadMentions = unreadMentions
        self.reportsCount = reportsCount
        self.minUnreadItemId = minUnreadItemId
        self.unreadChat = unreadChat
    }
}

public struct ComposedMessage: Codable, Hashable, Sendable {
    public var fileSource: CryptoFile?
    public var quotedItemId: Int64?
    public var msgContent: MsgContent
    public var mentions: [String: Int64]

    public init(fileSource: CryptoFile? = nil, quotedItemId: Int64? = nil, msgContent: MsgContent, mentions: [String: Int64]) {
        self.fileSource = fileSource
        self.quotedItemId = quotedItemId
        self.msgContent = msgContent
        self.mentions = mentions
    }
}

extension ComposedMessage {
    /// Mentions may be missing, and the path of the file may stand alone, as older clients write it.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        msgContent = try members.decode(MsgContent.self, forKey: .msgContent)
        quotedItemId = try members.decodeIfPresent(Int64.self, forKey: .quotedItemId)
        mentions = try members.decodeIfPresent([String: Int64].self, forKey: .mentions) ?? [:]
        if let file = try members.decodeIfPresent(CryptoFile.self, forKey: .fileSource) {
            fileSource = file
        } else {
            let path = try decoder.container(keyedBy: MemberName.self).decodeIfPresent(String.self, forKey: "filePath")
            fileSource = path.map { CryptoFile(filePath: $0) }
        }
    }
}

public struct DeletedRcvQueue: Codable, Hashable, Sendable {
    public var agentConnId: String
    public var server: String
    public var agentQueueId: String
    public var agentError_: AgentErrorType?

    public init(agentConnId: String, server: String, agentQueueId: String, agentError_: AgentErrorType? = nil) {
        self.agentConnId = agentConnId
        self.server = server
        self.agentQueueId = agentQueueId
        self.agentError_ = agentError_
    }
}

public struct E2EInfo: Codable, Hashable, Sendable {
    public var `public`: Bool?
    public var pqEnabled: Bool?

    public init(`public`: Bool? = nil, pqEnabled: Bool? = nil) {
        self.public = `public`
        self.pqEnabled = pqEnabled
    }
}

public struct FormattedText: Codable, Hashable, Sendable {
    public var format: TextFormat?
    public var text: String

    public init(format: TextFormat? = nil, text: String) {
        self.format = format
        self.text = text
    }
}

public struct LinkPreview: Codable, Hashable, Sendable {
    public var uri: String
    public var title: String
    public var description: String
    public var image: String
    public var content: LinkContent?

    public init(uri: String, title: String, description: String, image: String, content: LinkContent? = nil) {
        self.uri = uri
        self.title = title
        self.description = description
        self.image = image
        self.content = content
    }
}

public struct MemberDeliveryStatus: Codable, Hashable, Sendable {
    public var groupMemberId: Int64
    public var memberDeliveryStatus: GroupSndStatus
    public var sentViaProxy: Bool?

    public init(groupMemberId: Int64, memberDeliveryStatus: GroupSndStatus, sentViaProxy: Bool? = nil) {
        self.groupMemberId = groupMemberId
        self.memberDeliveryStatus = memberDeliveryStatus
        self.sentViaProxy = sentViaProxy
    }
}

public struct MsgInfo: Codable, Hashable, Sendable {
    public var msgId: String
    public var msgTs: UTCTime
    public var msgType: MsgType

    public init(msgId: String, msgTs: UTCTime, msgType: MsgType) {
        self.msgId = msgId
        self.msgTs = msgTs
        self.msgType = msgType
    }
}

public struct NavigationInfo: Codable, Hashable, Sendable {
    public var afterUnread: Int
    public var afterTotal: Int

    public init(afterUnread: Int, afterTotal: Int) {
        self.afterUnread = afterUnread
        self.afterTotal = afterTotal
    }
}

public struct SimplexDomain: Codable, Hashable, Sendable {
    public var nameTLD: SimplexTLD
    public var domain: String
    public var subDomain: [String]

    public init(nameTLD: SimplexTLD, domain: String, subDomain: [String]) {
        self.nameTLD = nameTLD
        self.domain = domain
        self.subDomain = subDomain
    }
}

public struct SimplexDomainClaim: Codable, Hashable, Sendable {
    public var domain: String
    public var proof: SimplexDomainProof?

    public init(domain: String, proof: SimplexDomainProof? = nil) {
        self.domain = domain
        self.proof = proof
    }
}

public struct SimplexDomainProof: Codable, Hashable, Sendable {
    public var linkOwnerId: String?
    public var presHeader: String
    public var signature: String

    public init(linkOwnerId: String? = nil, presHeader: String, signature: String) {
        self.linkOwnerId = linkOwnerId
        self.presHeader = presHeader
        self.signature = signature
    }
}

public struct SimplexNameInfo: Codable, Hashable, Sendable {
    public var nameType: SimplexNameType
    public var nameDomain: SimplexDomain

    public init(nameType: SimplexNameType, nameDomain: SimplexDomain) {
        self.nameType = nameType
        self.nameDomain = nameDomain
    }
}

public struct TimedMessagesGroupPreference: Codable, Hashable, Sendable {
    public var enable: GroupFeatureEnabled
    public var ttl: Int?

    public init(enable: GroupFeatureEnabled, ttl: Int? = nil) {
        self.enable = enable
        self.ttl = ttl
    }
}

public struct TimedMessagesPreference: Codable, Hashable, Sendable {
    public var allow: FeatureAllowed
    public var ttl: Int?

    public init(allow: FeatureAllowed, ttl: Int? = nil) {
        self.allow = allow
        self.ttl = ttl
    }
}

public struct UpdatedMessage: Codable, Hashable, Sendable {
    public var msgContent: MsgContent
    public var mentions: [String: Int64]

    public init(msgContent: MsgContent, mentions: [String: Int64]) {
        self.msgContent = msgContent
        self.mentions = mentions
    }
}

extension UpdatedMessage {
    /// Mentions may be missing.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        msgContent = try members.decode(MsgContent.self, forKey: .msgContent)
        mentions = try members.decodeIfPresent([String: Int64].self, forKey: .mentions) ?? [:]
    }
}

public struct UriInfo: Codable, Hashable, Sendable {
    public var scheme: String
    public var sanitized: String?

    public init(scheme: String, sanitized: String? = nil) {
        self.scheme = scheme
        self.sanitized = sanitized
    }
}
