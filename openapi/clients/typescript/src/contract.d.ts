// Made by deploy/typescript-types from openapi/openapi.json: change the contract.

export interface ACIReaction {
  /** The chat of the item. */
  chatInfo: ChatInfo
  /** The reaction. */
  chatReaction: CIReaction
}

export interface AChat {
  /** The other side of the chat. */
  chatInfo: ChatInfo
  /** The last items of the chat, the oldest first; in a list, the last item. */
  chatItems: ChatItem[]
  /** The unread counts. */
  chatStats: ChatStats
}

export interface AChatItem {
  /** The chat of the item. */
  chatInfo: ChatInfo
  /** The item. */
  chatItem: ChatItem
}

export interface APIKey {
  keyId: string
  name: string
  scopes: KeyScope[]
  /** The only profile that the key can reach. */
  userId?: number
  /** The only chats of the profile that the key can reach, such as `direct/4`. */
  chats?: string[]
  /** The only phone that the key can reach. */
  remoteHostId?: number
  createdAt: string
  expiresAt?: string
  /** The time until which the secret from before the last rotation stays valid; absent if it is no longer valid. */
  previousSecretExpiresAt?: string
  /** The time of the last use. If the gateway was killed, uses of the last ten minutes may be missing. */
  lastUsedAt?: string
  /**
   * The address from which the last request came: that of the client, or of a proxy in front of the gateway. For IPv6
   * it is a network, such as `2001:db8:0:1::/64`. It is kept only in memory: after a restart it is absent until the
   * next use.
   */
  lastUsedFrom?: string
}

export interface AcceptContactRequest {
  incognito?: boolean
}

export interface AcceptMemberRequest {
  memberRole: "observer" | "member" | "moderator" | "admin" | "owner"
}

export interface AcceptUsageConditionsRequest {
  operatorIds: number[]
}

/** A request to a business address is accepted, and its group is being made. */
export interface AcceptingBusinessRequestEvent {
  type: "acceptingBusinessRequest"
  user: User
  groupInfo: GroupInfo
}

/** A request for a connection is accepted, and the connection is being made. */
export interface AcceptingContactRequestEvent {
  type: "acceptingContactRequest"
  /** The profile whose event this is. */
  user: User
  /** The contact. */
  contact: Contact
}

export interface AcceptingContactRequestResponse {
  type: "acceptingContactRequest"
  /** The profile. */
  user: User
  /** The contact. */
  contact: Contact
}

/** A person who joins by the link of the group is being accepted. */
export interface AcceptingGroupJoinRequestMemberEvent {
  type: "acceptingGroupJoinRequestMember"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
}

export interface AcknowledgeEventsRequest {
  /** The `id` of each handing out, from `take`. */
  ids: string[]
}

export interface AcknowledgeEventsResponse {
  /** Number of events that this request has acknowledged. */
  acknowledged: number
  /** Number of ids whose events were acknowledged already. */
  alreadyAcknowledged: number
}

export interface ActivateCoreRequest {
  restoreChat?: boolean
}

export interface ActivateHiddenUserRequest {
  viewPwd: string
}

export interface ActivateUserRequest {
  viewPwd?: string
}

/** A call that the profile has accepted or begun. */
export interface ActiveCall {
  contact: Contact
  /** `incoming` or `outgoing`. */
  direction: string
  callState: CallStateTag
  callStatus: CICallStatus
  callType?: CallType
  peerCallType?: CallType
  /** Only for incoming calls. */
  callUUID?: string
  callTs?: string
  /** The key that encrypts the media, in base64url. */
  sharedKey?: string
  /** The user encrypts the media, but the contact does not: ask the user before accepting the offer. */
  askConfirmation: boolean
  peerSession?: WebRTCSession
}

export interface ActiveChatState {
  /** The newest item of each range that has a gap before it. */
  splits: number[]
  loadedRanges: LoadedRange[]
  unreadAfterItemId?: number
  totalAfter: number
  unreadAfter: number
  unreadTotal: number
}

export interface ActiveFilter {
  /** Only for these kinds: together with `presetTag` or `chatTag`. */
  type: "unread" | "presetTag" | "userTag"
  presetTag?: "favorites" | "contacts" | "groups" | "business" | "groupReports"
  chatTag?: {
    chatTagId: number
    chatTagText: string
    chatTagEmoji?: string | null
  }
}

export interface ActiveUserResponse {
  type: "activeUser"
  /** The active profile. */
  user: User
}

export interface AddChannelRelaysRequest {
  relayIds: number[]
}

export type AddChannelRelaysResponse = GroupRelaysAddedResponse | GroupRelaysAddFailedResponse

export interface AddRelayResult {
  relay: UserChatRelay
  relayError?: ChatError
}

export interface AddressSettings {
  /** Whether a group is made for each request, so that colleagues can join. */
  businessAddress: boolean
  /** Requests are accepted at once; absent: the user decides. */
  autoAccept?: {
    acceptIncognito: boolean
  }
  /** The message to each new contact; absent without one. */
  autoReply?: MsgContent
}

/** Connections were deleted. */
export interface AgentConnsDeletedEvent {
  type: "agentConnsDeleted"
  agentConnIds: string[]
}

export type AgentCryptoError =
  | AgentCryptoErrorDecryptAes
  | AgentCryptoErrorDecryptCb
  | AgentCryptoErrorRatchetHeader
  | AgentCryptoErrorRatchetSync

export interface AgentCryptoErrorDecryptAes {
  type: "DECRYPT_AES"
}

export interface AgentCryptoErrorDecryptCb {
  type: "DECRYPT_CB"
}

export interface AgentCryptoErrorRatchetHeader {
  type: "RATCHET_HEADER"
}

export interface AgentCryptoErrorRatchetSync {
  type: "RATCHET_SYNC"
}

/** A case of a later version. */
export interface AgentCryptoErrorUnlisted {
  /** The type of the case. */
  type: string
}

export type AgentErrorType =
  | AgentErrorTypeCmd
  | AgentErrorTypeConn
  | AgentErrorTypeNoUser
  | AgentErrorTypeSmp
  | AgentErrorTypeNtf
  | AgentErrorTypeXftp
  | AgentErrorTypeFile
  | AgentErrorTypeNoNameServers
  | AgentErrorTypeProxy
  | AgentErrorTypeRcp
  | AgentErrorTypeBroker
  | AgentErrorTypeAgent
  | AgentErrorTypeNotice
  | AgentErrorTypeInternal
  | AgentErrorTypeCritical
  | AgentErrorTypeInactive

export interface AgentErrorTypeAgent {
  type: "AGENT"
  agentErr: SMPAgentError
}

export interface AgentErrorTypeBroker {
  type: "BROKER"
  brokerAddress: string
  brokerErr: BrokerErrorType
}

export interface AgentErrorTypeCmd {
  type: "CMD"
  cmdErr: CommandErrorType
  errContext: string
}

export interface AgentErrorTypeConn {
  type: "CONN"
  connErr: ConnectionErrorType
  errContext: string
}

export interface AgentErrorTypeCritical {
  type: "CRITICAL"
  offerRestart: boolean
  criticalErr: string
}

export interface AgentErrorTypeFile {
  type: "FILE"
  fileErr: FileErrorType
}

export interface AgentErrorTypeInactive {
  type: "INACTIVE"
}

export interface AgentErrorTypeInternal {
  type: "INTERNAL"
  internalErr: string
}

export interface AgentErrorTypeNoNameServers {
  type: "NO_NAME_SERVERS"
}

export interface AgentErrorTypeNoUser {
  type: "NO_USER"
}

export interface AgentErrorTypeNotice {
  type: "NOTICE"
  server: string
  preset: boolean
  expiresAt?: string
}

export interface AgentErrorTypeNtf {
  type: "NTF"
  serverAddress: string
  ntfErr: ErrorType
}

export interface AgentErrorTypeProxy {
  type: "PROXY"
  proxyServer: string
  relayServer: string
  proxyErr: ProxyClientError
}

export interface AgentErrorTypeRcp {
  type: "RCP"
  rcpErr: RCErrorType
}

export interface AgentErrorTypeSmp {
  type: "SMP"
  serverAddress: string
  smpErr: ErrorType
}

/** A case of a later version. */
export interface AgentErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export interface AgentErrorTypeXftp {
  type: "XFTP"
  serverAddress: string
  xftpErr: XFTPErrorType
}

/** Receiving queues were deleted from their relays. */
export interface AgentRcvQueuesDeletedEvent {
  type: "agentRcvQueuesDeleted"
  deletedRcvQueues: DeletedRcvQueue[]
}

/** Counts of messages and queues sent, received, acknowledged, created and deleted. */
export type AgentSMPServerStatsData = Record<string, number>

export interface AgentServersSummaryResponse {
  type: "agentServersSummary"
  user: User
  serversSummary: PresentedServersSummary
}

export interface AgentSubsTotalResponse {
  type: "agentSubsTotal"
  user: User
  subsTotal: SMPServerSubs
  hasSession: boolean
}

/** The connections of a deleted profile were deleted. */
export interface AgentUserDeletedEvent {
  type: "agentUserDeleted"
  agentUserId: number
}

/** The body of a webhook of Alertmanager, version 4. Other members are accepted. */
export interface AlertmanagerNotice {
  /** The version of the form. */
  version?: "4"
  /** The name of the group, by which a repeated notice is recognized. */
  groupKey?: string
  /** The alerts of the group. */
  alerts: NoticeAlert[]
  /** Labels by which the alerts are grouped. They are in the heading if the alerts have different names. */
  groupLabels?: NoticeTexts
  /** Labels that all alerts have. They stand once at the top. */
  commonLabels?: NoticeTexts
  /** Number of alerts that are left out of the body. */
  truncatedAlerts?: number
}

export interface ApiChatResponse {
  type: "apiChat"
  /** The profile. */
  user: User
  /** The chat with the read messages. */
  chat: AChat
  /** Numbers of messages after those that were read, with `initial` or `around`; else absent. */
  navInfo?: NavigationInfo
  next?: NextPage
  prev?: PrevPage
}

export interface ApiChatsResponse {
  type: "apiChats"
  /** The profile. */
  user: User
  /** The chats of the page. */
  chats: AChat[]
  next?: NextPage
  prev?: PrevPage
}

export interface AppLifecycle {
  chatInitialized: boolean
  /** Whether the core is running. A suspended core is running. */
  chatRunning?: boolean
  chatDbEncrypted?: boolean
  /**
   * The activity of the core. A suspended core neither sends nor receives until it is activated. Absent for a phone.
   */
  appState?: "active" | "suspended" | "stopped"
}

export interface AppSettings {
  /** One of iOS, android, desktop; later versions may add. */
  appPlatform?: string
  networkConfig?: NetworkConfig
  networkProxy?: Record<string, unknown>
  privacyEncryptLocalFiles?: boolean
  privacyAskToApproveRelays?: boolean
  /**
   * If true, the core receives pictures and voice messages up to 522240 bytes and videos up to 1047552 bytes by itself.
   */
  privacyAcceptImages?: boolean
  privacyLinkPreviews?: boolean
  privacySanitizeLinks?: boolean
  privacyShowChatPreviews?: boolean
  privacySaveLastDraft?: boolean
  privacyProtectScreen?: boolean
  privacyMediaBlurRadius?: number
  /** One of off, periodic, instant; later versions may add. */
  notificationMode?: string
  /** One of hidden, contact, message; later versions may add. */
  notificationPreviewMode?: string
  webrtcPolicyRelay?: boolean
  webrtcICEServers?: string[]
  confirmRemoteSessions?: boolean
  connectRemoteViaMulticast?: boolean
  connectRemoteViaMulticastAuto?: boolean
  developerTools?: boolean
  confirmDBUpgrades?: boolean
  /** One of disable, show, accept; later versions may add. */
  androidCallOnLockScreen?: string
  iosCallKitEnabled?: boolean
  iosCallKitCallsInRecents?: boolean
  uiProfileImageCornerRadius?: number
  uiChatItemRoundness?: number
  uiChatItemTail?: boolean
  /** One of SYSTEM, LIGHT, DARK, SIMPLEX, BLACK; later versions may add. */
  uiColorScheme?: string
  /** One of DARK, BLACK, SIMPLEX; later versions may add. */
  uiDarkColorScheme?: string
  uiCurrentThemeIds?: Record<string, string>
  uiThemes?: Record<string, unknown>[]
  oneHandUI?: boolean
  chatBottomBar?: boolean
}

export interface AppSettingsResponse {
  type: "appSettings"
  appSettings: AppSettings
}

export type ArchiveError = ArchiveErrorImport | ArchiveErrorFileError

export interface ArchiveErrorFileError {
  type: "fileError"
  file: string
  fileError: string
}

export interface ArchiveErrorImport {
  type: "import"
  importError: string
}

/** A case of a later version. */
export interface ArchiveErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface ArchiveExportedResponse {
  type: "archiveExported"
  archiveErrors: ArchiveError[]
}

export interface ArchiveImportedResponse {
  type: "archiveImported"
  archiveErrors: ArchiveError[]
}

export interface BadgeCredential {
  /** The number of the key with which the badge was issued. */
  badgeKeyIdx: number
  /** The secret of the owner, 32 bytes in base64url. */
  masterKey: string
  /** The signature of the issuer, 80 bytes in base64url. It is a secret too. */
  signature: string
  /** The content of the badge. */
  badgeInfo: BadgeInfo
}

export interface BadgeInfo {
  badgeType: BadgeType
  /** The end of the validity; absent if there is no end. */
  badgeExpiry?: string
  /** Further text, which issuers leave empty. */
  badgeExtra: string
}

export interface BadgeProof {
  /** The number of the key with which the badge was issued. */
  badgeKeyIdx: number
  /**
   * The value to which the proof is bound: the letter `T` and random bytes. It names neither a peer nor a chat, so
   * everybody who receives the proof can present it.
   */
  presHeader: string
  /** The proof. */
  proof: string
  /** The content of the badge. */
  badgeInfo: BadgeInfo
}

/**
 * One of active, expired, expiredOld (for more than 31 days), failed (the proof is wrong), unknownKey (the issuer or
 * the kind of the proof is unknown, or the proof is not checked yet); later versions may add.
 */
export type BadgeStatus = string

/** One of supporter, legend, investor; later versions may add. */
export type BadgeType = string

export interface BlockingInfo {
  reason: BlockingReason
  notice?: ClientNotice
}

/** One of spam, content; later versions may add. */
export type BlockingReason = string

export interface Broadcast {
  /** The id in the path. */
  broadcastId: number
  /**
   * `sending`: chats wait. `finished`: each chat has a result. `cancelled`: no chat waits, and some were cancelled. One
   * of sending, finished, cancelled; later versions may add.
   */
  state: string
  /** The maximal number of messages per second. */
  messagesPerSecond: number
  /** Number of chats whose messages wait. */
  waiting: number
  /** Number of chats that have the messages. */
  sent: number
  /** Number of chats with a problem. */
  failed: number
  /** Number of chats that waited when the broadcast was cancelled. */
  cancelled: number
  /** The key whose rights are checked before each chat. */
  keyId: string
  /** The time of the request. */
  createdAt: string
  /** The time before which nothing is sent; absent for a broadcast without a time. */
  sendAt?: string
  /** The time of the last result; absent while chats wait. */
  finishedAt?: string
  /** The messages; absent after the last result. */
  composedMessages?: ComposedMessage[]
  /** Seconds after which the messages disappear; absent for the settings of the chats. */
  ttl?: number
  /** Whether the messages come from the channels; absent means false. */
  sendAsGroup?: boolean
  /** Whether the messages are signed in channels; absent means false. */
  sign?: boolean
}

export interface BroadcastChat {
  /** The kind of the chat. */
  chatType: "direct" | "group"
  /** The id of the contact or the group. */
  chatId: number
}

/** The receivers: exactly one of the members. */
export interface BroadcastReceivers {
  /** These chats. */
  chats?: BroadcastChat[]
  /** All contacts that are connected. */
  allContacts?: true
  /** The connected contacts and the groups with this tag. */
  tagId?: number
}

export interface BroadcastResult {
  /** The chat. */
  chat: BroadcastChat
  /** The result; `waiting` before it. */
  state: PlannedState
  /**
   * The ids of the sent items, in the order of the messages; absent before. A message that is too large has no item.
   */
  itemIds?: number[]
  /** The reason, in the state `failed`; else absent. */
  problem?: PlannedProblem
  /** The time of the result; absent while the messages wait. */
  doneAt?: string
}

export type BrokerErrorType =
  | BrokerErrorTypeResponse
  | BrokerErrorTypeUnexpected
  | BrokerErrorTypeNetwork
  | BrokerErrorTypeHost
  | BrokerErrorTypeNoService
  | BrokerErrorTypeTransport
  | BrokerErrorTypeTimeout

export interface BrokerErrorTypeHost {
  type: "HOST"
}

export interface BrokerErrorTypeNetwork {
  type: "NETWORK"
  networkError: NetworkError
}

export interface BrokerErrorTypeNoService {
  type: "NO_SERVICE"
}

export interface BrokerErrorTypeResponse {
  type: "RESPONSE"
  respErr: string
}

export interface BrokerErrorTypeTimeout {
  type: "TIMEOUT"
}

export interface BrokerErrorTypeTransport {
  type: "TRANSPORT"
  transportErr: TransportError
}

export interface BrokerErrorTypeUnexpected {
  type: "UNEXPECTED"
  respErr: string
}

/** A case of a later version. */
export interface BrokerErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export interface BusinessChatInfo {
  /** The role of the other side: the business, or a customer. */
  chatType: BusinessChatType
  /** The member id of the business. */
  businessId: string
  /** The member id of the customer who began the chat. */
  customerId: string
  /** The domain of the business; absent without one. */
  businessDomain?: SimplexDomainClaim
}

/** One of business, customer; later versions may add. */
export type BusinessChatType = string

/** The profile is joining the group of a business by its address. */
export interface BusinessLinkConnectingEvent {
  type: "businessLinkConnecting"
  user: User
  groupInfo: GroupInfo
  hostMember: GroupMember
  fromContact: Contact
}

/** A request to a business address has come from a customer who has a group already. */
export interface BusinessRequestAlreadyAcceptedEvent {
  type: "businessRequestAlreadyAccepted"
  user: User
  groupInfo: GroupInfo
}

/** One of pending, missed, rejected, accepted, negotiated, progress, ended, error; later versions may add. */
export type CICallStatus = string

export type CIContent =
  | CIContentSndMsgContent
  | CIContentRcvMsgContent
  | CIContentSndDeleted
  | CIContentRcvDeleted
  | CIContentSndCall
  | CIContentRcvCall
  | CIContentRcvIntegrityError
  | CIContentRcvDecryptionError
  | CIContentRcvMsgError
  | CIContentRcvGroupInvitation
  | CIContentSndGroupInvitation
  | CIContentRcvDirectEvent
  | CIContentRcvGroupEvent
  | CIContentSndGroupEvent
  | CIContentRcvConnEvent
  | CIContentSndConnEvent
  | CIContentRcvChatFeature
  | CIContentSndChatFeature
  | CIContentRcvChatPreference
  | CIContentSndChatPreference
  | CIContentRcvGroupFeature
  | CIContentSndGroupFeature
  | CIContentRcvChatFeatureRejected
  | CIContentRcvGroupFeatureRejected
  | CIContentSndModerated
  | CIContentRcvModerated
  | CIContentRcvBlocked
  | CIContentSndDirectE2EEInfo
  | CIContentRcvDirectE2EEInfo
  | CIContentSndGroupE2EEInfo
  | CIContentRcvGroupE2EEInfo
  | CIContentChatBanner
  | CIContentInvalidJSON

export interface CIContentChatBanner {
  type: "chatBanner"
}

export interface CIContentInvalidJSON {
  type: "invalidJSON"
  /** Whether the item was sent or received. */
  direction: MsgDirection
  /** The stored value, which this version cannot read. */
  json: string
}

export interface CIContentRcvBlocked {
  type: "rcvBlocked"
}

export interface CIContentRcvCall {
  type: "rcvCall"
  /** The state of the call. */
  status: CICallStatus
  /** Length of the call in seconds; 0 before its end. */
  duration: number
}

export interface CIContentRcvChatFeature {
  type: "rcvChatFeature"
  /** The feature. */
  feature: ChatFeature
  /** The sides for which the feature is on now. */
  enabled: PrefEnabled
  /** Seconds after which messages disappear; absent for other features. */
  param?: number
}

export interface CIContentRcvChatFeatureRejected {
  type: "rcvChatFeatureRejected"
  /** The feature, which a received message used although it is off. */
  feature: ChatFeature
}

export interface CIContentRcvChatPreference {
  type: "rcvChatPreference"
  /** The feature. */
  feature: ChatFeature
  /** The wish: never, always, or if the other side allows the feature too. */
  allowed: FeatureAllowed
  /** Seconds after which messages disappear; absent for other features. */
  param?: number
}

export interface CIContentRcvConnEvent {
  type: "rcvConnEvent"
  /** The event that the peer has caused. */
  rcvConnEvent: RcvConnEvent
}

export interface CIContentRcvDecryptionError {
  type: "rcvDecryptionError"
  /** The reason. */
  msgDecryptError: MsgDecryptError
  /** Number of messages that could not be decrypted. */
  msgCount: number
}

export interface CIContentRcvDeleted {
  type: "rcvDeleted"
  /** The way of the deletion. */
  deleteMode: CIDeleteMode
}

export interface CIContentRcvDirectE2EEInfo {
  type: "rcvDirectE2EEInfo"
  /** The encryption of the chat: from end to end, and against quantum computers. */
  e2eeInfo: E2EInfo
}

export interface CIContentRcvDirectEvent {
  type: "rcvDirectEvent"
  /** The event that the contact has caused. */
  rcvDirectEvent: RcvDirectEvent
}

export interface CIContentRcvGroupE2EEInfo {
  type: "rcvGroupE2EEInfo"
  /** The encryption of the chat: from end to end, and against quantum computers. */
  e2eeInfo: E2EInfo
}

export interface CIContentRcvGroupEvent {
  type: "rcvGroupEvent"
  /** The event that another member has caused. */
  rcvGroupEvent: RcvGroupEvent
}

export interface CIContentRcvGroupFeature {
  type: "rcvGroupFeature"
  /** The feature. */
  groupFeature: GroupFeature
  /** Whether the feature is on now. */
  preference: GroupPreference
  /** Seconds after which messages disappear; absent for other features. */
  param?: number
  /** The lowest role that may use the feature; absent if all members may. */
  memberRole_?: GroupMemberRole
}

export interface CIContentRcvGroupFeatureRejected {
  type: "rcvGroupFeatureRejected"
  /** The feature, which a received message used although it is off. */
  groupFeature: GroupFeature
}

export interface CIContentRcvGroupInvitation {
  type: "rcvGroupInvitation"
  /** The invitation. */
  groupInvitation: CIGroupInvitation
  /** The role that the user gets. */
  memberRole: GroupMemberRole
}

export interface CIContentRcvIntegrityError {
  type: "rcvIntegrityError"
  /** The gap or the repetition in the messages of the peer. */
  msgError: MsgErrorType
}

export interface CIContentRcvModerated {
  type: "rcvModerated"
}

export interface CIContentRcvMsgContent {
  type: "rcvMsgContent"
  /** The message that the user has received. */
  msgContent: MsgContent
}

export interface CIContentRcvMsgError {
  type: "rcvMsgError"
  /** The reason for which the message was not received. */
  rcvMsgError: RcvMsgError
}

export interface CIContentSndCall {
  type: "sndCall"
  /** The state of the call. */
  status: CICallStatus
  /** Length of the call in seconds; 0 before its end. */
  duration: number
}

export interface CIContentSndChatFeature {
  type: "sndChatFeature"
  /** The feature. */
  feature: ChatFeature
  /** The sides for which the feature is on now. */
  enabled: PrefEnabled
  /** Seconds after which messages disappear; absent for other features. */
  param?: number
}

export interface CIContentSndChatPreference {
  type: "sndChatPreference"
  /** The feature. */
  feature: ChatFeature
  /** The wish: never, always, or if the other side allows the feature too. */
  allowed: FeatureAllowed
  /** Seconds after which messages disappear; absent for other features. */
  param?: number
}

export interface CIContentSndConnEvent {
  type: "sndConnEvent"
  /** The event that the user has caused. */
  sndConnEvent: SndConnEvent
}

export interface CIContentSndDeleted {
  type: "sndDeleted"
  /** The way of the deletion. */
  deleteMode: CIDeleteMode
}

export interface CIContentSndDirectE2EEInfo {
  type: "sndDirectE2EEInfo"
  /** The encryption of the chat: from end to end, and against quantum computers. */
  e2eeInfo: E2EInfo
}

export interface CIContentSndGroupE2EEInfo {
  type: "sndGroupE2EEInfo"
  /** The encryption of the chat: from end to end, and against quantum computers. */
  e2eeInfo: E2EInfo
}

export interface CIContentSndGroupEvent {
  type: "sndGroupEvent"
  /** The event that the user has caused. */
  sndGroupEvent: SndGroupEvent
}

export interface CIContentSndGroupFeature {
  type: "sndGroupFeature"
  /** The feature. */
  groupFeature: GroupFeature
  /** Whether the feature is on now. */
  preference: GroupPreference
  /** Seconds after which messages disappear; absent for other features. */
  param?: number
  /** The lowest role that may use the feature; absent if all members may. */
  memberRole_?: GroupMemberRole
}

export interface CIContentSndGroupInvitation {
  type: "sndGroupInvitation"
  /** The invitation. */
  groupInvitation: CIGroupInvitation
  /** The role that the contact gets. */
  memberRole: GroupMemberRole
}

export interface CIContentSndModerated {
  type: "sndModerated"
}

export interface CIContentSndMsgContent {
  type: "sndMsgContent"
  /** The message that the user has sent. */
  msgContent: MsgContent
}

/** A case of a later version. */
export interface CIContentUnlisted {
  /** The type of the case. */
  type: string
}

/** One of broadcast, internal, internalMark, history; later versions may add. */
export type CIDeleteMode = string

export type CIDeleted =
  | CIDeletedDeleted
  | CIDeletedBlocked
  | CIDeletedBlockedByAdmin
  | CIDeletedModerated

export interface CIDeletedBlocked {
  type: "blocked"
  /** The time since which the item is hidden; absent if unknown. */
  deletedTs?: string
}

export interface CIDeletedBlockedByAdmin {
  type: "blockedByAdmin"
  /** The time since which the item is hidden; absent if unknown. */
  deletedTs?: string
}

export interface CIDeletedDeleted {
  type: "deleted"
  /** The time of the deletion; absent if unknown. */
  deletedTs?: string
  /** The type of the chat. */
  chatType: ChatType
}

export interface CIDeletedModerated {
  type: "moderated"
  /** The time of the deletion; absent if unknown. */
  deletedTs?: string
  /** The moderator. */
  byGroupMember: GroupMember
}

/** A case of a later version. */
export interface CIDeletedUnlisted {
  /** The type of the case. */
  type: string
}

export type CIDirection =
  | CIDirectionDirectSnd
  | CIDirectionDirectRcv
  | CIDirectionGroupSnd
  | CIDirectionGroupRcv
  | CIDirectionChannelRcv
  | CIDirectionLocalSnd
  | CIDirectionLocalRcv

export interface CIDirectionChannelRcv {
  type: "channelRcv"
}

export interface CIDirectionDirectRcv {
  type: "directRcv"
}

export interface CIDirectionDirectSnd {
  type: "directSnd"
}

export interface CIDirectionGroupRcv {
  type: "groupRcv"
  /** The author. */
  groupMember: GroupMember
}

export interface CIDirectionGroupSnd {
  type: "groupSnd"
}

export interface CIDirectionLocalRcv {
  type: "localRcv"
}

export interface CIDirectionLocalSnd {
  type: "localSnd"
}

/** A case of a later version. */
export interface CIDirectionUnlisted {
  /** The type of the case. */
  type: string
}

export interface CIFile {
  /** The id of the file, for the operations on files. */
  fileId: number
  /** The name that the sender gave. It is no path. */
  fileName: string
  /** Size in bytes. */
  fileSize: number
  /** The place of the file on the gateway; absent before a received file is accepted. */
  fileSource?: CryptoFile
  /** Progress of the transfer. A received file can be read when it is `rcvComplete`. */
  fileStatus: CIFileStatus
  /** The way of the file: `xftp` over file servers, `smp` within messages, `local` for notes. */
  fileProtocol: FileProtocol
}

export type CIFileStatus =
  | CIFileStatusSndStored
  | CIFileStatusSndTransfer
  | CIFileStatusSndCancelled
  | CIFileStatusSndComplete
  | CIFileStatusSndError
  | CIFileStatusSndWarning
  | CIFileStatusRcvInvitation
  | CIFileStatusRcvAccepted
  | CIFileStatusRcvTransfer
  | CIFileStatusRcvAborted
  | CIFileStatusRcvComplete
  | CIFileStatusRcvCancelled
  | CIFileStatusRcvError
  | CIFileStatusRcvWarning
  | CIFileStatusInvalid

export interface CIFileStatusInvalid {
  type: "invalid"
  /** The stored status, which this version does not know. */
  text: string
}

export interface CIFileStatusRcvAborted {
  type: "rcvAborted"
}

export interface CIFileStatusRcvAccepted {
  type: "rcvAccepted"
}

export interface CIFileStatusRcvCancelled {
  type: "rcvCancelled"
}

export interface CIFileStatusRcvComplete {
  type: "rcvComplete"
}

export interface CIFileStatusRcvError {
  type: "rcvError"
  /** The reason. */
  rcvFileError: FileError
}

export interface CIFileStatusRcvInvitation {
  type: "rcvInvitation"
}

export interface CIFileStatusRcvTransfer {
  type: "rcvTransfer"
  /** Bytes that were received. */
  rcvProgress: number
  /** Bytes in all. */
  rcvTotal: number
}

export interface CIFileStatusRcvWarning {
  type: "rcvWarning"
  /** The reason. The transfer continues. */
  rcvFileError: FileError
}

export interface CIFileStatusSndCancelled {
  type: "sndCancelled"
}

export interface CIFileStatusSndComplete {
  type: "sndComplete"
}

export interface CIFileStatusSndError {
  type: "sndError"
  /** The reason. */
  sndFileError: FileError
}

export interface CIFileStatusSndStored {
  type: "sndStored"
}

export interface CIFileStatusSndTransfer {
  type: "sndTransfer"
  /** Bytes that were sent. */
  sndProgress: number
  /** Bytes in all. */
  sndTotal: number
}

export interface CIFileStatusSndWarning {
  type: "sndWarning"
  /** The reason. The transfer continues. */
  sndFileError: FileError
}

/** A case of a later version. */
export interface CIFileStatusUnlisted {
  /** The type of the case. */
  type: string
}

export type CIForwardedFrom = CIForwardedFromUnknown | CIForwardedFromContact | CIForwardedFromGroup

export interface CIForwardedFromContact {
  type: "contact"
  /** The name of the contact. */
  chatName: string
  /** Whether the user had sent or received the message. */
  msgDir: MsgDirection
  /** The contact; absent if unknown. */
  contactId?: number
  /** The item that was forwarded; absent if unknown. */
  chatItemId?: number
}

export interface CIForwardedFromGroup {
  type: "group"
  /** The name of the group. */
  chatName: string
  /** Whether the user had sent or received the message. */
  msgDir: MsgDirection
  /** The group; absent if unknown. */
  groupId?: number
  /** The item that was forwarded; absent if unknown. */
  chatItemId?: number
}

export interface CIForwardedFromUnknown {
  type: "unknown"
}

/** A case of a later version. */
export interface CIForwardedFromUnlisted {
  /** The type of the case. */
  type: string
}

export interface CIGroupInvitation {
  groupId: number
  groupMemberId: number
  localDisplayName: string
  groupProfile: GroupProfile
  status: CIGroupInvitationStatus
}

/** One of pending, accepted, rejected, expired; later versions may add. */
export type CIGroupInvitationStatus = string

export interface CIMention {
  /** The id of the member that all members know, in base64url. */
  memberId: string
  /** The member as stored here; absent if unknown. */
  memberRef?: CIMentionMember
}

export interface CIMentionMember {
  /** The id of the member here. */
  groupMemberId: number
  /** The name of the member. */
  displayName: string
  /** The user's own name for the member; absent or empty without one. */
  localAlias?: string
  /** The role of the member. */
  memberRole: GroupMemberRole
}

export interface CIMeta {
  /** The id of the item, which is unique within the store and grows with new items. */
  itemId: number
  /** The time at which the author sent the message, by the author's clock. */
  itemTs: string
  /** The content as text, as a list of chats shows it: the text of a message, or a sentence about an event. */
  itemText: string
  /** Progress of sending; or, of a received item, whether it was read. */
  itemStatus: CIStatus
  /** Whether the message was sent through another relay, which hides the address of the gateway; absent if unknown. */
  sentViaProxy?: boolean
  /** The id of the message that all its recipients know, in base64url; absent for items that are no messages. */
  itemSharedMsgId?: string
  /** The origin of a forwarded message; absent for other items. */
  itemForwarded?: CIForwardedFrom
  /** The mark of an item that was deleted or moderated, or whose author is blocked; else absent. */
  itemDeleted?: CIDeleted
  /** Whether the author has changed the message. */
  itemEdited: boolean
  /** The time after which the message disappears; absent if it stays. */
  itemTimed?: CITimed
  /** `true` while the author writes a live message, then `false`; absent or `false` for other messages. */
  itemLive?: boolean
  /**
   * Whether a message of a group mentions the user, or is the answer of another member to the user; `false` in other
   * chats.
   */
  userMention: boolean
  /** Whether the message has a link or a card of a link. */
  hasLink?: boolean
  /**
   * Whether the user can delete the message for everybody now: it is sent by the user and at most a day old. Notes can
   * always be deleted.
   */
  deletable: boolean
  /** Whether the user can change the message now: as `deletable`, and it was not forwarded. */
  editable: boolean
  /** The member who has passed on a message of a group, by `groupMemberId`; absent if it came from its author. */
  forwardedByMember?: number
  /** Whether the group is shown as the author, as in channels. */
  showGroupAsSender: boolean
  /** The result of the check of the author's signature; absent without a signature. */
  msgSigned?: MsgSigStatus
  /** The time at which the item was stored here. */
  createdAt: string
  /** The time of the last change of the stored item. */
  updatedAt: string
}

export interface CIQuote {
  /** The author of the quoted message; absent if unknown. */
  chatDir?: CIDirection
  /** The id of the quoted item here; absent if it is not stored. */
  itemId?: number
  /** The id of the quoted message that its recipients know, in base64url. */
  sharedMsgId?: string
  /** The time at which the quoted message was sent. */
  sentAt: string
  /** The content of the quoted message, as the answer has repeated it. */
  content: MsgContent
  /** The text of the quote in parts with formats; absent if no part has a format. */
  formattedText?: FormattedText[]
}

export interface CIReaction {
  /** The author of the reaction. */
  chatDir: CIDirection
  /** The item with the reaction. */
  chatItem: ChatItem
  /** The time of the reaction. */
  sentAt: string
  /** The reaction. */
  reaction: MsgReaction
}

export interface CIReactionCount {
  /** The reaction. */
  reaction: MsgReaction
  /** Whether the user is one of those who reacted. */
  userReacted: boolean
  /** Number of those who reacted. */
  totalReacted: number
}

export type CIStatus =
  | CIStatusSndNew
  | CIStatusSndSent
  | CIStatusSndRcvd
  | CIStatusSndErrorAuth
  | CIStatusSndError
  | CIStatusSndWarning
  | CIStatusRcvNew
  | CIStatusRcvRead
  | CIStatusInvalid

export interface CIStatusInvalid {
  type: "invalid"
  /** The stored status, which this version does not know. */
  text: string
}

export interface CIStatusRcvNew {
  type: "rcvNew"
}

export interface CIStatusRcvRead {
  type: "rcvRead"
}

export interface CIStatusSndError {
  type: "sndError"
  /** The reason. The message is not sent again. */
  agentError: SndError
}

export interface CIStatusSndErrorAuth {
  type: "sndErrorAuth"
}

export interface CIStatusSndNew {
  type: "sndNew"
}

export interface CIStatusSndRcvd {
  type: "sndRcvd"
  /** `ok`, or `badMsgHash` if the recipient found a gap. */
  msgRcptStatus: MsgReceiptStatus
  /** `complete`, or `partial` while some recipients have not confirmed the message. */
  sndProgress: SndCIStatusProgress
}

export interface CIStatusSndSent {
  type: "sndSent"
  /** `complete`, or `partial` while some recipients have not got the message. */
  sndProgress: SndCIStatusProgress
}

export interface CIStatusSndWarning {
  type: "sndWarning"
  /** The reason. The message is sent again later. */
  agentError: SndError
}

/** A case of a later version. */
export interface CIStatusUnlisted {
  /** The type of the case. */
  type: string
}

export interface CITimed {
  /** Seconds after which the message disappears: after sending, or after reading. */
  ttl: number
  /** The time at which the message disappears; absent before that time is known. */
  deleteAt?: string
}

/** A contact has accepted the offered session. */
export interface CallAnswerEvent {
  type: "callAnswer"
  user: User
  contact: Contact
  answer: WebRTCSession
}

export interface CallCapabilities {
  encryption: boolean
}

/** A call has ended. */
export interface CallEndedEvent {
  type: "callEnded"
  user: User
  contact: Contact
}

/** A contact has sent more ICE candidates for a call. */
export interface CallExtraInfoEvent {
  type: "callExtraInfo"
  user: User
  contact: Contact
  extraInfo: WebRTCExtraInfo
}

/** A contact is calling. */
export interface CallInvitationEvent {
  type: "callInvitation"
  callInvitation: RcvCallInvitation
}

export interface CallInvitationsResponse {
  type: "callInvitations"
  callInvitations: RcvCallInvitation[]
}

/** One of audio, video; later versions may add. */
export type CallMedia = string

/** A contact has accepted a call, and offers a session. */
export interface CallOfferEvent {
  type: "callOffer"
  user: User
  contact: Contact
  callType: CallType
  offer: WebRTCSession
  sharedKey?: string
  askConfirmation: boolean
}

/** One of invitationSent, invitationReceived, offerSent, offerReceived, negotiated; later versions may add. */
export type CallStateTag = string

export interface CallType {
  media: CallMedia
  capabilities: CallCapabilities
}

export type CancelFileResponse = SndFileCancelledResponse | RcvFileCancelledResponse

export interface ChangeReactionRequest {
  reaction: MsgReaction
  add?: boolean
}

export interface ChannelRelaysModel {
  groupId?: number
  groupLink?: GroupLink
  groupRelays: GroupRelay[]
}

export type ChatBotCommand = ChatBotCommandCommand | ChatBotCommandMenu

export interface ChatBotCommandCommand {
  type: "command"
  keyword: string
  label: string
  params?: string
}

export interface ChatBotCommandMenu {
  type: "menu"
  label: string
  commands: ChatBotCommand[]
}

/** A case of a later version. */
export interface ChatBotCommandUnlisted {
  /** The type of the case. */
  type: string
}

export interface ChatClearedResponse {
  type: "chatCleared"
  user: User
  chatInfo: ChatInfo
}

export interface ChatContentTypesResponse {
  type: "chatContentTypes"
  contentTypes: MsgContentTag[]
}

export type ChatError =
  | ChatErrorError
  | ChatErrorErrorAgent
  | ChatErrorErrorStore
  | ChatErrorErrorDatabase
  | ChatErrorErrorRemoteCtrl
  | ChatErrorErrorRemoteHost

export interface ChatErrorError {
  type: "error"
  errorType: ChatErrorType
}

export interface ChatErrorErrorAgent {
  type: "errorAgent"
  agentError: AgentErrorType
  agentConnId?: string
  connectionEntity_?: ConnectionEntity
}

export interface ChatErrorErrorDatabase {
  type: "errorDatabase"
  databaseError: DatabaseError
}

export interface ChatErrorErrorRemoteCtrl {
  type: "errorRemoteCtrl"
  remoteCtrlError: RemoteCtrlError
}

export interface ChatErrorErrorRemoteHost {
  type: "errorRemoteHost"
  rhKey: RHKey
  remoteHostError: RemoteHostError
}

export interface ChatErrorErrorStore {
  type: "errorStore"
  storeError: StoreError
}

/** An error that is not the answer to a command. */
export interface ChatErrorEvent {
  type: "chatError"
  /** The error. */
  chatError: ChatError
}

export type ChatErrorType =
  | ChatErrorTypeNoActiveUser
  | ChatErrorTypeNoConnectionUser
  | ChatErrorTypeNoSndFileUser
  | ChatErrorTypeNoRcvFileUser
  | ChatErrorTypeUserUnknown
  | ChatErrorTypeUserExists
  | ChatErrorTypeChatRelayExists
  | ChatErrorTypeDifferentActiveUser
  | ChatErrorTypeCantDeleteActiveUser
  | ChatErrorTypeCantDeleteLastUser
  | ChatErrorTypeCantHideLastUser
  | ChatErrorTypeHiddenUserAlwaysMuted
  | ChatErrorTypeEmptyUserPassword
  | ChatErrorTypeUserAlreadyHidden
  | ChatErrorTypeUserNotHidden
  | ChatErrorTypeInvalidDisplayName
  | ChatErrorTypeChatNotStarted
  | ChatErrorTypeChatNotStopped
  | ChatErrorTypeChatStoreChanged
  | ChatErrorTypeInvalidConnReq
  | ChatErrorTypeSimplexDomainNotReady
  | ChatErrorTypeNotResolvedLocally
  | ChatErrorTypeUnsupportedConnReq
  | ChatErrorTypeConnReqMessageProhibited
  | ChatErrorTypeContactNotReady
  | ChatErrorTypeContactNotActive
  | ChatErrorTypeContactDisabled
  | ChatErrorTypeConnectionDisabled
  | ChatErrorTypeGroupUserRole
  | ChatErrorTypeGroupMemberInitialRole
  | ChatErrorTypeContactIncognitoCantInvite
  | ChatErrorTypeGroupIncognitoCantInvite
  | ChatErrorTypeGroupContactRole
  | ChatErrorTypeGroupDuplicateMember
  | ChatErrorTypeGroupDuplicateMemberId
  | ChatErrorTypeGroupNotJoined
  | ChatErrorTypeGroupMemberNotActive
  | ChatErrorTypeCantBlockMemberForSelf
  | ChatErrorTypeGroupMemberUserRemoved
  | ChatErrorTypeGroupMemberNotFound
  | ChatErrorTypeGroupCantResendInvitation
  | ChatErrorTypeGroupInternal
  | ChatErrorTypeFileNotFound
  | ChatErrorTypeFileSize
  | ChatErrorTypeFileAlreadyReceiving
  | ChatErrorTypeFileCancelled
  | ChatErrorTypeFileCancel
  | ChatErrorTypeFileAlreadyExists
  | ChatErrorTypeFileWrite
  | ChatErrorTypeFileSend
  | ChatErrorTypeFileRcvChunk
  | ChatErrorTypeFileInternal
  | ChatErrorTypeFileImageType
  | ChatErrorTypeFileImageSize
  | ChatErrorTypeFileNotReceived
  | ChatErrorTypeFileNotApproved
  | ChatErrorTypeFallbackToSMPProhibited
  | ChatErrorTypeInlineFileProhibited
  | ChatErrorTypeInvalidForward
  | ChatErrorTypeInvalidChatItemUpdate
  | ChatErrorTypeInvalidChatItemDelete
  | ChatErrorTypeHasCurrentCall
  | ChatErrorTypeNoCurrentCall
  | ChatErrorTypeCallContact
  | ChatErrorTypeDirectMessagesProhibited
  | ChatErrorTypeAgentVersion
  | ChatErrorTypeAgentNoSubResult
  | ChatErrorTypeCommandError
  | ChatErrorTypeAgentCommandError
  | ChatErrorTypeInvalidFileDescription
  | ChatErrorTypeConnectionIncognitoChangeProhibited
  | ChatErrorTypeConnectionUserChangeProhibited
  | ChatErrorTypePeerChatVRangeIncompatible
  | ChatErrorTypeRelayTestError
  | ChatErrorTypeInternalError
  | ChatErrorTypeException
  | ChatErrorTypeInvalidChatMessage
  | ChatErrorTypeContactNotFound
  | ChatErrorTypeCallState
  | ChatErrorTypeServerProtocol

export interface ChatErrorTypeAgentCommandError {
  type: "agentCommandError"
  message: string
}

export interface ChatErrorTypeAgentNoSubResult {
  type: "agentNoSubResult"
  agentConnId: string
}

export interface ChatErrorTypeAgentVersion {
  type: "agentVersion"
}

export interface ChatErrorTypeCallContact {
  type: "callContact"
  contactId: number
}

export interface ChatErrorTypeCallState {
  type: "callState"
  currentCallState: CallStateTag
}

export interface ChatErrorTypeCantBlockMemberForSelf {
  type: "cantBlockMemberForSelf"
  groupInfo: GroupInfo
  member: GroupMember
  setShowMessages: boolean
}

export interface ChatErrorTypeCantDeleteActiveUser {
  type: "cantDeleteActiveUser"
  userId: number
}

export interface ChatErrorTypeCantDeleteLastUser {
  type: "cantDeleteLastUser"
  userId: number
}

export interface ChatErrorTypeCantHideLastUser {
  type: "cantHideLastUser"
  userId: number
}

export interface ChatErrorTypeChatNotStarted {
  type: "chatNotStarted"
}

export interface ChatErrorTypeChatNotStopped {
  type: "chatNotStopped"
}

export interface ChatErrorTypeChatRelayExists {
  type: "chatRelayExists"
}

export interface ChatErrorTypeChatStoreChanged {
  type: "chatStoreChanged"
}

export interface ChatErrorTypeCommandError {
  type: "commandError"
  message: string
}

export interface ChatErrorTypeConnReqMessageProhibited {
  type: "connReqMessageProhibited"
}

export interface ChatErrorTypeConnectionDisabled {
  type: "connectionDisabled"
  connection: Connection
}

export interface ChatErrorTypeConnectionIncognitoChangeProhibited {
  type: "connectionIncognitoChangeProhibited"
}

export interface ChatErrorTypeConnectionUserChangeProhibited {
  type: "connectionUserChangeProhibited"
}

export interface ChatErrorTypeContactDisabled {
  type: "contactDisabled"
  contact: Contact
}

export interface ChatErrorTypeContactIncognitoCantInvite {
  type: "contactIncognitoCantInvite"
}

export interface ChatErrorTypeContactNotActive {
  type: "contactNotActive"
  contact: Contact
}

export interface ChatErrorTypeContactNotFound {
  type: "contactNotFound"
  contactName: string
  /** A group, and the member of this group whose name is the name in the command. */
  suspectedMember?: (number | Record<string, unknown>)[]
}

export interface ChatErrorTypeContactNotReady {
  type: "contactNotReady"
  contact: Contact
}

export interface ChatErrorTypeDifferentActiveUser {
  type: "differentActiveUser"
  commandUserId: number
  activeUserId: number
}

export interface ChatErrorTypeDirectMessagesProhibited {
  type: "directMessagesProhibited"
  direction: MsgDirection
  contact: Contact
}

export interface ChatErrorTypeEmptyUserPassword {
  type: "emptyUserPassword"
  userId: number
}

export interface ChatErrorTypeException {
  type: "exception"
  message: string
}

export interface ChatErrorTypeFallbackToSMPProhibited {
  type: "fallbackToSMPProhibited"
  fileId: number
}

export interface ChatErrorTypeFileAlreadyExists {
  type: "fileAlreadyExists"
  filePath: string
}

export interface ChatErrorTypeFileAlreadyReceiving {
  type: "fileAlreadyReceiving"
  message: string
}

export interface ChatErrorTypeFileCancel {
  type: "fileCancel"
  fileId: number
  message: string
}

export interface ChatErrorTypeFileCancelled {
  type: "fileCancelled"
  message: string
}

export interface ChatErrorTypeFileImageSize {
  type: "fileImageSize"
  filePath: string
}

export interface ChatErrorTypeFileImageType {
  type: "fileImageType"
  filePath: string
}

export interface ChatErrorTypeFileInternal {
  type: "fileInternal"
  message: string
}

export interface ChatErrorTypeFileNotApproved {
  type: "fileNotApproved"
  fileId: number
  unknownServers: string[]
}

export interface ChatErrorTypeFileNotFound {
  type: "fileNotFound"
  message: string
}

export interface ChatErrorTypeFileNotReceived {
  type: "fileNotReceived"
  fileId: number
}

export interface ChatErrorTypeFileRcvChunk {
  type: "fileRcvChunk"
  message: string
}

export interface ChatErrorTypeFileSend {
  type: "fileSend"
  fileId: number
  agentError: AgentErrorType
}

export interface ChatErrorTypeFileSize {
  type: "fileSize"
  filePath: string
}

export interface ChatErrorTypeFileWrite {
  type: "fileWrite"
  filePath: string
  message: string
}

export interface ChatErrorTypeGroupCantResendInvitation {
  type: "groupCantResendInvitation"
  groupInfo: GroupInfo
  contactName: string
}

export interface ChatErrorTypeGroupContactRole {
  type: "groupContactRole"
  contactName: string
}

export interface ChatErrorTypeGroupDuplicateMember {
  type: "groupDuplicateMember"
  contactName: string
}

export interface ChatErrorTypeGroupDuplicateMemberId {
  type: "groupDuplicateMemberId"
}

export interface ChatErrorTypeGroupIncognitoCantInvite {
  type: "groupIncognitoCantInvite"
}

export interface ChatErrorTypeGroupInternal {
  type: "groupInternal"
  message: string
}

export interface ChatErrorTypeGroupMemberInitialRole {
  type: "groupMemberInitialRole"
  groupInfo: GroupInfo
  initialRole: GroupMemberRole
}

export interface ChatErrorTypeGroupMemberNotActive {
  type: "groupMemberNotActive"
}

export interface ChatErrorTypeGroupMemberNotFound {
  type: "groupMemberNotFound"
}

export interface ChatErrorTypeGroupMemberUserRemoved {
  type: "groupMemberUserRemoved"
}

export interface ChatErrorTypeGroupNotJoined {
  type: "groupNotJoined"
  groupInfo: GroupInfo
}

export interface ChatErrorTypeGroupUserRole {
  type: "groupUserRole"
  groupInfo: GroupInfo
  requiredRole: GroupMemberRole
}

export interface ChatErrorTypeHasCurrentCall {
  type: "hasCurrentCall"
}

export interface ChatErrorTypeHiddenUserAlwaysMuted {
  type: "hiddenUserAlwaysMuted"
  userId: number
}

export interface ChatErrorTypeInlineFileProhibited {
  type: "inlineFileProhibited"
  fileId: number
}

export interface ChatErrorTypeInternalError {
  type: "internalError"
  message: string
}

export interface ChatErrorTypeInvalidChatItemDelete {
  type: "invalidChatItemDelete"
}

export interface ChatErrorTypeInvalidChatItemUpdate {
  type: "invalidChatItemUpdate"
}

export interface ChatErrorTypeInvalidChatMessage {
  type: "invalidChatMessage"
  connection: Connection
  msgMeta?: MsgMetaJSON
  messageData: string
  message: string
}

export interface ChatErrorTypeInvalidConnReq {
  type: "invalidConnReq"
}

export interface ChatErrorTypeInvalidDisplayName {
  type: "invalidDisplayName"
  displayName: string
  validName: string
}

export interface ChatErrorTypeInvalidFileDescription {
  type: "invalidFileDescription"
  message: string
}

export interface ChatErrorTypeInvalidForward {
  type: "invalidForward"
}

export interface ChatErrorTypeNoActiveUser {
  type: "noActiveUser"
}

export interface ChatErrorTypeNoConnectionUser {
  type: "noConnectionUser"
  agentConnId: string
}

export interface ChatErrorTypeNoCurrentCall {
  type: "noCurrentCall"
}

export interface ChatErrorTypeNoRcvFileUser {
  type: "noRcvFileUser"
  agentRcvFileId: string
}

export interface ChatErrorTypeNoSndFileUser {
  type: "noSndFileUser"
  agentSndFileId: string
}

export interface ChatErrorTypeNotResolvedLocally {
  type: "notResolvedLocally"
}

export interface ChatErrorTypePeerChatVRangeIncompatible {
  type: "peerChatVRangeIncompatible"
}

export interface ChatErrorTypeRelayTestError {
  type: "relayTestError"
  message: string
}

export interface ChatErrorTypeServerProtocol {
  type: "serverProtocol"
  serverProtocol: ServerProtocol
}

export interface ChatErrorTypeSimplexDomainNotReady {
  type: "simplexDomainNotReady"
  simplexDomain: SimplexDomain
  simplexDomainError: SimplexDomainError
}

/** A case of a later version. */
export interface ChatErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export interface ChatErrorTypeUnsupportedConnReq {
  type: "unsupportedConnReq"
}

export interface ChatErrorTypeUserAlreadyHidden {
  type: "userAlreadyHidden"
  userId: number
}

export interface ChatErrorTypeUserExists {
  type: "userExists"
  contactName: string
}

export interface ChatErrorTypeUserNotHidden {
  type: "userNotHidden"
  userId: number
}

export interface ChatErrorTypeUserUnknown {
  type: "userUnknown"
}

/** A case of a later version. */
export interface ChatErrorUnlisted {
  /** The type of the case. */
  type: string
}

/** Errors of several commands or messages. */
export interface ChatErrorsEvent {
  type: "chatErrors"
  chatErrors: ChatError[]
}

/** One of timedMessages, fullDelete, reactions, voice, files, calls, sessions; later versions may add. */
export type ChatFeature = string

export interface ChatFiles {
  /** The kind of the chat. */
  chatType: "direct" | "group" | "local"
  /** The id of the chat. */
  chatId: number
  /** The number of files. */
  files: number
  /** The sum of their sizes in bytes. A file of several messages counts for each of them. */
  bytes: number
}

export type ChatInfo =
  | ChatInfoDirect
  | ChatInfoGroup
  | ChatInfoLocal
  | ChatInfoContactRequest
  | ChatInfoContactConnection
  | ChatInfoInvalidJSON

export interface ChatInfoContactConnection {
  type: "contactConnection"
  /** The connection that has no contact yet. */
  contactConnection: PendingContactConnection
}

export interface ChatInfoContactRequest {
  type: "contactRequest"
  /** The request that waits for an answer. */
  contactRequest: UserContactRequest
}

export interface ChatInfoDirect {
  type: "direct"
  /** The contact. */
  contact: Contact
}

export interface ChatInfoGroup {
  type: "group"
  /** The group. */
  groupInfo: GroupInfo
  /** The support chat of a member within the group; absent for the chat of the group itself. */
  groupChatScope?: GroupChatScopeInfo
}

export interface ChatInfoInvalidJSON {
  type: "invalidJSON"
  /** The type of the chat. */
  chatType: ChatType
  /** The stored value, which this version cannot read. */
  json: Record<string, unknown>
}

export interface ChatInfoLocal {
  type: "local"
  /** The notes of the profile. */
  noteFolder: NoteFolder
}

/** A case of a later version. */
export interface ChatInfoUnlisted {
  /** The type of the case. */
  type: string
}

/** The chat has changed, for example its settings or counts. */
export interface ChatInfoUpdatedEvent {
  type: "chatInfoUpdated"
  user: User
  chatInfo: ChatInfo
}

export interface ChatItem {
  /** The author: the user (`directSnd`, `groupSnd`, `localSnd`), a peer, or a member in `groupMember`. */
  chatDir: CIDirection
  /** Ids, times, status and marks of the item. */
  meta: CIMeta
  /** The content. Messages are `sndMsgContent` and `rcvMsgContent`; other types are events, calls and invitations. */
  content: CIContent
  /** The mentioned members, by the name after `@` in the text; empty without mentions. */
  mentions: Record<string, CIMention>
  /** The text in parts with formats; absent if no part has a format. */
  formattedText?: FormattedText[]
  /** The message that this message answers; absent without a quote. */
  quotedItem?: CIQuote
  /** The reactions, one entry for each emoji; empty without reactions. */
  reactions: CIReactionCount[]
  /** The file of the message; absent without a file. */
  file?: CIFile
}

/** A contact has deleted a message that this profile does not have. */
export interface ChatItemDeletedNotFoundEvent {
  type: "chatItemDeletedNotFound"
  user: User
  contact: Contact
  sharedMsgId: string
}

export interface ChatItemDeletion {
  /** The item before its deletion. */
  deletedChatItem: AChatItem
  /** The item with its mark, if the item stays as deleted; absent if it is gone. */
  toChatItem?: AChatItem
}

export interface ChatItemInfo {
  itemVersions: ChatItemVersion[]
  memberDeliveryStatuses?: MemberDeliveryStatus[]
  forwardedFromChatItem?: AChatItem
}

export interface ChatItemInfoResponse {
  type: "chatItemInfo"
  user: User
  chatItem: AChatItem
  chatItemInfo: ChatItemInfo
}

/** An edit of a message has not changed it. */
export interface ChatItemNotChangedEvent {
  type: "chatItemNotChanged"
  user: User
  chatItem: AChatItem
}

export interface ChatItemNotChangedResponse {
  type: "chatItemNotChanged"
  /** The profile. */
  user: User
  /** The item as it is, with its chat. */
  chatItem: AChatItem
}

/** A reaction to a message was added or removed. */
export interface ChatItemReactionEvent {
  type: "chatItemReaction"
  /** The profile whose event this is. */
  user: User
  /** True for a new reaction, false for one that was removed. */
  added: boolean
  /** The reaction, its author and its message. */
  reaction: ACIReaction
}

export interface ChatItemReactionResponse {
  type: "chatItemReaction"
  /** The profile. */
  user: User
  /** True for a new reaction, false for one that was removed. */
  added: boolean
  /** The reaction, its author and its message. */
  reaction: ACIReaction
}

export interface ChatItemTTLResponse {
  type: "chatItemTTL"
  user: User
  chatItemTTL?: number
}

/** A message was edited, or has changed in another way, for example its file or a live text. */
export interface ChatItemUpdatedEvent {
  type: "chatItemUpdated"
  /** The profile whose event this is. */
  user: User
  /** The item as it is now, with its chat. */
  chatItem: AChatItem
}

export interface ChatItemUpdatedResponse {
  type: "chatItemUpdated"
  /** The profile. */
  user: User
  /** The item as it is now, with its chat. */
  chatItem: AChatItem
}

export interface ChatItemVersion {
  chatItemVersionId: number
  msgContent: MsgContent
  formattedText?: FormattedText[]
  itemVersionTs: string
  createdAt: string
}

/** Messages were deleted or marked as deleted, by a person or because their lifetime has ended (`timed`). */
export interface ChatItemsDeletedEvent {
  type: "chatItemsDeleted"
  /** The profile whose event this is. */
  user: User
  /** The deleted items. `toChatItem` is what the chat shows instead; absent if the item is gone. */
  chatItemDeletions: ChatItemDeletion[]
  /** Whether this profile has deleted them. */
  byUser: boolean
  /** Whether they have disappeared because their time has come. */
  timed: boolean
}

export interface ChatItemsDeletedResponse {
  type: "chatItemsDeleted"
  /** The profile. */
  user: User
  /** The deleted items. */
  chatItemDeletions: ChatItemDeletion[]
  /** Whether this profile has deleted them. */
  byUser: boolean
  /** Whether they have disappeared because their time has come. */
  timed: boolean
}

export interface ChatItemsResponse {
  type: "chatItems"
  user: User
  chatName_?: ChatName
  chatItems: AChatItem[]
  next?: NextPage
  prev?: PrevPage
}

/** The status of sent messages has changed: sent, received by the contact, or failed. */
export interface ChatItemsStatusesUpdatedEvent {
  type: "chatItemsStatusesUpdated"
  /** The profile whose event this is. */
  user: User
  /** The items with their new `itemStatus`, each with its chat. */
  chatItems: AChatItem[]
}

export interface ChatModel {
  userId: number
  currentUser?: User
  /** All profiles that the key may see. */
  users: UserInfo[]
  totalUnreadCountForAllUsers: number
  /** The chat with the latest activity first; each with its last item. */
  chats: ModelChat[]
  chatTagsModel: ChatTagsModel
  /** The key of each entry is the id of the caller's chat. */
  callInvitations: Record<string, RcvCallInvitation>
  /** The active call that began last. */
  activeCall?: ActiveCall
  /** The key of each entry is the id of the contact's chat. */
  activeCalls: Record<string, ActiveCall>
  notifications: NotificationState
  remoteCtrlSession?: RemoteCtrlSession
  userAddress?: UserContactLink
  /** Seconds. */
  chatItemTTL?: number
  networkInfo: UserNetworkInfo
  conditions?: ServerOperatorConditions
  lifecycle: AppLifecycle
  /** The key of each entry is the id of the chat. */
  drafts: Record<string, ComposeState>
  /** The chat whose draft was changed last. */
  draftChatId?: string
}

export interface ChatMsgContentResponse {
  type: "chatMsgContent"
  user: User
  msgContent: MsgContent
}

export interface ChatName {
  chatType: ChatType
  chatName: string
}

/** One of human, bot; later versions may add. */
export type ChatPeerType = string

export interface ChatRelayTestResultResponse {
  type: "chatRelayTestResult"
  user: User
  relayProfile?: RelayProfile
  relayTestFailure?: RelayTestFailure
}

export interface ChatRunningResponse {
  type: "chatRunning"
}

export interface ChatSettings {
  /** Notifications: `all`, `none`, or `mentions` of the user only. */
  enableNtfs: MsgFilter
  /** Whether receipts are sent in this chat; absent: the setting of the profile. */
  sendRcpts?: boolean
  /** Whether the chat is a favorite. */
  favorite: boolean
}

export interface ChatStartedResponse {
  type: "chatStarted"
}

export interface ChatStats {
  /** Number of unread items in the chat. */
  unreadCount: number
  /** Number of unread items that mention the user. */
  unreadMentions: number
  /** Number of received reports in the group that were not deleted; 0 in other chats. */
  reportsCount: number
  /** The id of the first unread item; 0 if there is none. */
  minUnreadItemId: number
  /** Whether the user has marked the chat as unread. */
  unreadChat: boolean
}

export interface ChatStoppedResponse {
  type: "chatStopped"
}

/** The chat was suspended. Apps request this in the background. */
export interface ChatSuspendedEvent {
  type: "chatSuspended"
}

export interface ChatTag {
  chatTagId: number
  chatTagText: string
  chatTagEmoji?: string
}

export interface ChatTagsModel {
  userTags: ChatTag[]
  /** Number of chats of each kind: favorites, contacts, groups, business, groupReports. */
  presetTags: Record<string, number>
  /** Number of unread chats of each tag, by the number of the tag. */
  unreadTags: Record<string, number>
}

export interface ChatTagsResponse {
  type: "chatTags"
  user: User
  userTags: ChatTag[]
}

/** One of direct, group, local, contactRequest, contactConnection; later versions may add. */
export type ChatType = string

export interface ChatWallpaper {
  preset?: string
  /** The name of an own picture, from `uploadWallpaper`. */
  imageFile?: string
  background?: string
  tint?: string
  scaleType?: ChatWallpaperScale
  scale?: number
}

/** One of fill, fit, repeat; later versions may add. */
export type ChatWallpaperScale = string

export interface CheckDeviceTokenRequest {
  token: DeviceToken
}

export interface ClientNotice {
  ttl?: number
}

export interface CmdOkResponse {
  type: "cmdOk"
  /** The profile that the command was for; absent for a command of the whole store. */
  user_?: User
}

/** One of black, red, green, yellow, blue, magenta, cyan, white; later versions may add. */
export type Color = string

export type CommandError =
  | CommandErrorUnknown
  | CommandErrorSyntax
  | CommandErrorProhibited
  | CommandErrorNoAuth
  | CommandErrorHasAuth
  | CommandErrorNoEntity

export interface CommandErrorHasAuth {
  type: "HAS_AUTH"
}

export interface CommandErrorNoAuth {
  type: "NO_AUTH"
}

export interface CommandErrorNoEntity {
  type: "NO_ENTITY"
}

export interface CommandErrorProhibited {
  type: "PROHIBITED"
}

export interface CommandErrorSyntax {
  type: "SYNTAX"
}

export type CommandErrorType =
  | CommandErrorTypeProhibited
  | CommandErrorTypeSyntax
  | CommandErrorTypeNoConn
  | CommandErrorTypeSize
  | CommandErrorTypeLarge

export interface CommandErrorTypeLarge {
  type: "LARGE"
}

export interface CommandErrorTypeNoConn {
  type: "NO_CONN"
}

export interface CommandErrorTypeProhibited {
  type: "PROHIBITED"
}

export interface CommandErrorTypeSize {
  type: "SIZE"
}

export interface CommandErrorTypeSyntax {
  type: "SYNTAX"
}

/** A case of a later version. */
export interface CommandErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export interface CommandErrorUnknown {
  type: "UNKNOWN"
}

/** A case of a later version. */
export interface CommandErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface CommentsGroupPreference {
  enable: GroupFeatureEnabled
  /** Seconds. A request can set a number from 0 to 3155760000. */
  duration?: number
}

export interface ComposeState {
  message: string
  quotedItemId?: number | null
  editingItemId?: number | null
}

export interface ComposedMessage {
  /** The file to send with the message; absent without a file. */
  fileSource?: CryptoFile
  /** The item that this message answers; absent without a quote. */
  quotedItemId?: number
  /** The content of the message. */
  msgContent: MsgContent
  /** The mentioned members, by the name after `@` in the text: the values are `groupMemberId`. At most three. */
  mentions: Record<string, number>
}

export type ConditionsAcceptance = ConditionsAcceptanceAccepted | ConditionsAcceptanceRequired

export interface ConditionsAcceptanceAccepted {
  type: "accepted"
  acceptedAt?: string
  autoAccepted: boolean
}

export interface ConditionsAcceptanceRequired {
  type: "required"
  deadline?: string
}

/** A case of a later version. */
export interface ConditionsAcceptanceUnlisted {
  /** The type of the case. */
  type: string
}

export interface ConnMsgReq {
  msgConnId: string
  msgDbQueueId: number
  msgTs: string
}

export interface ConnNetworkStatus {
  /** The id of the connection: `agentConnId` of a contact's `activeConn`. */
  agentConnId: string
  networkStatus: {
    /** One of unknown, connected, disconnected, error; later versions may add. */
    type: string
  }
}

export interface ConnNtfMessagesResponse {
  type: "connNtfMessages"
  receivedMsgs: RcvNtfMsgInfo[]
}

export type ConnStatus = ConnStatusPlain | ConnStatusFailed

/** The connection has failed permanently. */
export interface ConnStatusFailed {
  type: "failed"
  connError: string
}

export interface ConnStatusPlain {
  type: "new" | "prepared" | "joined" | "requested" | "accepted" | "sndReady" | "ready" | "deleted"
}

/** A case of a later version. */
export interface ConnStatusUnlisted {
  /** The type of the case. */
  type: string
}

/** One of contact, member, user_contact; later versions may add. */
export type ConnType = string

export interface ConnectContactByAddressRequest {
  incognito?: boolean
}

export interface ConnectControllerRequest {
  xrcpInvitation: string
}

export interface ConnectPreparedContactRequest {
  incognito?: boolean
  msg?: MsgContent
}

export type ConnectPreparedContactResponse = StartedConnectionToContactResponse | ContactAlreadyExistsResponse

/** The connection with a member was made. */
export interface ConnectedToGroupMemberEvent {
  type: "connectedToGroupMember"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member. */
  member: GroupMember
  /** The contact that the member is too; absent if the member is no contact. */
  memberContact?: Contact
}

export interface Connection {
  /** The id of the connection. */
  connId: number
  /** The id of the connection in the agent, in base64url. */
  agentConnId: string
  /** The version of the chat protocol that both sides use. */
  connChatVersion: number
  /** The versions of the chat protocol that the peer supports. */
  peerChatVRange: VersionRange
  /** Number of people over whom the user got the link of the peer. */
  connLevel: number
  /** The contact who has passed on the link of the peer; absent without one. */
  viaContact?: number
  /** The address or the link of a group over which the peer came; absent without one. */
  viaUserContactLink?: number
  /** Whether the connection came over the link of a group. */
  viaGroupLink: boolean
  /** The id of that link; absent without one. */
  groupLinkId?: string
  /** The id of the request to connect, in base64url; absent without one. */
  xContactId?: string
  /** The profile that the peer sees in place of the user's own (incognito); absent without one. */
  customUserProfileId?: number
  /** The owner of the connection: a contact, a member, or the address of the user. */
  connType: ConnType
  /** Progress of connecting; `ready` at its end. */
  connStatus: ConnStatus
  /** Whether this side has begun to connect. */
  contactConnInitiated: boolean
  /** The user's own name for a connection that has no contact yet; empty without one. */
  localAlias: string
  /** The id of the owner: of the contact, the member or the address; absent without an owner. */
  entityId?: number
  /** The security code that the user has compared; absent before that. */
  connectionCode?: SecurityCode
  /** Whether long messages are compressed, so that post-quantum encryption has room. */
  pqSupport: boolean
  /** Whether post-quantum encryption is wanted. */
  pqEncryption: boolean
  /** Whether sent messages have post-quantum encryption; absent while unknown. */
  pqSndEnabled?: boolean
  /** Whether received messages have post-quantum encryption; absent while unknown. */
  pqRcvEnabled?: boolean
  /**
   * Number of messages that the relay has refused because the queue is gone. From 10 on the contact is disabled, until
   * `enableContact` sets 0.
   */
  authErrCounter: number
  /** Number of attempts at a full queue of the peer since the last success. From 5 on the connection is inactive. */
  quotaErrCounter: number
  /** The time at which the connection was made. */
  createdAt: string
}

/** Sending over a connection has stopped, because it is broken. */
export interface ConnectionDisabledEvent {
  type: "connectionDisabled"
  connectionEntity: ConnectionEntity
}

export type ConnectionEntity =
  | ConnectionEntityRcvDirectMsgConnection
  | ConnectionEntityRcvGroupMsgConnection
  | ConnectionEntityUserContactConnection

export interface ConnectionEntityRcvDirectMsgConnection {
  type: "rcvDirectMsgConnection"
  entityConnection: Connection
  contact?: Contact
}

export interface ConnectionEntityRcvGroupMsgConnection {
  type: "rcvGroupMsgConnection"
  entityConnection: Connection
  groupInfo: GroupInfo
  groupMember: GroupMember
}

/** A case of a later version. */
export interface ConnectionEntityUnlisted {
  /** The type of the case. */
  type: string
}

export interface ConnectionEntityUserContactConnection {
  type: "userContactConnection"
  entityConnection: Connection
  userContact: UserContact
}

export type ConnectionErrorType =
  | ConnectionErrorTypeNotFound
  | ConnectionErrorTypeDuplicate
  | ConnectionErrorTypeSimplex
  | ConnectionErrorTypeNotAccepted
  | ConnectionErrorTypeNotAvailable

export interface ConnectionErrorTypeDuplicate {
  type: "DUPLICATE"
}

export interface ConnectionErrorTypeNotAccepted {
  type: "NOT_ACCEPTED"
}

export interface ConnectionErrorTypeNotAvailable {
  type: "NOT_AVAILABLE"
}

export interface ConnectionErrorTypeNotFound {
  type: "NOT_FOUND"
}

export interface ConnectionErrorTypeSimplex {
  type: "SIMPLEX"
}

/** A case of a later version. */
export interface ConnectionErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

/** Sending over a connection has stopped because its queue is full, or has started again. */
export interface ConnectionInactiveEvent {
  type: "connectionInactive"
  connectionEntity: ConnectionEntity
  inactive: boolean
}

/** One of inv, con; later versions may add. */
export type ConnectionMode = string

export type ConnectionPlan =
  | ConnectionPlanInvitationLink
  | ConnectionPlanContactAddress
  | ConnectionPlanGroupLink
  | ConnectionPlanError

export interface ConnectionPlanContactAddress {
  type: "contactAddress"
  contactAddressPlan: ContactAddressPlan
}

export interface ConnectionPlanError {
  type: "error"
  chatError: ChatError
}

export interface ConnectionPlanGroupLink {
  type: "groupLink"
  groupLinkPlan: GroupLinkPlan
}

export interface ConnectionPlanInvitationLink {
  type: "invitationLink"
  invitationLinkPlan: InvitationLinkPlan
}

export interface ConnectionPlanResponse {
  type: "connectionPlan"
  user: User
  connLink: CreatedConnLink
  planSimplexName?: SimplexNameInfo
  otherSimplexName?: SimplexNameInfo
  connectionPlan: ConnectionPlan
}

/** A case of a later version. */
export interface ConnectionPlanUnlisted {
  /** The type of the case. */
  type: string
}

export interface ConnectionStats {
  connAgentVersion: number
  rcvQueuesInfo: RcvQueueInfo[]
  sndQueuesInfo: SndQueueInfo[]
  ratchetSyncState: RatchetSyncState
  ratchetSyncSupported: boolean
  subStatus?: SubscriptionStatus
}

export interface ConnectionUserChangedResponse {
  type: "connectionUserChanged"
  user: User
  fromConnection: PendingContactConnection
  toConnection: PendingContactConnection
  newUser: User
}

export interface ConnectionVerifiedResponse {
  type: "connectionVerified"
  user: User
  verified: boolean
  expectedCode: string
}

/** The result of comparing the two databases at the start. */
export interface ConnectionsDiffEvent {
  type: "connectionsDiff"
  userIds: DatabaseDiff
  connIds: DatabaseDiff
}

export interface Consumer {
  /** The name in the path. */
  name: string
  /** The events that it gets. */
  filter: ConsumerFilter
  /** Seconds after which an event that was not acknowledged is handed out again. */
  deadlineSeconds: number
  /** Number of attempts after which an event is set aside. */
  maxAttempts: number
  /** The key to which it belongs. */
  keyId: string
  /** The only profile whose events it gets, because the key that made the consumer was bound to it. */
  userId?: number
  /** The time of its creation. */
  createdAt: string
  /**
   * Its place in the journal: all events up to here were acknowledged or set aside, or are not for this consumer. When
   * an event waits while more than 2,000 later events are acknowledged, the place passes it; the event is still handed
   * out, and counts in `lag`.
   */
  cursor: string
  /**
   * Number of events that are not acknowledged yet, and of later entries of the journal, which the filter has not
   * checked yet. It grows while no worker takes events.
   */
  lag: number
  /** Number of events that workers have now. */
  handedOut: number
  /** Number of events that are set aside. */
  setAside: number
  /** The time of the last acknowledgement; absent before the first one. */
  lastAcknowledgedAt?: string
}

/** Selects events, as the parameters of `GET /v1/events`. An absent or empty list selects all. */
export interface ConsumerFilter {
  /** Only events of these types. */
  types?: string[]
  /** Only events of these profiles, and events that concern all profiles. */
  users?: number[]
  /** Only events that name one of these chats, such as `direct/4`. */
  chats?: string[]
}

export interface Contact {
  /** The id of the contact, as `chatId` of the chat type `direct`. */
  contactId: number
  /**
   * The name of the contact in this store, unique within the profile: the name of its profile, with a number if that
   * name is taken.
   */
  localDisplayName: string
  /** The profile that the contact has sent, with the user's own alias. */
  profile: LocalProfile
  /** The connection over which messages go; absent for a contact without one, such as a contact of a group. */
  activeConn?: Connection
  /**
   * Whether there was a conversation. A contact that exists only as a member of groups is not shown in the chat list.
   */
  contactUsed: boolean
  /** `active`; `deleted` if the contact has deleted the connection; `deletedByUser` if the user has. */
  contactStatus: ContactStatus
  /** Notifications, receipts and the favorite mark of the chat. */
  chatSettings: ChatSettings
  /** What the user allows this contact, as far as it differs from the user's profile. */
  userPreferences: Preferences
  /** What holds in the chat, from the preferences of both sides. */
  mergedPreferences: ContactUserPreferences
  /** The time at which the contact was stored here. */
  createdAt: string
  /** The time of the last change. */
  updatedAt: string
  /** The time by which the chat list is sorted. */
  chatTs?: string
  /** A contact whose link was read, and to whom the user has not connected yet; else absent. */
  preparedContact?: PreparedContact
  /** The id of the request of this contact that waits for an answer; else absent. */
  contactRequestId?: number
  /** The member of a group with whom the user has made this contact; absent for other contacts. */
  contactGroupMemberId?: number
  /** Whether the invitation to this member was sent. */
  contactGrpInvSent: boolean
  /** The invitation to a direct chat that a member has sent; else absent. */
  groupDirectInv?: GroupDirectInvitation
  /** The ids of the tags of the chat. */
  chatTags: number[]
  /** Seconds after which messages of this chat are deleted here; 0: never; absent: the time of the profile. */
  chatItemTTL?: number
  /** The colours of the chat in an app; absent without own colours. */
  uiThemes?: UIThemeEntityOverrides
  /** Whether the user has deleted the chat and kept the contact. */
  chatDeleted: boolean
  /** Data of bots and apps, which only this store has; absent without data. */
  customData?: Record<string, unknown>
}

export type ContactAddressPlan =
  | ContactAddressPlanOk
  | ContactAddressPlanOwnLink
  | ContactAddressPlanConnectingConfirmReconnect
  | ContactAddressPlanConnectingProhibit
  | ContactAddressPlanKnown
  | ContactAddressPlanContactViaAddress

export interface ContactAddressPlanConnectingConfirmReconnect {
  type: "connectingConfirmReconnect"
}

export interface ContactAddressPlanConnectingProhibit {
  type: "connectingProhibit"
  contact: Contact
}

export interface ContactAddressPlanContactViaAddress {
  type: "contactViaAddress"
  contact: Contact
}

export interface ContactAddressPlanKnown {
  type: "known"
  contact: Contact
}

export interface ContactAddressPlanOk {
  type: "ok"
  contactSLinkData_?: ContactShortLinkData
  ownerVerification?: OwnerVerification
  verifiedDomain?: SimplexDomain
}

export interface ContactAddressPlanOwnLink {
  type: "ownLink"
}

/** A case of a later version. */
export interface ContactAddressPlanUnlisted {
  /** The type of the case. */
  type: string
}

export interface ContactAlreadyExistsResponse {
  type: "contactAlreadyExists"
  user: User
  contact: Contact
}

/** A contact and a member were found to be the same person. */
export interface ContactAndMemberAssociatedEvent {
  type: "contactAndMemberAssociated"
  user: User
  contact: Contact
  groupInfo: GroupInfo
  member: GroupMember
  updatedContact: Contact
}

/** Another copy of the database uses the connection with the contact. */
export interface ContactAnotherClientEvent {
  type: "contactAnotherClient"
  user: User
  contact: Contact
}

export interface ContactCodeResponse {
  type: "contactCode"
  user: User
  contact: Contact
  connectionCode: string
}

/** A contact is connected, and messages can be sent. */
export interface ContactConnectedEvent {
  type: "contactConnected"
  /** The profile whose event this is. */
  user: User
  /** The contact. */
  contact: Contact
  /** The random profile that the contact sees; absent without `incognito`. */
  userCustomProfile?: Profile
}

/** A connection is being made, and the profile of the contact is known. */
export interface ContactConnectingEvent {
  type: "contactConnecting"
  /** The profile whose event this is. */
  user: User
  /** The contact. */
  contact: Contact
}

export interface ContactConnectionDeletedResponse {
  type: "contactConnectionDeleted"
  user: User
  connection: PendingContactConnection
}

/** A contact has deleted this profile from its contacts. */
export interface ContactDeletedByContactEvent {
  type: "contactDeletedByContact"
  /** The profile whose event this is. */
  user: User
  /** The contact. */
  contact: Contact
}

export interface ContactDeletedResponse {
  type: "contactDeleted"
  /** The profile. */
  user: User
  /** The contact. */
  contact: Contact
}

/** Sending to a contact has stopped, because its connection is broken. */
export interface ContactDisabledEvent {
  type: "contactDisabled"
  user: User
  contact: Contact
}

export interface ContactDomainVerifiedResponse {
  type: "contactDomainVerified"
  user: User
  contact: Contact
  verificationFailure?: string
}

export interface ContactInfoResponse {
  type: "contactInfo"
  user: User
  contact: Contact
  connectionStats_?: ConnectionStats
  customUserProfile?: Profile
}

/** The encryption with a contact has become resistant to quantum computers, or is no longer resistant. */
export interface ContactPQEnabledEvent {
  type: "contactPQEnabled"
  user: User
  contact: Contact
  pqEnabled: boolean
}

/** The progress in renegotiating the encryption with a contact. */
export interface ContactRatchetSyncEvent {
  type: "contactRatchetSync"
  user: User
  contact: Contact
  ratchetSyncProgress: RatchetSyncProgress
}

export interface ContactRatchetSyncStartedResponse {
  type: "contactRatchetSyncStarted"
  user: User
  contact: Contact
  connectionStats: ConnectionStats
}

/** A request for a connection has come from an existing contact. */
export interface ContactRequestAlreadyAcceptedEvent {
  type: "contactRequestAlreadyAccepted"
  user: User
  contact: Contact
}

export interface ContactRequestRejectedResponse {
  type: "contactRequestRejected"
  user: User
  contactRequest: UserContactRequest
  contact_?: Contact
}

export interface ContactShortLinkData {
  /** The profile of the owner. */
  profile: Profile
  /** The text that people see before they connect; absent for none. */
  message?: MsgContent
  /** Whether it is the address of a business. */
  business: boolean
  /** The badge of the owner, as checked here; absent for none. */
  localBadge?: LocalBadge
}

/** Messages can be sent to a contact, who may not be able to answer yet. */
export interface ContactSndReadyEvent {
  type: "contactSndReady"
  user: User
  contact: Contact
}

/** One of active, deleted, deletedByUser; later versions may add. */
export type ContactStatus = string

export interface ContactSwitchAbortedResponse {
  type: "contactSwitchAborted"
  user: User
  contact: Contact
  connectionStats: ConnectionStats
}

/** The progress in moving a queue of a contact to another relay. */
export interface ContactSwitchEvent {
  type: "contactSwitch"
  user: User
  contact: Contact
  switchProgress: SwitchProgress
}

export interface ContactSwitchStartedResponse {
  type: "contactSwitchStarted"
  user: User
  contact: Contact
  connectionStats: ConnectionStats
}

/** A contact has changed its profile or preferences. */
export interface ContactUpdatedEvent {
  type: "contactUpdated"
  /** The profile whose event this is. */
  user: User
  /** The contact before. */
  fromContact: Contact
  /** The contact now. */
  toContact: Contact
}

export interface ContactUserChangedResponse {
  type: "contactUserChanged"
  user: User
  fromContact: Contact
  newUser: User
  toContact: Contact
}

export type ContactUserPref = ContactUserPrefContact | ContactUserPrefUser

export interface ContactUserPrefContact {
  type: "contact"
  preference: SimplePreference
}

/** A case of a later version. */
export interface ContactUserPrefUnlisted {
  /** The type of the case. */
  type: string
}

export interface ContactUserPrefUser {
  type: "user"
  preference: SimplePreference
}

export interface ContactUserPreference {
  enabled: PrefEnabled
  userPreference: ContactUserPref
  contactPreference: SimplePreference
}

export interface ContactUserPreferences {
  /** Whether messages disappear in the chat with this contact. */
  timedMessages: ContactUserPreference
  /** Whether messages can be deleted for the other side in the chat with this contact. */
  fullDelete: ContactUserPreference
  /** Whether reactions are allowed in the chat with this contact. */
  reactions: ContactUserPreference
  /** Whether voice messages are allowed in the chat with this contact. */
  voice: ContactUserPreference
  /** Whether files and media are allowed in the chat with this contact. */
  files: ContactUserPreference
  /** Whether calls are allowed in the chat with this contact. */
  calls: ContactUserPreference
  /** Whether sessions are allowed in the chat with this contact. */
  sessions: ContactUserPreference
  /** The commands of a bot, for the menu of the apps. */
  commands?: ChatBotCommand[]
}

export interface ContactsListResponse {
  type: "contactsList"
  /** The profile. */
  user: User
  /** The contacts of the page. */
  contacts: Contact[]
  next?: NextPage
  prev?: PrevPage
}

/** Two contacts were found to be the same person, and were merged. */
export interface ContactsMergedEvent {
  type: "contactsMerged"
  user: User
  intoContact: Contact
  mergedContact: Contact
  updatedContact: Contact
}

export interface CoreVersionInfo {
  version: string
  simplexmqVersion: string
  simplexmqCommit: string
}

export interface CreateAddressCardRequest {
  sendAsGroup?: boolean
}

export interface CreateBackupRequest {
  /**
   * An absolute path on the server, outside of the data folder, where nothing exists yet. The copy gets this name when
   * it is complete.
   */
  folder: string
  /** The id of a store other than the first. */
  store?: string
  /** A passphrase, or a key of 64 hexadecimal digits, with which the copy is encrypted. */
  passphrase?: string
  /**
   * An absolute path on the server: the folder of an earlier copy. The copy shares the files that have not changed
   * since with the earlier copy, as further names of the same files (hard links), so it takes only the room of the
   * others. It stays whole when the earlier copy is deleted. Not with `passphrase`.
   */
  base?: string
}

export interface CreateBackupResponse {
  folder: string
  /** Number of files in the copy. */
  files: number
  /** Size of the files in the copy. */
  bytes: number
  /** Number of files that the copy shares with the earlier copy `base`. */
  shared?: number
  /** Ids of stores that are not in the copy, because other nodes have them open. Present only with several nodes. */
  elsewhere?: string[]
  /**
   * Ids of further stores that are not in the copy, because they were locked, moved or unlocked by a password while
   * they were copied, at two attempts, or because their databases were being replaced. Present only if there are such
   * stores.
   */
  leftOut?: string[]
  /**
   * Faults of the data folder, and so of the copy: keys, records, passwords or databases that are damaged or missing,
   * relays without their identity. The contents of databases are not checked completely. Present only if there are
   * faults.
   */
  faults?: string[]
}

/** The body has either `composedMessages` or `text`. */
export interface CreateBroadcastRequest {
  to: BroadcastReceivers
  /** At most 64 KiB as JSON. A file is an upload that no other message has. Quotes and mentions are refused. */
  composedMessages?: ComposedMessage[]
  /** The text of one message. */
  text?: string
  /** The maximal number of messages per second. */
  messagesPerSecond?: number
  /** The time before which nothing is sent, in UTC; absent to begin at once. */
  sendAt?: string
  /** Seconds after which the messages disappear. */
  ttl?: number
  /** In channels: sends the messages in the name of the channel. */
  sendAsGroup?: boolean
  /** In channels: signs the messages in the name of the profile. */
  sign?: boolean
}

export interface CreateChannelCardRequest {
  toChatType: "direct" | "group"
  toChatId: number
  toScope?: GroupChatScope
  sendAsGroup?: boolean
}

export interface CreateChannelRequest {
  relayIds: number[]
  groupProfile: GroupProfile
  incognito?: boolean
}

export type CreateChannelResponse = PublicGroupCreatedResponse | PublicGroupCreationFailedResponse

export interface CreateConnectionRequest {
  connLink: string | CreatedConnLink
  incognito?: boolean
}

export type CreateConnectionResponse =
  | SentConfirmationResponse
  | SentInvitationResponse
  | ContactAlreadyExistsResponse

export interface CreateEventTicketRequest {
  /**
   * The only path that the ticket opens, as in a URL, such as `/v1/users/1/model/changes`. By default it is the path of
   * the first request.
   */
  path?: string
}

export interface CreateEventTicketResponse {
  ticket: string
  /** The ticket must be used within so many seconds. */
  expiresIn: number
}

export interface CreateGroupLinkRequest {
  memberRole: "observer" | "member" | "moderator" | "admin" | "owner"
}

export interface CreateGroupRequest {
  groupProfile: GroupProfile
  incognito?: boolean
}

export interface CreateInvitationRequest {
  incognito?: boolean
}

export interface CreateKeyRequest {
  /** A name by which you recognize it. */
  name: string
  scopes?: KeyScope[]
  /** The only profile that the key can reach. */
  userId?: number
  /**
   * The only chats of the profile that the key can reach, such as `direct/4`. Needs `userId`, and excludes the scopes
   * `admin` and `stores`.
   */
  chats?: string[]
  /**
   * The only phone that the key can reach. The key opens only the routes below `/v1/remote-hosts/{remoteHostId}`, with
   * its scopes. Excludes `userId` and `chats`.
   */
  remoteHostId?: number
  /** The time when the key expires; not together with `expiresIn`. */
  expiresAt?: string
  /** Seconds until the key expires. */
  expiresIn?: number
  /**
   * For links that let somebody sign in once; needs `admin` among the scopes. The secret in the answer is valid for so
   * many seconds, and only for `whoami` and for rotating the key. The client that rotates the key in this time gets its
   * lasting secret, and the secret of the link becomes invalid.
   */
  claimWithin?: number
}

export interface CreateMigrationRequest {
  /** The passphrase of the databases in the archive, on one line. The other device asks for it. */
  passphrase: string
  /**
   * The programs that can import the archive, as for an export. `gateway` also keeps what the databases of the apps
   * cannot have.
   */
  format?: "gateway" | "app"
}

export interface CreateMigrationResponse {
  state: "ready"
  /** The link, a secret: everybody who has the link can download the archive. */
  link: string
  /** Size of the archive in bytes. */
  size: number
  createdAt: string
  /** The data that the archive lacks. */
  archiveErrors: ArchiveError[]
}

export interface CreatePushSubscriptionRequest {
  endpoint: string
  /** Milliseconds since 1970. */
  expirationTime?: number | null
  keys: {
    /** A point of P-256 in base64url. */
    p256dh: string
    /** 16 bytes in base64url. */
    auth: string
  }
  /** A name by which you recognize it. */
  name?: string
  /** Only events of these profiles. An empty list means all profiles. */
  users?: number[]
  /** Only events of these chats, such as `direct/4`. An empty list means all chats. */
  chats?: string[]
  /** Only messages that mention the user. */
  mentionsOnly?: boolean
  /** Whether notifications contain names and text, as `title` and `text`. */
  content?: boolean
}

export interface CreateStoreRequest {
  name: string
  passphrase?: string
  /**
   * The tenant to whose stream the store's events are appended, if there is a broker (`--events-redis`). The default is
   * the stream of `default`.
   */
  tenant?: string
}

export interface CreateStoreResponse {
  store: Store
  key: string
}

export interface CreateTagRequest {
  text: string
  emoji?: string
}

export interface CreateUserRequest {
  profile: Profile
  pastTimestamp?: boolean
  /** Makes the profile a chat relay. Owners of channels who have its address can ask it to serve their channels. */
  userChatRelay?: boolean
  /**
   * Lets relays know all message queues of the profile by one certificate, so that one command subscribes to all of
   * them. 409 if each connection has a separate session (`sessionMode` is `entity`).
   */
  clientService?: boolean
  /**
   * Whether the new profile becomes the active one. The first profile of a store does in any case. A phone activates
   * each new profile, and refuses `false` (422).
   */
  activate?: boolean
  /**
   * The servers of the new profile: `relay` for the gateway's own relays or the configured ones, `network` for the
   * servers of the public network's operators. Without it, the profile gets the servers with which the gateway was
   * started (`servers.default` of `GET /v1`). 422 for servers that the gateway does not offer, and for a profile of a
   * phone.
   */
  servers?: "relay" | "network"
}

export interface CreateWebhookRequest {
  /**
   * The URL to which events are posted: `https://…`, or `http://…` at an address that `--webhook-allow` names. A user
   * and a password before the host are sent as Basic authentication, and never shown again.
   */
  url: string
  /** A name by which you recognize it. */
  name?: string
  /** Only events of these types, as with `GET /v1/events`. An empty list means all types. */
  types?: EventType[]
  /** Only events of these profiles, and events that concern all profiles. An empty list means all profiles. */
  users?: number[]
  /** Only events that name one of these chats, such as `direct/4`. An empty list means all chats. */
  chats?: string[]
  /** Your own secret: `whsec_` and 24 to 64 bytes in base64. By default a secret is made. */
  secret?: string
  /** The place in the journal after which the webhook begins: an event's `id`, or `now`. */
  cursor?: string
}

export interface CreatedConnLink {
  /** The whole link. */
  connFullLink: string
  /** The short link, whose data is on a relay; absent without one. */
  connShortLink?: string
}

export interface CryptoFile {
  /**
   * The path of the file, relative to the folder of files. On the disk, a received or forwarded file has a random part
   * in its name; `fileName` of the message is the name that people see.
   */
  filePath: string
  /** The key and the nonce of a file that is encrypted on the disk; absent for a plain file. */
  cryptoArgs?: CryptoFileArgs
}

export interface CryptoFileArgs {
  fileKey: string
  fileNonce: string
}

export interface CtrlAppInfo {
  appVersionRange: {
    minVersion: string
    maxVersion: string
  }
  deviceName: string
  compression?: boolean
}

export interface CurrentRemoteHostResponse {
  type: "currentRemoteHost"
  remoteHost_?: RemoteHostInfo
}

/** A text from an extension of the core. */
export interface CustomChatEventEvent {
  type: "customChatEvent"
  user_?: User
  response: string
}

/** Entries that only one of the two databases has: numbers of profiles, or ids of connections. */
export interface DatabaseDiff {
  missingIds: (number | string)[]
  extraIds: (number | string)[]
}

export type DatabaseError =
  | DatabaseErrorErrorEncrypted
  | DatabaseErrorErrorPlaintext
  | DatabaseErrorErrorNoFile
  | DatabaseErrorErrorExport
  | DatabaseErrorErrorOpen

export interface DatabaseErrorErrorEncrypted {
  type: "errorEncrypted"
}

export interface DatabaseErrorErrorExport {
  type: "errorExport"
  sqliteError: SQLiteError
}

export interface DatabaseErrorErrorNoFile {
  type: "errorNoFile"
  dbFile: string
}

export interface DatabaseErrorErrorOpen {
  type: "errorOpen"
  sqliteError: SQLiteError
}

export interface DatabaseErrorErrorPlaintext {
  type: "errorPlaintext"
}

/** A case of a later version. */
export interface DatabaseErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface DatabaseQueues {
  database: "chat" | "agent"
  writes: WaitFigures
  /** Short reads may run among the writes. */
  reads: WaitFigures
}

export type DeleteChatResponse =
  | ContactDeletedResponse
  | ContactConnectionDeletedResponse
  | GroupDeletedUserResponse

export interface DeletedFiles {
  /** The number of deleted files. */
  files: number
}

/** A member was removed from a group. */
export interface DeletedMemberEvent {
  type: "deletedMember"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member who has done it. */
  byMember: GroupMember
  /** The member who was removed. */
  deletedMember: GroupMember
  /** Whether the messages of the member were deleted too. */
  withMessages: boolean
  /** Whether the signature of the message in a channel is valid; absent without a signature. */
  msgSigned?: MsgSigStatus
}

/** The profile was removed from a group. */
export interface DeletedMemberUserEvent {
  type: "deletedMemberUser"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member who has removed the profile. */
  member: GroupMember
  /** Whether the messages of the member were deleted too. */
  withMessages: boolean
  /** Whether the signature of the message in a channel is valid; absent without a signature. */
  msgSigned?: MsgSigStatus
}

export interface DeletedRcvQueue {
  agentConnId: string
  server: string
  agentQueueId: string
  agentError_?: AgentErrorType
}

export interface DeviceToken {
  pushProvider: "apns_dev" | "apns_prod" | "apns_test" | "apns_null"
  /** The token as the push service has given it: pairs of hexadecimal digits. */
  token: string
}

/** The document is not followed, or no longer followed. After 410, read it again. */
export interface DocumentEnded {
  type: "ended"
  problem: ProblemDetails
}

/**
 * An entry of a stream of several documents: a change, or a note about a document. The last entry of a stream can have
 * the reason of its end instead, without `document`: `keyEnded`, `storeLocked` or `storeDeleted`.
 */
export interface DocumentEntry {
  /** The path of the document, as the request has it. */
  document?: string
  /** The cursor of the document after this entry; absent for `ended`. */
  id?: string
  /** The time of a change. */
  createdAt?: string
  event: DocumentEvent
}

export type DocumentEvent =
  | ModelPatch
  | DocumentFollowed
  | DocumentEnded
  | KeyEndedEvent
  | StoreLockedEvent
  | StoreDeletedEvent

/** The document is followed from the cursor in `id` of the entry. */
export interface DocumentFollowed {
  type: "followed"
}

export interface DownloadStandaloneFileRequest {
  url: string
  file: CryptoFile
}

export interface DroppedMsg {
  brokerTs: string
  attempts: number
}

export interface E2EInfo {
  public?: boolean
  pqEnabled?: boolean
}

export type ErrorType =
  | ErrorTypeBlock
  | ErrorTypeSession
  | ErrorTypeCmd
  | ErrorTypeProxy
  | ErrorTypeAuth
  | ErrorTypeBlocked
  | ErrorTypeService
  | ErrorTypeCrypto
  | ErrorTypeQuota
  | ErrorTypeStore
  | ErrorTypeNoMsg
  | ErrorTypeLargeMsg
  | ErrorTypeExpired
  | ErrorTypeInternal
  | ErrorTypeName
  | ErrorTypeDuplicate

export interface ErrorTypeAuth {
  type: "AUTH"
}

export interface ErrorTypeBlock {
  type: "BLOCK"
}

export interface ErrorTypeBlocked {
  type: "BLOCKED"
  blockInfo: BlockingInfo
}

export interface ErrorTypeCmd {
  type: "CMD"
  cmdErr: CommandError
}

export interface ErrorTypeCrypto {
  type: "CRYPTO"
}

export interface ErrorTypeDuplicate {
  type: "DUPLICATE_"
}

export interface ErrorTypeExpired {
  type: "EXPIRED"
}

export interface ErrorTypeInternal {
  type: "INTERNAL"
}

export interface ErrorTypeLargeMsg {
  type: "LARGE_MSG"
}

export interface ErrorTypeName {
  type: "NAME"
  nameErr: NameErrorType
}

export interface ErrorTypeNoMsg {
  type: "NO_MSG"
}

export interface ErrorTypeProxy {
  type: "PROXY"
  proxyErr: ProxyError
}

export interface ErrorTypeQuota {
  type: "QUOTA"
}

export interface ErrorTypeService {
  type: "SERVICE"
}

export interface ErrorTypeSession {
  type: "SESSION"
}

export interface ErrorTypeStore {
  type: "STORE"
  storeErr: string
}

/** A case of a later version. */
export interface ErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

/** An event; `type` names it. Later versions may add events and members. */
export type Event =
  | ChatSuspendedEvent
  | ContactSwitchEvent
  | GroupMemberSwitchEvent
  | ContactRatchetSyncEvent
  | GroupMemberRatchetSyncEvent
  | ChatInfoUpdatedEvent
  | NewChatItemsEvent
  | ChatItemsStatusesUpdatedEvent
  | ChatItemUpdatedEvent
  | ChatItemNotChangedEvent
  | ChatItemReactionEvent
  | GroupChatItemsDeletedEvent
  | ChatItemsDeletedEvent
  | ChatItemDeletedNotFoundEvent
  | UserAcceptedGroupSentEvent
  | GroupLinkConnectingEvent
  | BusinessLinkConnectingEvent
  | SentGroupInvitationEvent
  | ContactUpdatedEvent
  | GroupMemberUpdatedEvent
  | ContactDeletedByContactEvent
  | ReceivedContactRequestEvent
  | AcceptingContactRequestEvent
  | AcceptingBusinessRequestEvent
  | ContactRequestAlreadyAcceptedEvent
  | BusinessRequestAlreadyAcceptedEvent
  | RcvFileDescrReadyEvent
  | RcvFileAcceptedEvent
  | RcvFileAcceptedSndCancelledEvent
  | RcvFileStartEvent
  | RcvFileProgressXFTPEvent
  | RcvFileCompleteEvent
  | RcvStandaloneFileCompleteEvent
  | RcvFileSndCancelledEvent
  | RcvFileErrorEvent
  | RcvFileWarningEvent
  | SndFileStartEvent
  | SndFileCompleteEvent
  | SndFileRcvCancelledEvent
  | SndFileProgressXFTPEvent
  | SndFileRedirectStartXFTPEvent
  | SndFileCompleteXFTPEvent
  | SndStandaloneFileCompleteEvent
  | SndFileErrorEvent
  | SndFileWarningEvent
  | ContactConnectingEvent
  | ContactConnectedEvent
  | ContactSndReadyEvent
  | ContactAnotherClientEvent
  | ConnectionsDiffEvent
  | SubscriptionEndEvent
  | SubscriptionStatusEvent
  | ServiceSubStatusEvent
  | HostConnectedEvent
  | HostDisconnectedEvent
  | ReceivedGroupInvitationEvent
  | UserJoinedGroupEvent
  | GroupLinkDataUpdatedEvent
  | GroupRelayUpdatedEvent
  | JoinedGroupMemberEvent
  | JoinedGroupMemberConnectingEvent
  | MemberAcceptedByOtherEvent
  | MemberRoleEvent
  | MemberBlockedForAllEvent
  | ConnectedToGroupMemberEvent
  | DeletedMemberEvent
  | DeletedMemberUserEvent
  | LeftMemberEvent
  | UnknownMemberCreatedEvent
  | UnknownMemberBlockedEvent
  | UnknownMemberAnnouncedEvent
  | GroupDeletedEvent
  | GroupUpdatedEvent
  | AcceptingGroupJoinRequestMemberEvent
  | NoMemberContactCreatingEvent
  | NewMemberContactReceivedInvEvent
  | ContactAndMemberAssociatedEvent
  | CallInvitationEvent
  | CallOfferEvent
  | CallAnswerEvent
  | CallExtraInfoEvent
  | CallEndedEvent
  | NtfMessageEvent
  | RemoteHostSessionCodeEvent
  | NewRemoteHostEvent
  | RemoteHostConnectedEvent
  | RemoteHostStoppedEvent
  | RemoteCtrlFoundEvent
  | RemoteCtrlSessionCodeEvent
  | RemoteCtrlStoppedEvent
  | ContactPQEnabledEvent
  | ContactDisabledEvent
  | ConnectionDisabledEvent
  | ConnectionInactiveEvent
  | AgentRcvQueuesDeletedEvent
  | AgentConnsDeletedEvent
  | AgentUserDeletedEvent
  | MessageErrorEvent
  | ChatErrorsEvent
  | TimedActionEvent
  | CustomChatEventEvent
  | RemoteCtrlConnectedEvent
  | ChatErrorEvent
  | ContactsMergedEvent
  | TerminalEventEvent
  | RedactedEvent
  | GapEvent
  | PassedEvent
  | StoreLockedEvent
  | StoreDeletedEvent
  | KeyEndedEvent

/**
 * An event as the journal has it, without content that was deleted later. A deleted item has the content `sndDeleted`
 * or `rcvDeleted` (`deleteMode` `internal`) and no text. An event whose whole content was deleted is `redacted`.
 */
export interface EventEntry {
  /** The cursor after this event. */
  id: string
  /** The time at which the event was stored, in UTC with nine fractional digits. */
  createdAt: string
  /** The phone from which the event comes. */
  remoteHostId?: number
  /** The profile that the event concerns; absent if it concerns all profiles, or none. */
  userId?: number
  /** The event. Types that a client does not know can come. */
  event: Event
}

/**
 * A message on a stream: an entry; or, without `createdAt`, a note that the filter has passed over events; or, without
 * `id` and `createdAt`, the reason why the stream ends.
 */
export interface EventLine {
  /** The cursor after this event. */
  id?: string
  /** The time at which the event was stored, in UTC with nine fractional digits. */
  createdAt?: string
  /** The phone from which the event comes. */
  remoteHostId?: number
  /** The profile that the event concerns; absent if it concerns all profiles, or none. */
  userId?: number
  /** The event, or the note of the stream. */
  event: Event
}

export interface EventPage {
  /**
   * Empty if none of the examined entries (at most some thousands) is for the key: `cursor` is then after these
   * entries.
   */
  events: EventEntry[]
  /** The cursor to continue from. */
  cursor: string
}

/** A type of events that a filter can select. `redacted` selects events whose content was deleted. */
export type EventType = "chatSuspended" | "contactSwitch" | "groupMemberSwitch" | "contactRatchetSync" | "groupMemberRatchetSync" | "chatInfoUpdated" | "newChatItems" | "chatItemsStatusesUpdated" | "chatItemUpdated" | "chatItemNotChanged" | "chatItemReaction" | "groupChatItemsDeleted" | "chatItemsDeleted" | "chatItemDeletedNotFound" | "userAcceptedGroupSent" | "groupLinkConnecting" | "businessLinkConnecting" | "sentGroupInvitation" | "contactUpdated" | "groupMemberUpdated" | "contactDeletedByContact" | "receivedContactRequest" | "acceptingContactRequest" | "acceptingBusinessRequest" | "contactRequestAlreadyAccepted" | "businessRequestAlreadyAccepted" | "rcvFileDescrReady" | "rcvFileAccepted" | "rcvFileAcceptedSndCancelled" | "rcvFileStart" | "rcvFileProgressXFTP" | "rcvFileComplete" | "rcvStandaloneFileComplete" | "rcvFileSndCancelled" | "rcvFileError" | "rcvFileWarning" | "sndFileStart" | "sndFileComplete" | "sndFileRcvCancelled" | "sndFileProgressXFTP" | "sndFileRedirectStartXFTP" | "sndFileCompleteXFTP" | "sndStandaloneFileComplete" | "sndFileError" | "sndFileWarning" | "contactConnecting" | "contactConnected" | "contactSndReady" | "contactAnotherClient" | "connectionsDiff" | "subscriptionEnd" | "subscriptionStatus" | "serviceSubStatus" | "hostConnected" | "hostDisconnected" | "receivedGroupInvitation" | "userJoinedGroup" | "groupLinkDataUpdated" | "groupRelayUpdated" | "joinedGroupMember" | "joinedGroupMemberConnecting" | "memberAcceptedByOther" | "memberRole" | "memberBlockedForAll" | "connectedToGroupMember" | "deletedMember" | "deletedMemberUser" | "leftMember" | "unknownMemberCreated" | "unknownMemberBlocked" | "unknownMemberAnnounced" | "groupDeleted" | "groupUpdated" | "acceptingGroupJoinRequestMember" | "noMemberContactCreating" | "newMemberContactReceivedInv" | "contactAndMemberAssociated" | "callInvitation" | "callOffer" | "callAnswer" | "callExtraInfo" | "callEnded" | "ntfMessage" | "remoteHostSessionCode" | "newRemoteHost" | "remoteHostConnected" | "remoteHostStopped" | "remoteCtrlFound" | "remoteCtrlSessionCode" | "remoteCtrlStopped" | "contactPQEnabled" | "contactDisabled" | "connectionDisabled" | "connectionInactive" | "agentRcvQueuesDeleted" | "agentConnsDeleted" | "agentUserDeleted" | "messageError" | "chatErrors" | "timedAction" | "customChatEvent" | "remoteCtrlConnected" | "chatError" | "contactsMerged" | "terminalEvent" | "redacted"

export interface ExportArchiveRequest {
  /**
   * The name of an archive of the store, such as `phone.zip` (see `/v1/database/archives`), or an absolute path on the
   * server. The path must be below the folder `space` of the store, or below another of its folders; it may be anywhere
   * with a key of the first store that has the scopes `admin` and `stores`.
   */
  archivePath: string
  disableCompression?: boolean
  /** Ignored: temporary files are made beside the databases. */
  parentTempDirectory?: string
  /**
   * The passphrase of the databases in the archive, if it differs from the passphrase of the store. The app asks for
   * it.
   */
  passphrase?: string
  /**
   * The programs that can import the archive. Channels that a profile owns, or serves as a relay, cannot be moved to an
   * app: the export is refused.
   */
  format?: "gateway" | "app"
}

/** One of always, yes, no; later versions may add. */
export type FeatureAllowed = string

export interface FetchRemoteHostFileRequest {
  file: {
    userId: number
    fileId: number
    sent: boolean
    fileSource: CryptoFile
  }
}

export interface FileDescr {
  fileDescrText: string
  fileDescrPartNo: number
  fileDescrComplete: boolean
}

export type FileError =
  | FileErrorAuth
  | FileErrorBlocked
  | FileErrorNoFile
  | FileErrorRelay
  | FileErrorOther

export interface FileErrorAuth {
  type: "auth"
}

export interface FileErrorBlocked {
  type: "blocked"
  server: string
  blockInfo: BlockingInfo
}

export interface FileErrorNoFile {
  type: "noFile"
}

export interface FileErrorOther {
  type: "other"
  fileError: string
}

export interface FileErrorRelay {
  type: "relay"
  srvError: SrvError
}

export type FileErrorType =
  | FileErrorTypeNotApproved
  | FileErrorTypeSize
  | FileErrorTypeRedirect
  | FileErrorTypeFileIo
  | FileErrorTypeNoFile

export interface FileErrorTypeFileIo {
  type: "FILE_IO"
  fileIOError: string
}

export interface FileErrorTypeNoFile {
  type: "NO_FILE"
}

export interface FileErrorTypeNotApproved {
  type: "NOT_APPROVED"
}

export interface FileErrorTypeRedirect {
  type: "REDIRECT"
  redirectError: string
}

export interface FileErrorTypeSize {
  type: "SIZE"
}

/** A case of a later version. */
export interface FileErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

/** A case of a later version. */
export interface FileErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface FileInvitation {
  fileName: string
  fileSize: number
  fileDigest?: string
  fileConnReq?: string
  fileInline?: string
  fileDescr?: FileDescr
}

/** One of smp, xftp, local; later versions may add. */
export type FileProtocol = string

export interface FileTransferMeta {
  /** The id of the file. */
  fileId: number
  xftpSndFile?: {
    agentSndFileId: string
    /** The description with which the file can be deleted from its servers. */
    privateSndFileDescr?: string
    agentSndFileDeleted: boolean
    cryptoArgs?: CryptoFileArgs
  }
  /** The file whose description this file has; absent for other files. */
  xftpRedirectFor?: number
  /** The name of the file. */
  fileName: string
  /** The path of the file on the gateway. */
  filePath: string
  /** Size in bytes. */
  fileSize: number
  /** The way of a file that is sent within messages; absent for other files. */
  fileInline?: string
  /** Size of a part in bytes. */
  chunkSize: number
  /** Whether the user has cancelled the file. */
  cancelled: boolean
}

export interface FileUpload {
  type: "fileUpload"
  /** Number of bytes that are on the disk. */
  offset: number
  /** Number of bytes of the whole file, if it is known. */
  length?: number
}

export interface FindPushConnectionsRequest {
  nonce: string
  encNtfInfo: string
}

/** A message of a client: it adds a document to a stream. */
export interface FollowDocument {
  /** The path of the document. */
  follow: string
  /** The `id` of the document, or of its last change that the client has. */
  cursor: string
}

export type Format =
  | FormatBold
  | FormatItalic
  | FormatStrikeThrough
  | FormatSnippet
  | FormatSecret
  | FormatSmall
  | FormatColored
  | FormatUri
  | FormatHyperLink
  | FormatSimplexLink
  | FormatSimplexName
  | FormatCommand
  | FormatMention
  | FormatEmail
  | FormatPhone

export interface FormatBold {
  type: "bold"
}

export interface FormatColored {
  type: "colored"
  /** The name of the color. */
  color: Color
}

export interface FormatCommand {
  type: "command"
  /** The command of a bot, without the slash. */
  commandStr: string
}

export interface FormatEmail {
  type: "email"
}

export interface FormatHyperLink {
  type: "hyperLink"
  /** The text to show; absent if the link itself is shown. */
  showText?: string
  /** The target of the link. */
  linkUri: string
}

export interface FormatItalic {
  type: "italic"
}

export interface FormatMention {
  type: "mention"
  /** The name of the member, as in `mentions`. */
  memberName: string
}

export interface FormatPhone {
  type: "phone"
}

export interface FormatSecret {
  type: "secret"
}

export interface FormatSimplexLink {
  type: "simplexLink"
  /** The text to show; absent if the link itself is shown. */
  showText?: string
  /** The kind of the link. */
  linkType: SimplexLinkType
  /** The link. */
  simplexUri: string
  /** The hosts of its relay. */
  smpHosts: string[]
}

export interface FormatSimplexName {
  type: "simplexName"
  /** The name and its kind. */
  nameInfo: SimplexNameInfo
}

export interface FormatSmall {
  type: "small"
}

export interface FormatSnippet {
  type: "snippet"
}

export interface FormatStrikeThrough {
  type: "strikeThrough"
}

/** A case of a later version. */
export interface FormatUnlisted {
  /** The type of the case. */
  type: string
}

export interface FormatUri {
  type: "uri"
}

export interface FormattedText {
  /** The format of this part; absent for plain text. */
  format?: Format
  /** The characters of this part, with the marks of its format left out. */
  text: string
}

export type ForwardConfirmation =
  | ForwardConfirmationFilesNotAccepted
  | ForwardConfirmationFilesInProgress
  | ForwardConfirmationFilesMissing
  | ForwardConfirmationFilesFailed

export interface ForwardConfirmationFilesFailed {
  type: "filesFailed"
  filesCount: number
}

export interface ForwardConfirmationFilesInProgress {
  type: "filesInProgress"
  filesCount: number
}

export interface ForwardConfirmationFilesMissing {
  type: "filesMissing"
  filesCount: number
}

export interface ForwardConfirmationFilesNotAccepted {
  type: "filesNotAccepted"
  fileIds: number[]
}

/** A case of a later version. */
export interface ForwardConfirmationUnlisted {
  /** The type of the case. */
  type: string
}

export interface ForwardMessagesRequest {
  fromChatType: "direct" | "group" | "local"
  fromChatId: number
  fromScope?: GroupChatScope
  itemIds: number[]
  ttl?: number
  sendAsGroup?: boolean
}

export interface ForwardPlanResponse {
  type: "forwardPlan"
  user: User
  itemsCount: number
  chatItemIds: number[]
  forwardConfirmation?: ForwardConfirmation
}

export interface FullGroupPreferences {
  /** Whether messages disappear, and after how many seconds. */
  timedMessages: TimedMessagesGroupPreference
  /** Whether members can send messages to each other outside of the group. */
  directMessages: RoleGroupPreference
  /** Whether messages can be deleted for all members. */
  fullDelete: GroupPreference
  /** Whether reactions are allowed. */
  reactions: GroupPreference
  /** Whether voice messages are allowed. */
  voice: RoleGroupPreference
  /** Whether files and media are allowed. */
  files: RoleGroupPreference
  /** Whether SimpleX links are allowed. */
  simplexLinks: RoleGroupPreference
  /** Whether members can report messages to the moderators. */
  reports: GroupPreference
  /** Whether new members get the latest messages. */
  history: GroupPreference
  /** Whether members can chat with the moderators. */
  support?: SupportGroupPreference
  /** Whether sessions are allowed. */
  sessions: RoleGroupPreference
  /** Whether members can comment on the posts of a channel. */
  comments?: CommentsGroupPreference
  /** Whether messages are signed. */
  signMessages?: GroupPreference
  /** The commands of a bot, for the menu of the apps. */
  commands: ChatBotCommand[]
}

export interface FullPreferences {
  /** Whether messages disappear. */
  timedMessages: TimedMessagesPreference
  /** Whether messages can be deleted for the other side. */
  fullDelete: SimplePreference
  /** Whether reactions are allowed. */
  reactions: SimplePreference
  /** Whether voice messages are allowed. */
  voice: SimplePreference
  /** Whether files and media are allowed. */
  files: SimplePreference
  /** Whether calls are allowed. */
  calls: SimplePreference
  /** Whether sessions are allowed. */
  sessions: SimplePreference
  /** The commands of a bot, for the menu of the apps. */
  commands: ChatBotCommand[]
}

/**
 * The reader is too late: the events after its cursor are no longer kept, or the session that it follows has ended. The
 * entry has neither `id` nor `createdAt`.
 */
export interface GapEvent {
  type: "gap"
  /** The cursor from which the reader can continue; absent when a session has ended. */
  oldest?: string
}

export type GetCoreStateResponse = ChatRunningResponse | ChatStoppedResponse

export interface GetCurrentKeyResponse {
  keyId: string
  name?: string
  scopes: KeyScope[]
  /** The id of the store; `default` for the first store. */
  storeId: string
  /** The only profile that the key can reach; absent if it can reach all profiles. */
  userId?: number
  /** The only chats that the key can reach; absent if it can reach all chats. */
  chats?: string[]
  /** The only phone that the key can reach. Such a key reaches nothing else. */
  remoteHostId?: number
  expiresAt?: string
}

export interface GetIndexResponse {
  versions: {
    /** The version of the gateway and of this contract. */
    program: string
    /** The first part of all paths, without the `v`. */
    api: string
    /** The version of the SimpleX core whose interface the gateway has. */
    core: string
  }
  limits: {
    /** Maximal number of bytes of a body, except the bodies of files and archives. */
    bodyBytes: number
    /** Maximal number of bytes of a file. */
    fileBytes: number
    /** Maximal number of requests in a second with one key; absent without a limit. */
    requestsPerKey?: number
    /** Maximal number of requests in a second from one address other than loopback; absent without a limit. */
    requestsPerAddress?: number
  }
  /** The servers of new profiles: `relay` or `network`, as in `POST /v1/users`. */
  servers: {
    /** The servers of a profile whose request does not choose. */
    default: string
    /** The servers that a request can choose. */
    offered: string[]
  }
  /** Paths by name. */
  links: Record<string, string>
}

export interface GetPushKeyResponse {
  publicKey: string
}

export interface GetUserResponse {
  user: User
  unreadCount?: number
  /** Seconds after which messages of the user's chats are deleted; absent: they are kept. */
  ttlSeconds?: number
}

/** A message in the form of Gotify. Other members are accepted. */
export interface GotifyNotice {
  /** The first line of the text. */
  title?: string
  /** The text. */
  message: string
  /** From 8 on the text is marked as urgent. */
  priority?: number
  /** The link at `client::notification`, `click`, `url` stands below the text. Other extras are ignored. */
  extras?: Record<string, unknown>
}

/** The body of a webhook contact point of Grafana. Other members are accepted. */
export interface GrafanaNotice {
  /** The name of the group, by which a repeated notice is recognized. */
  groupKey?: string
  /** The alerts of the group. */
  alerts: NoticeAlert[]
  /** Labels by which the alerts are grouped. */
  groupLabels?: NoticeTexts
  /** Labels that all alerts have. They stand once at the top. */
  commonLabels?: NoticeTexts
  /** Number of alerts that are left out of the body. */
  truncatedAlerts?: number
  /** The heading of the text. */
  title?: string
  /** The text in place of the list of alerts, if it comes from your own template. */
  message?: string
}

export interface Group {
  groupInfo: GroupInfo
  members: GroupMember[]
}

/** Messages of a group were deleted. The event contains only their ids. */
export interface GroupChatItemsDeletedEvent {
  type: "groupChatItemsDeleted"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The ids of the deleted items. */
  chatItemIDs: number[]
  /** Whether this profile has deleted them. */
  byUser: boolean
  /** The member who has deleted them; absent if unknown. */
  member_?: GroupMember
}

export interface GroupChatItemsDeletedResponse {
  type: "groupChatItemsDeleted"
  user: User
  groupInfo: GroupInfo
  chatItemIDs: number[]
  byUser: boolean
  member_?: GroupMember
}

export type GroupChatScope = GroupChatScopeMemberSupport

export type GroupChatScopeInfo = GroupChatScopeInfoMemberSupport

export interface GroupChatScopeInfoMemberSupport {
  type: "memberSupport"
  groupMember_?: GroupMember
}

/** A case of a later version. */
export interface GroupChatScopeInfoUnlisted {
  /** The type of the case. */
  type: string
}

export interface GroupChatScopeMemberSupport {
  type: "memberSupport"
  groupMemberId_?: number
}

/** A case of a later version. */
export interface GroupChatScopeUnlisted {
  /** The type of the case. */
  type: string
}

export interface GroupCreatedResponse {
  type: "groupCreated"
  /** The profile. */
  user: User
  /** The new group. */
  groupInfo: GroupInfo
}

/** The owner has deleted the group. */
export interface GroupDeletedEvent {
  type: "groupDeleted"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The owner who has deleted it. */
  member: GroupMember
  /** Whether the signature of the message in a channel is valid; absent without a signature. */
  msgSigned?: MsgSigStatus
}

export interface GroupDeletedUserResponse {
  type: "groupDeletedUser"
  user: User
  groupInfo: GroupInfo
  msgSigned?: boolean
}

export interface GroupDirectInvitation {
  /** The link of the invitation. */
  groupDirectInvLink: string
  /** The group of the member; absent if the group is gone. */
  fromGroupId_?: number
  /** The member; absent if the member is gone. */
  fromGroupMemberId_?: number
  /** The connection to the member; absent without one. */
  fromGroupMemberConnId_?: number
  /** Whether the user has accepted the invitation. */
  groupDirectInvStartedConnection: boolean
}

export interface GroupDomainVerifiedResponse {
  type: "groupDomainVerified"
  user: User
  groupInfo: GroupInfo
  verificationFailure?: string
}

/**
 * One of timedMessages, directMessages, fullDelete, reactions, voice, files, simplexLinks, reports, history, support,
 * sessions, comments, signMessages; later versions may add.
 */
export type GroupFeature = string

/** One of on, off; later versions may add. */
export type GroupFeatureEnabled = string

export interface GroupInfo {
  /** The id of the group, as `chatId` of the chat type `group`. */
  groupId: number
  /** Whether the group is a channel, whose messages go over chat relays. */
  useRelays: boolean
  /** The state of this profile as a relay of the channel; absent for other profiles. */
  relayOwnStatus?: RelayStatus
  /** The name of the group in this store, unique within the profile. */
  localDisplayName: string
  /** The name, picture and preferences that all members see. */
  groupProfile: GroupProfile
  /** The user's own name for the group; empty without one. */
  localAlias: string
  /** The customer and the business of a chat with a business address; absent for other groups. */
  businessChat?: BusinessChatInfo
  /** What the group allows, with all defaults. */
  fullGroupPreferences: FullGroupPreferences
  /** The user as a member: role, status and the profile that the members see. */
  membership: GroupMember
  /** Notifications, receipts and the favorite mark of the chat. */
  chatSettings: ChatSettings
  /** The time at which the group was stored here. */
  createdAt: string
  /** The time of the last change. */
  updatedAt: string
  /** The time by which the chat list is sorted. */
  chatTs?: string
  /** The time at which the members last got the user's profile; absent before that. */
  userMemberProfileSentAt?: string
  /** A group whose link was read, and which the user has not joined yet; else absent. */
  preparedGroup?: PreparedGroup
  /** The ids of the tags of the chat. */
  chatTags: number[]
  /** Seconds after which messages of this chat are deleted here; 0: never; absent: the time of the profile. */
  chatItemTTL?: number
  /** The colours of the chat in an app; absent without own colours. */
  uiThemes?: UIThemeEntityOverrides
  /** Data of bots and apps, which only this store has; absent without data. */
  customData?: Record<string, unknown>
  /** Numbers of members. */
  groupSummary: GroupSummary
  /** The version of the list of members of a channel; absent for other groups. */
  rosterVersion?: number
  /** Number of members who wait for approval, or whose support chats have news. */
  membersRequireAttention: number
  /** The link over which the user has joined; absent if it was another way. */
  viaGroupLinkUri?: string
  /**
   * Keys of a channel as the core shows them to its app. The gateway keeps private keys in the store: see
   * `groupPublicKeys`.
   */
  groupKeys?: GroupKeys
  /** Public keys of a channel; absent for other groups. */
  groupPublicKeys?: GroupPublicKeys
  /** The result of the check of the group's name; absent before a check. */
  groupDomainVerified?: boolean
}

export interface GroupInfoResponse {
  type: "groupInfo"
  user: User
  groupInfo: GroupInfo
}

/** Only other cores send it, such as the host of a remote session. This program never does. */
export interface GroupKeys {
  /** The identity of the channel, in base64url. */
  publicGroupId: string
  /** The key of the channel: the private key of an owner, or the public key. */
  groupRootKey: GroupRootKey
  /** The private key of the user in the channel. */
  memberPrivKey: string
}

export interface GroupLink {
  /** The id of the link in this store. */
  userContactLinkId: number
  /** The link. */
  connLinkContact: CreatedConnLink
  /** Whether there is a short link, with the profile of the group. */
  shortLinkDataSet: boolean
  /** The same, for all data of the profile. */
  shortLinkLargeDataSet: boolean
  /** The id that joining members send. */
  groupLinkId: string
  /** The role of members who join by the link. */
  acceptMemberRole: GroupMemberRole
}

/** The profile is joining a group by its link. */
export interface GroupLinkConnectingEvent {
  type: "groupLinkConnecting"
  user: User
  groupInfo: GroupInfo
  hostMember: GroupMember
}

export interface GroupLinkCreatedResponse {
  type: "groupLinkCreated"
  user: User
  groupInfo: GroupInfo
  groupLink: GroupLink
}

/** The link of a group has changed. */
export interface GroupLinkDataUpdatedEvent {
  type: "groupLinkDataUpdated"
  user: User
  groupInfo: GroupInfo
  groupLink: GroupLink
  groupRelays: GroupRelay[]
  relaysChanged: boolean
}

export interface GroupLinkDeletedResponse {
  type: "groupLinkDeleted"
  user: User
  groupInfo: GroupInfo
}

export interface GroupLinkOwner {
  memberId: string
  memberKey: string
}

export type GroupLinkPlan =
  | GroupLinkPlanOk
  | GroupLinkPlanOwnLink
  | GroupLinkPlanConnectingConfirmReconnect
  | GroupLinkPlanConnectingProhibit
  | GroupLinkPlanKnown
  | GroupLinkPlanNoRelays
  | GroupLinkPlanUpdateRequired

export interface GroupLinkPlanConnectingConfirmReconnect {
  type: "connectingConfirmReconnect"
}

export interface GroupLinkPlanConnectingProhibit {
  type: "connectingProhibit"
  groupInfo_?: GroupInfo
}

export interface GroupLinkPlanKnown {
  type: "known"
  groupInfo: GroupInfo
  groupUpdated?: boolean
  ownerVerification?: OwnerVerification
  linkOwners?: GroupLinkOwner[]
}

export interface GroupLinkPlanNoRelays {
  type: "noRelays"
  groupSLinkData_?: GroupShortLinkData
}

export interface GroupLinkPlanOk {
  type: "ok"
  groupSLinkInfo_?: GroupShortLinkInfo
  groupSLinkData_?: GroupShortLinkData
  ownerVerification?: OwnerVerification
  verifiedDomain?: SimplexDomain
}

export interface GroupLinkPlanOwnLink {
  type: "ownLink"
  groupInfo: GroupInfo
}

/** A case of a later version. */
export interface GroupLinkPlanUnlisted {
  /** The type of the case. */
  type: string
}

export interface GroupLinkPlanUpdateRequired {
  type: "updateRequired"
  groupSLinkData_?: GroupShortLinkData
}

export interface GroupLinkResponse {
  type: "groupLink"
  user: User
  groupInfo: GroupInfo
  groupLink: GroupLink
}

export interface GroupMember {
  /** The id of the member in this store. */
  groupMemberId: number
  /** The group of the member. */
  groupId: number
  /** A number of the member that is unique within the group. */
  indexInGroup?: number
  /** The id of the member that all members know, in base64url. */
  memberId: string
  /** The role, which decides what the member may do. */
  memberRole: GroupMemberRole
  /** The relation to the user: the user, the one who invited, or a member before or after the user. */
  memberCategory: GroupMemberCategory
  /** Progress of joining or leaving. */
  memberStatus: GroupMemberStatus
  /** The user's own settings for the member. */
  memberSettings: GroupMemberSettings
  /** Whether a moderator has blocked the member for all. */
  blockedByAdmin: boolean
  /** Who has invited the member. */
  invitedBy: InvitedBy
  /** The member who has invited this member; absent if unknown. */
  invitedByGroupMemberId?: number
  /** The name of the member in this store, unique within the profile. */
  localDisplayName: string
  /** The profile that the member shows to the group. */
  memberProfile: LocalProfile
  /** The contact who is this member; absent if there is none. */
  memberContactId?: number
  /** The id of the stored profile of the member. */
  memberContactProfileId: number
  /** The connection with the member; absent without one. */
  activeConn?: Connection
  /** The versions of the chat protocol that the member supports. */
  memberChatVRange: VersionRange
  /** The time at which the member was stored here. */
  createdAt: string
  /** The time of the last change. */
  updatedAt: string
  /** The conversation between the member and the moderators; absent before its first message. */
  supportChat?: GroupSupportChat
  /** The public key by which messages of the member are checked; absent without one. */
  memberPubKey?: string
  /** The link of a chat relay; absent for other members. */
  relayLink?: string
  /** The compared security code of the member in the original. This gateway has it in `activeConn.connectionCode`. */
  memberVerifiedCode?: SecurityCode
}

export interface GroupMemberAdmission {
  review?: MemberCriteria
}

/** One of user, invitee, host, pre, post; later versions may add. */
export type GroupMemberCategory = string

export interface GroupMemberCodeResponse {
  type: "groupMemberCode"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  connectionCode: string
}

export interface GroupMemberInfoResponse {
  type: "groupMemberInfo"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  connectionStats_?: ConnectionStats
}

/** The progress in renegotiating the encryption with a member. */
export interface GroupMemberRatchetSyncEvent {
  type: "groupMemberRatchetSync"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  ratchetSyncProgress: RatchetSyncProgress
}

export interface GroupMemberRatchetSyncStartedResponse {
  type: "groupMemberRatchetSyncStarted"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  connectionStats: ConnectionStats
}

export interface GroupMemberRef {
  /** The id of the member in this store. */
  groupMemberId: number
  /** The profile of the member. */
  profile: Profile
}

/** One of relay, observer, author, member, moderator, admin, owner; later versions may add. */
export type GroupMemberRole = string

export interface GroupMemberSettings {
  /** Whether the user sees messages of the member; `false` if the user has blocked the member. */
  showMessages: boolean
}

/**
 * One of rejected, removed, left, deleted, unknown, invited, pending_approval, pending_review, introduced, intro-inv,
 * accepted, announced, connected, complete, creator; later versions may add.
 */
export type GroupMemberStatus = string

export interface GroupMemberSwitchAbortedResponse {
  type: "groupMemberSwitchAborted"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  connectionStats: ConnectionStats
}

/** The progress in moving a queue of a member to another relay. */
export interface GroupMemberSwitchEvent {
  type: "groupMemberSwitch"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  switchProgress: SwitchProgress
}

export interface GroupMemberSwitchStartedResponse {
  type: "groupMemberSwitchStarted"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  connectionStats: ConnectionStats
}

/** A member has changed its profile. */
export interface GroupMemberUpdatedEvent {
  type: "groupMemberUpdated"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member before. */
  fromMember: GroupMember
  /** The member now. */
  toMember: GroupMember
}

export interface GroupMembersResponse {
  type: "groupMembers"
  user: User
  group: Group
  next?: NextPage
  prev?: PrevPage
}

export interface GroupOwnerContact {
  contactId: number
  memberId: string
}

export interface GroupPreference {
  enable: GroupFeatureEnabled
}

export interface GroupPreferences {
  /** Disappearing messages. */
  timedMessages?: TimedMessagesGroupPreference
  /** Direct messages between members. */
  directMessages?: RoleGroupPreference
  /** Deletion of sent messages for everybody. */
  fullDelete?: GroupPreference
  /** Reactions. */
  reactions?: GroupPreference
  /** Voice messages. */
  voice?: RoleGroupPreference
  /** Files and media. */
  files?: RoleGroupPreference
  /** SimpleX links in messages. */
  simplexLinks?: RoleGroupPreference
  /** Reports to moderators. */
  reports?: GroupPreference
  /** Recent messages for new members. */
  history?: GroupPreference
  /** Chats of members with the moderators. */
  support?: SupportGroupPreference
  /** Sessions of members; for later versions of the apps. */
  sessions?: RoleGroupPreference
  /** Comments on posts; for later versions of the apps. */
  comments?: CommentsGroupPreference
  /** Signatures of messages in a channel. */
  signMessages?: GroupPreference
  /** The menu of commands, if the group belongs to a bot. */
  commands?: ChatBotCommand[]
}

export interface GroupProfile {
  /** The name. Own names have at most 50 characters. */
  displayName: string
  /** A longer name; empty without one. */
  fullName: string
  /** A short description; absent without one. */
  shortDescr?: string
  /** A long description, or the greeting for new members; absent without one. */
  description?: string
  /** The picture as `data:image/jpg;base64,` and its bytes; absent without a picture. */
  image?: string
  /** The link and the type of a channel; absent for other groups. */
  publicGroup?: PublicGroupProfile
  /** What the group allows, as far as it differs from the defaults; absent: the defaults. */
  groupPreferences?: GroupPreferences
  /** Rules for the admission of new members; absent without rules. */
  memberAdmission?: GroupMemberAdmission
}

/** Members of `GroupProfile`, except `publicGroup`. Absent members keep their values; null deletes a value. */
export interface GroupProfilePatch {
  displayName?: string
  fullName?: string
  shortDescr?: string | null
  description?: string | null
  image?: string | null
  /** Members of `GroupPreferences`; null deletes one. */
  groupPreferences?: Record<string, unknown> | null
  /** Members of `GroupMemberAdmission`; null deletes one. */
  memberAdmission?: Record<string, unknown> | null
}

/**
 * The public keys that identify a channel, and that verify the user's signatures in it. The original's `groupKeys` also
 * has the private keys, which never leave the store here.
 */
export interface GroupPublicKeys {
  /** The identity of the channel, in base64url. */
  publicGroupId: string
  /** The public key of the channel. */
  groupRootKey: GroupRootKeyPublic
  /** The public key of the user in the channel. */
  memberPubKey: string
}

export interface GroupRelay {
  groupRelayId: number
  groupMemberId: number
  userChatRelay: UserChatRelay
  relayStatus: RelayStatus
  relayLink?: string
  relayCap: RelayCapabilities
}

/** A relay of a channel has changed its status. */
export interface GroupRelayUpdatedEvent {
  type: "groupRelayUpdated"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
  groupRelay: GroupRelay
}

export interface GroupRelaysAddFailedResponse {
  type: "groupRelaysAddFailed"
  user: User
  addRelayResults: AddRelayResult[]
}

export interface GroupRelaysAddedResponse {
  type: "groupRelaysAdded"
  user: User
  groupInfo: GroupInfo
  groupLink: GroupLink
  groupRelays: GroupRelay[]
}

export interface GroupRelaysResponse {
  type: "groupRelays"
  user: User
  groupInfo: GroupInfo
  groupRelays: GroupRelay[]
}

export type GroupRootKey = GroupRootKeyPrivate | GroupRootKeyPublic

export interface GroupRootKeyPrivate {
  type: "private"
  rootPrivKey: string
}

export interface GroupRootKeyPublic {
  type: "public"
  rootPubKey: string
}

/** A case of a later version. */
export interface GroupRootKeyUnlisted {
  /** The type of the case. */
  type: string
}

export interface GroupShortLinkData {
  groupProfile: GroupProfile
  publicGroupData?: PublicGroupData
}

export interface GroupShortLinkInfo {
  direct: boolean
  groupRelays: string[]
  publicGroupId?: string
}

export type GroupSndStatus =
  | GroupSndStatusNew
  | GroupSndStatusForwarded
  | GroupSndStatusInactive
  | GroupSndStatusSent
  | GroupSndStatusRcvd
  | GroupSndStatusError
  | GroupSndStatusWarning
  | GroupSndStatusInvalid

export interface GroupSndStatusError {
  type: "error"
  agentError: SndError
}

export interface GroupSndStatusForwarded {
  type: "forwarded"
}

export interface GroupSndStatusInactive {
  type: "inactive"
}

export interface GroupSndStatusInvalid {
  type: "invalid"
  text: string
}

export interface GroupSndStatusNew {
  type: "new"
}

export interface GroupSndStatusRcvd {
  type: "rcvd"
  msgRcptStatus: MsgReceiptStatus
}

export interface GroupSndStatusSent {
  type: "sent"
}

/** A case of a later version. */
export interface GroupSndStatusUnlisted {
  /** The type of the case. */
  type: string
}

export interface GroupSndStatusWarning {
  type: "warning"
  agentError: SndError
}

export interface GroupSummary {
  /** Number of current members. */
  currentMembers: number
  /**
   * Number of members in the data of the channel's link; absent for other groups, and for a link without this number.
   */
  publicMemberCount?: number
}

export interface GroupSupportChat {
  /** The time of the newest message. */
  chatTs: string
  /** Number of unread messages. */
  unread: number
  /** Number of unread messages of the member since the last answer of a moderator. */
  memberAttention: number
  /** Number of unread messages that mention the user. */
  mentions: number
  /** The time of the last message of the member; absent before that. */
  lastMsgFromMemberTs?: string
}

/** One of channel, group; later versions may add. */
export type GroupType = string

/** The profile or the preferences of a group have changed. */
export interface GroupUpdatedEvent {
  type: "groupUpdated"
  /** The profile whose event this is. */
  user: User
  /** The group before. */
  fromGroup: GroupInfo
  /** The group now. */
  toGroup: GroupInfo
  /** The member who has changed it; absent if unknown. */
  member_?: GroupMember
  /** Whether the signature of the message in a channel is valid; absent without a signature. */
  msgSigned?: MsgSigStatus
}

export interface GroupUserChangedResponse {
  type: "groupUserChanged"
  user: User
  fromGroup: GroupInfo
  newUser: User
  toGroup: GroupInfo
}

export interface GroupsListResponse {
  type: "groupsList"
  /** The profile. */
  user: User
  /** The groups of the page. */
  groups: GroupInfo[]
  next?: NextPage
  prev?: PrevPage
}

export type HandshakeError =
  | HandshakeErrorParse
  | HandshakeErrorIdentity
  | HandshakeErrorBadAuth
  | HandshakeErrorBadService

export interface HandshakeErrorBadAuth {
  type: "BAD_AUTH"
}

export interface HandshakeErrorBadService {
  type: "BAD_SERVICE"
}

export interface HandshakeErrorIdentity {
  type: "IDENTITY"
}

export interface HandshakeErrorParse {
  type: "PARSE"
}

/** A case of a later version. */
export interface HandshakeErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface HideUserRequest {
  viewPwd: string
}

/** The first connection to a relay was made. */
export interface HostConnectedEvent {
  type: "hostConnected"
  protocol: string
  transportHost: string
}

/** The connection to a relay was lost. */
export interface HostDisconnectedEvent {
  type: "hostDisconnected"
  protocol: string
  transportHost: string
}

export interface ImportArchiveRequest {
  /**
   * The name of an archive of the store, such as `phone.zip` (see `/v1/database/archives`), or an absolute path on the
   * server. The path must be below the folder `space` of the store, or below another of its folders; it may be anywhere
   * with a key of the first store that has the scopes `admin` and `stores`.
   */
  archivePath: string
  disableCompression?: boolean
  /** Ignored: temporary files are made beside the databases. */
  parentTempDirectory?: string
  /**
   * The passphrase of the databases in the archive, if it differs from the passphrase of the store. For an archive of
   * an app, it is the passphrase that the app shows, or that the user has set there; leave it out if the app has none.
   * A passphrase for databases without encryption is refused, as in the apps. The imported databases get the key of the
   * store.
   */
  passphrase?: string
}

export type InvitationLinkPlan =
  | InvitationLinkPlanOk
  | InvitationLinkPlanOwnLink
  | InvitationLinkPlanConnecting
  | InvitationLinkPlanKnown

export interface InvitationLinkPlanConnecting {
  type: "connecting"
  contact_?: Contact
}

export interface InvitationLinkPlanKnown {
  type: "known"
  contact: Contact
}

export interface InvitationLinkPlanOk {
  type: "ok"
  contactSLinkData_?: ContactShortLinkData
  ownerVerification?: OwnerVerification
}

export interface InvitationLinkPlanOwnLink {
  type: "ownLink"
}

/** A case of a later version. */
export interface InvitationLinkPlanUnlisted {
  /** The type of the case. */
  type: string
}

export interface InvitationResponse {
  type: "invitation"
  /** The profile. */
  user: User
  /** The link for one person. */
  connLinkInvitation: CreatedConnLink
  /** The pending connection. */
  connection: PendingContactConnection
}

export interface InviteMemberRequest {
  contactId: number
  memberRole: "observer" | "member" | "moderator" | "admin" | "owner"
}

export type InvitedBy = InvitedByContact | InvitedByUser | InvitedByUnknown

export interface InvitedByContact {
  type: "contact"
  byContactId: number
}

export interface InvitedByUnknown {
  type: "unknown"
}

/** A case of a later version. */
export interface InvitedByUnlisted {
  /** The type of the case. */
  type: string
}

export interface InvitedByUser {
  type: "user"
}

export interface ItemsModel {
  secondaryIMFilter?: SecondaryItemsModelFilter
  isLoading: boolean
  /** The chat whose items are being loaded. */
  showLoadingProgress?: string
  /** Whether the oldest item of the chat is loaded. */
  lastItemsLoaded: boolean
  newestLoaded: boolean
  preloadState: PreloadState
  chatState: ActiveChatState
  /** The newest first. */
  reversedChatItems: ChatItem[]
}

export interface ItemsReadForChatResponse {
  type: "itemsReadForChat"
  user: User
  chatInfo: ChatInfo
}

export interface JoinPreparedGroupRequest {
  incognito?: boolean
  ownerContact?: GroupOwnerContact
  msg?: MsgContent
}

/** A member is joining a group, and another member has introduced the joining member. */
export interface JoinedGroupMemberConnectingEvent {
  type: "joinedGroupMemberConnecting"
  user: User
  groupInfo: GroupInfo
  hostMember: GroupMember
  member: GroupMember
}

/** A member has joined a group. */
export interface JoinedGroupMemberEvent {
  type: "joinedGroupMember"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The new member. */
  member: GroupMember
}

export interface KeepAliveOpts {
  keepIdle: number
  keepIntvl: number
  keepCnt: number
}

/**
 * The last event on a stream: the key of the stream was revoked, has expired, or has another secret. The entry has
 * neither `id` nor `createdAt`.
 */
export interface KeyEndedEvent {
  type: "keyEnded"
}

export type KeyScope = "read" | "write" | "events" | "admin" | "stores"

/** A member has left a group. */
export interface LeftMemberEvent {
  type: "leftMember"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member who has left. */
  member: GroupMember
  /** Whether the signature of the message in a channel is valid; absent without a signature. */
  msgSigned?: MsgSigStatus
}

export interface LeftMemberUserResponse {
  type: "leftMemberUser"
  /** The profile. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
}

export type LinkContent = LinkContentPage | LinkContentImage | LinkContentVideo

export interface LinkContentImage {
  type: "image"
}

export interface LinkContentPage {
  type: "page"
}

/** A case of a later version. */
export interface LinkContentUnlisted {
  /** The type of the case. */
  type: string
}

export interface LinkContentVideo {
  type: "video"
  duration?: number
}

export interface LinkOwnerSig {
  ownerId?: string
  chatBinding: string
  ownerSig: string
}

export interface LinkPreview {
  /** The address of the page. */
  uri: string
  /** The title of the page. */
  title: string
  /** The description of the page; empty without one. */
  description: string
  /** The picture of the card, in the form of `image` in `MsgContentImage`; empty without a picture. */
  image: string
  /** The kind of the page; absent if unknown. */
  content?: LinkContent
}

export interface ListArchivesResponse {
  archives: StoredArchive[]
  next: NextPage
  prev: PrevPage
}

export interface ListBroadcastResultsResponse {
  results: BroadcastResult[]
  next: NextPage
  prev: PrevPage
}

export interface ListBroadcastsResponse {
  broadcasts: Broadcast[]
  next: NextPage
  prev: PrevPage
}

export interface ListConsumersResponse {
  consumers: Consumer[]
  next: NextPage
  prev: PrevPage
}

export interface ListFileSizesResponse {
  chats: ChatFiles[]
  next: NextPage
  prev: PrevPage
}

export interface ListKeysResponse {
  keys: APIKey[]
  next: NextPage
  prev: PrevPage
}

export interface ListNodesResponse {
  nodes: Node[]
  next: NextPage
  prev: PrevPage
}

export interface ListOperationsResponse {
  operations: LongOperation[]
  next: NextPage
  prev: PrevPage
}

export interface ListPushSubscriptionsResponse {
  subscriptions: PushSubscription[]
  next: NextPage
  prev: PrevPage
}

export interface ListScheduledMessagesResponse {
  scheduledMessages: ScheduledMessage[]
  next: NextPage
  prev: PrevPage
}

export interface ListSessionsResponse {
  next: NextPage
  prev: PrevPage
  sessions: {
    sessionId: string
    chatId?: string
    idleSeconds: number
  }[]
}

export interface ListSetAsideEventsResponse {
  events: SetAsideEvent[]
  next: NextPage
  prev: PrevPage
}

export interface ListStoresResponse {
  stores: Store[]
  next: NextPage
  prev: PrevPage
}

export interface ListWebhookDeliveriesResponse {
  deliveries: WebhookDelivery[]
  next: NextPage
  prev: PrevPage
}

export interface ListWebhooksResponse {
  webhooks: Webhook[]
  next: NextPage
  prev: PrevPage
}

/**
 * At most one of `before`, `after` and `around`. A page begins at a message and not at a cursor, since a session can
 * have several gaps, and each message beside a gap is a place to load from.
 */
export interface LoadSessionMessagesRequest {
  /** The id of the item before which the page ends. */
  before?: number
  /** The id of the item after which the page begins. */
  after?: number
  /** The id of the item in the middle of the page. */
  around?: number
  /** Number of messages. */
  limit?: number
  /** The open chat, or its second list. */
  list?: "primary" | "secondary"
}

export interface LoadedRange {
  newestItemId: number
  oldestItemId: number
  count: number
}

export interface LocalBadge {
  badge: BadgeInfo
  status: BadgeStatus
}

export interface LocalProfile {
  /** The id of the stored profile. */
  profileId?: number
  /** The name. Own names have at most 50 characters. */
  displayName: string
  /** A longer name; empty without one. */
  fullName: string
  /** A short description; absent without one. */
  shortDescr?: string
  /** A long description; absent without one. */
  description?: string
  /** The picture as `data:image/jpg;base64,` and its bytes; absent without a picture. */
  image?: string
  /** The address of the profile; absent if the profile does not show it. */
  contactLink?: string
  /** What the profile allows its contacts; absent: the defaults. */
  preferences?: Preferences
  /** `bot` for a bot; absent for a person. */
  peerType?: ChatPeerType
  /** The badge and the result of its check; absent without one. */
  localBadge?: LocalBadge
  /** The user's own name for this profile, which nobody else sees; absent or empty without one. */
  localAlias?: string
  /** The SimpleX name that the profile claims; absent without one. */
  contactDomain?: SimplexDomainClaim
  /** The result of the check of the name; absent before a check. */
  contactDomainVerified?: boolean
}

export interface LocksResponse {
  /** The lock of starts, stops, and operations that close the databases. */
  lifecycle: WaitFigures
  /** The number of commands that run. Operations that close the databases wait for them. */
  runningCommands: number
  databases: DatabaseQueues[]
}

export interface LogLevel {
  level: "trace" | "debug" | "info" | "notice" | "warning" | "error" | "critical"
}

export interface LongOperation {
  type: "operation"
  /** The id in the path. */
  operationId: string
  /** The `operationId` in this contract of the request that began it, such as `createBackup`. */
  operation: string
  /**
   * `done`: `result` has the answer. `failed`: `problem` has the reason. `cancelled`: the work has ended without an
   * effect.
   */
  state: "running" | "done" | "failed" | "cancelled"
  /** The key that began it. */
  keyId: string
  /** The id of the request that began it, as in the log. */
  requestId: string
  startedAt: string
  /** Absent while it runs. */
  endedAt?: string
  /** The time from which it is no longer kept, a day after its end; absent while it runs. */
  expiresAt?: string
  /** Whether `POST …/cancel` has an effect now. */
  cancellable: boolean
  /** `true` after the request to cancel it, until the work has stopped. */
  cancelling?: boolean
  progress?: OperationProgress
  /**
   * The status of the answer that the request would have had without an operation; absent while it runs, and when it
   * was cancelled.
   */
  status?: number
  /** The `Location` of this answer, if it has one. */
  location?: string
  /**
   * The body of this answer, as the contract has it at the operation named in `operation`. For `uploadStandaloneFile`
   * it is the event `sndStandaloneFileComplete` with the links. Absent in lists, and for another key than `keyId`.
   */
  result?: Record<string, unknown>
  problem?: ProblemDetails
}

export type MarkChatReadResponse = CmdOkResponse | MemberSupportChatReadResponse

export interface MarkMessagesReadRequest {
  itemIds: number[]
}

/** A moderator has accepted a member into the group. */
export interface MemberAcceptedByOtherEvent {
  type: "memberAcceptedByOther"
  user: User
  groupInfo: GroupInfo
  acceptingMember: GroupMember
  member: GroupMember
}

export interface MemberAcceptedResponse {
  type: "memberAccepted"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
}

/** A member was blocked for all, or unblocked. */
export interface MemberBlockedForAllEvent {
  type: "memberBlockedForAll"
  user: User
  groupInfo: GroupInfo
  byMember: GroupMember
  member: GroupMember
  blocked: boolean
  msgSigned?: MsgSigStatus
}

export interface MemberContactAcceptedResponse {
  type: "memberContactAccepted"
  user: User
  contact: Contact
}

/** One of all; later versions may add. */
export type MemberCriteria = string

export interface MemberDeliveryStatus {
  groupMemberId: number
  memberDeliveryStatus: GroupSndStatus
  sentViaProxy?: boolean
}

export interface MemberReaction {
  groupMember: GroupMember
  reactionTs: string
}

/** The role of a member has changed. */
export interface MemberRoleEvent {
  type: "memberRole"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member who has done it. */
  byMember: GroupMember
  /** The member with the new role. */
  member: GroupMember
  /** The role before. */
  fromRole: GroupMemberRole
  /** The role now. */
  toRole: GroupMemberRole
  /** Whether the signature of the message in a channel is valid; absent without a signature. */
  msgSigned?: MsgSigStatus
}

export interface MemberSupportChatDeletedResponse {
  type: "memberSupportChatDeleted"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
}

export interface MemberSupportChatReadResponse {
  type: "memberSupportChatRead"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
}

export interface MembersBlockedForAllUserResponse {
  type: "membersBlockedForAllUser"
  user: User
  groupInfo: GroupInfo
  members: GroupMember[]
  blocked: boolean
  msgSigned?: boolean
}

export interface MembersRoleUserResponse {
  type: "membersRoleUser"
  user: User
  groupInfo: GroupInfo
  members: GroupMember[]
  toRole: GroupMemberRole
  msgSigned?: boolean
}

/** A received message is damaged, or does not fit the state of the chat. */
export interface MessageErrorEvent {
  type: "messageError"
  /** The profile whose event this is. */
  user: User
  /** `error`, or `warning`. */
  severity: string
  /** The error in words. */
  errorMessage: string
}

export interface MessageStep {
  /**
   * `accepted`: the item of a sent message was stored. `committed`: the message to one recipient was stored in the
   * outbox. `atRelay`: the relay has accepted the message. `failed`: the message to one recipient was given up.
   * `received`: the item of a received message was stored. `receipt`: the receipt of one recipient has arrived.
   */
  step: "accepted" | "committed" | "atRelay" | "failed" | "received" | "receipt"
  /**
   * The time by the clock of this gateway. `atRelay` of a received message has the time of the relay in whole seconds,
   * or the time that the forwarder of the message states.
   */
  time: string
  /** The contact who gets the message. Absent in a step of the item, and for a member. */
  contactId?: number
  /** The member who gets the message. Absent in a step of the item, and for a contact. */
  groupMemberId?: number
}

export interface MessageTraceResponse {
  steps: MessageStep[]
  next: NextPage
  prev: PrevPage
}

export interface MigrationState {
  /** `ready`: another device can get the profiles with the link. */
  state: "none" | "running" | "ready"
  /** Size of the archive in bytes, if the state is `ready`. */
  size?: number
  /** The time of the link, if the state is `ready`. */
  createdAt?: string
}

export interface ModelChange {
  /** The cursor after this change. */
  id: string
  createdAt: string
  event: ModelPatch
}

export interface ModelChangePage {
  events: ModelChange[]
  /** The cursor to continue from. */
  cursor: string
}

export interface ModelChat {
  /** `@1` a contact, `#5` a group, `*1` notes, `<@2` a contact request, `:3` a pending connection. */
  id: string
  chatInfo: ChatInfo
  /** The last item, if there is one. */
  chatItems: ChatItem[]
  chatStats: ChatStats
  /** The time when the conversation was made. */
  createdAt: string
  /**
   * Only for groups. For a moderator, the number of members whose support chats wait for an answer. For another member,
   * the number of unread messages in the own support chat.
   */
  supportUnreadCount?: number
}

export interface ModelChatPage {
  /** The `id` of the state to which the chats belong. */
  id: string
  chats: ModelChat[]
  next: NextPage
  prev: PrevPage
}

export interface ModelPatch {
  type: "modelPatch"
  /** The cursor of the events to which the changed document corresponds. */
  cursor: string
  /** A JSON Patch (RFC 6902). */
  patch: PatchOperation[]
}

export interface ModelSnapshot {
  /** The cursor from which the changes of this document follow. */
  id: string
  /** The cursor of the events to which the state corresponds. */
  cursor: string
  model: ChatModel
  next: NextPage
  prev: PrevPage
}

export interface ModerateMessagesRequest {
  itemIds: number[]
}

export interface MoveStoreRequest {
  node: string
}

export type MsgChatLink = MsgChatLinkContact | MsgChatLinkInvitation | MsgChatLinkGroup

export interface MsgChatLinkContact {
  type: "contact"
  connLink: string
  profile: Profile
  business: boolean
}

export interface MsgChatLinkGroup {
  type: "group"
  connLink: string
  groupProfile: GroupProfile
}

export interface MsgChatLinkInvitation {
  type: "invitation"
  invLink: string
  profile: Profile
}

/** A case of a later version. */
export interface MsgChatLinkUnlisted {
  /** The type of the case. */
  type: string
}

export type MsgContent =
  | MsgContentText
  | MsgContentLink
  | MsgContentImage
  | MsgContentVideo
  | MsgContentVoice
  | MsgContentFile
  | MsgContentReport
  | MsgContentChat

export interface MsgContentChat {
  type: "chat"
  /** A text beside the link, or the link itself for apps without cards. */
  text: string
  /** The link of a contact, group or channel, with its profile. */
  chatLink: MsgChatLink
  /** The signature of the owner of the link; absent without one. */
  ownerSig?: LinkOwnerSig
}

export interface MsgContentFile {
  type: "file"
  /** A text beside the file; empty without one. */
  text: string
}

export interface MsgContentImage {
  type: "image"
  /** The caption; empty without one. */
  text: string
  /**
   * The preview: `data:image/jpg;base64,` or another type of image, and the bytes in base64 with padding, at most
   * 15,602 characters; the apps make at most 14,000. A new message with another text gets 422. A received message may
   * have any text.
   */
  image: string
}

export interface MsgContentLink {
  type: "link"
  /** The text around the link, and the link. */
  text: string
  /** The card of the page. */
  preview: LinkPreview
}

export interface MsgContentReport {
  type: "report"
  /** The words of the reporter; can be empty. */
  text: string
  /** The reason of the report. */
  reason: ReportReason
}

/** One of text, link, image, video, voice, file, report, chat; later versions may add. */
export type MsgContentTag = string

export interface MsgContentText {
  type: "text"
  /** The text, with marks of formats such as `*bold*`. */
  text: string
}

/** A case of a later version. */
export interface MsgContentUnlisted {
  /** The type of the case. */
  type: string
}

export interface MsgContentVideo {
  type: "video"
  /** The caption; empty without one. */
  text: string
  /**
   * A preview of the first picture: `data:image/jpg;base64,` or another type of image, and the bytes in base64 with
   * padding, at most 15,602 characters; the apps make at most 14,000. A new message with another text gets 422. A
   * received message may have any text.
   */
  image: string
  /** Length in seconds. */
  duration: number
}

export interface MsgContentVoice {
  type: "voice"
  /** A text beside the sound; mostly empty. */
  text: string
  /** Length in seconds. */
  duration: number
}

/** One of ratchetHeader, tooManySkipped, ratchetEarlier, other, ratchetSync; later versions may add. */
export type MsgDecryptError = string

/** One of rcv, snd; later versions may add. */
export type MsgDirection = string

export type MsgErrorType =
  | MsgErrorTypeMsgSkipped
  | MsgErrorTypeMsgBadId
  | MsgErrorTypeMsgBadHash
  | MsgErrorTypeMsgDuplicate

export interface MsgErrorTypeMsgBadHash {
  type: "msgBadHash"
}

export interface MsgErrorTypeMsgBadId {
  type: "msgBadId"
  msgId: number
}

export interface MsgErrorTypeMsgDuplicate {
  type: "msgDuplicate"
}

export interface MsgErrorTypeMsgSkipped {
  type: "msgSkipped"
  fromMsgId: number
  toMsgId: number
}

/** A case of a later version. */
export interface MsgErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export type MsgFilter = "none" | "all" | "mentions"

export interface MsgMetaJSON {
  integrity: string
  rcvId: number
  rcvTs: string
  serverId: string
  serverTs: string
  sndId: number
}

export type MsgReaction = MsgReactionEmoji

export interface MsgReactionEmoji {
  type: "emoji"
  /** One of the emoji that apps offer. */
  emoji: string
}

/** A case of a later version. */
export interface MsgReactionUnlisted {
  /** The type of the case. */
  type: string
}

/** One of ok, badMsgHash; later versions may add. */
export type MsgReceiptStatus = string

/** One of verified, signedNoKey; later versions may add. */
export type MsgSigStatus = string

export type NameErrorType = NameErrorTypeNoResolver | NameErrorTypeNotFound | NameErrorTypeResolver

export interface NameErrorTypeNoResolver {
  type: "NO_RESOLVER"
}

export interface NameErrorTypeNotFound {
  type: "NOT_FOUND"
}

export interface NameErrorTypeResolver {
  type: "RESOLVER"
  resolverErr: string
}

/** A case of a later version. */
export interface NameErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export interface NavigationInfo {
  afterUnread: number
  afterTotal: number
}

/** The way in which the gateway reaches relays. Times are in microseconds, times of keep-alive in seconds. */
export interface NetworkConfig {
  /**
   * [user:password@ | @][address][:port]. Without credentials, each session uses its own credentials at the proxy. With
   * @ alone, no credentials are sent.
   */
  socksProxy?: string
  /** always, or onion (only for onion hosts). */
  socksMode: "always" | "onion"
  /** One of public, onion, onionViaSocks. */
  hostMode: "public" | "onion" | "onionViaSocks"
  /** Whether the gateway refuses relays without such a host. */
  requiredHostMode: boolean
  /**
   * The unit that has its own session, and its own identity at the SOCKS proxy: one of user, session, server, entity.
   */
  sessionMode: "user" | "session" | "server" | "entity"
  /** The cases in which messages are sent through a relay of the user: one of always, unknown, unprotected, never. */
  smpProxyMode: "always" | "unknown" | "unprotected" | "never"
  /** Whether messages are sent directly if that is not possible: one of allow, allowProtected, prohibit. */
  smpProxyFallback: "allow" | "allowProtected" | "prohibit"
  /** The relays that are reached at port 443 if their address names no port: one of all, preset, off. */
  smpWebPortServers: "all" | "preset" | "off"
  tcpConnectTimeout: NetworkTimeout
  tcpTimeout: NetworkTimeout
  tcpTimeoutPerKb: number
  rcvConcurrency: number
  tcpKeepAlive?: KeepAliveOpts
  /** 0 means never; other values are at least 1000000. */
  smpPingInterval: number
  /** Number of commands without an answer that ends a session; 0 means never. */
  smpPingCount: number
  logTLSErrors: boolean
}

export interface NetworkConfigResponse {
  type: "networkConfig"
  networkConfig: NetworkConfig
}

export type NetworkError =
  | NetworkErrorConnectError
  | NetworkErrorTLSError
  | NetworkErrorUnknownCAError
  | NetworkErrorFailedError
  | NetworkErrorTimeoutError
  | NetworkErrorSubscribeError

export interface NetworkErrorConnectError {
  type: "connectError"
  connectError: string
}

export interface NetworkErrorFailedError {
  type: "failedError"
}

export interface NetworkErrorSubscribeError {
  type: "subscribeError"
  subscribeError: string
}

export interface NetworkErrorTLSError {
  type: "tLSError"
  tlsError: string
}

export interface NetworkErrorTimeoutError {
  type: "timeoutError"
}

export interface NetworkErrorUnknownCAError {
  type: "unknownCAError"
}

/** A case of a later version. */
export interface NetworkErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface NetworkStatusesResponse {
  type: "networkStatuses"
  /** Absent: the states are those of all profiles. */
  user_?: User
  /** The states of the page. */
  networkStatuses: ConnNetworkStatus[]
  next?: NextPage
  prev?: PrevPage
}

export interface NetworkTimeout {
  backgroundTimeout: number
  /** The timeout when a user waits for the result. */
  interactiveTimeout: number
}

export interface NewAPIKey {
  /** The secret of the key. No other answer shows it. */
  key: string
  record: APIKey
}

export interface NewCallType {
  media: "audio" | "video"
  capabilities: {
    /** Whether the client can encrypt the media itself, in addition to WebRTC. */
    encryption: boolean
  }
}

/** New messages and notices in any chats of the profile. */
export interface NewChatItemsEvent {
  type: "newChatItems"
  /** The profile whose event this is. */
  user: User
  /** The new items, each with its chat. */
  chatItems: AChatItem[]
}

export interface NewChatItemsResponse {
  type: "newChatItems"
  /** The profile. */
  user: User
  /** The new items, each with its chat. */
  chatItems: AChatItem[]
}

export interface NewItem {
  itemId: number
  itemTs: string
  itemStatus: CIStatus
}

export interface NewItemsResponse {
  type: "newItems"
  items: NewItem[]
}

/** A member has become a contact, with a direct chat in addition to the group. */
export interface NewMemberContactReceivedInvEvent {
  type: "newMemberContactReceivedInv"
  /** The profile whose event this is. */
  user: User
  /** The contact. */
  contact: Contact
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member who is the contact. */
  member: GroupMember
}

export interface NewMemberContactResponse {
  type: "newMemberContact"
  user: User
  contact: Contact
  groupInfo: GroupInfo
  member: GroupMember
}

export interface NewMemberContactSentInvResponse {
  type: "newMemberContactSentInv"
  user: User
  contact: Contact
  groupInfo: GroupInfo
  member: GroupMember
}

export interface NewPreparedChatResponse {
  type: "newPreparedChat"
  user: User
  chat: AChat
}

/** A phone was paired. */
export interface NewRemoteHostEvent {
  type: "newRemoteHost"
  remoteHost: RemoteHostInfo
}

export interface NewWebRTCSession {
  rtcSession: string
  rtcIceCandidates: string
}

export interface NewWebhook {
  /** The secret with which requests are signed. No other answer shows it. */
  secret: string
  webhook: Webhook
}

/**
 * The `cursor` of the request for the next page; null at the end of the list, and absent over sockets. An empty page
 * can have a next one.
 */
export type NextPage = string | null

/** The user writes to a member who is no contact yet, and the contact is being created. */
export interface NoMemberContactCreatingEvent {
  type: "noMemberContactCreating"
  user: User
  groupInfo: GroupInfo
  member: GroupMember
}

export interface Node {
  /** The name of the node. */
  node: string
  /** Stores that the node has open, with its first store, at the last renewal of its lease. */
  openStores: number
  /** How many more stores the node can open; 0 while it is drained. */
  room: number
  /** Whether this node answers. */
  isThis: boolean
}

export interface NoteFolder {
  /** The id of the notes, as `chatId` of the chat type `local`. */
  noteFolderId: number
  /** The profile that has the notes. */
  userId: number
  /** The time at which the notes were made. */
  createdAt: string
  /** The time of the last change. */
  updatedAt: string
  /** The time by which the chat list is sorted. */
  chatTs: string
  /** Whether the notes are a favorite chat. */
  favorite: boolean
  /** Whether the user has marked the notes as unread. */
  unread: boolean
}

/** An alert. Other members are accepted. */
export interface NoticeAlert {
  /** The state of the alert. */
  status: "firing" | "resolved"
  /** Labels. The text shows them without `alertname`, and without names that begin with `__`. */
  labels?: NoticeTexts
  /** The text shows `summary`, `description` (or `message`) and `runbook_url`. */
  annotations?: NoticeTexts
  /** The time since which the alert fires, by RFC 3339. */
  startsAt?: string
  /** The time at which a resolved alert ended. */
  endsAt?: string
  /** The link to the rule. Grafana also has `panelURL` and `dashboardURL`, which are preferred. */
  generatorURL?: string
}

export interface NoticeChat {
  /** The kind of the chat. */
  chatType: "direct" | "group" | "local"
  /** The id of the contact, the group or the notes. */
  chatId: number
}

/** Texts by name. */
export type NoticeTexts = Record<string, string>

export interface NotificationState {
  tokenRegistered: boolean
  tokenStatus?: string
  notificationMode?: string
  notificationServer?: string
}

export interface NtfConn {
  user: User
  agentConnId: string
  agentDbQueueId: number
  connEntity: ConnectionEntity
  expectedMsg_?: NtfMsgInfo
}

export interface NtfConnsResponse {
  type: "ntfConns"
  ntfConns: NtfConn[]
}

/** The core has received the message that a notification announces. The event contains its id and time. */
export interface NtfMessageEvent {
  type: "ntfMessage"
  user: User
  connEntity: ConnectionEntity
  ntfMessage: NtfMsgAckInfo
}

export interface NtfMsgAckInfo {
  msgId: string
  msgTs_?: string
}

export interface NtfMsgInfo {
  msgId: string
  msgTs: string
}

export interface NtfTokenResponse {
  type: "ntfToken"
  token: DeviceToken
  /** `NEW`, `REGISTERED`, `CONFIRMED`, `ACTIVE`, `EXPIRED`, or `INVALID`, with the reason behind a comma. */
  status: string
  ntfMode: string
  ntfServer: string
}

export interface NtfTokenStatusResponse {
  type: "ntfTokenStatus"
  status: string
}

/** A message in the form of ntfy. Other members are accepted. */
export interface NtfyNotice {
  /** The first line of the text. */
  title?: string
  /** The text. Without title and message, it is `triggered`. */
  message?: string
  /** 4 and 5 get a mark in the text. 0 means the default, 3. */
  priority?: number
  /** Short codes of frequent emojis become emojis at the start of the text. Other tags stand at its end. */
  tags?: string[]
  /** A link below the text. */
  click?: string
  /** A link below the text. Nothing is fetched from it. */
  attach?: string
  /** Links of actions of the kind `view` stand below the text, at most three. Other actions are ignored. */
  actions?: Record<string, unknown>[]
}

export interface OpenSecondaryListRequest {
  scope?: Record<string, unknown> | null
  contentTag?: string | null
  /** Number of messages of a page. Around a message: so many messages before it, and so many after it. */
  limit?: number
}

export interface OpenSessionChatRequest {
  chatType: "direct" | "group" | "local"
  chatId: number
  around?: number | null
  /** Number of messages of a page. Around a message: so many messages before it, and so many after it. */
  limit?: number
  /**
   * Maximal number of items that the session keeps of a list. When more pages are loaded, the items farthest from the
   * new page are dropped. `newestLoaded` and `lastItemsLoaded` say whether the ends of the chat are loaded.
   */
  maxMessages?: number
}

/** The done part of the work; absent as long as the work cannot count. */
export interface OperationProgress {
  /** The number of units that are done. */
  done: number
  /** The expected number at the end, an estimate; absent if it is unknown. */
  total?: number
  /** `bytes`, or `steps` for a work that copies nothing; later versions may add. */
  unit: string
}

export type OwnerVerification = OwnerVerificationVerified | OwnerVerificationFailed

export interface OwnerVerificationFailed {
  type: "failed"
  reason: string
}

/** A case of a later version. */
export interface OwnerVerificationUnlisted {
  /** The type of the case. */
  type: string
}

export interface OwnerVerificationVerified {
  type: "verified"
}

/**
 * A page whose entries have only the members in `fields`. The list has the same name as in the whole page; other
 * members of the page are left out. A path goes into each element of a list. Each object keeps its `type`, which tells
 * the other members that it can have.
 */
export interface PartOfPage {
  /** The `type` of the whole page. */
  type: string
  next: NextPage
  prev: PrevPage
}

/**
 * The filter of a stream has passed over events: `id` of the entry is the cursor to continue from. The entry has no
 * `createdAt`.
 */
export interface PassedEvent {
  type: "passed"
}

export interface PatchOperation {
  op: "add" | "remove" | "replace" | "move"
  /** A JSON Pointer (RFC 6901). */
  path: string
  /** Only for `move`. */
  from?: string
  /** Only for `add` and `replace`: any value. */
  value?: unknown
}

export interface PendingContactConnection {
  /** The id of the connection. */
  pccConnId: number
  /** The id of the connection in the agent, in base64url. */
  pccAgentConnId: string
  /** Progress of connecting. */
  pccConnStatus: ConnStatus
  /** Whether the user connects to an address, not to an invitation. */
  viaContactUri: boolean
  /** The address of the user over which the peer came; absent without one. */
  viaUserContactLink?: number
  /** The id of the link of a group; absent without one. */
  groupLinkId?: string
  /** The profile that the peer sees in place of the user's own (incognito); absent without one. */
  customUserProfileId?: number
  /** The invitation to give to the peer; absent if the user opened the link of the peer. */
  connLinkInv?: CreatedConnLink
  /** The user's own name for the connection; empty without one. */
  localAlias: string
  /** The time at which the connection was made. */
  createdAt: string
  /** The time of the last change. */
  updatedAt: string
}

export interface PlanConnectionRequest {
  /** A link, or a SimpleX name: `@alice.simplex`, `#news.simplex`, `alice.simplex`. */
  connLink: string
  resolveMode?: PlanResolveMode
  linkOwnerSig?: LinkOwnerSig
}

export interface PlanForwardRequest {
  itemIds: number[]
}

/** One of allGroups, unknown, never; later versions may add. */
export type PlanResolveMode = string

/** The reason why messages were not sent. */
export interface PlannedProblem {
  code: ProblemCode
  /** An explanation for people. */
  detail: string
}

/**
 * `waiting`: the messages wait. `sent`: they are in the chat, and their items show the delivery. `failed`: they were
 * refused, with the reason in `problem`. `cancelled`: a client or a copy of the store has cancelled them. One of
 * waiting, sent, failed, cancelled; later versions may add.
 */
export type PlannedState = string

export interface PrefEnabled {
  forUser: boolean
  forContact: boolean
}

export interface Preferences {
  /** Whether messages disappear. */
  timedMessages?: TimedMessagesPreference
  /** Whether messages can be deleted for the other side. */
  fullDelete?: SimplePreference
  /** Whether reactions are allowed. */
  reactions?: SimplePreference
  /** Whether voice messages are allowed. */
  voice?: SimplePreference
  /** Whether files and media are allowed. */
  files?: SimplePreference
  /** Whether calls are allowed. */
  calls?: SimplePreference
  /** Whether sessions are allowed. */
  sessions?: SimplePreference
  /** The commands of a bot, for the menu of the apps. */
  commands?: ChatBotCommand[]
}

export interface PreloadState {
  preloading: boolean
  prevItemsCount: number
  prevFirstVisible?: number
}

export interface PrepareContactRequest {
  connLink: string | CreatedConnLink
  /** The SimpleX name by which the plan was found (`alice.simplex`), if it was found by a name. */
  verifiedDomain?: string
  contactShortLinkData: ContactShortLinkData
}

export interface PrepareGroupRequest {
  connLink: string | CreatedConnLink
  directLink?: boolean
  /** The SimpleX name by which the plan was found (`news.simplex`), if it was found by a name. */
  verifiedDomain?: string
  groupShortLinkData: GroupShortLinkData
}

export interface PreparedContact {
  /** The link of the contact. */
  connLinkToConnect: CreatedConnLink
  /** Whether the link is an invitation for one person (`inv`) or an address (`con`). */
  uiConnLinkType: ConnectionMode
  /** The message that the chat shows before the connection; absent without one. */
  welcomeSharedMsgId?: string
  /** The message that was sent with the request to connect; absent without one. */
  requestSharedMsgId?: string
}

export interface PreparedGroup {
  /** The link of the group. */
  connLinkToConnect: CreatedConnLink
  /** Whether the connection exists. The profile for the group then cannot change any more. */
  connLinkPreparedConnection: boolean
  /** Whether the request to join was sent. */
  connLinkStartedConnection: boolean
  /** The message that the chat shows before the user joins; absent without one. */
  welcomeSharedMsgId?: string
  /** The message that was sent with the request to join; absent without one. */
  requestSharedMsgId?: string
}

export interface PresentedServersSummary {
  statsStartedAt: string
  allUsersSMP: SMPServersSummary
  allUsersXFTP: Record<string, unknown>
  allUsersNtf: Record<string, unknown>
  currentUserSMP: SMPServersSummary
  currentUserXFTP: Record<string, unknown>
  currentUserNtf: Record<string, unknown>
}

/** The `cursor` of the request for the previous page; null at the beginning of the list, and absent over sockets. */
export type PrevPage = string | null

/**
 * The kind of a problem. The list is complete for a version of the contract. Any request can get `malformedRequest`,
 * `unknownParameter`, `unknownRoute`, `methodNotAllowed`, `wrongHost`, `wrongOrigin`, `bodyTooLarge`,
 * `unsupportedMediaType`, `tooManyRequests`, `internalError`, `notImplemented`, `unavailable`, `storeLocked`.
 * `x-problem-codes` of an operation lists its other codes. The codes and their remedies: `malformedRequest` (400): The
 * request cannot be read. Correct the program. `malformedBody` (400): The body is not JSON, or not an object. Correct
 * the program. `unknownMember` (400): The body has a member that the route does not know, named in `detail`: often a
 * typing error. `invalidParameter` (400): A parameter of the path or the query has an invalid value. Correct the
 * request. `unknownParameter` (400): The query has a parameter that the route does not know, named in `detail`.
 * `invalidCursor` (400): The cursor is damaged, or of another list or other filters: read the list from its beginning.
 * `unauthorized` (401): The request has no key or ticket, or it is no longer valid. Get a new one. `forbidden` (403):
 * The key lacks a scope, or is bound to another profile or store; or the role in a group is too low. `wrongOrigin`
 * (403): Pages of this origin are not allowed: start the gateway with `--allow-origin`. `notFound` (404): The path or
 * the body names something that does not exist, or no longer exists. `unknownRoute` (404): There is no such path.
 * `methodNotAllowed` (405): Use one of the methods in `Allow`. `conflict` (409): Not possible in the present state:
 * read the state again, then decide. `requestInProgress` (409): A request with this idempotency key is being carried
 * out: send it again later. `notHandedOut` (409): A consumer has not handed out the events with the ids in `ids`, or
 * has handed them out again since then: another worker handles them. `cursorExpired` (410): The entries after the
 * cursor are no longer kept: continue from `oldest`, or read the state again. `preconditionFailed` (412): Another
 * client has changed the resource after the `ETag` in `If-Match`: read it again, then repeat the change. `bodyTooLarge`
 * (413): The body or the file is too large: `detail` names the limit. `unsupportedMediaType` (415): The body must be
 * JSON without a content coding. `wrongHost` (421): The gateway does not answer under this name: start it with
 * `--allow-host`. `invalidValue` (422): A member of the body is missing or has an invalid value; `detail` names it.
 * `idempotencyKeyReused` (422): The idempotency key was used for another request: use a new one. `tooManyRequests`
 * (429): Wait as `Retry-After` says, or read the answers that are waiting. `internalError` (500): An error of the
 * gateway: report it with `requestId`. `operationInterrupted` (500): The gateway ended while the long operation was
 * running, as its `problem` says: look at the effect, then send the request again. `notImplemented` (501): The request
 * needs a part of HTTP that the gateway does not have, such as another transfer coding. `relayUnreachable` (502): The
 * relay, or the other device, cannot be reached, refuses, or gives an invalid answer: send the request again later.
 * `unavailable` (503): The core is stopped or busy, or the server is full or stopping: send the request again later.
 * `storeLocked` (503): The store is locked: unlock it first. `wrongPassphrase` (403): The passphrase or the password of
 * the store is wrong. `relayTimeout` (504): The relay, or the other device, does not answer in time: send the request
 * again later. `storageFull` (507): The disk is full: make room. `quotaExceeded` (507): The store has reached its limit
 * of the resource in `resource`: delete some, or raise the limit. `chatError` (422): The core has refused the command;
 * the reason is in `chatError`. `pageUnreadable` (502): The page of a link cannot be read, or has nothing for a card:
 * send the link without a card. `pageTimeout` (504): The page of a link does not arrive in time: send the link without
 * a card.
 */
export type ProblemCode = "malformedRequest" | "malformedBody" | "unknownMember" | "invalidParameter" | "unknownParameter" | "invalidCursor" | "unauthorized" | "forbidden" | "wrongOrigin" | "notFound" | "unknownRoute" | "methodNotAllowed" | "conflict" | "requestInProgress" | "notHandedOut" | "cursorExpired" | "preconditionFailed" | "bodyTooLarge" | "unsupportedMediaType" | "wrongHost" | "invalidValue" | "idempotencyKeyReused" | "tooManyRequests" | "internalError" | "operationInterrupted" | "notImplemented" | "relayUnreachable" | "unavailable" | "storeLocked" | "wrongPassphrase" | "relayTimeout" | "storageFull" | "quotaExceeded" | "chatError" | "pageUnreadable" | "pageTimeout"

export interface ProblemDetails {
  /**
   * The address of the entry about this code in the reference, relative to the gateway: `/docs#problem-` and the code.
   */
  type: string
  /** A sentence about the code, for people. */
  title: string
  /** The status of the answer. */
  status: number
  /** A sentence about this problem, for people. Programs must not read it. */
  detail?: string
  code: ProblemCode
  /** The id of the request, as in `X-Request-Id` and in the log. */
  requestId: string
  /**
   * The values of the request that are at fault, if they are known. The gateway reports the first fault, but may report
   * several later.
   */
  errors?: RequestFault[]
  /** The core's own error. */
  chatError?: Record<string, unknown>
  /** With 410: the oldest valid cursor. */
  oldest?: string
  /**
   * With `quotaExceeded`: the resource whose limit is reached, as in `StoreAmounts`; or `archiveBytes`, the bytes of
   * the store's archives.
   */
  resource?: string
  /** With `quotaExceeded`: the limit of this resource. */
  limit?: number
}

export interface Profile {
  /** The name. Own names have at most 50 characters. */
  displayName: string
  /** A longer name; empty without one. */
  fullName: string
  /** A short description; absent without one. */
  shortDescr?: string
  /** A long description; absent without one. */
  description?: string
  /** The picture as `data:image/jpg;base64,` and its bytes; absent without a picture. */
  image?: string
  /** The address of the profile; absent if the profile does not show it. */
  contactLink?: string
  /** What the profile allows its contacts; absent: the defaults. */
  preferences?: Preferences
  /** `bot` for a bot; absent for a person. */
  peerType?: ChatPeerType
  /** The proof of a badge; absent without one. */
  badge?: BadgeProof
  /** The SimpleX name that the profile claims; absent without one. */
  contactDomain?: SimplexDomainClaim
}

/** Members of `Profile`. Absent members keep their values; null deletes a value. */
export interface ProfilePatch {
  displayName?: string
  fullName?: string
  shortDescr?: string | null
  description?: string | null
  image?: string | null
  contactLink?: string | null
  /** Members of `Preferences`; null deletes one. */
  preferences?: Record<string, unknown> | null
  peerType?: string | null
  badge?: Record<string, unknown> | null
  /** Has no effect: `setAddressDomain` sets the SimpleX name. */
  contactDomain?: Record<string, unknown> | null
}

export interface ProtocolTestFailure {
  /**
   * One of connect, createQueue, secureQueue, deleteQueue, createFile, uploadFile, downloadFile, compareFile,
   * deleteFile, disconnect; later versions may add.
   */
  testStep: string
  testError: AgentErrorType
}

export type ProxyClientError =
  | ProxyClientErrorProtocolError
  | ProxyClientErrorUnexpectedResponse
  | ProxyClientErrorResponseError

export interface ProxyClientErrorProtocolError {
  type: "protocolError"
  protocolErr: ErrorType
}

export interface ProxyClientErrorResponseError {
  type: "responseError"
  responseErr: ErrorType
}

export interface ProxyClientErrorUnexpectedResponse {
  type: "unexpectedResponse"
  responseStr: string
}

/** A case of a later version. */
export interface ProxyClientErrorUnlisted {
  /** The type of the case. */
  type: string
}

export type ProxyError =
  | ProxyErrorProtocol
  | ProxyErrorBroker
  | ProxyErrorBasicAuth
  | ProxyErrorNoSession

export interface ProxyErrorBasicAuth {
  type: "BASIC_AUTH"
}

export interface ProxyErrorBroker {
  type: "BROKER"
  brokerErr: BrokerErrorType
}

export interface ProxyErrorNoSession {
  type: "NO_SESSION"
}

export interface ProxyErrorProtocol {
  type: "PROTOCOL"
  protocolErr: ErrorType
}

/** A case of a later version. */
export interface ProxyErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface PublicGroupAccess {
  groupWebPage?: string
  groupDomainClaim?: SimplexDomainClaim
  domainWebPage: boolean
  allowEmbedding: boolean
}

export interface PublicGroupCreatedResponse {
  type: "publicGroupCreated"
  user: User
  groupInfo: GroupInfo
  groupLink: GroupLink
  groupRelays: GroupRelay[]
}

export interface PublicGroupCreationFailedResponse {
  type: "publicGroupCreationFailed"
  user: User
  addRelayResults: AddRelayResult[]
}

export interface PublicGroupData {
  publicMemberCount: number
}

export interface PublicGroupProfile {
  groupType: GroupType
  groupLink: string
  publicGroupId: string
  publicGroupAccess?: PublicGroupAccess
}

/** A notification for a browser, after its decryption. */
export interface PushNotification {
  /** The cursor of the event, the same at each attempt. The id of a test begins with `test-`. */
  id: string
  /** The time of the event. */
  createdAt: string
  /** The profile of the event; absent in a test. */
  userId?: number
  /**
   * The type of the event: `newChatItems`, `receivedContactRequest`, `receivedGroupInvitation` or `callInvitation`, or
   * `test`.
   */
  type: string
  /** The chat to open, such as `direct/4` or `contactRequest/2`. */
  chat?: string
  /** The message; absent for other events. */
  itemId?: number
  /** Whether the message mentions the user; otherwise absent. */
  mention?: true
  /** The name of the contact, contact request or group, of at most 100 characters. Present with `content`. */
  title?: string
  /** The text of the message or event, of at most 500 characters and `…`. Present with `content`. */
  text?: string
}

export interface PushSubscription {
  subscriptionId: string
  name?: string
  /** The push service, without the secret part of the endpoint. */
  service: string
  users?: number[]
  chats?: string[]
  mentionsOnly: boolean
  content: boolean
  /**
   * `failed`: the push service accepted nothing for three days; `gone`: about to be deleted; `revoked`: its key is no
   * longer valid.
   */
  state: "active" | "paused" | "failed" | "gone" | "revoked"
  /** The key to which it belongs. */
  keyId: string
  /** The only profile whose events are notified, because the key that made the subscription was bound to it. */
  userId?: number
  createdAt: string
  expiresAt?: string
  firstFailedAt?: string
  lastDeliveredAt?: string
}

/** One of rcv, snd; later versions may add. */
export type QueueDirection = string

/**
 * A relay's report about a queue: whether it is secured, has a notifier and is subscribed, and the messages that wait
 * in it.
 */
export interface QueueInfo {
  qiSnd: boolean
  qiNtf: boolean
  qiSub?: Record<string, unknown>
  qiSize: number
  qiMsg?: Record<string, unknown>
}

export interface QueueInfoResponse {
  type: "queueInfo"
  user: User
  queueInfo: ServerQueueInfo
  rcvMsgInfo?: Record<string, unknown>
}

/** One of new, confirmed, secured, active, disabled; later versions may add. */
export type QueueStatus = string

export interface RCCtrlAddress {
  address: string
  interface: string
}

export type RCErrorType =
  | RCErrorTypeInternal
  | RCErrorTypeIdentity
  | RCErrorTypeNoLocalAddress
  | RCErrorTypeNewController
  | RCErrorTypeNotDiscovered
  | RCErrorTypeTLSStartFailed
  | RCErrorTypeException
  | RCErrorTypeCtrlAuth
  | RCErrorTypeCtrlNotFound
  | RCErrorTypeCtrlError
  | RCErrorTypeInvitation
  | RCErrorTypeVersion
  | RCErrorTypeEncrypt
  | RCErrorTypeDecrypt
  | RCErrorTypeBlockSize
  | RCErrorTypeSyntax

export interface RCErrorTypeBlockSize {
  type: "blockSize"
}

export interface RCErrorTypeCtrlAuth {
  type: "ctrlAuth"
}

export interface RCErrorTypeCtrlError {
  type: "ctrlError"
  ctrlErr: string
}

export interface RCErrorTypeCtrlNotFound {
  type: "ctrlNotFound"
}

export interface RCErrorTypeDecrypt {
  type: "decrypt"
}

export interface RCErrorTypeEncrypt {
  type: "encrypt"
}

export interface RCErrorTypeException {
  type: "exception"
  exception: string
}

export interface RCErrorTypeIdentity {
  type: "identity"
}

export interface RCErrorTypeInternal {
  type: "internal"
  internalErr: string
}

export interface RCErrorTypeInvitation {
  type: "invitation"
}

export interface RCErrorTypeNewController {
  type: "newController"
}

export interface RCErrorTypeNoLocalAddress {
  type: "noLocalAddress"
}

export interface RCErrorTypeNotDiscovered {
  type: "notDiscovered"
}

export interface RCErrorTypeSyntax {
  type: "syntax"
  syntaxErr: string
}

export interface RCErrorTypeTLSStartFailed {
  type: "tLSStartFailed"
}

/** A case of a later version. */
export interface RCErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export interface RCErrorTypeVersion {
  type: "version"
}

export type RHKey = RHKeyNew | RHKeyId

export interface RHKeyId {
  type: "id"
  remoteHostId: number
}

export interface RHKeyNew {
  type: "new"
}

/** A case of a later version. */
export interface RHKeyUnlisted {
  /** The type of the case. */
  type: string
}

export interface RatchetSyncProgress {
  ratchetSyncStatus: RatchetSyncState
  connectionStats: ConnectionStats
}

/** One of ok, allowed, required, started, agreed; later versions may add. */
export type RatchetSyncState = string

export interface RcvCallInvitation {
  user: User
  contact: Contact
  callType: CallType
  sharedKey?: string
  callUUID: string
  callTs: string
}

export type RcvConnEvent =
  | RcvConnEventSwitchQueue
  | RcvConnEventRatchetSync
  | RcvConnEventVerificationCodeReset
  | RcvConnEventPqEnabled

export interface RcvConnEventPqEnabled {
  type: "pqEnabled"
  enabled: boolean
}

export interface RcvConnEventRatchetSync {
  type: "ratchetSync"
  syncStatus: RatchetSyncState
}

export interface RcvConnEventSwitchQueue {
  type: "switchQueue"
  phase: SwitchPhase
}

/** A case of a later version. */
export interface RcvConnEventUnlisted {
  /** The type of the case. */
  type: string
}

export interface RcvConnEventVerificationCodeReset {
  type: "verificationCodeReset"
}

export type RcvDirectEvent =
  | RcvDirectEventContactDeleted
  | RcvDirectEventProfileUpdated
  | RcvDirectEventGroupInvLinkReceived

export interface RcvDirectEventContactDeleted {
  type: "contactDeleted"
}

export interface RcvDirectEventGroupInvLinkReceived {
  type: "groupInvLinkReceived"
  groupProfile: GroupProfile
}

export interface RcvDirectEventProfileUpdated {
  type: "profileUpdated"
  fromProfile: Profile
  toProfile: Profile
}

/** A case of a later version. */
export interface RcvDirectEventUnlisted {
  /** The type of the case. */
  type: string
}

/** The profile has accepted a file, which will be received. */
export interface RcvFileAcceptedEvent {
  type: "rcvFileAccepted"
  /** The profile whose event this is. */
  user: User
  /** The message with its chat. */
  chatItem: AChatItem
}

export interface RcvFileAcceptedResponse {
  type: "rcvFileAccepted"
  /** The profile. */
  user: User
  /** The message with its chat. */
  chatItem: AChatItem
}

/** The profile has accepted a file that its sender has cancelled. */
export interface RcvFileAcceptedSndCancelledEvent {
  type: "rcvFileAcceptedSndCancelled"
  user: User
  rcvFileTransfer: RcvFileTransfer
}

export interface RcvFileAcceptedSndCancelledResponse {
  type: "rcvFileAcceptedSndCancelled"
  user: User
  rcvFileTransfer: RcvFileTransfer
}

export interface RcvFileCancelledResponse {
  type: "rcvFileCancelled"
  user: User
  chatItem_?: AChatItem
  rcvFileTransfer: RcvFileTransfer
}

/** A file was received, and its content can be downloaded. */
export interface RcvFileCompleteEvent {
  type: "rcvFileComplete"
  /** The profile whose event this is. */
  user: User
  /** The message with its chat. Its `file` has the place of the file. */
  chatItem: AChatItem
}

export interface RcvFileDescr {
  fileDescrId: number
  /** The description from which the file can be received. It arrives in parts. */
  fileDescrText: string
  fileDescrPartNo: number
  fileDescrComplete: boolean
}

/** The description of an offered file is complete, so the file can be received. */
export interface RcvFileDescrReadyEvent {
  type: "rcvFileDescrReady"
  /** The profile whose event this is. */
  user: User
  /** The message with its chat. */
  chatItem: AChatItem
  /** The transfer of the file. */
  rcvFileTransfer: RcvFileTransfer
  /** The description of the file. */
  rcvFileDescr: RcvFileDescr
}

/** A file cannot be received. */
export interface RcvFileErrorEvent {
  type: "rcvFileError"
  /** The profile whose event this is. */
  user: User
  /** The message with its chat; absent for a file without a message. */
  chatItem_?: AChatItem
  /** The reason. */
  agentError: AgentErrorType
  /** The transfer of the file. */
  rcvFileTransfer: RcvFileTransfer
}

/** A part of a file was received. */
export interface RcvFileProgressXFTPEvent {
  type: "rcvFileProgressXFTP"
  user: User
  chatItem_?: AChatItem
  receivedSize: number
  totalSize: number
  rcvFileTransfer: RcvFileTransfer
}

/** The sender has cancelled a file. */
export interface RcvFileSndCancelledEvent {
  type: "rcvFileSndCancelled"
  /** The profile whose event this is. */
  user: User
  /** The message with its chat. */
  chatItem: AChatItem
  /** The transfer of the file. */
  rcvFileTransfer: RcvFileTransfer
}

/** A file is being received. */
export interface RcvFileStartEvent {
  type: "rcvFileStart"
  /** The profile whose event this is. */
  user: User
  /** The message with its chat. */
  chatItem: AChatItem
}

export type RcvFileStatus =
  | RcvFileStatusNew
  | RcvFileStatusAccepted
  | RcvFileStatusConnected
  | RcvFileStatusComplete
  | RcvFileStatusCancelled

export interface RcvFileStatusAccepted {
  type: "accepted"
  filePath: string
}

export interface RcvFileStatusCancelled {
  type: "cancelled"
  filePath_?: string
}

export interface RcvFileStatusComplete {
  type: "complete"
  filePath: string
}

export interface RcvFileStatusConnected {
  type: "connected"
  filePath: string
}

export interface RcvFileStatusNew {
  type: "new"
}

/** A case of a later version. */
export interface RcvFileStatusUnlisted {
  /** The type of the case. */
  type: string
}

export interface RcvFileTransfer {
  fileId: number
  xftpRcvFile?: XFTPRcvFile
  fileInvitation: FileInvitation
  fileStatus: RcvFileStatus
  /** One of normal, roster; later versions may add. */
  fileType?: string
  rcvFileInline?: string
  senderDisplayName: string
  chunkSize: number
  cancelled: boolean
  grpMemberId?: number
  cryptoArgs?: CryptoFileArgs
}

/** An error has occurred while a file is received. The core tries again. */
export interface RcvFileWarningEvent {
  type: "rcvFileWarning"
  user: User
  chatItem_?: AChatItem
  agentError: AgentErrorType
  rcvFileTransfer: RcvFileTransfer
}

export type RcvGroupEvent =
  | RcvGroupEventMemberAdded
  | RcvGroupEventMemberConnected
  | RcvGroupEventMemberAccepted
  | RcvGroupEventUserAccepted
  | RcvGroupEventMemberLeft
  | RcvGroupEventMemberRole
  | RcvGroupEventMemberBlocked
  | RcvGroupEventUserRole
  | RcvGroupEventMemberDeleted
  | RcvGroupEventUserDeleted
  | RcvGroupEventGroupDeleted
  | RcvGroupEventGroupUpdated
  | RcvGroupEventInvitedViaGroupLink
  | RcvGroupEventMemberCreatedContact
  | RcvGroupEventMemberProfileUpdated
  | RcvGroupEventNewMemberPendingReview
  | RcvGroupEventMsgBadSignature

export interface RcvGroupEventGroupDeleted {
  type: "groupDeleted"
}

export interface RcvGroupEventGroupUpdated {
  type: "groupUpdated"
  groupProfile: GroupProfile
}

export interface RcvGroupEventInvitedViaGroupLink {
  type: "invitedViaGroupLink"
}

export interface RcvGroupEventMemberAccepted {
  type: "memberAccepted"
  groupMemberId: number
  profile: Profile
}

export interface RcvGroupEventMemberAdded {
  type: "memberAdded"
  groupMemberId: number
  profile: Profile
}

export interface RcvGroupEventMemberBlocked {
  type: "memberBlocked"
  groupMemberId: number
  profile: Profile
  blocked: boolean
}

export interface RcvGroupEventMemberConnected {
  type: "memberConnected"
}

export interface RcvGroupEventMemberCreatedContact {
  type: "memberCreatedContact"
}

export interface RcvGroupEventMemberDeleted {
  type: "memberDeleted"
  groupMemberId: number
  profile: Profile
}

export interface RcvGroupEventMemberLeft {
  type: "memberLeft"
}

export interface RcvGroupEventMemberProfileUpdated {
  type: "memberProfileUpdated"
  fromProfile: Profile
  toProfile: Profile
}

export interface RcvGroupEventMemberRole {
  type: "memberRole"
  groupMemberId: number
  profile: Profile
  role: GroupMemberRole
}

export interface RcvGroupEventMsgBadSignature {
  type: "msgBadSignature"
}

export interface RcvGroupEventNewMemberPendingReview {
  type: "newMemberPendingReview"
}

/** A case of a later version. */
export interface RcvGroupEventUnlisted {
  /** The type of the case. */
  type: string
}

export interface RcvGroupEventUserAccepted {
  type: "userAccepted"
}

export interface RcvGroupEventUserDeleted {
  type: "userDeleted"
}

export interface RcvGroupEventUserRole {
  type: "userRole"
  role: GroupMemberRole
}

export type RcvMsgError = RcvMsgErrorDropped | RcvMsgErrorParseError

export interface RcvMsgErrorDropped {
  type: "dropped"
  attempts: number
}

export interface RcvMsgErrorParseError {
  type: "parseError"
  parseError: string
}

/** A case of a later version. */
export interface RcvMsgErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface RcvNtfMsgInfo {
  /** `info` (without a message if none waits) or `error`. */
  type: string
  ntfMsgInfo?: NtfMsgInfo
  /** An agent's error. */
  ntfMsgError?: Record<string, unknown>
}

export interface RcvQueueInfo {
  rcvServer: string
  status?: QueueStatus
  rcvSwitchStatus?: RcvSwitchStatus
  canAbortSwitch: boolean
  subStatus?: SubscriptionStatus
}

/** A file without a message was received. */
export interface RcvStandaloneFileCompleteEvent {
  type: "rcvStandaloneFileComplete"
  user: User
  targetPath: string
  rcvFileTransfer: RcvFileTransfer
}

export interface RcvStandaloneFileCreatedResponse {
  type: "rcvStandaloneFileCreated"
  user: User
  rcvFileTransfer: RcvFileTransfer
}

/** One of switch_started, sending_qadd, sending_quse, received_message; later versions may add. */
export type RcvSwitchStatus = string

export interface ReactionMembersResponse {
  type: "reactionMembers"
  user: User
  memberReactions: MemberReaction[]
  next?: NextPage
  prev?: PrevPage
}

export interface ReadLinkPreviewRequest {
  /** The link as it was written. Its fragment is not sent. */
  uri: string
}

export interface ReadLinkPreviewResponse {
  preview: LinkPreview
  /** A `data:` URL with the picture. */
  picture?: string
}

export interface ReadStandaloneFileInfoRequest {
  url: string
}

export interface RebalanceNodeRequest {
  /**
   * The number of open stores that stay at this node, besides its first store. If absent, all running nodes get about
   * the same number.
   */
  keep?: number
  /**
   * `true`: no store stays, and this node opens no further stores while other nodes have room, until a request with
   * `false` or a restart.
   */
  drain?: boolean
}

export interface RebalanceNodeResponse {
  /** The ids of the stores that were passed to other nodes, at most 16. */
  moved: string[]
  /** The open stores that this node still has, besides its first store. */
  openStores: number
  /** Whether the node is drained. */
  drains: boolean
}

export interface ReceiveFileRequest {
  /** Whether the file may be fetched from servers that the profile does not use. */
  userApprovedRelays?: boolean
  /** Whether the file is kept encrypted. The default is the setting for all files. */
  encrypted?: boolean
  /**
   * The path of the file, below the folders of the store. The default is the folder for files, with a random part in
   * the name. A key that is limited to a profile or to some chats can only choose the name, which gets a random part
   * too.
   */
  filePath?: string
}

export type ReceiveFileResponse = RcvFileAcceptedResponse | RcvFileAcceptedSndCancelledResponse

export interface ReceiveMigrationRequest {
  /** The link of the migration, `simplex:/file#/?…` or with `https://`. */
  link: string
  /**
   * The passphrase of the databases on the other device, on one line. Leave it out if they have none; a needless
   * passphrase is refused. The imported databases get the key of the store.
   */
  passphrase?: string
  /**
   * Whether the SOCKS proxy of the link is used, for the download and afterwards. Required if the link has a proxy
   * (422). With `false`, the network settings of this store stay.
   */
  usesProxy?: boolean
}

export interface ReceivePushMessagesRequest {
  connMsgReqs: ConnMsgReq[]
}

/** A person requests a connection by the address of the profile. */
export interface ReceivedContactRequestEvent {
  type: "receivedContactRequest"
  /** The profile whose event this is. */
  user: User
  /** The request. `contactRequestId` is its id in paths. */
  contactRequest: UserContactRequest
  /** The chat of the request with the first message; absent if the request makes no chat. */
  chat_?: AChat
}

/** A contact has invited the profile to a group. */
export interface ReceivedGroupInvitationEvent {
  type: "receivedGroupInvitation"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The contact who has sent the invitation. */
  contact: Contact
  /** The role of the contact in the group. */
  fromMemberRole: GroupMemberRole
  /** The role that the profile would have. */
  memberRole: GroupMemberRole
}

export interface ReconnectServerRequest {
  /** smp://fingerprint@host[:port] */
  smpServer: string
}

/** The content of this event was deleted later. */
export interface RedactedEvent {
  type: "redacted"
}

export interface RefuseEventsRequest {
  /** The `id` of each handing out, from `take`. */
  ids: string[]
  /** Seconds after which the events are handed out again. */
  delaySeconds?: number
}

export interface RefuseEventsResponse {
  /** Number of events that were given back. */
  refused: number
  /** Number of these events that were set aside, because this was their last attempt. */
  setAside: number
}

export interface RelayCapabilities {
  webDomain?: string
}

export interface RelayConnectionResult {
  relayMember: GroupMember
  relayError?: ChatError
}

export interface RelayGroupAllowedResponse {
  type: "relayGroupAllowed"
  user: User
  groupInfo: GroupInfo
}

export interface RelayProfile {
  displayName: string
  fullName: string
  shortDescr?: string
  image?: string
}

/** One of new, invited, accepted, acknowledgedRoster, active, inactive, rejected; later versions may add. */
export type RelayStatus = string

export interface RelayTestFailure {
  rtfStep: RelayTestStep
  rtfError: ChatError
}

/** One of getLink, decodeLink, connect, waitResponse, verify; later versions may add. */
export type RelayTestStep = string

/** A session with a desktop has begun, and the desktop can use the profiles. */
export interface RemoteCtrlConnectedEvent {
  type: "remoteCtrlConnected"
  remoteCtrl: RemoteCtrlInfo
}

export interface RemoteCtrlConnectedResponse {
  type: "remoteCtrlConnected"
  remoteCtrl: RemoteCtrlInfo
  compression: boolean
}

export interface RemoteCtrlConnectingResponse {
  type: "remoteCtrlConnecting"
  remoteCtrl_?: RemoteCtrlInfo
  ctrlAppInfo: CtrlAppInfo
  appVersion: string
}

export type RemoteCtrlError =
  | RemoteCtrlErrorInactive
  | RemoteCtrlErrorBadState
  | RemoteCtrlErrorBusy
  | RemoteCtrlErrorTimeout
  | RemoteCtrlErrorNoKnownControllers
  | RemoteCtrlErrorBadController
  | RemoteCtrlErrorDisconnected
  | RemoteCtrlErrorBadInvitation
  | RemoteCtrlErrorBadVersion
  | RemoteCtrlErrorHTTP2Error
  | RemoteCtrlErrorProtocolError

export interface RemoteCtrlErrorBadController {
  type: "badController"
}

export interface RemoteCtrlErrorBadInvitation {
  type: "badInvitation"
}

export interface RemoteCtrlErrorBadState {
  type: "badState"
}

export interface RemoteCtrlErrorBadVersion {
  type: "badVersion"
  appVersion: string
}

export interface RemoteCtrlErrorBusy {
  type: "busy"
}

export interface RemoteCtrlErrorDisconnected {
  type: "disconnected"
  remoteCtrlId: number
  reason: string
}

export interface RemoteCtrlErrorHTTP2Error {
  type: "hTTP2Error"
  http2Error: string
}

export interface RemoteCtrlErrorInactive {
  type: "inactive"
}

export interface RemoteCtrlErrorNoKnownControllers {
  type: "noKnownControllers"
}

export interface RemoteCtrlErrorProtocolError {
  type: "protocolError"
  protocolError: RemoteProtocolError
}

export interface RemoteCtrlErrorTimeout {
  type: "timeout"
}

/** A case of a later version. */
export interface RemoteCtrlErrorUnlisted {
  /** The type of the case. */
  type: string
}

/** A known desktop was found on the network. */
export interface RemoteCtrlFoundEvent {
  type: "remoteCtrlFound"
  remoteCtrl: RemoteCtrlInfo
  ctrlAppInfo_?: CtrlAppInfo
  appVersion: string
  compatible: boolean
}

export interface RemoteCtrlInfo {
  remoteCtrlId: number
  ctrlDeviceName: string
  sessionState?: RemoteCtrlSessionState
}

export interface RemoteCtrlListResponse {
  type: "remoteCtrlList"
  remoteCtrls: RemoteCtrlInfo[]
}

export interface RemoteCtrlSession {
  remoteCtrl?: RemoteCtrlInfo
  ctrlAppInfo?: CtrlAppInfo
  appVersion?: string
  compatible?: boolean
  sessionState: RemoteCtrlSessionState
}

/** A desktop is connected. The user must compare the session code. */
export interface RemoteCtrlSessionCodeEvent {
  type: "remoteCtrlSessionCode"
  remoteCtrl_?: RemoteCtrlInfo
  sessionCode: string
}

export type RemoteCtrlSessionState =
  | RemoteCtrlSessionStateStarting
  | RemoteCtrlSessionStateSearching
  | RemoteCtrlSessionStateConnecting
  | RemoteCtrlSessionStatePendingConfirmation
  | RemoteCtrlSessionStateConnected

export interface RemoteCtrlSessionStateConnected {
  type: "connected"
  sessionCode: string
}

export interface RemoteCtrlSessionStateConnecting {
  type: "connecting"
}

export interface RemoteCtrlSessionStatePendingConfirmation {
  type: "pendingConfirmation"
  sessionCode: string
}

export interface RemoteCtrlSessionStateSearching {
  type: "searching"
}

export interface RemoteCtrlSessionStateStarting {
  type: "starting"
}

/** A case of a later version. */
export interface RemoteCtrlSessionStateUnlisted {
  /** The type of the case. */
  type: string
}

export interface RemoteCtrlSessionStatus {
  sessionState?: RemoteCtrlSessionState
  remoteCtrlId?: number
  ctrlDeviceName?: string
  rcStopReason?: RemoteCtrlStopReason
}

export type RemoteCtrlStopReason =
  | RemoteCtrlStopReasonDiscoveryFailed
  | RemoteCtrlStopReasonConnectionFailed
  | RemoteCtrlStopReasonSetupFailed
  | RemoteCtrlStopReasonDisconnected

export interface RemoteCtrlStopReasonConnectionFailed {
  type: "connectionFailed"
  chatError: ChatError
}

export interface RemoteCtrlStopReasonDisconnected {
  type: "disconnected"
}

export interface RemoteCtrlStopReasonDiscoveryFailed {
  type: "discoveryFailed"
  chatError: ChatError
}

export interface RemoteCtrlStopReasonSetupFailed {
  type: "setupFailed"
  chatError: ChatError
}

/** A case of a later version. */
export interface RemoteCtrlStopReasonUnlisted {
  /** The type of the case. */
  type: string
}

/** A session with a desktop has ended. */
export interface RemoteCtrlStoppedEvent {
  type: "remoteCtrlStopped"
  rcsState: RemoteCtrlSessionState
  rcStopReason: RemoteCtrlStopReason
}

export interface RemoteFileStoredResponse {
  type: "remoteFileStored"
  remoteHostId: number
  remoteFileSource: CryptoFile
}

/** A session with a phone has begun, and the phone can be used. */
export interface RemoteHostConnectedEvent {
  type: "remoteHostConnected"
  remoteHost: RemoteHostInfo
  compression: boolean
}

export type RemoteHostError =
  | RemoteHostErrorMissing
  | RemoteHostErrorInactive
  | RemoteHostErrorBusy
  | RemoteHostErrorTimeout
  | RemoteHostErrorBadState
  | RemoteHostErrorBadVersion
  | RemoteHostErrorLocalCommand
  | RemoteHostErrorDisconnected
  | RemoteHostErrorProtocolError

export interface RemoteHostErrorBadState {
  type: "badState"
}

export interface RemoteHostErrorBadVersion {
  type: "badVersion"
  appVersion: string
}

export interface RemoteHostErrorBusy {
  type: "busy"
}

export interface RemoteHostErrorDisconnected {
  type: "disconnected"
  reason: string
}

export interface RemoteHostErrorInactive {
  type: "inactive"
}

export interface RemoteHostErrorLocalCommand {
  type: "localCommand"
}

export interface RemoteHostErrorMissing {
  type: "missing"
}

export interface RemoteHostErrorProtocolError {
  type: "protocolError"
  data: RemoteProtocolError
}

export interface RemoteHostErrorTimeout {
  type: "timeout"
}

/** A case of a later version. */
export interface RemoteHostErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface RemoteHostInfo {
  remoteHostId: number
  hostDeviceName: string
  storePath: string
  bindAddress_?: RCCtrlAddress
  bindPort_?: number
  sessionState?: RemoteHostSessionState
}

export interface RemoteHostListResponse {
  type: "remoteHostList"
  remoteHosts: RemoteHostInfo[]
  next?: NextPage
  prev?: PrevPage
}

/** A phone is connected. The user must compare the session code. */
export interface RemoteHostSessionCodeEvent {
  type: "remoteHostSessionCode"
  remoteHost_?: RemoteHostInfo
  sessionCode: string
}

export type RemoteHostSessionState =
  | RemoteHostSessionStateStarting
  | RemoteHostSessionStateConnecting
  | RemoteHostSessionStatePendingConfirmation
  | RemoteHostSessionStateConfirmed
  | RemoteHostSessionStateConnected

export interface RemoteHostSessionStateConfirmed {
  type: "confirmed"
  sessionCode: string
}

export interface RemoteHostSessionStateConnected {
  type: "connected"
  sessionCode: string
}

export interface RemoteHostSessionStateConnecting {
  type: "connecting"
  invitation: string
}

export interface RemoteHostSessionStatePendingConfirmation {
  type: "pendingConfirmation"
  sessionCode: string
}

export interface RemoteHostSessionStateStarting {
  type: "starting"
}

/** A case of a later version. */
export interface RemoteHostSessionStateUnlisted {
  /** The type of the case. */
  type: string
}

export interface RemoteHostSessionStatus {
  sessionState?: RemoteHostSessionState
  rhStopReason?: RemoteHostStopReason
}

export interface RemoteHostStartedResponse {
  type: "remoteHostStarted"
  remoteHost_?: RemoteHostInfo
  invitation: string
  ctrlPort: string
  localAddrs: RCCtrlAddress[]
}

export type RemoteHostStopReason =
  | RemoteHostStopReasonConnectionFailed
  | RemoteHostStopReasonCrashed
  | RemoteHostStopReasonDisconnected

export interface RemoteHostStopReasonConnectionFailed {
  type: "connectionFailed"
  chatError: ChatError
}

export interface RemoteHostStopReasonCrashed {
  type: "crashed"
  chatError: ChatError
}

export interface RemoteHostStopReasonDisconnected {
  type: "disconnected"
}

/** A case of a later version. */
export interface RemoteHostStopReasonUnlisted {
  /** The type of the case. */
  type: string
}

/** A session with a phone has ended. */
export interface RemoteHostStoppedEvent {
  type: "remoteHostStopped"
  remoteHostId_?: number
  rhsState: RemoteHostSessionState
  rhStopReason: RemoteHostStopReason
}

export type RemoteProtocolError =
  | RemoteProtocolErrorInvalidSize
  | RemoteProtocolErrorInvalidJSON
  | RemoteProtocolErrorInvalidBody
  | RemoteProtocolErrorPRESessionCode
  | RemoteProtocolErrorIncompatibleEncoding
  | RemoteProtocolErrorUnexpectedFile
  | RemoteProtocolErrorNoFile
  | RemoteProtocolErrorFileSize
  | RemoteProtocolErrorFileDigest
  | RemoteProtocolErrorManySkippedIds
  | RemoteProtocolErrorPREEarlierId
  | RemoteProtocolErrorPREDuplicateId
  | RemoteProtocolErrorUnexpectedResponse
  | RemoteProtocolErrorStoredFileExists
  | RemoteProtocolErrorPRERemoteControl
  | RemoteProtocolErrorHTTP2
  | RemoteProtocolErrorException

export interface RemoteProtocolErrorException {
  type: "exception"
  someException: string
}

export interface RemoteProtocolErrorFileDigest {
  type: "fileDigest"
}

export interface RemoteProtocolErrorFileSize {
  type: "fileSize"
}

export interface RemoteProtocolErrorHTTP2 {
  type: "hTTP2"
  http2Error: string
}

export interface RemoteProtocolErrorIncompatibleEncoding {
  type: "incompatibleEncoding"
}

export interface RemoteProtocolErrorInvalidBody {
  type: "invalidBody"
  invalidBody: string
}

export interface RemoteProtocolErrorInvalidJSON {
  type: "invalidJSON"
  invalidJSON: string
}

export interface RemoteProtocolErrorInvalidSize {
  type: "invalidSize"
}

export interface RemoteProtocolErrorManySkippedIds {
  type: "manySkippedIds"
  data: number
}

export interface RemoteProtocolErrorNoFile {
  type: "noFile"
}

export interface RemoteProtocolErrorPREDuplicateId {
  type: "pREDuplicateId"
}

export interface RemoteProtocolErrorPREEarlierId {
  type: "pREEarlierId"
  data: number
}

export interface RemoteProtocolErrorPRERemoteControl {
  type: "pRERemoteControl"
  rcError: RCErrorType
}

export interface RemoteProtocolErrorPRESessionCode {
  type: "pRESessionCode"
}

export interface RemoteProtocolErrorStoredFileExists {
  type: "storedFileExists"
}

export interface RemoteProtocolErrorUnexpectedFile {
  type: "unexpectedFile"
}

export interface RemoteProtocolErrorUnexpectedResponse {
  type: "unexpectedResponse"
  response: string
}

/** A case of a later version. */
export interface RemoteProtocolErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface ReplayWebhookRequest {
  /** An event's `id`, or `now`; not with `ids`. */
  cursor?: string
  /** The `id` of each event. */
  ids?: string[]
}

export interface ReportMessageRequest {
  reportReason: "spam" | "content" | "community" | "profile" | "other"
  reportText?: string
}

/** One of spam, content, community, profile, other; later versions may add. */
export type ReportReason = string

/** A fault of one value of a request: either a member of the body or a parameter. */
export interface RequestFault {
  /**
   * For the body: the JSON pointer (RFC 6901) to the member, such as `/composedMessages/0/msgContent`; empty for the
   * whole body.
   */
  pointer?: string
  /** For a parameter of the path, the query or the header: its name. */
  parameter?: string
  /**
   * `missing`: the value is required. `unknown`: the route does not know the name. `wrongType`: another type of JSON is
   * required. `null`: the value must not be null. `invalid`: the value is outside of what is allowed.
   */
  code: "missing" | "unknown" | "wrongType" | "null" | "invalid"
  /** A sentence about the value, for people. */
  detail: string
}

export interface RestoreStoreRequest {
  /** The absolute path of the copy on the server. */
  backup: string
  /** The passphrase of an encrypted copy, or its key of 64 hexadecimal digits. */
  passphrase?: string
}

export interface RetrySetAsideEventsRequest {
  /** The `id` of each event; all events by default. */
  ids?: string[]
}

export interface RetrySetAsideEventsResponse {
  /** Number of events that will be handed out. */
  retried: number
}

export interface RoleGroupPreference {
  enable: GroupFeatureEnabled
  role?: GroupMemberRole
}

export interface RotateKeyRequest {
  /** Seconds for which the previous secret stays valid. */
  graceSeconds?: number
  /** A new name of the key. A client that claims a key can say in it who it is. */
  name?: string
}

export interface RotateWebhookRequest {
  /** Seconds for which requests are also signed with the previous secret. */
  graceSeconds?: number
  /** Your own secret: `whsec_` and 24 to 64 bytes in base64. By default a secret is made. */
  secret?: string
}

export type SMPAgentError =
  | SMPAgentErrorAMessage
  | SMPAgentErrorAProhibited
  | SMPAgentErrorAVersion
  | SMPAgentErrorALink
  | SMPAgentErrorACrypto
  | SMPAgentErrorADuplicate
  | SMPAgentErrorAQueue

export interface SMPAgentErrorACrypto {
  type: "A_CRYPTO"
  cryptoErr: AgentCryptoError
}

export interface SMPAgentErrorADuplicate {
  type: "A_DUPLICATE"
  droppedMsg_?: DroppedMsg
}

export interface SMPAgentErrorALink {
  type: "A_LINK"
  linkErr: string
}

export interface SMPAgentErrorAMessage {
  type: "A_MESSAGE"
}

export interface SMPAgentErrorAProhibited {
  type: "A_PROHIBITED"
  prohibitedErr: string
}

export interface SMPAgentErrorAQueue {
  type: "A_QUEUE"
  queueErr: string
}

export interface SMPAgentErrorAVersion {
  type: "A_VERSION"
}

/** A case of a later version. */
export interface SMPAgentErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface SMPServerSubs {
  ssActive: number
  ssPending: number
}

export interface SMPServerSummary {
  smpServer: string
  known?: boolean
  sessions?: ServerSessions
  subs?: SMPServerSubs
  stats?: AgentSMPServerStatsData
}

export interface SMPServersSummary {
  smpTotals: SMPTotals
  currentlyUsedSMPServers: SMPServerSummary[]
  previouslyUsedSMPServers: SMPServerSummary[]
  onlyProxiedSMPServers: SMPServerSummary[]
}

export interface SMPTotals {
  sessions: ServerSessions
  subs: SMPServerSubs
  stats: AgentSMPServerStatsData
}

export type SQLiteError = SQLiteErrorErrorNotADatabase | SQLiteErrorError

export interface SQLiteErrorError {
  type: "error"
  dbError: string
}

export interface SQLiteErrorErrorNotADatabase {
  type: "errorNotADatabase"
}

/** A case of a later version. */
export interface SQLiteErrorUnlisted {
  /** The type of the case. */
  type: string
}

/** The body has either `composedMessages` or `text`. */
export interface ScheduleMessagesRequest {
  to: ScheduledReceiver
  /** The time of the messages, in UTC; absent to send them as soon as the chat is connected. */
  sendAt?: string
  /** At most 64 KiB as JSON. A file is an upload that no other message has. */
  composedMessages?: ComposedMessage[]
  /** The text of one message. */
  text?: string
  /** The item that `text` replies to. */
  quotedItemId?: number
  /** Seconds after which the messages disappear. */
  ttl?: number
  /** In a channel: sends the messages in the name of the channel. */
  sendAsGroup?: boolean
  /** In a channel: signs the messages in the name of the profile. */
  sign?: boolean
}

export interface ScheduledChat {
  /** The kind of the chat. A pending connection becomes a contact or a group. */
  chatType: "direct" | "group" | "contactConnection"
  /** The id of the contact, the group, or the pending connection (`pccConnId`). */
  chatId: number
}

export interface ScheduledMessage {
  /** The id in the path. */
  scheduledId: number
  /** The chat. */
  chat: ScheduledChat
  /** The result; `waiting` before it. */
  state: PlannedState
  /**
   * The ids of the sent items, in the order of the messages; absent before. A message that is too large has no item.
   */
  itemIds?: number[]
  /** The reason, in the state `failed`; else absent. */
  problem?: PlannedProblem
  /** The time at which the messages were sent or refused; absent before. */
  doneAt?: string
  /** The key whose rights are checked when the messages are sent. */
  keyId: string
  /** The time of the request. */
  createdAt: string
  /** The time before which the messages are not sent; absent for messages without a time. */
  sendAt?: string
  /** The messages; absent after they were sent or refused. */
  composedMessages?: ComposedMessage[]
  /** Seconds after which the messages disappear; absent for the setting of the chat. */
  ttl?: number
  /** Whether the messages come from the channel; absent means false. */
  sendAsGroup?: boolean
  /** Whether the messages are signed in a channel; absent means false. */
  sign?: boolean
}

/** The receiver: `chatType` with `chatId`, or `contact`, or `link`. */
export interface ScheduledReceiver {
  /** The kind of the chat. A pending connection becomes a contact or a group. */
  chatType?: "direct" | "group" | "contactConnection"
  /** The id of the contact, the group, or the pending connection (`pccConnId`). */
  chatId?: number
  /** The contact whose `localDisplayName` or alias is this text. */
  contact?: string
  /** A link of an invitation or an address. If there is no connection by this link yet, the gateway connects. */
  link?: string
  /** Only with `link`: whether a new connection gets a random profile. */
  incognito?: boolean
}

export interface SecondaryItemsModelFilter {
  type: "groupChatScopeContext" | "msgContentTagContext"
  groupScopeInfo?: GroupChatScopeInfo
  contentTag?: MsgContentTag
}

export interface SecurityCode {
  /** The code that both sides have compared. */
  securityCode: string
  /** The time of the comparison. */
  verifiedAt: string
}

export interface SendCallAnswerRequest {
  answer: NewWebRTCSession
}

export interface SendCallCandidatesRequest {
  extraInfo: {
    rtcIceCandidates: string
  }
}

export interface SendCallOfferRequest {
  callOffer: {
    callType: NewCallType
    rtcSession: NewWebRTCSession
  }
}

export interface SendContactInvitationRequest {
  msg?: MsgContent
}

/** The body has either `composedMessages` or `text`. */
export interface SendMessagesRequest {
  composedMessages?: ComposedMessage[]
  /** The text of one message. */
  text?: string
  /** The item that `text` replies to. */
  quotedItemId?: number
  live?: boolean
  ttl?: number
  sendAsGroup?: boolean
  /**
   * In a channel: signs the messages in the name of the profile (`msgSigned`). It has no effect together with
   * `sendAsGroup`, because a signature reveals the owner who has written a message.
   */
  sign?: boolean
}

export interface SentConfirmationResponse {
  type: "sentConfirmation"
  /** The profile. */
  user: User
  /** The pending connection. */
  connection: PendingContactConnection
  /** The random profile that the other side sees; absent without `incognito`. */
  customUserProfile?: Profile
}

/** An invitation to a group was sent to a contact. */
export interface SentGroupInvitationEvent {
  type: "sentGroupInvitation"
  user: User
  groupInfo: GroupInfo
  contact: Contact
  member: GroupMember
}

export interface SentGroupInvitationResponse {
  type: "sentGroupInvitation"
  user: User
  groupInfo: GroupInfo
  contact: Contact
  member: GroupMember
}

export interface SentInvitationResponse {
  type: "sentInvitation"
  /** The profile. */
  user: User
  /** The pending connection. */
  connection: PendingContactConnection
  /** The random profile that the other side sees; absent without `incognito`. */
  customUserProfile?: Profile
}

export interface SentInvitationToContactResponse {
  type: "sentInvitationToContact"
  user: User
  contact: Contact
  customUserProfile?: Profile
}

export interface SentNotice {
  /** The profile that has sent the message. */
  userId: number
  /** The chat of the message. */
  chat: NoticeChat
  /** The id of the message in the chat. */
  itemId: number
}

/** An operator of servers, and the user's acceptance of its conditions. */
export interface ServerOperator {
  operatorId: number
  operatorTag?: string
  tradeName: string
  legalName?: string
  serverDomains: string[]
  conditionsAcceptance: ConditionsAcceptance
  enabled: boolean
  smpRoles: ServerRoles
  xftpRoles: ServerRoles
}

export interface ServerOperatorConditions {
  serverOperators: ServerOperator[]
  currentConditions: UsageConditions
  conditionsAction?: UsageConditionsAction
}

export interface ServerOperatorConditionsResponse {
  type: "serverOperatorConditions"
  conditions: ServerOperatorConditions
}

/** One of smp, xftp, ntf; later versions may add. */
export type ServerProtocol = string

export interface ServerQueueInfo {
  server: string
  rcvId: string
  sndId: string
  ntfId?: string
  status: string
  info: QueueInfo
}

/** The uses of servers: storing messages (queues), and forwarding to other servers. */
export interface ServerRoles {
  storage: boolean
  proxy: boolean
  names?: boolean
}

export interface ServerRolesOverride {
  storage?: boolean
  proxy?: boolean
  names?: boolean
}

export interface ServerSessions {
  ssConnected: number
  ssErrors: number
  ssConnecting: number
}

export interface ServerTestResultResponse {
  type: "serverTestResult"
  user: User
  testServer: string
  testFailure?: ProtocolTestFailure
}

export type ServiceSubEvent =
  | ServiceSubEventUp
  | ServiceSubEventDown
  | ServiceSubEventAll
  | ServiceSubEventEnd

export interface ServiceSubEventAll {
  type: "all"
}

export interface ServiceSubEventDown {
  type: "down"
  queueCount: number
}

export interface ServiceSubEventEnd {
  type: "end"
  queueCount: number
}

/** A case of a later version. */
export interface ServiceSubEventUnlisted {
  /** The type of the case. */
  type: string
}

export interface ServiceSubEventUp {
  type: "up"
  serviceError?: string
  queueCount: number
}

/** A change of the subscription that covers all connections at a relay. */
export interface ServiceSubStatusEvent {
  type: "serviceSubStatus"
  server: string
  serviceSubEvent: ServiceSubEvent
}

export interface SessionModel {
  /** The open chat. */
  chatId?: string
  chatInfo?: ChatInfo
  chatAgentConnId?: string
  chatSubStatus?: SubscriptionStatus
  openAroundItemId?: number
  /** The chat that was open was deleted. */
  chatDeleted: boolean
  activeFilter?: ActiveFilter
  membersLoaded: boolean
  groupMembers: GroupMember[]
  channelRelays: ChannelRelaysModel
  im: ItemsModel
  secondaryIM?: ItemsModel
}

export interface SessionSnapshot {
  /** The cursor from which the changes of this document follow. */
  id: string
  /** The cursor of the events to which the session corresponds. */
  cursor: string
  sessionId: string
  session: SessionModel
}

export interface SetAddressDomainRequest {
  /** The name, such as `alice.simplex`; null removes the name. */
  simplexDomain?: string | null
}

export interface SetAllReceiptsRequest {
  enable: boolean
}

export interface SetAppPasswordRequest {
  password: string
  /** The current app password. */
  current?: string
}

export interface SetAsideEvent {
  /** The `id` of the event in the journal. */
  id: string
  /** Number of attempts. */
  attempts: number
  setAsideAt: string
  /** The event; absent if the journal no longer has it, or if the consumer may not see it now. */
  event?: EventEntry
}

export interface SetCallStatusRequest {
  callStatus: "connecting" | "connected" | "disconnected" | "failed"
}

export interface SetConsumerRequest {
  filter?: ConsumerFilter
  /**
   * The place in the journal after which a new consumer begins: `now`, `oldest`, or an event's `id`. Ignored for an
   * existing consumer.
   */
  from?: string
  /** Seconds after which an event that was not acknowledged is handed out again. */
  deadlineSeconds?: number
  /** Number of attempts after which an event is set aside. */
  maxAttempts?: number
}

export interface SetContactMergeRequest {
  enable: boolean
}

export interface SetDatabaseEncryptionRequest {
  currentKey: string
  newKey: string
  keepKey?: boolean
}

export interface SetDeviceNameRequest {
  displayName: string
}

export interface SetDeviceTokenRequest {
  token: DeviceToken
  notificationMode: "PERIODIC" | "INSTANT"
}

export interface SetFileAutoReceiveRequest {
  userApprovedRelays?: boolean
  encrypted?: boolean
}

export interface SetFilePathsRequest {
  appFilesFolder: string
  appTempFolder: string
  appAssetsFolder: string
  appRemoteHostsFolder?: string
}

export interface SetLocalFileEncryptionRequest {
  enable: boolean
}

export interface SetMembersBlockedRequest {
  memberIds: number[]
  blocked: boolean
}

export interface SetMembersRoleRequest {
  memberIds: number[]
  memberRole: "observer" | "member" | "moderator" | "admin" | "owner"
}

export interface SetSelfDestructPasswordRequest {
  password: string
  /** The current app password. */
  current: string
}

export interface SetServerOperatorsRequest {
  operators: ServerOperator[]
}

export interface SetServersRequest {
  userServers: UserOperatorServers[]
}

export interface SetStoreLimitsRequest {
  databaseBytes?: number | null
  items?: number | null
  files?: number | null
  fileBytes?: number | null
  connections?: number | null
}

export interface SetTagOrderRequest {
  tagIds: number[]
}

export interface SetTagRequest {
  text: string
  emoji?: string
}

export interface SetUserBadgeRequest {
  credential: BadgeCredential
}

export interface SetUserProfileRequest {
  profile: Profile
}

export type SetUserProfileResponse = UserProfileUpdatedResponse | UserProfileNoChangeResponse

export interface SimplePreference {
  allow: FeatureAllowed
}

export interface SimplexDomain {
  nameTLD: SimplexTLD
  domain: string
  subDomain: string[]
}

export interface SimplexDomainClaim {
  /** The domain, such as `example.simplex`. */
  domain: string
  /** The signature of the owner; absent without one. */
  proof?: SimplexDomainProof
}

export type SimplexDomainError = SimplexDomainErrorNoValidLink | SimplexDomainErrorUnknownDomain

export interface SimplexDomainErrorNoValidLink {
  type: "noValidLink"
}

export interface SimplexDomainErrorUnknownDomain {
  type: "unknownDomain"
}

/** A case of a later version. */
export interface SimplexDomainErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface SimplexDomainProof {
  linkOwnerId?: string
  presHeader: string
  signature: string
}

/** One of contact, invitation, group, channel, relay; later versions may add. */
export type SimplexLinkType = string

export interface SimplexNameInfo {
  nameType: SimplexNameType
  nameDomain: SimplexDomain
}

/** One of publicGroup, contact; later versions may add. */
export type SimplexNameType = string

/** One of simplex, testing, web; later versions may add. */
export type SimplexTLD = string

export interface SlowQueryStats {
  /** The number of slow runs. */
  count: number
  /** The longest duration in microseconds. */
  timeMax: number
  /** The average duration of the slow runs in microseconds. */
  timeAvg: number
  /** Always empty. */
  errs: Record<string, number>
}

export interface SlowSQLQueriesResponse {
  type: "slowSQLQueries"
  chatQueries: SlowSQLQuery[]
  agentQueries: SlowSQLQuery[]
}

export interface SlowSQLQuery {
  /** The text of the statement, without its arguments. */
  query: string
  queryStats: SlowQueryStats
}

/** One of partial, complete; later versions may add. */
export type SndCIStatusProgress = string

export type SndConnEvent = SndConnEventSwitchQueue | SndConnEventRatchetSync | SndConnEventPqEnabled

export interface SndConnEventPqEnabled {
  type: "pqEnabled"
  enabled: boolean
}

export interface SndConnEventRatchetSync {
  type: "ratchetSync"
  syncStatus: RatchetSyncState
  member?: GroupMemberRef
}

export interface SndConnEventSwitchQueue {
  type: "switchQueue"
  phase: SwitchPhase
  member?: GroupMemberRef
}

/** A case of a later version. */
export interface SndConnEventUnlisted {
  /** The type of the case. */
  type: string
}

export type SndError =
  | SndErrorAuth
  | SndErrorQuota
  | SndErrorExpired
  | SndErrorRelay
  | SndErrorProxy
  | SndErrorProxyRelay
  | SndErrorOther

export interface SndErrorAuth {
  type: "auth"
}

export interface SndErrorExpired {
  type: "expired"
}

export interface SndErrorOther {
  type: "other"
  sndError: string
}

export interface SndErrorProxy {
  type: "proxy"
  proxyServer: string
  srvError: SrvError
}

export interface SndErrorProxyRelay {
  type: "proxyRelay"
  proxyServer: string
  srvError: SrvError
}

export interface SndErrorQuota {
  type: "quota"
}

export interface SndErrorRelay {
  type: "relay"
  srvError: SrvError
}

/** A case of a later version. */
export interface SndErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface SndFileCancelledResponse {
  type: "sndFileCancelled"
  user: User
  chatItem_?: AChatItem
  fileTransferMeta: FileTransferMeta
  sndFileTransfers: SndFileTransfer[]
}

/** A file was sent to a contact. */
export interface SndFileCompleteEvent {
  type: "sndFileComplete"
  user: User
  chatItem: AChatItem
  sndFileTransfer: SndFileTransfer
}

/** A file was uploaded, and its message was sent. */
export interface SndFileCompleteXFTPEvent {
  type: "sndFileCompleteXFTP"
  /** The profile whose event this is. */
  user: User
  /** The message with its chat. */
  chatItem: AChatItem
  /** The transfer of the file. */
  fileTransferMeta: FileTransferMeta
}

/** A file cannot be sent. */
export interface SndFileErrorEvent {
  type: "sndFileError"
  user: User
  chatItem_?: AChatItem
  fileTransferMeta: FileTransferMeta
  errorMessage: string
}

/** A part of a file was uploaded. */
export interface SndFileProgressXFTPEvent {
  type: "sndFileProgressXFTP"
  user: User
  chatItem_?: AChatItem
  fileTransferMeta: FileTransferMeta
  sentSize: number
  totalSize: number
}

/** The receiver has cancelled a file. */
export interface SndFileRcvCancelledEvent {
  type: "sndFileRcvCancelled"
  user: User
  chatItem_?: AChatItem
  sndFileTransfer: SndFileTransfer
}

/** The description of a large file is too long for a link, and is being uploaded as another file. */
export interface SndFileRedirectStartXFTPEvent {
  type: "sndFileRedirectStartXFTP"
  user: User
  fileTransferMeta: FileTransferMeta
  redirectMeta: FileTransferMeta
}

/** A file is being sent to a contact. */
export interface SndFileStartEvent {
  type: "sndFileStart"
  user: User
  chatItem: AChatItem
  sndFileTransfer: SndFileTransfer
}

export interface SndFileTransfer {
  fileId: number
  fileName: string
  filePath: string
  fileSize: number
  chunkSize: number
  recipientDisplayName: string
  connId: number
  agentConnId: string
  groupMemberId?: number
  /** One of new, accepted, connected, complete, cancelled; later versions may add. */
  fileStatus: string
  fileDescrId?: number
  fileInline?: string
}

/** An error has occurred while a file is sent. The core tries again. */
export interface SndFileWarningEvent {
  type: "sndFileWarning"
  user: User
  chatItem_?: AChatItem
  fileTransferMeta: FileTransferMeta
  errorMessage: string
}

export type SndGroupEvent =
  | SndGroupEventMemberRole
  | SndGroupEventMemberBlocked
  | SndGroupEventUserRole
  | SndGroupEventMemberDeleted
  | SndGroupEventUserLeft
  | SndGroupEventGroupUpdated
  | SndGroupEventMemberAccepted
  | SndGroupEventUserPendingReview

export interface SndGroupEventGroupUpdated {
  type: "groupUpdated"
  groupProfile: GroupProfile
}

export interface SndGroupEventMemberAccepted {
  type: "memberAccepted"
  groupMemberId: number
  profile: Profile
}

export interface SndGroupEventMemberBlocked {
  type: "memberBlocked"
  groupMemberId: number
  profile: Profile
  blocked: boolean
}

export interface SndGroupEventMemberDeleted {
  type: "memberDeleted"
  groupMemberId: number
  profile: Profile
}

export interface SndGroupEventMemberRole {
  type: "memberRole"
  groupMemberId: number
  profile: Profile
  role: GroupMemberRole
}

/** A case of a later version. */
export interface SndGroupEventUnlisted {
  /** The type of the case. */
  type: string
}

export interface SndGroupEventUserLeft {
  type: "userLeft"
}

export interface SndGroupEventUserPendingReview {
  type: "userPendingReview"
}

export interface SndGroupEventUserRole {
  type: "userRole"
  role: GroupMemberRole
}

export interface SndQueueInfo {
  sndServer: string
  status?: QueueStatus
  sndSwitchStatus?: SndSwitchStatus
}

/** A file without a message was uploaded. `rcvURIs` are its links. */
export interface SndStandaloneFileCompleteEvent {
  type: "sndStandaloneFileComplete"
  user: User
  fileTransferMeta: FileTransferMeta
  rcvURIs: string[]
}

export interface SndStandaloneFileCreatedResponse {
  type: "sndStandaloneFileCreated"
  user: User
  fileTransferMeta: FileTransferMeta
}

/** One of sending_qkey, sending_qtest; later versions may add. */
export type SndSwitchStatus = string

export type SrvError = SrvErrorHost | SrvErrorVersion | SrvErrorOther

export interface SrvErrorHost {
  type: "host"
}

export interface SrvErrorOther {
  type: "other"
  srvError: string
}

/** A case of a later version. */
export interface SrvErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface SrvErrorVersion {
  type: "version"
}

export interface StandaloneFileInfoResponse {
  type: "standaloneFileInfo"
  /** Any JSON. */
  fileMeta?: unknown
}

export interface StartCallRequest {
  callType: NewCallType
}

export interface StartCoreRequest {
  mainApp?: boolean
  enableSndFiles?: boolean
}

export type StartCoreResponse = ChatStartedResponse | ChatRunningResponse

export interface StartRemoteHostSessionRequest {
  remoteHostId?: number
  multicast?: boolean
  /** An address of this machine, with its network interface. */
  address?: {
    address: string
    interface: string
  }
  /** The port to listen on. By default any free port. */
  port?: number
}

export interface StartedConnectionToContactResponse {
  type: "startedConnectionToContact"
  user: User
  contact: Contact
  customUserProfile?: Profile
}

export interface StartedConnectionToGroupResponse {
  type: "startedConnectionToGroup"
  user: User
  groupInfo: GroupInfo
  customUserProfile?: Profile
  relayResults?: RelayConnectionResult[]
}

export interface Store {
  /** The id of the store; `default` for the first store. */
  storeId: string
  name: string
  /**
   * `closed`: this node does not have the store open, and the next request opens it; `node` names another node that has
   * it. `held`: the process crashed twice while the store was opened; the store stays closed until it is unlocked with
   * `retry`.
   */
  state: "locked" | "closed" | "held" | "unlocking" | "unlocked" | "locking"
  /** The reason why the store is `held`. */
  reason?: string
  /**
   * The node that has the store, if several nodes share the stores; absent while no node has it. At every other node
   * the store is `closed`.
   */
  node?: string
  createdAt?: string
  /** The way to open the store: a key file beside its databases, or a secret that is entered. */
  protection: "keyFile" | "passphrase" | "appPassword"
  /**
   * The tenant to whose stream the store's events are appended, if there is a broker (`--events-redis`). If absent,
   * they go to the stream of `default`.
   */
  tenant?: string
}

/** Amounts that a store holds, or may hold. */
export interface StoreAmounts {
  /** Bytes of both databases, including the kept events, without free pages. */
  databaseBytes?: number
  /** Messages and other items of chats. */
  items?: number
  /** Files that are kept or being received, and uploads. */
  files?: number
  /** Bytes of these files and uploads. */
  fileBytes?: number
  /** Connections with contacts and members of groups, invitations and addresses. */
  connections?: number
}

/** The last event on a stream: the store was deleted. The entry has neither `id` nor `createdAt`. */
export interface StoreDeletedEvent {
  type: "storeDeleted"
}

export type StoreError =
  | StoreErrorDuplicateName
  | StoreErrorUserNotFound
  | StoreErrorRelayUserNotFound
  | StoreErrorUserNotFoundByName
  | StoreErrorUserNotFoundByContactId
  | StoreErrorUserNotFoundByGroupId
  | StoreErrorUserNotFoundByFileId
  | StoreErrorUserNotFoundByContactRequestId
  | StoreErrorContactNotFound
  | StoreErrorContactNotFoundByName
  | StoreErrorContactNotFoundByMemberId
  | StoreErrorContactNotReady
  | StoreErrorDuplicateContactLink
  | StoreErrorUserContactLinkNotFound
  | StoreErrorContactRequestNotFound
  | StoreErrorContactRequestNotFoundByName
  | StoreErrorInvalidContactRequestEntity
  | StoreErrorInvalidBusinessChatContactRequest
  | StoreErrorGroupNotFound
  | StoreErrorGroupNotFoundByName
  | StoreErrorGroupMemberNameNotFound
  | StoreErrorGroupMemberNotFound
  | StoreErrorGroupMemberNotFoundByIndex
  | StoreErrorMemberRelationsVectorNotFound
  | StoreErrorGroupHostMemberNotFound
  | StoreErrorGroupMemberNotFoundByMemberId
  | StoreErrorMemberContactGroupMemberNotFound
  | StoreErrorInvalidMemberRelationUpdate
  | StoreErrorGroupWithoutUser
  | StoreErrorDuplicateGroupMember
  | StoreErrorDuplicateMemberId
  | StoreErrorGroupAlreadyJoined
  | StoreErrorGroupInvitationNotFound
  | StoreErrorNoteFolderAlreadyExists
  | StoreErrorNoteFolderNotFound
  | StoreErrorUserNoteFolderNotFound
  | StoreErrorSndFileNotFound
  | StoreErrorSndFileInvalid
  | StoreErrorRcvFileNotFound
  | StoreErrorRcvFileDescrNotFound
  | StoreErrorFileNotFound
  | StoreErrorRcvFileInvalid
  | StoreErrorRcvFileInvalidDescrPart
  | StoreErrorLocalFileNoTransfer
  | StoreErrorSharedMsgIdNotFoundByFileId
  | StoreErrorFileIdNotFoundBySharedMsgId
  | StoreErrorSndFileNotFoundXFTP
  | StoreErrorRcvFileNotFoundXFTP
  | StoreErrorConnectionNotFound
  | StoreErrorConnectionNotFoundById
  | StoreErrorConnectionNotFoundByMemberId
  | StoreErrorPendingConnectionNotFound
  | StoreErrorUniqueID
  | StoreErrorLargeMsg
  | StoreErrorInternalError
  | StoreErrorDBException
  | StoreErrorDBBusyError
  | StoreErrorBadChatItem
  | StoreErrorChatItemNotFound
  | StoreErrorChatItemNotFoundByText
  | StoreErrorChatItemSharedMsgIdNotFound
  | StoreErrorChatItemNotFoundByFileId
  | StoreErrorChatItemNotFoundByContactId
  | StoreErrorChatItemNotFoundByGroupId
  | StoreErrorProfileNotFound
  | StoreErrorDuplicateGroupLink
  | StoreErrorGroupLinkNotFound
  | StoreErrorHostMemberIdNotFound
  | StoreErrorContactNotFoundByFileId
  | StoreErrorNoGroupSndStatus
  | StoreErrorDuplicateGroupMessage
  | StoreErrorRemoteHostNotFound
  | StoreErrorRemoteHostUnknown
  | StoreErrorRemoteHostDuplicateCA
  | StoreErrorRemoteCtrlNotFound
  | StoreErrorRemoteCtrlDuplicateCA
  | StoreErrorProhibitedDeleteUser
  | StoreErrorOperatorNotFound
  | StoreErrorUsageConditionsNotFound
  | StoreErrorUserChatRelayNotFound
  | StoreErrorGroupRelayNotFound
  | StoreErrorGroupRelayNotFoundByMemberId
  | StoreErrorInvalidQuote
  | StoreErrorInvalidMention
  | StoreErrorInvalidDeliveryTask
  | StoreErrorDeliveryTaskNotFound
  | StoreErrorInvalidDeliveryJob
  | StoreErrorDeliveryJobNotFound
  | StoreErrorWorkItemError

export interface StoreErrorBadChatItem {
  type: "badChatItem"
  itemId: number
  itemTs?: string
}

export interface StoreErrorChatItemNotFound {
  type: "chatItemNotFound"
  itemId: number
}

export interface StoreErrorChatItemNotFoundByContactId {
  type: "chatItemNotFoundByContactId"
  contactId: number
}

export interface StoreErrorChatItemNotFoundByFileId {
  type: "chatItemNotFoundByFileId"
  fileId: number
}

export interface StoreErrorChatItemNotFoundByGroupId {
  type: "chatItemNotFoundByGroupId"
  groupId: number
}

export interface StoreErrorChatItemNotFoundByText {
  type: "chatItemNotFoundByText"
  text: string
}

export interface StoreErrorChatItemSharedMsgIdNotFound {
  type: "chatItemSharedMsgIdNotFound"
  sharedMsgId: string
}

export interface StoreErrorConnectionNotFound {
  type: "connectionNotFound"
  agentConnId: string
}

export interface StoreErrorConnectionNotFoundById {
  type: "connectionNotFoundById"
  connId: number
}

export interface StoreErrorConnectionNotFoundByMemberId {
  type: "connectionNotFoundByMemberId"
  groupMemberId: number
}

export interface StoreErrorContactNotFound {
  type: "contactNotFound"
  contactId: number
}

export interface StoreErrorContactNotFoundByFileId {
  type: "contactNotFoundByFileId"
  fileId: number
}

export interface StoreErrorContactNotFoundByMemberId {
  type: "contactNotFoundByMemberId"
  groupMemberId: number
}

export interface StoreErrorContactNotFoundByName {
  type: "contactNotFoundByName"
  contactName: string
}

export interface StoreErrorContactNotReady {
  type: "contactNotReady"
  contactName: string
}

export interface StoreErrorContactRequestNotFound {
  type: "contactRequestNotFound"
  contactRequestId: number
}

export interface StoreErrorContactRequestNotFoundByName {
  type: "contactRequestNotFoundByName"
  contactName: string
}

export interface StoreErrorDBBusyError {
  type: "dBBusyError"
  message: string
}

export interface StoreErrorDBException {
  type: "dBException"
  message: string
}

export interface StoreErrorDeliveryJobNotFound {
  type: "deliveryJobNotFound"
  jobId: number
}

export interface StoreErrorDeliveryTaskNotFound {
  type: "deliveryTaskNotFound"
  taskId: number
}

export interface StoreErrorDuplicateContactLink {
  type: "duplicateContactLink"
}

export interface StoreErrorDuplicateGroupLink {
  type: "duplicateGroupLink"
  groupInfo: GroupInfo
}

export interface StoreErrorDuplicateGroupMember {
  type: "duplicateGroupMember"
}

export interface StoreErrorDuplicateGroupMessage {
  type: "duplicateGroupMessage"
  groupId: number
  sharedMsgId: string
  authorGroupMemberId?: number
  forwardedByGroupMemberId?: number
}

export interface StoreErrorDuplicateMemberId {
  type: "duplicateMemberId"
}

export interface StoreErrorDuplicateName {
  type: "duplicateName"
}

export interface StoreErrorFileIdNotFoundBySharedMsgId {
  type: "fileIdNotFoundBySharedMsgId"
  sharedMsgId: string
}

export interface StoreErrorFileNotFound {
  type: "fileNotFound"
  fileId: number
}

export interface StoreErrorGroupAlreadyJoined {
  type: "groupAlreadyJoined"
}

export interface StoreErrorGroupHostMemberNotFound {
  type: "groupHostMemberNotFound"
  groupId: number
}

export interface StoreErrorGroupInvitationNotFound {
  type: "groupInvitationNotFound"
}

export interface StoreErrorGroupLinkNotFound {
  type: "groupLinkNotFound"
  groupInfo: GroupInfo
}

export interface StoreErrorGroupMemberNameNotFound {
  type: "groupMemberNameNotFound"
  groupId: number
  groupMemberName: string
}

export interface StoreErrorGroupMemberNotFound {
  type: "groupMemberNotFound"
  groupMemberId: number
}

export interface StoreErrorGroupMemberNotFoundByIndex {
  type: "groupMemberNotFoundByIndex"
  groupMemberIndex: number
}

export interface StoreErrorGroupMemberNotFoundByMemberId {
  type: "groupMemberNotFoundByMemberId"
  memberId: string
}

export interface StoreErrorGroupNotFound {
  type: "groupNotFound"
  groupId: number
}

export interface StoreErrorGroupNotFoundByName {
  type: "groupNotFoundByName"
  groupName: string
}

export interface StoreErrorGroupRelayNotFound {
  type: "groupRelayNotFound"
  groupRelayId: number
}

export interface StoreErrorGroupRelayNotFoundByMemberId {
  type: "groupRelayNotFoundByMemberId"
  groupMemberId: number
}

export interface StoreErrorGroupWithoutUser {
  type: "groupWithoutUser"
}

export interface StoreErrorHostMemberIdNotFound {
  type: "hostMemberIdNotFound"
  groupId: number
}

export interface StoreErrorInternalError {
  type: "internalError"
  message: string
}

export interface StoreErrorInvalidBusinessChatContactRequest {
  type: "invalidBusinessChatContactRequest"
}

export interface StoreErrorInvalidContactRequestEntity {
  type: "invalidContactRequestEntity"
  contactRequestId: number
}

export interface StoreErrorInvalidDeliveryJob {
  type: "invalidDeliveryJob"
  jobId: number
}

export interface StoreErrorInvalidDeliveryTask {
  type: "invalidDeliveryTask"
  taskId: number
}

export interface StoreErrorInvalidMemberRelationUpdate {
  type: "invalidMemberRelationUpdate"
}

export interface StoreErrorInvalidMention {
  type: "invalidMention"
}

export interface StoreErrorInvalidQuote {
  type: "invalidQuote"
}

export interface StoreErrorLargeMsg {
  type: "largeMsg"
}

export interface StoreErrorLocalFileNoTransfer {
  type: "localFileNoTransfer"
  fileId: number
}

export interface StoreErrorMemberContactGroupMemberNotFound {
  type: "memberContactGroupMemberNotFound"
  contactId: number
}

export interface StoreErrorMemberRelationsVectorNotFound {
  type: "memberRelationsVectorNotFound"
  groupMemberId: number
}

export interface StoreErrorNoGroupSndStatus {
  type: "noGroupSndStatus"
  itemId: number
  groupMemberId: number
}

export interface StoreErrorNoteFolderAlreadyExists {
  type: "noteFolderAlreadyExists"
  noteFolderId: number
}

export interface StoreErrorNoteFolderNotFound {
  type: "noteFolderNotFound"
  noteFolderId: number
}

export interface StoreErrorOperatorNotFound {
  type: "operatorNotFound"
  serverOperatorId: number
}

export interface StoreErrorPendingConnectionNotFound {
  type: "pendingConnectionNotFound"
  connId: number
}

export interface StoreErrorProfileNotFound {
  type: "profileNotFound"
  profileId: number
}

export interface StoreErrorProhibitedDeleteUser {
  type: "prohibitedDeleteUser"
  userId: number
  contactId: number
}

export interface StoreErrorRcvFileDescrNotFound {
  type: "rcvFileDescrNotFound"
  fileId: number
}

export interface StoreErrorRcvFileInvalid {
  type: "rcvFileInvalid"
  fileId: number
}

export interface StoreErrorRcvFileInvalidDescrPart {
  type: "rcvFileInvalidDescrPart"
}

export interface StoreErrorRcvFileNotFound {
  type: "rcvFileNotFound"
  fileId: number
}

export interface StoreErrorRcvFileNotFoundXFTP {
  type: "rcvFileNotFoundXFTP"
  agentRcvFileId: string
}

export interface StoreErrorRelayUserNotFound {
  type: "relayUserNotFound"
}

export interface StoreErrorRemoteCtrlDuplicateCA {
  type: "remoteCtrlDuplicateCA"
}

export interface StoreErrorRemoteCtrlNotFound {
  type: "remoteCtrlNotFound"
  remoteCtrlId: number
}

export interface StoreErrorRemoteHostDuplicateCA {
  type: "remoteHostDuplicateCA"
}

export interface StoreErrorRemoteHostNotFound {
  type: "remoteHostNotFound"
  remoteHostId: number
}

export interface StoreErrorRemoteHostUnknown {
  type: "remoteHostUnknown"
}

export interface StoreErrorSharedMsgIdNotFoundByFileId {
  type: "sharedMsgIdNotFoundByFileId"
  fileId: number
}

export interface StoreErrorSndFileInvalid {
  type: "sndFileInvalid"
  fileId: number
}

export interface StoreErrorSndFileNotFound {
  type: "sndFileNotFound"
  fileId: number
}

export interface StoreErrorSndFileNotFoundXFTP {
  type: "sndFileNotFoundXFTP"
  agentSndFileId: string
}

export interface StoreErrorUniqueID {
  type: "uniqueID"
}

/** A case of a later version. */
export interface StoreErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface StoreErrorUsageConditionsNotFound {
  type: "usageConditionsNotFound"
}

export interface StoreErrorUserChatRelayNotFound {
  type: "userChatRelayNotFound"
  chatRelayId: number
}

export interface StoreErrorUserContactLinkNotFound {
  type: "userContactLinkNotFound"
}

export interface StoreErrorUserNotFound {
  type: "userNotFound"
  userId: number
}

export interface StoreErrorUserNotFoundByContactId {
  type: "userNotFoundByContactId"
  contactId: number
}

export interface StoreErrorUserNotFoundByContactRequestId {
  type: "userNotFoundByContactRequestId"
  contactRequestId: number
}

export interface StoreErrorUserNotFoundByFileId {
  type: "userNotFoundByFileId"
  fileId: number
}

export interface StoreErrorUserNotFoundByGroupId {
  type: "userNotFoundByGroupId"
  groupId: number
}

export interface StoreErrorUserNotFoundByName {
  type: "userNotFoundByName"
  contactName: string
}

export interface StoreErrorUserNoteFolderNotFound {
  type: "userNoteFolderNotFound"
}

export interface StoreErrorWorkItemError {
  type: "workItemError"
  errContext: string
}

export interface StoreLimits {
  /** The limits of the store. An absent amount is not limited. */
  limits: StoreAmounts
  /** The limits that were set for this store alone; null means no limit. */
  own: Record<string, number | null>
  /** The amounts that the store holds; absent while it is not open. */
  used?: StoreAmounts
}

/** The last event on a stream: the store was locked. The entry has neither `id` nor `createdAt`. */
export interface StoreLockedEvent {
  type: "storeLocked"
}

export interface StoreRemoteHostFileRequest {
  /** An absolute path of the gateway, as for other commands that name files. */
  localPath: string
  /** Whether the phone keeps the file encrypted. The default is the phone's own setting. */
  storeEncrypted?: boolean
}

export interface StoredArchive {
  name: string
  /** Size in bytes. */
  size: number
}

/** Another client has subscribed to a connection. */
export interface SubscriptionEndEvent {
  type: "subscriptionEnd"
  user: User
  connectionEntity: ConnectionEntity
}

export type SubscriptionStatus =
  | SubscriptionStatusActive
  | SubscriptionStatusPending
  | SubscriptionStatusRemoved
  | SubscriptionStatusNoSub

export interface SubscriptionStatusActive {
  type: "active"
}

/** The subscription of the given connections at a relay was established or lost. */
export interface SubscriptionStatusEvent {
  type: "subscriptionStatus"
  server: string
  subscriptionStatus: SubscriptionStatus
  connections: string[]
}

export interface SubscriptionStatusNoSub {
  type: "noSub"
}

export interface SubscriptionStatusPending {
  type: "pending"
}

export interface SubscriptionStatusRemoved {
  type: "removed"
  subError: string
}

/** A case of a later version. */
export interface SubscriptionStatusUnlisted {
  /** The type of the case. */
  type: string
}

export interface SupportGroupPreference {
  enable: GroupFeatureEnabled
}

export interface SuspendCoreRequest {
  timeoutMicroseconds?: number
}

/** One of started, confirmed, secured, completed; later versions may add. */
export type SwitchPhase = string

export interface SwitchProgress {
  queueDirection: QueueDirection
  switchPhase: SwitchPhase
  connectionStats: ConnectionStats
}

export interface SwitchRemoteHostRequest {
  remoteHostId?: number
}

export interface SyncContactEncryptionRequest {
  force?: boolean
}

export interface SyncMemberEncryptionRequest {
  force?: boolean
}

export interface TakeEventsRequest {
  /** Maximal number of events in the answer. */
  limit?: number
  /** Seconds to wait for an event if there is none yet. */
  timeout?: number
}

export interface TakeEventsResponse {
  events: TakenEvent[]
}

export interface TakenEvent {
  /** The id of this handing out, for `ack` and `nack`. It differs at each attempt. */
  id: string
  /** The number of the attempt for this event. */
  attempt: number
  /** The time until which the event must be acknowledged. */
  deadlineAt: string
  /**
   * The entry, as in `GET /v1/events`. Without `id` and `createdAt`: a note of the type `gap` that the journal no
   * longer has the next events.
   */
  event: EventLine
}

/** Output for the terminal client. */
export interface TerminalEventEvent {
  type: "terminalEvent"
}

export interface TestChatRelayRequest {
  /** The short link of a relay. */
  address: string
}

export interface TestDatabaseKeyRequest {
  key: string
}

export interface TestServerRequest {
  /** smp://fingerprint[:password]@host[,host][:port], or the same with xftp:// */
  server: string
}

/** The duration of an action in the core. */
export interface TimedActionEvent {
  type: "timedAction"
  action: string
  durationMilliseconds: number
}

export interface TimedMessagesGroupPreference {
  enable: GroupFeatureEnabled
  /** Seconds. A request can set a number from 0 to 3155760000. */
  ttl?: number
}

export interface TimedMessagesPreference {
  allow: FeatureAllowed
  /** Seconds. A request can set a number from 0 to 3155760000. */
  ttl?: number
}

export type TransportError =
  | TransportErrorBadBlock
  | TransportErrorVersion
  | TransportErrorLargeMsg
  | TransportErrorBadSession
  | TransportErrorNoServerAuth
  | TransportErrorHandshake

export interface TransportErrorBadBlock {
  type: "badBlock"
}

export interface TransportErrorBadSession {
  type: "badSession"
}

export interface TransportErrorHandshake {
  type: "handshake"
  handshakeErr: HandshakeError
}

export interface TransportErrorLargeMsg {
  type: "largeMsg"
}

export interface TransportErrorNoServerAuth {
  type: "noServerAuth"
}

/** A case of a later version. */
export interface TransportErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface TransportErrorVersion {
  type: "version"
}

/** One of light, dark; later versions may add. */
export type UIColorMode = string

export interface UIColors {
  accent?: string
  accentVariant?: string
  secondary?: string
  secondaryVariant?: string
  background?: string
  menus?: string
  title?: string
  accentVariant2?: string
  sentMessage?: string
  sentReply?: string
  receivedMessage?: string
  receivedReply?: string
}

export interface UIThemeEntityOverride {
  mode: UIColorMode
  wallpaper?: ChatWallpaper
  colors: UIColors
}

export interface UIThemeEntityOverrides {
  /** Changes of the light theme; absent without any. */
  light?: UIThemeEntityOverride
  /** Changes of the dark theme; absent without any. */
  dark?: UIThemeEntityOverride
}

/** A message of a client: it removes a document from a stream. */
export interface UnfollowDocument {
  /** The path of the document. */
  unfollow: string
}

export interface UnhideUserRequest {
  viewPwd: string
}

/** A member who was not known yet was introduced. */
export interface UnknownMemberAnnouncedEvent {
  type: "unknownMemberAnnounced"
  user: User
  groupInfo: GroupInfo
  announcingMember: GroupMember
  unknownMember: GroupMember
  announcedMember: GroupMember
}

/** A member who was not introduced yet was blocked. */
export interface UnknownMemberBlockedEvent {
  type: "unknownMemberBlocked"
  user: User
  groupInfo: GroupInfo
  blockedByMember: GroupMember
  member: GroupMember
}

/** A message has arrived from a member who was not introduced yet. */
export interface UnknownMemberCreatedEvent {
  type: "unknownMemberCreated"
  user: User
  groupInfo: GroupInfo
  forwardedByMember: GroupMember
  member: GroupMember
}

/** An event of a later version. */
export interface UnlistedEvent {
  /** The type of the case. */
  type: string
}

export interface UnlockStoreRequest {
  /** Opens a store that is `held`. Needs a key of the first store with the scope `stores`. */
  retry?: boolean
  /** The app password if the store has one, else the passphrase. Leave it out for a store whose key is in a file. */
  passphrase?: string
}

export interface UpMigration {
  upName: string
  withDown: boolean
}

export interface UpdateAddressRequest {
  /** Whether each contact request opens a group with the customer. */
  businessAddress?: boolean
  /** How requests are accepted at once. Without a value, the user decides about each request. */
  autoAccept?: {
    /** Whether the contact gets an incognito profile. */
    acceptIncognito?: boolean
  } | null
  /** Members of `MsgContent`: the first message to each new contact. */
  autoReply?: Record<string, unknown> | null
}

export interface UpdateChatRequest {
  /**
   * Whether the chat is marked as unread. The mark does not change the counts. In the answer: `unreadChat` of
   * `chatStats`.
   */
  unread?: boolean
  /** All tags of the chat. 404 when a tag does not exist. In the answer: `chatTags`. */
  tagIds?: number[]
  /** In the answer: `chatSettings`. */
  settings?: {
    enableNtfs?: MsgFilter
    /** Whether receipts are sent. Without a value, the setting of the profile holds. */
    sendRcpts?: boolean | null
    favorite?: boolean
  }
  /**
   * The number of seconds for which items are kept; 0 keeps them forever, and with null the setting of the profile
   * holds. In the answer: `chatItemTTL`.
   */
  ttlSeconds?: number | null
  /** Members of `UIThemeEntityOverrides`; null deletes the themes, or one of them. In the answer: `uiThemes`. */
  themes?: Record<string, unknown> | null
}

export interface UpdateConnectionRequest {
  /** The name of the later contact. In the answer: `localAlias`. */
  alias?: string | null
  /**
   * Whether the peer gets an incognito profile. In the answer, an incognito invitation has `customUserProfileId`. A
   * value that is set already gets 409. It must be the only member of its request.
   */
  incognito?: boolean
  /** The profile that gets a new invitation instead of this one. It must be the only member of its request. */
  userId?: number
}

export type UpdateConnectionResponse = ApiChatResponse | ConnectionUserChangedResponse

export interface UpdateContactRequest {
  /** The name that the user gives to the contact. In the answer: `localAlias` of the profile. */
  alias?: string | null
  /**
   * Members of `Preferences`, which override the profile's preferences for this contact; null deletes all or one of
   * them. In the answer: `userPreferences`.
   */
  preferences?: Record<string, unknown> | null
  /** Data of other programs. Null deletes all or one of them. */
  customData?: Record<string, unknown> | null
  /**
   * The profile to which a prepared contact is moved, with its chat. The contact gets a new id there. It must be the
   * only member of its request.
   */
  userId?: number
}

export type UpdateContactResponse = ContactInfoResponse | ContactUserChangedResponse

export interface UpdateGroupLinkRequest {
  memberRole: "observer" | "member" | "moderator" | "admin" | "owner"
}

export interface UpdateGroupRequest {
  profile?: GroupProfilePatch
  /**
   * Access to a channel: who sees it on pages of the web. In the answer: `publicGroupAccess`. Without a stored value,
   * `domainWebPage` and `allowEmbedding` are required.
   */
  access?: {
    groupWebPage?: string | null
    /**
     * The SimpleX name of the channel: `{"domain": "news.simplex"}`. A new name must lead to the link of the channel.
     */
    groupDomainClaim?: Record<string, unknown> | null
    domainWebPage?: boolean
    allowEmbedding?: boolean
  }
  /** The name that the user gives to the group. In the answer: `localAlias`. */
  alias?: string | null
  /** Data of other programs. Null deletes all or one of them. */
  customData?: Record<string, unknown> | null
  /**
   * The profile to which a prepared group is moved, before the user joins it. The group gets a new id there. It must be
   * the only member of its request.
   */
  userId?: number
}

export type UpdateGroupResponse = GroupInfoResponse | GroupUserChangedResponse

export interface UpdateMemberRequest {
  /** In the answer: `memberSettings`. */
  settings?: {
    /** Whether the user sees messages of the member. */
    showMessages?: boolean
  }
  /** The new role, at most the role of the user. In the answer: `memberRole`. */
  role?: "observer" | "member" | "moderator" | "admin" | "owner"
  /** Whether the messages of the member are hidden for all members. In the answer: `blockedByAdmin`. */
  blocked?: boolean
}

export interface UpdateMessageRequest {
  updatedMessage: UpdatedMessage
  live?: boolean
}

export type UpdateMessageResponse = ChatItemUpdatedResponse | ChatItemNotChangedResponse

export interface UpdateNetworkSettingsRequest {
  /**
   * [user:password@ | @][address][:port]. Without credentials, each session uses its own credentials at the proxy. With
   * @ alone, no credentials are sent.
   */
  socksProxy?: string | null
  /** always, or onion (only for onion hosts). */
  socksMode?: "always" | "onion"
  /** One of public, onion, onionViaSocks. */
  hostMode?: "public" | "onion" | "onionViaSocks"
  /** Whether the gateway refuses relays without such a host. */
  requiredHostMode?: boolean
  /**
   * The unit that has its own session, and its own identity at the SOCKS proxy: one of user, session, server, entity.
   */
  sessionMode?: "user" | "session" | "server" | "entity"
  /** The cases in which messages are sent through a relay of the user: one of always, unknown, unprotected, never. */
  smpProxyMode?: "always" | "unknown" | "unprotected" | "never"
  /** Whether messages are sent directly if that is not possible: one of allow, allowProtected, prohibit. */
  smpProxyFallback?: "allow" | "allowProtected" | "prohibit"
  /** The relays that are reached at port 443 if their address names no port: one of all, preset, off. */
  smpWebPortServers?: "all" | "preset" | "off"
  tcpConnectTimeout?: {
    backgroundTimeout?: number
    /** The timeout when a user waits for the result. */
    interactiveTimeout?: number
  }
  tcpTimeout?: {
    backgroundTimeout?: number
    /** The timeout when a user waits for the result. */
    interactiveTimeout?: number
  }
  tcpTimeoutPerKb?: number
  rcvConcurrency?: number
  /** Members of `KeepAliveOpts`; null disables keep-alive. */
  tcpKeepAlive?: {
    keepIdle?: number
    keepIntvl?: number
    keepCnt?: number
  } | null
  /** 0 means never; other values are at least 1000000. */
  smpPingInterval?: number
  /** Number of commands without an answer that ends a session; 0 means never. */
  smpPingCount?: number
  logTLSErrors?: boolean
}

export interface UpdatePushSubscriptionRequest {
  /** A name by which you recognize it. */
  name?: string
  /** Only events of these profiles. An empty list means all profiles. */
  users?: number[]
  /** Only events of these chats, such as `direct/4`. An empty list means all chats. */
  chats?: string[]
  /** Only messages that mention the user. */
  mentionsOnly?: boolean
  /** Whether notifications contain names and text, as `title` and `text`. */
  content?: boolean
}

export interface UpdateScheduledMessageRequest {
  /** The time of the messages, in UTC; null to send them as soon as the chat is connected. */
  sendAt?: string | null
  /** The new messages, in place of all old ones. */
  composedMessages?: ComposedMessage[]
  /** Seconds after which the messages disappear; null for the setting of the chat. */
  ttl?: number | null
}

export interface UpdateUserRequest {
  profile?: ProfilePatch
  /** Whether the profile that contacts get has the address. It must be the only member of its request. */
  addressInProfile?: boolean
  /** Whether apps show no notifications of this profile. It is the opposite of `showNtfs` in the answer. */
  muted?: boolean
  /**
   * The settings for delivery receipts to senders. In the answer, their names are `sendRcptsContacts` and
   * `sendRcptsSmallGroups`.
   */
  receipts?: {
    /** Receipts to contacts without a setting of their own. */
    contacts?: boolean
    /** Receipts to members of small groups. */
    groups?: boolean
    /** Whether single contacts or groups lose their own setting. */
    clearOverrides?: boolean
  }
  /** Invitations that are accepted at once. */
  autoAccept?: {
    /** Invitations of group members to become a contact of the member. */
    memberContacts?: boolean
    /**
     * Invitations to groups. An accepted invitation causes the event `userAcceptedGroupSent` instead of
     * `receivedGroupInvitation`. If its link cannot be joined, or if the store has no room for the connection, the
     * invitation becomes pending again, with the event `receivedGroupInvitation`. The answer does not have this
     * setting.
     */
    groupInvitations?: boolean
  }
  /**
   * Whether relays know all message queues of the profile by one certificate. The chat must be stopped (`stopChat`),
   * otherwise the answer is 409 (`chatNotStopped`). The next start subscribes to the queues with the new setting: with
   * `true`, relays assign the queues to a new certificate; with `false`, the certificates are deleted, and relays
   * forget that the queues belong together. 409 if each connection has a separate session (`sessionMode` is `entity`).
   * It must be the only member of its request.
   */
  clientService?: boolean
  /** Members of `UIThemeEntityOverrides`; null deletes the themes, or one of them. */
  themes?: Record<string, unknown> | null
  /**
   * The number of seconds for which items are kept; 0 or null keeps them forever. Older items are deleted, and the
   * event `chatItemsDeleted` reports them. `getUser` shows it.
   */
  ttlSeconds?: number | null
}

export interface UpdateWebhookRequest {
  /**
   * The URL to which events are posted: `https://…`, or `http://…` at an address that `--webhook-allow` names. A user
   * and a password before the host are sent as Basic authentication, and never shown again.
   */
  url?: string
  /** A name by which you recognize it. */
  name?: string
  /** Only events of these types, as with `GET /v1/events`. An empty list means all types. */
  types?: EventType[]
  /** Only events of these profiles, and events that concern all profiles. An empty list means all profiles. */
  users?: number[]
  /** Only events that name one of these chats, such as `direct/4`. An empty list means all chats. */
  chats?: string[]
  /** A paused webhook keeps its place. */
  state?: "active" | "paused"
}

export interface UpdatedMessage {
  /** The new content, which replaces the whole content. */
  msgContent: MsgContent
  /** The mentioned members, by the name after `@` in the text: the values are `groupMemberId`. At most three. */
  mentions: Record<string, number>
}

export type UploadFileResponse = UploadedFile | FileUpload

export interface UploadStandaloneFileRequest {
  file: CryptoFile
}

export type UploadStandaloneFileResponse = SndStandaloneFileCreatedResponse | LongOperation

export interface UploadedFile {
  type: "fileUploaded"
  fileSource: CryptoFile
  fileSize: number
}

export interface UploadedWallpaper {
  /** The name of the picture for themes. */
  imageFile: string
}

export interface UsageConditions {
  conditionsId: number
  conditionsCommit: string
  notifiedAt?: string
  createdAt: string
}

export type UsageConditionsAction = UsageConditionsActionReview | UsageConditionsActionAccepted

export interface UsageConditionsActionAccepted {
  type: "accepted"
  operators: ServerOperator[]
}

export interface UsageConditionsActionReview {
  type: "review"
  operators: ServerOperator[]
  deadline?: string
  showNotice: boolean
}

/** A case of a later version. */
export interface UsageConditionsActionUnlisted {
  /** The type of the case. */
  type: string
}

export interface UsageConditionsResponse {
  type: "usageConditions"
  usageConditions: UsageConditions
  conditionsText: string
  acceptedConditions?: UsageConditions
}

export interface User {
  /** The id of the profile, as in the paths. */
  userId: number
  /** The id of the profile in the agent: a number as text. */
  agentUserId: string
  /** The id of the contact that stands for the user in the original. Here it is the same as `userId`. */
  userContactId: number
  /** The name of the profile in this store. */
  localDisplayName: string
  /** The profile that contacts see. */
  profile: LocalProfile
  /** What the profile allows its contacts, with all defaults. */
  fullPreferences: FullPreferences
  /** Whether this is the active profile. */
  activeUser: boolean
  /** A number that grows with each activation: the last active profile has the greatest. */
  activeOrder: number
  /** The hash of the password of a hidden profile; absent for a visible one. */
  viewPwdHash?: UserPwdHash
  /** Whether apps show notifications of the profile. */
  showNtfs: boolean
  /** Whether receipts are sent to contacts. */
  sendRcptsContacts: boolean
  /** Whether receipts are sent in small groups. */
  sendRcptsSmallGroups: boolean
  /** Whether invitations of members to direct chats are accepted at once. */
  autoAcceptMemberContacts: boolean
  /** Whether invitations to groups are accepted at once; absent counts as `false`. */
  autoAcceptGroupInvitations?: boolean
  /** The time of the last change of the profile that members of groups see; absent before a change. */
  userMemberProfileUpdatedAt?: string
  /** Whether the profile is a chat relay of channels; absent counts as `false`. */
  userChatRelay?: boolean
  /**
   * Whether relays know all message queues of the profile by one certificate. The gateway then subscribes to all queues
   * of a relay with one command. Relays learn that the queues belong together. Chosen when the profile is created, and
   * changed by `updateUser`.
   */
  clientService?: boolean
  /** The colours of the profile in an app; absent without own colours. */
  uiThemes?: UIThemeEntityOverrides
}

/** The profile's acceptance of a group invitation was sent. */
export interface UserAcceptedGroupSentEvent {
  type: "userAcceptedGroupSent"
  user: User
  groupInfo: GroupInfo
  hostContact?: Contact
}

export interface UserAcceptedGroupSentResponse {
  type: "userAcceptedGroupSent"
  /** The profile. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The contact who has sent the invitation. */
  hostContact?: Contact
}

/** A chat relay that the user may choose for channels. */
export interface UserChatRelay {
  chatRelayId: number
  address: string
  relayProfile: RelayProfile
  domains: string[]
  preset: boolean
  tested?: boolean
  enabled: boolean
  deleted: boolean
}

export interface UserContact {
  userContactLinkId: number
  connReqContact: string
  groupId?: number
}

export interface UserContactLink {
  /** The id of the address in this store. */
  userContactLinkId: number
  /** The link of the address. */
  connLinkContact: CreatedConnLink
  /** Whether there is a short link, with the profile. */
  shortLinkDataSet: boolean
  /** The same, for all data of the profile. */
  shortLinkLargeDataSet: boolean
  /** The handling of requests. */
  addressSettings: AddressSettings
}

export interface UserContactLinkCreatedResponse {
  type: "userContactLinkCreated"
  /** The profile. */
  user: User
  /** The link of the address. */
  connLinkContact: CreatedConnLink
}

export interface UserContactLinkDeletedResponse {
  type: "userContactLinkDeleted"
  user: User
}

export interface UserContactLinkResponse {
  type: "userContactLink"
  user: User
  contactLink: UserContactLink
}

export interface UserContactRequest {
  /** The id of the request. */
  contactRequestId: number
  /** The id of the request in the agent. */
  agentInvitationId: string
  /** The contact that was made for the request; absent without one. */
  contactId_?: number
  /** The group that was made for a request to a business address; absent without one. */
  businessGroupId_?: number
  /** The address to which the request came; absent if it was deleted. */
  userContactLinkId_?: number
  /** The versions of the chat protocol that the peer supports. */
  cReqChatVRange: VersionRange
  /** The name of the request in this store, unique within the profile. */
  localDisplayName: string
  /** The id of the stored profile of the peer. */
  profileId: number
  /** The profile that the peer has sent. */
  profile: LocalProfile
  /** The time of the request. */
  createdAt: string
  /** The time of its last repetition or change. */
  updatedAt: string
  /** The id of the request that both sides know, in base64url; absent without one. */
  xContactId?: string
  /** Whether the peer supports post-quantum encryption. */
  pqSupport: boolean
  /** The id of the greeting that the request answers; absent without one. */
  welcomeSharedMsgId?: string
  /** The id of the message of the request; absent without a message. */
  requestSharedMsgId?: string
}

export interface UserDeletedMembersResponse {
  type: "userDeletedMembers"
  user: User
  groupInfo: GroupInfo
  members: GroupMember[]
  withMessages: boolean
  msgSigned?: boolean
}

export interface UserInfo {
  user: User
  unreadCount: number
}

/** The profile has become a member of a group. */
export interface UserJoinedGroupEvent {
  type: "userJoinedGroup"
  /** The profile whose event this is. */
  user: User
  /** The group or channel. */
  groupInfo: GroupInfo
  /** The member through whom the profile has joined. */
  hostMember: GroupMember
}

export interface UserNetworkInfo {
  /** One of none, cellular, wifi, ethernet, other. */
  networkType: "none" | "cellular" | "wifi" | "ethernet" | "other"
  online: boolean
}

/** The servers of one operator in a profile, or those without operator. */
export interface UserOperatorServers {
  operator?: ServerOperator
  smpServers: UserServer[]
  xftpServers: UserServer[]
  /** Chat relays for channels, each as a UserChatRelay; a new one has no chatRelayId. */
  chatRelays?: Record<string, unknown>[]
}

export interface UserPrivacyResponse {
  type: "userPrivacy"
  user: User
  updatedUser: User
}

export interface UserProfileNoChangeResponse {
  type: "userProfileNoChange"
  user: User
}

export interface UserProfileUpdateSummary {
  updateSuccesses: number
  updateFailures: number
  changedContacts: Contact[]
}

export interface UserProfileUpdatedResponse {
  type: "userProfileUpdated"
  user: User
  fromProfile: Profile
  toProfile: Profile
  updateSummary: UserProfileUpdateSummary
}

export interface UserPwdHash {
  /** The hash of the password, in base64url. */
  hash: string
  /** The salt of the hash, in base64url. */
  salt: string
}

/** A server of a profile; a new one has no id yet. */
export interface UserServer {
  serverId?: number
  server: string
  preset: boolean
  tested?: boolean
  enabled: boolean
  deleted: boolean
  roles?: ServerRolesOverride
}

export type UserServersError =
  | UserServersErrorNoServers
  | UserServersErrorStorageMissing
  | UserServersErrorProxyMissing
  | UserServersErrorDuplicateServer
  | UserServersErrorDuplicateChatRelayName
  | UserServersErrorDuplicateChatRelayAddress

export interface UserServersErrorDuplicateChatRelayAddress {
  type: "duplicateChatRelayAddress"
  duplicateChatRelay: string
  duplicateAddress: string
}

export interface UserServersErrorDuplicateChatRelayName {
  type: "duplicateChatRelayName"
  duplicateChatRelay: string
}

export interface UserServersErrorDuplicateServer {
  type: "duplicateServer"
  protocol: ServerProtocol
  duplicateServer: string
  duplicateHost: string
}

export interface UserServersErrorNoServers {
  type: "noServers"
  protocol: ServerProtocol
  user?: User
}

export interface UserServersErrorProxyMissing {
  type: "proxyMissing"
  protocol: ServerProtocol
  user?: User
}

export interface UserServersErrorStorageMissing {
  type: "storageMissing"
  protocol: ServerProtocol
  user?: User
}

/** A case of a later version. */
export interface UserServersErrorUnlisted {
  /** The type of the case. */
  type: string
}

export interface UserServersResponse {
  type: "userServers"
  user: User
  userServers: UserOperatorServers[]
}

export interface UserServersValidationResponse {
  type: "userServersValidation"
  user: User
  serverErrors: UserServersError[]
  serverWarnings?: UserServersWarning[]
}

export type UserServersWarning = UserServersWarningNoChatRelays | UserServersWarningNoNamesServers

export interface UserServersWarningNoChatRelays {
  type: "noChatRelays"
  user?: User
}

export interface UserServersWarningNoNamesServers {
  type: "noNamesServers"
  user?: User
}

/** A case of a later version. */
export interface UserServersWarningUnlisted {
  /** The type of the case. */
  type: string
}

export interface UsersListResponse {
  type: "usersList"
  users: UserInfo[]
  next?: NextPage
  prev?: PrevPage
}

export interface ValidateServersRequest {
  userServers: UserOperatorServers[]
}

export interface VerifyContactRequest {
  connectionCode?: string
}

export interface VerifyControllerSessionRequest {
  sessionCode: string
}

export interface VerifyDeviceTokenRequest {
  token: DeviceToken
  nonce: string
  code: string
}

export interface VerifyMemberRequest {
  connectionCode?: string
}

export interface VersionInfoResponse {
  type: "versionInfo"
  versionInfo: CoreVersionInfo
  chatMigrations: UpMigration[]
  agentMigrations: UpMigration[]
}

export interface VersionRange {
  /** The lowest version of the protocol. */
  minVersion: number
  /** The highest version of the protocol. */
  maxVersion: number
}

export interface WaitFigures {
  /** The number of tasks that have the lock, or of threads that work on the queue. */
  running: number
  /** The number of tasks that wait. */
  waiting: number
  /** The time for which the first of them has waited. */
  longestWaitMilliseconds: number
}

export interface WebRTCExtraInfo {
  rtcIceCandidates: string
}

export interface WebRTCSession {
  rtcSession: string
  rtcIceCandidates: string
}

export interface Webhook {
  /** The id in the path. */
  webhookId: string
  /** The name for people; absent without a name. */
  name?: string
  /** The URL, with `***` in place of user and password. */
  url: string
  /** The types of the events that it gets; absent for all types. */
  types?: string[]
  /** The profiles whose events it gets; absent for all profiles. */
  users?: number[]
  /** The chats whose events it gets, such as `direct/4`; absent for all chats. */
  chats?: string[]
  /**
   * `failed`: the receiver accepted nothing for three days; `gone`: it answered 410; `revoked`: the key of the webhook
   * is no longer valid.
   */
  state: "active" | "paused" | "failed" | "gone" | "revoked"
  /** The key to which it belongs. */
  keyId: string
  /** The only profile whose events it gets, because the key that made the webhook was bound to it. */
  userId?: number
  /** The time of its creation. */
  createdAt: string
  /** Its place in the journal: all events up to here were accepted, or are not for this webhook. */
  cursor: string
  /**
   * Number of events that were read for the webhook and wait to be accepted, at most about 1,000; more may follow in
   * the journal.
   */
  waiting?: number
  /** The time since which the receiver accepts nothing. */
  firstFailedAt?: string
  /** The time of the last event that the receiver has accepted; absent before the first one. */
  lastDeliveredAt?: string
  /** The time until which requests are also signed with the previous secret. */
  previousSecretExpiresAt?: string
}

export interface WebhookDelivery {
  /** The number of the attempt in the log. It grows. */
  deliveryId?: number
  /** The `webhook-id` of the event. */
  eventId: string
  /** The type of the event, or `gap` or `test`. */
  type: string
  /** The number of the attempt for this event, from 1. */
  attempt: number
  startedAt: string
  milliseconds: number
  /** `abandoned`: refused for the last time; `gone`: the receiver wants no more events. */
  outcome: "delivered" | "failed" | "abandoned" | "gone"
  /** The status of the answer, if there was one. */
  status?: number
  /** The reason why there was no answer. */
  error?: string
  nextAttemptAt?: string
}

/** The body of a webhook's request when the journal no longer has the events after its place. */
export interface WebhookGap {
  event: GapEvent
}

/** The body of the request that tests a webhook. */
export interface WebhookTest {
  /** The `webhook-id` of the request. */
  id: string
  /** The time of the test. */
  createdAt: string
  event: {
    type: "test"
  }
}

export interface Worker {
  /**
   * `delivery` sends the messages of a connection. `subscription` keeps a session with a relay and subscribes to
   * queues. `connection` runs the steps of making, rotating and deleting a connection. `events` passes events to the
   * chat in order. `receipts` deletes messages and stores receipts. `fileSending`, `fileReceiving` and `fileDeletion`
   * transfer and delete files. `notifier` and `notification` update relays and notification servers. Later versions may
   * add.
   */
  kind: string
  /**
   * `running`; `waitingToRetry` after a failure; `waitingForSpace` while the recipient's queue is full. Later versions
   * may add.
   */
  state: string
  /** The number of messages, events or queues that wait for the worker. */
  waiting: number
  /** The id of the connection: `agentConnId` of a contact's or member's `activeConn`. Absent for other work. */
  agentConnId?: string
  /** The id of the file in the log. Absent for other work. */
  agentFileId?: string
  /** The address of the server, without its password. */
  server?: string
  /** The time since which the first message waits. Absent when nothing waits, or the time is unknown. */
  waitingSince?: string
  /** The time of the next attempt. Absent while the worker runs. */
  nextAttempt?: string
  /** The error of the last attempt. Absent after a success, and for workers that keep no error. */
  lastError?: string
}

export interface WorkersResponse {
  workers: Worker[]
  next: NextPage
  prev: PrevPage
}

export type XFTPErrorType =
  | XFTPErrorTypeBlock
  | XFTPErrorTypeSession
  | XFTPErrorTypeHandshake
  | XFTPErrorTypeCmd
  | XFTPErrorTypeAuth
  | XFTPErrorTypeBlocked
  | XFTPErrorTypeSize
  | XFTPErrorTypeQuota
  | XFTPErrorTypeDigest
  | XFTPErrorTypeCrypto
  | XFTPErrorTypeNoFile
  | XFTPErrorTypeHasFile
  | XFTPErrorTypeFileIo
  | XFTPErrorTypeTimeout
  | XFTPErrorTypeInternal
  | XFTPErrorTypeDuplicate

export interface XFTPErrorTypeAuth {
  type: "AUTH"
}

export interface XFTPErrorTypeBlock {
  type: "BLOCK"
}

export interface XFTPErrorTypeBlocked {
  type: "BLOCKED"
  blockInfo: BlockingInfo
}

export interface XFTPErrorTypeCmd {
  type: "CMD"
  cmdErr: CommandError
}

export interface XFTPErrorTypeCrypto {
  type: "CRYPTO"
}

export interface XFTPErrorTypeDigest {
  type: "DIGEST"
}

export interface XFTPErrorTypeDuplicate {
  type: "DUPLICATE_"
}

export interface XFTPErrorTypeFileIo {
  type: "FILE_IO"
}

export interface XFTPErrorTypeHandshake {
  type: "HANDSHAKE"
}

export interface XFTPErrorTypeHasFile {
  type: "HAS_FILE"
}

export interface XFTPErrorTypeInternal {
  type: "INTERNAL"
}

export interface XFTPErrorTypeNoFile {
  type: "NO_FILE"
}

export interface XFTPErrorTypeQuota {
  type: "QUOTA"
}

export interface XFTPErrorTypeSession {
  type: "SESSION"
}

export interface XFTPErrorTypeSize {
  type: "SIZE"
}

export interface XFTPErrorTypeTimeout {
  type: "TIMEOUT"
}

/** A case of a later version. */
export interface XFTPErrorTypeUnlisted {
  /** The type of the case. */
  type: string
}

export interface XFTPRcvFile {
  rcvFileDescription: RcvFileDescr
  agentRcvFileId?: string
  agentRcvFileDeleted: boolean
  userApprovedRelays: boolean
}

/** Parameters, body and answer of each operation, by its `operationId`. */
export interface Operations {
  /** Stop the change, and keep the old queue. */
  abortContactQueueSwitch: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: ContactSwitchAbortedResponse
  }
  /** Stop the change, and keep the old queue. */
  abortMemberQueueSwitch: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: GroupMemberSwitchAbortedResponse
  }
  /** Accept the invitation of a member to become a contact. */
  acceptContactInvitation: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: MemberContactAcceptedResponse
  }
  /** Accept a contact request. */
  acceptContactRequest: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact request. */
      contactReqId: number
    }
    body?: AcceptContactRequest
    answer: AcceptingContactRequestResponse
  }
  /** Accept a member who waits for a review. */
  acceptMember: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body: AcceptMemberRequest
    answer: MemberAcceptedResponse
  }
  /** Accept conditions for some operators. */
  acceptUsageConditions: {
    parameters: {
      /** The id of the version of the conditions. */
      conditionsId: number
    }
    body: AcceptUsageConditionsRequest
    answer: ServerOperatorConditionsResponse
  }
  /** Acknowledge events that were handled. */
  acknowledgeEvents: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body: AcknowledgeEventsRequest
    answer: AcknowledgeEventsResponse
  }
  /** Make the hidden user (profile) with this password the active one. */
  activateHiddenUser: {
    parameters: {
    }
    body: ActivateHiddenUserRequest
    answer: ActiveUserResponse
  }
  /** Make a user (profile) the active one. */
  activateUser: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: ActivateUserRequest
    answer: ActiveUserResponse
  }
  /** Invite more relays to serve a channel. */
  addChannelRelays: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: AddChannelRelaysRequest
    answer: AddChannelRelaysResponse
  }
  /** Allow owners to ask a chat relay again to serve a channel that it has left. */
  allowChannelRelay: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: RelayGroupAllowedResponse
  }
  /** Mark all received reports of a group as handled. */
  archiveReports: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupChatItemsDeletedResponse
  }
  /** Stop a broadcast. */
  cancelBroadcast: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the broadcast. */
      broadcastId: number
    }
    body?: undefined
    answer: Broadcast
  }
  /** Cancel a file. */
  cancelFile: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the file: `fileId` of the message's `file`. */
      fileId: number
    }
    body?: undefined
    answer: CancelFileResponse
  }
  /** Cancel a migration to another device that has a link. */
  cancelMigration: {
    parameters: {
    }
    body?: undefined
    answer: null
  }
  /** Cancel an operation that can end without an effect. */
  cancelOperation: {
    parameters: {
      /** The id of the operation, from its `Location`. */
      operationId: string
    }
    body?: undefined
    answer: LongOperation
  }
  /** Cancel a scheduled message. */
  cancelScheduledMessage: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the scheduled message. */
      scheduledId: number
    }
    body?: undefined
    answer: null
  }
  /** Delete an incomplete upload. */
  cancelUpload: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the upload, from its `Location`. */
      uploadId: string
    }
    body?: undefined
    answer: null
  }
  /** React to an item, or take the reaction back. */
  changeReaction: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** The id of the message: `itemId` of its `meta`. */
      itemId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body: ChangeReactionRequest
    answer: ChatItemReactionResponse
  }
  /** Liveness: 200 while the process answers. */
  checkLiveness: {
    parameters: {
    }
    body?: undefined
    answer: unknown
  }
  /** Readiness: 200 while the databases are open and the chat runs, else 503. */
  checkReadiness: {
    parameters: {
    }
    body?: undefined
    answer: unknown
  }
  /** Delete all items of a chat. */
  clearChat: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body?: undefined
    answer: ChatClearedResponse
  }
  /** Close the second list. */
  closeSecondaryList: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body?: undefined
    answer: SessionSnapshot
  }
  /** End the session. */
  closeSession: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body?: undefined
    answer: null
  }
  /** Close the open chat. */
  closeSessionChat: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body?: undefined
    answer: SessionSnapshot
  }
  /** Connect to the desktop that was found. */
  confirmController: {
    parameters: {
      /** The id of the desktop that uses profiles of this gateway. */
      remoteCtrlId: number
    }
    body?: undefined
    answer: RemoteCtrlConnectingResponse
  }
  /** Connect to a contact by the address in its profile. */
  connectContactByAddress: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: ConnectContactByAddressRequest
    answer: SentInvitationToContactResponse
  }
  /** Connect to a desktop by its link. */
  connectController: {
    parameters: {
    }
    body: ConnectControllerRequest
    answer: RemoteCtrlConnectingResponse
  }
  /** Connect a prepared contact. */
  connectPreparedContact: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: ConnectPreparedContactRequest
    answer: ConnectPreparedContactResponse
  }
  /** Continue an upload with the next bytes. */
  continueUpload: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the upload, from its `Location`. */
      uploadId: string
    }
    body: BodyInit
    answer: FileUpload | UploadedFile
  }
  /** Create the address. */
  createAddress: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: UserContactLinkCreatedResponse
  }
  /** Create a message content that shows the user's address to this contact. */
  createAddressCard: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body?: CreateAddressCardRequest
    answer: ChatMsgContentResponse
  }
  /** Give the address a short link, or replace the data behind it. */
  createAddressShortLink: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: UserContactLinkResponse
  }
  /** Copy the whole data folder, or one store, while everything runs. */
  createBackup: {
    parameters: {
    }
    body: CreateBackupRequest
    answer: CreateBackupResponse | LongOperation
  }
  /** Send messages to many chats. */
  createBroadcast: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: CreateBroadcastRequest
    answer: Broadcast
  }
  /** Create a channel, and invite relays to serve it. */
  createChannel: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: CreateChannelRequest
    answer: CreateChannelResponse
  }
  /** Get message content for a card of a channel. */
  createChannelCard: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body: CreateChannelCardRequest
    answer: ChatMsgContentResponse
  }
  /** Connect by an invitation or an address. */
  createConnection: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: CreateConnectionRequest
    answer: CreateConnectionResponse
  }
  /** Create a ticket. A browser opens a stream, a state or a file with it, without a key. */
  createEventTicket: {
    parameters: {
    }
    body?: CreateEventTicketRequest
    answer: CreateEventTicketResponse
  }
  /** Create a group. The user is its owner, and its only member until others join. */
  createGroup: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: CreateGroupRequest
    answer: GroupCreatedResponse
  }
  /** Create the link of a group. */
  createGroupLink: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: CreateGroupLinkRequest
    answer: GroupLinkCreatedResponse
  }
  /** Give the link of a group a short form, or replace the profile behind it. */
  createGroupShortLink: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupLinkResponse
  }
  /** Create a one-time invitation. */
  createInvitation: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: CreateInvitationRequest
    answer: InvitationResponse
  }
  /** Make a key. */
  createKey: {
    parameters: {
    }
    body: CreateKeyRequest
    answer: NewAPIKey
  }
  /** Make a member a contact, to send direct messages. */
  createMemberContact: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: NewMemberContactResponse
  }
  /** Make a link by which another device gets all profiles of the store. */
  createMigration: {
    parameters: {
    }
    body: CreateMigrationRequest
    answer: CreateMigrationResponse | LongOperation
  }
  /** Subscribe a browser to notifications. */
  createPushSubscription: {
    parameters: {
    }
    body: CreatePushSubscriptionRequest
    answer: PushSubscription
  }
  /** Make a store, and the key of its administrator. */
  createStore: {
    parameters: {
    }
    body: CreateStoreRequest
    answer: CreateStoreResponse
  }
  /** Create a tag. */
  createTag: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: CreateTagRequest
    answer: ChatTagsResponse
  }
  /** Create a user (profile), and make it the active one unless `activate` is false. */
  createUser: {
    parameters: {
    }
    body: CreateUserRequest
    answer: ActiveUserResponse
  }
  /** Have events posted to a URL. */
  createWebhook: {
    parameters: {
    }
    body: CreateWebhookRequest
    answer: NewWebhook
  }
  /** Delete the address. */
  deleteAddress: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: UserContactLinkDeletedResponse
  }
  /** Remove the app password, and the self-destruct password with it. */
  deleteAppPassword: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body?: undefined
    answer: null
  }
  /** Delete an archive. */
  deleteArchive: {
    parameters: {
      /** The name of the archive's file. */
      archiveName: string
    }
    body?: undefined
    answer: null
  }
  /** Delete a chat, its contact, or its messages. */
  deleteChat: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
      /** The extent of the deletion. */
      mode?: "full" | "entity" | "messages"
      /** Whether the contact is notified. */
      notify?: boolean
    }
    body?: undefined
    answer: DeleteChatResponse
  }
  /** Delete the files of a chat, and keep its messages. */
  deleteChatFiles: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body?: undefined
    answer: DeletedFiles
  }
  /** Delete a consumer. */
  deleteConsumer: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body?: undefined
    answer: null
  }
  /** Forget a desktop. */
  deleteController: {
    parameters: {
      /** The id of the desktop that uses profiles of this gateway. */
      remoteCtrlId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Delete the databases and all files. */
  deleteDatabase: {
    parameters: {
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Delete a draft. */
  deleteDraft: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
    }
    body?: undefined
    answer: null
  }
  /** Delete all files, and keep the messages. */
  deleteFiles: {
    parameters: {
    }
    body?: undefined
    answer: DeletedFiles
  }
  /** Delete the link of a group. Members who joined by it stay. */
  deleteGroupLink: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupLinkDeletedResponse
  }
  /** Revoke a key. */
  deleteKey: {
    parameters: {
      /** The id of the key; not its secret. */
      keyId: string
      /** Revoke only a key that was made with `claimWithin` and is not claimed yet. */
      unclaimed?: boolean
    }
    body?: undefined
    answer: null
  }
  /** Delete the chat of a member with the moderators. */
  deleteMemberSupportChat: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: MemberSupportChatDeletedResponse
  }
  /** Delete a message or several, for oneself or for both sides. */
  deleteMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
      /** Ids with commas between them. */
      itemIds: number[]
      /** The extent of the deletion: see the description of the operation. */
      mode?: "broadcast" | "internal" | "internalMark" | "history"
    }
    body?: undefined
    answer: ChatItemsDeletedResponse
  }
  /** Delete a push subscription. */
  deletePushSubscription: {
    parameters: {
      /** The id of the subscription. */
      subscriptionId: string
    }
    body?: undefined
    answer: null
  }
  /** Forget a phone, and delete its files on this machine. */
  deleteRemoteHost: {
    parameters: {
      /** The id of the phone whose profiles are used here. */
      remoteHostId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Delete received reports, for oneself or for all moderators. */
  deleteReports: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** Ids with commas between them. */
      itemIds: number[]
      /** The extent of the deletion: see the description of the operation. */
      mode?: "broadcast" | "internal" | "internalMark" | "history"
    }
    body?: undefined
    answer: ChatItemsDeletedResponse
  }
  /** Remove the self-destruct password. */
  deleteSelfDestructPassword: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body?: undefined
    answer: null
  }
  /** Remove the filter, so that all chats are shown. */
  deleteSessionFilter: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body?: undefined
    answer: SessionSnapshot
  }
  /** Delete one event that is set aside. */
  deleteSetAsideEvent: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
      /** The id of the event: its cursor. */
      eventId: string
    }
    body?: undefined
    answer: null
  }
  /** Delete all events that are set aside. */
  deleteSetAsideEvents: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body?: undefined
    answer: null
  }
  /** Delete a store with all its data. */
  deleteStore: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body?: undefined
    answer: null
  }
  /** Delete a tag, and remove it from its chats. */
  deleteTag: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the tag. */
      tagId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Delete a user (profile) with all its chats. */
  deleteUser: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Whether the profile's queues on the relays are deleted too. */
      delSMPQueues?: boolean
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Delete a webhook. */
  deleteWebhook: {
    parameters: {
      /** The id of the webhook. */
      webhookId: string
    }
    body?: undefined
    answer: null
  }
  /** Download an archive. */
  downloadArchive: {
    parameters: {
      /** The name of the archive's file. */
      archiveName: string
    }
    body?: undefined
    answer: unknown
  }
  /** Download a file of a message. */
  downloadFile: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the file: `fileId` of the message's `file`. */
      fileId: number
    }
    body?: undefined
    answer: unknown
  }
  /** Download the file behind a link. */
  downloadStandaloneFile: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: DownloadStandaloneFileRequest
    answer: RcvStandaloneFileCreatedResponse
  }
  /** Download a wallpaper. */
  downloadWallpaper: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The name of the picture in a theme. */
      imageFile: string
    }
    body?: undefined
    answer: unknown
  }
  /** Use a contact's connection again after failures. */
  enableContact: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Use a member's connection again after failures. */
  enableMember: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** End a call, incoming or outgoing. */
  endCall: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Write both databases and the files into a ZIP archive. */
  exportArchive: {
    parameters: {
    }
    body: ExportArchiveRequest
    answer: ArchiveExportedResponse | LongOperation
  }
  /** Fetch a file of a phone's message into the folder for the phone. */
  fetchRemoteHostFile: {
    parameters: {
      /** The id of the phone whose profiles are used here. */
      remoteHostId: number
    }
    body: FetchRemoteHostFileRequest
    answer: CmdOkResponse
  }
  /** Look for a known desktop in the local network. */
  findController: {
    parameters: {
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Delete the databases after a migration to another device. */
  finishMigration: {
    parameters: {
    }
    body?: undefined
    answer: MigrationState
  }
  /**
   * Get the changes of several documents (states of profiles, and sessions) on one stream: Server-Sent Events, or lines
   * of JSON.
   */
  followDocuments: {
    parameters: {
      /**
       * The paths of at most 32 documents, with commas between them:
       * `/v1/users/1/model,/v1/users/1/sessions/Yk3vQm9LpXa2`. For a WebSocket it can be absent.
       */
      documents?: string
      /**
       * The `id` of each document, or of its last change that the reader has, in the order of `documents` and with
       * commas between them.
       */
      cursor?: string
    }
    body?: undefined
    answer: unknown
  }
  /** Forward items to a chat. */
  forwardMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body: ForwardMessagesRequest
    answer: NewChatItemsResponse
  }
  /** The active user (profile). */
  getActiveUser: {
    parameters: {
    }
    body?: undefined
    answer: ActiveUserResponse
  }
  /** Show the address. */
  getAddress: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: UserContactLinkResponse
  }
  /** The address as a QR code. */
  getAddressQrCode: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: unknown
  }
  /** Get the settings of an app: stored values, and defaults for the others. */
  getAppSettings: {
    parameters: {
      /** The app's own defaults for missing values, as JSON in the form of `AppSettings`. */
      settings?: string
    }
    body?: undefined
    answer: AppSettingsResponse
  }
  /** The streams of this contract, in the format of AsyncAPI. */
  getAsyncApi: {
    parameters: {
    }
    body?: undefined
    answer: Record<string, unknown>
  }
  /** A broadcast, with the numbers of its results. */
  getBroadcast: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the broadcast. */
      broadcastId: number
    }
    body?: undefined
    answer: Broadcast
  }
  /** A chat with a page of its items. */
  getChat: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
      /** Maximal number of messages in the page, or on each side of the message with `around` and `initial`. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
      /** Begin with the messages around this message; not together with `cursor` or `initial`. */
      around?: number
      /** Begin with the messages around the first unread message; not together with `cursor`, `around` or `search`. */
      initial?: boolean
      /** Only items with this text. */
      search?: string
      /** Only messages with this kind of content. `link` also selects messages with a link in their text. */
      contentType?: "text" | "link" | "image" | "video" | "voice" | "file" | "report" | "chat"
      /** Only messages that the user has sent, or only received messages. */
      direction?: "sent" | "received"
      /** Only messages of this member of a group (`groupMemberId`). */
      sender?: number
      /**
       * Only messages that were sent at this time or later (`meta.itemTs`), in UTC. The time of a received message
       * comes from the clock of a relay, or in a group from the clock of its sender. In a direct chat, a message whose
       * relay is more than a day ahead may be left out.
       */
      since?: string
      /**
       * Only these members of each entry: paths with commas between them, such as `localDisplayName` or
       * `chatInfo.contact.localDisplayName`. The answer is a `PartOfPage`. An unknown path gets 400.
       */
      fields?: string[]
    }
    body?: undefined
    answer: ApiChatResponse
  }
  /** The number and the size of the files of a chat. */
  getChatFiles: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body?: undefined
    answer: ChatFiles
  }
  /** One consumer, with its settings and counts. */
  getConsumer: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body?: undefined
    answer: Consumer
  }
  /** A contact with the state of its connection. */
  getContact: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: ContactInfoResponse
  }
  /** The security code of a contact: equal on both sides unless the connection is intercepted. */
  getContactCode: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: ContactCodeResponse
  }
  /** Get the relay's report about the queue that receives a contact's messages. */
  getContactQueue: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: QueueInfoResponse
  }
  /** The state of the session with a desktop, and the reason why the last session ended. */
  getControllerSession: {
    parameters: {
    }
    body?: undefined
    answer: RemoteCtrlSessionStatus
  }
  /** Whether the core is running. */
  getCoreState: {
    parameters: {
    }
    body?: undefined
    answer: GetCoreStateResponse
  }
  /** The rights of the key of the request. */
  getCurrentKey: {
    parameters: {
    }
    body?: undefined
    answer: GetCurrentKeyResponse
  }
  /** This contract as a page to read, to search and to try. */
  getDocs: {
    parameters: {
    }
    body?: undefined
    answer: unknown
  }
  /** A page of the documentation, or a picture in it. */
  getDocsPage: {
    parameters: {
      /** The name of the page or picture. */
      page: string
    }
    body?: undefined
    answer: unknown
  }
  /** The draft of a message in a chat. */
  getDraft: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
    }
    body?: undefined
    answer: ComposeState
  }
  /** A group. */
  getGroup: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupInfoResponse
  }
  /** The link of a group. */
  getGroupLink: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupLinkResponse
  }
  /** The link of a group as a QR code. */
  getGroupLinkQrCode: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: unknown
  }
  /** The versions, the limits and the entrances of the gateway. */
  getIndex: {
    parameters: {
    }
    body?: undefined
    answer: GetIndexResponse
  }
  /** An unused invitation as a QR code. */
  getInvitationQrCode: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the pending connection: `pccConnId`. */
      connId: number
    }
    body?: undefined
    answer: unknown
  }
  /** One key, without its secret. */
  getKey: {
    parameters: {
      /** The id of the key; not its secret. */
      keyId: string
    }
    body?: undefined
    answer: APIKey
  }
  /** Get the locks and queues of the store that work waits for. */
  getLocks: {
    parameters: {
    }
    body?: undefined
    answer: LocksResponse
  }
  /** Get the log level of the gateway. */
  getLogLevel: {
    parameters: {
    }
    body?: undefined
    answer: LogLevel
  }
  /** A member, with the servers of the connection to it. */
  getMember: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: GroupMemberInfoResponse
  }
  /** The security code of a member: equal on both sides unless the connection is intercepted. */
  getMemberCode: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: GroupMemberCodeResponse
  }
  /** Get the relay's report about the queue that receives a member's messages. */
  getMemberQueue: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: QueueInfoResponse
  }
  /** The details of an item: versions, deliveries, origin. */
  getMessage: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** The id of the message: `itemId` of its `meta`. */
      itemId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body?: undefined
    answer: ChatItemInfoResponse
  }
  /** The life of a message: its steps, with their times. */
  getMessageTrace: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** The id of the message: `itemId` of its `meta`. */
      itemId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: MessageTraceResponse
  }
  /** Metrics in the text format of Prometheus. */
  getMetrics: {
    parameters: {
    }
    body?: undefined
    answer: unknown
  }
  /** Get the state of the migration from or to another device. */
  getMigration: {
    parameters: {
    }
    body?: undefined
    answer: MigrationState
  }
  /** The state of a profile, as an app keeps it in memory. */
  getModel: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Maximal number of entries in the page. */
      limit?: number
    }
    body?: undefined
    answer: ModelSnapshot
  }
  /** The network settings. */
  getNetworkSettings: {
    parameters: {
    }
    body?: undefined
    answer: NetworkConfigResponse
  }
  /** This contract. */
  getOpenApi: {
    parameters: {
    }
    body?: undefined
    answer: Record<string, unknown>
  }
  /** One operation, with its state, progress and result. */
  getOperation: {
    parameters: {
      /** The id of the operation, from its `Location`. */
      operationId: string
    }
    body?: undefined
    answer: LongOperation
  }
  /** The key with which the store identifies itself to push services (VAPID, RFC 8292). */
  getPushKey: {
    parameters: {
    }
    body?: undefined
    answer: GetPushKeyResponse
  }
  /** One push subscription. */
  getPushSubscription: {
    parameters: {
      /** The id of the subscription. */
      subscriptionId: string
    }
    body?: undefined
    answer: PushSubscription
  }
  /** The link that a phone must scan, as a QR code. */
  getRemoteHostQrCode: {
    parameters: {
      /** `new` for the session that was offered to a new phone. */
      remoteHostId: string
    }
    body?: undefined
    answer: unknown
  }
  /** The link that a phone must scan, as a QR code in PNG. */
  getRemoteHostQrImage: {
    parameters: {
      /** `new` for the session that was offered to a new phone. */
      remoteHostId: string
    }
    body?: undefined
    answer: unknown
  }
  /** The state of the session with a phone, and the reason why the last session ended. */
  getRemoteHostSession: {
    parameters: {
      /** `new` for the session that was offered to a new phone. */
      remoteHostId: string
    }
    body?: undefined
    answer: RemoteHostSessionStatus
  }
  /** A scheduled message, with its state or its result. */
  getScheduledMessage: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the scheduled message. */
      scheduledId: number
    }
    body?: undefined
    answer: ScheduledMessage
  }
  /** Get sessions, subscriptions and statistics by server, for all profiles and for this profile. */
  getServerStatistics: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: AgentServersSummaryResponse
  }
  /** A session: the view of one client, with its open chat and the loaded items. */
  getSession: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body?: undefined
    answer: SessionSnapshot
  }
  /** List the slow statements of the databases of the store. */
  getSlowStatements: {
    parameters: {
    }
    body?: undefined
    answer: SlowSQLQueriesResponse
  }
  /** One store. */
  getStore: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body?: undefined
    answer: Store
  }
  /** The limits of a store, and the amounts that it holds. */
  getStoreLimits: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body?: undefined
    answer: StoreLimits
  }
  /** Get the number of subscribed queues of a profile. */
  getSubscriptionCounts: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: AgentSubsTotalResponse
  }
  /** The same contract in the form of OpenAPI 3.2, with the types of entries in streams and of unknown cases. */
  getTypedOpenApi: {
    parameters: {
    }
    body?: undefined
    answer: Record<string, unknown>
  }
  /** Get the progress of an upload; also with HEAD. */
  getUpload: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the upload, from its `Location`. */
      uploadId: string
    }
    body?: undefined
    answer: FileUpload
  }
  /** Get the current conditions of the preset operators, and the conditions that were accepted last. */
  getUsageConditions: {
    parameters: {
    }
    body?: undefined
    answer: UsageConditionsResponse
  }
  /** One user (profile). */
  getUser: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: GetUserResponse
  }
  /** Get the number of seconds for which items are kept; 0 keeps them forever. */
  getUserTtl: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: ChatItemTTLResponse
  }
  /** Get the version of the core, and the schemas of its databases. */
  getVersion: {
    parameters: {
    }
    body?: undefined
    answer: VersionInfoResponse
  }
  /** The web client: chats in a browser, with a key of this server. */
  getWebClient: {
    parameters: {
    }
    body?: undefined
    answer: unknown
  }
  /** A module, style or picture of the web client. */
  getWebClientFile: {
    parameters: {
      /** The version of the page's files, from the page. */
      version: string
      /** The name of the file. */
      file: string
    }
    body?: undefined
    answer: Record<string, unknown>
  }
  /** A module of the web client, from one of its folders. */
  getWebClientModule: {
    parameters: {
      /** The version of the page's files, from the page. */
      version: string
      /** The folder of the module. */
      folder: string
      /** The name of the file. */
      file: string
    }
    body?: undefined
    answer: unknown
  }
  /** One webhook, without its secret. */
  getWebhook: {
    parameters: {
      /** The id of the webhook. */
      webhookId: string
    }
    body?: undefined
    answer: Webhook
  }
  /** Hide a profile with a password. */
  hideUser: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: HideUserRequest
    answer: UserPrivacyResponse
  }
  /** Replace the databases with the databases of an archive. */
  importArchive: {
    parameters: {
    }
    body: ImportArchiveRequest
    answer: ArchiveImportedResponse | LongOperation
  }
  /** Invite a contact, or change the role in an invitation that is not accepted yet. */
  inviteMember: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: InviteMemberRequest
    answer: SentGroupInvitationResponse
  }
  /** Accept the invitation to a group. */
  joinGroup: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: UserAcceptedGroupSentResponse
  }
  /** Ask to join a prepared group. */
  joinPreparedGroup: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: JoinPreparedGroupRequest
    answer: StartedConnectionToGroupResponse
  }
  /** Leave a group. Its chat stays. */
  leaveGroup: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: LeftMemberUserResponse
  }
  /** List the archives that can be fetched and imported. */
  listArchives: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListArchivesResponse
  }
  /** The result of each chat of a broadcast, in the order of sending. */
  listBroadcastResults: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the broadcast. */
      broadcastId: number
      /** Only chats in this state. */
      state?: "waiting" | "sent" | "failed" | "cancelled"
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListBroadcastResultsResponse
  }
  /** Broadcasts of a profile, the newest first. */
  listBroadcasts: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListBroadcastsResponse
  }
  /** The incoming calls that wait for an answer. */
  listCallInvitations: {
    parameters: {
    }
    body?: undefined
    answer: CallInvitationsResponse
  }
  /** The relays of a channel that the user owns, with the progress of each. */
  listChannelRelays: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupRelaysResponse
  }
  /** The chat list of a profile, with previews and counts. */
  listChats: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Whether pending connections are listed too (the default). */
      pendingConnections?: boolean
      /** Maximal number of chats in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
      /** Only chats with this text in their names; not together with `favorite` or `unread`. */
      search?: string
      /** Only favourites. */
      favorite?: boolean
      /** Only chats with unread items. */
      unread?: boolean
      /**
       * Only these members of each entry: paths with commas between them, such as `localDisplayName` or
       * `chatInfo.contact.localDisplayName`. The answer is a `PartOfPage`. An unknown path gets 400.
       */
      fields?: string[]
    }
    body?: undefined
    answer: ApiChatsResponse
  }
  /** The consumers of the store, by name. */
  listConsumers: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListConsumersResponse
  }
  /** The contacts of a profile. */
  listContacts: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /**
       * Only contacts with this name: the unique name in this profile (`localDisplayName`), or the user's own name for
       * the contact (`localAlias`). The name in the contact's profile is not compared, because many contacts can have
       * it. A program that sends to the found contact should refuse if it finds two.
       */
      name?: string
      /**
       * Only contacts with this text in a name: in this profile, in the contact's profile, or the user's own name for
       * the contact. The case of letters is ignored.
       */
      search?: string
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
      /**
       * Only these members of each entry: paths with commas between them, such as `localDisplayName` or
       * `chatInfo.contact.localDisplayName`. The answer is a `PartOfPage`. An unknown path gets 400.
       */
      fields?: string[]
    }
    body?: undefined
    answer: ContactsListResponse
  }
  /** The kinds of content that a chat contains. */
  listContentTypes: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body?: undefined
    answer: ChatContentTypesResponse
  }
  /** The known desktops, and the state of the session with one of them. */
  listControllers: {
    parameters: {
    }
    body?: undefined
    answer: RemoteCtrlListResponse
  }
  /** Get events after a cursor, as one page or as a stream. `Accept` decides. */
  listEvents: {
    parameters: {
      /**
       * `epoch-seq` of the last event that the reader has, or `now`. Without a cursor the reader starts at the oldest
       * event that is kept.
       */
      cursor?: string
      /** Seconds to wait for an event if there is none yet. */
      timeout?: number
      /** Maximal number of entries in a page. */
      limit?: number
      /**
       * Only events of these types, with commas between them, such as `newChatItems,contactConnected`. An unknown type
       * is refused.
       */
      types?: EventType[]
      /** Only events of these profiles, with commas between the numbers, and events that concern all profiles. */
      users?: number[]
      /** Only events that name one of these chats, with commas between them, such as `direct/4,group/2`. */
      chats?: string[]
    }
    body?: undefined
    answer: EventPage
  }
  /** Sizes of the files by chat, the largest first. */
  listFileSizes: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListFileSizesResponse
  }
  /** The groups of a profile. */
  listGroups: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Only groups with this text in the name or the description. */
      search?: string
      /** Has no effect, as in the original. */
      contactId?: number
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
      /**
       * Only these members of each entry: paths with commas between them, such as `localDisplayName` or
       * `chatInfo.contact.localDisplayName`. The answer is a `PartOfPage`. An unknown path gets 400.
       */
      fields?: string[]
    }
    body?: undefined
    answer: GroupsListResponse
  }
  /** The keys of the store, without their secrets. */
  listKeys: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListKeysResponse
  }
  /** The members of a group, without the user. */
  listMembers: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: GroupMembersResponse
  }
  /** Items of all chats, optionally those that contain a text. */
  listMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Maximal number of messages in the page, or on each side of the message with `around` and `initial`. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
      /** Begin with the messages around this message; not together with `cursor` or `initial`. */
      around?: number
      /** Begin with the messages around the first unread message; not together with `cursor`, `around` or `search`. */
      initial?: boolean
      /** Only items with this text. */
      search?: string
      /** Only messages with this kind of content. `link` also selects messages with a link in their text. */
      contentType?: "text" | "link" | "image" | "video" | "voice" | "file" | "report" | "chat"
      /** Only messages that the user has sent, or only received messages. */
      direction?: "sent" | "received"
      /** Only messages of this member of a group (`groupMemberId`). */
      sender?: number
      /**
       * Only messages that were sent at this time or later (`meta.itemTs`), in UTC. The time of a received message
       * comes from the clock of a relay, or in a group from the clock of its sender. In a direct chat, a message whose
       * relay is more than a day ahead may be left out.
       */
      since?: string
      /**
       * Only these members of each entry: paths with commas between them, such as `localDisplayName` or
       * `chatInfo.contact.localDisplayName`. The answer is a `PartOfPage`. An unknown path gets 400.
       */
      fields?: string[]
    }
    body?: undefined
    answer: ChatItemsResponse
  }
  /**
   * Get changes of the state after a cursor, as JSON Patches (RFC 6902), in one page or as a stream. `Accept` decides.
   */
  listModelChanges: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The `id` of the document, or of its last change that the reader has. */
      cursor?: string
      /** Seconds to wait for a change if there is none yet. */
      timeout?: number
      /** Maximal number of changes in a page. */
      limit?: number
    }
    body?: undefined
    answer: ModelChangePage
  }
  /** A page of the chat list of a state. */
  listModelChats: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
      /** Maximal number of entries in the page. */
      limit?: number
    }
    body?: undefined
    answer: ModelChatPage
  }
  /** Get the states of the connections of all contacts, of all profiles. */
  listNetworkStatuses: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: NetworkStatusesResponse
  }
  /** The running nodes that share the stores. */
  listNodes: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListNodesResponse
  }
  /** The operations, the last one first. */
  listOperations: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListOperationsResponse
  }
  /** The push subscriptions of the store. */
  listPushSubscriptions: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListPushSubscriptionsResponse
  }
  /** The members who reacted to an item with an emoji. */
  listReactionMembers: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the message: `itemId` of its `meta`. */
      itemId: number
      /** The reaction, for example 👍. */
      emoji: string
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ReactionMembersResponse
  }
  /** The known phones, and the states of their sessions. */
  listRemoteHosts: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: RemoteHostListResponse
  }
  /** Scheduled messages of a profile, the newest first. */
  listScheduledMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListScheduledMessagesResponse
  }
  /** Get the operators of servers, and the accepted conditions of use. */
  listServerOperators: {
    parameters: {
    }
    body?: undefined
    answer: ServerOperatorConditionsResponse
  }
  /** Get a profile's servers by operator. Servers without an operator come last. */
  listServers: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: UserServersResponse
  }
  /** Get changes of the session after a cursor, as JSON Patches, in one page or as a stream. */
  listSessionChanges: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
      /** The `id` of the document, or of its last change that the reader has. */
      cursor?: string
      /** Seconds to wait for a change if there is none yet. */
      timeout?: number
      /** Maximal number of changes in a page. */
      limit?: number
    }
    body?: undefined
    answer: ModelChangePage
  }
  /** The sessions of the profile, the oldest first. */
  listSessions: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListSessionsResponse
  }
  /** Events that were not acknowledged after the maximal number of attempts, the oldest first. */
  listSetAsideEvents: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
      /** Maximal number of events in the page. */
      limit?: number
    }
    body?: undefined
    answer: ListSetAsideEventsResponse
  }
  /** All stores. */
  listStores: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListStoresResponse
  }
  /** The tags of a profile, in the order of the user. */
  listTags: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: ChatTagsResponse
  }
  /** The visible users (profiles), with unread counts. */
  listUsers: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: UsersListResponse
  }
  /** The log of attempts, the newest first. */
  listWebhookDeliveries: {
    parameters: {
      /** The id of the webhook. */
      webhookId: string
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListWebhookDeliveriesResponse
  }
  /** The webhooks of the store, without their secrets. */
  listWebhooks: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: ListWebhooksResponse
  }
  /** List the workers of the store, with the reasons why they wait. */
  listWorkers: {
    parameters: {
      /** Maximal number of entries in the page. */
      limit?: number
      /**
       * `next` or `prev` of a page of this list with the same filters; another cursor gets 400 (`invalidCursor`).
       * Entries that come or go do not move others to another page.
       */
      cursor?: string
    }
    body?: undefined
    answer: WorkersResponse
  }
  /** Load the members of the open group into the session. */
  loadSessionMembers: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body?: undefined
    answer: SessionSnapshot
  }
  /** Load another page into the session; without a position, the last page. */
  loadSessionMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body?: LoadSessionMessagesRequest
    answer: SessionSnapshot
  }
  /** Lock a store. */
  lockStore: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body?: undefined
    answer: Store
  }
  /** Mark all items of a chat as read. */
  markChatRead: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body?: undefined
    answer: MarkChatReadResponse
  }
  /** Mark some items of a chat as read. */
  markMessagesRead: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body: MarkMessagesReadRequest
    answer: ItemsReadForChatResponse
  }
  /** Remember that conditions were shown. */
  markUsageConditionsShown: {
    parameters: {
      /** The id of the version of the conditions. */
      conditionsId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Mark all chats of a user as read. */
  markUserRead: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Delete messages of other members for everybody. */
  moderateMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: ModerateMessagesRequest
    answer: ChatItemsDeletedResponse
  }
  /** Move a store to another node. */
  moveStore: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body: MoveStoreRequest
    answer: Store | LongOperation
  }
  /**
   * WebSocket with the protocol of the terminal client: {"corrId","cmd"} in, {"corrId","resp"} out, events without
   * corrId.
   */
  openConsoleSocket: {
    parameters: {
      /**
       * `epoch-seq` of the last event that the reader has, or `now`. Without a cursor, the next client of a key starts
       * after the last event that a client of this key has read, also after a restart of the gateway; the first client
       * starts where the gateway started. It gets at most the latest 10000 events. A client has read an event when it
       * has answered the ping that follows. A client or a gateway that was killed can get the last events again. If
       * another client of the key is connected, a new client gets the events from now on.
       */
      cursor?: string
      /**
       * Only events of these types, with commas between them, such as `newChatItems,contactConnected`. An unknown type
       * is refused.
       */
      types?: EventType[]
      /** Only events of these profiles, with commas between the numbers, and events that concern all profiles. */
      users?: number[]
      /** Only events that name one of these chats, with commas between them, such as `direct/4,group/2`. */
      chats?: string[]
    }
    body?: undefined
    answer: null
  }
  /** WebSocket: the changes of several documents, as text frames. The client can add and remove documents. */
  openDocumentSocket: {
    parameters: {
      /**
       * The paths of at most 32 documents, with commas between them:
       * `/v1/users/1/model,/v1/users/1/sessions/Yk3vQm9LpXa2`. For a WebSocket it can be absent.
       */
      documents?: string
      /**
       * The `id` of each document, or of its last change that the reader has, in the order of `documents` and with
       * commas between them.
       */
      cursor?: string
    }
    body?: undefined
    answer: null
  }
  /** WebSocket: entries as text frames; takes {"corrId","cmd"} and answers {"corrId","resp"}. */
  openEventSocket: {
    parameters: {
      /**
       * `epoch-seq` of the last event that the reader has, or `now`. Without a cursor the reader starts at the oldest
       * event that is kept.
       */
      cursor?: string
      /**
       * Only events of these types, with commas between them, such as `newChatItems,contactConnected`. An unknown type
       * is refused.
       */
      types?: EventType[]
      /** Only events of these profiles, with commas between the numbers, and events that concern all profiles. */
      users?: number[]
      /** Only events that name one of these chats, with commas between them, such as `direct/4,group/2`. */
      chats?: string[]
    }
    body?: undefined
    answer: null
  }
  /** WebSocket: changes of the state after a cursor, as text frames. The client sends no messages. */
  openModelSocket: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The `id` of the document, or of its last change that the reader has. */
      cursor?: string
    }
    body?: undefined
    answer: null
  }
  /** Open a second list of items of the open chat: a conversation with members in a group, or one kind of content. */
  openSecondaryList: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body: OpenSecondaryListRequest
    answer: SessionSnapshot
  }
  /**
   * Create a session: the view of one client. It ends after half an hour without requests, and when the gateway ends.
   */
  openSession: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body?: undefined
    answer: SessionSnapshot
  }
  /** Open a chat at its last items, or around one item. */
  openSessionChat: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body: OpenSessionChatRequest
    answer: SessionSnapshot
  }
  /** WebSocket: changes of the session after a cursor, as text frames. The client sends no messages. */
  openSessionSocket: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
      /** The `id` of the document, or of its last change that the reader has. */
      cursor?: string
    }
    body?: undefined
    answer: null
  }
  /** Check what connecting by a link or a SimpleX name would do. */
  planConnection: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: PlanConnectionRequest
    answer: ConnectionPlanResponse
  }
  /** Check which items can be forwarded. */
  planForward: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body: PlanForwardRequest
    answer: ForwardPlanResponse
  }
  /** Open a chat from a link, without connecting yet. */
  prepareContact: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: PrepareContactRequest
    answer: NewPreparedChatResponse
  }
  /** Open the chat of a group from its link, without joining yet. */
  prepareGroup: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: PrepareGroupRequest
    answer: NewPreparedChatResponse
  }
  /** Read a linked page for its preview card. */
  readLinkPreview: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: ReadLinkPreviewRequest
    answer: ReadLinkPreviewResponse
  }
  /** Get the data that the creator of a file link has put into the link. */
  readStandaloneFileInfo: {
    parameters: {
    }
    body: ReadStandaloneFileInfoRequest
    answer: StandaloneFileInfoResponse
  }
  /** Move open stores of a node to other nodes, for example all before its restart. */
  rebalanceNode: {
    parameters: {
      /** The name of the node. */
      node: string
    }
    body?: RebalanceNodeRequest
    answer: RebalanceNodeResponse
  }
  /** Receive a file that was offered. */
  receiveFile: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the file: `fileId` of the message's `file`. */
      fileId: number
    }
    body?: ReceiveFileRequest
    answer: ReceiveFileResponse
  }
  /** Get all profiles from another device by a link. */
  receiveMigration: {
    parameters: {
    }
    body: ReceiveMigrationRequest
    answer: ArchiveImportedResponse | LongOperation
  }
  /** Replace the sessions of a user with one relay. */
  reconnectServer: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: ReconnectServerRequest
    answer: CmdOkResponse
  }
  /** Replace all sessions with relays. */
  reconnectServers: {
    parameters: {
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Update a channel from its link. */
  refreshGroupLinkData: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupInfoResponse
  }
  /** Give events back that could not be handled. */
  refuseEvents: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body: RefuseEventsRequest
    answer: RefuseEventsResponse
  }
  /** Refuse a call. */
  rejectCall: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Reject a contact request. */
  rejectContactRequest: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact request. */
      contactReqId: number
    }
    body?: undefined
    answer: ContactRequestRejectedResponse
  }
  /** Remove members, or withdraw their invitations. */
  removeMembers: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** Ids with commas between them. */
      memberIds: number[]
      /** Delete their messages too. */
      withMessages?: boolean
    }
    body?: undefined
    answer: UserDeletedMembersResponse
  }
  /** Send events again, or continue from another place. */
  replayWebhook: {
    parameters: {
      /** The id of the webhook. */
      webhookId: string
    }
    body: ReplayWebhookRequest
    answer: Webhook
  }
  /** Report a message to the moderators of its group. */
  reportMessage: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the message: `itemId` of its `meta`. */
      itemId: number
    }
    body: ReportMessageRequest
    answer: NewChatItemsResponse
  }
  /** Set the statistics to zero. */
  resetServerStatistics: {
    parameters: {
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Restore a store from its copy, while everything runs. */
  restoreStore: {
    parameters: {
    }
    body: RestoreStoreRequest
    answer: Store | LongOperation
  }
  /** Hand out events again that are set aside. */
  retrySetAsideEvents: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body?: RetrySetAsideEventsRequest
    answer: RetrySetAsideEventsResponse
  }
  /** Give a key a new secret. */
  rotateKey: {
    parameters: {
      /** The id of the key; not its secret. */
      keyId: string
    }
    body?: RotateKeyRequest
    answer: NewAPIKey
  }
  /** Give a webhook a new secret. */
  rotateWebhook: {
    parameters: {
      /** The id of the webhook. */
      webhookId: string
    }
    body?: RotateWebhookRequest
    answer: NewWebhook
  }
  /** Send messages to a chat at a time, or when it is connected. */
  scheduleMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: ScheduleMessagesRequest
    answer: ScheduledMessage
  }
  /** Send alerts of Alertmanager to a chat. */
  sendAlertmanagerNotice: {
    parameters: {
      /** The chat, for example `direct/4`, `group/2` or `local/1`. A key of one chat can leave it out. */
      chat?: string
      /** The profile that sends. Default: the profile of the key, else the active profile. */
      userId?: number
    }
    body: AlertmanagerNotice
    answer: SentNotice
  }
  /** Accept the offer of the called contact. */
  sendCallAnswer: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body: SendCallAnswerRequest
    answer: CmdOkResponse
  }
  /** Send ICE candidates that were found later. */
  sendCallCandidates: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body: SendCallCandidatesRequest
    answer: CmdOkResponse
  }
  /** Accept an incoming call. */
  sendCallOffer: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body: SendCallOfferRequest
    answer: CmdOkResponse
  }
  /** Invite a member to be a contact, with a first message. */
  sendContactInvitation: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: SendContactInvitationRequest
    answer: NewMemberContactSentInvResponse
  }
  /** Send a message of a program for Gotify to a chat. */
  sendGotifyMessage: {
    parameters: {
      /** The chat, for example `direct/4`, `group/2` or `local/1`. A key of one chat can leave it out. */
      chat?: string
      /** The profile that sends. Default: the profile of the key, else the active profile. */
      userId?: number
    }
    body: GotifyNotice
    answer: SentNotice
  }
  /** Send a message of a program for Gotify to a chat. */
  sendGotifyNotice: {
    parameters: {
      /** The chat, for example `direct/4`, `group/2` or `local/1`. A key of one chat can leave it out. */
      chat?: string
      /** The profile that sends. Default: the profile of the key, else the active profile. */
      userId?: number
    }
    body: GotifyNotice
    answer: SentNotice
  }
  /** Send alerts of Grafana to a chat. */
  sendGrafanaNotice: {
    parameters: {
      /** The chat, for example `direct/4`, `group/2` or `local/1`. A key of one chat can leave it out. */
      chat?: string
      /** The profile that sends. Default: the profile of the key, else the active profile. */
      userId?: number
    }
    body: GrafanaNotice
    answer: SentNotice
  }
  /** Send messages to a chat. */
  sendMessages: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
      /**
       * Answer when a relay has the messages (`sent`), or when the recipients' devices have them (`delivered`). The
       * answer comes earlier if the messages cannot be sent, and at the latest after `timeout`: `itemStatus` is the
       * state at that moment.
       */
      wait?: "none" | "sent" | "delivered"
      /** Maximal number of seconds to wait. */
      timeout?: number
      /** With `ids` the answer is short: `application/vnd.simplex-gateway.new-items+json`. */
      fields?: "all" | "ids"
    }
    body: SendMessagesRequest
    answer: NewChatItemsResponse
  }
  /** Send a message of a program for ntfy to a chat. */
  sendNtfyNotice: {
    parameters: {
      /** The chat, for example `direct/4`, `group/2` or `local/1`. A key of one chat can leave it out. */
      chat?: string
      /** The profile that sends. Default: the profile of the key, else the active profile. */
      userId?: number
    }
    body: NtfyNotice
    answer: SentNotice
  }
  /** Send the text of a program for ntfy to a chat. */
  sendNtfyText: {
    parameters: {
      /** A topic of ntfy. It has no meaning here. */
      topic: string
      /** The chat, for example `direct/4`, `group/2` or `local/1`. A key of one chat can leave it out. */
      chat?: string
      /** The profile that sends. Default: the profile of the key, else the active profile. */
      userId?: number
    }
    body?: BodyInit
    answer: SentNotice
  }
  /** Give the profile a SimpleX name, or remove the name. */
  setAddressDomain: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: SetAddressDomainRequest
    answer: SetUserProfileResponse
  }
  /** Set whether receipts are sent, for all users. */
  setAllReceipts: {
    parameters: {
    }
    body: SetAllReceiptsRequest
    answer: CmdOkResponse
  }
  /** Set or change the app password of an unlocked store. */
  setAppPassword: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body: SetAppPasswordRequest
    answer: null
  }
  /** Store the settings of an app. */
  setAppSettings: {
    parameters: {
    }
    body: AppSettings
    answer: CmdOkResponse
  }
  /** Report the state of the media. */
  setCallStatus: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body: SetCallStatusRequest
    answer: CmdOkResponse
  }
  /** Create a consumer, or change its settings. */
  setConsumer: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body?: SetConsumerRequest
    answer: Consumer
  }
  /** Set whether contacts that prove to be the same person are merged. */
  setContactMerge: {
    parameters: {
    }
    body: SetContactMergeRequest
    answer: CmdOkResponse
  }
  /** Change, set or remove the key of the databases. */
  setDatabaseEncryption: {
    parameters: {
    }
    body: SetDatabaseEncryptionRequest
    answer: CmdOkResponse | LongOperation
  }
  /** Set the name that other devices show for this one. */
  setDeviceName: {
    parameters: {
    }
    body: SetDeviceNameRequest
    answer: CmdOkResponse
  }
  /** Store a draft of a message, for all clients of the profile. */
  setDraft: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
    }
    body: ComposeState
    answer: null
  }
  /** Receive a file at the next start of the store. */
  setFileAutoReceive: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the file: `fileId` of the message's `file`. */
      fileId: number
    }
    body?: SetFileAutoReceiveRequest
    answer: CmdOkResponse
  }
  /** Set the folders for files, temporary files and assets. */
  setFilePaths: {
    parameters: {
    }
    body: SetFilePathsRequest
    answer: CmdOkResponse
  }
  /** Set whether local files are encrypted. */
  setLocalFileEncryption: {
    parameters: {
    }
    body: SetLocalFileEncryptionRequest
    answer: CmdOkResponse
  }
  /** Set the log level of the gateway. */
  setLogLevel: {
    parameters: {
    }
    body: LogLevel
    answer: LogLevel
  }
  /** Block members for all, or unblock them. */
  setMembersBlocked: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: SetMembersBlockedRequest
    answer: MembersBlockedForAllUserResponse
  }
  /** Change the role of members. */
  setMembersRole: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: SetMembersRoleRequest
    answer: MembersRoleUserResponse
  }
  /** Set or change the self-destruct password of an unlocked store. */
  setSelfDestructPassword: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body: SetSelfDestructPasswordRequest
    answer: null
  }
  /** Enable or disable operators, and set the uses of their servers. */
  setServerOperators: {
    parameters: {
    }
    body: SetServerOperatorsRequest
    answer: ServerOperatorConditionsResponse
  }
  /**
   * Set a profile's servers. Servers with an id are changed, servers without an id are added, and servers that are not
   * listed stay.
   */
  setServers: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: SetServersRequest
    answer: CmdOkResponse
  }
  /** Set the filter of the chat list in this session. */
  setSessionFilter: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the session. */
      sessionId: string
    }
    body: ActiveFilter
    answer: SessionSnapshot
  }
  /** Set the limits of a store. */
  setStoreLimits: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body: SetStoreLimitsRequest
    answer: StoreLimits
  }
  /** Replace the text and the emoji of a tag. */
  setTag: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the tag. */
      tagId: number
    }
    body: SetTagRequest
    answer: CmdOkResponse
  }
  /** Change the order of tags. */
  setTagOrder: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: SetTagOrderRequest
    answer: CmdOkResponse
  }
  /** Set the user's badge of a supporter, and send it to contacts. */
  setUserBadge: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: SetUserBadgeRequest
    answer: CmdOkResponse
  }
  /** Replace the user's profile, and send the new profile to contacts. */
  setUserProfile: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: SetUserProfileRequest
    answer: SetUserProfileResponse
  }
  /** Call a contact. */
  startCall: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body: StartCallRequest
    answer: CmdOkResponse
  }
  /** Start the core: connect to relays, send and receive. */
  startCore: {
    parameters: {
    }
    body?: StartCoreRequest
    answer: StartCoreResponse
  }
  /** Offer a session to a phone. */
  startRemoteHostSession: {
    parameters: {
    }
    body?: StartRemoteHostSessionRequest
    answer: RemoteHostStartedResponse
  }
  /** End the session with a desktop, or stop connecting or searching. */
  stopControllerSession: {
    parameters: {
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Stop the core. */
  stopCore: {
    parameters: {
    }
    body?: undefined
    answer: ChatStoppedResponse
  }
  /** End the session with a phone, or withdraw an offered session. */
  stopRemoteHostSession: {
    parameters: {
      /** `new` for the session that was offered to a new phone. */
      remoteHostId: string
    }
    body?: undefined
    answer: CmdOkResponse
  }
  /** Send a file to a phone, for a message there. */
  storeRemoteHostFile: {
    parameters: {
      /** The id of the phone whose profiles are used here. */
      remoteHostId: number
    }
    body: StoreRemoteHostFileRequest
    answer: RemoteFileStoredResponse
  }
  /** Receive from a contact over a new queue, at another relay if there is one. */
  switchContactQueue: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: ContactSwitchStartedResponse
  }
  /** Receive from a member over a new queue, at another relay if there is one. */
  switchMemberQueue: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: undefined
    answer: GroupMemberSwitchStartedResponse
  }
  /** Renegotiate the encryption with a contact when messages do not decrypt; with `force`, in any case. */
  syncContactEncryption: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: SyncContactEncryptionRequest
    answer: ContactRatchetSyncStartedResponse
  }
  /** Renegotiate the encryption with a member when messages do not decrypt; with `force`, in any case. */
  syncMemberEncryption: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: SyncMemberEncryptionRequest
    answer: GroupMemberRatchetSyncStartedResponse
  }
  /** Take events, or wait for them. */
  takeEvents: {
    parameters: {
      /** The name of a consumer; neither `.` nor `..`. */
      name: string
    }
    body?: TakeEventsRequest
    answer: TakeEventsResponse
  }
  /** Test a chat relay by its address. */
  testChatRelay: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: TestChatRelayRequest
    answer: ChatRelayTestResultResponse
  }
  /** Test whether a key opens the databases. */
  testDatabaseKey: {
    parameters: {
    }
    body: TestDatabaseKeyRequest
    answer: CmdOkResponse
  }
  /** Send a notification of the type `test`, once, and wait for the answer of the push service. */
  testPushSubscription: {
    parameters: {
      /** The id of the subscription. */
      subscriptionId: string
    }
    body?: undefined
    answer: WebhookDelivery
  }
  /** Test a server by using it. */
  testServer: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: TestServerRequest
    answer: ServerTestResultResponse
  }
  /** Send an event of the type `test`, once, and wait for the answer. */
  testWebhook: {
    parameters: {
      /** The id of the webhook. */
      webhookId: string
    }
    body?: undefined
    answer: WebhookDelivery
  }
  /** Show a hidden user (profile) again. */
  unhideUser: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: UnhideUserRequest
    answer: UserPrivacyResponse
  }
  /** Unlock a store. */
  unlockStore: {
    parameters: {
      /** The id of the store. */
      storeId: string
    }
    body?: UnlockStoreRequest
    answer: Store
  }
  /** Change the handling of contact requests by a merge patch. */
  updateAddress: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: UpdateAddressRequest
    answer: UserContactLinkResponse
  }
  /** Change the settings and marks of a chat by a merge patch. */
  updateChat: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
    }
    body: UpdateChatRequest
    answer: ApiChatResponse
  }
  /** Change an invitation that nobody has used yet by a merge patch. */
  updateConnection: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the pending connection: `pccConnId`. */
      connId: number
    }
    body: UpdateConnectionRequest
    answer: UpdateConnectionResponse
  }
  /** Change a contact by a merge patch. */
  updateContact: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body: UpdateContactRequest
    answer: UpdateContactResponse
  }
  /** Change a group or a channel by a merge patch. */
  updateGroup: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: UpdateGroupRequest
    answer: UpdateGroupResponse
  }
  /** Set the role of people who join by the link from now on. */
  updateGroupLink: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body: UpdateGroupLinkRequest
    answer: GroupLinkResponse
  }
  /** Change a member of a group by a merge patch. */
  updateMember: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body: UpdateMemberRequest
    answer: GroupMemberInfoResponse
  }
  /** Change a message that was sent. */
  updateMessage: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The kind of the chat; `local` for notes. */
      chatType: "direct" | "group" | "local" | "contactConnection"
      /** The id of the contact, group, notes or pending connection, as `chatType` says. */
      chatId: number
      /** The id of the message: `itemId` of its `meta`. */
      itemId: number
      /** Part of a group: `support`, or `support:{groupMemberId}`. */
      scope?: string
    }
    body: UpdateMessageRequest
    answer: UpdateMessageResponse
  }
  /** Change the network settings by a merge patch. If anything changes, sessions with relays are replaced. */
  updateNetworkSettings: {
    parameters: {
    }
    body: UpdateNetworkSettingsRequest
    answer: NetworkConfigResponse
  }
  /** Change the notifications of a browser. */
  updatePushSubscription: {
    parameters: {
      /** The id of the subscription. */
      subscriptionId: string
    }
    body: UpdatePushSubscriptionRequest
    answer: PushSubscription
  }
  /** Change a message that waits, by a merge patch. */
  updateScheduledMessage: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the scheduled message. */
      scheduledId: number
    }
    body: UpdateScheduledMessageRequest
    answer: ScheduledMessage
  }
  /** Change a user (profile) by a merge patch. */
  updateUser: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: UpdateUserRequest
    answer: GetUserResponse
  }
  /** Change, pause or continue a webhook. */
  updateWebhook: {
    parameters: {
      /** The id of the webhook. */
      webhookId: string
    }
    body: UpdateWebhookRequest
    answer: Webhook
  }
  /** Upload an archive for an import. */
  uploadArchive: {
    parameters: {
      /** The name of the archive's file. */
      archiveName: string
    }
    body: BodyInit
    answer: StoredArchive
  }
  /** Upload the bytes of a file for a message. */
  uploadFile: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /**
       * The name of the file, which recipients see. Parts that could lead to another folder are replaced. Needed unless
       * the body is a form with the name. With a key that is limited to a profile or to some chats, the name in
       * `fileSource` has a random part.
       */
      name?: string
      /** Whether the file is kept encrypted. The default is the store's setting for received files. */
      encrypted?: boolean
    }
    body: BodyInit
    answer: UploadFileResponse
  }
  /** Upload a file that everybody with its link can download. */
  uploadStandaloneFile: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: UploadStandaloneFileRequest
    answer: UploadStandaloneFileResponse
  }
  /** Add a wallpaper. */
  uploadWallpaper: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: BodyInit
    answer: UploadedWallpaper
  }
  /** Validate a list of servers without setting it. */
  validateServers: {
    parameters: {
      /** The id of the profile. */
      userId: number
    }
    body: ValidateServersRequest
    answer: UserServersValidationResponse
  }
  /** Compare the code that the contact sees. Without a code, withdraw the verification. */
  verifyContact: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: VerifyContactRequest
    answer: ConnectionVerifiedResponse
  }
  /** Check the SimpleX name of a contact. */
  verifyContactDomain: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the contact. */
      contactId: number
    }
    body?: undefined
    answer: ContactDomainVerifiedResponse
  }
  /** Confirm that both devices show the same code, which begins the session. */
  verifyControllerSession: {
    parameters: {
    }
    body: VerifyControllerSessionRequest
    answer: RemoteCtrlConnectedResponse
  }
  /** Check the SimpleX name of a channel or of a business. */
  verifyGroupDomain: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
    }
    body?: undefined
    answer: GroupDomainVerifiedResponse
  }
  /** Compare the code that the member sees. Without a code, withdraw the verification. */
  verifyMember: {
    parameters: {
      /** The id of the profile. */
      userId: number
      /** The id of the group or channel. */
      groupId: number
      /** The id of the member in this group. */
      groupMemberId: number
    }
    body?: VerifyMemberRequest
    answer: ConnectionVerifiedResponse
  }
}
