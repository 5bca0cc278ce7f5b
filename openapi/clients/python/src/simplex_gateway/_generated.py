# Made by deploy/python-types from openapi/openapi.json: run that program after a change of the contract.
# ruff: noqa
# fmt: off
"""Types and operations of the contract. Programs import the types from `simplex_gateway.types`."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, Union
from urllib.parse import quote

VERSION = "0.1.0"


class ACIReaction(TypedDict):
    chatInfo: ChatInfo
    chatReaction: CIReaction


class AChat(TypedDict):
    chatInfo: ChatInfo
    chatItems: list[ChatItem]
    chatStats: ChatStats


class AChatItem(TypedDict):
    chatInfo: ChatInfo
    chatItem: ChatItem


class APIKey(TypedDict):
    keyId: str
    name: str
    scopes: list[KeyScope]
    userId: NotRequired[int]
    chats: NotRequired[list[str]]
    remoteHostId: NotRequired[int]
    createdAt: str
    expiresAt: NotRequired[str]
    previousSecretExpiresAt: NotRequired[str]
    lastUsedAt: NotRequired[str]
    lastUsedFrom: NotRequired[str]


class AcceptContactRequest(TypedDict):
    incognito: NotRequired[bool]


class AcceptMemberRequest(TypedDict):
    memberRole: Literal["observer", "member", "moderator", "admin", "owner"]


class AcceptUsageConditionsRequest(TypedDict):
    operatorIds: list[int]


class AcceptingBusinessRequestEvent(TypedDict):
    type: Literal["acceptingBusinessRequest"]
    user: User
    groupInfo: GroupInfo


class AcceptingContactRequestEvent(TypedDict):
    type: Literal["acceptingContactRequest"]
    user: User
    contact: Contact


class AcceptingContactRequestResponse(TypedDict):
    type: Literal["acceptingContactRequest"]
    user: User
    contact: Contact


class AcceptingGroupJoinRequestMemberEvent(TypedDict):
    type: Literal["acceptingGroupJoinRequestMember"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember


class AcknowledgeEventsRequest(TypedDict):
    ids: list[str]


class AcknowledgeEventsResponse(TypedDict):
    acknowledged: int
    alreadyAcknowledged: int


class ActivateCoreRequest(TypedDict):
    restoreChat: NotRequired[bool]


class ActivateHiddenUserRequest(TypedDict):
    viewPwd: str


class ActivateUserRequest(TypedDict):
    viewPwd: NotRequired[str]


class ActiveCall(TypedDict):
    contact: Contact
    direction: str
    callState: CallStateTag
    callStatus: CICallStatus
    callType: NotRequired[CallType]
    peerCallType: NotRequired[CallType]
    callUUID: NotRequired[str]
    callTs: NotRequired[str]
    sharedKey: NotRequired[str]
    askConfirmation: bool
    peerSession: NotRequired[WebRTCSession]


class ActiveChatState(TypedDict):
    splits: list[int]
    loadedRanges: list[LoadedRange]
    unreadAfterItemId: NotRequired[int]
    totalAfter: int
    unreadAfter: int
    unreadTotal: int


class ActiveFilter(TypedDict):
    type: Literal["unread", "presetTag", "userTag"]
    presetTag: NotRequired[Literal["favorites", "contacts", "groups", "business", "groupReports"]]
    chatTag: NotRequired[dict[str, Any]]


class ActiveUserResponse(TypedDict):
    type: Literal["activeUser"]
    user: User


class AddChannelRelaysRequest(TypedDict):
    relayIds: list[int]


AddChannelRelaysResponse: TypeAlias = Union["GroupRelaysAddedResponse", "GroupRelaysAddFailedResponse"]


class AddRelayResult(TypedDict):
    relay: UserChatRelay
    relayError: NotRequired[ChatError]


class AddressSettings(TypedDict):
    businessAddress: bool
    autoAccept: NotRequired[dict[str, Any]]
    autoReply: NotRequired[MsgContent]


class AgentConnsDeletedEvent(TypedDict):
    type: Literal["agentConnsDeleted"]
    agentConnIds: list[str]


AgentCryptoError: TypeAlias = Union[
    "AgentCryptoErrorDecryptAes",
    "AgentCryptoErrorDecryptCb",
    "AgentCryptoErrorRatchetHeader",
    "AgentCryptoErrorRatchetSync",
]


class AgentCryptoErrorDecryptAes(TypedDict):
    type: Literal["DECRYPT_AES"]


class AgentCryptoErrorDecryptCb(TypedDict):
    type: Literal["DECRYPT_CB"]


class AgentCryptoErrorRatchetHeader(TypedDict):
    type: Literal["RATCHET_HEADER"]


class AgentCryptoErrorRatchetSync(TypedDict):
    type: Literal["RATCHET_SYNC"]


AgentErrorType: TypeAlias = Union[
    "AgentErrorTypeCmd",
    "AgentErrorTypeConn",
    "AgentErrorTypeNoUser",
    "AgentErrorTypeSmp",
    "AgentErrorTypeNtf",
    "AgentErrorTypeXftp",
    "AgentErrorTypeFile",
    "AgentErrorTypeNoNameServers",
    "AgentErrorTypeProxy",
    "AgentErrorTypeRcp",
    "AgentErrorTypeBroker",
    "AgentErrorTypeAgent",
    "AgentErrorTypeNotice",
    "AgentErrorTypeInternal",
    "AgentErrorTypeCritical",
    "AgentErrorTypeInactive",
]


class AgentErrorTypeAgent(TypedDict):
    type: Literal["AGENT"]
    agentErr: SMPAgentError


class AgentErrorTypeBroker(TypedDict):
    type: Literal["BROKER"]
    brokerAddress: str
    brokerErr: BrokerErrorType


class AgentErrorTypeCmd(TypedDict):
    type: Literal["CMD"]
    cmdErr: CommandErrorType
    errContext: str


class AgentErrorTypeConn(TypedDict):
    type: Literal["CONN"]
    connErr: ConnectionErrorType
    errContext: str


class AgentErrorTypeCritical(TypedDict):
    type: Literal["CRITICAL"]
    offerRestart: bool
    criticalErr: str


class AgentErrorTypeFile(TypedDict):
    type: Literal["FILE"]
    fileErr: FileErrorType


class AgentErrorTypeInactive(TypedDict):
    type: Literal["INACTIVE"]


class AgentErrorTypeInternal(TypedDict):
    type: Literal["INTERNAL"]
    internalErr: str


class AgentErrorTypeNoNameServers(TypedDict):
    type: Literal["NO_NAME_SERVERS"]


class AgentErrorTypeNoUser(TypedDict):
    type: Literal["NO_USER"]


class AgentErrorTypeNotice(TypedDict):
    type: Literal["NOTICE"]
    server: str
    preset: bool
    expiresAt: NotRequired[str]


class AgentErrorTypeNtf(TypedDict):
    type: Literal["NTF"]
    serverAddress: str
    ntfErr: ErrorType


class AgentErrorTypeProxy(TypedDict):
    type: Literal["PROXY"]
    proxyServer: str
    relayServer: str
    proxyErr: ProxyClientError


class AgentErrorTypeRcp(TypedDict):
    type: Literal["RCP"]
    rcpErr: RCErrorType


class AgentErrorTypeSmp(TypedDict):
    type: Literal["SMP"]
    serverAddress: str
    smpErr: ErrorType


class AgentErrorTypeXftp(TypedDict):
    type: Literal["XFTP"]
    serverAddress: str
    xftpErr: XFTPErrorType


class AgentRcvQueuesDeletedEvent(TypedDict):
    type: Literal["agentRcvQueuesDeleted"]
    deletedRcvQueues: list[DeletedRcvQueue]


AgentSMPServerStatsData: TypeAlias = dict[str, int]


class AgentServersSummaryResponse(TypedDict):
    type: Literal["agentServersSummary"]
    user: User
    serversSummary: PresentedServersSummary


class AgentSubsTotalResponse(TypedDict):
    type: Literal["agentSubsTotal"]
    user: User
    subsTotal: SMPServerSubs
    hasSession: bool


class AgentUserDeletedEvent(TypedDict):
    type: Literal["agentUserDeleted"]
    agentUserId: int


class AlertmanagerNotice(TypedDict):
    version: NotRequired[Literal["4"]]
    groupKey: NotRequired[str]
    alerts: list[NoticeAlert]
    groupLabels: NotRequired[NoticeTexts]
    commonLabels: NotRequired[NoticeTexts]
    truncatedAlerts: NotRequired[int]


class ApiChatResponse(TypedDict):
    type: Literal["apiChat"]
    user: User
    chat: AChat
    navInfo: NotRequired[NavigationInfo]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class ApiChatsResponse(TypedDict):
    type: Literal["apiChats"]
    user: User
    chats: list[AChat]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class AppLifecycle(TypedDict):
    chatInitialized: bool
    chatRunning: NotRequired[bool]
    chatDbEncrypted: NotRequired[bool]
    appState: NotRequired[Literal["active", "suspended", "stopped"]]


class AppSettings(TypedDict):
    appPlatform: NotRequired[str]
    networkConfig: NotRequired[NetworkConfig]
    networkProxy: NotRequired[dict[str, Any]]
    privacyEncryptLocalFiles: NotRequired[bool]
    privacyAskToApproveRelays: NotRequired[bool]
    privacyAcceptImages: NotRequired[bool]
    privacyLinkPreviews: NotRequired[bool]
    privacySanitizeLinks: NotRequired[bool]
    privacyShowChatPreviews: NotRequired[bool]
    privacySaveLastDraft: NotRequired[bool]
    privacyProtectScreen: NotRequired[bool]
    privacyMediaBlurRadius: NotRequired[int]
    notificationMode: NotRequired[str]
    notificationPreviewMode: NotRequired[str]
    webrtcPolicyRelay: NotRequired[bool]
    webrtcICEServers: NotRequired[list[str]]
    confirmRemoteSessions: NotRequired[bool]
    connectRemoteViaMulticast: NotRequired[bool]
    connectRemoteViaMulticastAuto: NotRequired[bool]
    developerTools: NotRequired[bool]
    confirmDBUpgrades: NotRequired[bool]
    androidCallOnLockScreen: NotRequired[str]
    iosCallKitEnabled: NotRequired[bool]
    iosCallKitCallsInRecents: NotRequired[bool]
    uiProfileImageCornerRadius: NotRequired[float]
    uiChatItemRoundness: NotRequired[float]
    uiChatItemTail: NotRequired[bool]
    uiColorScheme: NotRequired[str]
    uiDarkColorScheme: NotRequired[str]
    uiCurrentThemeIds: NotRequired[dict[str, str]]
    uiThemes: NotRequired[list[dict[str, Any]]]
    oneHandUI: NotRequired[bool]
    chatBottomBar: NotRequired[bool]


class AppSettingsResponse(TypedDict):
    type: Literal["appSettings"]
    appSettings: AppSettings


ArchiveError: TypeAlias = Union["ArchiveErrorImport", "ArchiveErrorFileError"]


class ArchiveErrorFileError(TypedDict):
    type: Literal["fileError"]
    file: str
    fileError: str


class ArchiveErrorImport(TypedDict):
    type: Literal["import"]
    importError: str


class ArchiveExportedResponse(TypedDict):
    type: Literal["archiveExported"]
    archiveErrors: list[ArchiveError]


class ArchiveImportedResponse(TypedDict):
    type: Literal["archiveImported"]
    archiveErrors: list[ArchiveError]


class BadgeCredential(TypedDict):
    badgeKeyIdx: int
    masterKey: str
    signature: str
    badgeInfo: BadgeInfo


class BadgeInfo(TypedDict):
    badgeType: BadgeType
    badgeExpiry: NotRequired[str]
    badgeExtra: str


class BadgeProof(TypedDict):
    badgeKeyIdx: int
    presHeader: str
    proof: str
    badgeInfo: BadgeInfo


BadgeStatus: TypeAlias = str
BadgeType: TypeAlias = str


class BlockingInfo(TypedDict):
    reason: BlockingReason
    notice: NotRequired[ClientNotice]


BlockingReason: TypeAlias = str


class Broadcast(TypedDict):
    broadcastId: int
    state: str
    messagesPerSecond: int
    waiting: int
    sent: int
    failed: int
    cancelled: int
    keyId: str
    createdAt: str
    sendAt: NotRequired[str]
    finishedAt: NotRequired[str]
    composedMessages: NotRequired[list[ComposedMessage]]
    ttl: NotRequired[int]
    sendAsGroup: NotRequired[bool]
    sign: NotRequired[bool]


class BroadcastChat(TypedDict):
    chatType: Literal["direct", "group"]
    chatId: int


class BroadcastReceivers(TypedDict):
    chats: NotRequired[list[BroadcastChat]]
    allContacts: NotRequired[Literal[True]]
    tagId: NotRequired[int]


class BroadcastResult(TypedDict):
    chat: BroadcastChat
    state: PlannedState
    itemIds: NotRequired[list[int]]
    problem: NotRequired[PlannedProblem]
    doneAt: NotRequired[str]


BrokerErrorType: TypeAlias = Union[
    "BrokerErrorTypeResponse",
    "BrokerErrorTypeUnexpected",
    "BrokerErrorTypeNetwork",
    "BrokerErrorTypeHost",
    "BrokerErrorTypeNoService",
    "BrokerErrorTypeTransport",
    "BrokerErrorTypeTimeout",
]


class BrokerErrorTypeHost(TypedDict):
    type: Literal["HOST"]


class BrokerErrorTypeNetwork(TypedDict):
    type: Literal["NETWORK"]
    networkError: NetworkError


class BrokerErrorTypeNoService(TypedDict):
    type: Literal["NO_SERVICE"]


class BrokerErrorTypeResponse(TypedDict):
    type: Literal["RESPONSE"]
    respErr: str


class BrokerErrorTypeTimeout(TypedDict):
    type: Literal["TIMEOUT"]


class BrokerErrorTypeTransport(TypedDict):
    type: Literal["TRANSPORT"]
    transportErr: TransportError


class BrokerErrorTypeUnexpected(TypedDict):
    type: Literal["UNEXPECTED"]
    respErr: str


class BusinessChatInfo(TypedDict):
    chatType: BusinessChatType
    businessId: str
    customerId: str
    businessDomain: NotRequired[SimplexDomainClaim]


BusinessChatType: TypeAlias = str


class BusinessLinkConnectingEvent(TypedDict):
    type: Literal["businessLinkConnecting"]
    user: User
    groupInfo: GroupInfo
    hostMember: GroupMember
    fromContact: Contact


class BusinessRequestAlreadyAcceptedEvent(TypedDict):
    type: Literal["businessRequestAlreadyAccepted"]
    user: User
    groupInfo: GroupInfo


CICallStatus: TypeAlias = str
CIContent: TypeAlias = Union[
    "CIContentSndMsgContent",
    "CIContentRcvMsgContent",
    "CIContentSndDeleted",
    "CIContentRcvDeleted",
    "CIContentSndCall",
    "CIContentRcvCall",
    "CIContentRcvIntegrityError",
    "CIContentRcvDecryptionError",
    "CIContentRcvMsgError",
    "CIContentRcvGroupInvitation",
    "CIContentSndGroupInvitation",
    "CIContentRcvDirectEvent",
    "CIContentRcvGroupEvent",
    "CIContentSndGroupEvent",
    "CIContentRcvConnEvent",
    "CIContentSndConnEvent",
    "CIContentRcvChatFeature",
    "CIContentSndChatFeature",
    "CIContentRcvChatPreference",
    "CIContentSndChatPreference",
    "CIContentRcvGroupFeature",
    "CIContentSndGroupFeature",
    "CIContentRcvChatFeatureRejected",
    "CIContentRcvGroupFeatureRejected",
    "CIContentSndModerated",
    "CIContentRcvModerated",
    "CIContentRcvBlocked",
    "CIContentSndDirectE2EEInfo",
    "CIContentRcvDirectE2EEInfo",
    "CIContentSndGroupE2EEInfo",
    "CIContentRcvGroupE2EEInfo",
    "CIContentChatBanner",
    "CIContentInvalidJSON",
]


class CIContentChatBanner(TypedDict):
    type: Literal["chatBanner"]


class CIContentInvalidJSON(TypedDict):
    type: Literal["invalidJSON"]
    direction: MsgDirection
    json: str


class CIContentRcvBlocked(TypedDict):
    type: Literal["rcvBlocked"]


class CIContentRcvCall(TypedDict):
    type: Literal["rcvCall"]
    status: CICallStatus
    duration: int


class CIContentRcvChatFeature(TypedDict):
    type: Literal["rcvChatFeature"]
    feature: ChatFeature
    enabled: PrefEnabled
    param: NotRequired[int]


class CIContentRcvChatFeatureRejected(TypedDict):
    type: Literal["rcvChatFeatureRejected"]
    feature: ChatFeature


class CIContentRcvChatPreference(TypedDict):
    type: Literal["rcvChatPreference"]
    feature: ChatFeature
    allowed: FeatureAllowed
    param: NotRequired[int]


class CIContentRcvConnEvent(TypedDict):
    type: Literal["rcvConnEvent"]
    rcvConnEvent: RcvConnEvent


class CIContentRcvDecryptionError(TypedDict):
    type: Literal["rcvDecryptionError"]
    msgDecryptError: MsgDecryptError
    msgCount: int


class CIContentRcvDeleted(TypedDict):
    type: Literal["rcvDeleted"]
    deleteMode: CIDeleteMode


class CIContentRcvDirectE2EEInfo(TypedDict):
    type: Literal["rcvDirectE2EEInfo"]
    e2eeInfo: E2EInfo


class CIContentRcvDirectEvent(TypedDict):
    type: Literal["rcvDirectEvent"]
    rcvDirectEvent: RcvDirectEvent


class CIContentRcvGroupE2EEInfo(TypedDict):
    type: Literal["rcvGroupE2EEInfo"]
    e2eeInfo: E2EInfo


class CIContentRcvGroupEvent(TypedDict):
    type: Literal["rcvGroupEvent"]
    rcvGroupEvent: RcvGroupEvent


class CIContentRcvGroupFeature(TypedDict):
    type: Literal["rcvGroupFeature"]
    groupFeature: GroupFeature
    preference: GroupPreference
    param: NotRequired[int]
    memberRole_: NotRequired[GroupMemberRole]


class CIContentRcvGroupFeatureRejected(TypedDict):
    type: Literal["rcvGroupFeatureRejected"]
    groupFeature: GroupFeature


class CIContentRcvGroupInvitation(TypedDict):
    type: Literal["rcvGroupInvitation"]
    groupInvitation: CIGroupInvitation
    memberRole: GroupMemberRole


class CIContentRcvIntegrityError(TypedDict):
    type: Literal["rcvIntegrityError"]
    msgError: MsgErrorType


class CIContentRcvModerated(TypedDict):
    type: Literal["rcvModerated"]


class CIContentRcvMsgContent(TypedDict):
    type: Literal["rcvMsgContent"]
    msgContent: MsgContent


class CIContentRcvMsgError(TypedDict):
    type: Literal["rcvMsgError"]
    rcvMsgError: RcvMsgError


class CIContentSndCall(TypedDict):
    type: Literal["sndCall"]
    status: CICallStatus
    duration: int


class CIContentSndChatFeature(TypedDict):
    type: Literal["sndChatFeature"]
    feature: ChatFeature
    enabled: PrefEnabled
    param: NotRequired[int]


class CIContentSndChatPreference(TypedDict):
    type: Literal["sndChatPreference"]
    feature: ChatFeature
    allowed: FeatureAllowed
    param: NotRequired[int]


class CIContentSndConnEvent(TypedDict):
    type: Literal["sndConnEvent"]
    sndConnEvent: SndConnEvent


class CIContentSndDeleted(TypedDict):
    type: Literal["sndDeleted"]
    deleteMode: CIDeleteMode


class CIContentSndDirectE2EEInfo(TypedDict):
    type: Literal["sndDirectE2EEInfo"]
    e2eeInfo: E2EInfo


class CIContentSndGroupE2EEInfo(TypedDict):
    type: Literal["sndGroupE2EEInfo"]
    e2eeInfo: E2EInfo


class CIContentSndGroupEvent(TypedDict):
    type: Literal["sndGroupEvent"]
    sndGroupEvent: SndGroupEvent


class CIContentSndGroupFeature(TypedDict):
    type: Literal["sndGroupFeature"]
    groupFeature: GroupFeature
    preference: GroupPreference
    param: NotRequired[int]
    memberRole_: NotRequired[GroupMemberRole]


class CIContentSndGroupInvitation(TypedDict):
    type: Literal["sndGroupInvitation"]
    groupInvitation: CIGroupInvitation
    memberRole: GroupMemberRole


class CIContentSndModerated(TypedDict):
    type: Literal["sndModerated"]


class CIContentSndMsgContent(TypedDict):
    type: Literal["sndMsgContent"]
    msgContent: MsgContent


CIDeleteMode: TypeAlias = str
CIDeleted: TypeAlias = Union["CIDeletedDeleted", "CIDeletedBlocked", "CIDeletedBlockedByAdmin", "CIDeletedModerated"]


class CIDeletedBlocked(TypedDict):
    type: Literal["blocked"]
    deletedTs: NotRequired[str]


class CIDeletedBlockedByAdmin(TypedDict):
    type: Literal["blockedByAdmin"]
    deletedTs: NotRequired[str]


class CIDeletedDeleted(TypedDict):
    type: Literal["deleted"]
    deletedTs: NotRequired[str]
    chatType: ChatType


class CIDeletedModerated(TypedDict):
    type: Literal["moderated"]
    deletedTs: NotRequired[str]
    byGroupMember: GroupMember


CIDirection: TypeAlias = Union[
    "CIDirectionDirectSnd",
    "CIDirectionDirectRcv",
    "CIDirectionGroupSnd",
    "CIDirectionGroupRcv",
    "CIDirectionChannelRcv",
    "CIDirectionLocalSnd",
    "CIDirectionLocalRcv",
]


class CIDirectionChannelRcv(TypedDict):
    type: Literal["channelRcv"]


class CIDirectionDirectRcv(TypedDict):
    type: Literal["directRcv"]


class CIDirectionDirectSnd(TypedDict):
    type: Literal["directSnd"]


class CIDirectionGroupRcv(TypedDict):
    type: Literal["groupRcv"]
    groupMember: GroupMember


class CIDirectionGroupSnd(TypedDict):
    type: Literal["groupSnd"]


class CIDirectionLocalRcv(TypedDict):
    type: Literal["localRcv"]


class CIDirectionLocalSnd(TypedDict):
    type: Literal["localSnd"]


class CIFile(TypedDict):
    fileId: int
    fileName: str
    fileSize: int
    fileSource: NotRequired[CryptoFile]
    fileStatus: CIFileStatus
    fileProtocol: FileProtocol


CIFileStatus: TypeAlias = Union[
    "CIFileStatusSndStored",
    "CIFileStatusSndTransfer",
    "CIFileStatusSndCancelled",
    "CIFileStatusSndComplete",
    "CIFileStatusSndError",
    "CIFileStatusSndWarning",
    "CIFileStatusRcvInvitation",
    "CIFileStatusRcvAccepted",
    "CIFileStatusRcvTransfer",
    "CIFileStatusRcvAborted",
    "CIFileStatusRcvComplete",
    "CIFileStatusRcvCancelled",
    "CIFileStatusRcvError",
    "CIFileStatusRcvWarning",
    "CIFileStatusInvalid",
]


class CIFileStatusInvalid(TypedDict):
    type: Literal["invalid"]
    text: str


class CIFileStatusRcvAborted(TypedDict):
    type: Literal["rcvAborted"]


class CIFileStatusRcvAccepted(TypedDict):
    type: Literal["rcvAccepted"]


class CIFileStatusRcvCancelled(TypedDict):
    type: Literal["rcvCancelled"]


class CIFileStatusRcvComplete(TypedDict):
    type: Literal["rcvComplete"]


class CIFileStatusRcvError(TypedDict):
    type: Literal["rcvError"]
    rcvFileError: FileError


class CIFileStatusRcvInvitation(TypedDict):
    type: Literal["rcvInvitation"]


class CIFileStatusRcvTransfer(TypedDict):
    type: Literal["rcvTransfer"]
    rcvProgress: int
    rcvTotal: int


class CIFileStatusRcvWarning(TypedDict):
    type: Literal["rcvWarning"]
    rcvFileError: FileError


class CIFileStatusSndCancelled(TypedDict):
    type: Literal["sndCancelled"]


class CIFileStatusSndComplete(TypedDict):
    type: Literal["sndComplete"]


class CIFileStatusSndError(TypedDict):
    type: Literal["sndError"]
    sndFileError: FileError


class CIFileStatusSndStored(TypedDict):
    type: Literal["sndStored"]


class CIFileStatusSndTransfer(TypedDict):
    type: Literal["sndTransfer"]
    sndProgress: int
    sndTotal: int


class CIFileStatusSndWarning(TypedDict):
    type: Literal["sndWarning"]
    sndFileError: FileError


CIForwardedFrom: TypeAlias = Union["CIForwardedFromUnknown", "CIForwardedFromContact", "CIForwardedFromGroup"]


class CIForwardedFromContact(TypedDict):
    type: Literal["contact"]
    chatName: str
    msgDir: MsgDirection
    contactId: NotRequired[int]
    chatItemId: NotRequired[int]


class CIForwardedFromGroup(TypedDict):
    type: Literal["group"]
    chatName: str
    msgDir: MsgDirection
    groupId: NotRequired[int]
    chatItemId: NotRequired[int]


class CIForwardedFromUnknown(TypedDict):
    type: Literal["unknown"]


class CIGroupInvitation(TypedDict):
    groupId: int
    groupMemberId: int
    localDisplayName: str
    groupProfile: GroupProfile
    status: CIGroupInvitationStatus


CIGroupInvitationStatus: TypeAlias = str


class CIMention(TypedDict):
    memberId: str
    memberRef: NotRequired[CIMentionMember]


class CIMentionMember(TypedDict):
    groupMemberId: int
    displayName: str
    localAlias: NotRequired[str]
    memberRole: GroupMemberRole


class CIMeta(TypedDict):
    itemId: int
    itemTs: str
    itemText: str
    itemStatus: CIStatus
    sentViaProxy: NotRequired[bool]
    itemSharedMsgId: NotRequired[str]
    itemForwarded: NotRequired[CIForwardedFrom]
    itemDeleted: NotRequired[CIDeleted]
    itemEdited: bool
    itemTimed: NotRequired[CITimed]
    itemLive: NotRequired[bool]
    userMention: bool
    hasLink: NotRequired[bool]
    deletable: bool
    editable: bool
    forwardedByMember: NotRequired[int]
    showGroupAsSender: bool
    msgSigned: NotRequired[MsgSigStatus]
    createdAt: str
    updatedAt: str


class CIQuote(TypedDict):
    chatDir: NotRequired[CIDirection]
    itemId: NotRequired[int]
    sharedMsgId: NotRequired[str]
    sentAt: str
    content: MsgContent
    formattedText: NotRequired[list[FormattedText]]


class CIReaction(TypedDict):
    chatDir: CIDirection
    chatItem: ChatItem
    sentAt: str
    reaction: MsgReaction


class CIReactionCount(TypedDict):
    reaction: MsgReaction
    userReacted: bool
    totalReacted: int


CIStatus: TypeAlias = Union[
    "CIStatusSndNew",
    "CIStatusSndSent",
    "CIStatusSndRcvd",
    "CIStatusSndErrorAuth",
    "CIStatusSndError",
    "CIStatusSndWarning",
    "CIStatusRcvNew",
    "CIStatusRcvRead",
    "CIStatusInvalid",
]


class CIStatusInvalid(TypedDict):
    type: Literal["invalid"]
    text: str


class CIStatusRcvNew(TypedDict):
    type: Literal["rcvNew"]


class CIStatusRcvRead(TypedDict):
    type: Literal["rcvRead"]


class CIStatusSndError(TypedDict):
    type: Literal["sndError"]
    agentError: SndError


class CIStatusSndErrorAuth(TypedDict):
    type: Literal["sndErrorAuth"]


class CIStatusSndNew(TypedDict):
    type: Literal["sndNew"]


class CIStatusSndRcvd(TypedDict):
    type: Literal["sndRcvd"]
    msgRcptStatus: MsgReceiptStatus
    sndProgress: SndCIStatusProgress


class CIStatusSndSent(TypedDict):
    type: Literal["sndSent"]
    sndProgress: SndCIStatusProgress


class CIStatusSndWarning(TypedDict):
    type: Literal["sndWarning"]
    agentError: SndError


class CITimed(TypedDict):
    ttl: int
    deleteAt: NotRequired[str]


class CallAnswerEvent(TypedDict):
    type: Literal["callAnswer"]
    user: User
    contact: Contact
    answer: WebRTCSession


class CallCapabilities(TypedDict):
    encryption: bool


class CallEndedEvent(TypedDict):
    type: Literal["callEnded"]
    user: User
    contact: Contact


class CallExtraInfoEvent(TypedDict):
    type: Literal["callExtraInfo"]
    user: User
    contact: Contact
    extraInfo: WebRTCExtraInfo


class CallInvitationEvent(TypedDict):
    type: Literal["callInvitation"]
    callInvitation: RcvCallInvitation


class CallInvitationsResponse(TypedDict):
    type: Literal["callInvitations"]
    callInvitations: list[RcvCallInvitation]


CallMedia: TypeAlias = str


class CallOfferEvent(TypedDict):
    type: Literal["callOffer"]
    user: User
    contact: Contact
    callType: CallType
    offer: WebRTCSession
    sharedKey: NotRequired[str]
    askConfirmation: bool


CallStateTag: TypeAlias = str


class CallType(TypedDict):
    media: CallMedia
    capabilities: CallCapabilities


CancelFileResponse: TypeAlias = Union["SndFileCancelledResponse", "RcvFileCancelledResponse"]


class ChangeReactionRequest(TypedDict):
    reaction: MsgReaction
    add: NotRequired[bool]


class ChannelRelaysModel(TypedDict):
    groupId: NotRequired[int]
    groupLink: NotRequired[GroupLink]
    groupRelays: list[GroupRelay]


ChatBotCommand: TypeAlias = Union["ChatBotCommandCommand", "ChatBotCommandMenu"]


class ChatBotCommandCommand(TypedDict):
    type: Literal["command"]
    keyword: str
    label: str
    params: NotRequired[str]


class ChatBotCommandMenu(TypedDict):
    type: Literal["menu"]
    label: str
    commands: list[ChatBotCommand]


class ChatClearedResponse(TypedDict):
    type: Literal["chatCleared"]
    user: User
    chatInfo: ChatInfo


class ChatContentTypesResponse(TypedDict):
    type: Literal["chatContentTypes"]
    contentTypes: list[MsgContentTag]


ChatError: TypeAlias = Union[
    "ChatErrorError",
    "ChatErrorErrorAgent",
    "ChatErrorErrorStore",
    "ChatErrorErrorDatabase",
    "ChatErrorErrorRemoteCtrl",
    "ChatErrorErrorRemoteHost",
]


class ChatErrorError(TypedDict):
    type: Literal["error"]
    errorType: ChatErrorType


class ChatErrorErrorAgent(TypedDict):
    type: Literal["errorAgent"]
    agentError: AgentErrorType
    agentConnId: NotRequired[str]
    connectionEntity_: NotRequired[ConnectionEntity]


class ChatErrorErrorDatabase(TypedDict):
    type: Literal["errorDatabase"]
    databaseError: DatabaseError


class ChatErrorErrorRemoteCtrl(TypedDict):
    type: Literal["errorRemoteCtrl"]
    remoteCtrlError: RemoteCtrlError


class ChatErrorErrorRemoteHost(TypedDict):
    type: Literal["errorRemoteHost"]
    rhKey: RHKey
    remoteHostError: RemoteHostError


class ChatErrorErrorStore(TypedDict):
    type: Literal["errorStore"]
    storeError: StoreError


class ChatErrorEvent(TypedDict):
    type: Literal["chatError"]
    chatError: ChatError


ChatErrorType: TypeAlias = Union[
    "ChatErrorTypeNoActiveUser",
    "ChatErrorTypeNoConnectionUser",
    "ChatErrorTypeNoSndFileUser",
    "ChatErrorTypeNoRcvFileUser",
    "ChatErrorTypeUserUnknown",
    "ChatErrorTypeUserExists",
    "ChatErrorTypeChatRelayExists",
    "ChatErrorTypeDifferentActiveUser",
    "ChatErrorTypeCantDeleteActiveUser",
    "ChatErrorTypeCantDeleteLastUser",
    "ChatErrorTypeCantHideLastUser",
    "ChatErrorTypeHiddenUserAlwaysMuted",
    "ChatErrorTypeEmptyUserPassword",
    "ChatErrorTypeUserAlreadyHidden",
    "ChatErrorTypeUserNotHidden",
    "ChatErrorTypeInvalidDisplayName",
    "ChatErrorTypeChatNotStarted",
    "ChatErrorTypeChatNotStopped",
    "ChatErrorTypeChatStoreChanged",
    "ChatErrorTypeInvalidConnReq",
    "ChatErrorTypeSimplexDomainNotReady",
    "ChatErrorTypeNotResolvedLocally",
    "ChatErrorTypeUnsupportedConnReq",
    "ChatErrorTypeConnReqMessageProhibited",
    "ChatErrorTypeContactNotReady",
    "ChatErrorTypeContactNotActive",
    "ChatErrorTypeContactDisabled",
    "ChatErrorTypeConnectionDisabled",
    "ChatErrorTypeGroupUserRole",
    "ChatErrorTypeGroupMemberInitialRole",
    "ChatErrorTypeContactIncognitoCantInvite",
    "ChatErrorTypeGroupIncognitoCantInvite",
    "ChatErrorTypeGroupContactRole",
    "ChatErrorTypeGroupDuplicateMember",
    "ChatErrorTypeGroupDuplicateMemberId",
    "ChatErrorTypeGroupNotJoined",
    "ChatErrorTypeGroupMemberNotActive",
    "ChatErrorTypeCantBlockMemberForSelf",
    "ChatErrorTypeGroupMemberUserRemoved",
    "ChatErrorTypeGroupMemberNotFound",
    "ChatErrorTypeGroupCantResendInvitation",
    "ChatErrorTypeGroupInternal",
    "ChatErrorTypeFileNotFound",
    "ChatErrorTypeFileSize",
    "ChatErrorTypeFileAlreadyReceiving",
    "ChatErrorTypeFileCancelled",
    "ChatErrorTypeFileCancel",
    "ChatErrorTypeFileAlreadyExists",
    "ChatErrorTypeFileWrite",
    "ChatErrorTypeFileSend",
    "ChatErrorTypeFileRcvChunk",
    "ChatErrorTypeFileInternal",
    "ChatErrorTypeFileImageType",
    "ChatErrorTypeFileImageSize",
    "ChatErrorTypeFileNotReceived",
    "ChatErrorTypeFileNotApproved",
    "ChatErrorTypeFallbackToSMPProhibited",
    "ChatErrorTypeInlineFileProhibited",
    "ChatErrorTypeInvalidForward",
    "ChatErrorTypeInvalidChatItemUpdate",
    "ChatErrorTypeInvalidChatItemDelete",
    "ChatErrorTypeHasCurrentCall",
    "ChatErrorTypeNoCurrentCall",
    "ChatErrorTypeCallContact",
    "ChatErrorTypeDirectMessagesProhibited",
    "ChatErrorTypeAgentVersion",
    "ChatErrorTypeAgentNoSubResult",
    "ChatErrorTypeCommandError",
    "ChatErrorTypeAgentCommandError",
    "ChatErrorTypeInvalidFileDescription",
    "ChatErrorTypeConnectionIncognitoChangeProhibited",
    "ChatErrorTypeConnectionUserChangeProhibited",
    "ChatErrorTypePeerChatVRangeIncompatible",
    "ChatErrorTypeRelayTestError",
    "ChatErrorTypeInternalError",
    "ChatErrorTypeException",
    "ChatErrorTypeInvalidChatMessage",
    "ChatErrorTypeContactNotFound",
    "ChatErrorTypeCallState",
    "ChatErrorTypeServerProtocol",
]


class ChatErrorTypeAgentCommandError(TypedDict):
    type: Literal["agentCommandError"]
    message: str


class ChatErrorTypeAgentNoSubResult(TypedDict):
    type: Literal["agentNoSubResult"]
    agentConnId: str


class ChatErrorTypeAgentVersion(TypedDict):
    type: Literal["agentVersion"]


class ChatErrorTypeCallContact(TypedDict):
    type: Literal["callContact"]
    contactId: int


class ChatErrorTypeCallState(TypedDict):
    type: Literal["callState"]
    currentCallState: CallStateTag


class ChatErrorTypeCantBlockMemberForSelf(TypedDict):
    type: Literal["cantBlockMemberForSelf"]
    groupInfo: GroupInfo
    member: GroupMember
    setShowMessages: bool


class ChatErrorTypeCantDeleteActiveUser(TypedDict):
    type: Literal["cantDeleteActiveUser"]
    userId: int


class ChatErrorTypeCantDeleteLastUser(TypedDict):
    type: Literal["cantDeleteLastUser"]
    userId: int


class ChatErrorTypeCantHideLastUser(TypedDict):
    type: Literal["cantHideLastUser"]
    userId: int


class ChatErrorTypeChatNotStarted(TypedDict):
    type: Literal["chatNotStarted"]


class ChatErrorTypeChatNotStopped(TypedDict):
    type: Literal["chatNotStopped"]


class ChatErrorTypeChatRelayExists(TypedDict):
    type: Literal["chatRelayExists"]


class ChatErrorTypeChatStoreChanged(TypedDict):
    type: Literal["chatStoreChanged"]


class ChatErrorTypeCommandError(TypedDict):
    type: Literal["commandError"]
    message: str


class ChatErrorTypeConnReqMessageProhibited(TypedDict):
    type: Literal["connReqMessageProhibited"]


class ChatErrorTypeConnectionDisabled(TypedDict):
    type: Literal["connectionDisabled"]
    connection: Connection


class ChatErrorTypeConnectionIncognitoChangeProhibited(TypedDict):
    type: Literal["connectionIncognitoChangeProhibited"]


class ChatErrorTypeConnectionUserChangeProhibited(TypedDict):
    type: Literal["connectionUserChangeProhibited"]


class ChatErrorTypeContactDisabled(TypedDict):
    type: Literal["contactDisabled"]
    contact: Contact


class ChatErrorTypeContactIncognitoCantInvite(TypedDict):
    type: Literal["contactIncognitoCantInvite"]


class ChatErrorTypeContactNotActive(TypedDict):
    type: Literal["contactNotActive"]
    contact: Contact


class ChatErrorTypeContactNotFound(TypedDict):
    type: Literal["contactNotFound"]
    contactName: str
    suspectedMember: NotRequired[list[Union[int, dict[str, Any]]]]


class ChatErrorTypeContactNotReady(TypedDict):
    type: Literal["contactNotReady"]
    contact: Contact


class ChatErrorTypeDifferentActiveUser(TypedDict):
    type: Literal["differentActiveUser"]
    commandUserId: int
    activeUserId: int


class ChatErrorTypeDirectMessagesProhibited(TypedDict):
    type: Literal["directMessagesProhibited"]
    direction: MsgDirection
    contact: Contact


class ChatErrorTypeEmptyUserPassword(TypedDict):
    type: Literal["emptyUserPassword"]
    userId: int


class ChatErrorTypeException(TypedDict):
    type: Literal["exception"]
    message: str


class ChatErrorTypeFallbackToSMPProhibited(TypedDict):
    type: Literal["fallbackToSMPProhibited"]
    fileId: int


class ChatErrorTypeFileAlreadyExists(TypedDict):
    type: Literal["fileAlreadyExists"]
    filePath: str


class ChatErrorTypeFileAlreadyReceiving(TypedDict):
    type: Literal["fileAlreadyReceiving"]
    message: str


class ChatErrorTypeFileCancel(TypedDict):
    type: Literal["fileCancel"]
    fileId: int
    message: str


class ChatErrorTypeFileCancelled(TypedDict):
    type: Literal["fileCancelled"]
    message: str


class ChatErrorTypeFileImageSize(TypedDict):
    type: Literal["fileImageSize"]
    filePath: str


class ChatErrorTypeFileImageType(TypedDict):
    type: Literal["fileImageType"]
    filePath: str


class ChatErrorTypeFileInternal(TypedDict):
    type: Literal["fileInternal"]
    message: str


class ChatErrorTypeFileNotApproved(TypedDict):
    type: Literal["fileNotApproved"]
    fileId: int
    unknownServers: list[str]


class ChatErrorTypeFileNotFound(TypedDict):
    type: Literal["fileNotFound"]
    message: str


class ChatErrorTypeFileNotReceived(TypedDict):
    type: Literal["fileNotReceived"]
    fileId: int


class ChatErrorTypeFileRcvChunk(TypedDict):
    type: Literal["fileRcvChunk"]
    message: str


class ChatErrorTypeFileSend(TypedDict):
    type: Literal["fileSend"]
    fileId: int
    agentError: AgentErrorType


class ChatErrorTypeFileSize(TypedDict):
    type: Literal["fileSize"]
    filePath: str


class ChatErrorTypeFileWrite(TypedDict):
    type: Literal["fileWrite"]
    filePath: str
    message: str


class ChatErrorTypeGroupCantResendInvitation(TypedDict):
    type: Literal["groupCantResendInvitation"]
    groupInfo: GroupInfo
    contactName: str


class ChatErrorTypeGroupContactRole(TypedDict):
    type: Literal["groupContactRole"]
    contactName: str


class ChatErrorTypeGroupDuplicateMember(TypedDict):
    type: Literal["groupDuplicateMember"]
    contactName: str


class ChatErrorTypeGroupDuplicateMemberId(TypedDict):
    type: Literal["groupDuplicateMemberId"]


class ChatErrorTypeGroupIncognitoCantInvite(TypedDict):
    type: Literal["groupIncognitoCantInvite"]


class ChatErrorTypeGroupInternal(TypedDict):
    type: Literal["groupInternal"]
    message: str


class ChatErrorTypeGroupMemberInitialRole(TypedDict):
    type: Literal["groupMemberInitialRole"]
    groupInfo: GroupInfo
    initialRole: GroupMemberRole


class ChatErrorTypeGroupMemberNotActive(TypedDict):
    type: Literal["groupMemberNotActive"]


class ChatErrorTypeGroupMemberNotFound(TypedDict):
    type: Literal["groupMemberNotFound"]


class ChatErrorTypeGroupMemberUserRemoved(TypedDict):
    type: Literal["groupMemberUserRemoved"]


class ChatErrorTypeGroupNotJoined(TypedDict):
    type: Literal["groupNotJoined"]
    groupInfo: GroupInfo


class ChatErrorTypeGroupUserRole(TypedDict):
    type: Literal["groupUserRole"]
    groupInfo: GroupInfo
    requiredRole: GroupMemberRole


class ChatErrorTypeHasCurrentCall(TypedDict):
    type: Literal["hasCurrentCall"]


class ChatErrorTypeHiddenUserAlwaysMuted(TypedDict):
    type: Literal["hiddenUserAlwaysMuted"]
    userId: int


class ChatErrorTypeInlineFileProhibited(TypedDict):
    type: Literal["inlineFileProhibited"]
    fileId: int


class ChatErrorTypeInternalError(TypedDict):
    type: Literal["internalError"]
    message: str


class ChatErrorTypeInvalidChatItemDelete(TypedDict):
    type: Literal["invalidChatItemDelete"]


class ChatErrorTypeInvalidChatItemUpdate(TypedDict):
    type: Literal["invalidChatItemUpdate"]


class ChatErrorTypeInvalidChatMessage(TypedDict):
    type: Literal["invalidChatMessage"]
    connection: Connection
    msgMeta: NotRequired[MsgMetaJSON]
    messageData: str
    message: str


class ChatErrorTypeInvalidConnReq(TypedDict):
    type: Literal["invalidConnReq"]


class ChatErrorTypeInvalidDisplayName(TypedDict):
    type: Literal["invalidDisplayName"]
    displayName: str
    validName: str


class ChatErrorTypeInvalidFileDescription(TypedDict):
    type: Literal["invalidFileDescription"]
    message: str


class ChatErrorTypeInvalidForward(TypedDict):
    type: Literal["invalidForward"]


class ChatErrorTypeNoActiveUser(TypedDict):
    type: Literal["noActiveUser"]


class ChatErrorTypeNoConnectionUser(TypedDict):
    type: Literal["noConnectionUser"]
    agentConnId: str


class ChatErrorTypeNoCurrentCall(TypedDict):
    type: Literal["noCurrentCall"]


class ChatErrorTypeNoRcvFileUser(TypedDict):
    type: Literal["noRcvFileUser"]
    agentRcvFileId: str


class ChatErrorTypeNoSndFileUser(TypedDict):
    type: Literal["noSndFileUser"]
    agentSndFileId: str


class ChatErrorTypeNotResolvedLocally(TypedDict):
    type: Literal["notResolvedLocally"]


class ChatErrorTypePeerChatVRangeIncompatible(TypedDict):
    type: Literal["peerChatVRangeIncompatible"]


class ChatErrorTypeRelayTestError(TypedDict):
    type: Literal["relayTestError"]
    message: str


class ChatErrorTypeServerProtocol(TypedDict):
    type: Literal["serverProtocol"]
    serverProtocol: ServerProtocol


class ChatErrorTypeSimplexDomainNotReady(TypedDict):
    type: Literal["simplexDomainNotReady"]
    simplexDomain: SimplexDomain
    simplexDomainError: SimplexDomainError


class ChatErrorTypeUnsupportedConnReq(TypedDict):
    type: Literal["unsupportedConnReq"]


class ChatErrorTypeUserAlreadyHidden(TypedDict):
    type: Literal["userAlreadyHidden"]
    userId: int


class ChatErrorTypeUserExists(TypedDict):
    type: Literal["userExists"]
    contactName: str


class ChatErrorTypeUserNotHidden(TypedDict):
    type: Literal["userNotHidden"]
    userId: int


class ChatErrorTypeUserUnknown(TypedDict):
    type: Literal["userUnknown"]


class ChatErrorsEvent(TypedDict):
    type: Literal["chatErrors"]
    chatErrors: list[ChatError]


ChatFeature: TypeAlias = str


class ChatFiles(TypedDict):
    chatType: Literal["direct", "group", "local"]
    chatId: int
    files: int
    bytes: int


ChatInfo: TypeAlias = Union[
    "ChatInfoDirect",
    "ChatInfoGroup",
    "ChatInfoLocal",
    "ChatInfoContactRequest",
    "ChatInfoContactConnection",
    "ChatInfoInvalidJSON",
]


class ChatInfoContactConnection(TypedDict):
    type: Literal["contactConnection"]
    contactConnection: PendingContactConnection


class ChatInfoContactRequest(TypedDict):
    type: Literal["contactRequest"]
    contactRequest: UserContactRequest


class ChatInfoDirect(TypedDict):
    type: Literal["direct"]
    contact: Contact


class ChatInfoGroup(TypedDict):
    type: Literal["group"]
    groupInfo: GroupInfo
    groupChatScope: NotRequired[GroupChatScopeInfo]


class ChatInfoInvalidJSON(TypedDict):
    type: Literal["invalidJSON"]
    chatType: ChatType
    json: dict[str, Any]


class ChatInfoLocal(TypedDict):
    type: Literal["local"]
    noteFolder: NoteFolder


class ChatInfoUpdatedEvent(TypedDict):
    type: Literal["chatInfoUpdated"]
    user: User
    chatInfo: ChatInfo


class ChatItem(TypedDict):
    chatDir: CIDirection
    meta: CIMeta
    content: CIContent
    mentions: dict[str, CIMention]
    formattedText: NotRequired[list[FormattedText]]
    quotedItem: NotRequired[CIQuote]
    reactions: list[CIReactionCount]
    file: NotRequired[CIFile]


class ChatItemDeletedNotFoundEvent(TypedDict):
    type: Literal["chatItemDeletedNotFound"]
    user: User
    contact: Contact
    sharedMsgId: str


class ChatItemDeletion(TypedDict):
    deletedChatItem: AChatItem
    toChatItem: NotRequired[AChatItem]


class ChatItemInfo(TypedDict):
    itemVersions: list[ChatItemVersion]
    memberDeliveryStatuses: NotRequired[list[MemberDeliveryStatus]]
    forwardedFromChatItem: NotRequired[AChatItem]


class ChatItemInfoResponse(TypedDict):
    type: Literal["chatItemInfo"]
    user: User
    chatItem: AChatItem
    chatItemInfo: ChatItemInfo


class ChatItemNotChangedEvent(TypedDict):
    type: Literal["chatItemNotChanged"]
    user: User
    chatItem: AChatItem


class ChatItemNotChangedResponse(TypedDict):
    type: Literal["chatItemNotChanged"]
    user: User
    chatItem: AChatItem


class ChatItemReactionEvent(TypedDict):
    type: Literal["chatItemReaction"]
    user: User
    added: bool
    reaction: ACIReaction


class ChatItemReactionResponse(TypedDict):
    type: Literal["chatItemReaction"]
    user: User
    added: bool
    reaction: ACIReaction


class ChatItemTTLResponse(TypedDict):
    type: Literal["chatItemTTL"]
    user: User
    chatItemTTL: NotRequired[int]


class ChatItemUpdatedEvent(TypedDict):
    type: Literal["chatItemUpdated"]
    user: User
    chatItem: AChatItem


class ChatItemUpdatedResponse(TypedDict):
    type: Literal["chatItemUpdated"]
    user: User
    chatItem: AChatItem


class ChatItemVersion(TypedDict):
    chatItemVersionId: int
    msgContent: MsgContent
    formattedText: NotRequired[list[FormattedText]]
    itemVersionTs: str
    createdAt: str


class ChatItemsDeletedEvent(TypedDict):
    type: Literal["chatItemsDeleted"]
    user: User
    chatItemDeletions: list[ChatItemDeletion]
    byUser: bool
    timed: bool


class ChatItemsDeletedResponse(TypedDict):
    type: Literal["chatItemsDeleted"]
    user: User
    chatItemDeletions: list[ChatItemDeletion]
    byUser: bool
    timed: bool


class ChatItemsResponse(TypedDict):
    type: Literal["chatItems"]
    user: User
    chatName_: NotRequired[ChatName]
    chatItems: list[AChatItem]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class ChatItemsStatusesUpdatedEvent(TypedDict):
    type: Literal["chatItemsStatusesUpdated"]
    user: User
    chatItems: list[AChatItem]


class ChatModel(TypedDict):
    userId: int
    currentUser: NotRequired[User]
    users: list[UserInfo]
    totalUnreadCountForAllUsers: int
    chats: list[ModelChat]
    chatTagsModel: ChatTagsModel
    callInvitations: dict[str, RcvCallInvitation]
    activeCall: NotRequired[Any]
    activeCalls: dict[str, ActiveCall]
    notifications: NotificationState
    remoteCtrlSession: NotRequired[RemoteCtrlSession]
    userAddress: NotRequired[UserContactLink]
    chatItemTTL: NotRequired[int]
    networkInfo: UserNetworkInfo
    conditions: NotRequired[ServerOperatorConditions]
    lifecycle: AppLifecycle
    drafts: dict[str, ComposeState]
    draftChatId: NotRequired[str]


class ChatMsgContentResponse(TypedDict):
    type: Literal["chatMsgContent"]
    user: User
    msgContent: MsgContent


class ChatName(TypedDict):
    chatType: ChatType
    chatName: str


ChatPeerType: TypeAlias = str


class ChatRelayTestResultResponse(TypedDict):
    type: Literal["chatRelayTestResult"]
    user: User
    relayProfile: NotRequired[RelayProfile]
    relayTestFailure: NotRequired[RelayTestFailure]


class ChatRunningResponse(TypedDict):
    type: Literal["chatRunning"]


class ChatSettings(TypedDict):
    enableNtfs: MsgFilter
    sendRcpts: NotRequired[bool]
    favorite: bool


class ChatStartedResponse(TypedDict):
    type: Literal["chatStarted"]


class ChatStats(TypedDict):
    unreadCount: int
    unreadMentions: int
    reportsCount: int
    minUnreadItemId: int
    unreadChat: bool


class ChatStoppedResponse(TypedDict):
    type: Literal["chatStopped"]


class ChatSuspendedEvent(TypedDict):
    type: Literal["chatSuspended"]


class ChatTag(TypedDict):
    chatTagId: int
    chatTagText: str
    chatTagEmoji: NotRequired[str]


class ChatTagsModel(TypedDict):
    userTags: list[ChatTag]
    presetTags: dict[str, int]
    unreadTags: dict[str, int]


class ChatTagsResponse(TypedDict):
    type: Literal["chatTags"]
    user: User
    userTags: list[ChatTag]


ChatType: TypeAlias = str


class ChatWallpaper(TypedDict):
    preset: NotRequired[str]
    imageFile: NotRequired[str]
    background: NotRequired[str]
    tint: NotRequired[str]
    scaleType: NotRequired[ChatWallpaperScale]
    scale: NotRequired[float]


ChatWallpaperScale: TypeAlias = str


class CheckDeviceTokenRequest(TypedDict):
    token: DeviceToken


class ClientNotice(TypedDict):
    ttl: NotRequired[int]


class CmdOkResponse(TypedDict):
    type: Literal["cmdOk"]
    user_: NotRequired[User]


Color: TypeAlias = str
CommandError: TypeAlias = Union[
    "CommandErrorUnknown",
    "CommandErrorSyntax",
    "CommandErrorProhibited",
    "CommandErrorNoAuth",
    "CommandErrorHasAuth",
    "CommandErrorNoEntity",
]


class CommandErrorHasAuth(TypedDict):
    type: Literal["HAS_AUTH"]


class CommandErrorNoAuth(TypedDict):
    type: Literal["NO_AUTH"]


class CommandErrorNoEntity(TypedDict):
    type: Literal["NO_ENTITY"]


class CommandErrorProhibited(TypedDict):
    type: Literal["PROHIBITED"]


class CommandErrorSyntax(TypedDict):
    type: Literal["SYNTAX"]


CommandErrorType: TypeAlias = Union[
    "CommandErrorTypeProhibited",
    "CommandErrorTypeSyntax",
    "CommandErrorTypeNoConn",
    "CommandErrorTypeSize",
    "CommandErrorTypeLarge",
]


class CommandErrorTypeLarge(TypedDict):
    type: Literal["LARGE"]


class CommandErrorTypeNoConn(TypedDict):
    type: Literal["NO_CONN"]


class CommandErrorTypeProhibited(TypedDict):
    type: Literal["PROHIBITED"]


class CommandErrorTypeSize(TypedDict):
    type: Literal["SIZE"]


class CommandErrorTypeSyntax(TypedDict):
    type: Literal["SYNTAX"]


class CommandErrorUnknown(TypedDict):
    type: Literal["UNKNOWN"]


class CommentsGroupPreference(TypedDict):
    enable: GroupFeatureEnabled
    duration: NotRequired[int]


class ComposeState(TypedDict):
    message: str
    quotedItemId: NotRequired[Union[int, None]]
    editingItemId: NotRequired[Union[int, None]]


class ComposedMessage(TypedDict):
    fileSource: NotRequired[CryptoFile]
    quotedItemId: NotRequired[int]
    msgContent: MsgContent
    mentions: dict[str, int]


ConditionsAcceptance: TypeAlias = Union["ConditionsAcceptanceAccepted", "ConditionsAcceptanceRequired"]


class ConditionsAcceptanceAccepted(TypedDict):
    type: Literal["accepted"]
    acceptedAt: NotRequired[str]
    autoAccepted: bool


class ConditionsAcceptanceRequired(TypedDict):
    type: Literal["required"]
    deadline: NotRequired[str]


class ConnMsgReq(TypedDict):
    msgConnId: str
    msgDbQueueId: int
    msgTs: str


class ConnNetworkStatus(TypedDict):
    agentConnId: str
    networkStatus: dict[str, Any]


class ConnNtfMessagesResponse(TypedDict):
    type: Literal["connNtfMessages"]
    receivedMsgs: list[RcvNtfMsgInfo]


ConnStatus: TypeAlias = Union["ConnStatusPlain", "ConnStatusFailed"]


class ConnStatusFailed(TypedDict):
    type: Literal["failed"]
    connError: str


class ConnStatusPlain(TypedDict):
    type: Literal["new", "prepared", "joined", "requested", "accepted", "sndReady", "ready", "deleted"]


ConnType: TypeAlias = str


class ConnectContactByAddressRequest(TypedDict):
    incognito: NotRequired[bool]


class ConnectControllerRequest(TypedDict):
    xrcpInvitation: str


class ConnectPreparedContactRequest(TypedDict):
    incognito: NotRequired[bool]
    msg: NotRequired[MsgContent]


ConnectPreparedContactResponse: TypeAlias = Union["StartedConnectionToContactResponse", "ContactAlreadyExistsResponse"]


class ConnectedToGroupMemberEvent(TypedDict):
    type: Literal["connectedToGroupMember"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    memberContact: NotRequired[Contact]


class Connection(TypedDict):
    connId: int
    agentConnId: str
    connChatVersion: int
    peerChatVRange: VersionRange
    connLevel: int
    viaContact: NotRequired[int]
    viaUserContactLink: NotRequired[int]
    viaGroupLink: bool
    groupLinkId: NotRequired[str]
    xContactId: NotRequired[str]
    customUserProfileId: NotRequired[int]
    connType: ConnType
    connStatus: ConnStatus
    contactConnInitiated: bool
    localAlias: str
    entityId: NotRequired[int]
    connectionCode: NotRequired[SecurityCode]
    pqSupport: bool
    pqEncryption: bool
    pqSndEnabled: NotRequired[bool]
    pqRcvEnabled: NotRequired[bool]
    authErrCounter: int
    quotaErrCounter: int
    createdAt: str


class ConnectionDisabledEvent(TypedDict):
    type: Literal["connectionDisabled"]
    connectionEntity: ConnectionEntity


ConnectionEntity: TypeAlias = Union[
    "ConnectionEntityRcvDirectMsgConnection",
    "ConnectionEntityRcvGroupMsgConnection",
    "ConnectionEntityUserContactConnection",
]


class ConnectionEntityRcvDirectMsgConnection(TypedDict):
    type: Literal["rcvDirectMsgConnection"]
    entityConnection: Connection
    contact: NotRequired[Contact]


class ConnectionEntityRcvGroupMsgConnection(TypedDict):
    type: Literal["rcvGroupMsgConnection"]
    entityConnection: Connection
    groupInfo: GroupInfo
    groupMember: GroupMember


class ConnectionEntityUserContactConnection(TypedDict):
    type: Literal["userContactConnection"]
    entityConnection: Connection
    userContact: UserContact


ConnectionErrorType: TypeAlias = Union[
    "ConnectionErrorTypeNotFound",
    "ConnectionErrorTypeDuplicate",
    "ConnectionErrorTypeSimplex",
    "ConnectionErrorTypeNotAccepted",
    "ConnectionErrorTypeNotAvailable",
]


class ConnectionErrorTypeDuplicate(TypedDict):
    type: Literal["DUPLICATE"]


class ConnectionErrorTypeNotAccepted(TypedDict):
    type: Literal["NOT_ACCEPTED"]


class ConnectionErrorTypeNotAvailable(TypedDict):
    type: Literal["NOT_AVAILABLE"]


class ConnectionErrorTypeNotFound(TypedDict):
    type: Literal["NOT_FOUND"]


class ConnectionErrorTypeSimplex(TypedDict):
    type: Literal["SIMPLEX"]


class ConnectionInactiveEvent(TypedDict):
    type: Literal["connectionInactive"]
    connectionEntity: ConnectionEntity
    inactive: bool


ConnectionMode: TypeAlias = str
ConnectionPlan: TypeAlias = Union[
    "ConnectionPlanInvitationLink",
    "ConnectionPlanContactAddress",
    "ConnectionPlanGroupLink",
    "ConnectionPlanError",
]


class ConnectionPlanContactAddress(TypedDict):
    type: Literal["contactAddress"]
    contactAddressPlan: ContactAddressPlan


class ConnectionPlanError(TypedDict):
    type: Literal["error"]
    chatError: ChatError


class ConnectionPlanGroupLink(TypedDict):
    type: Literal["groupLink"]
    groupLinkPlan: GroupLinkPlan


class ConnectionPlanInvitationLink(TypedDict):
    type: Literal["invitationLink"]
    invitationLinkPlan: InvitationLinkPlan


class ConnectionPlanResponse(TypedDict):
    type: Literal["connectionPlan"]
    user: User
    connLink: CreatedConnLink
    planSimplexName: NotRequired[SimplexNameInfo]
    otherSimplexName: NotRequired[SimplexNameInfo]
    connectionPlan: ConnectionPlan


class ConnectionStats(TypedDict):
    connAgentVersion: int
    rcvQueuesInfo: list[RcvQueueInfo]
    sndQueuesInfo: list[SndQueueInfo]
    ratchetSyncState: RatchetSyncState
    ratchetSyncSupported: bool
    subStatus: NotRequired[SubscriptionStatus]


class ConnectionUserChangedResponse(TypedDict):
    type: Literal["connectionUserChanged"]
    user: User
    fromConnection: PendingContactConnection
    toConnection: PendingContactConnection
    newUser: User


class ConnectionVerifiedResponse(TypedDict):
    type: Literal["connectionVerified"]
    user: User
    verified: bool
    expectedCode: str


class ConnectionsDiffEvent(TypedDict):
    type: Literal["connectionsDiff"]
    userIds: DatabaseDiff
    connIds: DatabaseDiff


class Consumer(TypedDict):
    name: str
    filter: ConsumerFilter
    deadlineSeconds: int
    maxAttempts: int
    keyId: str
    userId: NotRequired[int]
    createdAt: str
    cursor: str
    lag: int
    handedOut: int
    setAside: int
    lastAcknowledgedAt: NotRequired[str]


class ConsumerFilter(TypedDict):
    types: NotRequired[list[str]]
    users: NotRequired[list[int]]
    chats: NotRequired[list[str]]


class Contact(TypedDict):
    contactId: int
    localDisplayName: str
    profile: LocalProfile
    activeConn: NotRequired[Connection]
    contactUsed: bool
    contactStatus: ContactStatus
    chatSettings: ChatSettings
    userPreferences: Preferences
    mergedPreferences: ContactUserPreferences
    createdAt: str
    updatedAt: str
    chatTs: NotRequired[str]
    preparedContact: NotRequired[PreparedContact]
    contactRequestId: NotRequired[int]
    contactGroupMemberId: NotRequired[int]
    contactGrpInvSent: bool
    groupDirectInv: NotRequired[GroupDirectInvitation]
    chatTags: list[int]
    chatItemTTL: NotRequired[int]
    uiThemes: NotRequired[UIThemeEntityOverrides]
    chatDeleted: bool
    customData: NotRequired[dict[str, Any]]


ContactAddressPlan: TypeAlias = Union[
    "ContactAddressPlanOk",
    "ContactAddressPlanOwnLink",
    "ContactAddressPlanConnectingConfirmReconnect",
    "ContactAddressPlanConnectingProhibit",
    "ContactAddressPlanKnown",
    "ContactAddressPlanContactViaAddress",
]


class ContactAddressPlanConnectingConfirmReconnect(TypedDict):
    type: Literal["connectingConfirmReconnect"]


class ContactAddressPlanConnectingProhibit(TypedDict):
    type: Literal["connectingProhibit"]
    contact: Contact


class ContactAddressPlanContactViaAddress(TypedDict):
    type: Literal["contactViaAddress"]
    contact: Contact


class ContactAddressPlanKnown(TypedDict):
    type: Literal["known"]
    contact: Contact


class ContactAddressPlanOk(TypedDict):
    type: Literal["ok"]
    contactSLinkData_: NotRequired[ContactShortLinkData]
    ownerVerification: NotRequired[OwnerVerification]
    verifiedDomain: NotRequired[SimplexDomain]


class ContactAddressPlanOwnLink(TypedDict):
    type: Literal["ownLink"]


class ContactAlreadyExistsResponse(TypedDict):
    type: Literal["contactAlreadyExists"]
    user: User
    contact: Contact


class ContactAndMemberAssociatedEvent(TypedDict):
    type: Literal["contactAndMemberAssociated"]
    user: User
    contact: Contact
    groupInfo: GroupInfo
    member: GroupMember
    updatedContact: Contact


class ContactAnotherClientEvent(TypedDict):
    type: Literal["contactAnotherClient"]
    user: User
    contact: Contact


class ContactCodeResponse(TypedDict):
    type: Literal["contactCode"]
    user: User
    contact: Contact
    connectionCode: str


class ContactConnectedEvent(TypedDict):
    type: Literal["contactConnected"]
    user: User
    contact: Contact
    userCustomProfile: NotRequired[Profile]


class ContactConnectingEvent(TypedDict):
    type: Literal["contactConnecting"]
    user: User
    contact: Contact


class ContactConnectionDeletedResponse(TypedDict):
    type: Literal["contactConnectionDeleted"]
    user: User
    connection: PendingContactConnection


class ContactDeletedByContactEvent(TypedDict):
    type: Literal["contactDeletedByContact"]
    user: User
    contact: Contact


class ContactDeletedResponse(TypedDict):
    type: Literal["contactDeleted"]
    user: User
    contact: Contact


class ContactDisabledEvent(TypedDict):
    type: Literal["contactDisabled"]
    user: User
    contact: Contact


class ContactDomainVerifiedResponse(TypedDict):
    type: Literal["contactDomainVerified"]
    user: User
    contact: Contact
    verificationFailure: NotRequired[str]


class ContactInfoResponse(TypedDict):
    type: Literal["contactInfo"]
    user: User
    contact: Contact
    connectionStats_: NotRequired[ConnectionStats]
    customUserProfile: NotRequired[Profile]


class ContactPQEnabledEvent(TypedDict):
    type: Literal["contactPQEnabled"]
    user: User
    contact: Contact
    pqEnabled: bool


class ContactRatchetSyncEvent(TypedDict):
    type: Literal["contactRatchetSync"]
    user: User
    contact: Contact
    ratchetSyncProgress: RatchetSyncProgress


class ContactRatchetSyncStartedResponse(TypedDict):
    type: Literal["contactRatchetSyncStarted"]
    user: User
    contact: Contact
    connectionStats: ConnectionStats


class ContactRequestAlreadyAcceptedEvent(TypedDict):
    type: Literal["contactRequestAlreadyAccepted"]
    user: User
    contact: Contact


class ContactRequestRejectedResponse(TypedDict):
    type: Literal["contactRequestRejected"]
    user: User
    contactRequest: UserContactRequest
    contact_: NotRequired[Contact]


class ContactShortLinkData(TypedDict):
    profile: Profile
    message: NotRequired[MsgContent]
    business: bool
    localBadge: NotRequired[LocalBadge]


class ContactSndReadyEvent(TypedDict):
    type: Literal["contactSndReady"]
    user: User
    contact: Contact


ContactStatus: TypeAlias = str


class ContactSwitchAbortedResponse(TypedDict):
    type: Literal["contactSwitchAborted"]
    user: User
    contact: Contact
    connectionStats: ConnectionStats


class ContactSwitchEvent(TypedDict):
    type: Literal["contactSwitch"]
    user: User
    contact: Contact
    switchProgress: SwitchProgress


class ContactSwitchStartedResponse(TypedDict):
    type: Literal["contactSwitchStarted"]
    user: User
    contact: Contact
    connectionStats: ConnectionStats


class ContactUpdatedEvent(TypedDict):
    type: Literal["contactUpdated"]
    user: User
    fromContact: Contact
    toContact: Contact


class ContactUserChangedResponse(TypedDict):
    type: Literal["contactUserChanged"]
    user: User
    fromContact: Contact
    newUser: User
    toContact: Contact


ContactUserPref: TypeAlias = Union["ContactUserPrefContact", "ContactUserPrefUser"]


class ContactUserPrefContact(TypedDict):
    type: Literal["contact"]
    preference: SimplePreference


class ContactUserPrefUser(TypedDict):
    type: Literal["user"]
    preference: SimplePreference


class ContactUserPreference(TypedDict):
    enabled: PrefEnabled
    userPreference: ContactUserPref
    contactPreference: SimplePreference


class ContactUserPreferences(TypedDict):
    timedMessages: ContactUserPreference
    fullDelete: ContactUserPreference
    reactions: ContactUserPreference
    voice: ContactUserPreference
    files: ContactUserPreference
    calls: ContactUserPreference
    sessions: ContactUserPreference
    commands: NotRequired[list[ChatBotCommand]]


class ContactsListResponse(TypedDict):
    type: Literal["contactsList"]
    user: User
    contacts: list[Contact]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class ContactsMergedEvent(TypedDict):
    type: Literal["contactsMerged"]
    user: User
    intoContact: Contact
    mergedContact: Contact
    updatedContact: Contact


class CoreVersionInfo(TypedDict):
    version: str
    simplexmqVersion: str
    simplexmqCommit: str


class CreateAddressCardRequest(TypedDict):
    sendAsGroup: NotRequired[bool]


class CreateBackupRequest(TypedDict):
    folder: str
    store: NotRequired[str]
    passphrase: NotRequired[str]
    base: NotRequired[str]


class CreateBackupResponse(TypedDict):
    folder: str
    files: int
    bytes: int
    shared: NotRequired[int]
    elsewhere: NotRequired[list[str]]
    leftOut: NotRequired[list[str]]
    faults: NotRequired[list[str]]


class CreateBroadcastRequest(TypedDict):
    to: BroadcastReceivers
    composedMessages: NotRequired[list[ComposedMessage]]
    text: NotRequired[str]
    messagesPerSecond: NotRequired[int]
    sendAt: NotRequired[str]
    ttl: NotRequired[int]
    sendAsGroup: NotRequired[bool]
    sign: NotRequired[bool]


class CreateChannelCardRequest(TypedDict):
    toChatType: Literal["direct", "group"]
    toChatId: int
    toScope: NotRequired[GroupChatScope]
    sendAsGroup: NotRequired[bool]


class CreateChannelRequest(TypedDict):
    relayIds: list[int]
    groupProfile: GroupProfile
    incognito: NotRequired[bool]


CreateChannelResponse: TypeAlias = Union["PublicGroupCreatedResponse", "PublicGroupCreationFailedResponse"]


class CreateConnectionRequest(TypedDict):
    connLink: Union[str, CreatedConnLink]
    incognito: NotRequired[bool]


CreateConnectionResponse: TypeAlias = Union[
    "SentConfirmationResponse",
    "SentInvitationResponse",
    "ContactAlreadyExistsResponse",
]


class CreateEventTicketRequest(TypedDict):
    path: NotRequired[str]


class CreateEventTicketResponse(TypedDict):
    ticket: str
    expiresIn: int


class CreateGroupLinkRequest(TypedDict):
    memberRole: Literal["observer", "member", "moderator", "admin", "owner"]


class CreateGroupRequest(TypedDict):
    groupProfile: GroupProfile
    incognito: NotRequired[bool]


class CreateInvitationRequest(TypedDict):
    incognito: NotRequired[bool]


class CreateKeyRequest(TypedDict):
    name: str
    scopes: NotRequired[list[KeyScope]]
    userId: NotRequired[int]
    chats: NotRequired[list[str]]
    remoteHostId: NotRequired[int]
    expiresAt: NotRequired[str]
    expiresIn: NotRequired[int]
    claimWithin: NotRequired[int]


class CreateMigrationRequest(TypedDict):
    passphrase: str
    format: NotRequired[Literal["gateway", "app"]]


class CreateMigrationResponse(TypedDict):
    state: Literal["ready"]
    link: str
    size: int
    createdAt: str
    archiveErrors: list[ArchiveError]


class CreatePushSubscriptionRequest(TypedDict):
    endpoint: str
    expirationTime: NotRequired[Union[float, None]]
    keys: dict[str, Any]
    name: NotRequired[str]
    users: NotRequired[list[int]]
    chats: NotRequired[list[str]]
    mentionsOnly: NotRequired[bool]
    content: NotRequired[bool]


class CreateStoreRequest(TypedDict):
    name: str
    passphrase: NotRequired[str]
    tenant: NotRequired[str]


class CreateStoreResponse(TypedDict):
    store: Store
    key: str


class CreateTagRequest(TypedDict):
    text: str
    emoji: NotRequired[str]


class CreateUserRequest(TypedDict):
    profile: Profile
    pastTimestamp: NotRequired[bool]
    userChatRelay: NotRequired[bool]
    clientService: NotRequired[bool]
    activate: NotRequired[bool]
    servers: NotRequired[Literal["relay", "network"]]


class CreateWebhookRequest(TypedDict):
    url: str
    name: NotRequired[str]
    types: NotRequired[list[EventType]]
    users: NotRequired[list[int]]
    chats: NotRequired[list[str]]
    secret: NotRequired[str]
    cursor: NotRequired[str]


class CreatedConnLink(TypedDict):
    connFullLink: str
    connShortLink: NotRequired[str]


class CryptoFile(TypedDict):
    filePath: str
    cryptoArgs: NotRequired[CryptoFileArgs]


class CryptoFileArgs(TypedDict):
    fileKey: str
    fileNonce: str


class CtrlAppInfo(TypedDict):
    appVersionRange: dict[str, Any]
    deviceName: str
    compression: NotRequired[bool]


class CurrentRemoteHostResponse(TypedDict):
    type: Literal["currentRemoteHost"]
    remoteHost_: NotRequired[RemoteHostInfo]


class CustomChatEventEvent(TypedDict):
    type: Literal["customChatEvent"]
    user_: NotRequired[User]
    response: str


class DatabaseDiff(TypedDict):
    missingIds: list[Union[int, str]]
    extraIds: list[Union[int, str]]


DatabaseError: TypeAlias = Union[
    "DatabaseErrorErrorEncrypted",
    "DatabaseErrorErrorPlaintext",
    "DatabaseErrorErrorNoFile",
    "DatabaseErrorErrorExport",
    "DatabaseErrorErrorOpen",
]


class DatabaseErrorErrorEncrypted(TypedDict):
    type: Literal["errorEncrypted"]


class DatabaseErrorErrorExport(TypedDict):
    type: Literal["errorExport"]
    sqliteError: SQLiteError


class DatabaseErrorErrorNoFile(TypedDict):
    type: Literal["errorNoFile"]
    dbFile: str


class DatabaseErrorErrorOpen(TypedDict):
    type: Literal["errorOpen"]
    sqliteError: SQLiteError


class DatabaseErrorErrorPlaintext(TypedDict):
    type: Literal["errorPlaintext"]


class DatabaseQueues(TypedDict):
    database: Literal["chat", "agent"]
    writes: WaitFigures
    reads: WaitFigures


DeleteChatResponse: TypeAlias = Union[
    "ContactDeletedResponse",
    "ContactConnectionDeletedResponse",
    "GroupDeletedUserResponse",
]


class DeletedFiles(TypedDict):
    files: int


class DeletedMemberEvent(TypedDict):
    type: Literal["deletedMember"]
    user: User
    groupInfo: GroupInfo
    byMember: GroupMember
    deletedMember: GroupMember
    withMessages: bool
    msgSigned: NotRequired[MsgSigStatus]


class DeletedMemberUserEvent(TypedDict):
    type: Literal["deletedMemberUser"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    withMessages: bool
    msgSigned: NotRequired[MsgSigStatus]


class DeletedRcvQueue(TypedDict):
    agentConnId: str
    server: str
    agentQueueId: str
    agentError_: NotRequired[AgentErrorType]


class DeviceToken(TypedDict):
    pushProvider: Literal["apns_dev", "apns_prod", "apns_test", "apns_null"]
    token: str


class DocumentEnded(TypedDict):
    type: Literal["ended"]
    problem: ProblemDetails


class DocumentEntry(TypedDict):
    document: NotRequired[str]
    id: NotRequired[str]
    createdAt: NotRequired[str]
    event: DocumentEvent


DocumentEvent: TypeAlias = Union[
    "ModelPatch",
    "DocumentFollowed",
    "DocumentEnded",
    "KeyEndedEvent",
    "StoreLockedEvent",
    "StoreDeletedEvent",
]


class DocumentFollowed(TypedDict):
    type: Literal["followed"]


class DownloadStandaloneFileRequest(TypedDict):
    url: str
    file: CryptoFile


class DroppedMsg(TypedDict):
    brokerTs: str
    attempts: int


class E2EInfo(TypedDict):
    public: NotRequired[bool]
    pqEnabled: NotRequired[bool]


ErrorType: TypeAlias = Union[
    "ErrorTypeBlock",
    "ErrorTypeSession",
    "ErrorTypeCmd",
    "ErrorTypeProxy",
    "ErrorTypeAuth",
    "ErrorTypeBlocked",
    "ErrorTypeService",
    "ErrorTypeCrypto",
    "ErrorTypeQuota",
    "ErrorTypeStore",
    "ErrorTypeNoMsg",
    "ErrorTypeLargeMsg",
    "ErrorTypeExpired",
    "ErrorTypeInternal",
    "ErrorTypeName",
    "ErrorTypeDuplicate",
]


class ErrorTypeAuth(TypedDict):
    type: Literal["AUTH"]


class ErrorTypeBlock(TypedDict):
    type: Literal["BLOCK"]


class ErrorTypeBlocked(TypedDict):
    type: Literal["BLOCKED"]
    blockInfo: BlockingInfo


class ErrorTypeCmd(TypedDict):
    type: Literal["CMD"]
    cmdErr: CommandError


class ErrorTypeCrypto(TypedDict):
    type: Literal["CRYPTO"]


class ErrorTypeDuplicate(TypedDict):
    type: Literal["DUPLICATE_"]


class ErrorTypeExpired(TypedDict):
    type: Literal["EXPIRED"]


class ErrorTypeInternal(TypedDict):
    type: Literal["INTERNAL"]


class ErrorTypeLargeMsg(TypedDict):
    type: Literal["LARGE_MSG"]


class ErrorTypeName(TypedDict):
    type: Literal["NAME"]
    nameErr: NameErrorType


class ErrorTypeNoMsg(TypedDict):
    type: Literal["NO_MSG"]


class ErrorTypeProxy(TypedDict):
    type: Literal["PROXY"]
    proxyErr: ProxyError


class ErrorTypeQuota(TypedDict):
    type: Literal["QUOTA"]


class ErrorTypeService(TypedDict):
    type: Literal["SERVICE"]


class ErrorTypeSession(TypedDict):
    type: Literal["SESSION"]


class ErrorTypeStore(TypedDict):
    type: Literal["STORE"]
    storeErr: str


Event: TypeAlias = Union[
    "ChatSuspendedEvent",
    "ContactSwitchEvent",
    "GroupMemberSwitchEvent",
    "ContactRatchetSyncEvent",
    "GroupMemberRatchetSyncEvent",
    "ChatInfoUpdatedEvent",
    "NewChatItemsEvent",
    "ChatItemsStatusesUpdatedEvent",
    "ChatItemUpdatedEvent",
    "ChatItemNotChangedEvent",
    "ChatItemReactionEvent",
    "GroupChatItemsDeletedEvent",
    "ChatItemsDeletedEvent",
    "ChatItemDeletedNotFoundEvent",
    "UserAcceptedGroupSentEvent",
    "GroupLinkConnectingEvent",
    "BusinessLinkConnectingEvent",
    "SentGroupInvitationEvent",
    "ContactUpdatedEvent",
    "GroupMemberUpdatedEvent",
    "ContactDeletedByContactEvent",
    "ReceivedContactRequestEvent",
    "AcceptingContactRequestEvent",
    "AcceptingBusinessRequestEvent",
    "ContactRequestAlreadyAcceptedEvent",
    "BusinessRequestAlreadyAcceptedEvent",
    "RcvFileDescrReadyEvent",
    "RcvFileAcceptedEvent",
    "RcvFileAcceptedSndCancelledEvent",
    "RcvFileStartEvent",
    "RcvFileProgressXFTPEvent",
    "RcvFileCompleteEvent",
    "RcvStandaloneFileCompleteEvent",
    "RcvFileSndCancelledEvent",
    "RcvFileErrorEvent",
    "RcvFileWarningEvent",
    "SndFileStartEvent",
    "SndFileCompleteEvent",
    "SndFileRcvCancelledEvent",
    "SndFileProgressXFTPEvent",
    "SndFileRedirectStartXFTPEvent",
    "SndFileCompleteXFTPEvent",
    "SndStandaloneFileCompleteEvent",
    "SndFileErrorEvent",
    "SndFileWarningEvent",
    "ContactConnectingEvent",
    "ContactConnectedEvent",
    "ContactSndReadyEvent",
    "ContactAnotherClientEvent",
    "ConnectionsDiffEvent",
    "SubscriptionEndEvent",
    "SubscriptionStatusEvent",
    "ServiceSubStatusEvent",
    "HostConnectedEvent",
    "HostDisconnectedEvent",
    "ReceivedGroupInvitationEvent",
    "UserJoinedGroupEvent",
    "GroupLinkDataUpdatedEvent",
    "GroupRelayUpdatedEvent",
    "JoinedGroupMemberEvent",
    "JoinedGroupMemberConnectingEvent",
    "MemberAcceptedByOtherEvent",
    "MemberRoleEvent",
    "MemberBlockedForAllEvent",
    "ConnectedToGroupMemberEvent",
    "DeletedMemberEvent",
    "DeletedMemberUserEvent",
    "LeftMemberEvent",
    "UnknownMemberCreatedEvent",
    "UnknownMemberBlockedEvent",
    "UnknownMemberAnnouncedEvent",
    "GroupDeletedEvent",
    "GroupUpdatedEvent",
    "AcceptingGroupJoinRequestMemberEvent",
    "NoMemberContactCreatingEvent",
    "NewMemberContactReceivedInvEvent",
    "ContactAndMemberAssociatedEvent",
    "CallInvitationEvent",
    "CallOfferEvent",
    "CallAnswerEvent",
    "CallExtraInfoEvent",
    "CallEndedEvent",
    "NtfMessageEvent",
    "RemoteHostSessionCodeEvent",
    "NewRemoteHostEvent",
    "RemoteHostConnectedEvent",
    "RemoteHostStoppedEvent",
    "RemoteCtrlFoundEvent",
    "RemoteCtrlSessionCodeEvent",
    "RemoteCtrlStoppedEvent",
    "ContactPQEnabledEvent",
    "ContactDisabledEvent",
    "ConnectionDisabledEvent",
    "ConnectionInactiveEvent",
    "AgentRcvQueuesDeletedEvent",
    "AgentConnsDeletedEvent",
    "AgentUserDeletedEvent",
    "MessageErrorEvent",
    "ChatErrorsEvent",
    "TimedActionEvent",
    "CustomChatEventEvent",
    "RemoteCtrlConnectedEvent",
    "ChatErrorEvent",
    "ContactsMergedEvent",
    "TerminalEventEvent",
    "RedactedEvent",
    "GapEvent",
    "PassedEvent",
    "StoreLockedEvent",
    "StoreDeletedEvent",
    "KeyEndedEvent",
    "UnlistedEvent",
]


class EventEntry(TypedDict):
    id: str
    createdAt: str
    remoteHostId: NotRequired[int]
    userId: NotRequired[int]
    event: Event


class EventLine(TypedDict):
    id: NotRequired[str]
    createdAt: NotRequired[str]
    remoteHostId: NotRequired[int]
    userId: NotRequired[int]
    event: Event


class EventPage(TypedDict):
    events: list[EventEntry]
    cursor: str


EventType: TypeAlias = Literal[
    "chatSuspended",
    "contactSwitch",
    "groupMemberSwitch",
    "contactRatchetSync",
    "groupMemberRatchetSync",
    "chatInfoUpdated",
    "newChatItems",
    "chatItemsStatusesUpdated",
    "chatItemUpdated",
    "chatItemNotChanged",
    "chatItemReaction",
    "groupChatItemsDeleted",
    "chatItemsDeleted",
    "chatItemDeletedNotFound",
    "userAcceptedGroupSent",
    "groupLinkConnecting",
    "businessLinkConnecting",
    "sentGroupInvitation",
    "contactUpdated",
    "groupMemberUpdated",
    "contactDeletedByContact",
    "receivedContactRequest",
    "acceptingContactRequest",
    "acceptingBusinessRequest",
    "contactRequestAlreadyAccepted",
    "businessRequestAlreadyAccepted",
    "rcvFileDescrReady",
    "rcvFileAccepted",
    "rcvFileAcceptedSndCancelled",
    "rcvFileStart",
    "rcvFileProgressXFTP",
    "rcvFileComplete",
    "rcvStandaloneFileComplete",
    "rcvFileSndCancelled",
    "rcvFileError",
    "rcvFileWarning",
    "sndFileStart",
    "sndFileComplete",
    "sndFileRcvCancelled",
    "sndFileProgressXFTP",
    "sndFileRedirectStartXFTP",
    "sndFileCompleteXFTP",
    "sndStandaloneFileComplete",
    "sndFileError",
    "sndFileWarning",
    "contactConnecting",
    "contactConnected",
    "contactSndReady",
    "contactAnotherClient",
    "connectionsDiff",
    "subscriptionEnd",
    "subscriptionStatus",
    "serviceSubStatus",
    "hostConnected",
    "hostDisconnected",
    "receivedGroupInvitation",
    "userJoinedGroup",
    "groupLinkDataUpdated",
    "groupRelayUpdated",
    "joinedGroupMember",
    "joinedGroupMemberConnecting",
    "memberAcceptedByOther",
    "memberRole",
    "memberBlockedForAll",
    "connectedToGroupMember",
    "deletedMember",
    "deletedMemberUser",
    "leftMember",
    "unknownMemberCreated",
    "unknownMemberBlocked",
    "unknownMemberAnnounced",
    "groupDeleted",
    "groupUpdated",
    "acceptingGroupJoinRequestMember",
    "noMemberContactCreating",
    "newMemberContactReceivedInv",
    "contactAndMemberAssociated",
    "callInvitation",
    "callOffer",
    "callAnswer",
    "callExtraInfo",
    "callEnded",
    "ntfMessage",
    "remoteHostSessionCode",
    "newRemoteHost",
    "remoteHostConnected",
    "remoteHostStopped",
    "remoteCtrlFound",
    "remoteCtrlSessionCode",
    "remoteCtrlStopped",
    "contactPQEnabled",
    "contactDisabled",
    "connectionDisabled",
    "connectionInactive",
    "agentRcvQueuesDeleted",
    "agentConnsDeleted",
    "agentUserDeleted",
    "messageError",
    "chatErrors",
    "timedAction",
    "customChatEvent",
    "remoteCtrlConnected",
    "chatError",
    "contactsMerged",
    "terminalEvent",
    "redacted",
]


class ExportArchiveRequest(TypedDict):
    archivePath: str
    disableCompression: NotRequired[bool]
    parentTempDirectory: NotRequired[str]
    passphrase: NotRequired[str]
    format: NotRequired[Literal["gateway", "app"]]


FeatureAllowed: TypeAlias = str


class FetchRemoteHostFileRequest(TypedDict):
    file: dict[str, Any]


class FileDescr(TypedDict):
    fileDescrText: str
    fileDescrPartNo: int
    fileDescrComplete: bool


FileError: TypeAlias = Union["FileErrorAuth", "FileErrorBlocked", "FileErrorNoFile", "FileErrorRelay", "FileErrorOther"]


class FileErrorAuth(TypedDict):
    type: Literal["auth"]


class FileErrorBlocked(TypedDict):
    type: Literal["blocked"]
    server: str
    blockInfo: BlockingInfo


class FileErrorNoFile(TypedDict):
    type: Literal["noFile"]


class FileErrorOther(TypedDict):
    type: Literal["other"]
    fileError: str


class FileErrorRelay(TypedDict):
    type: Literal["relay"]
    srvError: SrvError


FileErrorType: TypeAlias = Union[
    "FileErrorTypeNotApproved",
    "FileErrorTypeSize",
    "FileErrorTypeRedirect",
    "FileErrorTypeFileIo",
    "FileErrorTypeNoFile",
]


class FileErrorTypeFileIo(TypedDict):
    type: Literal["FILE_IO"]
    fileIOError: str


class FileErrorTypeNoFile(TypedDict):
    type: Literal["NO_FILE"]


class FileErrorTypeNotApproved(TypedDict):
    type: Literal["NOT_APPROVED"]


class FileErrorTypeRedirect(TypedDict):
    type: Literal["REDIRECT"]
    redirectError: str


class FileErrorTypeSize(TypedDict):
    type: Literal["SIZE"]


class FileInvitation(TypedDict):
    fileName: str
    fileSize: int
    fileDigest: NotRequired[str]
    fileConnReq: NotRequired[str]
    fileInline: NotRequired[str]
    fileDescr: NotRequired[FileDescr]


FileProtocol: TypeAlias = str


class FileTransferMeta(TypedDict):
    fileId: int
    xftpSndFile: NotRequired[dict[str, Any]]
    xftpRedirectFor: NotRequired[int]
    fileName: str
    filePath: str
    fileSize: int
    fileInline: NotRequired[str]
    chunkSize: int
    cancelled: bool


class FileUpload(TypedDict):
    type: Literal["fileUpload"]
    offset: int
    length: NotRequired[int]


class FindPushConnectionsRequest(TypedDict):
    nonce: str
    encNtfInfo: str


class FollowDocument(TypedDict):
    follow: str
    cursor: str


Format: TypeAlias = Union[
    "FormatBold",
    "FormatItalic",
    "FormatStrikeThrough",
    "FormatSnippet",
    "FormatSecret",
    "FormatSmall",
    "FormatColored",
    "FormatUri",
    "FormatHyperLink",
    "FormatSimplexLink",
    "FormatSimplexName",
    "FormatCommand",
    "FormatMention",
    "FormatEmail",
    "FormatPhone",
]


class FormatBold(TypedDict):
    type: Literal["bold"]


class FormatColored(TypedDict):
    type: Literal["colored"]
    color: Color


class FormatCommand(TypedDict):
    type: Literal["command"]
    commandStr: str


class FormatEmail(TypedDict):
    type: Literal["email"]


class FormatHyperLink(TypedDict):
    type: Literal["hyperLink"]
    showText: NotRequired[str]
    linkUri: str


class FormatItalic(TypedDict):
    type: Literal["italic"]


class FormatMention(TypedDict):
    type: Literal["mention"]
    memberName: str


class FormatPhone(TypedDict):
    type: Literal["phone"]


class FormatSecret(TypedDict):
    type: Literal["secret"]


class FormatSimplexLink(TypedDict):
    type: Literal["simplexLink"]
    showText: NotRequired[str]
    linkType: SimplexLinkType
    simplexUri: str
    smpHosts: list[str]


class FormatSimplexName(TypedDict):
    type: Literal["simplexName"]
    nameInfo: SimplexNameInfo


class FormatSmall(TypedDict):
    type: Literal["small"]


class FormatSnippet(TypedDict):
    type: Literal["snippet"]


class FormatStrikeThrough(TypedDict):
    type: Literal["strikeThrough"]


class FormatUri(TypedDict):
    type: Literal["uri"]


class FormattedText(TypedDict):
    format: NotRequired[Format]
    text: str


ForwardConfirmation: TypeAlias = Union[
    "ForwardConfirmationFilesNotAccepted",
    "ForwardConfirmationFilesInProgress",
    "ForwardConfirmationFilesMissing",
    "ForwardConfirmationFilesFailed",
]


class ForwardConfirmationFilesFailed(TypedDict):
    type: Literal["filesFailed"]
    filesCount: int


class ForwardConfirmationFilesInProgress(TypedDict):
    type: Literal["filesInProgress"]
    filesCount: int


class ForwardConfirmationFilesMissing(TypedDict):
    type: Literal["filesMissing"]
    filesCount: int


class ForwardConfirmationFilesNotAccepted(TypedDict):
    type: Literal["filesNotAccepted"]
    fileIds: list[int]


class ForwardMessagesRequest(TypedDict):
    fromChatType: Literal["direct", "group", "local"]
    fromChatId: int
    fromScope: NotRequired[GroupChatScope]
    itemIds: list[int]
    ttl: NotRequired[int]
    sendAsGroup: NotRequired[bool]


class ForwardPlanResponse(TypedDict):
    type: Literal["forwardPlan"]
    user: User
    itemsCount: int
    chatItemIds: list[int]
    forwardConfirmation: NotRequired[ForwardConfirmation]


class FullGroupPreferences(TypedDict):
    timedMessages: TimedMessagesGroupPreference
    directMessages: RoleGroupPreference
    fullDelete: GroupPreference
    reactions: GroupPreference
    voice: RoleGroupPreference
    files: RoleGroupPreference
    simplexLinks: RoleGroupPreference
    reports: GroupPreference
    history: GroupPreference
    support: NotRequired[SupportGroupPreference]
    sessions: RoleGroupPreference
    comments: NotRequired[CommentsGroupPreference]
    signMessages: NotRequired[GroupPreference]
    commands: list[ChatBotCommand]


class FullPreferences(TypedDict):
    timedMessages: TimedMessagesPreference
    fullDelete: SimplePreference
    reactions: SimplePreference
    voice: SimplePreference
    files: SimplePreference
    calls: SimplePreference
    sessions: SimplePreference
    commands: list[ChatBotCommand]


class GapEvent(TypedDict):
    type: Literal["gap"]
    oldest: NotRequired[str]


GetCoreStateResponse: TypeAlias = Union["ChatRunningResponse", "ChatStoppedResponse"]


class GetCurrentKeyResponse(TypedDict):
    keyId: str
    name: NotRequired[str]
    scopes: list[KeyScope]
    storeId: str
    userId: NotRequired[int]
    chats: NotRequired[list[str]]
    remoteHostId: NotRequired[int]
    expiresAt: NotRequired[str]


class GetIndexResponse(TypedDict):
    versions: dict[str, Any]
    limits: dict[str, Any]
    servers: dict[str, Any]
    links: dict[str, str]


class GetPushKeyResponse(TypedDict):
    publicKey: str


class GetUserResponse(TypedDict):
    user: User
    unreadCount: NotRequired[int]
    ttlSeconds: NotRequired[int]


class GotifyNotice(TypedDict):
    title: NotRequired[str]
    message: str
    priority: NotRequired[int]
    extras: NotRequired[dict[str, Any]]


class GrafanaNotice(TypedDict):
    groupKey: NotRequired[str]
    alerts: list[NoticeAlert]
    groupLabels: NotRequired[NoticeTexts]
    commonLabels: NotRequired[NoticeTexts]
    truncatedAlerts: NotRequired[int]
    title: NotRequired[str]
    message: NotRequired[str]


class Group(TypedDict):
    groupInfo: GroupInfo
    members: list[GroupMember]


class GroupChatItemsDeletedEvent(TypedDict):
    type: Literal["groupChatItemsDeleted"]
    user: User
    groupInfo: GroupInfo
    chatItemIDs: list[int]
    byUser: bool
    member_: NotRequired[GroupMember]


class GroupChatItemsDeletedResponse(TypedDict):
    type: Literal["groupChatItemsDeleted"]
    user: User
    groupInfo: GroupInfo
    chatItemIDs: list[int]
    byUser: bool
    member_: NotRequired[GroupMember]


GroupChatScope: TypeAlias = Union["GroupChatScopeMemberSupport"]
GroupChatScopeInfo: TypeAlias = Union["GroupChatScopeInfoMemberSupport"]


class GroupChatScopeInfoMemberSupport(TypedDict):
    type: Literal["memberSupport"]
    groupMember_: NotRequired[GroupMember]


class GroupChatScopeMemberSupport(TypedDict):
    type: Literal["memberSupport"]
    groupMemberId_: NotRequired[int]


class GroupCreatedResponse(TypedDict):
    type: Literal["groupCreated"]
    user: User
    groupInfo: GroupInfo


class GroupDeletedEvent(TypedDict):
    type: Literal["groupDeleted"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    msgSigned: NotRequired[MsgSigStatus]


class GroupDeletedUserResponse(TypedDict):
    type: Literal["groupDeletedUser"]
    user: User
    groupInfo: GroupInfo
    msgSigned: NotRequired[bool]


class GroupDirectInvitation(TypedDict):
    groupDirectInvLink: str
    fromGroupId_: NotRequired[int]
    fromGroupMemberId_: NotRequired[int]
    fromGroupMemberConnId_: NotRequired[int]
    groupDirectInvStartedConnection: bool


class GroupDomainVerifiedResponse(TypedDict):
    type: Literal["groupDomainVerified"]
    user: User
    groupInfo: GroupInfo
    verificationFailure: NotRequired[str]


GroupFeature: TypeAlias = str
GroupFeatureEnabled: TypeAlias = str


class GroupInfo(TypedDict):
    groupId: int
    useRelays: bool
    relayOwnStatus: NotRequired[RelayStatus]
    localDisplayName: str
    groupProfile: GroupProfile
    localAlias: str
    businessChat: NotRequired[BusinessChatInfo]
    fullGroupPreferences: FullGroupPreferences
    membership: GroupMember
    chatSettings: ChatSettings
    createdAt: str
    updatedAt: str
    chatTs: NotRequired[str]
    userMemberProfileSentAt: NotRequired[str]
    preparedGroup: NotRequired[PreparedGroup]
    chatTags: list[int]
    chatItemTTL: NotRequired[int]
    uiThemes: NotRequired[UIThemeEntityOverrides]
    customData: NotRequired[dict[str, Any]]
    groupSummary: GroupSummary
    rosterVersion: NotRequired[int]
    membersRequireAttention: int
    viaGroupLinkUri: NotRequired[str]
    groupKeys: NotRequired[GroupKeys]
    groupPublicKeys: NotRequired[GroupPublicKeys]
    groupDomainVerified: NotRequired[bool]


class GroupInfoResponse(TypedDict):
    type: Literal["groupInfo"]
    user: User
    groupInfo: GroupInfo


class GroupKeys(TypedDict):
    publicGroupId: str
    groupRootKey: GroupRootKey
    memberPrivKey: str


class GroupLink(TypedDict):
    userContactLinkId: int
    connLinkContact: CreatedConnLink
    shortLinkDataSet: bool
    shortLinkLargeDataSet: bool
    groupLinkId: str
    acceptMemberRole: GroupMemberRole


class GroupLinkConnectingEvent(TypedDict):
    type: Literal["groupLinkConnecting"]
    user: User
    groupInfo: GroupInfo
    hostMember: GroupMember


class GroupLinkCreatedResponse(TypedDict):
    type: Literal["groupLinkCreated"]
    user: User
    groupInfo: GroupInfo
    groupLink: GroupLink


class GroupLinkDataUpdatedEvent(TypedDict):
    type: Literal["groupLinkDataUpdated"]
    user: User
    groupInfo: GroupInfo
    groupLink: GroupLink
    groupRelays: list[GroupRelay]
    relaysChanged: bool


class GroupLinkDeletedResponse(TypedDict):
    type: Literal["groupLinkDeleted"]
    user: User
    groupInfo: GroupInfo


class GroupLinkOwner(TypedDict):
    memberId: str
    memberKey: str


GroupLinkPlan: TypeAlias = Union[
    "GroupLinkPlanOk",
    "GroupLinkPlanOwnLink",
    "GroupLinkPlanConnectingConfirmReconnect",
    "GroupLinkPlanConnectingProhibit",
    "GroupLinkPlanKnown",
    "GroupLinkPlanNoRelays",
    "GroupLinkPlanUpdateRequired",
]


class GroupLinkPlanConnectingConfirmReconnect(TypedDict):
    type: Literal["connectingConfirmReconnect"]


class GroupLinkPlanConnectingProhibit(TypedDict):
    type: Literal["connectingProhibit"]
    groupInfo_: NotRequired[GroupInfo]


class GroupLinkPlanKnown(TypedDict):
    type: Literal["known"]
    groupInfo: GroupInfo
    groupUpdated: NotRequired[bool]
    ownerVerification: NotRequired[OwnerVerification]
    linkOwners: NotRequired[list[GroupLinkOwner]]


class GroupLinkPlanNoRelays(TypedDict):
    type: Literal["noRelays"]
    groupSLinkData_: NotRequired[GroupShortLinkData]


class GroupLinkPlanOk(TypedDict):
    type: Literal["ok"]
    groupSLinkInfo_: NotRequired[GroupShortLinkInfo]
    groupSLinkData_: NotRequired[GroupShortLinkData]
    ownerVerification: NotRequired[OwnerVerification]
    verifiedDomain: NotRequired[SimplexDomain]


class GroupLinkPlanOwnLink(TypedDict):
    type: Literal["ownLink"]
    groupInfo: GroupInfo


class GroupLinkPlanUpdateRequired(TypedDict):
    type: Literal["updateRequired"]
    groupSLinkData_: NotRequired[GroupShortLinkData]


class GroupLinkResponse(TypedDict):
    type: Literal["groupLink"]
    user: User
    groupInfo: GroupInfo
    groupLink: GroupLink


class GroupMember(TypedDict):
    groupMemberId: int
    groupId: int
    indexInGroup: NotRequired[int]
    memberId: str
    memberRole: GroupMemberRole
    memberCategory: GroupMemberCategory
    memberStatus: GroupMemberStatus
    memberSettings: GroupMemberSettings
    blockedByAdmin: bool
    invitedBy: InvitedBy
    invitedByGroupMemberId: NotRequired[int]
    localDisplayName: str
    memberProfile: LocalProfile
    memberContactId: NotRequired[int]
    memberContactProfileId: int
    activeConn: NotRequired[Connection]
    memberChatVRange: VersionRange
    createdAt: str
    updatedAt: str
    supportChat: NotRequired[GroupSupportChat]
    memberPubKey: NotRequired[str]
    relayLink: NotRequired[str]
    memberVerifiedCode: NotRequired[SecurityCode]


class GroupMemberAdmission(TypedDict):
    review: NotRequired[MemberCriteria]


GroupMemberCategory: TypeAlias = str


class GroupMemberCodeResponse(TypedDict):
    type: Literal["groupMemberCode"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    connectionCode: str


class GroupMemberInfoResponse(TypedDict):
    type: Literal["groupMemberInfo"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    connectionStats_: NotRequired[ConnectionStats]


class GroupMemberRatchetSyncEvent(TypedDict):
    type: Literal["groupMemberRatchetSync"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    ratchetSyncProgress: RatchetSyncProgress


class GroupMemberRatchetSyncStartedResponse(TypedDict):
    type: Literal["groupMemberRatchetSyncStarted"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    connectionStats: ConnectionStats


class GroupMemberRef(TypedDict):
    groupMemberId: int
    profile: Profile


GroupMemberRole: TypeAlias = str


class GroupMemberSettings(TypedDict):
    showMessages: bool


GroupMemberStatus: TypeAlias = str


class GroupMemberSwitchAbortedResponse(TypedDict):
    type: Literal["groupMemberSwitchAborted"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    connectionStats: ConnectionStats


class GroupMemberSwitchEvent(TypedDict):
    type: Literal["groupMemberSwitch"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    switchProgress: SwitchProgress


class GroupMemberSwitchStartedResponse(TypedDict):
    type: Literal["groupMemberSwitchStarted"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    connectionStats: ConnectionStats


class GroupMemberUpdatedEvent(TypedDict):
    type: Literal["groupMemberUpdated"]
    user: User
    groupInfo: GroupInfo
    fromMember: GroupMember
    toMember: GroupMember


class GroupMembersResponse(TypedDict):
    type: Literal["groupMembers"]
    user: User
    group: Group
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class GroupOwnerContact(TypedDict):
    contactId: int
    memberId: str


class GroupPreference(TypedDict):
    enable: GroupFeatureEnabled


class GroupPreferences(TypedDict):
    timedMessages: NotRequired[TimedMessagesGroupPreference]
    directMessages: NotRequired[RoleGroupPreference]
    fullDelete: NotRequired[GroupPreference]
    reactions: NotRequired[GroupPreference]
    voice: NotRequired[RoleGroupPreference]
    files: NotRequired[RoleGroupPreference]
    simplexLinks: NotRequired[RoleGroupPreference]
    reports: NotRequired[GroupPreference]
    history: NotRequired[GroupPreference]
    support: NotRequired[SupportGroupPreference]
    sessions: NotRequired[RoleGroupPreference]
    comments: NotRequired[CommentsGroupPreference]
    signMessages: NotRequired[GroupPreference]
    commands: NotRequired[list[ChatBotCommand]]


class GroupProfile(TypedDict):
    displayName: str
    fullName: str
    shortDescr: NotRequired[str]
    description: NotRequired[str]
    image: NotRequired[str]
    publicGroup: NotRequired[PublicGroupProfile]
    groupPreferences: NotRequired[GroupPreferences]
    memberAdmission: NotRequired[GroupMemberAdmission]


class GroupProfilePatch(TypedDict):
    displayName: NotRequired[str]
    fullName: NotRequired[str]
    shortDescr: NotRequired[Union[str, None]]
    description: NotRequired[Union[str, None]]
    image: NotRequired[Union[str, None]]
    groupPreferences: NotRequired[Union[dict[str, Any], None]]
    memberAdmission: NotRequired[Union[dict[str, Any], None]]


class GroupPublicKeys(TypedDict):
    publicGroupId: str
    groupRootKey: GroupRootKeyPublic
    memberPubKey: str


class GroupRelay(TypedDict):
    groupRelayId: int
    groupMemberId: int
    userChatRelay: UserChatRelay
    relayStatus: RelayStatus
    relayLink: NotRequired[str]
    relayCap: RelayCapabilities


class GroupRelayUpdatedEvent(TypedDict):
    type: Literal["groupRelayUpdated"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    groupRelay: GroupRelay


class GroupRelaysAddFailedResponse(TypedDict):
    type: Literal["groupRelaysAddFailed"]
    user: User
    addRelayResults: list[AddRelayResult]


class GroupRelaysAddedResponse(TypedDict):
    type: Literal["groupRelaysAdded"]
    user: User
    groupInfo: GroupInfo
    groupLink: GroupLink
    groupRelays: list[GroupRelay]


class GroupRelaysResponse(TypedDict):
    type: Literal["groupRelays"]
    user: User
    groupInfo: GroupInfo
    groupRelays: list[GroupRelay]


GroupRootKey: TypeAlias = Union["GroupRootKeyPrivate", "GroupRootKeyPublic"]


class GroupRootKeyPrivate(TypedDict):
    type: Literal["private"]
    rootPrivKey: str


class GroupRootKeyPublic(TypedDict):
    type: Literal["public"]
    rootPubKey: str


class GroupShortLinkData(TypedDict):
    groupProfile: GroupProfile
    publicGroupData: NotRequired[PublicGroupData]


class GroupShortLinkInfo(TypedDict):
    direct: bool
    groupRelays: list[str]
    publicGroupId: NotRequired[str]


GroupSndStatus: TypeAlias = Union[
    "GroupSndStatusNew",
    "GroupSndStatusForwarded",
    "GroupSndStatusInactive",
    "GroupSndStatusSent",
    "GroupSndStatusRcvd",
    "GroupSndStatusError",
    "GroupSndStatusWarning",
    "GroupSndStatusInvalid",
]


class GroupSndStatusError(TypedDict):
    type: Literal["error"]
    agentError: SndError


class GroupSndStatusForwarded(TypedDict):
    type: Literal["forwarded"]


class GroupSndStatusInactive(TypedDict):
    type: Literal["inactive"]


class GroupSndStatusInvalid(TypedDict):
    type: Literal["invalid"]
    text: str


class GroupSndStatusNew(TypedDict):
    type: Literal["new"]


class GroupSndStatusRcvd(TypedDict):
    type: Literal["rcvd"]
    msgRcptStatus: MsgReceiptStatus


class GroupSndStatusSent(TypedDict):
    type: Literal["sent"]


class GroupSndStatusWarning(TypedDict):
    type: Literal["warning"]
    agentError: SndError


class GroupSummary(TypedDict):
    currentMembers: int
    publicMemberCount: NotRequired[int]


class GroupSupportChat(TypedDict):
    chatTs: str
    unread: int
    memberAttention: int
    mentions: int
    lastMsgFromMemberTs: NotRequired[str]


GroupType: TypeAlias = str


class GroupUpdatedEvent(TypedDict):
    type: Literal["groupUpdated"]
    user: User
    fromGroup: GroupInfo
    toGroup: GroupInfo
    member_: NotRequired[GroupMember]
    msgSigned: NotRequired[MsgSigStatus]


class GroupUserChangedResponse(TypedDict):
    type: Literal["groupUserChanged"]
    user: User
    fromGroup: GroupInfo
    newUser: User
    toGroup: GroupInfo


class GroupsListResponse(TypedDict):
    type: Literal["groupsList"]
    user: User
    groups: list[GroupInfo]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


HandshakeError: TypeAlias = Union[
    "HandshakeErrorParse",
    "HandshakeErrorIdentity",
    "HandshakeErrorBadAuth",
    "HandshakeErrorBadService",
]


class HandshakeErrorBadAuth(TypedDict):
    type: Literal["BAD_AUTH"]


class HandshakeErrorBadService(TypedDict):
    type: Literal["BAD_SERVICE"]


class HandshakeErrorIdentity(TypedDict):
    type: Literal["IDENTITY"]


class HandshakeErrorParse(TypedDict):
    type: Literal["PARSE"]


class HideUserRequest(TypedDict):
    viewPwd: str


class HostConnectedEvent(TypedDict):
    type: Literal["hostConnected"]
    protocol: str
    transportHost: str


class HostDisconnectedEvent(TypedDict):
    type: Literal["hostDisconnected"]
    protocol: str
    transportHost: str


class ImportArchiveRequest(TypedDict):
    archivePath: str
    disableCompression: NotRequired[bool]
    parentTempDirectory: NotRequired[str]
    passphrase: NotRequired[str]


InvitationLinkPlan: TypeAlias = Union[
    "InvitationLinkPlanOk",
    "InvitationLinkPlanOwnLink",
    "InvitationLinkPlanConnecting",
    "InvitationLinkPlanKnown",
]


class InvitationLinkPlanConnecting(TypedDict):
    type: Literal["connecting"]
    contact_: NotRequired[Contact]


class InvitationLinkPlanKnown(TypedDict):
    type: Literal["known"]
    contact: Contact


class InvitationLinkPlanOk(TypedDict):
    type: Literal["ok"]
    contactSLinkData_: NotRequired[ContactShortLinkData]
    ownerVerification: NotRequired[OwnerVerification]


class InvitationLinkPlanOwnLink(TypedDict):
    type: Literal["ownLink"]


class InvitationResponse(TypedDict):
    type: Literal["invitation"]
    user: User
    connLinkInvitation: CreatedConnLink
    connection: PendingContactConnection


class InviteMemberRequest(TypedDict):
    contactId: int
    memberRole: Literal["observer", "member", "moderator", "admin", "owner"]


InvitedBy: TypeAlias = Union["InvitedByContact", "InvitedByUser", "InvitedByUnknown"]


class InvitedByContact(TypedDict):
    type: Literal["contact"]
    byContactId: int


class InvitedByUnknown(TypedDict):
    type: Literal["unknown"]


class InvitedByUser(TypedDict):
    type: Literal["user"]


class ItemsModel(TypedDict):
    secondaryIMFilter: NotRequired[SecondaryItemsModelFilter]
    isLoading: bool
    showLoadingProgress: NotRequired[str]
    lastItemsLoaded: bool
    newestLoaded: bool
    preloadState: PreloadState
    chatState: ActiveChatState
    reversedChatItems: list[ChatItem]


class ItemsReadForChatResponse(TypedDict):
    type: Literal["itemsReadForChat"]
    user: User
    chatInfo: ChatInfo


class JoinPreparedGroupRequest(TypedDict):
    incognito: NotRequired[bool]
    ownerContact: NotRequired[GroupOwnerContact]
    msg: NotRequired[MsgContent]


class JoinedGroupMemberConnectingEvent(TypedDict):
    type: Literal["joinedGroupMemberConnecting"]
    user: User
    groupInfo: GroupInfo
    hostMember: GroupMember
    member: GroupMember


class JoinedGroupMemberEvent(TypedDict):
    type: Literal["joinedGroupMember"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember


class KeepAliveOpts(TypedDict):
    keepIdle: int
    keepIntvl: int
    keepCnt: int


class KeyEndedEvent(TypedDict):
    type: Literal["keyEnded"]


KeyScope: TypeAlias = Literal["read", "write", "events", "admin", "stores"]


class LeftMemberEvent(TypedDict):
    type: Literal["leftMember"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember
    msgSigned: NotRequired[MsgSigStatus]


class LeftMemberUserResponse(TypedDict):
    type: Literal["leftMemberUser"]
    user: User
    groupInfo: GroupInfo


LinkContent: TypeAlias = Union["LinkContentPage", "LinkContentImage", "LinkContentVideo"]


class LinkContentImage(TypedDict):
    type: Literal["image"]


class LinkContentPage(TypedDict):
    type: Literal["page"]


class LinkContentVideo(TypedDict):
    type: Literal["video"]
    duration: NotRequired[int]


class LinkOwnerSig(TypedDict):
    ownerId: NotRequired[str]
    chatBinding: str
    ownerSig: str


class LinkPreview(TypedDict):
    uri: str
    title: str
    description: str
    image: str
    content: NotRequired[LinkContent]


class ListArchivesResponse(TypedDict):
    archives: list[StoredArchive]
    next: NextPage
    prev: PrevPage


class ListBroadcastResultsResponse(TypedDict):
    results: list[BroadcastResult]
    next: NextPage
    prev: PrevPage


class ListBroadcastsResponse(TypedDict):
    broadcasts: list[Broadcast]
    next: NextPage
    prev: PrevPage


class ListConsumersResponse(TypedDict):
    consumers: list[Consumer]
    next: NextPage
    prev: PrevPage


class ListFileSizesResponse(TypedDict):
    chats: list[ChatFiles]
    next: NextPage
    prev: PrevPage


class ListKeysResponse(TypedDict):
    keys: list[APIKey]
    next: NextPage
    prev: PrevPage


class ListNodesResponse(TypedDict):
    nodes: list[Node]
    next: NextPage
    prev: PrevPage


class ListOperationsResponse(TypedDict):
    operations: list[LongOperation]
    next: NextPage
    prev: PrevPage


class ListPushSubscriptionsResponse(TypedDict):
    subscriptions: list[PushSubscription]
    next: NextPage
    prev: PrevPage


class ListScheduledMessagesResponse(TypedDict):
    scheduledMessages: list[ScheduledMessage]
    next: NextPage
    prev: PrevPage


class ListSessionsResponse(TypedDict):
    next: NextPage
    prev: PrevPage
    sessions: list[dict[str, Any]]


class ListSetAsideEventsResponse(TypedDict):
    events: list[SetAsideEvent]
    next: NextPage
    prev: PrevPage


class ListStoresResponse(TypedDict):
    stores: list[Store]
    next: NextPage
    prev: PrevPage


class ListWebhookDeliveriesResponse(TypedDict):
    deliveries: list[WebhookDelivery]
    next: NextPage
    prev: PrevPage


class ListWebhooksResponse(TypedDict):
    webhooks: list[Webhook]
    next: NextPage
    prev: PrevPage


class LoadSessionMessagesRequest(TypedDict):
    before: NotRequired[int]
    after: NotRequired[int]
    around: NotRequired[int]
    limit: NotRequired[int]
    list: NotRequired[Literal["primary", "secondary"]]


class LoadedRange(TypedDict):
    newestItemId: int
    oldestItemId: int
    count: int


class LocalBadge(TypedDict):
    badge: BadgeInfo
    status: BadgeStatus


class LocalProfile(TypedDict):
    profileId: NotRequired[int]
    displayName: str
    fullName: str
    shortDescr: NotRequired[str]
    description: NotRequired[str]
    image: NotRequired[str]
    contactLink: NotRequired[str]
    preferences: NotRequired[Preferences]
    peerType: NotRequired[ChatPeerType]
    localBadge: NotRequired[LocalBadge]
    localAlias: NotRequired[str]
    contactDomain: NotRequired[SimplexDomainClaim]
    contactDomainVerified: NotRequired[bool]


class LocksResponse(TypedDict):
    lifecycle: WaitFigures
    runningCommands: int
    databases: list[DatabaseQueues]


class LogLevel(TypedDict):
    level: Literal["trace", "debug", "info", "notice", "warning", "error", "critical"]


class LongOperation(TypedDict):
    type: Literal["operation"]
    operationId: str
    operation: str
    state: Literal["running", "done", "failed", "cancelled"]
    keyId: str
    requestId: str
    startedAt: str
    endedAt: NotRequired[str]
    expiresAt: NotRequired[str]
    cancellable: bool
    cancelling: NotRequired[bool]
    progress: NotRequired[OperationProgress]
    status: NotRequired[int]
    location: NotRequired[str]
    result: NotRequired[dict[str, Any]]
    problem: NotRequired[ProblemDetails]


MarkChatReadResponse: TypeAlias = Union["CmdOkResponse", "MemberSupportChatReadResponse"]


class MarkMessagesReadRequest(TypedDict):
    itemIds: list[int]


class MemberAcceptedByOtherEvent(TypedDict):
    type: Literal["memberAcceptedByOther"]
    user: User
    groupInfo: GroupInfo
    acceptingMember: GroupMember
    member: GroupMember


class MemberAcceptedResponse(TypedDict):
    type: Literal["memberAccepted"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember


class MemberBlockedForAllEvent(TypedDict):
    type: Literal["memberBlockedForAll"]
    user: User
    groupInfo: GroupInfo
    byMember: GroupMember
    member: GroupMember
    blocked: bool
    msgSigned: NotRequired[MsgSigStatus]


class MemberContactAcceptedResponse(TypedDict):
    type: Literal["memberContactAccepted"]
    user: User
    contact: Contact


MemberCriteria: TypeAlias = str


class MemberDeliveryStatus(TypedDict):
    groupMemberId: int
    memberDeliveryStatus: GroupSndStatus
    sentViaProxy: NotRequired[bool]


class MemberReaction(TypedDict):
    groupMember: GroupMember
    reactionTs: str


class MemberRoleEvent(TypedDict):
    type: Literal["memberRole"]
    user: User
    groupInfo: GroupInfo
    byMember: GroupMember
    member: GroupMember
    fromRole: GroupMemberRole
    toRole: GroupMemberRole
    msgSigned: NotRequired[MsgSigStatus]


class MemberSupportChatDeletedResponse(TypedDict):
    type: Literal["memberSupportChatDeleted"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember


class MemberSupportChatReadResponse(TypedDict):
    type: Literal["memberSupportChatRead"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember


class MembersBlockedForAllUserResponse(TypedDict):
    type: Literal["membersBlockedForAllUser"]
    user: User
    groupInfo: GroupInfo
    members: list[GroupMember]
    blocked: bool
    msgSigned: NotRequired[bool]


class MembersRoleUserResponse(TypedDict):
    type: Literal["membersRoleUser"]
    user: User
    groupInfo: GroupInfo
    members: list[GroupMember]
    toRole: GroupMemberRole
    msgSigned: NotRequired[bool]


class MessageErrorEvent(TypedDict):
    type: Literal["messageError"]
    user: User
    severity: str
    errorMessage: str


class MessageStep(TypedDict):
    step: Literal["accepted", "committed", "atRelay", "failed", "received", "receipt"]
    time: str
    contactId: NotRequired[int]
    groupMemberId: NotRequired[int]


class MessageTraceResponse(TypedDict):
    steps: list[MessageStep]
    next: NextPage
    prev: PrevPage


class MigrationState(TypedDict):
    state: Literal["none", "running", "ready"]
    size: NotRequired[int]
    createdAt: NotRequired[str]


class ModelChange(TypedDict):
    id: str
    createdAt: str
    event: ModelPatch


class ModelChangePage(TypedDict):
    events: list[ModelChange]
    cursor: str


class ModelChat(TypedDict):
    id: str
    chatInfo: ChatInfo
    chatItems: list[ChatItem]
    chatStats: ChatStats
    createdAt: str
    supportUnreadCount: NotRequired[int]


class ModelChatPage(TypedDict):
    id: str
    chats: list[ModelChat]
    next: NextPage
    prev: PrevPage


class ModelPatch(TypedDict):
    type: Literal["modelPatch"]
    cursor: str
    patch: list[PatchOperation]


class ModelSnapshot(TypedDict):
    id: str
    cursor: str
    model: ChatModel
    next: NextPage
    prev: PrevPage


class ModerateMessagesRequest(TypedDict):
    itemIds: list[int]


class MoveStoreRequest(TypedDict):
    node: str


MsgChatLink: TypeAlias = Union["MsgChatLinkContact", "MsgChatLinkInvitation", "MsgChatLinkGroup"]


class MsgChatLinkContact(TypedDict):
    type: Literal["contact"]
    connLink: str
    profile: Profile
    business: bool


class MsgChatLinkGroup(TypedDict):
    type: Literal["group"]
    connLink: str
    groupProfile: GroupProfile


class MsgChatLinkInvitation(TypedDict):
    type: Literal["invitation"]
    invLink: str
    profile: Profile


MsgContent: TypeAlias = Union[
    "MsgContentText",
    "MsgContentLink",
    "MsgContentImage",
    "MsgContentVideo",
    "MsgContentVoice",
    "MsgContentFile",
    "MsgContentReport",
    "MsgContentChat",
]


class MsgContentChat(TypedDict):
    type: Literal["chat"]
    text: str
    chatLink: MsgChatLink
    ownerSig: NotRequired[LinkOwnerSig]


class MsgContentFile(TypedDict):
    type: Literal["file"]
    text: str


class MsgContentImage(TypedDict):
    type: Literal["image"]
    text: str
    image: str


class MsgContentLink(TypedDict):
    type: Literal["link"]
    text: str
    preview: LinkPreview


class MsgContentReport(TypedDict):
    type: Literal["report"]
    text: str
    reason: ReportReason


MsgContentTag: TypeAlias = str


class MsgContentText(TypedDict):
    type: Literal["text"]
    text: str


class MsgContentVideo(TypedDict):
    type: Literal["video"]
    text: str
    image: str
    duration: int


class MsgContentVoice(TypedDict):
    type: Literal["voice"]
    text: str
    duration: int


MsgDecryptError: TypeAlias = str
MsgDirection: TypeAlias = str
MsgErrorType: TypeAlias = Union[
    "MsgErrorTypeMsgSkipped",
    "MsgErrorTypeMsgBadId",
    "MsgErrorTypeMsgBadHash",
    "MsgErrorTypeMsgDuplicate",
]


class MsgErrorTypeMsgBadHash(TypedDict):
    type: Literal["msgBadHash"]


class MsgErrorTypeMsgBadId(TypedDict):
    type: Literal["msgBadId"]
    msgId: int


class MsgErrorTypeMsgDuplicate(TypedDict):
    type: Literal["msgDuplicate"]


class MsgErrorTypeMsgSkipped(TypedDict):
    type: Literal["msgSkipped"]
    fromMsgId: int
    toMsgId: int


MsgFilter: TypeAlias = Literal["none", "all", "mentions"]


class MsgMetaJSON(TypedDict):
    integrity: str
    rcvId: int
    rcvTs: str
    serverId: str
    serverTs: str
    sndId: int


MsgReaction: TypeAlias = Union["MsgReactionEmoji"]


class MsgReactionEmoji(TypedDict):
    type: Literal["emoji"]
    emoji: str


MsgReceiptStatus: TypeAlias = str
MsgSigStatus: TypeAlias = str
NameErrorType: TypeAlias = Union["NameErrorTypeNoResolver", "NameErrorTypeNotFound", "NameErrorTypeResolver"]


class NameErrorTypeNoResolver(TypedDict):
    type: Literal["NO_RESOLVER"]


class NameErrorTypeNotFound(TypedDict):
    type: Literal["NOT_FOUND"]


class NameErrorTypeResolver(TypedDict):
    type: Literal["RESOLVER"]
    resolverErr: str


class NavigationInfo(TypedDict):
    afterUnread: int
    afterTotal: int


class NetworkConfig(TypedDict):
    socksProxy: NotRequired[str]
    socksMode: Literal["always", "onion"]
    hostMode: Literal["public", "onion", "onionViaSocks"]
    requiredHostMode: bool
    sessionMode: Literal["user", "session", "server", "entity"]
    smpProxyMode: Literal["always", "unknown", "unprotected", "never"]
    smpProxyFallback: Literal["allow", "allowProtected", "prohibit"]
    smpWebPortServers: Literal["all", "preset", "off"]
    tcpConnectTimeout: NetworkTimeout
    tcpTimeout: NetworkTimeout
    tcpTimeoutPerKb: int
    rcvConcurrency: int
    tcpKeepAlive: NotRequired[KeepAliveOpts]
    smpPingInterval: int
    smpPingCount: int
    logTLSErrors: bool


class NetworkConfigResponse(TypedDict):
    type: Literal["networkConfig"]
    networkConfig: NetworkConfig


NetworkError: TypeAlias = Union[
    "NetworkErrorConnectError",
    "NetworkErrorTLSError",
    "NetworkErrorUnknownCAError",
    "NetworkErrorFailedError",
    "NetworkErrorTimeoutError",
    "NetworkErrorSubscribeError",
]


class NetworkErrorConnectError(TypedDict):
    type: Literal["connectError"]
    connectError: str


class NetworkErrorFailedError(TypedDict):
    type: Literal["failedError"]


class NetworkErrorSubscribeError(TypedDict):
    type: Literal["subscribeError"]
    subscribeError: str


class NetworkErrorTLSError(TypedDict):
    type: Literal["tLSError"]
    tlsError: str


class NetworkErrorTimeoutError(TypedDict):
    type: Literal["timeoutError"]


class NetworkErrorUnknownCAError(TypedDict):
    type: Literal["unknownCAError"]


class NetworkStatusesResponse(TypedDict):
    type: Literal["networkStatuses"]
    user_: NotRequired[User]
    networkStatuses: list[ConnNetworkStatus]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class NetworkTimeout(TypedDict):
    backgroundTimeout: int
    interactiveTimeout: int


class NewAPIKey(TypedDict):
    key: str
    record: APIKey


class NewCallType(TypedDict):
    media: Literal["audio", "video"]
    capabilities: dict[str, Any]


class NewChatItemsEvent(TypedDict):
    type: Literal["newChatItems"]
    user: User
    chatItems: list[AChatItem]


class NewChatItemsResponse(TypedDict):
    type: Literal["newChatItems"]
    user: User
    chatItems: list[AChatItem]


class NewItem(TypedDict):
    itemId: int
    itemTs: str
    itemStatus: CIStatus


class NewItemsResponse(TypedDict):
    type: Literal["newItems"]
    items: list[NewItem]


class NewMemberContactReceivedInvEvent(TypedDict):
    type: Literal["newMemberContactReceivedInv"]
    user: User
    contact: Contact
    groupInfo: GroupInfo
    member: GroupMember


class NewMemberContactResponse(TypedDict):
    type: Literal["newMemberContact"]
    user: User
    contact: Contact
    groupInfo: GroupInfo
    member: GroupMember


class NewMemberContactSentInvResponse(TypedDict):
    type: Literal["newMemberContactSentInv"]
    user: User
    contact: Contact
    groupInfo: GroupInfo
    member: GroupMember


class NewPreparedChatResponse(TypedDict):
    type: Literal["newPreparedChat"]
    user: User
    chat: AChat


class NewRemoteHostEvent(TypedDict):
    type: Literal["newRemoteHost"]
    remoteHost: RemoteHostInfo


class NewWebRTCSession(TypedDict):
    rtcSession: str
    rtcIceCandidates: str


class NewWebhook(TypedDict):
    secret: str
    webhook: Webhook


NextPage: TypeAlias = Union[str, None]


class NoMemberContactCreatingEvent(TypedDict):
    type: Literal["noMemberContactCreating"]
    user: User
    groupInfo: GroupInfo
    member: GroupMember


class Node(TypedDict):
    node: str
    openStores: int
    room: int
    isThis: bool


class NoteFolder(TypedDict):
    noteFolderId: int
    userId: int
    createdAt: str
    updatedAt: str
    chatTs: str
    favorite: bool
    unread: bool


class NoticeAlert(TypedDict):
    status: Literal["firing", "resolved"]
    labels: NotRequired[NoticeTexts]
    annotations: NotRequired[NoticeTexts]
    startsAt: NotRequired[str]
    endsAt: NotRequired[str]
    generatorURL: NotRequired[str]


class NoticeChat(TypedDict):
    chatType: Literal["direct", "group", "local"]
    chatId: int


NoticeTexts: TypeAlias = dict[str, str]


class NotificationState(TypedDict):
    tokenRegistered: bool
    tokenStatus: NotRequired[str]
    notificationMode: NotRequired[str]
    notificationServer: NotRequired[str]


class NtfConn(TypedDict):
    user: User
    agentConnId: str
    agentDbQueueId: int
    connEntity: ConnectionEntity
    expectedMsg_: NotRequired[NtfMsgInfo]


class NtfConnsResponse(TypedDict):
    type: Literal["ntfConns"]
    ntfConns: list[NtfConn]


class NtfMessageEvent(TypedDict):
    type: Literal["ntfMessage"]
    user: User
    connEntity: ConnectionEntity
    ntfMessage: NtfMsgAckInfo


class NtfMsgAckInfo(TypedDict):
    msgId: str
    msgTs_: NotRequired[str]


class NtfMsgInfo(TypedDict):
    msgId: str
    msgTs: str


class NtfTokenResponse(TypedDict):
    type: Literal["ntfToken"]
    token: DeviceToken
    status: str
    ntfMode: str
    ntfServer: str


class NtfTokenStatusResponse(TypedDict):
    type: Literal["ntfTokenStatus"]
    status: str


class NtfyNotice(TypedDict):
    title: NotRequired[str]
    message: NotRequired[str]
    priority: NotRequired[int]
    tags: NotRequired[list[str]]
    click: NotRequired[str]
    attach: NotRequired[str]
    actions: NotRequired[list[dict[str, Any]]]


class OpenSecondaryListRequest(TypedDict):
    scope: NotRequired[Union[dict[str, Any], None]]
    contentTag: NotRequired[Union[str, None]]
    limit: NotRequired[int]


class OpenSessionChatRequest(TypedDict):
    chatType: Literal["direct", "group", "local"]
    chatId: int
    around: NotRequired[Union[int, None]]
    limit: NotRequired[int]
    maxMessages: NotRequired[int]


class OperationProgress(TypedDict):
    done: int
    total: NotRequired[int]
    unit: str


OwnerVerification: TypeAlias = Union["OwnerVerificationVerified", "OwnerVerificationFailed"]


class OwnerVerificationFailed(TypedDict):
    type: Literal["failed"]
    reason: str


class OwnerVerificationVerified(TypedDict):
    type: Literal["verified"]


class PartOfPage(TypedDict):
    type: str
    next: NextPage
    prev: PrevPage


class PassedEvent(TypedDict):
    type: Literal["passed"]


PatchOperation = TypedDict(
    "PatchOperation",
    {
        "op": Literal["add", "remove", "replace", "move"],
        "path": str,
        "from": NotRequired[str],
        "value": NotRequired[Any],
    },
)


class PendingContactConnection(TypedDict):
    pccConnId: int
    pccAgentConnId: str
    pccConnStatus: ConnStatus
    viaContactUri: bool
    viaUserContactLink: NotRequired[int]
    groupLinkId: NotRequired[str]
    customUserProfileId: NotRequired[int]
    connLinkInv: NotRequired[CreatedConnLink]
    localAlias: str
    createdAt: str
    updatedAt: str


class PlanConnectionRequest(TypedDict):
    connLink: str
    resolveMode: NotRequired[PlanResolveMode]
    linkOwnerSig: NotRequired[LinkOwnerSig]


class PlanForwardRequest(TypedDict):
    itemIds: list[int]


PlanResolveMode: TypeAlias = str


class PlannedProblem(TypedDict):
    code: ProblemCode
    detail: str


PlannedState: TypeAlias = str


class PrefEnabled(TypedDict):
    forUser: bool
    forContact: bool


class Preferences(TypedDict):
    timedMessages: NotRequired[TimedMessagesPreference]
    fullDelete: NotRequired[SimplePreference]
    reactions: NotRequired[SimplePreference]
    voice: NotRequired[SimplePreference]
    files: NotRequired[SimplePreference]
    calls: NotRequired[SimplePreference]
    sessions: NotRequired[SimplePreference]
    commands: NotRequired[list[ChatBotCommand]]


class PreloadState(TypedDict):
    preloading: bool
    prevItemsCount: int
    prevFirstVisible: NotRequired[int]


class PrepareContactRequest(TypedDict):
    connLink: Union[str, CreatedConnLink]
    verifiedDomain: NotRequired[str]
    contactShortLinkData: ContactShortLinkData


class PrepareGroupRequest(TypedDict):
    connLink: Union[str, CreatedConnLink]
    directLink: NotRequired[bool]
    verifiedDomain: NotRequired[str]
    groupShortLinkData: GroupShortLinkData


class PreparedContact(TypedDict):
    connLinkToConnect: CreatedConnLink
    uiConnLinkType: ConnectionMode
    welcomeSharedMsgId: NotRequired[str]
    requestSharedMsgId: NotRequired[str]


class PreparedGroup(TypedDict):
    connLinkToConnect: CreatedConnLink
    connLinkPreparedConnection: bool
    connLinkStartedConnection: bool
    welcomeSharedMsgId: NotRequired[str]
    requestSharedMsgId: NotRequired[str]


class PresentedServersSummary(TypedDict):
    statsStartedAt: str
    allUsersSMP: SMPServersSummary
    allUsersXFTP: dict[str, Any]
    allUsersNtf: dict[str, Any]
    currentUserSMP: SMPServersSummary
    currentUserXFTP: dict[str, Any]
    currentUserNtf: dict[str, Any]


PrevPage: TypeAlias = Union[str, None]
ProblemCode: TypeAlias = Literal[
    "malformedRequest",
    "malformedBody",
    "unknownMember",
    "invalidParameter",
    "unknownParameter",
    "invalidCursor",
    "unauthorized",
    "forbidden",
    "wrongOrigin",
    "notFound",
    "unknownRoute",
    "methodNotAllowed",
    "conflict",
    "requestInProgress",
    "notHandedOut",
    "cursorExpired",
    "preconditionFailed",
    "bodyTooLarge",
    "unsupportedMediaType",
    "wrongHost",
    "invalidValue",
    "idempotencyKeyReused",
    "tooManyRequests",
    "internalError",
    "operationInterrupted",
    "notImplemented",
    "relayUnreachable",
    "unavailable",
    "storeLocked",
    "wrongPassphrase",
    "relayTimeout",
    "storageFull",
    "quotaExceeded",
    "chatError",
    "pageUnreadable",
    "pageTimeout",
]


class ProblemDetails(TypedDict):
    type: str
    title: str
    status: int
    detail: NotRequired[str]
    code: ProblemCode
    requestId: str
    errors: NotRequired[list[RequestFault]]
    chatError: NotRequired[dict[str, Any]]
    oldest: NotRequired[str]
    resource: NotRequired[str]
    limit: NotRequired[int]


class Profile(TypedDict):
    displayName: str
    fullName: str
    shortDescr: NotRequired[str]
    description: NotRequired[str]
    image: NotRequired[str]
    contactLink: NotRequired[str]
    preferences: NotRequired[Preferences]
    peerType: NotRequired[ChatPeerType]
    badge: NotRequired[BadgeProof]
    contactDomain: NotRequired[SimplexDomainClaim]


class ProfilePatch(TypedDict):
    displayName: NotRequired[str]
    fullName: NotRequired[str]
    shortDescr: NotRequired[Union[str, None]]
    description: NotRequired[Union[str, None]]
    image: NotRequired[Union[str, None]]
    contactLink: NotRequired[Union[str, None]]
    preferences: NotRequired[Union[dict[str, Any], None]]
    peerType: NotRequired[Union[str, None]]
    badge: NotRequired[Union[dict[str, Any], None]]
    contactDomain: NotRequired[Union[dict[str, Any], None]]


class ProtocolTestFailure(TypedDict):
    testStep: str
    testError: AgentErrorType


ProxyClientError: TypeAlias = Union[
    "ProxyClientErrorProtocolError",
    "ProxyClientErrorUnexpectedResponse",
    "ProxyClientErrorResponseError",
]


class ProxyClientErrorProtocolError(TypedDict):
    type: Literal["protocolError"]
    protocolErr: ErrorType


class ProxyClientErrorResponseError(TypedDict):
    type: Literal["responseError"]
    responseErr: ErrorType


class ProxyClientErrorUnexpectedResponse(TypedDict):
    type: Literal["unexpectedResponse"]
    responseStr: str


ProxyError: TypeAlias = Union["ProxyErrorProtocol", "ProxyErrorBroker", "ProxyErrorBasicAuth", "ProxyErrorNoSession"]


class ProxyErrorBasicAuth(TypedDict):
    type: Literal["BASIC_AUTH"]


class ProxyErrorBroker(TypedDict):
    type: Literal["BROKER"]
    brokerErr: BrokerErrorType


class ProxyErrorNoSession(TypedDict):
    type: Literal["NO_SESSION"]


class ProxyErrorProtocol(TypedDict):
    type: Literal["PROTOCOL"]
    protocolErr: ErrorType


class PublicGroupAccess(TypedDict):
    groupWebPage: NotRequired[str]
    groupDomainClaim: NotRequired[SimplexDomainClaim]
    domainWebPage: bool
    allowEmbedding: bool


class PublicGroupCreatedResponse(TypedDict):
    type: Literal["publicGroupCreated"]
    user: User
    groupInfo: GroupInfo
    groupLink: GroupLink
    groupRelays: list[GroupRelay]


class PublicGroupCreationFailedResponse(TypedDict):
    type: Literal["publicGroupCreationFailed"]
    user: User
    addRelayResults: list[AddRelayResult]


class PublicGroupData(TypedDict):
    publicMemberCount: int


class PublicGroupProfile(TypedDict):
    groupType: GroupType
    groupLink: str
    publicGroupId: str
    publicGroupAccess: NotRequired[PublicGroupAccess]


class PushNotification(TypedDict):
    id: str
    createdAt: str
    userId: NotRequired[int]
    type: str
    chat: NotRequired[str]
    itemId: NotRequired[int]
    mention: NotRequired[Literal[True]]
    title: NotRequired[str]
    text: NotRequired[str]


class PushSubscription(TypedDict):
    subscriptionId: str
    name: NotRequired[str]
    service: str
    users: NotRequired[list[int]]
    chats: NotRequired[list[str]]
    mentionsOnly: bool
    content: bool
    state: Literal["active", "paused", "failed", "gone", "revoked"]
    keyId: str
    userId: NotRequired[int]
    createdAt: str
    expiresAt: NotRequired[str]
    firstFailedAt: NotRequired[str]
    lastDeliveredAt: NotRequired[str]


QueueDirection: TypeAlias = str


class QueueInfo(TypedDict):
    qiSnd: bool
    qiNtf: bool
    qiSub: NotRequired[dict[str, Any]]
    qiSize: int
    qiMsg: NotRequired[dict[str, Any]]


class QueueInfoResponse(TypedDict):
    type: Literal["queueInfo"]
    user: User
    queueInfo: ServerQueueInfo
    rcvMsgInfo: NotRequired[dict[str, Any]]


QueueStatus: TypeAlias = str


class RCCtrlAddress(TypedDict):
    address: str
    interface: str


RCErrorType: TypeAlias = Union[
    "RCErrorTypeInternal",
    "RCErrorTypeIdentity",
    "RCErrorTypeNoLocalAddress",
    "RCErrorTypeNewController",
    "RCErrorTypeNotDiscovered",
    "RCErrorTypeTLSStartFailed",
    "RCErrorTypeException",
    "RCErrorTypeCtrlAuth",
    "RCErrorTypeCtrlNotFound",
    "RCErrorTypeCtrlError",
    "RCErrorTypeInvitation",
    "RCErrorTypeVersion",
    "RCErrorTypeEncrypt",
    "RCErrorTypeDecrypt",
    "RCErrorTypeBlockSize",
    "RCErrorTypeSyntax",
]


class RCErrorTypeBlockSize(TypedDict):
    type: Literal["blockSize"]


class RCErrorTypeCtrlAuth(TypedDict):
    type: Literal["ctrlAuth"]


class RCErrorTypeCtrlError(TypedDict):
    type: Literal["ctrlError"]
    ctrlErr: str


class RCErrorTypeCtrlNotFound(TypedDict):
    type: Literal["ctrlNotFound"]


class RCErrorTypeDecrypt(TypedDict):
    type: Literal["decrypt"]


class RCErrorTypeEncrypt(TypedDict):
    type: Literal["encrypt"]


class RCErrorTypeException(TypedDict):
    type: Literal["exception"]
    exception: str


class RCErrorTypeIdentity(TypedDict):
    type: Literal["identity"]


class RCErrorTypeInternal(TypedDict):
    type: Literal["internal"]
    internalErr: str


class RCErrorTypeInvitation(TypedDict):
    type: Literal["invitation"]


class RCErrorTypeNewController(TypedDict):
    type: Literal["newController"]


class RCErrorTypeNoLocalAddress(TypedDict):
    type: Literal["noLocalAddress"]


class RCErrorTypeNotDiscovered(TypedDict):
    type: Literal["notDiscovered"]


class RCErrorTypeSyntax(TypedDict):
    type: Literal["syntax"]
    syntaxErr: str


class RCErrorTypeTLSStartFailed(TypedDict):
    type: Literal["tLSStartFailed"]


class RCErrorTypeVersion(TypedDict):
    type: Literal["version"]


RHKey: TypeAlias = Union["RHKeyNew", "RHKeyId"]


class RHKeyId(TypedDict):
    type: Literal["id"]
    remoteHostId: int


class RHKeyNew(TypedDict):
    type: Literal["new"]


class RatchetSyncProgress(TypedDict):
    ratchetSyncStatus: RatchetSyncState
    connectionStats: ConnectionStats


RatchetSyncState: TypeAlias = str


class RcvCallInvitation(TypedDict):
    user: User
    contact: Contact
    callType: CallType
    sharedKey: NotRequired[str]
    callUUID: str
    callTs: str


RcvConnEvent: TypeAlias = Union[
    "RcvConnEventSwitchQueue",
    "RcvConnEventRatchetSync",
    "RcvConnEventVerificationCodeReset",
    "RcvConnEventPqEnabled",
]


class RcvConnEventPqEnabled(TypedDict):
    type: Literal["pqEnabled"]
    enabled: bool


class RcvConnEventRatchetSync(TypedDict):
    type: Literal["ratchetSync"]
    syncStatus: RatchetSyncState


class RcvConnEventSwitchQueue(TypedDict):
    type: Literal["switchQueue"]
    phase: SwitchPhase


class RcvConnEventVerificationCodeReset(TypedDict):
    type: Literal["verificationCodeReset"]


RcvDirectEvent: TypeAlias = Union[
    "RcvDirectEventContactDeleted",
    "RcvDirectEventProfileUpdated",
    "RcvDirectEventGroupInvLinkReceived",
]


class RcvDirectEventContactDeleted(TypedDict):
    type: Literal["contactDeleted"]


class RcvDirectEventGroupInvLinkReceived(TypedDict):
    type: Literal["groupInvLinkReceived"]
    groupProfile: GroupProfile


class RcvDirectEventProfileUpdated(TypedDict):
    type: Literal["profileUpdated"]
    fromProfile: Profile
    toProfile: Profile


class RcvFileAcceptedEvent(TypedDict):
    type: Literal["rcvFileAccepted"]
    user: User
    chatItem: AChatItem


class RcvFileAcceptedResponse(TypedDict):
    type: Literal["rcvFileAccepted"]
    user: User
    chatItem: AChatItem


class RcvFileAcceptedSndCancelledEvent(TypedDict):
    type: Literal["rcvFileAcceptedSndCancelled"]
    user: User
    rcvFileTransfer: RcvFileTransfer


class RcvFileAcceptedSndCancelledResponse(TypedDict):
    type: Literal["rcvFileAcceptedSndCancelled"]
    user: User
    rcvFileTransfer: RcvFileTransfer


class RcvFileCancelledResponse(TypedDict):
    type: Literal["rcvFileCancelled"]
    user: User
    chatItem_: NotRequired[AChatItem]
    rcvFileTransfer: RcvFileTransfer


class RcvFileCompleteEvent(TypedDict):
    type: Literal["rcvFileComplete"]
    user: User
    chatItem: AChatItem


class RcvFileDescr(TypedDict):
    fileDescrId: int
    fileDescrText: str
    fileDescrPartNo: int
    fileDescrComplete: bool


class RcvFileDescrReadyEvent(TypedDict):
    type: Literal["rcvFileDescrReady"]
    user: User
    chatItem: AChatItem
    rcvFileTransfer: RcvFileTransfer
    rcvFileDescr: RcvFileDescr


class RcvFileErrorEvent(TypedDict):
    type: Literal["rcvFileError"]
    user: User
    chatItem_: NotRequired[AChatItem]
    agentError: AgentErrorType
    rcvFileTransfer: RcvFileTransfer


class RcvFileProgressXFTPEvent(TypedDict):
    type: Literal["rcvFileProgressXFTP"]
    user: User
    chatItem_: NotRequired[AChatItem]
    receivedSize: int
    totalSize: int
    rcvFileTransfer: RcvFileTransfer


class RcvFileSndCancelledEvent(TypedDict):
    type: Literal["rcvFileSndCancelled"]
    user: User
    chatItem: AChatItem
    rcvFileTransfer: RcvFileTransfer


class RcvFileStartEvent(TypedDict):
    type: Literal["rcvFileStart"]
    user: User
    chatItem: AChatItem


RcvFileStatus: TypeAlias = Union[
    "RcvFileStatusNew",
    "RcvFileStatusAccepted",
    "RcvFileStatusConnected",
    "RcvFileStatusComplete",
    "RcvFileStatusCancelled",
]


class RcvFileStatusAccepted(TypedDict):
    type: Literal["accepted"]
    filePath: str


class RcvFileStatusCancelled(TypedDict):
    type: Literal["cancelled"]
    filePath_: NotRequired[str]


class RcvFileStatusComplete(TypedDict):
    type: Literal["complete"]
    filePath: str


class RcvFileStatusConnected(TypedDict):
    type: Literal["connected"]
    filePath: str


class RcvFileStatusNew(TypedDict):
    type: Literal["new"]


class RcvFileTransfer(TypedDict):
    fileId: int
    xftpRcvFile: NotRequired[XFTPRcvFile]
    fileInvitation: FileInvitation
    fileStatus: RcvFileStatus
    fileType: NotRequired[str]
    rcvFileInline: NotRequired[str]
    senderDisplayName: str
    chunkSize: int
    cancelled: bool
    grpMemberId: NotRequired[int]
    cryptoArgs: NotRequired[CryptoFileArgs]


class RcvFileWarningEvent(TypedDict):
    type: Literal["rcvFileWarning"]
    user: User
    chatItem_: NotRequired[AChatItem]
    agentError: AgentErrorType
    rcvFileTransfer: RcvFileTransfer


RcvGroupEvent: TypeAlias = Union[
    "RcvGroupEventMemberAdded",
    "RcvGroupEventMemberConnected",
    "RcvGroupEventMemberAccepted",
    "RcvGroupEventUserAccepted",
    "RcvGroupEventMemberLeft",
    "RcvGroupEventMemberRole",
    "RcvGroupEventMemberBlocked",
    "RcvGroupEventUserRole",
    "RcvGroupEventMemberDeleted",
    "RcvGroupEventUserDeleted",
    "RcvGroupEventGroupDeleted",
    "RcvGroupEventGroupUpdated",
    "RcvGroupEventInvitedViaGroupLink",
    "RcvGroupEventMemberCreatedContact",
    "RcvGroupEventMemberProfileUpdated",
    "RcvGroupEventNewMemberPendingReview",
    "RcvGroupEventMsgBadSignature",
]


class RcvGroupEventGroupDeleted(TypedDict):
    type: Literal["groupDeleted"]


class RcvGroupEventGroupUpdated(TypedDict):
    type: Literal["groupUpdated"]
    groupProfile: GroupProfile


class RcvGroupEventInvitedViaGroupLink(TypedDict):
    type: Literal["invitedViaGroupLink"]


class RcvGroupEventMemberAccepted(TypedDict):
    type: Literal["memberAccepted"]
    groupMemberId: int
    profile: Profile


class RcvGroupEventMemberAdded(TypedDict):
    type: Literal["memberAdded"]
    groupMemberId: int
    profile: Profile


class RcvGroupEventMemberBlocked(TypedDict):
    type: Literal["memberBlocked"]
    groupMemberId: int
    profile: Profile
    blocked: bool


class RcvGroupEventMemberConnected(TypedDict):
    type: Literal["memberConnected"]


class RcvGroupEventMemberCreatedContact(TypedDict):
    type: Literal["memberCreatedContact"]


class RcvGroupEventMemberDeleted(TypedDict):
    type: Literal["memberDeleted"]
    groupMemberId: int
    profile: Profile


class RcvGroupEventMemberLeft(TypedDict):
    type: Literal["memberLeft"]


class RcvGroupEventMemberProfileUpdated(TypedDict):
    type: Literal["memberProfileUpdated"]
    fromProfile: Profile
    toProfile: Profile


class RcvGroupEventMemberRole(TypedDict):
    type: Literal["memberRole"]
    groupMemberId: int
    profile: Profile
    role: GroupMemberRole


class RcvGroupEventMsgBadSignature(TypedDict):
    type: Literal["msgBadSignature"]


class RcvGroupEventNewMemberPendingReview(TypedDict):
    type: Literal["newMemberPendingReview"]


class RcvGroupEventUserAccepted(TypedDict):
    type: Literal["userAccepted"]


class RcvGroupEventUserDeleted(TypedDict):
    type: Literal["userDeleted"]


class RcvGroupEventUserRole(TypedDict):
    type: Literal["userRole"]
    role: GroupMemberRole


RcvMsgError: TypeAlias = Union["RcvMsgErrorDropped", "RcvMsgErrorParseError"]


class RcvMsgErrorDropped(TypedDict):
    type: Literal["dropped"]
    attempts: int


class RcvMsgErrorParseError(TypedDict):
    type: Literal["parseError"]
    parseError: str


class RcvNtfMsgInfo(TypedDict):
    type: str
    ntfMsgInfo: NotRequired[NtfMsgInfo]
    ntfMsgError: NotRequired[dict[str, Any]]


class RcvQueueInfo(TypedDict):
    rcvServer: str
    status: NotRequired[QueueStatus]
    rcvSwitchStatus: NotRequired[RcvSwitchStatus]
    canAbortSwitch: bool
    subStatus: NotRequired[SubscriptionStatus]


class RcvStandaloneFileCompleteEvent(TypedDict):
    type: Literal["rcvStandaloneFileComplete"]
    user: User
    targetPath: str
    rcvFileTransfer: RcvFileTransfer


class RcvStandaloneFileCreatedResponse(TypedDict):
    type: Literal["rcvStandaloneFileCreated"]
    user: User
    rcvFileTransfer: RcvFileTransfer


RcvSwitchStatus: TypeAlias = str


class ReactionMembersResponse(TypedDict):
    type: Literal["reactionMembers"]
    user: User
    memberReactions: list[MemberReaction]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class ReadLinkPreviewRequest(TypedDict):
    uri: str


class ReadLinkPreviewResponse(TypedDict):
    preview: LinkPreview
    picture: NotRequired[str]


class ReadStandaloneFileInfoRequest(TypedDict):
    url: str


class RebalanceNodeRequest(TypedDict):
    keep: NotRequired[int]
    drain: NotRequired[bool]


class RebalanceNodeResponse(TypedDict):
    moved: list[str]
    openStores: int
    drains: bool


class ReceiveFileRequest(TypedDict):
    userApprovedRelays: NotRequired[bool]
    encrypted: NotRequired[bool]
    filePath: NotRequired[str]


ReceiveFileResponse: TypeAlias = Union["RcvFileAcceptedResponse", "RcvFileAcceptedSndCancelledResponse"]


class ReceiveMigrationRequest(TypedDict):
    link: str
    passphrase: NotRequired[str]
    usesProxy: NotRequired[bool]


class ReceivePushMessagesRequest(TypedDict):
    connMsgReqs: list[ConnMsgReq]


class ReceivedContactRequestEvent(TypedDict):
    type: Literal["receivedContactRequest"]
    user: User
    contactRequest: UserContactRequest
    chat_: NotRequired[AChat]


class ReceivedGroupInvitationEvent(TypedDict):
    type: Literal["receivedGroupInvitation"]
    user: User
    groupInfo: GroupInfo
    contact: Contact
    fromMemberRole: GroupMemberRole
    memberRole: GroupMemberRole


class ReconnectServerRequest(TypedDict):
    smpServer: str


class RedactedEvent(TypedDict):
    type: Literal["redacted"]


class RefuseEventsRequest(TypedDict):
    ids: list[str]
    delaySeconds: NotRequired[int]


class RefuseEventsResponse(TypedDict):
    refused: int
    setAside: int


class RelayCapabilities(TypedDict):
    webDomain: NotRequired[str]


class RelayConnectionResult(TypedDict):
    relayMember: GroupMember
    relayError: NotRequired[ChatError]


class RelayGroupAllowedResponse(TypedDict):
    type: Literal["relayGroupAllowed"]
    user: User
    groupInfo: GroupInfo


class RelayProfile(TypedDict):
    displayName: str
    fullName: str
    shortDescr: NotRequired[str]
    image: NotRequired[str]


RelayStatus: TypeAlias = str


class RelayTestFailure(TypedDict):
    rtfStep: RelayTestStep
    rtfError: ChatError


RelayTestStep: TypeAlias = str


class RemoteCtrlConnectedEvent(TypedDict):
    type: Literal["remoteCtrlConnected"]
    remoteCtrl: RemoteCtrlInfo


class RemoteCtrlConnectedResponse(TypedDict):
    type: Literal["remoteCtrlConnected"]
    remoteCtrl: RemoteCtrlInfo
    compression: bool


class RemoteCtrlConnectingResponse(TypedDict):
    type: Literal["remoteCtrlConnecting"]
    remoteCtrl_: NotRequired[RemoteCtrlInfo]
    ctrlAppInfo: CtrlAppInfo
    appVersion: str


RemoteCtrlError: TypeAlias = Union[
    "RemoteCtrlErrorInactive",
    "RemoteCtrlErrorBadState",
    "RemoteCtrlErrorBusy",
    "RemoteCtrlErrorTimeout",
    "RemoteCtrlErrorNoKnownControllers",
    "RemoteCtrlErrorBadController",
    "RemoteCtrlErrorDisconnected",
    "RemoteCtrlErrorBadInvitation",
    "RemoteCtrlErrorBadVersion",
    "RemoteCtrlErrorHTTP2Error",
    "RemoteCtrlErrorProtocolError",
]


class RemoteCtrlErrorBadController(TypedDict):
    type: Literal["badController"]


class RemoteCtrlErrorBadInvitation(TypedDict):
    type: Literal["badInvitation"]


class RemoteCtrlErrorBadState(TypedDict):
    type: Literal["badState"]


class RemoteCtrlErrorBadVersion(TypedDict):
    type: Literal["badVersion"]
    appVersion: str


class RemoteCtrlErrorBusy(TypedDict):
    type: Literal["busy"]


class RemoteCtrlErrorDisconnected(TypedDict):
    type: Literal["disconnected"]
    remoteCtrlId: int
    reason: str


class RemoteCtrlErrorHTTP2Error(TypedDict):
    type: Literal["hTTP2Error"]
    http2Error: str


class RemoteCtrlErrorInactive(TypedDict):
    type: Literal["inactive"]


class RemoteCtrlErrorNoKnownControllers(TypedDict):
    type: Literal["noKnownControllers"]


class RemoteCtrlErrorProtocolError(TypedDict):
    type: Literal["protocolError"]
    protocolError: RemoteProtocolError


class RemoteCtrlErrorTimeout(TypedDict):
    type: Literal["timeout"]


class RemoteCtrlFoundEvent(TypedDict):
    type: Literal["remoteCtrlFound"]
    remoteCtrl: RemoteCtrlInfo
    ctrlAppInfo_: NotRequired[CtrlAppInfo]
    appVersion: str
    compatible: bool


class RemoteCtrlInfo(TypedDict):
    remoteCtrlId: int
    ctrlDeviceName: str
    sessionState: NotRequired[RemoteCtrlSessionState]


class RemoteCtrlListResponse(TypedDict):
    type: Literal["remoteCtrlList"]
    remoteCtrls: list[RemoteCtrlInfo]


class RemoteCtrlSession(TypedDict):
    remoteCtrl: NotRequired[RemoteCtrlInfo]
    ctrlAppInfo: NotRequired[CtrlAppInfo]
    appVersion: NotRequired[str]
    compatible: NotRequired[bool]
    sessionState: RemoteCtrlSessionState


class RemoteCtrlSessionCodeEvent(TypedDict):
    type: Literal["remoteCtrlSessionCode"]
    remoteCtrl_: NotRequired[RemoteCtrlInfo]
    sessionCode: str


RemoteCtrlSessionState: TypeAlias = Union[
    "RemoteCtrlSessionStateStarting",
    "RemoteCtrlSessionStateSearching",
    "RemoteCtrlSessionStateConnecting",
    "RemoteCtrlSessionStatePendingConfirmation",
    "RemoteCtrlSessionStateConnected",
]


class RemoteCtrlSessionStateConnected(TypedDict):
    type: Literal["connected"]
    sessionCode: str


class RemoteCtrlSessionStateConnecting(TypedDict):
    type: Literal["connecting"]


class RemoteCtrlSessionStatePendingConfirmation(TypedDict):
    type: Literal["pendingConfirmation"]
    sessionCode: str


class RemoteCtrlSessionStateSearching(TypedDict):
    type: Literal["searching"]


class RemoteCtrlSessionStateStarting(TypedDict):
    type: Literal["starting"]


class RemoteCtrlSessionStatus(TypedDict):
    sessionState: NotRequired[RemoteCtrlSessionState]
    remoteCtrlId: NotRequired[int]
    ctrlDeviceName: NotRequired[str]
    rcStopReason: NotRequired[RemoteCtrlStopReason]


RemoteCtrlStopReason: TypeAlias = Union[
    "RemoteCtrlStopReasonDiscoveryFailed",
    "RemoteCtrlStopReasonConnectionFailed",
    "RemoteCtrlStopReasonSetupFailed",
    "RemoteCtrlStopReasonDisconnected",
]


class RemoteCtrlStopReasonConnectionFailed(TypedDict):
    type: Literal["connectionFailed"]
    chatError: ChatError


class RemoteCtrlStopReasonDisconnected(TypedDict):
    type: Literal["disconnected"]


class RemoteCtrlStopReasonDiscoveryFailed(TypedDict):
    type: Literal["discoveryFailed"]
    chatError: ChatError


class RemoteCtrlStopReasonSetupFailed(TypedDict):
    type: Literal["setupFailed"]
    chatError: ChatError


class RemoteCtrlStoppedEvent(TypedDict):
    type: Literal["remoteCtrlStopped"]
    rcsState: RemoteCtrlSessionState
    rcStopReason: RemoteCtrlStopReason


class RemoteFileStoredResponse(TypedDict):
    type: Literal["remoteFileStored"]
    remoteHostId: int
    remoteFileSource: CryptoFile


class RemoteHostConnectedEvent(TypedDict):
    type: Literal["remoteHostConnected"]
    remoteHost: RemoteHostInfo
    compression: bool


RemoteHostError: TypeAlias = Union[
    "RemoteHostErrorMissing",
    "RemoteHostErrorInactive",
    "RemoteHostErrorBusy",
    "RemoteHostErrorTimeout",
    "RemoteHostErrorBadState",
    "RemoteHostErrorBadVersion",
    "RemoteHostErrorLocalCommand",
    "RemoteHostErrorDisconnected",
    "RemoteHostErrorProtocolError",
]


class RemoteHostErrorBadState(TypedDict):
    type: Literal["badState"]


class RemoteHostErrorBadVersion(TypedDict):
    type: Literal["badVersion"]
    appVersion: str


class RemoteHostErrorBusy(TypedDict):
    type: Literal["busy"]


class RemoteHostErrorDisconnected(TypedDict):
    type: Literal["disconnected"]
    reason: str


class RemoteHostErrorInactive(TypedDict):
    type: Literal["inactive"]


class RemoteHostErrorLocalCommand(TypedDict):
    type: Literal["localCommand"]


class RemoteHostErrorMissing(TypedDict):
    type: Literal["missing"]


class RemoteHostErrorProtocolError(TypedDict):
    type: Literal["protocolError"]
    data: RemoteProtocolError


class RemoteHostErrorTimeout(TypedDict):
    type: Literal["timeout"]


class RemoteHostInfo(TypedDict):
    remoteHostId: int
    hostDeviceName: str
    storePath: str
    bindAddress_: NotRequired[RCCtrlAddress]
    bindPort_: NotRequired[int]
    sessionState: NotRequired[RemoteHostSessionState]


class RemoteHostListResponse(TypedDict):
    type: Literal["remoteHostList"]
    remoteHosts: list[RemoteHostInfo]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class RemoteHostSessionCodeEvent(TypedDict):
    type: Literal["remoteHostSessionCode"]
    remoteHost_: NotRequired[RemoteHostInfo]
    sessionCode: str


RemoteHostSessionState: TypeAlias = Union[
    "RemoteHostSessionStateStarting",
    "RemoteHostSessionStateConnecting",
    "RemoteHostSessionStatePendingConfirmation",
    "RemoteHostSessionStateConfirmed",
    "RemoteHostSessionStateConnected",
]


class RemoteHostSessionStateConfirmed(TypedDict):
    type: Literal["confirmed"]
    sessionCode: str


class RemoteHostSessionStateConnected(TypedDict):
    type: Literal["connected"]
    sessionCode: str


class RemoteHostSessionStateConnecting(TypedDict):
    type: Literal["connecting"]
    invitation: str


class RemoteHostSessionStatePendingConfirmation(TypedDict):
    type: Literal["pendingConfirmation"]
    sessionCode: str


class RemoteHostSessionStateStarting(TypedDict):
    type: Literal["starting"]


class RemoteHostSessionStatus(TypedDict):
    sessionState: NotRequired[RemoteHostSessionState]
    rhStopReason: NotRequired[RemoteHostStopReason]


class RemoteHostStartedResponse(TypedDict):
    type: Literal["remoteHostStarted"]
    remoteHost_: NotRequired[RemoteHostInfo]
    invitation: str
    ctrlPort: str
    localAddrs: list[RCCtrlAddress]


RemoteHostStopReason: TypeAlias = Union[
    "RemoteHostStopReasonConnectionFailed",
    "RemoteHostStopReasonCrashed",
    "RemoteHostStopReasonDisconnected",
]


class RemoteHostStopReasonConnectionFailed(TypedDict):
    type: Literal["connectionFailed"]
    chatError: ChatError


class RemoteHostStopReasonCrashed(TypedDict):
    type: Literal["crashed"]
    chatError: ChatError


class RemoteHostStopReasonDisconnected(TypedDict):
    type: Literal["disconnected"]


class RemoteHostStoppedEvent(TypedDict):
    type: Literal["remoteHostStopped"]
    remoteHostId_: NotRequired[int]
    rhsState: RemoteHostSessionState
    rhStopReason: RemoteHostStopReason


RemoteProtocolError: TypeAlias = Union[
    "RemoteProtocolErrorInvalidSize",
    "RemoteProtocolErrorInvalidJSON",
    "RemoteProtocolErrorInvalidBody",
    "RemoteProtocolErrorPRESessionCode",
    "RemoteProtocolErrorIncompatibleEncoding",
    "RemoteProtocolErrorUnexpectedFile",
    "RemoteProtocolErrorNoFile",
    "RemoteProtocolErrorFileSize",
    "RemoteProtocolErrorFileDigest",
    "RemoteProtocolErrorManySkippedIds",
    "RemoteProtocolErrorPREEarlierId",
    "RemoteProtocolErrorPREDuplicateId",
    "RemoteProtocolErrorUnexpectedResponse",
    "RemoteProtocolErrorStoredFileExists",
    "RemoteProtocolErrorPRERemoteControl",
    "RemoteProtocolErrorHTTP2",
    "RemoteProtocolErrorException",
]


class RemoteProtocolErrorException(TypedDict):
    type: Literal["exception"]
    someException: str


class RemoteProtocolErrorFileDigest(TypedDict):
    type: Literal["fileDigest"]


class RemoteProtocolErrorFileSize(TypedDict):
    type: Literal["fileSize"]


class RemoteProtocolErrorHTTP2(TypedDict):
    type: Literal["hTTP2"]
    http2Error: str


class RemoteProtocolErrorIncompatibleEncoding(TypedDict):
    type: Literal["incompatibleEncoding"]


class RemoteProtocolErrorInvalidBody(TypedDict):
    type: Literal["invalidBody"]
    invalidBody: str


class RemoteProtocolErrorInvalidJSON(TypedDict):
    type: Literal["invalidJSON"]
    invalidJSON: str


class RemoteProtocolErrorInvalidSize(TypedDict):
    type: Literal["invalidSize"]


class RemoteProtocolErrorManySkippedIds(TypedDict):
    type: Literal["manySkippedIds"]
    data: int


class RemoteProtocolErrorNoFile(TypedDict):
    type: Literal["noFile"]


class RemoteProtocolErrorPREDuplicateId(TypedDict):
    type: Literal["pREDuplicateId"]


class RemoteProtocolErrorPREEarlierId(TypedDict):
    type: Literal["pREEarlierId"]
    data: int


class RemoteProtocolErrorPRERemoteControl(TypedDict):
    type: Literal["pRERemoteControl"]
    rcError: RCErrorType


class RemoteProtocolErrorPRESessionCode(TypedDict):
    type: Literal["pRESessionCode"]


class RemoteProtocolErrorStoredFileExists(TypedDict):
    type: Literal["storedFileExists"]


class RemoteProtocolErrorUnexpectedFile(TypedDict):
    type: Literal["unexpectedFile"]


class RemoteProtocolErrorUnexpectedResponse(TypedDict):
    type: Literal["unexpectedResponse"]
    response: str


class ReplayWebhookRequest(TypedDict):
    cursor: NotRequired[str]
    ids: NotRequired[list[str]]


class ReportMessageRequest(TypedDict):
    reportReason: Literal["spam", "content", "community", "profile", "other"]
    reportText: NotRequired[str]


ReportReason: TypeAlias = str


class RequestFault(TypedDict):
    pointer: NotRequired[str]
    parameter: NotRequired[str]
    code: Literal["missing", "unknown", "wrongType", "null", "invalid"]
    detail: str


class RestoreStoreRequest(TypedDict):
    backup: str
    passphrase: NotRequired[str]


class RetrySetAsideEventsRequest(TypedDict):
    ids: NotRequired[list[str]]


class RetrySetAsideEventsResponse(TypedDict):
    retried: int


class RoleGroupPreference(TypedDict):
    enable: GroupFeatureEnabled
    role: NotRequired[GroupMemberRole]


class RotateKeyRequest(TypedDict):
    graceSeconds: NotRequired[int]
    name: NotRequired[str]


class RotateWebhookRequest(TypedDict):
    graceSeconds: NotRequired[int]
    secret: NotRequired[str]


SMPAgentError: TypeAlias = Union[
    "SMPAgentErrorAMessage",
    "SMPAgentErrorAProhibited",
    "SMPAgentErrorAVersion",
    "SMPAgentErrorALink",
    "SMPAgentErrorACrypto",
    "SMPAgentErrorADuplicate",
    "SMPAgentErrorAQueue",
]


class SMPAgentErrorACrypto(TypedDict):
    type: Literal["A_CRYPTO"]
    cryptoErr: AgentCryptoError


class SMPAgentErrorADuplicate(TypedDict):
    type: Literal["A_DUPLICATE"]
    droppedMsg_: NotRequired[DroppedMsg]


class SMPAgentErrorALink(TypedDict):
    type: Literal["A_LINK"]
    linkErr: str


class SMPAgentErrorAMessage(TypedDict):
    type: Literal["A_MESSAGE"]


class SMPAgentErrorAProhibited(TypedDict):
    type: Literal["A_PROHIBITED"]
    prohibitedErr: str


class SMPAgentErrorAQueue(TypedDict):
    type: Literal["A_QUEUE"]
    queueErr: str


class SMPAgentErrorAVersion(TypedDict):
    type: Literal["A_VERSION"]


class SMPServerSubs(TypedDict):
    ssActive: int
    ssPending: int


class SMPServerSummary(TypedDict):
    smpServer: str
    known: NotRequired[bool]
    sessions: NotRequired[ServerSessions]
    subs: NotRequired[SMPServerSubs]
    stats: NotRequired[AgentSMPServerStatsData]


class SMPServersSummary(TypedDict):
    smpTotals: SMPTotals
    currentlyUsedSMPServers: list[SMPServerSummary]
    previouslyUsedSMPServers: list[SMPServerSummary]
    onlyProxiedSMPServers: list[SMPServerSummary]


class SMPTotals(TypedDict):
    sessions: ServerSessions
    subs: SMPServerSubs
    stats: AgentSMPServerStatsData


SQLiteError: TypeAlias = Union["SQLiteErrorErrorNotADatabase", "SQLiteErrorError"]


class SQLiteErrorError(TypedDict):
    type: Literal["error"]
    dbError: str


class SQLiteErrorErrorNotADatabase(TypedDict):
    type: Literal["errorNotADatabase"]


class ScheduleMessagesRequest(TypedDict):
    to: ScheduledReceiver
    sendAt: NotRequired[str]
    composedMessages: NotRequired[list[ComposedMessage]]
    text: NotRequired[str]
    quotedItemId: NotRequired[int]
    ttl: NotRequired[int]
    sendAsGroup: NotRequired[bool]
    sign: NotRequired[bool]


class ScheduledChat(TypedDict):
    chatType: Literal["direct", "group", "contactConnection"]
    chatId: int


class ScheduledMessage(TypedDict):
    scheduledId: int
    chat: ScheduledChat
    state: PlannedState
    itemIds: NotRequired[list[int]]
    problem: NotRequired[PlannedProblem]
    doneAt: NotRequired[str]
    keyId: str
    createdAt: str
    sendAt: NotRequired[str]
    composedMessages: NotRequired[list[ComposedMessage]]
    ttl: NotRequired[int]
    sendAsGroup: NotRequired[bool]
    sign: NotRequired[bool]


class ScheduledReceiver(TypedDict):
    chatType: NotRequired[Literal["direct", "group", "contactConnection"]]
    chatId: NotRequired[int]
    contact: NotRequired[str]
    link: NotRequired[str]
    incognito: NotRequired[bool]


class SecondaryItemsModelFilter(TypedDict):
    type: Literal["groupChatScopeContext", "msgContentTagContext"]
    groupScopeInfo: NotRequired[GroupChatScopeInfo]
    contentTag: NotRequired[MsgContentTag]


class SecurityCode(TypedDict):
    securityCode: str
    verifiedAt: str


class SendCallAnswerRequest(TypedDict):
    answer: NewWebRTCSession


class SendCallCandidatesRequest(TypedDict):
    extraInfo: dict[str, Any]


class SendCallOfferRequest(TypedDict):
    callOffer: dict[str, Any]


class SendContactInvitationRequest(TypedDict):
    msg: NotRequired[MsgContent]


class SendMessagesRequest(TypedDict):
    composedMessages: NotRequired[list[ComposedMessage]]
    text: NotRequired[str]
    quotedItemId: NotRequired[int]
    live: NotRequired[bool]
    ttl: NotRequired[int]
    sendAsGroup: NotRequired[bool]
    sign: NotRequired[bool]


class SentConfirmationResponse(TypedDict):
    type: Literal["sentConfirmation"]
    user: User
    connection: PendingContactConnection
    customUserProfile: NotRequired[Profile]


class SentGroupInvitationEvent(TypedDict):
    type: Literal["sentGroupInvitation"]
    user: User
    groupInfo: GroupInfo
    contact: Contact
    member: GroupMember


class SentGroupInvitationResponse(TypedDict):
    type: Literal["sentGroupInvitation"]
    user: User
    groupInfo: GroupInfo
    contact: Contact
    member: GroupMember


class SentInvitationResponse(TypedDict):
    type: Literal["sentInvitation"]
    user: User
    connection: PendingContactConnection
    customUserProfile: NotRequired[Profile]


class SentInvitationToContactResponse(TypedDict):
    type: Literal["sentInvitationToContact"]
    user: User
    contact: Contact
    customUserProfile: NotRequired[Profile]


class SentNotice(TypedDict):
    userId: int
    chat: NoticeChat
    itemId: int


class ServerOperator(TypedDict):
    operatorId: int
    operatorTag: NotRequired[str]
    tradeName: str
    legalName: NotRequired[str]
    serverDomains: list[str]
    conditionsAcceptance: ConditionsAcceptance
    enabled: bool
    smpRoles: ServerRoles
    xftpRoles: ServerRoles


class ServerOperatorConditions(TypedDict):
    serverOperators: list[ServerOperator]
    currentConditions: UsageConditions
    conditionsAction: NotRequired[UsageConditionsAction]


class ServerOperatorConditionsResponse(TypedDict):
    type: Literal["serverOperatorConditions"]
    conditions: ServerOperatorConditions


ServerProtocol: TypeAlias = str


class ServerQueueInfo(TypedDict):
    server: str
    rcvId: str
    sndId: str
    ntfId: NotRequired[str]
    status: str
    info: QueueInfo


class ServerRoles(TypedDict):
    storage: bool
    proxy: bool
    names: NotRequired[bool]


class ServerRolesOverride(TypedDict):
    storage: NotRequired[bool]
    proxy: NotRequired[bool]
    names: NotRequired[bool]


class ServerSessions(TypedDict):
    ssConnected: int
    ssErrors: int
    ssConnecting: int


class ServerTestResultResponse(TypedDict):
    type: Literal["serverTestResult"]
    user: User
    testServer: str
    testFailure: NotRequired[ProtocolTestFailure]


ServiceSubEvent: TypeAlias = Union[
    "ServiceSubEventUp",
    "ServiceSubEventDown",
    "ServiceSubEventAll",
    "ServiceSubEventEnd",
]


class ServiceSubEventAll(TypedDict):
    type: Literal["all"]


class ServiceSubEventDown(TypedDict):
    type: Literal["down"]
    queueCount: int


class ServiceSubEventEnd(TypedDict):
    type: Literal["end"]
    queueCount: int


class ServiceSubEventUp(TypedDict):
    type: Literal["up"]
    serviceError: NotRequired[str]
    queueCount: int


class ServiceSubStatusEvent(TypedDict):
    type: Literal["serviceSubStatus"]
    server: str
    serviceSubEvent: ServiceSubEvent


class SessionModel(TypedDict):
    chatId: NotRequired[str]
    chatInfo: NotRequired[ChatInfo]
    chatAgentConnId: NotRequired[str]
    chatSubStatus: NotRequired[SubscriptionStatus]
    openAroundItemId: NotRequired[int]
    chatDeleted: bool
    activeFilter: NotRequired[ActiveFilter]
    membersLoaded: bool
    groupMembers: list[GroupMember]
    channelRelays: ChannelRelaysModel
    im: ItemsModel
    secondaryIM: NotRequired[ItemsModel]


class SessionSnapshot(TypedDict):
    id: str
    cursor: str
    sessionId: str
    session: SessionModel


class SetAddressDomainRequest(TypedDict):
    simplexDomain: NotRequired[Union[str, None]]


class SetAllReceiptsRequest(TypedDict):
    enable: bool


class SetAppPasswordRequest(TypedDict):
    password: str
    current: NotRequired[str]


class SetAsideEvent(TypedDict):
    id: str
    attempts: int
    setAsideAt: str
    event: NotRequired[EventEntry]


class SetCallStatusRequest(TypedDict):
    callStatus: Literal["connecting", "connected", "disconnected", "failed"]


SetConsumerRequest = TypedDict(
    "SetConsumerRequest",
    {
        "filter": NotRequired["ConsumerFilter"],
        "from": NotRequired[str],
        "deadlineSeconds": NotRequired[int],
        "maxAttempts": NotRequired[int],
    },
)


class SetContactMergeRequest(TypedDict):
    enable: bool


class SetDatabaseEncryptionRequest(TypedDict):
    currentKey: str
    newKey: str
    keepKey: NotRequired[bool]


class SetDeviceNameRequest(TypedDict):
    displayName: str


class SetDeviceTokenRequest(TypedDict):
    token: DeviceToken
    notificationMode: Literal["PERIODIC", "INSTANT"]


class SetFileAutoReceiveRequest(TypedDict):
    userApprovedRelays: NotRequired[bool]
    encrypted: NotRequired[bool]


class SetFilePathsRequest(TypedDict):
    appFilesFolder: str
    appTempFolder: str
    appAssetsFolder: str
    appRemoteHostsFolder: NotRequired[str]


class SetLocalFileEncryptionRequest(TypedDict):
    enable: bool


class SetMembersBlockedRequest(TypedDict):
    memberIds: list[int]
    blocked: bool


class SetMembersRoleRequest(TypedDict):
    memberIds: list[int]
    memberRole: Literal["observer", "member", "moderator", "admin", "owner"]


class SetSelfDestructPasswordRequest(TypedDict):
    password: str
    current: str


class SetServerOperatorsRequest(TypedDict):
    operators: list[ServerOperator]


class SetServersRequest(TypedDict):
    userServers: list[UserOperatorServers]


class SetStoreLimitsRequest(TypedDict):
    databaseBytes: NotRequired[Union[int, None]]
    items: NotRequired[Union[int, None]]
    files: NotRequired[Union[int, None]]
    fileBytes: NotRequired[Union[int, None]]
    connections: NotRequired[Union[int, None]]


class SetTagOrderRequest(TypedDict):
    tagIds: list[int]


class SetTagRequest(TypedDict):
    text: str
    emoji: NotRequired[str]


class SetUserBadgeRequest(TypedDict):
    credential: BadgeCredential


class SetUserProfileRequest(TypedDict):
    profile: Profile


SetUserProfileResponse: TypeAlias = Union["UserProfileUpdatedResponse", "UserProfileNoChangeResponse"]


class SimplePreference(TypedDict):
    allow: FeatureAllowed


class SimplexDomain(TypedDict):
    nameTLD: SimplexTLD
    domain: str
    subDomain: list[str]


class SimplexDomainClaim(TypedDict):
    domain: str
    proof: NotRequired[SimplexDomainProof]


SimplexDomainError: TypeAlias = Union["SimplexDomainErrorNoValidLink", "SimplexDomainErrorUnknownDomain"]


class SimplexDomainErrorNoValidLink(TypedDict):
    type: Literal["noValidLink"]


class SimplexDomainErrorUnknownDomain(TypedDict):
    type: Literal["unknownDomain"]


class SimplexDomainProof(TypedDict):
    linkOwnerId: NotRequired[str]
    presHeader: str
    signature: str


SimplexLinkType: TypeAlias = str


class SimplexNameInfo(TypedDict):
    nameType: SimplexNameType
    nameDomain: SimplexDomain


SimplexNameType: TypeAlias = str
SimplexTLD: TypeAlias = str


class SlowQueryStats(TypedDict):
    count: int
    timeMax: int
    timeAvg: int
    errs: dict[str, int]


class SlowSQLQueriesResponse(TypedDict):
    type: Literal["slowSQLQueries"]
    chatQueries: list[SlowSQLQuery]
    agentQueries: list[SlowSQLQuery]


class SlowSQLQuery(TypedDict):
    query: str
    queryStats: SlowQueryStats


SndCIStatusProgress: TypeAlias = str
SndConnEvent: TypeAlias = Union["SndConnEventSwitchQueue", "SndConnEventRatchetSync", "SndConnEventPqEnabled"]


class SndConnEventPqEnabled(TypedDict):
    type: Literal["pqEnabled"]
    enabled: bool


class SndConnEventRatchetSync(TypedDict):
    type: Literal["ratchetSync"]
    syncStatus: RatchetSyncState
    member: NotRequired[GroupMemberRef]


class SndConnEventSwitchQueue(TypedDict):
    type: Literal["switchQueue"]
    phase: SwitchPhase
    member: NotRequired[GroupMemberRef]


SndError: TypeAlias = Union[
    "SndErrorAuth",
    "SndErrorQuota",
    "SndErrorExpired",
    "SndErrorRelay",
    "SndErrorProxy",
    "SndErrorProxyRelay",
    "SndErrorOther",
]


class SndErrorAuth(TypedDict):
    type: Literal["auth"]


class SndErrorExpired(TypedDict):
    type: Literal["expired"]


class SndErrorOther(TypedDict):
    type: Literal["other"]
    sndError: str


class SndErrorProxy(TypedDict):
    type: Literal["proxy"]
    proxyServer: str
    srvError: SrvError


class SndErrorProxyRelay(TypedDict):
    type: Literal["proxyRelay"]
    proxyServer: str
    srvError: SrvError


class SndErrorQuota(TypedDict):
    type: Literal["quota"]


class SndErrorRelay(TypedDict):
    type: Literal["relay"]
    srvError: SrvError


class SndFileCancelledResponse(TypedDict):
    type: Literal["sndFileCancelled"]
    user: User
    chatItem_: NotRequired[AChatItem]
    fileTransferMeta: FileTransferMeta
    sndFileTransfers: list[SndFileTransfer]


class SndFileCompleteEvent(TypedDict):
    type: Literal["sndFileComplete"]
    user: User
    chatItem: AChatItem
    sndFileTransfer: SndFileTransfer


class SndFileCompleteXFTPEvent(TypedDict):
    type: Literal["sndFileCompleteXFTP"]
    user: User
    chatItem: AChatItem
    fileTransferMeta: FileTransferMeta


class SndFileErrorEvent(TypedDict):
    type: Literal["sndFileError"]
    user: User
    chatItem_: NotRequired[AChatItem]
    fileTransferMeta: FileTransferMeta
    errorMessage: str


class SndFileProgressXFTPEvent(TypedDict):
    type: Literal["sndFileProgressXFTP"]
    user: User
    chatItem_: NotRequired[AChatItem]
    fileTransferMeta: FileTransferMeta
    sentSize: int
    totalSize: int


class SndFileRcvCancelledEvent(TypedDict):
    type: Literal["sndFileRcvCancelled"]
    user: User
    chatItem_: NotRequired[AChatItem]
    sndFileTransfer: SndFileTransfer


class SndFileRedirectStartXFTPEvent(TypedDict):
    type: Literal["sndFileRedirectStartXFTP"]
    user: User
    fileTransferMeta: FileTransferMeta
    redirectMeta: FileTransferMeta


class SndFileStartEvent(TypedDict):
    type: Literal["sndFileStart"]
    user: User
    chatItem: AChatItem
    sndFileTransfer: SndFileTransfer


class SndFileTransfer(TypedDict):
    fileId: int
    fileName: str
    filePath: str
    fileSize: int
    chunkSize: int
    recipientDisplayName: str
    connId: int
    agentConnId: str
    groupMemberId: NotRequired[int]
    fileStatus: str
    fileDescrId: NotRequired[int]
    fileInline: NotRequired[str]


class SndFileWarningEvent(TypedDict):
    type: Literal["sndFileWarning"]
    user: User
    chatItem_: NotRequired[AChatItem]
    fileTransferMeta: FileTransferMeta
    errorMessage: str


SndGroupEvent: TypeAlias = Union[
    "SndGroupEventMemberRole",
    "SndGroupEventMemberBlocked",
    "SndGroupEventUserRole",
    "SndGroupEventMemberDeleted",
    "SndGroupEventUserLeft",
    "SndGroupEventGroupUpdated",
    "SndGroupEventMemberAccepted",
    "SndGroupEventUserPendingReview",
]


class SndGroupEventGroupUpdated(TypedDict):
    type: Literal["groupUpdated"]
    groupProfile: GroupProfile


class SndGroupEventMemberAccepted(TypedDict):
    type: Literal["memberAccepted"]
    groupMemberId: int
    profile: Profile


class SndGroupEventMemberBlocked(TypedDict):
    type: Literal["memberBlocked"]
    groupMemberId: int
    profile: Profile
    blocked: bool


class SndGroupEventMemberDeleted(TypedDict):
    type: Literal["memberDeleted"]
    groupMemberId: int
    profile: Profile


class SndGroupEventMemberRole(TypedDict):
    type: Literal["memberRole"]
    groupMemberId: int
    profile: Profile
    role: GroupMemberRole


class SndGroupEventUserLeft(TypedDict):
    type: Literal["userLeft"]


class SndGroupEventUserPendingReview(TypedDict):
    type: Literal["userPendingReview"]


class SndGroupEventUserRole(TypedDict):
    type: Literal["userRole"]
    role: GroupMemberRole


class SndQueueInfo(TypedDict):
    sndServer: str
    status: NotRequired[QueueStatus]
    sndSwitchStatus: NotRequired[SndSwitchStatus]


class SndStandaloneFileCompleteEvent(TypedDict):
    type: Literal["sndStandaloneFileComplete"]
    user: User
    fileTransferMeta: FileTransferMeta
    rcvURIs: list[str]


class SndStandaloneFileCreatedResponse(TypedDict):
    type: Literal["sndStandaloneFileCreated"]
    user: User
    fileTransferMeta: FileTransferMeta


SndSwitchStatus: TypeAlias = str
SrvError: TypeAlias = Union["SrvErrorHost", "SrvErrorVersion", "SrvErrorOther"]


class SrvErrorHost(TypedDict):
    type: Literal["host"]


class SrvErrorOther(TypedDict):
    type: Literal["other"]
    srvError: str


class SrvErrorVersion(TypedDict):
    type: Literal["version"]


class StandaloneFileInfoResponse(TypedDict):
    type: Literal["standaloneFileInfo"]
    fileMeta: NotRequired[Any]


class StartCallRequest(TypedDict):
    callType: NewCallType


class StartCoreRequest(TypedDict):
    mainApp: NotRequired[bool]
    enableSndFiles: NotRequired[bool]


StartCoreResponse: TypeAlias = Union["ChatStartedResponse", "ChatRunningResponse"]


class StartRemoteHostSessionRequest(TypedDict):
    remoteHostId: NotRequired[int]
    multicast: NotRequired[bool]
    address: NotRequired[dict[str, Any]]
    port: NotRequired[int]


class StartedConnectionToContactResponse(TypedDict):
    type: Literal["startedConnectionToContact"]
    user: User
    contact: Contact
    customUserProfile: NotRequired[Profile]


class StartedConnectionToGroupResponse(TypedDict):
    type: Literal["startedConnectionToGroup"]
    user: User
    groupInfo: GroupInfo
    customUserProfile: NotRequired[Profile]
    relayResults: NotRequired[list[RelayConnectionResult]]


class Store(TypedDict):
    storeId: str
    name: str
    state: Literal["locked", "closed", "held", "unlocking", "unlocked", "locking"]
    reason: NotRequired[str]
    node: NotRequired[str]
    createdAt: NotRequired[str]
    protection: Literal["keyFile", "passphrase", "appPassword"]
    tenant: NotRequired[str]


class StoreAmounts(TypedDict):
    databaseBytes: NotRequired[int]
    items: NotRequired[int]
    files: NotRequired[int]
    fileBytes: NotRequired[int]
    connections: NotRequired[int]


class StoreDeletedEvent(TypedDict):
    type: Literal["storeDeleted"]


StoreError: TypeAlias = Union[
    "StoreErrorDuplicateName",
    "StoreErrorUserNotFound",
    "StoreErrorRelayUserNotFound",
    "StoreErrorUserNotFoundByName",
    "StoreErrorUserNotFoundByContactId",
    "StoreErrorUserNotFoundByGroupId",
    "StoreErrorUserNotFoundByFileId",
    "StoreErrorUserNotFoundByContactRequestId",
    "StoreErrorContactNotFound",
    "StoreErrorContactNotFoundByName",
    "StoreErrorContactNotFoundByMemberId",
    "StoreErrorContactNotReady",
    "StoreErrorDuplicateContactLink",
    "StoreErrorUserContactLinkNotFound",
    "StoreErrorContactRequestNotFound",
    "StoreErrorContactRequestNotFoundByName",
    "StoreErrorInvalidContactRequestEntity",
    "StoreErrorInvalidBusinessChatContactRequest",
    "StoreErrorGroupNotFound",
    "StoreErrorGroupNotFoundByName",
    "StoreErrorGroupMemberNameNotFound",
    "StoreErrorGroupMemberNotFound",
    "StoreErrorGroupMemberNotFoundByIndex",
    "StoreErrorMemberRelationsVectorNotFound",
    "StoreErrorGroupHostMemberNotFound",
    "StoreErrorGroupMemberNotFoundByMemberId",
    "StoreErrorMemberContactGroupMemberNotFound",
    "StoreErrorInvalidMemberRelationUpdate",
    "StoreErrorGroupWithoutUser",
    "StoreErrorDuplicateGroupMember",
    "StoreErrorDuplicateMemberId",
    "StoreErrorGroupAlreadyJoined",
    "StoreErrorGroupInvitationNotFound",
    "StoreErrorNoteFolderAlreadyExists",
    "StoreErrorNoteFolderNotFound",
    "StoreErrorUserNoteFolderNotFound",
    "StoreErrorSndFileNotFound",
    "StoreErrorSndFileInvalid",
    "StoreErrorRcvFileNotFound",
    "StoreErrorRcvFileDescrNotFound",
    "StoreErrorFileNotFound",
    "StoreErrorRcvFileInvalid",
    "StoreErrorRcvFileInvalidDescrPart",
    "StoreErrorLocalFileNoTransfer",
    "StoreErrorSharedMsgIdNotFoundByFileId",
    "StoreErrorFileIdNotFoundBySharedMsgId",
    "StoreErrorSndFileNotFoundXFTP",
    "StoreErrorRcvFileNotFoundXFTP",
    "StoreErrorConnectionNotFound",
    "StoreErrorConnectionNotFoundById",
    "StoreErrorConnectionNotFoundByMemberId",
    "StoreErrorPendingConnectionNotFound",
    "StoreErrorUniqueID",
    "StoreErrorLargeMsg",
    "StoreErrorInternalError",
    "StoreErrorDBException",
    "StoreErrorDBBusyError",
    "StoreErrorBadChatItem",
    "StoreErrorChatItemNotFound",
    "StoreErrorChatItemNotFoundByText",
    "StoreErrorChatItemSharedMsgIdNotFound",
    "StoreErrorChatItemNotFoundByFileId",
    "StoreErrorChatItemNotFoundByContactId",
    "StoreErrorChatItemNotFoundByGroupId",
    "StoreErrorProfileNotFound",
    "StoreErrorDuplicateGroupLink",
    "StoreErrorGroupLinkNotFound",
    "StoreErrorHostMemberIdNotFound",
    "StoreErrorContactNotFoundByFileId",
    "StoreErrorNoGroupSndStatus",
    "StoreErrorDuplicateGroupMessage",
    "StoreErrorRemoteHostNotFound",
    "StoreErrorRemoteHostUnknown",
    "StoreErrorRemoteHostDuplicateCA",
    "StoreErrorRemoteCtrlNotFound",
    "StoreErrorRemoteCtrlDuplicateCA",
    "StoreErrorProhibitedDeleteUser",
    "StoreErrorOperatorNotFound",
    "StoreErrorUsageConditionsNotFound",
    "StoreErrorUserChatRelayNotFound",
    "StoreErrorGroupRelayNotFound",
    "StoreErrorGroupRelayNotFoundByMemberId",
    "StoreErrorInvalidQuote",
    "StoreErrorInvalidMention",
    "StoreErrorInvalidDeliveryTask",
    "StoreErrorDeliveryTaskNotFound",
    "StoreErrorInvalidDeliveryJob",
    "StoreErrorDeliveryJobNotFound",
    "StoreErrorWorkItemError",
]


class StoreErrorBadChatItem(TypedDict):
    type: Literal["badChatItem"]
    itemId: int
    itemTs: NotRequired[str]


class StoreErrorChatItemNotFound(TypedDict):
    type: Literal["chatItemNotFound"]
    itemId: int


class StoreErrorChatItemNotFoundByContactId(TypedDict):
    type: Literal["chatItemNotFoundByContactId"]
    contactId: int


class StoreErrorChatItemNotFoundByFileId(TypedDict):
    type: Literal["chatItemNotFoundByFileId"]
    fileId: int


class StoreErrorChatItemNotFoundByGroupId(TypedDict):
    type: Literal["chatItemNotFoundByGroupId"]
    groupId: int


class StoreErrorChatItemNotFoundByText(TypedDict):
    type: Literal["chatItemNotFoundByText"]
    text: str


class StoreErrorChatItemSharedMsgIdNotFound(TypedDict):
    type: Literal["chatItemSharedMsgIdNotFound"]
    sharedMsgId: str


class StoreErrorConnectionNotFound(TypedDict):
    type: Literal["connectionNotFound"]
    agentConnId: str


class StoreErrorConnectionNotFoundById(TypedDict):
    type: Literal["connectionNotFoundById"]
    connId: int


class StoreErrorConnectionNotFoundByMemberId(TypedDict):
    type: Literal["connectionNotFoundByMemberId"]
    groupMemberId: int


class StoreErrorContactNotFound(TypedDict):
    type: Literal["contactNotFound"]
    contactId: int


class StoreErrorContactNotFoundByFileId(TypedDict):
    type: Literal["contactNotFoundByFileId"]
    fileId: int


class StoreErrorContactNotFoundByMemberId(TypedDict):
    type: Literal["contactNotFoundByMemberId"]
    groupMemberId: int


class StoreErrorContactNotFoundByName(TypedDict):
    type: Literal["contactNotFoundByName"]
    contactName: str


class StoreErrorContactNotReady(TypedDict):
    type: Literal["contactNotReady"]
    contactName: str


class StoreErrorContactRequestNotFound(TypedDict):
    type: Literal["contactRequestNotFound"]
    contactRequestId: int


class StoreErrorContactRequestNotFoundByName(TypedDict):
    type: Literal["contactRequestNotFoundByName"]
    contactName: str


class StoreErrorDBBusyError(TypedDict):
    type: Literal["dBBusyError"]
    message: str


class StoreErrorDBException(TypedDict):
    type: Literal["dBException"]
    message: str


class StoreErrorDeliveryJobNotFound(TypedDict):
    type: Literal["deliveryJobNotFound"]
    jobId: int


class StoreErrorDeliveryTaskNotFound(TypedDict):
    type: Literal["deliveryTaskNotFound"]
    taskId: int


class StoreErrorDuplicateContactLink(TypedDict):
    type: Literal["duplicateContactLink"]


class StoreErrorDuplicateGroupLink(TypedDict):
    type: Literal["duplicateGroupLink"]
    groupInfo: GroupInfo


class StoreErrorDuplicateGroupMember(TypedDict):
    type: Literal["duplicateGroupMember"]


class StoreErrorDuplicateGroupMessage(TypedDict):
    type: Literal["duplicateGroupMessage"]
    groupId: int
    sharedMsgId: str
    authorGroupMemberId: NotRequired[int]
    forwardedByGroupMemberId: NotRequired[int]


class StoreErrorDuplicateMemberId(TypedDict):
    type: Literal["duplicateMemberId"]


class StoreErrorDuplicateName(TypedDict):
    type: Literal["duplicateName"]


class StoreErrorFileIdNotFoundBySharedMsgId(TypedDict):
    type: Literal["fileIdNotFoundBySharedMsgId"]
    sharedMsgId: str


class StoreErrorFileNotFound(TypedDict):
    type: Literal["fileNotFound"]
    fileId: int


class StoreErrorGroupAlreadyJoined(TypedDict):
    type: Literal["groupAlreadyJoined"]


class StoreErrorGroupHostMemberNotFound(TypedDict):
    type: Literal["groupHostMemberNotFound"]
    groupId: int


class StoreErrorGroupInvitationNotFound(TypedDict):
    type: Literal["groupInvitationNotFound"]


class StoreErrorGroupLinkNotFound(TypedDict):
    type: Literal["groupLinkNotFound"]
    groupInfo: GroupInfo


class StoreErrorGroupMemberNameNotFound(TypedDict):
    type: Literal["groupMemberNameNotFound"]
    groupId: int
    groupMemberName: str


class StoreErrorGroupMemberNotFound(TypedDict):
    type: Literal["groupMemberNotFound"]
    groupMemberId: int


class StoreErrorGroupMemberNotFoundByIndex(TypedDict):
    type: Literal["groupMemberNotFoundByIndex"]
    groupMemberIndex: int


class StoreErrorGroupMemberNotFoundByMemberId(TypedDict):
    type: Literal["groupMemberNotFoundByMemberId"]
    memberId: str


class StoreErrorGroupNotFound(TypedDict):
    type: Literal["groupNotFound"]
    groupId: int


class StoreErrorGroupNotFoundByName(TypedDict):
    type: Literal["groupNotFoundByName"]
    groupName: str


class StoreErrorGroupRelayNotFound(TypedDict):
    type: Literal["groupRelayNotFound"]
    groupRelayId: int


class StoreErrorGroupRelayNotFoundByMemberId(TypedDict):
    type: Literal["groupRelayNotFoundByMemberId"]
    groupMemberId: int


class StoreErrorGroupWithoutUser(TypedDict):
    type: Literal["groupWithoutUser"]


class StoreErrorHostMemberIdNotFound(TypedDict):
    type: Literal["hostMemberIdNotFound"]
    groupId: int


class StoreErrorInternalError(TypedDict):
    type: Literal["internalError"]
    message: str


class StoreErrorInvalidBusinessChatContactRequest(TypedDict):
    type: Literal["invalidBusinessChatContactRequest"]


class StoreErrorInvalidContactRequestEntity(TypedDict):
    type: Literal["invalidContactRequestEntity"]
    contactRequestId: int


class StoreErrorInvalidDeliveryJob(TypedDict):
    type: Literal["invalidDeliveryJob"]
    jobId: int


class StoreErrorInvalidDeliveryTask(TypedDict):
    type: Literal["invalidDeliveryTask"]
    taskId: int


class StoreErrorInvalidMemberRelationUpdate(TypedDict):
    type: Literal["invalidMemberRelationUpdate"]


class StoreErrorInvalidMention(TypedDict):
    type: Literal["invalidMention"]


class StoreErrorInvalidQuote(TypedDict):
    type: Literal["invalidQuote"]


class StoreErrorLargeMsg(TypedDict):
    type: Literal["largeMsg"]


class StoreErrorLocalFileNoTransfer(TypedDict):
    type: Literal["localFileNoTransfer"]
    fileId: int


class StoreErrorMemberContactGroupMemberNotFound(TypedDict):
    type: Literal["memberContactGroupMemberNotFound"]
    contactId: int


class StoreErrorMemberRelationsVectorNotFound(TypedDict):
    type: Literal["memberRelationsVectorNotFound"]
    groupMemberId: int


class StoreErrorNoGroupSndStatus(TypedDict):
    type: Literal["noGroupSndStatus"]
    itemId: int
    groupMemberId: int


class StoreErrorNoteFolderAlreadyExists(TypedDict):
    type: Literal["noteFolderAlreadyExists"]
    noteFolderId: int


class StoreErrorNoteFolderNotFound(TypedDict):
    type: Literal["noteFolderNotFound"]
    noteFolderId: int


class StoreErrorOperatorNotFound(TypedDict):
    type: Literal["operatorNotFound"]
    serverOperatorId: int


class StoreErrorPendingConnectionNotFound(TypedDict):
    type: Literal["pendingConnectionNotFound"]
    connId: int


class StoreErrorProfileNotFound(TypedDict):
    type: Literal["profileNotFound"]
    profileId: int


class StoreErrorProhibitedDeleteUser(TypedDict):
    type: Literal["prohibitedDeleteUser"]
    userId: int
    contactId: int


class StoreErrorRcvFileDescrNotFound(TypedDict):
    type: Literal["rcvFileDescrNotFound"]
    fileId: int


class StoreErrorRcvFileInvalid(TypedDict):
    type: Literal["rcvFileInvalid"]
    fileId: int


class StoreErrorRcvFileInvalidDescrPart(TypedDict):
    type: Literal["rcvFileInvalidDescrPart"]


class StoreErrorRcvFileNotFound(TypedDict):
    type: Literal["rcvFileNotFound"]
    fileId: int


class StoreErrorRcvFileNotFoundXFTP(TypedDict):
    type: Literal["rcvFileNotFoundXFTP"]
    agentRcvFileId: str


class StoreErrorRelayUserNotFound(TypedDict):
    type: Literal["relayUserNotFound"]


class StoreErrorRemoteCtrlDuplicateCA(TypedDict):
    type: Literal["remoteCtrlDuplicateCA"]


class StoreErrorRemoteCtrlNotFound(TypedDict):
    type: Literal["remoteCtrlNotFound"]
    remoteCtrlId: int


class StoreErrorRemoteHostDuplicateCA(TypedDict):
    type: Literal["remoteHostDuplicateCA"]


class StoreErrorRemoteHostNotFound(TypedDict):
    type: Literal["remoteHostNotFound"]
    remoteHostId: int


class StoreErrorRemoteHostUnknown(TypedDict):
    type: Literal["remoteHostUnknown"]


class StoreErrorSharedMsgIdNotFoundByFileId(TypedDict):
    type: Literal["sharedMsgIdNotFoundByFileId"]
    fileId: int


class StoreErrorSndFileInvalid(TypedDict):
    type: Literal["sndFileInvalid"]
    fileId: int


class StoreErrorSndFileNotFound(TypedDict):
    type: Literal["sndFileNotFound"]
    fileId: int


class StoreErrorSndFileNotFoundXFTP(TypedDict):
    type: Literal["sndFileNotFoundXFTP"]
    agentSndFileId: str


class StoreErrorUniqueID(TypedDict):
    type: Literal["uniqueID"]


class StoreErrorUsageConditionsNotFound(TypedDict):
    type: Literal["usageConditionsNotFound"]


class StoreErrorUserChatRelayNotFound(TypedDict):
    type: Literal["userChatRelayNotFound"]
    chatRelayId: int


class StoreErrorUserContactLinkNotFound(TypedDict):
    type: Literal["userContactLinkNotFound"]


class StoreErrorUserNotFound(TypedDict):
    type: Literal["userNotFound"]
    userId: int


class StoreErrorUserNotFoundByContactId(TypedDict):
    type: Literal["userNotFoundByContactId"]
    contactId: int


class StoreErrorUserNotFoundByContactRequestId(TypedDict):
    type: Literal["userNotFoundByContactRequestId"]
    contactRequestId: int


class StoreErrorUserNotFoundByFileId(TypedDict):
    type: Literal["userNotFoundByFileId"]
    fileId: int


class StoreErrorUserNotFoundByGroupId(TypedDict):
    type: Literal["userNotFoundByGroupId"]
    groupId: int


class StoreErrorUserNotFoundByName(TypedDict):
    type: Literal["userNotFoundByName"]
    contactName: str


class StoreErrorUserNoteFolderNotFound(TypedDict):
    type: Literal["userNoteFolderNotFound"]


class StoreErrorWorkItemError(TypedDict):
    type: Literal["workItemError"]
    errContext: str


class StoreLimits(TypedDict):
    limits: StoreAmounts
    own: dict[str, Union[int, None]]
    used: NotRequired[StoreAmounts]


class StoreLockedEvent(TypedDict):
    type: Literal["storeLocked"]


class StoreRemoteHostFileRequest(TypedDict):
    localPath: str
    storeEncrypted: NotRequired[bool]


class StoredArchive(TypedDict):
    name: str
    size: int


class SubscriptionEndEvent(TypedDict):
    type: Literal["subscriptionEnd"]
    user: User
    connectionEntity: ConnectionEntity


SubscriptionStatus: TypeAlias = Union[
    "SubscriptionStatusActive",
    "SubscriptionStatusPending",
    "SubscriptionStatusRemoved",
    "SubscriptionStatusNoSub",
]


class SubscriptionStatusActive(TypedDict):
    type: Literal["active"]


class SubscriptionStatusEvent(TypedDict):
    type: Literal["subscriptionStatus"]
    server: str
    subscriptionStatus: SubscriptionStatus
    connections: list[str]


class SubscriptionStatusNoSub(TypedDict):
    type: Literal["noSub"]


class SubscriptionStatusPending(TypedDict):
    type: Literal["pending"]


class SubscriptionStatusRemoved(TypedDict):
    type: Literal["removed"]
    subError: str


class SupportGroupPreference(TypedDict):
    enable: GroupFeatureEnabled


class SuspendCoreRequest(TypedDict):
    timeoutMicroseconds: NotRequired[int]


SwitchPhase: TypeAlias = str


class SwitchProgress(TypedDict):
    queueDirection: QueueDirection
    switchPhase: SwitchPhase
    connectionStats: ConnectionStats


class SwitchRemoteHostRequest(TypedDict):
    remoteHostId: NotRequired[int]


class SyncContactEncryptionRequest(TypedDict):
    force: NotRequired[bool]


class SyncMemberEncryptionRequest(TypedDict):
    force: NotRequired[bool]


class TakeEventsRequest(TypedDict):
    limit: NotRequired[int]
    timeout: NotRequired[int]


class TakeEventsResponse(TypedDict):
    events: list[TakenEvent]


class TakenEvent(TypedDict):
    id: str
    attempt: int
    deadlineAt: str
    event: EventLine


class TerminalEventEvent(TypedDict):
    type: Literal["terminalEvent"]


class TestChatRelayRequest(TypedDict):
    address: str


class TestDatabaseKeyRequest(TypedDict):
    key: str


class TestServerRequest(TypedDict):
    server: str


class TimedActionEvent(TypedDict):
    type: Literal["timedAction"]
    action: str
    durationMilliseconds: int


class TimedMessagesGroupPreference(TypedDict):
    enable: GroupFeatureEnabled
    ttl: NotRequired[int]


class TimedMessagesPreference(TypedDict):
    allow: FeatureAllowed
    ttl: NotRequired[int]


TransportError: TypeAlias = Union[
    "TransportErrorBadBlock",
    "TransportErrorVersion",
    "TransportErrorLargeMsg",
    "TransportErrorBadSession",
    "TransportErrorNoServerAuth",
    "TransportErrorHandshake",
]


class TransportErrorBadBlock(TypedDict):
    type: Literal["badBlock"]


class TransportErrorBadSession(TypedDict):
    type: Literal["badSession"]


class TransportErrorHandshake(TypedDict):
    type: Literal["handshake"]
    handshakeErr: HandshakeError


class TransportErrorLargeMsg(TypedDict):
    type: Literal["largeMsg"]


class TransportErrorNoServerAuth(TypedDict):
    type: Literal["noServerAuth"]


class TransportErrorVersion(TypedDict):
    type: Literal["version"]


UIColorMode: TypeAlias = str


class UIColors(TypedDict):
    accent: NotRequired[str]
    accentVariant: NotRequired[str]
    secondary: NotRequired[str]
    secondaryVariant: NotRequired[str]
    background: NotRequired[str]
    menus: NotRequired[str]
    title: NotRequired[str]
    accentVariant2: NotRequired[str]
    sentMessage: NotRequired[str]
    sentReply: NotRequired[str]
    receivedMessage: NotRequired[str]
    receivedReply: NotRequired[str]


class UIThemeEntityOverride(TypedDict):
    mode: UIColorMode
    wallpaper: NotRequired[ChatWallpaper]
    colors: UIColors


class UIThemeEntityOverrides(TypedDict):
    light: NotRequired[UIThemeEntityOverride]
    dark: NotRequired[UIThemeEntityOverride]


class UnfollowDocument(TypedDict):
    unfollow: str


class UnhideUserRequest(TypedDict):
    viewPwd: str


class UnknownMemberAnnouncedEvent(TypedDict):
    type: Literal["unknownMemberAnnounced"]
    user: User
    groupInfo: GroupInfo
    announcingMember: GroupMember
    unknownMember: GroupMember
    announcedMember: GroupMember


class UnknownMemberBlockedEvent(TypedDict):
    type: Literal["unknownMemberBlocked"]
    user: User
    groupInfo: GroupInfo
    blockedByMember: GroupMember
    member: GroupMember


class UnknownMemberCreatedEvent(TypedDict):
    type: Literal["unknownMemberCreated"]
    user: User
    groupInfo: GroupInfo
    forwardedByMember: GroupMember
    member: GroupMember


class UnlistedEvent(TypedDict):
    type: str


class UnlockStoreRequest(TypedDict):
    retry: NotRequired[bool]
    passphrase: NotRequired[str]


class UpMigration(TypedDict):
    upName: str
    withDown: bool


class UpdateAddressRequest(TypedDict):
    businessAddress: NotRequired[bool]
    autoAccept: NotRequired[Union[dict[str, Any], None]]
    autoReply: NotRequired[Union[dict[str, Any], None]]


class UpdateChatRequest(TypedDict):
    unread: NotRequired[bool]
    tagIds: NotRequired[list[int]]
    settings: NotRequired[dict[str, Any]]
    ttlSeconds: NotRequired[Union[int, None]]
    themes: NotRequired[Union[dict[str, Any], None]]


class UpdateConnectionRequest(TypedDict):
    alias: NotRequired[Union[str, None]]
    incognito: NotRequired[bool]
    userId: NotRequired[int]


UpdateConnectionResponse: TypeAlias = Union["ApiChatResponse", "ConnectionUserChangedResponse"]


class UpdateContactRequest(TypedDict):
    alias: NotRequired[Union[str, None]]
    preferences: NotRequired[Union[dict[str, Any], None]]
    customData: NotRequired[Union[dict[str, Any], None]]
    userId: NotRequired[int]


UpdateContactResponse: TypeAlias = Union["ContactInfoResponse", "ContactUserChangedResponse"]


class UpdateGroupLinkRequest(TypedDict):
    memberRole: Literal["observer", "member", "moderator", "admin", "owner"]


class UpdateGroupRequest(TypedDict):
    profile: NotRequired[GroupProfilePatch]
    access: NotRequired[dict[str, Any]]
    alias: NotRequired[Union[str, None]]
    customData: NotRequired[Union[dict[str, Any], None]]
    userId: NotRequired[int]


UpdateGroupResponse: TypeAlias = Union["GroupInfoResponse", "GroupUserChangedResponse"]


class UpdateMemberRequest(TypedDict):
    settings: NotRequired[dict[str, Any]]
    role: NotRequired[Literal["observer", "member", "moderator", "admin", "owner"]]
    blocked: NotRequired[bool]


class UpdateMessageRequest(TypedDict):
    updatedMessage: UpdatedMessage
    live: NotRequired[bool]


UpdateMessageResponse: TypeAlias = Union["ChatItemUpdatedResponse", "ChatItemNotChangedResponse"]


class UpdateNetworkSettingsRequest(TypedDict):
    socksProxy: NotRequired[Union[str, None]]
    socksMode: NotRequired[Literal["always", "onion"]]
    hostMode: NotRequired[Literal["public", "onion", "onionViaSocks"]]
    requiredHostMode: NotRequired[bool]
    sessionMode: NotRequired[Literal["user", "session", "server", "entity"]]
    smpProxyMode: NotRequired[Literal["always", "unknown", "unprotected", "never"]]
    smpProxyFallback: NotRequired[Literal["allow", "allowProtected", "prohibit"]]
    smpWebPortServers: NotRequired[Literal["all", "preset", "off"]]
    tcpConnectTimeout: NotRequired[dict[str, Any]]
    tcpTimeout: NotRequired[dict[str, Any]]
    tcpTimeoutPerKb: NotRequired[int]
    rcvConcurrency: NotRequired[int]
    tcpKeepAlive: NotRequired[Union[dict[str, Any], None]]
    smpPingInterval: NotRequired[int]
    smpPingCount: NotRequired[int]
    logTLSErrors: NotRequired[bool]


class UpdatePushSubscriptionRequest(TypedDict):
    name: NotRequired[str]
    users: NotRequired[list[int]]
    chats: NotRequired[list[str]]
    mentionsOnly: NotRequired[bool]
    content: NotRequired[bool]


class UpdateScheduledMessageRequest(TypedDict):
    sendAt: NotRequired[Union[str, None]]
    composedMessages: NotRequired[list[ComposedMessage]]
    ttl: NotRequired[Union[int, None]]


class UpdateUserRequest(TypedDict):
    profile: NotRequired[ProfilePatch]
    addressInProfile: NotRequired[bool]
    muted: NotRequired[bool]
    receipts: NotRequired[dict[str, Any]]
    autoAccept: NotRequired[dict[str, Any]]
    clientService: NotRequired[bool]
    themes: NotRequired[Union[dict[str, Any], None]]
    ttlSeconds: NotRequired[Union[int, None]]


class UpdateWebhookRequest(TypedDict):
    url: NotRequired[str]
    name: NotRequired[str]
    types: NotRequired[list[EventType]]
    users: NotRequired[list[int]]
    chats: NotRequired[list[str]]
    state: NotRequired[Literal["active", "paused"]]


class UpdatedMessage(TypedDict):
    msgContent: MsgContent
    mentions: dict[str, int]


UploadFileResponse: TypeAlias = Union["UploadedFile", "FileUpload"]


class UploadStandaloneFileRequest(TypedDict):
    file: CryptoFile


UploadStandaloneFileResponse: TypeAlias = Union["SndStandaloneFileCreatedResponse", "LongOperation"]


class UploadedFile(TypedDict):
    type: Literal["fileUploaded"]
    fileSource: CryptoFile
    fileSize: int


class UploadedWallpaper(TypedDict):
    imageFile: str


class UsageConditions(TypedDict):
    conditionsId: int
    conditionsCommit: str
    notifiedAt: NotRequired[str]
    createdAt: str


UsageConditionsAction: TypeAlias = Union["UsageConditionsActionReview", "UsageConditionsActionAccepted"]


class UsageConditionsActionAccepted(TypedDict):
    type: Literal["accepted"]
    operators: list[ServerOperator]


class UsageConditionsActionReview(TypedDict):
    type: Literal["review"]
    operators: list[ServerOperator]
    deadline: NotRequired[str]
    showNotice: bool


class UsageConditionsResponse(TypedDict):
    type: Literal["usageConditions"]
    usageConditions: UsageConditions
    conditionsText: str
    acceptedConditions: NotRequired[UsageConditions]


class User(TypedDict):
    userId: int
    agentUserId: str
    userContactId: int
    localDisplayName: str
    profile: LocalProfile
    fullPreferences: FullPreferences
    activeUser: bool
    activeOrder: int
    viewPwdHash: NotRequired[UserPwdHash]
    showNtfs: bool
    sendRcptsContacts: bool
    sendRcptsSmallGroups: bool
    autoAcceptMemberContacts: bool
    autoAcceptGroupInvitations: NotRequired[bool]
    userMemberProfileUpdatedAt: NotRequired[str]
    userChatRelay: NotRequired[bool]
    clientService: NotRequired[bool]
    uiThemes: NotRequired[UIThemeEntityOverrides]


class UserAcceptedGroupSentEvent(TypedDict):
    type: Literal["userAcceptedGroupSent"]
    user: User
    groupInfo: GroupInfo
    hostContact: NotRequired[Contact]


class UserAcceptedGroupSentResponse(TypedDict):
    type: Literal["userAcceptedGroupSent"]
    user: User
    groupInfo: GroupInfo
    hostContact: NotRequired[Contact]


class UserChatRelay(TypedDict):
    chatRelayId: int
    address: str
    relayProfile: RelayProfile
    domains: list[str]
    preset: bool
    tested: NotRequired[bool]
    enabled: bool
    deleted: bool


class UserContact(TypedDict):
    userContactLinkId: int
    connReqContact: str
    groupId: NotRequired[int]


class UserContactLink(TypedDict):
    userContactLinkId: int
    connLinkContact: CreatedConnLink
    shortLinkDataSet: bool
    shortLinkLargeDataSet: bool
    addressSettings: AddressSettings


class UserContactLinkCreatedResponse(TypedDict):
    type: Literal["userContactLinkCreated"]
    user: User
    connLinkContact: CreatedConnLink


class UserContactLinkDeletedResponse(TypedDict):
    type: Literal["userContactLinkDeleted"]
    user: User


class UserContactLinkResponse(TypedDict):
    type: Literal["userContactLink"]
    user: User
    contactLink: UserContactLink


class UserContactRequest(TypedDict):
    contactRequestId: int
    agentInvitationId: str
    contactId_: NotRequired[int]
    businessGroupId_: NotRequired[int]
    userContactLinkId_: NotRequired[int]
    cReqChatVRange: VersionRange
    localDisplayName: str
    profileId: int
    profile: LocalProfile
    createdAt: str
    updatedAt: str
    xContactId: NotRequired[str]
    pqSupport: bool
    welcomeSharedMsgId: NotRequired[str]
    requestSharedMsgId: NotRequired[str]


class UserDeletedMembersResponse(TypedDict):
    type: Literal["userDeletedMembers"]
    user: User
    groupInfo: GroupInfo
    members: list[GroupMember]
    withMessages: bool
    msgSigned: NotRequired[bool]


class UserInfo(TypedDict):
    user: User
    unreadCount: int


class UserJoinedGroupEvent(TypedDict):
    type: Literal["userJoinedGroup"]
    user: User
    groupInfo: GroupInfo
    hostMember: GroupMember


class UserNetworkInfo(TypedDict):
    networkType: Literal["none", "cellular", "wifi", "ethernet", "other"]
    online: bool


class UserOperatorServers(TypedDict):
    operator: NotRequired[ServerOperator]
    smpServers: list[UserServer]
    xftpServers: list[UserServer]
    chatRelays: NotRequired[list[dict[str, Any]]]


class UserPrivacyResponse(TypedDict):
    type: Literal["userPrivacy"]
    user: User
    updatedUser: User


class UserProfileNoChangeResponse(TypedDict):
    type: Literal["userProfileNoChange"]
    user: User


class UserProfileUpdateSummary(TypedDict):
    updateSuccesses: int
    updateFailures: int
    changedContacts: list[Contact]


class UserProfileUpdatedResponse(TypedDict):
    type: Literal["userProfileUpdated"]
    user: User
    fromProfile: Profile
    toProfile: Profile
    updateSummary: UserProfileUpdateSummary


class UserPwdHash(TypedDict):
    hash: str
    salt: str


class UserServer(TypedDict):
    serverId: NotRequired[int]
    server: str
    preset: bool
    tested: NotRequired[bool]
    enabled: bool
    deleted: bool
    roles: NotRequired[ServerRolesOverride]


UserServersError: TypeAlias = Union[
    "UserServersErrorNoServers",
    "UserServersErrorStorageMissing",
    "UserServersErrorProxyMissing",
    "UserServersErrorDuplicateServer",
    "UserServersErrorDuplicateChatRelayName",
    "UserServersErrorDuplicateChatRelayAddress",
]


class UserServersErrorDuplicateChatRelayAddress(TypedDict):
    type: Literal["duplicateChatRelayAddress"]
    duplicateChatRelay: str
    duplicateAddress: str


class UserServersErrorDuplicateChatRelayName(TypedDict):
    type: Literal["duplicateChatRelayName"]
    duplicateChatRelay: str


class UserServersErrorDuplicateServer(TypedDict):
    type: Literal["duplicateServer"]
    protocol: ServerProtocol
    duplicateServer: str
    duplicateHost: str


class UserServersErrorNoServers(TypedDict):
    type: Literal["noServers"]
    protocol: ServerProtocol
    user: NotRequired[User]


class UserServersErrorProxyMissing(TypedDict):
    type: Literal["proxyMissing"]
    protocol: ServerProtocol
    user: NotRequired[User]


class UserServersErrorStorageMissing(TypedDict):
    type: Literal["storageMissing"]
    protocol: ServerProtocol
    user: NotRequired[User]


class UserServersResponse(TypedDict):
    type: Literal["userServers"]
    user: User
    userServers: list[UserOperatorServers]


class UserServersValidationResponse(TypedDict):
    type: Literal["userServersValidation"]
    user: User
    serverErrors: list[UserServersError]
    serverWarnings: NotRequired[list[UserServersWarning]]


UserServersWarning: TypeAlias = Union["UserServersWarningNoChatRelays", "UserServersWarningNoNamesServers"]


class UserServersWarningNoChatRelays(TypedDict):
    type: Literal["noChatRelays"]
    user: NotRequired[User]


class UserServersWarningNoNamesServers(TypedDict):
    type: Literal["noNamesServers"]
    user: NotRequired[User]


class UsersListResponse(TypedDict):
    type: Literal["usersList"]
    users: list[UserInfo]
    next: NotRequired[NextPage]
    prev: NotRequired[PrevPage]


class ValidateServersRequest(TypedDict):
    userServers: list[UserOperatorServers]


class VerifyContactRequest(TypedDict):
    connectionCode: NotRequired[str]


class VerifyControllerSessionRequest(TypedDict):
    sessionCode: str


class VerifyDeviceTokenRequest(TypedDict):
    token: DeviceToken
    nonce: str
    code: str


class VerifyMemberRequest(TypedDict):
    connectionCode: NotRequired[str]


class VersionInfoResponse(TypedDict):
    type: Literal["versionInfo"]
    versionInfo: CoreVersionInfo
    chatMigrations: list[UpMigration]
    agentMigrations: list[UpMigration]


class VersionRange(TypedDict):
    minVersion: int
    maxVersion: int


class WaitFigures(TypedDict):
    running: int
    waiting: int
    longestWaitMilliseconds: int


class WebRTCExtraInfo(TypedDict):
    rtcIceCandidates: str


class WebRTCSession(TypedDict):
    rtcSession: str
    rtcIceCandidates: str


class Webhook(TypedDict):
    webhookId: str
    name: NotRequired[str]
    url: str
    types: NotRequired[list[str]]
    users: NotRequired[list[int]]
    chats: NotRequired[list[str]]
    state: Literal["active", "paused", "failed", "gone", "revoked"]
    keyId: str
    userId: NotRequired[int]
    createdAt: str
    cursor: str
    waiting: NotRequired[int]
    firstFailedAt: NotRequired[str]
    lastDeliveredAt: NotRequired[str]
    previousSecretExpiresAt: NotRequired[str]


class WebhookDelivery(TypedDict):
    deliveryId: NotRequired[int]
    eventId: str
    type: str
    attempt: int
    startedAt: str
    milliseconds: int
    outcome: Literal["delivered", "failed", "abandoned", "gone"]
    status: NotRequired[int]
    error: NotRequired[str]
    nextAttemptAt: NotRequired[str]


class WebhookGap(TypedDict):
    event: GapEvent


class WebhookTest(TypedDict):
    id: str
    createdAt: str
    event: dict[str, Any]


class Worker(TypedDict):
    kind: str
    state: str
    waiting: int
    agentConnId: NotRequired[str]
    agentFileId: NotRequired[str]
    server: NotRequired[str]
    waitingSince: NotRequired[str]
    nextAttempt: NotRequired[str]
    lastError: NotRequired[str]


class WorkersResponse(TypedDict):
    workers: list[Worker]
    next: NextPage
    prev: PrevPage


XFTPErrorType: TypeAlias = Union[
    "XFTPErrorTypeBlock",
    "XFTPErrorTypeSession",
    "XFTPErrorTypeHandshake",
    "XFTPErrorTypeCmd",
    "XFTPErrorTypeAuth",
    "XFTPErrorTypeBlocked",
    "XFTPErrorTypeSize",
    "XFTPErrorTypeQuota",
    "XFTPErrorTypeDigest",
    "XFTPErrorTypeCrypto",
    "XFTPErrorTypeNoFile",
    "XFTPErrorTypeHasFile",
    "XFTPErrorTypeFileIo",
    "XFTPErrorTypeTimeout",
    "XFTPErrorTypeInternal",
    "XFTPErrorTypeDuplicate",
]


class XFTPErrorTypeAuth(TypedDict):
    type: Literal["AUTH"]


class XFTPErrorTypeBlock(TypedDict):
    type: Literal["BLOCK"]


class XFTPErrorTypeBlocked(TypedDict):
    type: Literal["BLOCKED"]
    blockInfo: BlockingInfo


class XFTPErrorTypeCmd(TypedDict):
    type: Literal["CMD"]
    cmdErr: CommandError


class XFTPErrorTypeCrypto(TypedDict):
    type: Literal["CRYPTO"]


class XFTPErrorTypeDigest(TypedDict):
    type: Literal["DIGEST"]


class XFTPErrorTypeDuplicate(TypedDict):
    type: Literal["DUPLICATE_"]


class XFTPErrorTypeFileIo(TypedDict):
    type: Literal["FILE_IO"]


class XFTPErrorTypeHandshake(TypedDict):
    type: Literal["HANDSHAKE"]


class XFTPErrorTypeHasFile(TypedDict):
    type: Literal["HAS_FILE"]


class XFTPErrorTypeInternal(TypedDict):
    type: Literal["INTERNAL"]


class XFTPErrorTypeNoFile(TypedDict):
    type: Literal["NO_FILE"]


class XFTPErrorTypeQuota(TypedDict):
    type: Literal["QUOTA"]


class XFTPErrorTypeSession(TypedDict):
    type: Literal["SESSION"]


class XFTPErrorTypeSize(TypedDict):
    type: Literal["SIZE"]


class XFTPErrorTypeTimeout(TypedDict):
    type: Literal["TIMEOUT"]


class XFTPRcvFile(TypedDict):
    rcvFileDescription: RcvFileDescr
    agentRcvFileId: NotRequired[str]
    agentRcvFileDeleted: bool
    userApprovedRelays: bool


def _part(value: int | str) -> str:
    """A value as one part of a path."""
    return quote(str(value), safe="")


class Operations:
    """Each operation of the contract with a JSON answer, as a method."""

    async def _call(
        self,
        method: str,
        path: str,
        query: dict[str, Any],
        body: Any = None,
        headers: dict[str, Any] | None = None,
    ) -> Any:
        """Send a request with the retries of the gateway's client, and return its JSON answer."""
        raise NotImplementedError

    async def get_address(self, user_id: int) -> UserContactLinkResponse:
        """Show the address."""
        answer: UserContactLinkResponse = await self._call("GET", f"/v1/users/{_part(user_id)}/address", {})
        return answer

    async def create_address(self, user_id: int) -> UserContactLinkCreatedResponse:
        """Create the address."""
        answer: UserContactLinkCreatedResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/address", {})
        return answer

    async def update_address(
        self,
        user_id: int,
        body: UpdateAddressRequest,
        *,
        if_match: str | None = None,
    ) -> UserContactLinkResponse:
        """Change the handling of contact requests by a merge patch."""
        answer: UserContactLinkResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/address",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def delete_address(self, user_id: int) -> UserContactLinkDeletedResponse:
        """Delete the address."""
        answer: UserContactLinkDeletedResponse = await self._call("DELETE", f"/v1/users/{_part(user_id)}/address", {})
        return answer

    async def create_address_short_link(self, user_id: int) -> UserContactLinkResponse:
        """Give the address a short link, or replace the data behind it."""
        answer: UserContactLinkResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/address/short-link", {})
        return answer

    async def set_address_domain(self, user_id: int, body: SetAddressDomainRequest) -> SetUserProfileResponse:
        """Give the profile a SimpleX name, or remove the name."""
        answer: SetUserProfileResponse = await self._call("PUT", f"/v1/users/{_part(user_id)}/address/domain", {}, body)
        return answer

    async def verify_contact_domain(self, user_id: int, contact_id: int) -> ContactDomainVerifiedResponse:
        """Check the SimpleX name of a contact."""
        answer: ContactDomainVerifiedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/verify-domain",
            {},
        )
        return answer

    async def verify_group_domain(self, user_id: int, group_id: int) -> GroupDomainVerifiedResponse:
        """Check the SimpleX name of a channel or of a business."""
        answer: GroupDomainVerifiedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/verify-domain",
            {},
        )
        return answer

    async def list_broadcasts(
        self,
        user_id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListBroadcastsResponse:
        """Broadcasts of a profile, the newest first."""
        answer: ListBroadcastsResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/broadcasts",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def create_broadcast(self, user_id: int, body: CreateBroadcastRequest) -> Broadcast:
        """Send messages to many chats."""
        answer: Broadcast = await self._call("POST", f"/v1/users/{_part(user_id)}/broadcasts", {}, body)
        return answer

    async def get_broadcast(self, user_id: int, broadcast_id: int) -> Broadcast:
        """A broadcast, with the numbers of its results."""
        answer: Broadcast = await self._call("GET", f"/v1/users/{_part(user_id)}/broadcasts/{_part(broadcast_id)}", {})
        return answer

    async def list_broadcast_results(
        self,
        user_id: int,
        broadcast_id: int,
        *,
        state: Literal["waiting", "sent", "failed", "cancelled"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListBroadcastResultsResponse:
        """The result of each chat of a broadcast, in the order of sending."""
        answer: ListBroadcastResultsResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/broadcasts/{_part(broadcast_id)}/results",
            {"state": state, "limit": limit, "cursor": cursor},
        )
        return answer

    async def cancel_broadcast(self, user_id: int, broadcast_id: int) -> Broadcast:
        """Stop a broadcast."""
        answer: Broadcast = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/broadcasts/{_part(broadcast_id)}/cancel",
            {},
        )
        return answer

    async def start_call(self, user_id: int, contact_id: int, body: StartCallRequest) -> CmdOkResponse:
        """Call a contact."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/call",
            {},
            body,
        )
        return answer

    async def end_call(self, user_id: int, contact_id: int) -> CmdOkResponse:
        """End a call, incoming or outgoing."""
        answer: CmdOkResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/call",
            {},
        )
        return answer

    async def reject_call(self, user_id: int, contact_id: int) -> CmdOkResponse:
        """Refuse a call."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/call/reject",
            {},
        )
        return answer

    async def send_call_offer(self, user_id: int, contact_id: int, body: SendCallOfferRequest) -> CmdOkResponse:
        """Accept an incoming call."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/call/offer",
            {},
            body,
        )
        return answer

    async def send_call_answer(self, user_id: int, contact_id: int, body: SendCallAnswerRequest) -> CmdOkResponse:
        """Accept the offer of the called contact."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/call/answer",
            {},
            body,
        )
        return answer

    async def send_call_candidates(
        self,
        user_id: int,
        contact_id: int,
        body: SendCallCandidatesRequest,
    ) -> CmdOkResponse:
        """Send ICE candidates that were found later."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/call/extra",
            {},
            body,
        )
        return answer

    async def set_call_status(self, user_id: int, contact_id: int, body: SetCallStatusRequest) -> CmdOkResponse:
        """Report the state of the media."""
        answer: CmdOkResponse = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/call/status",
            {},
            body,
        )
        return answer

    async def list_call_invitations(self) -> CallInvitationsResponse:
        """The incoming calls that wait for an answer."""
        answer: CallInvitationsResponse = await self._call("GET", "/v1/call-invitations", {})
        return answer

    async def list_consumers(self, *, limit: int | None = None, cursor: str | None = None) -> ListConsumersResponse:
        """The consumers of the store, by name."""
        answer: ListConsumersResponse = await self._call("GET", "/v1/consumers", {"limit": limit, "cursor": cursor})
        return answer

    async def get_consumer(self, name: str) -> Consumer:
        """One consumer, with its settings and counts."""
        answer: Consumer = await self._call("GET", f"/v1/consumers/{_part(name)}", {})
        return answer

    async def set_consumer(
        self,
        name: str,
        body: SetConsumerRequest | None = None,
        *,
        if_match: str | None = None,
    ) -> Consumer:
        """Create a consumer, or change its settings."""
        answer: Consumer = await self._call("PUT", f"/v1/consumers/{_part(name)}", {}, body, {"If-Match": if_match})
        return answer

    async def delete_consumer(self, name: str) -> None:
        """Delete a consumer."""
        await self._call("DELETE", f"/v1/consumers/{_part(name)}", {})

    async def take_events(self, name: str, body: TakeEventsRequest | None = None) -> TakeEventsResponse:
        """Take events, or wait for them."""
        answer: TakeEventsResponse = await self._call("POST", f"/v1/consumers/{_part(name)}/take", {}, body)
        return answer

    async def acknowledge_events(self, name: str, body: AcknowledgeEventsRequest) -> AcknowledgeEventsResponse:
        """Acknowledge events that were handled."""
        answer: AcknowledgeEventsResponse = await self._call("POST", f"/v1/consumers/{_part(name)}/ack", {}, body)
        return answer

    async def refuse_events(self, name: str, body: RefuseEventsRequest) -> RefuseEventsResponse:
        """Give events back that could not be handled."""
        answer: RefuseEventsResponse = await self._call("POST", f"/v1/consumers/{_part(name)}/nack", {}, body)
        return answer

    async def list_set_aside_events(
        self,
        name: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ListSetAsideEventsResponse:
        """Events that were not acknowledged after the maximal number of attempts, the oldest first."""
        answer: ListSetAsideEventsResponse = await self._call(
            "GET",
            f"/v1/consumers/{_part(name)}/set-aside",
            {"cursor": cursor, "limit": limit},
        )
        return answer

    async def delete_set_aside_events(self, name: str) -> None:
        """Delete all events that are set aside."""
        await self._call("DELETE", f"/v1/consumers/{_part(name)}/set-aside", {})

    async def retry_set_aside_events(
        self,
        name: str,
        body: RetrySetAsideEventsRequest | None = None,
    ) -> RetrySetAsideEventsResponse:
        """Hand out events again that are set aside."""
        answer: RetrySetAsideEventsResponse = await self._call(
            "POST",
            f"/v1/consumers/{_part(name)}/set-aside/retry",
            {},
            body,
        )
        return answer

    async def delete_set_aside_event(self, name: str, event_id: str) -> None:
        """Delete one event that is set aside."""
        await self._call("DELETE", f"/v1/consumers/{_part(name)}/set-aside/{_part(event_id)}", {})

    async def create_invitation(self, user_id: int, body: CreateInvitationRequest | None = None) -> InvitationResponse:
        """Create a one-time invitation."""
        answer: InvitationResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/connections/invitations",
            {},
            body,
        )
        return answer

    async def create_connection(self, user_id: int, body: CreateConnectionRequest) -> CreateConnectionResponse:
        """Connect by an invitation or an address."""
        answer: CreateConnectionResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/connections", {}, body)
        return answer

    async def plan_connection(self, user_id: int, body: PlanConnectionRequest) -> ConnectionPlanResponse:
        """Check what connecting by a link or a SimpleX name would do."""
        answer: ConnectionPlanResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/connections/plan",
            {},
            body,
        )
        return answer

    async def prepare_contact(self, user_id: int, body: PrepareContactRequest) -> NewPreparedChatResponse:
        """Open a chat from a link, without connecting yet."""
        answer: NewPreparedChatResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/prepared",
            {},
            body,
        )
        return answer

    async def connect_prepared_contact(
        self,
        user_id: int,
        contact_id: int,
        body: ConnectPreparedContactRequest | None = None,
    ) -> ConnectPreparedContactResponse:
        """Connect a prepared contact."""
        answer: ConnectPreparedContactResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/connect",
            {},
            body,
        )
        return answer

    async def connect_contact_by_address(
        self,
        user_id: int,
        contact_id: int,
        body: ConnectContactByAddressRequest | None = None,
    ) -> SentInvitationToContactResponse:
        """Connect to a contact by the address in its profile."""
        answer: SentInvitationToContactResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/connect-via-address",
            {},
            body,
        )
        return answer

    async def accept_contact_request(
        self,
        user_id: int,
        contact_req_id: int,
        body: AcceptContactRequest | None = None,
    ) -> AcceptingContactRequestResponse:
        """Accept a contact request."""
        answer: AcceptingContactRequestResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contact-requests/{_part(contact_req_id)}/accept",
            {},
            body,
        )
        return answer

    async def reject_contact_request(self, user_id: int, contact_req_id: int) -> ContactRequestRejectedResponse:
        """Reject a contact request."""
        answer: ContactRequestRejectedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contact-requests/{_part(contact_req_id)}/reject",
            {},
        )
        return answer

    async def clear_chat(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
    ) -> ChatClearedResponse:
        """Delete all items of a chat."""
        answer: ChatClearedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/clear",
            {"scope": scope},
        )
        return answer

    async def list_contacts(
        self,
        user_id: int,
        *,
        name: str | None = None,
        search: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        fields: list[str] | None = None,
    ) -> ContactsListResponse:
        """The contacts of a profile."""
        answer: ContactsListResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/contacts",
            {"name": name, "search": search, "limit": limit, "cursor": cursor, "fields": fields},
        )
        return answer

    async def get_contact(self, user_id: int, contact_id: int) -> ContactInfoResponse:
        """A contact with the state of its connection."""
        answer: ContactInfoResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}",
            {},
        )
        return answer

    async def update_contact(
        self,
        user_id: int,
        contact_id: int,
        body: UpdateContactRequest,
        *,
        if_match: str | None = None,
    ) -> UpdateContactResponse:
        """Change a contact by a merge patch."""
        answer: UpdateContactResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def enable_contact(self, user_id: int, contact_id: int) -> CmdOkResponse:
        """Use a contact's connection again after failures."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/enable",
            {},
        )
        return answer

    async def update_connection(
        self,
        user_id: int,
        conn_id: int,
        body: UpdateConnectionRequest,
        *,
        if_match: str | None = None,
    ) -> UpdateConnectionResponse:
        """Change an invitation that nobody has used yet by a merge patch."""
        answer: UpdateConnectionResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/connections/{_part(conn_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def set_database_encryption(
        self,
        body: SetDatabaseEncryptionRequest,
        *,
        prefer: str | None = None,
    ) -> CmdOkResponse | LongOperation:
        """Change, set or remove the key of the databases."""
        answer: CmdOkResponse | LongOperation = await self._call(
            "PUT",
            "/v1/database/encryption",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def test_database_key(self, body: TestDatabaseKeyRequest) -> CmdOkResponse:
        """Test whether a key opens the databases."""
        answer: CmdOkResponse = await self._call("POST", "/v1/database/encryption/test", {}, body)
        return answer

    async def export_archive(
        self,
        body: ExportArchiveRequest,
        *,
        prefer: str | None = None,
    ) -> ArchiveExportedResponse | LongOperation:
        """Write both databases and the files into a ZIP archive."""
        answer: ArchiveExportedResponse | LongOperation = await self._call(
            "POST",
            "/v1/database/export",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def import_archive(
        self,
        body: ImportArchiveRequest,
        *,
        prefer: str | None = None,
    ) -> ArchiveImportedResponse | LongOperation:
        """Replace the databases with the databases of an archive."""
        answer: ArchiveImportedResponse | LongOperation = await self._call(
            "POST",
            "/v1/database/import",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def get_migration(self) -> MigrationState:
        """Get the state of the migration from or to another device."""
        answer: MigrationState = await self._call("GET", "/v1/database/migration", {})
        return answer

    async def create_migration(
        self,
        body: CreateMigrationRequest,
        *,
        prefer: str | None = None,
    ) -> CreateMigrationResponse | LongOperation:
        """Make a link by which another device gets all profiles of the store."""
        answer: CreateMigrationResponse | LongOperation = await self._call(
            "POST",
            "/v1/database/migration",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def cancel_migration(self) -> None:
        """Cancel a migration to another device that has a link."""
        await self._call("DELETE", "/v1/database/migration", {})

    async def finish_migration(self) -> MigrationState:
        """Delete the databases after a migration to another device."""
        answer: MigrationState = await self._call("POST", "/v1/database/migration/finish", {})
        return answer

    async def receive_migration(
        self,
        body: ReceiveMigrationRequest,
        *,
        prefer: str | None = None,
    ) -> ArchiveImportedResponse | LongOperation:
        """Get all profiles from another device by a link."""
        answer: ArchiveImportedResponse | LongOperation = await self._call(
            "POST",
            "/v1/database/migration/receive",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def list_archives(self, *, limit: int | None = None, cursor: str | None = None) -> ListArchivesResponse:
        """List the archives that can be fetched and imported."""
        answer: ListArchivesResponse = await self._call(
            "GET",
            "/v1/database/archives",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def delete_archive(self, archive_name: str) -> None:
        """Delete an archive."""
        await self._call("DELETE", f"/v1/database/archives/{_part(archive_name)}", {})

    async def delete_files(self) -> DeletedFiles:
        """Delete all files, and keep the messages."""
        answer: DeletedFiles = await self._call("DELETE", "/v1/database/files", {})
        return answer

    async def delete_database(self) -> CmdOkResponse:
        """Delete the databases and all files."""
        answer: CmdOkResponse = await self._call("DELETE", "/v1/database", {})
        return answer

    async def get_version(self) -> VersionInfoResponse:
        """Get the version of the core, and the schemas of its databases."""
        answer: VersionInfoResponse = await self._call("GET", "/v1/version", {})
        return answer

    async def get_log_level(self) -> LogLevel:
        """Get the log level of the gateway."""
        answer: LogLevel = await self._call("GET", "/v1/diagnostics/log-level", {})
        return answer

    async def set_log_level(self, body: LogLevel) -> LogLevel:
        """Set the log level of the gateway."""
        answer: LogLevel = await self._call("PUT", "/v1/diagnostics/log-level", {}, body)
        return answer

    async def get_slow_statements(self) -> SlowSQLQueriesResponse:
        """List the slow statements of the databases of the store."""
        answer: SlowSQLQueriesResponse = await self._call("GET", "/v1/diagnostics/statements", {})
        return answer

    async def list_workers(self, *, limit: int | None = None, cursor: str | None = None) -> WorkersResponse:
        """List the workers of the store, with the reasons why they wait."""
        answer: WorkersResponse = await self._call("GET", "/v1/diagnostics/workers", {"limit": limit, "cursor": cursor})
        return answer

    async def get_locks(self) -> LocksResponse:
        """Get the locks and queues of the store that work waits for."""
        answer: LocksResponse = await self._call("GET", "/v1/diagnostics/locks", {})
        return answer

    async def get_subscription_counts(self, user_id: int) -> AgentSubsTotalResponse:
        """Get the number of subscribed queues of a profile."""
        answer: AgentSubsTotalResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/diagnostics/subscriptions",
            {},
        )
        return answer

    async def get_server_statistics(self, user_id: int) -> AgentServersSummaryResponse:
        """Get sessions, subscriptions and statistics by server, for all profiles and for this profile."""
        answer: AgentServersSummaryResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/diagnostics/servers",
            {},
        )
        return answer

    async def reset_server_statistics(self) -> CmdOkResponse:
        """Set the statistics to zero."""
        answer: CmdOkResponse = await self._call("DELETE", "/v1/diagnostics/servers", {})
        return answer

    async def get_contact_queue(self, user_id: int, contact_id: int) -> QueueInfoResponse:
        """Get the relay's report about the queue that receives a contact's messages."""
        answer: QueueInfoResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/queue",
            {},
        )
        return answer

    async def get_member_queue(self, user_id: int, group_id: int, group_member_id: int) -> QueueInfoResponse:
        """Get the relay's report about the queue that receives a member's messages."""
        answer: QueueInfoResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/queue",
            {},
        )
        return answer

    async def list_network_statuses(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> NetworkStatusesResponse:
        """Get the states of the connections of all contacts, of all profiles."""
        answer: NetworkStatusesResponse = await self._call(
            "GET",
            "/v1/diagnostics/network-statuses",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def list_events(
        self,
        *,
        cursor: str | None = None,
        timeout: int | None = None,
        limit: int | None = None,
        types: list[EventType] | None = None,
        users: list[int] | None = None,
        chats: list[str] | None = None,
    ) -> EventPage:
        """Get events after a cursor, as one page or as a stream."""
        answer: EventPage = await self._call(
            "GET",
            "/v1/events",
            {
                "cursor": cursor,
                "timeout": timeout,
                "limit": limit,
                "types": types,
                "users": users,
                "chats": chats,
            },
        )
        return answer

    async def create_event_ticket(self, body: CreateEventTicketRequest | None = None) -> CreateEventTicketResponse:
        """Create a ticket."""
        answer: CreateEventTicketResponse = await self._call("POST", "/v1/events/tickets", {}, body)
        return answer

    async def receive_file(
        self,
        user_id: int,
        file_id: int,
        body: ReceiveFileRequest | None = None,
    ) -> ReceiveFileResponse:
        """Receive a file that was offered."""
        answer: ReceiveFileResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/files/{_part(file_id)}/receive",
            {},
            body,
        )
        return answer

    async def set_file_auto_receive(
        self,
        user_id: int,
        file_id: int,
        body: SetFileAutoReceiveRequest | None = None,
    ) -> CmdOkResponse:
        """Receive a file at the next start of the store."""
        answer: CmdOkResponse = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/files/{_part(file_id)}/auto-receive",
            {},
            body,
        )
        return answer

    async def cancel_file(self, user_id: int, file_id: int) -> CancelFileResponse:
        """Cancel a file."""
        answer: CancelFileResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/files/{_part(file_id)}/cancel",
            {},
        )
        return answer

    async def upload_standalone_file(
        self,
        user_id: int,
        body: UploadStandaloneFileRequest,
        *,
        prefer: str | None = None,
    ) -> UploadStandaloneFileResponse:
        """Upload a file that everybody with its link can download."""
        answer: UploadStandaloneFileResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/standalone-files",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def download_standalone_file(
        self,
        user_id: int,
        body: DownloadStandaloneFileRequest,
    ) -> RcvStandaloneFileCreatedResponse:
        """Download the file behind a link."""
        answer: RcvStandaloneFileCreatedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/standalone-files/downloads",
            {},
            body,
        )
        return answer

    async def read_standalone_file_info(self, body: ReadStandaloneFileInfoRequest) -> StandaloneFileInfoResponse:
        """Get the data that the creator of a file link has put into the link."""
        answer: StandaloneFileInfoResponse = await self._call("POST", "/v1/standalone-files/info", {}, body)
        return answer

    async def list_file_sizes(
        self,
        user_id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListFileSizesResponse:
        """Sizes of the files by chat, the largest first."""
        answer: ListFileSizesResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/file-sizes",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def get_chat_files(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
    ) -> ChatFiles:
        """The number and the size of the files of a chat."""
        answer: ChatFiles = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/files",
            {"scope": scope},
        )
        return answer

    async def delete_chat_files(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
    ) -> DeletedFiles:
        """Delete the files of a chat, and keep its messages."""
        answer: DeletedFiles = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/files",
            {"scope": scope},
        )
        return answer

    async def list_groups(
        self,
        user_id: int,
        *,
        search: str | None = None,
        contact_id: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        fields: list[str] | None = None,
    ) -> GroupsListResponse:
        """The groups of a profile."""
        answer: GroupsListResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups",
            {"search": search, "contactId": contact_id, "limit": limit, "cursor": cursor, "fields": fields},
        )
        return answer

    async def create_group(self, user_id: int, body: CreateGroupRequest) -> GroupCreatedResponse:
        """Create a group."""
        answer: GroupCreatedResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/groups", {}, body)
        return answer

    async def get_group(self, user_id: int, group_id: int) -> GroupInfoResponse:
        """A group."""
        answer: GroupInfoResponse = await self._call("GET", f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}", {})
        return answer

    async def update_group(
        self,
        user_id: int,
        group_id: int,
        body: UpdateGroupRequest,
        *,
        if_match: str | None = None,
    ) -> UpdateGroupResponse:
        """Change a group or a channel by a merge patch."""
        answer: UpdateGroupResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def list_members(
        self,
        user_id: int,
        group_id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> GroupMembersResponse:
        """The members of a group, without the user."""
        answer: GroupMembersResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def invite_member(
        self,
        user_id: int,
        group_id: int,
        body: InviteMemberRequest,
    ) -> SentGroupInvitationResponse:
        """Invite a contact, or change the role in an invitation that is not accepted yet."""
        answer: SentGroupInvitationResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members",
            {},
            body,
        )
        return answer

    async def remove_members(
        self,
        user_id: int,
        group_id: int,
        *,
        member_ids: list[int],
        with_messages: bool | None = None,
    ) -> UserDeletedMembersResponse:
        """Remove members, or withdraw their invitations."""
        answer: UserDeletedMembersResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members",
            {"memberIds": member_ids, "withMessages": with_messages},
        )
        return answer

    async def set_members_role(
        self,
        user_id: int,
        group_id: int,
        body: SetMembersRoleRequest,
    ) -> MembersRoleUserResponse:
        """Change the role of members."""
        answer: MembersRoleUserResponse = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/role",
            {},
            body,
        )
        return answer

    async def set_members_blocked(
        self,
        user_id: int,
        group_id: int,
        body: SetMembersBlockedRequest,
    ) -> MembersBlockedForAllUserResponse:
        """Block members for all, or unblock them."""
        answer: MembersBlockedForAllUserResponse = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/blocked",
            {},
            body,
        )
        return answer

    async def get_member(self, user_id: int, group_id: int, group_member_id: int) -> GroupMemberInfoResponse:
        """A member, with the servers of the connection to it."""
        answer: GroupMemberInfoResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}",
            {},
        )
        return answer

    async def update_member(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
        body: UpdateMemberRequest,
        *,
        if_match: str | None = None,
    ) -> GroupMemberInfoResponse:
        """Change a member of a group by a merge patch."""
        answer: GroupMemberInfoResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def accept_member(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
        body: AcceptMemberRequest,
    ) -> MemberAcceptedResponse:
        """Accept a member who waits for a review."""
        answer: MemberAcceptedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/accept",
            {},
            body,
        )
        return answer

    async def delete_member_support_chat(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
    ) -> MemberSupportChatDeletedResponse:
        """Delete the chat of a member with the moderators."""
        answer: MemberSupportChatDeletedResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/support-chat",
            {},
        )
        return answer

    async def join_group(self, user_id: int, group_id: int) -> UserAcceptedGroupSentResponse:
        """Accept the invitation to a group."""
        answer: UserAcceptedGroupSentResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/join",
            {},
        )
        return answer

    async def prepare_group(self, user_id: int, body: PrepareGroupRequest) -> NewPreparedChatResponse:
        """Open the chat of a group from its link, without joining yet."""
        answer: NewPreparedChatResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/prepared",
            {},
            body,
        )
        return answer

    async def join_prepared_group(
        self,
        user_id: int,
        group_id: int,
        body: JoinPreparedGroupRequest | None = None,
    ) -> StartedConnectionToGroupResponse:
        """Ask to join a prepared group."""
        answer: StartedConnectionToGroupResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/connect",
            {},
            body,
        )
        return answer

    async def refresh_group_link_data(self, user_id: int, group_id: int) -> GroupInfoResponse:
        """Update a channel from its link."""
        answer: GroupInfoResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/link/refresh",
            {},
        )
        return answer

    async def allow_channel_relay(self, user_id: int, group_id: int) -> RelayGroupAllowedResponse:
        """Allow owners to ask a chat relay again to serve a channel that it has left."""
        answer: RelayGroupAllowedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/allow-relay",
            {},
        )
        return answer

    async def get_group_link(self, user_id: int, group_id: int) -> GroupLinkResponse:
        """The link of a group."""
        answer: GroupLinkResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/link",
            {},
        )
        return answer

    async def create_group_link(
        self,
        user_id: int,
        group_id: int,
        body: CreateGroupLinkRequest,
    ) -> GroupLinkCreatedResponse:
        """Create the link of a group."""
        answer: GroupLinkCreatedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/link",
            {},
            body,
        )
        return answer

    async def update_group_link(self, user_id: int, group_id: int, body: UpdateGroupLinkRequest) -> GroupLinkResponse:
        """Set the role of people who join by the link from now on."""
        answer: GroupLinkResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/link",
            {},
            body,
        )
        return answer

    async def delete_group_link(self, user_id: int, group_id: int) -> GroupLinkDeletedResponse:
        """Delete the link of a group."""
        answer: GroupLinkDeletedResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/link",
            {},
        )
        return answer

    async def create_group_short_link(self, user_id: int, group_id: int) -> GroupLinkResponse:
        """Give the link of a group a short form, or replace the profile behind it."""
        answer: GroupLinkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/link/short",
            {},
        )
        return answer

    async def leave_group(self, user_id: int, group_id: int) -> LeftMemberUserResponse:
        """Leave a group."""
        answer: LeftMemberUserResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/leave",
            {},
        )
        return answer

    async def enable_member(self, user_id: int, group_id: int, group_member_id: int) -> CmdOkResponse:
        """Use a member's connection again after failures."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/enable",
            {},
        )
        return answer

    async def create_member_contact(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
    ) -> NewMemberContactResponse:
        """Make a member a contact, to send direct messages."""
        answer: NewMemberContactResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/contact",
            {},
        )
        return answer

    async def send_contact_invitation(
        self,
        user_id: int,
        contact_id: int,
        body: SendContactInvitationRequest | None = None,
    ) -> NewMemberContactSentInvResponse:
        """Invite a member to be a contact, with a first message."""
        answer: NewMemberContactSentInvResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/invitation",
            {},
            body,
        )
        return answer

    async def accept_contact_invitation(self, user_id: int, contact_id: int) -> MemberContactAcceptedResponse:
        """Accept the invitation of a member to become a contact."""
        answer: MemberContactAcceptedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/accept",
            {},
        )
        return answer

    async def create_channel(self, user_id: int, body: CreateChannelRequest) -> CreateChannelResponse:
        """Create a channel, and invite relays to serve it."""
        answer: CreateChannelResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/channels", {}, body)
        return answer

    async def list_channel_relays(self, user_id: int, group_id: int) -> GroupRelaysResponse:
        """The relays of a channel that the user owns, with the progress of each."""
        answer: GroupRelaysResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/relays",
            {},
        )
        return answer

    async def add_channel_relays(
        self,
        user_id: int,
        group_id: int,
        body: AddChannelRelaysRequest,
    ) -> AddChannelRelaysResponse:
        """Invite more relays to serve a channel."""
        answer: AddChannelRelaysResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/relays",
            {},
            body,
        )
        return answer

    async def get_current_key(self) -> GetCurrentKeyResponse:
        """The rights of the key of the request."""
        answer: GetCurrentKeyResponse = await self._call("GET", "/v1/whoami", {})
        return answer

    async def list_keys(self, *, limit: int | None = None, cursor: str | None = None) -> ListKeysResponse:
        """The keys of the store, without their secrets."""
        answer: ListKeysResponse = await self._call("GET", "/v1/keys", {"limit": limit, "cursor": cursor})
        return answer

    async def create_key(self, body: CreateKeyRequest) -> NewAPIKey:
        """Make a key."""
        answer: NewAPIKey = await self._call("POST", "/v1/keys", {}, body)
        return answer

    async def get_key(self, key_id: str) -> APIKey:
        """One key, without its secret."""
        answer: APIKey = await self._call("GET", f"/v1/keys/{_part(key_id)}", {})
        return answer

    async def delete_key(self, key_id: str, *, unclaimed: bool | None = None) -> None:
        """Revoke a key."""
        await self._call("DELETE", f"/v1/keys/{_part(key_id)}", {"unclaimed": unclaimed})

    async def rotate_key(self, key_id: str, body: RotateKeyRequest | None = None) -> NewAPIKey:
        """Give a key a new secret."""
        answer: NewAPIKey = await self._call("POST", f"/v1/keys/{_part(key_id)}/rotate", {}, body)
        return answer

    async def start_core(self, body: StartCoreRequest | None = None) -> StartCoreResponse:
        """Start the core: connect to relays, send and receive."""
        answer: StartCoreResponse = await self._call("POST", "/v1/core/start", {}, body)
        return answer

    async def get_core_state(self) -> GetCoreStateResponse:
        """Whether the core is running."""
        answer: GetCoreStateResponse = await self._call("GET", "/v1/core", {})
        return answer

    async def stop_core(self) -> ChatStoppedResponse:
        """Stop the core."""
        answer: ChatStoppedResponse = await self._call("POST", "/v1/core/stop", {})
        return answer

    async def set_file_paths(self, body: SetFilePathsRequest) -> CmdOkResponse:
        """Set the folders for files, temporary files and assets."""
        answer: CmdOkResponse = await self._call("PUT", "/v1/core/file-paths", {}, body)
        return answer

    async def set_local_file_encryption(self, body: SetLocalFileEncryptionRequest) -> CmdOkResponse:
        """Set whether local files are encrypted."""
        answer: CmdOkResponse = await self._call("PUT", "/v1/core/encrypt-local-files", {}, body)
        return answer

    async def list_operations(self, *, limit: int | None = None, cursor: str | None = None) -> ListOperationsResponse:
        """The operations, the last one first."""
        answer: ListOperationsResponse = await self._call("GET", "/v1/operations", {"limit": limit, "cursor": cursor})
        return answer

    async def get_operation(self, operation_id: str) -> LongOperation:
        """One operation, with its state, progress and result."""
        answer: LongOperation = await self._call("GET", f"/v1/operations/{_part(operation_id)}", {})
        return answer

    async def cancel_operation(self, operation_id: str) -> LongOperation:
        """Cancel an operation that can end without an effect."""
        answer: LongOperation = await self._call("POST", f"/v1/operations/{_part(operation_id)}/cancel", {})
        return answer

    async def list_chats(
        self,
        user_id: int,
        *,
        pending_connections: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        search: str | None = None,
        favorite: bool | None = None,
        unread: bool | None = None,
        fields: list[str] | None = None,
    ) -> ApiChatsResponse:
        """The chat list of a profile, with previews and counts."""
        answer: ApiChatsResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/chats",
            {
                "pendingConnections": pending_connections,
                "limit": limit,
                "cursor": cursor,
                "search": search,
                "favorite": favorite,
                "unread": unread,
                "fields": fields,
            },
        )
        return answer

    async def get_chat(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        around: int | None = None,
        initial: bool | None = None,
        search: str | None = None,
        content_type: Literal["text", "link", "image", "video", "voice", "file", "report", "chat"] | None = None,
        direction: Literal["sent", "received"] | None = None,
        sender: int | None = None,
        since: str | None = None,
        fields: list[str] | None = None,
    ) -> ApiChatResponse:
        """A chat with a page of its items."""
        answer: ApiChatResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}",
            {
                "scope": scope,
                "limit": limit,
                "cursor": cursor,
                "around": around,
                "initial": initial,
                "search": search,
                "contentType": content_type,
                "direction": direction,
                "sender": sender,
                "since": since,
                "fields": fields,
            },
        )
        return answer

    async def update_chat(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: UpdateChatRequest,
        *,
        if_match: str | None = None,
    ) -> ApiChatResponse:
        """Change the settings and marks of a chat by a merge patch."""
        answer: ApiChatResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def delete_chat(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
        mode: Literal["full", "entity", "messages"] | None = None,
        notify: bool | None = None,
    ) -> DeleteChatResponse:
        """Delete a chat, its contact, or its messages."""
        answer: DeleteChatResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}",
            {"scope": scope, "mode": mode, "notify": notify},
        )
        return answer

    async def list_content_types(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
    ) -> ChatContentTypesResponse:
        """The kinds of content that a chat contains."""
        answer: ChatContentTypesResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/content-types",
            {"scope": scope},
        )
        return answer

    async def list_messages(
        self,
        user_id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        around: int | None = None,
        initial: bool | None = None,
        search: str | None = None,
        content_type: Literal["text", "link", "image", "video", "voice", "file", "report", "chat"] | None = None,
        direction: Literal["sent", "received"] | None = None,
        sender: int | None = None,
        since: str | None = None,
        fields: list[str] | None = None,
    ) -> ChatItemsResponse:
        """Items of all chats, optionally those that contain a text."""
        answer: ChatItemsResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/messages",
            {
                "limit": limit,
                "cursor": cursor,
                "around": around,
                "initial": initial,
                "search": search,
                "contentType": content_type,
                "direction": direction,
                "sender": sender,
                "since": since,
                "fields": fields,
            },
        )
        return answer

    async def get_message(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        item_id: int,
        *,
        scope: str | None = None,
    ) -> ChatItemInfoResponse:
        """The details of an item: versions, deliveries, origin."""
        answer: ChatItemInfoResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/messages/{_part(item_id)}",
            {"scope": scope},
        )
        return answer

    async def update_message(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        item_id: int,
        body: UpdateMessageRequest,
        *,
        scope: str | None = None,
    ) -> UpdateMessageResponse:
        """Change a message that was sent."""
        answer: UpdateMessageResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/messages/{_part(item_id)}",
            {"scope": scope},
            body,
        )
        return answer

    async def send_messages(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: SendMessagesRequest,
        *,
        scope: str | None = None,
        wait: Literal["none", "sent", "delivered"] | None = None,
        timeout: int | None = None,
        fields: Literal["all", "ids"] | None = None,
    ) -> NewChatItemsResponse:
        """Send messages to a chat."""
        answer: NewChatItemsResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/messages",
            {"scope": scope, "wait": wait, "timeout": timeout, "fields": fields},
            body,
        )
        return answer

    async def delete_messages(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
        item_ids: list[int],
        mode: Literal["broadcast", "internal", "internalMark", "history"] | None = None,
    ) -> ChatItemsDeletedResponse:
        """Delete a message or several, for oneself or for both sides."""
        answer: ChatItemsDeletedResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/messages",
            {"scope": scope, "itemIds": item_ids, "mode": mode},
        )
        return answer

    async def get_message_trace(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        item_id: int,
        *,
        scope: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> MessageTraceResponse:
        """The life of a message: its steps, with their times."""
        answer: MessageTraceResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/messages/{_part(item_id)}/trace",
            {"scope": scope, "limit": limit, "cursor": cursor},
        )
        return answer

    async def change_reaction(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        item_id: int,
        body: ChangeReactionRequest,
        *,
        scope: str | None = None,
    ) -> ChatItemReactionResponse:
        """React to an item, or take the reaction back."""
        answer: ChatItemReactionResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/messages/{_part(item_id)}/reactions",
            {"scope": scope},
            body,
        )
        return answer

    async def plan_forward(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: PlanForwardRequest,
        *,
        scope: str | None = None,
    ) -> ForwardPlanResponse:
        """Check which items can be forwarded."""
        answer: ForwardPlanResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/forward-plan",
            {"scope": scope},
            body,
        )
        return answer

    async def forward_messages(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: ForwardMessagesRequest,
        *,
        scope: str | None = None,
    ) -> NewChatItemsResponse:
        """Forward items to a chat."""
        answer: NewChatItemsResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/forwards",
            {"scope": scope},
            body,
        )
        return answer

    async def mark_chat_read(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        scope: str | None = None,
    ) -> MarkChatReadResponse:
        """Mark all items of a chat as read."""
        answer: MarkChatReadResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/read",
            {"scope": scope},
        )
        return answer

    async def mark_messages_read(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: MarkMessagesReadRequest,
        *,
        scope: str | None = None,
    ) -> ItemsReadForChatResponse:
        """Mark some items of a chat as read."""
        answer: ItemsReadForChatResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/messages/read",
            {"scope": scope},
            body,
        )
        return answer

    async def create_channel_card(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: CreateChannelCardRequest,
        *,
        scope: str | None = None,
    ) -> ChatMsgContentResponse:
        """Get message content for a card of a channel."""
        answer: ChatMsgContentResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/share",
            {"scope": scope},
            body,
        )
        return answer

    async def create_address_card(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: CreateAddressCardRequest | None = None,
        *,
        scope: str | None = None,
    ) -> ChatMsgContentResponse:
        """Create a message content that shows the user's address to this contact."""
        answer: ChatMsgContentResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/chats/{_part(chat_type)}/{_part(chat_id)}/share-address",
            {"scope": scope},
            body,
        )
        return answer

    async def moderate_messages(
        self,
        user_id: int,
        group_id: int,
        body: ModerateMessagesRequest,
    ) -> ChatItemsDeletedResponse:
        """Delete messages of other members for everybody."""
        answer: ChatItemsDeletedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/moderations",
            {},
            body,
        )
        return answer

    async def report_message(
        self,
        user_id: int,
        group_id: int,
        item_id: int,
        body: ReportMessageRequest,
    ) -> NewChatItemsResponse:
        """Report a message to the moderators of its group."""
        answer: NewChatItemsResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/messages/{_part(item_id)}/reports",
            {},
            body,
        )
        return answer

    async def archive_reports(self, user_id: int, group_id: int) -> GroupChatItemsDeletedResponse:
        """Mark all received reports of a group as handled."""
        answer: GroupChatItemsDeletedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/reports/archive",
            {},
        )
        return answer

    async def delete_reports(
        self,
        user_id: int,
        group_id: int,
        *,
        item_ids: list[int],
        mode: Literal["broadcast", "internal", "internalMark", "history"] | None = None,
    ) -> ChatItemsDeletedResponse:
        """Delete received reports, for oneself or for all moderators."""
        answer: ChatItemsDeletedResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/reports",
            {"itemIds": item_ids, "mode": mode},
        )
        return answer

    async def list_reaction_members(
        self,
        user_id: int,
        group_id: int,
        item_id: int,
        *,
        emoji: str,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ReactionMembersResponse:
        """The members who reacted to an item with an emoji."""
        answer: ReactionMembersResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/messages/{_part(item_id)}/reactions",
            {"emoji": emoji, "limit": limit, "cursor": cursor},
        )
        return answer

    async def read_link_preview(self, user_id: int, body: ReadLinkPreviewRequest) -> ReadLinkPreviewResponse:
        """Read a linked page for its preview card."""
        answer: ReadLinkPreviewResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/link-preview", {}, body)
        return answer

    async def get_model(self, user_id: int, *, limit: int | None = None) -> ModelSnapshot:
        """The state of a profile, as an app keeps it in memory."""
        answer: ModelSnapshot = await self._call("GET", f"/v1/users/{_part(user_id)}/model", {"limit": limit})
        return answer

    async def list_model_chats(
        self,
        user_id: int,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ModelChatPage:
        """A page of the chat list of a state."""
        answer: ModelChatPage = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/model/chats",
            {"cursor": cursor, "limit": limit},
        )
        return answer

    async def list_model_changes(
        self,
        user_id: int,
        *,
        cursor: str | None = None,
        timeout: int | None = None,
        limit: int | None = None,
    ) -> ModelChangePage:
        """Get changes of the state after a cursor, as JSON Patches (RFC 6902), in one page or as a stream."""
        answer: ModelChangePage = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/model/changes",
            {"cursor": cursor, "timeout": timeout, "limit": limit},
        )
        return answer

    async def get_draft(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
    ) -> ComposeState:
        """The draft of a message in a chat."""
        answer: ComposeState = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/model/drafts/{_part(chat_type)}/{_part(chat_id)}",
            {},
        )
        return answer

    async def set_draft(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        body: ComposeState,
        *,
        if_match: str | None = None,
    ) -> None:
        """Store a draft of a message, for all clients of the profile."""
        await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/model/drafts/{_part(chat_type)}/{_part(chat_id)}",
            {},
            body,
            {"If-Match": if_match},
        )

    async def delete_draft(
        self,
        user_id: int,
        chat_type: Literal["direct", "group", "local", "contactConnection"],
        chat_id: int,
        *,
        if_match: str | None = None,
    ) -> None:
        """Delete a draft."""
        await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/model/drafts/{_part(chat_type)}/{_part(chat_id)}",
            {},
            None,
            {"If-Match": if_match},
        )

    async def list_sessions(
        self,
        user_id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListSessionsResponse:
        """The sessions of the profile, the oldest first."""
        answer: ListSessionsResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/sessions",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def open_session(self, user_id: int) -> SessionSnapshot:
        """Create a session: the view of one client."""
        answer: SessionSnapshot = await self._call("POST", f"/v1/users/{_part(user_id)}/sessions", {})
        return answer

    async def get_session(self, user_id: int, session_id: str) -> SessionSnapshot:
        """A session: the view of one client, with its open chat and the loaded items."""
        answer: SessionSnapshot = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}",
            {},
        )
        return answer

    async def close_session(self, user_id: int, session_id: str) -> None:
        """End the session."""
        await self._call("DELETE", f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}", {})

    async def list_session_changes(
        self,
        user_id: int,
        session_id: str,
        *,
        cursor: str | None = None,
        timeout: int | None = None,
        limit: int | None = None,
    ) -> ModelChangePage:
        """Get changes of the session after a cursor, as JSON Patches, in one page or as a stream."""
        answer: ModelChangePage = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/changes",
            {"cursor": cursor, "timeout": timeout, "limit": limit},
        )
        return answer

    async def open_session_chat(self, user_id: int, session_id: str, body: OpenSessionChatRequest) -> SessionSnapshot:
        """Open a chat at its last items, or around one item."""
        answer: SessionSnapshot = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/chat",
            {},
            body,
        )
        return answer

    async def close_session_chat(self, user_id: int, session_id: str) -> SessionSnapshot:
        """Close the open chat."""
        answer: SessionSnapshot = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/chat",
            {},
        )
        return answer

    async def open_secondary_list(
        self,
        user_id: int,
        session_id: str,
        body: OpenSecondaryListRequest,
    ) -> SessionSnapshot:
        """Open a second list of items of the open chat: a conversation with members in a group, or one kind of content."""
        answer: SessionSnapshot = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/secondary",
            {},
            body,
        )
        return answer

    async def close_secondary_list(self, user_id: int, session_id: str) -> SessionSnapshot:
        """Close the second list."""
        answer: SessionSnapshot = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/secondary",
            {},
        )
        return answer

    async def load_session_messages(
        self,
        user_id: int,
        session_id: str,
        body: LoadSessionMessagesRequest | None = None,
    ) -> SessionSnapshot:
        """Load another page into the session; without a position, the last page."""
        answer: SessionSnapshot = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/messages",
            {},
            body,
        )
        return answer

    async def load_session_members(self, user_id: int, session_id: str) -> SessionSnapshot:
        """Load the members of the open group into the session."""
        answer: SessionSnapshot = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/members",
            {},
        )
        return answer

    async def set_session_filter(self, user_id: int, session_id: str, body: ActiveFilter) -> SessionSnapshot:
        """Set the filter of the chat list in this session."""
        answer: SessionSnapshot = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/filter",
            {},
            body,
        )
        return answer

    async def delete_session_filter(self, user_id: int, session_id: str) -> SessionSnapshot:
        """Remove the filter, so that all chats are shown."""
        answer: SessionSnapshot = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/sessions/{_part(session_id)}/filter",
            {},
        )
        return answer

    async def send_alertmanager_notice(
        self,
        body: AlertmanagerNotice,
        *,
        chat: str | None = None,
        user_id: int | None = None,
    ) -> SentNotice:
        """Send alerts of Alertmanager to a chat."""
        answer: SentNotice = await self._call(
            "POST",
            "/v1/receive/alertmanager",
            {"chat": chat, "userId": user_id},
            body,
        )
        return answer

    async def send_grafana_notice(
        self,
        body: GrafanaNotice,
        *,
        chat: str | None = None,
        user_id: int | None = None,
    ) -> SentNotice:
        """Send alerts of Grafana to a chat."""
        answer: SentNotice = await self._call("POST", "/v1/receive/grafana", {"chat": chat, "userId": user_id}, body)
        return answer

    async def send_ntfy_notice(
        self,
        body: NtfyNotice,
        *,
        chat: str | None = None,
        user_id: int | None = None,
    ) -> SentNotice:
        """Send a message of a program for ntfy to a chat."""
        answer: SentNotice = await self._call("POST", "/v1/receive/ntfy", {"chat": chat, "userId": user_id}, body)
        return answer

    async def send_gotify_notice(
        self,
        body: GotifyNotice,
        *,
        chat: str | None = None,
        user_id: int | None = None,
    ) -> SentNotice:
        """Send a message of a program for Gotify to a chat."""
        answer: SentNotice = await self._call("POST", "/v1/receive/gotify", {"chat": chat, "userId": user_id}, body)
        return answer

    async def send_gotify_message(
        self,
        body: GotifyNotice,
        *,
        chat: str | None = None,
        user_id: int | None = None,
    ) -> SentNotice:
        """Send a message of a program for Gotify to a chat."""
        answer: SentNotice = await self._call(
            "POST",
            "/v1/receive/gotify/message",
            {"chat": chat, "userId": user_id},
            body,
        )
        return answer

    async def get_open_api(self) -> dict[str, Any]:
        """This contract."""
        answer: dict[str, Any] = await self._call("GET", "/openapi.json", {})
        return answer

    async def get_typed_open_api(self) -> dict[str, Any]:
        """The same contract in the form of OpenAPI 3.2, with the types of entries in streams and of unknown cases."""
        answer: dict[str, Any] = await self._call("GET", "/openapi-3.2.json", {})
        return answer

    async def get_async_api(self) -> dict[str, Any]:
        """The streams of this contract, in the format of AsyncAPI."""
        answer: dict[str, Any] = await self._call("GET", "/asyncapi.json", {})
        return answer

    async def get_web_client_file(self, version: str, file: str) -> dict[str, Any]:
        """A module, style or picture of the web client."""
        answer: dict[str, Any] = await self._call("GET", f"/app/{_part(version)}/{_part(file)}", {})
        return answer

    async def create_backup(
        self,
        body: CreateBackupRequest,
        *,
        prefer: str | None = None,
    ) -> CreateBackupResponse | LongOperation:
        """Copy the whole data folder, or one store, while everything runs."""
        answer: CreateBackupResponse | LongOperation = await self._call(
            "POST",
            "/v1/backup",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def get_index(self) -> GetIndexResponse:
        """The versions, the limits and the entrances of the gateway."""
        answer: GetIndexResponse = await self._call("GET", "/v1", {})
        return answer

    async def set_device_name(self, body: SetDeviceNameRequest) -> CmdOkResponse:
        """Set the name that other devices show for this one."""
        answer: CmdOkResponse = await self._call("PUT", "/v1/remote-control/device-name", {}, body)
        return answer

    async def connect_controller(self, body: ConnectControllerRequest) -> RemoteCtrlConnectingResponse:
        """Connect to a desktop by its link."""
        answer: RemoteCtrlConnectingResponse = await self._call("POST", "/v1/remote-control/connect", {}, body)
        return answer

    async def find_controller(self) -> CmdOkResponse:
        """Look for a known desktop in the local network."""
        answer: CmdOkResponse = await self._call("POST", "/v1/remote-control/find", {})
        return answer

    async def list_controllers(self) -> RemoteCtrlListResponse:
        """The known desktops, and the state of the session with one of them."""
        answer: RemoteCtrlListResponse = await self._call("GET", "/v1/remote-control/controllers", {})
        return answer

    async def delete_controller(self, remote_ctrl_id: int) -> CmdOkResponse:
        """Forget a desktop."""
        answer: CmdOkResponse = await self._call(
            "DELETE",
            f"/v1/remote-control/controllers/{_part(remote_ctrl_id)}",
            {},
        )
        return answer

    async def confirm_controller(self, remote_ctrl_id: int) -> RemoteCtrlConnectingResponse:
        """Connect to the desktop that was found."""
        answer: RemoteCtrlConnectingResponse = await self._call(
            "POST",
            f"/v1/remote-control/controllers/{_part(remote_ctrl_id)}/confirm",
            {},
        )
        return answer

    async def verify_controller_session(self, body: VerifyControllerSessionRequest) -> RemoteCtrlConnectedResponse:
        """Confirm that both devices show the same code, which begins the session."""
        answer: RemoteCtrlConnectedResponse = await self._call("POST", "/v1/remote-control/session/verify", {}, body)
        return answer

    async def get_controller_session(self) -> RemoteCtrlSessionStatus:
        """The state of the session with a desktop, and the reason why the last session ended."""
        answer: RemoteCtrlSessionStatus = await self._call("GET", "/v1/remote-control/session", {})
        return answer

    async def stop_controller_session(self) -> CmdOkResponse:
        """End the session with a desktop, or stop connecting or searching."""
        answer: CmdOkResponse = await self._call("DELETE", "/v1/remote-control/session", {})
        return answer

    async def list_remote_hosts(self, *, limit: int | None = None, cursor: str | None = None) -> RemoteHostListResponse:
        """The known phones, and the states of their sessions."""
        answer: RemoteHostListResponse = await self._call("GET", "/v1/remote-hosts", {"limit": limit, "cursor": cursor})
        return answer

    async def start_remote_host_session(
        self,
        body: StartRemoteHostSessionRequest | None = None,
    ) -> RemoteHostStartedResponse:
        """Offer a session to a phone."""
        answer: RemoteHostStartedResponse = await self._call("POST", "/v1/remote-hosts", {}, body)
        return answer

    async def delete_remote_host(self, remote_host_id: int) -> CmdOkResponse:
        """Forget a phone, and delete its files on this machine."""
        answer: CmdOkResponse = await self._call("DELETE", f"/v1/remote-hosts/{_part(remote_host_id)}", {})
        return answer

    async def get_remote_host_session(self, remote_host_id: str) -> RemoteHostSessionStatus:
        """The state of the session with a phone, and the reason why the last session ended."""
        answer: RemoteHostSessionStatus = await self._call(
            "GET",
            f"/v1/remote-hosts/{_part(remote_host_id)}/session",
            {},
        )
        return answer

    async def stop_remote_host_session(self, remote_host_id: str) -> CmdOkResponse:
        """End the session with a phone, or withdraw an offered session."""
        answer: CmdOkResponse = await self._call("DELETE", f"/v1/remote-hosts/{_part(remote_host_id)}/session", {})
        return answer

    async def store_remote_host_file(
        self,
        remote_host_id: int,
        body: StoreRemoteHostFileRequest,
    ) -> RemoteFileStoredResponse:
        """Send a file to a phone, for a message there."""
        answer: RemoteFileStoredResponse = await self._call(
            "POST",
            f"/v1/remote-hosts/{_part(remote_host_id)}/stored-files",
            {},
            body,
        )
        return answer

    async def fetch_remote_host_file(self, remote_host_id: int, body: FetchRemoteHostFileRequest) -> CmdOkResponse:
        """Fetch a file of a phone's message into the folder for the phone."""
        answer: CmdOkResponse = await self._call(
            "POST",
            f"/v1/remote-hosts/{_part(remote_host_id)}/fetched-files",
            {},
            body,
        )
        return answer

    async def list_scheduled_messages(
        self,
        user_id: int,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListScheduledMessagesResponse:
        """Scheduled messages of a profile, the newest first."""
        answer: ListScheduledMessagesResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/scheduled-messages",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def schedule_messages(self, user_id: int, body: ScheduleMessagesRequest) -> ScheduledMessage:
        """Send messages to a chat at a time, or when it is connected."""
        answer: ScheduledMessage = await self._call("POST", f"/v1/users/{_part(user_id)}/scheduled-messages", {}, body)
        return answer

    async def get_scheduled_message(self, user_id: int, scheduled_id: int) -> ScheduledMessage:
        """A scheduled message, with its state or its result."""
        answer: ScheduledMessage = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/scheduled-messages/{_part(scheduled_id)}",
            {},
        )
        return answer

    async def update_scheduled_message(
        self,
        user_id: int,
        scheduled_id: int,
        body: UpdateScheduledMessageRequest,
        *,
        if_match: str | None = None,
    ) -> ScheduledMessage:
        """Change a message that waits, by a merge patch."""
        answer: ScheduledMessage = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}/scheduled-messages/{_part(scheduled_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def cancel_scheduled_message(self, user_id: int, scheduled_id: int) -> None:
        """Cancel a scheduled message."""
        await self._call("DELETE", f"/v1/users/{_part(user_id)}/scheduled-messages/{_part(scheduled_id)}", {})

    async def get_contact_code(self, user_id: int, contact_id: int) -> ContactCodeResponse:
        """The security code of a contact: equal on both sides unless the connection is intercepted."""
        answer: ContactCodeResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/code",
            {},
        )
        return answer

    async def verify_contact(
        self,
        user_id: int,
        contact_id: int,
        body: VerifyContactRequest | None = None,
    ) -> ConnectionVerifiedResponse:
        """Compare the code that the contact sees."""
        answer: ConnectionVerifiedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/verify",
            {},
            body,
        )
        return answer

    async def sync_contact_encryption(
        self,
        user_id: int,
        contact_id: int,
        body: SyncContactEncryptionRequest | None = None,
    ) -> ContactRatchetSyncStartedResponse:
        """Renegotiate the encryption with a contact when messages do not decrypt; with `force`, in any case."""
        answer: ContactRatchetSyncStartedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/sync",
            {},
            body,
        )
        return answer

    async def switch_contact_queue(self, user_id: int, contact_id: int) -> ContactSwitchStartedResponse:
        """Receive from a contact over a new queue, at another relay if there is one."""
        answer: ContactSwitchStartedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/switch",
            {},
        )
        return answer

    async def abort_contact_queue_switch(self, user_id: int, contact_id: int) -> ContactSwitchAbortedResponse:
        """Stop the change, and keep the old queue."""
        answer: ContactSwitchAbortedResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/contacts/{_part(contact_id)}/switch",
            {},
        )
        return answer

    async def get_member_code(self, user_id: int, group_id: int, group_member_id: int) -> GroupMemberCodeResponse:
        """The security code of a member: equal on both sides unless the connection is intercepted."""
        answer: GroupMemberCodeResponse = await self._call(
            "GET",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/code",
            {},
        )
        return answer

    async def verify_member(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
        body: VerifyMemberRequest | None = None,
    ) -> ConnectionVerifiedResponse:
        """Compare the code that the member sees."""
        answer: ConnectionVerifiedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/verify",
            {},
            body,
        )
        return answer

    async def sync_member_encryption(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
        body: SyncMemberEncryptionRequest | None = None,
    ) -> GroupMemberRatchetSyncStartedResponse:
        """Renegotiate the encryption with a member when messages do not decrypt; with `force`, in any case."""
        answer: GroupMemberRatchetSyncStartedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/sync",
            {},
            body,
        )
        return answer

    async def switch_member_queue(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
    ) -> GroupMemberSwitchStartedResponse:
        """Receive from a member over a new queue, at another relay if there is one."""
        answer: GroupMemberSwitchStartedResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/switch",
            {},
        )
        return answer

    async def abort_member_queue_switch(
        self,
        user_id: int,
        group_id: int,
        group_member_id: int,
    ) -> GroupMemberSwitchAbortedResponse:
        """Stop the change, and keep the old queue."""
        answer: GroupMemberSwitchAbortedResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}/groups/{_part(group_id)}/members/{_part(group_member_id)}/switch",
            {},
        )
        return answer

    async def list_server_operators(self) -> ServerOperatorConditionsResponse:
        """Get the operators of servers, and the accepted conditions of use."""
        answer: ServerOperatorConditionsResponse = await self._call("GET", "/v1/server-operators", {})
        return answer

    async def set_server_operators(
        self,
        body: SetServerOperatorsRequest,
        *,
        if_match: str | None = None,
    ) -> ServerOperatorConditionsResponse:
        """Enable or disable operators, and set the uses of their servers."""
        answer: ServerOperatorConditionsResponse = await self._call(
            "PUT",
            "/v1/server-operators",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def list_servers(self, user_id: int) -> UserServersResponse:
        """Get a profile's servers by operator."""
        answer: UserServersResponse = await self._call("GET", f"/v1/users/{_part(user_id)}/servers", {})
        return answer

    async def set_servers(self, user_id: int, body: SetServersRequest, *, if_match: str | None = None) -> CmdOkResponse:
        """Set a profile's servers."""
        answer: CmdOkResponse = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/servers",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def validate_servers(self, user_id: int, body: ValidateServersRequest) -> UserServersValidationResponse:
        """Validate a list of servers without setting it."""
        answer: UserServersValidationResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/servers/validate",
            {},
            body,
        )
        return answer

    async def get_usage_conditions(self) -> UsageConditionsResponse:
        """Get the current conditions of the preset operators, and the conditions that were accepted last."""
        answer: UsageConditionsResponse = await self._call("GET", "/v1/usage-conditions", {})
        return answer

    async def accept_usage_conditions(
        self,
        conditions_id: int,
        body: AcceptUsageConditionsRequest,
    ) -> ServerOperatorConditionsResponse:
        """Accept conditions for some operators."""
        answer: ServerOperatorConditionsResponse = await self._call(
            "POST",
            f"/v1/usage-conditions/{_part(conditions_id)}/accept",
            {},
            body,
        )
        return answer

    async def mark_usage_conditions_shown(self, conditions_id: int) -> CmdOkResponse:
        """Remember that conditions were shown."""
        answer: CmdOkResponse = await self._call("POST", f"/v1/usage-conditions/{_part(conditions_id)}/notified", {})
        return answer

    async def test_server(self, user_id: int, body: TestServerRequest) -> ServerTestResultResponse:
        """Test a server by using it."""
        answer: ServerTestResultResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/servers/test",
            {},
            body,
        )
        return answer

    async def test_chat_relay(self, user_id: int, body: TestChatRelayRequest) -> ChatRelayTestResultResponse:
        """Test a chat relay by its address."""
        answer: ChatRelayTestResultResponse = await self._call(
            "POST",
            f"/v1/users/{_part(user_id)}/relays/test",
            {},
            body,
        )
        return answer

    async def get_app_settings(self, *, settings: str | None = None) -> AppSettingsResponse:
        """Get the settings of an app: stored values, and defaults for the others."""
        answer: AppSettingsResponse = await self._call("GET", "/v1/settings/app", {"settings": settings})
        return answer

    async def set_app_settings(self, body: AppSettings, *, if_match: str | None = None) -> CmdOkResponse:
        """Store the settings of an app."""
        answer: CmdOkResponse = await self._call("PUT", "/v1/settings/app", {}, body, {"If-Match": if_match})
        return answer

    async def get_user_ttl(self, user_id: int) -> ChatItemTTLResponse:
        """Get the number of seconds for which items are kept; 0 keeps them forever."""
        answer: ChatItemTTLResponse = await self._call("GET", f"/v1/users/{_part(user_id)}/ttl", {})
        return answer

    async def set_contact_merge(self, body: SetContactMergeRequest) -> CmdOkResponse:
        """Set whether contacts that prove to be the same person are merged."""
        answer: CmdOkResponse = await self._call("PUT", "/v1/settings/contact-merge", {}, body)
        return answer

    async def get_network_settings(self) -> NetworkConfigResponse:
        """The network settings."""
        answer: NetworkConfigResponse = await self._call("GET", "/v1/settings/network", {})
        return answer

    async def update_network_settings(
        self,
        body: UpdateNetworkSettingsRequest,
        *,
        if_match: str | None = None,
    ) -> NetworkConfigResponse:
        """Change the network settings by a merge patch."""
        answer: NetworkConfigResponse = await self._call(
            "PATCH",
            "/v1/settings/network",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def reconnect_servers(self) -> CmdOkResponse:
        """Replace all sessions with relays."""
        answer: CmdOkResponse = await self._call("POST", "/v1/servers/reconnect", {})
        return answer

    async def reconnect_server(self, user_id: int, body: ReconnectServerRequest) -> CmdOkResponse:
        """Replace the sessions of a user with one relay."""
        answer: CmdOkResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/servers/reconnect", {}, body)
        return answer

    async def restore_store(self, body: RestoreStoreRequest, *, prefer: str | None = None) -> Store | LongOperation:
        """Restore a store from its copy, while everything runs."""
        answer: Store | LongOperation = await self._call("POST", "/v1/restore", {}, body, {"Prefer": prefer})
        return answer

    async def list_stores(self, *, limit: int | None = None, cursor: str | None = None) -> ListStoresResponse:
        """All stores."""
        answer: ListStoresResponse = await self._call("GET", "/v1/stores", {"limit": limit, "cursor": cursor})
        return answer

    async def create_store(self, body: CreateStoreRequest) -> CreateStoreResponse:
        """Make a store, and the key of its administrator."""
        answer: CreateStoreResponse = await self._call("POST", "/v1/stores", {}, body)
        return answer

    async def get_store(self, store_id: str) -> Store:
        """One store."""
        answer: Store = await self._call("GET", f"/v1/stores/{_part(store_id)}", {})
        return answer

    async def delete_store(self, store_id: str) -> None:
        """Delete a store with all its data."""
        await self._call("DELETE", f"/v1/stores/{_part(store_id)}", {})

    async def lock_store(self, store_id: str) -> Store:
        """Lock a store."""
        answer: Store = await self._call("POST", f"/v1/stores/{_part(store_id)}/lock", {})
        return answer

    async def move_store(
        self,
        store_id: str,
        body: MoveStoreRequest,
        *,
        prefer: str | None = None,
    ) -> Store | LongOperation:
        """Move a store to another node."""
        answer: Store | LongOperation = await self._call(
            "POST",
            f"/v1/stores/{_part(store_id)}/move",
            {},
            body,
            {"Prefer": prefer},
        )
        return answer

    async def list_nodes(self, *, limit: int | None = None, cursor: str | None = None) -> ListNodesResponse:
        """The running nodes that share the stores."""
        answer: ListNodesResponse = await self._call("GET", "/v1/nodes", {"limit": limit, "cursor": cursor})
        return answer

    async def rebalance_node(self, node: str, body: RebalanceNodeRequest | None = None) -> RebalanceNodeResponse:
        """Move open stores of a node to other nodes, for example all before its restart."""
        answer: RebalanceNodeResponse = await self._call("POST", f"/v1/nodes/{_part(node)}/rebalance", {}, body)
        return answer

    async def get_store_limits(self, store_id: str) -> StoreLimits:
        """The limits of a store, and the amounts that it holds."""
        answer: StoreLimits = await self._call("GET", f"/v1/stores/{_part(store_id)}/limits", {})
        return answer

    async def set_store_limits(
        self,
        store_id: str,
        body: SetStoreLimitsRequest,
        *,
        if_match: str | None = None,
    ) -> StoreLimits:
        """Set the limits of a store."""
        answer: StoreLimits = await self._call(
            "PUT",
            f"/v1/stores/{_part(store_id)}/limits",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def unlock_store(self, store_id: str, body: UnlockStoreRequest | None = None) -> Store:
        """Unlock a store."""
        answer: Store = await self._call("POST", f"/v1/stores/{_part(store_id)}/unlock", {}, body)
        return answer

    async def set_app_password(self, store_id: str, body: SetAppPasswordRequest) -> None:
        """Set or change the app password of an unlocked store."""
        await self._call("PUT", f"/v1/stores/{_part(store_id)}/app-password", {}, body)

    async def delete_app_password(self, store_id: str, *, current_password: str) -> None:
        """Remove the app password, and the self-destruct password with it."""
        await self._call(
            "DELETE",
            f"/v1/stores/{_part(store_id)}/app-password",
            {},
            None,
            {"Current-Password": current_password},
        )

    async def set_self_destruct_password(self, store_id: str, body: SetSelfDestructPasswordRequest) -> None:
        """Set or change the self-destruct password of an unlocked store."""
        await self._call("PUT", f"/v1/stores/{_part(store_id)}/self-destruct-password", {}, body)

    async def delete_self_destruct_password(self, store_id: str, *, current_password: str) -> None:
        """Remove the self-destruct password."""
        await self._call(
            "DELETE",
            f"/v1/stores/{_part(store_id)}/self-destruct-password",
            {},
            None,
            {"Current-Password": current_password},
        )

    async def list_tags(self, user_id: int) -> ChatTagsResponse:
        """The tags of a profile, in the order of the user."""
        answer: ChatTagsResponse = await self._call("GET", f"/v1/users/{_part(user_id)}/tags", {})
        return answer

    async def create_tag(self, user_id: int, body: CreateTagRequest) -> ChatTagsResponse:
        """Create a tag."""
        answer: ChatTagsResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/tags", {}, body)
        return answer

    async def set_tag_order(self, user_id: int, body: SetTagOrderRequest) -> CmdOkResponse:
        """Change the order of tags."""
        answer: CmdOkResponse = await self._call("PUT", f"/v1/users/{_part(user_id)}/tags/order", {}, body)
        return answer

    async def set_tag(self, user_id: int, tag_id: int, body: SetTagRequest) -> CmdOkResponse:
        """Replace the text and the emoji of a tag."""
        answer: CmdOkResponse = await self._call("PUT", f"/v1/users/{_part(user_id)}/tags/{_part(tag_id)}", {}, body)
        return answer

    async def delete_tag(self, user_id: int, tag_id: int) -> CmdOkResponse:
        """Delete a tag, and remove it from its chats."""
        answer: CmdOkResponse = await self._call("DELETE", f"/v1/users/{_part(user_id)}/tags/{_part(tag_id)}", {})
        return answer

    async def get_upload(self, user_id: int, upload_id: str) -> FileUpload:
        """Get the progress of an upload; also with HEAD."""
        answer: FileUpload = await self._call("GET", f"/v1/users/{_part(user_id)}/uploads/{_part(upload_id)}", {})
        return answer

    async def cancel_upload(self, user_id: int, upload_id: str) -> None:
        """Delete an incomplete upload."""
        await self._call("DELETE", f"/v1/users/{_part(user_id)}/uploads/{_part(upload_id)}", {})

    async def get_active_user(self) -> ActiveUserResponse:
        """The active user (profile)."""
        answer: ActiveUserResponse = await self._call("GET", "/v1/users/active", {})
        return answer

    async def activate_hidden_user(self, body: ActivateHiddenUserRequest) -> ActiveUserResponse:
        """Make the hidden user (profile) with this password the active one."""
        answer: ActiveUserResponse = await self._call("PUT", "/v1/users/active", {}, body)
        return answer

    async def list_users(self, *, limit: int | None = None, cursor: str | None = None) -> UsersListResponse:
        """The visible users (profiles), with unread counts."""
        answer: UsersListResponse = await self._call("GET", "/v1/users", {"limit": limit, "cursor": cursor})
        return answer

    async def create_user(self, body: CreateUserRequest) -> ActiveUserResponse:
        """Create a user (profile), and make it the active one unless `activate` is false."""
        answer: ActiveUserResponse = await self._call("POST", "/v1/users", {}, body)
        return answer

    async def activate_user(self, user_id: int, body: ActivateUserRequest | None = None) -> ActiveUserResponse:
        """Make a user (profile) the active one."""
        answer: ActiveUserResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/activate", {}, body)
        return answer

    async def hide_user(self, user_id: int, body: HideUserRequest) -> UserPrivacyResponse:
        """Hide a profile with a password."""
        answer: UserPrivacyResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/hide", {}, body)
        return answer

    async def unhide_user(self, user_id: int, body: UnhideUserRequest) -> UserPrivacyResponse:
        """Show a hidden user (profile) again."""
        answer: UserPrivacyResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/unhide", {}, body)
        return answer

    async def get_user(self, user_id: int) -> GetUserResponse:
        """One user (profile)."""
        answer: GetUserResponse = await self._call("GET", f"/v1/users/{_part(user_id)}", {})
        return answer

    async def update_user(
        self,
        user_id: int,
        body: UpdateUserRequest,
        *,
        if_match: str | None = None,
    ) -> GetUserResponse:
        """Change a user (profile) by a merge patch."""
        answer: GetUserResponse = await self._call(
            "PATCH",
            f"/v1/users/{_part(user_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def delete_user(
        self,
        user_id: int,
        *,
        del_smp_queues: bool | None = None,
        current_password: str | None = None,
    ) -> CmdOkResponse:
        """Delete a user (profile) with all its chats."""
        answer: CmdOkResponse = await self._call(
            "DELETE",
            f"/v1/users/{_part(user_id)}",
            {"delSMPQueues": del_smp_queues},
            None,
            {"Current-Password": current_password},
        )
        return answer

    async def set_user_profile(
        self,
        user_id: int,
        body: SetUserProfileRequest,
        *,
        if_match: str | None = None,
    ) -> SetUserProfileResponse:
        """Replace the user's profile, and send the new profile to contacts."""
        answer: SetUserProfileResponse = await self._call(
            "PUT",
            f"/v1/users/{_part(user_id)}/profile",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def set_user_badge(self, user_id: int, body: SetUserBadgeRequest) -> CmdOkResponse:
        """Set the user's badge of a supporter, and send it to contacts."""
        answer: CmdOkResponse = await self._call("PUT", f"/v1/users/{_part(user_id)}/badge", {}, body)
        return answer

    async def set_all_receipts(self, body: SetAllReceiptsRequest) -> CmdOkResponse:
        """Set whether receipts are sent, for all users."""
        answer: CmdOkResponse = await self._call("PUT", "/v1/settings/receipts", {}, body)
        return answer

    async def mark_user_read(self, user_id: int) -> CmdOkResponse:
        """Mark all chats of a user as read."""
        answer: CmdOkResponse = await self._call("POST", f"/v1/users/{_part(user_id)}/read", {})
        return answer

    async def list_push_subscriptions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListPushSubscriptionsResponse:
        """The push subscriptions of the store."""
        answer: ListPushSubscriptionsResponse = await self._call(
            "GET",
            "/v1/push-subscriptions",
            {"limit": limit, "cursor": cursor},
        )
        return answer

    async def create_push_subscription(self, body: CreatePushSubscriptionRequest) -> PushSubscription:
        """Subscribe a browser to notifications."""
        answer: PushSubscription = await self._call("POST", "/v1/push-subscriptions", {}, body)
        return answer

    async def get_push_key(self) -> GetPushKeyResponse:
        """The key with which the store identifies itself to push services (VAPID, RFC 8292)."""
        answer: GetPushKeyResponse = await self._call("GET", "/v1/push-subscriptions/key", {})
        return answer

    async def get_push_subscription(self, subscription_id: str) -> PushSubscription:
        """One push subscription."""
        answer: PushSubscription = await self._call("GET", f"/v1/push-subscriptions/{_part(subscription_id)}", {})
        return answer

    async def update_push_subscription(
        self,
        subscription_id: str,
        body: UpdatePushSubscriptionRequest,
        *,
        if_match: str | None = None,
    ) -> PushSubscription:
        """Change the notifications of a browser."""
        answer: PushSubscription = await self._call(
            "PATCH",
            f"/v1/push-subscriptions/{_part(subscription_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def delete_push_subscription(self, subscription_id: str) -> None:
        """Delete a push subscription."""
        await self._call("DELETE", f"/v1/push-subscriptions/{_part(subscription_id)}", {})

    async def test_push_subscription(self, subscription_id: str) -> WebhookDelivery:
        """Send a notification of the type `test`, once, and wait for the answer of the push service."""
        answer: WebhookDelivery = await self._call("POST", f"/v1/push-subscriptions/{_part(subscription_id)}/test", {})
        return answer

    async def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> ListWebhooksResponse:
        """The webhooks of the store, without their secrets."""
        answer: ListWebhooksResponse = await self._call("GET", "/v1/webhooks", {"limit": limit, "cursor": cursor})
        return answer

    async def create_webhook(self, body: CreateWebhookRequest) -> NewWebhook:
        """Have events posted to a URL."""
        answer: NewWebhook = await self._call("POST", "/v1/webhooks", {}, body)
        return answer

    async def get_webhook(self, webhook_id: str) -> Webhook:
        """One webhook, without its secret."""
        answer: Webhook = await self._call("GET", f"/v1/webhooks/{_part(webhook_id)}", {})
        return answer

    async def update_webhook(
        self,
        webhook_id: str,
        body: UpdateWebhookRequest,
        *,
        if_match: str | None = None,
    ) -> Webhook:
        """Change, pause or continue a webhook."""
        answer: Webhook = await self._call(
            "PATCH",
            f"/v1/webhooks/{_part(webhook_id)}",
            {},
            body,
            {"If-Match": if_match},
        )
        return answer

    async def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook."""
        await self._call("DELETE", f"/v1/webhooks/{_part(webhook_id)}", {})

    async def rotate_webhook(self, webhook_id: str, body: RotateWebhookRequest | None = None) -> NewWebhook:
        """Give a webhook a new secret."""
        answer: NewWebhook = await self._call("POST", f"/v1/webhooks/{_part(webhook_id)}/rotate", {}, body)
        return answer

    async def test_webhook(self, webhook_id: str) -> WebhookDelivery:
        """Send an event of the type `test`, once, and wait for the answer."""
        answer: WebhookDelivery = await self._call("POST", f"/v1/webhooks/{_part(webhook_id)}/test", {})
        return answer

    async def replay_webhook(self, webhook_id: str, body: ReplayWebhookRequest) -> Webhook:
        """Send events again, or continue from another place."""
        answer: Webhook = await self._call("POST", f"/v1/webhooks/{_part(webhook_id)}/replay", {}, body)
        return answer

    async def list_webhook_deliveries(
        self,
        webhook_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListWebhookDeliveriesResponse:
        """The log of attempts, the newest first."""
        answer: ListWebhookDeliveriesResponse = await self._call(
            "GET",
            f"/v1/webhooks/{_part(webhook_id)}/deliveries",
            {"limit": limit, "cursor": cursor},
        )
        return answer


# Method and path of each operation, also of those that are not methods above.
PATHS: dict[str, tuple[str, str]] = {
    "abortContactQueueSwitch": ("DELETE", "/v1/users/{userId}/contacts/{contactId}/switch"),
    "abortMemberQueueSwitch": ("DELETE", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch"),
    "acceptContactInvitation": ("POST", "/v1/users/{userId}/contacts/{contactId}/accept"),
    "acceptContactRequest": ("POST", "/v1/users/{userId}/contact-requests/{contactReqId}/accept"),
    "acceptMember": ("POST", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/accept"),
    "acceptUsageConditions": ("POST", "/v1/usage-conditions/{conditionsId}/accept"),
    "acknowledgeEvents": ("POST", "/v1/consumers/{name}/ack"),
    "activateCore": ("POST", "/v1/core/activate"),
    "activateHiddenUser": ("PUT", "/v1/users/active"),
    "activateUser": ("POST", "/v1/users/{userId}/activate"),
    "addChannelRelays": ("POST", "/v1/users/{userId}/groups/{groupId}/relays"),
    "allowChannelRelay": ("POST", "/v1/users/{userId}/groups/{groupId}/allow-relay"),
    "archiveReports": ("POST", "/v1/users/{userId}/groups/{groupId}/reports/archive"),
    "cancelBroadcast": ("POST", "/v1/users/{userId}/broadcasts/{broadcastId}/cancel"),
    "cancelFile": ("POST", "/v1/users/{userId}/files/{fileId}/cancel"),
    "cancelMigration": ("DELETE", "/v1/database/migration"),
    "cancelOperation": ("POST", "/v1/operations/{operationId}/cancel"),
    "cancelScheduledMessage": ("DELETE", "/v1/users/{userId}/scheduled-messages/{scheduledId}"),
    "cancelUpload": ("DELETE", "/v1/users/{userId}/uploads/{uploadId}"),
    "changeReaction": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}/reactions"),
    "checkDeviceToken": ("POST", "/v1/notifications/token/check"),
    "checkLiveness": ("GET", "/livez"),
    "checkReadiness": ("GET", "/readyz"),
    "clearChat": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/clear"),
    "closeSecondaryList": ("DELETE", "/v1/users/{userId}/sessions/{sessionId}/secondary"),
    "closeSession": ("DELETE", "/v1/users/{userId}/sessions/{sessionId}"),
    "closeSessionChat": ("DELETE", "/v1/users/{userId}/sessions/{sessionId}/chat"),
    "confirmController": ("POST", "/v1/remote-control/controllers/{remoteCtrlId}/confirm"),
    "connectContactByAddress": ("POST", "/v1/users/{userId}/contacts/{contactId}/connect-via-address"),
    "connectController": ("POST", "/v1/remote-control/connect"),
    "connectPreparedContact": ("POST", "/v1/users/{userId}/contacts/{contactId}/connect"),
    "continueUpload": ("PATCH", "/v1/users/{userId}/uploads/{uploadId}"),
    "createAddress": ("POST", "/v1/users/{userId}/address"),
    "createAddressCard": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/share-address"),
    "createAddressShortLink": ("POST", "/v1/users/{userId}/address/short-link"),
    "createBackup": ("POST", "/v1/backup"),
    "createBroadcast": ("POST", "/v1/users/{userId}/broadcasts"),
    "createChannel": ("POST", "/v1/users/{userId}/channels"),
    "createChannelCard": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/share"),
    "createConnection": ("POST", "/v1/users/{userId}/connections"),
    "createEventTicket": ("POST", "/v1/events/tickets"),
    "createGroup": ("POST", "/v1/users/{userId}/groups"),
    "createGroupLink": ("POST", "/v1/users/{userId}/groups/{groupId}/link"),
    "createGroupShortLink": ("POST", "/v1/users/{userId}/groups/{groupId}/link/short"),
    "createInvitation": ("POST", "/v1/users/{userId}/connections/invitations"),
    "createKey": ("POST", "/v1/keys"),
    "createMemberContact": ("POST", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/contact"),
    "createMigration": ("POST", "/v1/database/migration"),
    "createPushSubscription": ("POST", "/v1/push-subscriptions"),
    "createStore": ("POST", "/v1/stores"),
    "createTag": ("POST", "/v1/users/{userId}/tags"),
    "createUser": ("POST", "/v1/users"),
    "createWebhook": ("POST", "/v1/webhooks"),
    "deleteAddress": ("DELETE", "/v1/users/{userId}/address"),
    "deleteAppPassword": ("DELETE", "/v1/stores/{storeId}/app-password"),
    "deleteArchive": ("DELETE", "/v1/database/archives/{archiveName}"),
    "deleteChat": ("DELETE", "/v1/users/{userId}/chats/{chatType}/{chatId}"),
    "deleteChatFiles": ("DELETE", "/v1/users/{userId}/chats/{chatType}/{chatId}/files"),
    "deleteConsumer": ("DELETE", "/v1/consumers/{name}"),
    "deleteController": ("DELETE", "/v1/remote-control/controllers/{remoteCtrlId}"),
    "deleteDatabase": ("DELETE", "/v1/database"),
    "deleteDeviceToken": ("DELETE", "/v1/notifications/token"),
    "deleteDraft": ("DELETE", "/v1/users/{userId}/model/drafts/{chatType}/{chatId}"),
    "deleteFiles": ("DELETE", "/v1/database/files"),
    "deleteGroupLink": ("DELETE", "/v1/users/{userId}/groups/{groupId}/link"),
    "deleteKey": ("DELETE", "/v1/keys/{keyId}"),
    "deleteMemberSupportChat": ("DELETE", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/support-chat"),
    "deleteMessages": ("DELETE", "/v1/users/{userId}/chats/{chatType}/{chatId}/messages"),
    "deletePushSubscription": ("DELETE", "/v1/push-subscriptions/{subscriptionId}"),
    "deleteRemoteHost": ("DELETE", "/v1/remote-hosts/{remoteHostId}"),
    "deleteReports": ("DELETE", "/v1/users/{userId}/groups/{groupId}/reports"),
    "deleteSelfDestructPassword": ("DELETE", "/v1/stores/{storeId}/self-destruct-password"),
    "deleteSessionFilter": ("DELETE", "/v1/users/{userId}/sessions/{sessionId}/filter"),
    "deleteSetAsideEvent": ("DELETE", "/v1/consumers/{name}/set-aside/{eventId}"),
    "deleteSetAsideEvents": ("DELETE", "/v1/consumers/{name}/set-aside"),
    "deleteStore": ("DELETE", "/v1/stores/{storeId}"),
    "deleteTag": ("DELETE", "/v1/users/{userId}/tags/{tagId}"),
    "deleteUser": ("DELETE", "/v1/users/{userId}"),
    "deleteWebhook": ("DELETE", "/v1/webhooks/{webhookId}"),
    "downloadArchive": ("GET", "/v1/database/archives/{archiveName}"),
    "downloadFile": ("GET", "/v1/users/{userId}/files/{fileId}/content"),
    "downloadStandaloneFile": ("POST", "/v1/users/{userId}/standalone-files/downloads"),
    "downloadWallpaper": ("GET", "/v1/users/{userId}/wallpapers/{imageFile}"),
    "enableContact": ("POST", "/v1/users/{userId}/contacts/{contactId}/enable"),
    "enableMember": ("POST", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/enable"),
    "endCall": ("DELETE", "/v1/users/{userId}/contacts/{contactId}/call"),
    "exportArchive": ("POST", "/v1/database/export"),
    "fetchRemoteHostFile": ("POST", "/v1/remote-hosts/{remoteHostId}/fetched-files"),
    "findController": ("POST", "/v1/remote-control/find"),
    "findPushConnections": ("POST", "/v1/notifications/connections"),
    "finishMigration": ("POST", "/v1/database/migration/finish"),
    "followDocuments": ("GET", "/v1/changes"),
    "forwardMessages": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/forwards"),
    "getActiveUser": ("GET", "/v1/users/active"),
    "getAddress": ("GET", "/v1/users/{userId}/address"),
    "getAddressQrCode": ("GET", "/v1/users/{userId}/address/qr.svg"),
    "getAppSettings": ("GET", "/v1/settings/app"),
    "getAsyncApi": ("GET", "/asyncapi.json"),
    "getBroadcast": ("GET", "/v1/users/{userId}/broadcasts/{broadcastId}"),
    "getChat": ("GET", "/v1/users/{userId}/chats/{chatType}/{chatId}"),
    "getChatFiles": ("GET", "/v1/users/{userId}/chats/{chatType}/{chatId}/files"),
    "getConsumer": ("GET", "/v1/consumers/{name}"),
    "getContact": ("GET", "/v1/users/{userId}/contacts/{contactId}"),
    "getContactCode": ("GET", "/v1/users/{userId}/contacts/{contactId}/code"),
    "getContactQueue": ("GET", "/v1/users/{userId}/contacts/{contactId}/queue"),
    "getControllerSession": ("GET", "/v1/remote-control/session"),
    "getCoreState": ("GET", "/v1/core"),
    "getCurrentKey": ("GET", "/v1/whoami"),
    "getDeviceToken": ("GET", "/v1/notifications/token"),
    "getDocs": ("GET", "/docs"),
    "getDocsPage": ("GET", "/docs/{page}"),
    "getDraft": ("GET", "/v1/users/{userId}/model/drafts/{chatType}/{chatId}"),
    "getGroup": ("GET", "/v1/users/{userId}/groups/{groupId}"),
    "getGroupLink": ("GET", "/v1/users/{userId}/groups/{groupId}/link"),
    "getGroupLinkQrCode": ("GET", "/v1/users/{userId}/groups/{groupId}/link/qr.svg"),
    "getIndex": ("GET", "/v1"),
    "getInvitationQrCode": ("GET", "/v1/users/{userId}/connections/{connId}/qr.svg"),
    "getKey": ("GET", "/v1/keys/{keyId}"),
    "getLocks": ("GET", "/v1/diagnostics/locks"),
    "getLogLevel": ("GET", "/v1/diagnostics/log-level"),
    "getMember": ("GET", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}"),
    "getMemberCode": ("GET", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/code"),
    "getMemberQueue": ("GET", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/queue"),
    "getMessage": ("GET", "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}"),
    "getMessageTrace": ("GET", "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}/trace"),
    "getMetrics": ("GET", "/metrics"),
    "getMigration": ("GET", "/v1/database/migration"),
    "getModel": ("GET", "/v1/users/{userId}/model"),
    "getNetworkSettings": ("GET", "/v1/settings/network"),
    "getOpenApi": ("GET", "/openapi.json"),
    "getOperation": ("GET", "/v1/operations/{operationId}"),
    "getPushKey": ("GET", "/v1/push-subscriptions/key"),
    "getPushSubscription": ("GET", "/v1/push-subscriptions/{subscriptionId}"),
    "getRemoteHostQrCode": ("GET", "/v1/remote-hosts/{remoteHostId}/session/qr.svg"),
    "getRemoteHostQrImage": ("GET", "/v1/remote-hosts/{remoteHostId}/session/qr.png"),
    "getRemoteHostSession": ("GET", "/v1/remote-hosts/{remoteHostId}/session"),
    "getScheduledMessage": ("GET", "/v1/users/{userId}/scheduled-messages/{scheduledId}"),
    "getServerStatistics": ("GET", "/v1/users/{userId}/diagnostics/servers"),
    "getSession": ("GET", "/v1/users/{userId}/sessions/{sessionId}"),
    "getSlowStatements": ("GET", "/v1/diagnostics/statements"),
    "getStore": ("GET", "/v1/stores/{storeId}"),
    "getStoreLimits": ("GET", "/v1/stores/{storeId}/limits"),
    "getSubscriptionCounts": ("GET", "/v1/users/{userId}/diagnostics/subscriptions"),
    "getTypedOpenApi": ("GET", "/openapi-3.2.json"),
    "getUpload": ("GET", "/v1/users/{userId}/uploads/{uploadId}"),
    "getUsageConditions": ("GET", "/v1/usage-conditions"),
    "getUser": ("GET", "/v1/users/{userId}"),
    "getUserTtl": ("GET", "/v1/users/{userId}/ttl"),
    "getVersion": ("GET", "/v1/version"),
    "getWebClient": ("GET", "/app"),
    "getWebClientFile": ("GET", "/app/{version}/{file}"),
    "getWebClientModule": ("GET", "/app/{version}/{folder}/{file}"),
    "getWebhook": ("GET", "/v1/webhooks/{webhookId}"),
    "hideUser": ("POST", "/v1/users/{userId}/hide"),
    "importArchive": ("POST", "/v1/database/import"),
    "inviteMember": ("POST", "/v1/users/{userId}/groups/{groupId}/members"),
    "joinGroup": ("POST", "/v1/users/{userId}/groups/{groupId}/join"),
    "joinPreparedGroup": ("POST", "/v1/users/{userId}/groups/{groupId}/connect"),
    "leaveGroup": ("POST", "/v1/users/{userId}/groups/{groupId}/leave"),
    "listArchives": ("GET", "/v1/database/archives"),
    "listBroadcastResults": ("GET", "/v1/users/{userId}/broadcasts/{broadcastId}/results"),
    "listBroadcasts": ("GET", "/v1/users/{userId}/broadcasts"),
    "listCallInvitations": ("GET", "/v1/call-invitations"),
    "listChannelRelays": ("GET", "/v1/users/{userId}/groups/{groupId}/relays"),
    "listChats": ("GET", "/v1/users/{userId}/chats"),
    "listConsumers": ("GET", "/v1/consumers"),
    "listContacts": ("GET", "/v1/users/{userId}/contacts"),
    "listContentTypes": ("GET", "/v1/users/{userId}/chats/{chatType}/{chatId}/content-types"),
    "listControllers": ("GET", "/v1/remote-control/controllers"),
    "listEvents": ("GET", "/v1/events"),
    "listFileSizes": ("GET", "/v1/users/{userId}/file-sizes"),
    "listGroups": ("GET", "/v1/users/{userId}/groups"),
    "listKeys": ("GET", "/v1/keys"),
    "listMembers": ("GET", "/v1/users/{userId}/groups/{groupId}/members"),
    "listMessages": ("GET", "/v1/users/{userId}/messages"),
    "listModelChanges": ("GET", "/v1/users/{userId}/model/changes"),
    "listModelChats": ("GET", "/v1/users/{userId}/model/chats"),
    "listNetworkStatuses": ("GET", "/v1/diagnostics/network-statuses"),
    "listNodes": ("GET", "/v1/nodes"),
    "listOperations": ("GET", "/v1/operations"),
    "listPushSubscriptions": ("GET", "/v1/push-subscriptions"),
    "listReactionMembers": ("GET", "/v1/users/{userId}/groups/{groupId}/messages/{itemId}/reactions"),
    "listRemoteHosts": ("GET", "/v1/remote-hosts"),
    "listScheduledMessages": ("GET", "/v1/users/{userId}/scheduled-messages"),
    "listServerOperators": ("GET", "/v1/server-operators"),
    "listServers": ("GET", "/v1/users/{userId}/servers"),
    "listSessionChanges": ("GET", "/v1/users/{userId}/sessions/{sessionId}/changes"),
    "listSessions": ("GET", "/v1/users/{userId}/sessions"),
    "listSetAsideEvents": ("GET", "/v1/consumers/{name}/set-aside"),
    "listStores": ("GET", "/v1/stores"),
    "listTags": ("GET", "/v1/users/{userId}/tags"),
    "listUsers": ("GET", "/v1/users"),
    "listWebhookDeliveries": ("GET", "/v1/webhooks/{webhookId}/deliveries"),
    "listWebhooks": ("GET", "/v1/webhooks"),
    "listWorkers": ("GET", "/v1/diagnostics/workers"),
    "loadSessionMembers": ("POST", "/v1/users/{userId}/sessions/{sessionId}/members"),
    "loadSessionMessages": ("POST", "/v1/users/{userId}/sessions/{sessionId}/messages"),
    "lockStore": ("POST", "/v1/stores/{storeId}/lock"),
    "markChatRead": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/read"),
    "markMessagesRead": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/read"),
    "markUsageConditionsShown": ("POST", "/v1/usage-conditions/{conditionsId}/notified"),
    "markUserRead": ("POST", "/v1/users/{userId}/read"),
    "moderateMessages": ("POST", "/v1/users/{userId}/groups/{groupId}/moderations"),
    "moveStore": ("POST", "/v1/stores/{storeId}/move"),
    "openConsoleSocket": ("GET", "/"),
    "openDocumentSocket": ("GET", "/v1/changes/ws"),
    "openEventSocket": ("GET", "/v1/events/ws"),
    "openModelSocket": ("GET", "/v1/users/{userId}/model/changes/ws"),
    "openSecondaryList": ("PUT", "/v1/users/{userId}/sessions/{sessionId}/secondary"),
    "openSession": ("POST", "/v1/users/{userId}/sessions"),
    "openSessionChat": ("PUT", "/v1/users/{userId}/sessions/{sessionId}/chat"),
    "openSessionSocket": ("GET", "/v1/users/{userId}/sessions/{sessionId}/changes/ws"),
    "planConnection": ("POST", "/v1/users/{userId}/connections/plan"),
    "planForward": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/forward-plan"),
    "prepareContact": ("POST", "/v1/users/{userId}/contacts/prepared"),
    "prepareGroup": ("POST", "/v1/users/{userId}/groups/prepared"),
    "readLinkPreview": ("POST", "/v1/users/{userId}/link-preview"),
    "readStandaloneFileInfo": ("POST", "/v1/standalone-files/info"),
    "rebalanceNode": ("POST", "/v1/nodes/{node}/rebalance"),
    "receiveFile": ("POST", "/v1/users/{userId}/files/{fileId}/receive"),
    "receiveMigration": ("POST", "/v1/database/migration/receive"),
    "receivePushMessages": ("POST", "/v1/notifications/messages"),
    "reconnectServer": ("POST", "/v1/users/{userId}/servers/reconnect"),
    "reconnectServers": ("POST", "/v1/servers/reconnect"),
    "refreshGroupLinkData": ("POST", "/v1/users/{userId}/groups/{groupId}/link/refresh"),
    "refuseEvents": ("POST", "/v1/consumers/{name}/nack"),
    "rejectCall": ("POST", "/v1/users/{userId}/contacts/{contactId}/call/reject"),
    "rejectContactRequest": ("POST", "/v1/users/{userId}/contact-requests/{contactReqId}/reject"),
    "removeMembers": ("DELETE", "/v1/users/{userId}/groups/{groupId}/members"),
    "replayWebhook": ("POST", "/v1/webhooks/{webhookId}/replay"),
    "reportMessage": ("POST", "/v1/users/{userId}/groups/{groupId}/messages/{itemId}/reports"),
    "resetServerStatistics": ("DELETE", "/v1/diagnostics/servers"),
    "restoreStore": ("POST", "/v1/restore"),
    "retrySetAsideEvents": ("POST", "/v1/consumers/{name}/set-aside/retry"),
    "rotateKey": ("POST", "/v1/keys/{keyId}/rotate"),
    "rotateWebhook": ("POST", "/v1/webhooks/{webhookId}/rotate"),
    "scheduleMessages": ("POST", "/v1/users/{userId}/scheduled-messages"),
    "sendAlertmanagerNotice": ("POST", "/v1/receive/alertmanager"),
    "sendCallAnswer": ("POST", "/v1/users/{userId}/contacts/{contactId}/call/answer"),
    "sendCallCandidates": ("POST", "/v1/users/{userId}/contacts/{contactId}/call/extra"),
    "sendCallOffer": ("POST", "/v1/users/{userId}/contacts/{contactId}/call/offer"),
    "sendContactInvitation": ("POST", "/v1/users/{userId}/contacts/{contactId}/invitation"),
    "sendGotifyMessage": ("POST", "/v1/receive/gotify/message"),
    "sendGotifyNotice": ("POST", "/v1/receive/gotify"),
    "sendGrafanaNotice": ("POST", "/v1/receive/grafana"),
    "sendMessages": ("POST", "/v1/users/{userId}/chats/{chatType}/{chatId}/messages"),
    "sendNtfyNotice": ("POST", "/v1/receive/ntfy"),
    "sendNtfyText": ("POST", "/v1/receive/ntfy/{topic}"),
    "setAddressDomain": ("PUT", "/v1/users/{userId}/address/domain"),
    "setAllReceipts": ("PUT", "/v1/settings/receipts"),
    "setAppPassword": ("PUT", "/v1/stores/{storeId}/app-password"),
    "setAppSettings": ("PUT", "/v1/settings/app"),
    "setCallStatus": ("PUT", "/v1/users/{userId}/contacts/{contactId}/call/status"),
    "setConsumer": ("PUT", "/v1/consumers/{name}"),
    "setContactMerge": ("PUT", "/v1/settings/contact-merge"),
    "setDatabaseEncryption": ("PUT", "/v1/database/encryption"),
    "setDeviceName": ("PUT", "/v1/remote-control/device-name"),
    "setDeviceToken": ("PUT", "/v1/notifications/token"),
    "setDraft": ("PUT", "/v1/users/{userId}/model/drafts/{chatType}/{chatId}"),
    "setFileAutoReceive": ("PUT", "/v1/users/{userId}/files/{fileId}/auto-receive"),
    "setFilePaths": ("PUT", "/v1/core/file-paths"),
    "setLocalFileEncryption": ("PUT", "/v1/core/encrypt-local-files"),
    "setLogLevel": ("PUT", "/v1/diagnostics/log-level"),
    "setMembersBlocked": ("PUT", "/v1/users/{userId}/groups/{groupId}/members/blocked"),
    "setMembersRole": ("PUT", "/v1/users/{userId}/groups/{groupId}/members/role"),
    "setNetworkInfo": ("PUT", "/v1/settings/network-info"),
    "setSelfDestructPassword": ("PUT", "/v1/stores/{storeId}/self-destruct-password"),
    "setServerOperators": ("PUT", "/v1/server-operators"),
    "setServers": ("PUT", "/v1/users/{userId}/servers"),
    "setSessionFilter": ("PUT", "/v1/users/{userId}/sessions/{sessionId}/filter"),
    "setStoreLimits": ("PUT", "/v1/stores/{storeId}/limits"),
    "setTag": ("PUT", "/v1/users/{userId}/tags/{tagId}"),
    "setTagOrder": ("PUT", "/v1/users/{userId}/tags/order"),
    "setUserBadge": ("PUT", "/v1/users/{userId}/badge"),
    "setUserProfile": ("PUT", "/v1/users/{userId}/profile"),
    "startCall": ("POST", "/v1/users/{userId}/contacts/{contactId}/call"),
    "startCore": ("POST", "/v1/core/start"),
    "startRemoteHostSession": ("POST", "/v1/remote-hosts"),
    "stopControllerSession": ("DELETE", "/v1/remote-control/session"),
    "stopCore": ("POST", "/v1/core/stop"),
    "stopRemoteHostSession": ("DELETE", "/v1/remote-hosts/{remoteHostId}/session"),
    "storeRemoteHostFile": ("POST", "/v1/remote-hosts/{remoteHostId}/stored-files"),
    "suspendCore": ("POST", "/v1/core/suspend"),
    "switchContactQueue": ("POST", "/v1/users/{userId}/contacts/{contactId}/switch"),
    "switchMemberQueue": ("POST", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/switch"),
    "switchRemoteHost": ("PUT", "/v1/remote-hosts/current"),
    "syncContactEncryption": ("POST", "/v1/users/{userId}/contacts/{contactId}/sync"),
    "syncMemberEncryption": ("POST", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/sync"),
    "takeEvents": ("POST", "/v1/consumers/{name}/take"),
    "testChatRelay": ("POST", "/v1/users/{userId}/relays/test"),
    "testDatabaseKey": ("POST", "/v1/database/encryption/test"),
    "testPushSubscription": ("POST", "/v1/push-subscriptions/{subscriptionId}/test"),
    "testServer": ("POST", "/v1/users/{userId}/servers/test"),
    "testWebhook": ("POST", "/v1/webhooks/{webhookId}/test"),
    "unhideUser": ("POST", "/v1/users/{userId}/unhide"),
    "unlockStore": ("POST", "/v1/stores/{storeId}/unlock"),
    "updateAddress": ("PATCH", "/v1/users/{userId}/address"),
    "updateChat": ("PATCH", "/v1/users/{userId}/chats/{chatType}/{chatId}"),
    "updateConnection": ("PATCH", "/v1/users/{userId}/connections/{connId}"),
    "updateContact": ("PATCH", "/v1/users/{userId}/contacts/{contactId}"),
    "updateGroup": ("PATCH", "/v1/users/{userId}/groups/{groupId}"),
    "updateGroupLink": ("PATCH", "/v1/users/{userId}/groups/{groupId}/link"),
    "updateMember": ("PATCH", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}"),
    "updateMessage": ("PATCH", "/v1/users/{userId}/chats/{chatType}/{chatId}/messages/{itemId}"),
    "updateNetworkSettings": ("PATCH", "/v1/settings/network"),
    "updatePushSubscription": ("PATCH", "/v1/push-subscriptions/{subscriptionId}"),
    "updateScheduledMessage": ("PATCH", "/v1/users/{userId}/scheduled-messages/{scheduledId}"),
    "updateUser": ("PATCH", "/v1/users/{userId}"),
    "updateWebhook": ("PATCH", "/v1/webhooks/{webhookId}"),
    "uploadArchive": ("PUT", "/v1/database/archives/{archiveName}"),
    "uploadFile": ("POST", "/v1/users/{userId}/files"),
    "uploadStandaloneFile": ("POST", "/v1/users/{userId}/standalone-files"),
    "uploadWallpaper": ("POST", "/v1/users/{userId}/wallpapers"),
    "validateServers": ("POST", "/v1/users/{userId}/servers/validate"),
    "verifyContact": ("POST", "/v1/users/{userId}/contacts/{contactId}/verify"),
    "verifyContactDomain": ("POST", "/v1/users/{userId}/contacts/{contactId}/verify-domain"),
    "verifyControllerSession": ("POST", "/v1/remote-control/session/verify"),
    "verifyDeviceToken": ("POST", "/v1/notifications/token/verify"),
    "verifyGroupDomain": ("POST", "/v1/users/{userId}/groups/{groupId}/verify-domain"),
    "verifyMember": ("POST", "/v1/users/{userId}/groups/{groupId}/members/{groupMemberId}/verify"),
}
