public import JSON

/// What the core answers to a command: `type` names the case.
public indirect enum ChatResponse: TaggedUnion {
    case activeUser(user: User)
    case usersList(users: [UserInfo])
    case chatStarted
    case chatRunning
    case chatStopped
    case apiChats(user: User, chats: [AChat])
    case apiChat(user: User, chat: AChat, navInfo: NavigationInfo?)
    case chatContentTypes(contentTypes: [MsgContentTag])
    case chatTags(user: User, userTags: [ChatTag])
    case chatItemInfo(user: User, chatItem: AChatItem, chatItemInfo: ChatItemInfo)
    case serverTestResult(user: User, testServer: String, testFailure: ProtocolTestFailure?)
    case chatRelayTestResult(user: User, relayProfile: RelayProfile?, relayTestFailure: RelayTestFailure?)
    case serverOperatorConditions(conditions: ServerOperatorConditions)
    case userServers(user: User, userServers: [UserOperatorServers])
    case userServersValidation(user: User, serverErrors: [UserServersError], serverWarnings: [UserServersWarning]?)
    case usageConditions(usageConditions: UsageConditions, conditionsText: String, acceptedConditions: UsageConditions?)
    case chatItemTTL(user: User, chatItemTTL: Int64?)
    case networkConfig(networkConfig: NetworkConfig)
    case contactInfo(user: User, contact: Contact, connectionStats_: ConnectionStats?, customUserProfile: Profile?)
    case groupInfo(user: User, groupInfo: GroupInfo)
    case groupMemberInfo(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats_: ConnectionStats?)
    case queueInfo(user: User, rcvMsgInfo: RcvMsgInfo?, queueInfo: ServerQueueInfo)
    case contactSwitchStarted(user: User, contact: Contact, connectionStats: ConnectionStats)
    case groupMemberSwitchStarted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    case contactSwitchAborted(user: User, contact: Contact, connectionStats: ConnectionStats)
    case groupMemberSwitchAborted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    case contactRatchetSyncStarted(user: User, contact: Contact, connectionStats: ConnectionStats)
    case groupMemberRatchetSyncStarted(user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    case contactCode(user: User, contact: Contact, connectionCode: String)
    case groupMemberCode(user: User, groupInfo: GroupInfo, member: GroupMember, connectionCode: String)
    case connectionVerified(user: User, verified: Bool, expectedCode: String)
    case tagsUpdated(user: User, userTags: [ChatTag], chatTags: [Int64])
    case invitation(user: User, connLinkInvitation: CreatedConnLink, connection: PendingContactConnection)
    case connectionIncognitoUpdated(user: User, toConnection: PendingContactConnection, customUserProfile: Profile?)
    case connectionUserChanged(user: User, fromConnection: PendingContactConnection, toConnection: PendingContactConnection, newUser: User)
    case connectionPlan(user: User, connLink: CreatedConnLink, planSimplexName: SimplexNameInfo?, otherSimplexName: SimplexNameInfo?, connectionPlan: ConnectionPlan)
    case newPreparedChat(user: User, chat: AChat)
    case contactUserChanged(user: User, fromContact: Contact, newUser: User, toContact: Contact)
    case groupUserChanged(user: User, fromGroup: GroupInfo, newUser: User, toGroup: GroupInfo)
    case sentConfirmation(user: User, connection: PendingContactConnection, customUserProfile: Profile?)
    case sentInvitation(user: User, connection: PendingContactConnection, customUserProfile: Profile?)
    case startedConnectionToContact(user: User, contact: Contact, customUserProfile: Profile?)
    case startedConnectionToGroup(user: User, groupInfo: GroupInfo, customUserProfile: Profile?, relayResults: [RelayConnectionResult]?)
    case sentInvitationToContact(user: User, contact: Contact, customUserProfile: Profile?)
    case contactAlreadyExists(user: User, contact: Contact)
    case contactDeleted(user: User, contact: Contact)
    case contactConnectionDeleted(user: User, connection: PendingContactConnection)
    case groupDeletedUser(user: User, groupInfo: GroupInfo, msgSigned: Bool?)
    case itemsReadForChat(user: User, chatInfo: ChatInfo)
    case chatCleared(user: User, chatInfo: ChatInfo)
    case userProfileNoChange(user: User)
    case userProfileUpdated(user: User, fromProfile: Profile, toProfile: Profile, updateSummary: UserProfileUpdateSummary)
    case userPrivacy(user: User, updatedUser: User)
    case contactAliasUpdated(user: User, toContact: Contact)
    case groupAliasUpdated(user: User, toGroup: GroupInfo)
    case connectionAliasUpdated(user: User, toConnection: PendingContactConnection)
    case contactPrefsUpdated(user: User, fromContact: Contact, toContact: Contact)
    case userContactLink(user: User, contactLink: UserContactLink)
    case userContactLinkUpdated(user: User, contactLink: UserContactLink)
    case userContactLinkCreated(user: User, connLinkContact: CreatedConnLink)
    case userContactLinkDeleted(user: User)
    case acceptingContactRequest(user: User, contact: Contact)
    case contactRequestRejected(user: User, contactRequest: UserContactRequest, contact_: Contact?)
    case newChatItems(user: User, chatItems: [AChatItem])
    case chatMsgContent(user: User, msgContent: MsgContent)
    case groupChatItemsDeleted(user: User, groupInfo: GroupInfo, chatItemIDs: [Int64], byUser: Bool, member_: GroupMember?)
    case forwardPlan(user: User, itemsCount: Int, chatItemIds: [Int64], forwardConfirmation: ForwardConfirmation?)
    case chatItemUpdated(user: User, chatItem: AChatItem)
    case chatItemNotChanged(user: User, chatItem: AChatItem)
    case chatItemReaction(user: User, added: Bool, reaction: ACIReaction)
    case reactionMembers(user: User, memberReactions: [MemberReaction])
    case chatItemsDeleted(user: User, chatItemDeletions: [ChatItemDeletion], byUser: Bool, timed: Bool)
    case contactsList(user: User, contacts: [Contact])
    case groupCreated(user: User, groupInfo: GroupInfo)
    case publicGroupCreated(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay])
    case publicGroupCreationFailed(user: User, addRelayResults: [AddRelayResult])
    case groupRelays(user: User, groupInfo: GroupInfo, groupRelays: [GroupRelay])
    case groupRelaysAdded(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay])
    case groupRelaysAddFailed(user: User, addRelayResults: [AddRelayResult])
    case sentGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, member: GroupMember)
    case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact?)
    case userDeletedMembers(user: User, groupInfo: GroupInfo, members: [GroupMember], withMessages: Bool, msgSigned: Bool?)
    case leftMemberUser(user: User, groupInfo: GroupInfo)
    case groupMembers(user: User, group: Group)
    case memberAccepted(user: User, groupInfo: GroupInfo, member: GroupMember)
    case memberSupportChatRead(user: User, groupInfo: GroupInfo, member: GroupMember)
    case memberSupportChatDeleted(user: User, groupInfo: GroupInfo, member: GroupMember)
    case membersRoleUser(user: User, groupInfo: GroupInfo, members: [GroupMember], toRole: GroupMemberRole, msgSigned: Bool?)
    case membersBlockedForAllUser(user: User, groupInfo: GroupInfo, members: [GroupMember], blocked: Bool, msgSigned: Bool?)
    case groupUpdated(user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member_: GroupMember?, msgSigned: Bool?)
    case contactDomainVerified(user: User, contact: Contact, verificationFailure: String?)
    case groupDomainVerified(user: User, groupInfo: GroupInfo, verificationFailure: String?)
    case groupLinkCreated(user: User, groupInfo: GroupInfo, groupLink: GroupLink)
    case groupLink(user: User, groupInfo: GroupInfo, groupLink: GroupLink)
    case groupLinkDeleted(user: User, groupInfo: GroupInfo)
    case newMemberContact(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    case newMemberContactSentInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    case memberContactAccepted(user: User, contact: Contact)
    case rcvFileAccepted(user: User, chatItem: AChatItem)
    case rcvFileAcceptedSndCancelled(user: User, rcvFileTransfer: RcvFileTransfer)
    case standaloneFileInfo(fileMeta: JSONValue?)
    case rcvStandaloneFileCreated(user: User, rcvFileTransfer: RcvFileTransfer)
    case rcvFileCancelled(user: User, chatItem_: AChatItem?, rcvFileTransfer: RcvFileTransfer)
    case sndFileCancelled(user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, sndFileTransfers: [SndFileTransfer])
    case sndStandaloneFileCreated(user: User, fileTransferMeta: FileTransferMeta)
    case callInvitations(callInvitations: [RcvCallInvitation])
    case ntfTokenStatus(status: NtfTknStatus)
    case ntfToken(token: DeviceToken, status: NtfTknStatus, ntfMode: NotificationsMode, ntfServer: String)
    case ntfConns(ntfConns: [NtfConn])
    case connNtfMessages(receivedMsgs: [RcvNtfMsgInfo])
    case remoteCtrlList(remoteCtrls: [RemoteCtrlInfo])
    case remoteCtrlConnecting(remoteCtrl_: RemoteCtrlInfo?, ctrlAppInfo: CtrlAppInfo, appVersion: String)
    case remoteCtrlConnected(remoteCtrl: RemoteCtrlInfo, compression: Bool?)
    case versionInfo(versionInfo: CoreVersionInfo, chatMigrations: [UpMigration], agentMigrations: [UpMigration])
    case cmdOk(user_: User?)
    case agentSubsTotal(user: User, subsTotal: SMPServerSubs, hasSession: Bool)
    case agentServersSummary(user: User, serversSummary: PresentedServersSummary)
    case agentSubsSummary(user: User, subsSummary: SMPServerSubs)
    case archiveExported(archiveErrors: [ArchiveError])
    case archiveImported(archiveErrors: [ArchiveError])
    case appSettings(appSettings: AppSettings)
    case connectionsDiff(showIds: Bool, userIds: DatabaseDiff, connIds: DatabaseDiff)
    case chats(chats: [AChat])
    case chatItems(user: User, chatName_: ChatName?, chatItems: [AChatItem])
    case broadcastSent(user: User, msgContent: MsgContent, successes: Int, failures: Int, timestamp: UTCTime)
    case chatHelp(helpSection: HelpSection)
    case welcome(user: User)
    case relayGroupAllowed(user: User, groupInfo: GroupInfo)
    case memberSupportChats(user: User, groupInfo: GroupInfo, members: [GroupMember])
    case groupsList(user: User, groups: [GroupInfo])
    case userProfile(user: User, profile: Profile)
    case userProfileImage(user: User, profile: Profile)
    case joinedGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    case groupProfile(user: User, groupInfo: GroupInfo)
    case groupDescription(user: User, groupInfo: GroupInfo)
    case remoteHostList(remoteHosts: [RemoteHostInfo])
    case currentRemoteHost(remoteHost_: RemoteHostInfo?)
    case remoteHostStarted(remoteHost_: RemoteHostInfo?, invitation: String, ctrlPort: String, localAddrs: [RCCtrlAddress])
    case remoteFileStored(remoteHostId: Int64, remoteFileSource: CryptoFile)
    case sQLResult(rows: [String])
    case slowSQLQueries(chatQueries: [SlowSQLQuery], agentQueries: [SlowSQLQuery])
    case debugLocks(chatLockName: String?, chatEntityLocks: [String: String], agentLocks: JSONValue)
    case agentWorkersDetails(agentWorkersDetails: JSONValue)
    case agentWorkersSummary(agentWorkersSummary: JSONValue)
    case agentSubs(activeSubs: [String: Int], pendingSubs: [String: Int], removedSubs: [String: [String]])
    case agentSubsDetails(agentSubs: JSONValue)
    case agentQueuesInfo(agentQueuesInfo: JSONValue)
    case customChatResponse(user_: User?, response: String)
    case serviceReplyAccepted(user: User, connectionId: String)
    case networkStatuses(user_: User?, networkStatuses: [ConnNetworkStatus])
    case chatCmdError(chatError: ChatError)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ChatResponse {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "activeUser": self = .activeUser(user: try fields("user"))
        case "usersList": self = .usersList(users: try fields("users"))
        case "chatStarted": self = .chatStarted
        case "chatRunning": self = .chatRunning
        case "chatStopped": self = .chatStopped
        case "apiChats": self = .apiChats(user: try fields("user"), chats: try fields("chats"))
        case "apiChat": self = .apiChat(user: try fields("user"), chat: try fields("chat"), navInfo: try fields.optional("navInfo"))
        case "chatContentTypes": self = .chatContentTypes(contentTypes: try fields("contentTypes"))
        case "chatTags": self = .chatTags(user: try fields("user"), userTags: try fields("userTags"))
        case "chatItemInfo": self = .chatItemInfo(user: try fields("user"), chatItem: try fields("chatItem"), chatItemInfo: try fields("chatItemInfo"))
        case "serverTestResult": self = .serverTestResult(user: try fields("user"), testServer: try fields("testServer"), testFailure: try fields.optional("testFailure"))
        case "chatRelayTestResult": self = .chatRelayTestResult(user: try fields("user"), relayProfile: try fields.optional("relayProfile"), relayTestFailure: try fields.optional("relayTestFailure"))
        case "serverOperatorConditions": self = .serverOperatorConditions(conditions: try fields("conditions"))
        case "userServers": self = .userServers(user: try fields("user"), userServers: try fields("userServers"))
        case "userServersValidation": self = .userServersValidation(user: try fields("user"), serverErrors: try fields("serverErrors"), serverWarnings: try fields.optional("serverWarnings"))
        case "usageConditions": self = .usageConditions(usageConditions: try fields("usageConditions"), conditionsText: try fields("conditionsText"), acceptedConditions: try fields.optional("acceptedConditions"))
        case "chatItemTTL": self = .chatItemTTL(user: try fields("user"), chatItemTTL: try fields.optional("chatItemTTL"))
        case "networkConfig": self = .networkConfig(networkConfig: try fields("networkConfig"))
        case "contactInfo": self = .contactInfo(user: try fields("user"), contact: try fields("contact"), connectionStats_: try fields.optional("connectionStats_"), customUserProfile: try fields.optional("customUserProfile"))
        case "groupInfo": self = .groupInfo(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "groupMemberInfo": self = .groupMemberInfo(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), connectionStats_: try fields.optional("connectionStats_"))
        case "queueInfo": self = .queueInfo(user: try fields("user"), rcvMsgInfo: try fields.optional("rcvMsgInfo"), queueInfo: try fields("queueInfo"))
        case "contactSwitchStarted": self = .contactSwitchStarted(user: try fields("user"), contact: try fields("contact"), connectionStats: try fields("connectionStats"))
        case "groupMemberSwitchStarted": self = .groupMemberSwitchStarted(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), connectionStats: try fields("connectionStats"))
        case "contactSwitchAborted": self = .contactSwitchAborted(user: try fields("user"), contact: try fields("contact"), connectionStats: try fields("connectionStats"))
        case "groupMemberSwitchAborted": self = .groupMemberSwitchAborted(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), connectionStats: try fields("connectionStats"))
        case "contactRatchetSyncStarted": self = .contactRatchetSyncStarted(user: try fields("user"), contact: try fields("contact"), connectionStats: try fields("connectionStats"))
        case "groupMemberRatchetSyncStarted": self = .groupMemberRatchetSyncStarted(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), connectionStats: try fields("connectionStats"))
        case "contactCode": self = .contactCode(user: try fields("user"), contact: try fields("contact"), connectionCode: try fields("connectionCode"))
        case "groupMemberCode": self = .groupMemberCode(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), connectionCode: try fields("connectionCode"))
        case "connectionVerified": self = .connectionVerified(user: try fields("user"), verified: try fields("verified"), expectedCode: try fields("expectedCode"))
        case "tagsUpdated": self = .tagsUpdated(user: try fields("user"), userTags: try fields("userTags"), chatTags: try fields("chatTags"))
        case "invitation": self = .invitation(user: try fields("user"), connLinkInvitation: try fields("connLinkInvitation"), connection: try fields("connection"))
        case "connectionIncognitoUpdated": self = .connectionIncognitoUpdated(user: try fields("user"), toConnection: try fields("toConnection"), customUserProfile: try fields.optional("customUserProfile"))
        case "connectionUserChanged": self = .connectionUserChanged(user: try fields("user"), fromConnection: try fields("fromConnection"), toConnection: try fields("toConnection"), newUser: try fields("newUser"))
        case "connectionPlan": self = .connectionPlan(user: try fields("user"), connLink: try fields("connLink"), planSimplexName: try fields.optional("planSimplexName"), otherSimplexName: try fields.optional("otherSimplexName"), connectionPlan: try fields("connectionPlan"))
        case "newPreparedChat": self = .newPreparedChat(user: try fields("user"), chat: try fields("chat"))
        case "contactUserChanged": self = .contactUserChanged(user: try fields("user"), fromContact: try fields("fromContact"), newUser: try fields("newUser"), toContact: try fields("toContact"))
        case "groupUserChanged": self = .groupUserChanged(user: try fields("user"), fromGroup: try fields("fromGroup"), newUser: try fields("newUser"), toGroup: try fields("toGroup"))
        case "sentConfirmation": self = .sentConfirmation(user: try fields("user"), connection: try fields("connection"), customUserProfile: try fields.optional("customUserProfile"))
        case "sentInvitation": self = .sentInvitation(user: try fields("user"), connection: try fields("connection"), customUserProfile: try fields.optional("customUserProfile"))
        case "startedConnectionToContact": self = .startedConnectionToContact(user: try fields("user"), contact: try fields("contact"), customUserProfile: try fields.optional("customUserProfile"))
        case "startedConnectionToGroup": self = .startedConnectionToGroup(user: try fields("user"), groupInfo: try fields("groupInfo"), customUserProfile: try fields.optional("customUserProfile"), relayResults: try fields.optional("relayResults"))
        case "sentInvitationToContact": self = .sentInvitationToContact(user: try fields("user"), contact: try fields("contact"), customUserProfile: try fields.optional("customUserProfile"))
        case "contactAlreadyExists": self = .contactAlreadyExists(user: try fields("user"), contact: try fields("contact"))
        case "contactDeleted": self = .contactDeleted(user: try fields("user"), contact: try fields("contact"))
        case "contactConnectionDeleted": self = .contactConnectionDeleted(user: try fields("user"), connection: try fields("connection"))
        case "groupDeletedUser": self = .groupDeletedUser(user: try fields("user"), groupInfo: try fields("groupInfo"), msgSigned: try fields.optional("msgSigned"))
        case "itemsReadForChat": self = .itemsReadForChat(user: try fields("user"), chatInfo: try fields("chatInfo"))
        case "chatCleared": self = .chatCleared(user: try fields("user"), chatInfo: try fields("chatInfo"))
        case "userProfileNoChange": self = .userProfileNoChange(user: try fields("user"))
        case "userProfileUpdated": self = .userProfileUpdated(user: try fields("user"), fromProfile: try fields("fromProfile"), toProfile: try fields("toProfile"), updateSummary: try fields("updateSummary"))
        case "userPrivacy": self = .userPrivacy(user: try fields("user"), updatedUser: try fields("updatedUser"))
        case "contactAliasUpdated": self = .contactAliasUpdated(user: try fields("user"), toContact: try fields("toContact"))
        case "groupAliasUpdated": self = .groupAliasUpdated(user: try fields("user"), toGroup: try fields("toGroup"))
        case "connectionAliasUpdated": self = .connectionAliasUpdated(user: try fields("user"), toConnection: try fields("toConnection"))
        case "contactPrefsUpdated": self = .contactPrefsUpdated(user: try fields("user"), fromContact: try fields("fromContact"), toContact: try fields("toContact"))
        case "userContactLink": self = .userContactLink(user: try fields("user"), contactLink: try fields("contactLink"))
        case "userContactLinkUpdated": self = .userContactLinkUpdated(user: try fields("user"), contactLink: try fields("contactLink"))
        case "userContactLinkCreated": self = .userContactLinkCreated(user: try fields("user"), connLinkContact: try fields("connLinkContact"))
        case "userContactLinkDeleted": self = .userContactLinkDeleted(user: try fields("user"))
        case "acceptingContactRequest": self = .acceptingContactRequest(user: try fields("user"), contact: try fields("contact"))
        case "contactRequestRejected": self = .contactRequestRejected(user: try fields("user"), contactRequest: try fields("contactRequest"), contact_: try fields.optional("contact_"))
        case "newChatItems": self = .newChatItems(user: try fields("user"), chatItems: try fields("chatItems"))
        case "chatMsgContent": self = .chatMsgContent(user: try fields("user"), msgContent: try fields("msgContent"))
        case "groupChatItemsDeleted": self = .groupChatItemsDeleted(user: try fields("user"), groupInfo: try fields("groupInfo"), chatItemIDs: try fields("chatItemIDs"), byUser: try fields("byUser"), member_: try fields.optional("member_"))
        case "forwardPlan": self = .forwardPlan(user: try fields("user"), itemsCount: try fields("itemsCount"), chatItemIds: try fields("chatItemIds"), forwardConfirmation: try fields.optional("forwardConfirmation"))
        case "chatItemUpdated": self = .chatItemUpdated(user: try fields("user"), chatItem: try fields("chatItem"))
        case "chatItemNotChanged": self = .chatItemNotChanged(user: try fields("user"), chatItem: try fields("chatItem"))
        case "chatItemReaction": self = .chatItemReaction(user: try fields("user"), added: try fields("added"), reaction: try fields("reaction"))
        case "reactionMembers": self = .reactionMembers(user: try fields("user"), memberReactions: try fields("memberReactions"))
        case "chatItemsDeleted": self = .chatItemsDeleted(user: try fields("user"), chatItemDeletions: try fields("chatItemDeletions"), byUser: try fields("byUser"), timed: try fields("timed"))
        case "contactsList": self = .contactsList(user: try fields("user"), contacts: try fields("contacts"))
        case "groupCreated": self = .groupCreated(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "publicGroupCreated": self = .publicGroupCreated(user: try fields("user"), groupInfo: try fields("groupInfo"), groupLink: try fields("groupLink"), groupRelays: try fields("groupRelays"))
        case "publicGroupCreationFailed": self = .publicGroupCreationFailed(user: try fields("user"), addRelayResults: try fields("addRelayResults"))
        case "groupRelays": self = .groupRelays(user: try fields("user"), groupInfo: try fields("groupInfo"), groupRelays: try fields("groupRelays"))
        case "groupRelaysAdded": self = .groupRelaysAdded(user: try fields("user"), groupInfo: try fields("groupInfo"), groupLink: try fields("groupLink"), groupRelays: try fields("groupRelays"))
        case "groupRelaysAddFailed": self = .groupRelaysAddFailed(user: try fields("user"), addRelayResults: try fields("addRelayResults"))
        case "sentGroupInvitation": self = .sentGroupInvitation(user: try fields("user"), groupInfo: try fields("groupInfo"), contact: try fields("contact"), member: try fields("member"))
        case "userAcceptedGroupSent": self = .userAcceptedGroupSent(user: try fields("user"), groupInfo: try fields("groupInfo"), hostContact: try fields.optional("hostContact"))
        case "userDeletedMembers": self = .userDeletedMembers(user: try fields("user"), groupInfo: try fields("groupInfo"), members: try fields("members"), withMessages: try fields("withMessages"), msgSigned: try fields.optional("msgSigned"))
        case "leftMemberUser": self = .leftMemberUser(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "groupMembers": self = .groupMembers(user: try fields("user"), group: try fields("group"))
        case "memberAccepted": self = .memberAccepted(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "memberSupportChatRead": self = .memberSupportChatRead(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "memberSupportChatDeleted": self = .memberSupportChatDeleted(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "membersRoleUser": self = .membersRoleUser(user: try fields("user"), groupInfo: try fields("groupInfo"), members: try fields("members"), toRole: try fields("toRole"), msgSigned: try fields.optional("msgSigned"))
        case "membersBlockedForAllUser": self = .membersBlockedForAllUser(user: try fields("user"), groupInfo: try fields("groupInfo"), members: try fields("members"), blocked: try fields("blocked"), msgSigned: try fields.optional("msgSigned"))
        case "groupUpdated": self = .groupUpdated(user: try fields("user"), fromGroup: try fields("fromGroup"), toGroup: try fields("toGroup"), member_: try fields.optional("member_"), msgSigned: try fields.optional("msgSigned"))
        case "contactDomainVerified": self = .contactDomainVerified(user: try fields("user"), contact: try fields("contact"), verificationFailure: try fields.optional("verificationFailure"))
        case "groupDomainVerified": self = .groupDomainVerified(user: try fields("user"), groupInfo: try fields("groupInfo"), verificationFailure: try fields.optional("verificationFailure"))
        case "groupLinkCreated": self = .groupLinkCreated(user: try fields("user"), groupInfo: try fields("groupInfo"), groupLink: try fields("groupLink"))
        case "groupLink": self = .groupLink(user: try fields("user"), groupInfo: try fields("groupInfo"), groupLink: try fields("groupLink"))
        case "groupLinkDeleted": self = .groupLinkDeleted(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "newMemberContact": self = .newMemberContact(user: try fields("user"), contact: try fields("contact"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "newMemberContactSentInv": self = .newMemberContactSentInv(user: try fields("user"), contact: try fields("contact"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "memberContactAccepted": self = .memberContactAccepted(user: try fields("user"), contact: try fields("contact"))
        case "rcvFileAccepted": self = .rcvFileAccepted(user: try fields("user"), chatItem: try fields("chatItem"))
        case "rcvFileAcceptedSndCancelled": self = .rcvFileAcceptedSndCancelled(user: try fields("user"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "standaloneFileInfo": self = .standaloneFileInfo(fileMeta: try fields.optional("fileMeta"))
        case "rcvStandaloneFileCreated": self = .rcvStandaloneFileCreated(user: try fields("user"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "rcvFileCancelled": self = .rcvFileCancelled(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "sndFileCancelled": self = .sndFileCancelled(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), fileTransferMeta: try fields("fileTransferMeta"), sndFileTransfers: try fields("sndFileTransfers"))
        case "sndStandaloneFileCreated": self = .sndStandaloneFileCreated(user: try fields("user"), fileTransferMeta: try fields("fileTransferMeta"))
        case "callInvitations": self = .callInvitations(callInvitations: try fields("callInvitations"))
        case "ntfTokenStatus": self = .ntfTokenStatus(status: try fields("status"))
        case "ntfToken": self = .ntfToken(token: try fields("token"), status: try fields("status"), ntfMode: try fields("ntfMode"), ntfServer: try fields("ntfServer"))
        case "ntfConns": self = .ntfConns(ntfConns: try fields("ntfConns"))
        case "connNtfMessages": self = .connNtfMessages(receivedMsgs: try fields("receivedMsgs"))
        case "remoteCtrlList": self = .remoteCtrlList(remoteCtrls: try fields("remoteCtrls"))
        case "remoteCtrlConnecting": self = .remoteCtrlConnecting(remoteCtrl_: try fields.optional("remoteCtrl_"), ctrlAppInfo: try fields("ctrlAppInfo"), appVersion: try fields("appVersion"))
        case "remoteCtrlConnected": self = .remoteCtrlConnected(remoteCtrl: try fields("remoteCtrl"), compression: try fields.optional("compression"))
        case "versionInfo": self = .versionInfo(versionInfo: try fields("versionInfo"), chatMigrations: try fields("chatMigrations"), agentMigrations: try fields("agentMigrations"))
        case "cmdOk": self = .cmdOk(user_: try fields.optional("user_"))
        case "agentSubsTotal": self = .agentSubsTotal(user: try fields("user"), subsTotal: try fields("subsTotal"), hasSession: try fields("hasSession"))
        case "agentServersSummary": self = .agentServersSummary(user: try fields("user"), serversSummary: try fields("serversSummary"))
        case "agentSubsSummary": self = .agentSubsSummary(user: try fields("user"), subsSummary: try fields("subsSummary"))
        case "archiveExported": self = .archiveExported(archiveErrors: try fields("archiveErrors"))
        case "archiveImported": self = .archiveImported(archiveErrors: try fields("archiveErrors"))
        case "appSettings": self = .appSettings(appSettings: try fields("appSettings"))
        case "connectionsDiff": self = .connectionsDiff(showIds: try fields("showIds"), userIds: try fields("userIds"), connIds: try fields("connIds"))
        case "chats": self = .chats(chats: try fields("chats"))
        case "chatItems": self = .chatItems(user: try fields("user"), chatName_: try fields.optional("chatName_"), chatItems: try fields("chatItems"))
        case "broadcastSent": self = .broadcastSent(user: try fields("user"), msgContent: try fields("msgContent"), successes: try fields("successes"), failures: try fields("failures"), timestamp: try fields("timestamp"))
        case "chatHelp": self = .chatHelp(helpSection: try fields("helpSection"))
        case "welcome": self = .welcome(user: try fields("user"))
        case "relayGroupAllowed": self = .relayGroupAllowed(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "memberSupportChats": self = .memberSupportChats(user: try fields("user"), groupInfo: try fields("groupInfo"), members: try fields("members"))
        case "groupsList": self = .groupsList(user: try fields("user"), groups: try fields("groups"))
        case "userProfile": self = .userProfile(user: try fields("user"), profile: try fields("profile"))
        case "userProfileImage": self = .userProfileImage(user: try fields("user"), profile: try fields("profile"))
        case "joinedGroupMember": self = .joinedGroupMember(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "groupProfile": self = .groupProfile(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "groupDescription": self = .groupDescription(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "remoteHostList": self = .remoteHostList(remoteHosts: try fields("remoteHosts"))
        case "currentRemoteHost": self = .currentRemoteHost(remoteHost_: try fields.optional("remoteHost_"))
        case "remoteHostStarted": self = .remoteHostStarted(remoteHost_: try fields.optional("remoteHost_"), invitation: try fields("invitation"), ctrlPort: try fields("ctrlPort"), localAddrs: try fields("localAddrs"))
        case "remoteFileStored": self = .remoteFileStored(remoteHostId: try fields("remoteHostId"), remoteFileSource: try fields("remoteFileSource"))
        case "sQLResult": self = .sQLResult(rows: try fields("rows"))
        case "slowSQLQueries": self = .slowSQLQueries(chatQueries: try fields("chatQueries"), agentQueries: try fields("agentQueries"))
        case "debugLocks": self = .debugLocks(chatLockName: try fields.optional("chatLockName"), chatEntityLocks: try fields("chatEntityLocks"), agentLocks: try fields("agentLocks"))
        case "agentWorkersDetails": self = .agentWorkersDetails(agentWorkersDetails: try fields("agentWorkersDetails"))
        case "agentWorkersSummary": self = .agentWorkersSummary(agentWorkersSummary: try fields("agentWorkersSummary"))
        case "agentSubs": self = .agentSubs(activeSubs: try fields("activeSubs"), pendingSubs: try fields("pendingSubs"), removedSubs: try fields("removedSubs"))
        case "agentSubsDetails": self = .agentSubsDetails(agentSubs: try fields("agentSubs"))
        case "agentQueuesInfo": self = .agentQueuesInfo(agentQueuesInfo: try fields("agentQueuesInfo"))
        case "customChatResponse": self = .customChatResponse(user_: try fields.optional("user_"), response: try fields("response"))
        case "serviceReplyAccepted": self = .serviceReplyAccepted(user: try fields("user"), connectionId: try fields("connectionId"))
        case "networkStatuses": self = .networkStatuses(user_: try fields.optional("user_"), networkStatuses: try fields("networkStatuses"))
        case "chatCmdError": self = .chatCmdError(chatError: try fields("chatError"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .activeUser(let user):
            try encoder.tagged("activeUser") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .usersList(let users):
            try encoder.tagged("usersList") { fields throws in
                try fields.encode(users, forKey: "users")
            }
        case .chatStarted: try encoder.tagged("chatStarted")
        case .chatRunning: try encoder.tagged("chatRunning")
        case .chatStopped: try encoder.tagged("chatStopped")
        case .apiChats(let user, let chats):
            try encoder.tagged("apiChats") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chats, forKey: "chats")
            }
        case .apiChat(let user, let chat, let navInfo):
            try encoder.tagged("apiChat") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chat, forKey: "chat")
                try fields.encodeIfPresent(navInfo, forKey: "navInfo")
            }
        case .chatContentTypes(let contentTypes):
            try encoder.tagged("chatContentTypes") { fields throws in
                try fields.encode(contentTypes, forKey: "contentTypes")
            }
        case .chatTags(let user, let userTags):
            try encoder.tagged("chatTags") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(userTags, forKey: "userTags")
            }
        case .chatItemInfo(let user, let chatItem, let chatItemInfo):
            try encoder.tagged("chatItemInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
                try fields.encode(chatItemInfo, forKey: "chatItemInfo")
            }
        case .serverTestResult(let user, let testServer, let testFailure):
            try encoder.tagged("serverTestResult") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(testServer, forKey: "testServer")
                try fields.encodeIfPresent(testFailure, forKey: "testFailure")
            }
        case .chatRelayTestResult(let user, let relayProfile, let relayTestFailure):
            try encoder.tagged("chatRelayTestResult") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(relayProfile, forKey: "relayProfile")
                try fields.encodeIfPresent(relayTestFailure, forKey: "relayTestFailure")
            }
        case .serverOperatorConditions(let conditions):
            try encoder.tagged("serverOperatorConditions") { fields throws in
                try fields.encode(conditions, forKey: "conditions")
            }
        case .userServers(let user, let userServers):
            try encoder.tagged("userServers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(userServers, forKey: "userServers")
            }
        case .userServersValidation(let user, let serverErrors, let serverWarnings):
            try encoder.tagged("userServersValidation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(serverErrors, forKey: "serverErrors")
                try fields.encodeIfPresent(serverWarnings, forKey: "serverWarnings")
            }
        case .usageConditions(let usageConditions, let conditionsText, let acceptedConditions):
            try encoder.tagged("usageConditions") { fields throws in
                try fields.encode(usageConditions, forKey: "usageConditions")
                try fields.encode(conditionsText, forKey: "conditionsText")
                try fields.encodeIfPresent(acceptedConditions, forKey: "acceptedConditions")
            }
        case .chatItemTTL(let user, let chatItemTTL):
            try encoder.tagged("chatItemTTL") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItemTTL, forKey: "chatItemTTL")
            }
        case .networkConfig(let networkConfig):
            try encoder.tagged("networkConfig") { fields throws in
                try fields.encode(networkConfig, forKey: "networkConfig")
            }
        case .contactInfo(let user, let contact, let connectionStats_, let customUserProfile):
            try encoder.tagged("contactInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(connectionStats_, forKey: "connectionStats_")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .groupInfo(let user, let groupInfo):
            try encoder.tagged("groupInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupMemberInfo(let user, let groupInfo, let member, let connectionStats_):
            try encoder.tagged("groupMemberInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encodeIfPresent(connectionStats_, forKey: "connectionStats_")
            }
        case .queueInfo(let user, let rcvMsgInfo, let queueInfo):
            try encoder.tagged("queueInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(rcvMsgInfo, forKey: "rcvMsgInfo")
                try fields.encode(queueInfo, forKey: "queueInfo")
            }
        case .contactSwitchStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .groupMemberSwitchStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .contactSwitchAborted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchAborted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .groupMemberSwitchAborted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchAborted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .contactRatchetSyncStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactRatchetSyncStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .groupMemberRatchetSyncStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberRatchetSyncStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .contactCode(let user, let contact, let connectionCode):
            try encoder.tagged("contactCode") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionCode, forKey: "connectionCode")
            }
        case .groupMemberCode(let user, let groupInfo, let member, let connectionCode):
            try encoder.tagged("groupMemberCode") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionCode, forKey: "connectionCode")
            }
        case .connectionVerified(let user, let verified, let expectedCode):
            try encoder.tagged("connectionVerified") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(verified, forKey: "verified")
                try fields.encode(expectedCode, forKey: "expectedCode")
            }
        case .tagsUpdated(let user, let userTags, let chatTags):
            try encoder.tagged("tagsUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(userTags, forKey: "userTags")
                try fields.encode(chatTags, forKey: "chatTags")
            }
        case .invitation(let user, let connLinkInvitation, let connection):
            try encoder.tagged("invitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connLinkInvitation, forKey: "connLinkInvitation")
                try fields.encode(connection, forKey: "connection")
            }
        case .connectionIncognitoUpdated(let user, let toConnection, let customUserProfile):
            try encoder.tagged("connectionIncognitoUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toConnection, forKey: "toConnection")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .connectionUserChanged(let user, let fromConnection, let toConnection, let newUser):
            try encoder.tagged("connectionUserChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromConnection, forKey: "fromConnection")
                try fields.encode(toConnection, forKey: "toConnection")
                try fields.encode(newUser, forKey: "newUser")
            }
        case .connectionPlan(let user, let connLink, let planSimplexName, let otherSimplexName, let connectionPlan):
            try encoder.tagged("connectionPlan") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connLink, forKey: "connLink")
                try fields.encodeIfPresent(planSimplexName, forKey: "planSimplexName")
                try fields.encodeIfPresent(otherSimplexName, forKey: "otherSimplexName")
                try fields.encode(connectionPlan, forKey: "connectionPlan")
            }
        case .newPreparedChat(let user, let chat):
            try encoder.tagged("newPreparedChat") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chat, forKey: "chat")
            }
        case .contactUserChanged(let user, let fromContact, let newUser, let toContact):
            try encoder.tagged("contactUserChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromContact, forKey: "fromContact")
                try fields.encode(newUser, forKey: "newUser")
                try fields.encode(toContact, forKey: "toContact")
            }
        case .groupUserChanged(let user, let fromGroup, let newUser, let toGroup):
            try encoder.tagged("groupUserChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromGroup, forKey: "fromGroup")
                try fields.encode(newUser, forKey: "newUser")
                try fields.encode(toGroup, forKey: "toGroup")
            }
        case .sentConfirmation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentConfirmation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connection, forKey: "connection")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .sentInvitation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentInvitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connection, forKey: "connection")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .startedConnectionToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("startedConnectionToContact") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .startedConnectionToGroup(let user, let groupInfo, let customUserProfile, let relayResults):
            try encoder.tagged("startedConnectionToGroup") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
                try fields.encodeIfPresent(relayResults, forKey: "relayResults")
            }
        case .sentInvitationToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("sentInvitationToContact") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .contactAlreadyExists(let user, let contact):
            try encoder.tagged("contactAlreadyExists") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactDeleted(let user, let contact):
            try encoder.tagged("contactDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactConnectionDeleted(let user, let connection):
            try encoder.tagged("contactConnectionDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connection, forKey: "connection")
            }
        case .groupDeletedUser(let user, let groupInfo, let msgSigned):
            try encoder.tagged("groupDeletedUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .itemsReadForChat(let user, let chatInfo):
            try encoder.tagged("itemsReadForChat") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatInfo, forKey: "chatInfo")
            }
        case .chatCleared(let user, let chatInfo):
            try encoder.tagged("chatCleared") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatInfo, forKey: "chatInfo")
            }
        case .userProfileNoChange(let user):
            try encoder.tagged("userProfileNoChange") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .userProfileUpdated(let user, let fromProfile, let toProfile, let updateSummary):
            try encoder.tagged("userProfileUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromProfile, forKey: "fromProfile")
                try fields.encode(toProfile, forKey: "toProfile")
                try fields.encode(updateSummary, forKey: "updateSummary")
            }
        case .userPrivacy(let user, let updatedUser):
            try encoder.tagged("userPrivacy") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(updatedUser, forKey: "updatedUser")
            }
        case .contactAliasUpdated(let user, let toContact):
            try encoder.tagged("contactAliasUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toContact, forKey: "toContact")
            }
        case .groupAliasUpdated(let user, let toGroup):
            try encoder.tagged("groupAliasUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toGroup, forKey: "toGroup")
            }
        case .connectionAliasUpdated(let user, let toConnection):
            try encoder.tagged("connectionAliasUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toConnection, forKey: "toConnection")
            }
        case .contactPrefsUpdated(let user, let fromContact, let toContact):
            try encoder.tagged("contactPrefsUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromContact, forKey: "fromContact")
                try fields.encode(toContact, forKey: "toContact")
            }
        case .userContactLink(let user, let contactLink):
            try encoder.tagged("userContactLink") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contactLink, forKey: "contactLink")
            }
        case .userContactLinkUpdated(let user, let contactLink):
            try encoder.tagged("userContactLinkUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contactLink, forKey: "contactLink")
            }
        case .userContactLinkCreated(let user, let connLinkContact):
            try encoder.tagged("userContactLinkCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connLinkContact, forKey: "connLinkContact")
            }
        case .userContactLinkDeleted(let user):
            try encoder.tagged("userContactLinkDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .acceptingContactRequest(let user, let contact):
            try encoder.tagged("acceptingContactRequest") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactRequestRejected(let user, let contactRequest, let contact_):
            try encoder.tagged("contactRequestRejected") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contactRequest, forKey: "contactRequest")
                try fields.encodeIfPresent(contact_, forKey: "contact_")
            }
        case .newChatItems(let user, let chatItems):
            try encoder.tagged("newChatItems") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItems, forKey: "chatItems")
            }
        case .chatMsgContent(let user, let msgContent):
            try encoder.tagged("chatMsgContent") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(msgContent, forKey: "msgContent")
            }
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
            try encoder.tagged("groupChatItemsDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(chatItemIDs, forKey: "chatItemIDs")
                try fields.encode(byUser, forKey: "byUser")
                try fields.encodeIfPresent(member_, forKey: "member_")
            }
        case .forwardPlan(let user, let itemsCount, let chatItemIds, let forwardConfirmation):
            try encoder.tagged("forwardPlan") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(itemsCount, forKey: "itemsCount")
                try fields.encode(chatItemIds, forKey: "chatItemIds")
                try fields.encodeIfPresent(forwardConfirmation, forKey: "forwardConfirmation")
            }
        case .chatItemUpdated(let user, let chatItem):
            try encoder.tagged("chatItemUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .chatItemNotChanged(let user, let chatItem):
            try encoder.tagged("chatItemNotChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .chatItemReaction(let user, let added, let reaction):
            try encoder.tagged("chatItemReaction") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(added, forKey: "added")
                try fields.encode(reaction, forKey: "reaction")
            }
        case .reactionMembers(let user, let memberReactions):
            try encoder.tagged("reactionMembers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(memberReactions, forKey: "memberReactions")
            }
        case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
            try encoder.tagged("chatItemsDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItemDeletions, forKey: "chatItemDeletions")
                try fields.encode(byUser, forKey: "byUser")
                try fields.encode(timed, forKey: "timed")
            }
        case .contactsList(let user, let contacts):
            try encoder.tagged("contactsList") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contacts, forKey: "contacts")
            }
        case .groupCreated(let user, let groupInfo):
            try encoder.tagged("groupCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .publicGroupCreated(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("publicGroupCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
                try fields.encode(groupRelays, forKey: "groupRelays")
            }
        case .publicGroupCreationFailed(let user, let addRelayResults):
            try encoder.tagged("publicGroupCreationFailed") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(addRelayResults, forKey: "addRelayResults")
            }
        case .groupRelays(let user, let groupInfo, let groupRelays):
            try encoder.tagged("groupRelays") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupRelays, forKey: "groupRelays")
            }
        case .groupRelaysAdded(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("groupRelaysAdded") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
                try fields.encode(groupRelays, forKey: "groupRelays")
            }
        case .groupRelaysAddFailed(let user, let addRelayResults):
            try encoder.tagged("groupRelaysAddFailed") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(addRelayResults, forKey: "addRelayResults")
            }
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            try encoder.tagged("sentGroupInvitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(member, forKey: "member")
            }
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            try encoder.tagged("userAcceptedGroupSent") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(hostContact, forKey: "hostContact")
            }
        case .userDeletedMembers(let user, let groupInfo, let members, let withMessages, let msgSigned):
            try encoder.tagged("userDeletedMembers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
                try fields.encode(withMessages, forKey: "withMessages")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .leftMemberUser(let user, let groupInfo):
            try encoder.tagged("leftMemberUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupMembers(let user, let group):
            try encoder.tagged("groupMembers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(group, forKey: "group")
            }
        case .memberAccepted(let user, let groupInfo, let member):
            try encoder.tagged("memberAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .memberSupportChatRead(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatRead") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .memberSupportChatDeleted(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .membersRoleUser(let user, let groupInfo, let members, let toRole, let msgSigned):
            try encoder.tagged("membersRoleUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
                try fields.encode(toRole, forKey: "toRole")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .membersBlockedForAllUser(let user, let groupInfo, let members, let blocked, let msgSigned):
            try encoder.tagged("membersBlockedForAllUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
                try fields.encode(blocked, forKey: "blocked")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
            try encoder.tagged("groupUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromGroup, forKey: "fromGroup")
                try fields.encode(toGroup, forKey: "toGroup")
                try fields.encodeIfPresent(member_, forKey: "member_")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .contactDomainVerified(let user, let contact, let verificationFailure):
            try encoder.tagged("contactDomainVerified") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(verificationFailure, forKey: "verificationFailure")
            }
        case .groupDomainVerified(let user, let groupInfo, let verificationFailure):
            try encoder.tagged("groupDomainVerified") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(verificationFailure, forKey: "verificationFailure")
            }
        case .groupLinkCreated(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLinkCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
            }
        case .groupLink(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLink") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
            }
        case .groupLinkDeleted(let user, let groupInfo):
            try encoder.tagged("groupLinkDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .newMemberContact(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContact") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .newMemberContactSentInv(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContactSentInv") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .memberContactAccepted(let user, let contact):
            try encoder.tagged("memberContactAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .rcvFileAccepted(let user, let chatItem):
            try encoder.tagged("rcvFileAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
            try encoder.tagged("rcvFileAcceptedSndCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .standaloneFileInfo(let fileMeta):
            try encoder.tagged("standaloneFileInfo") { fields throws in
                try fields.encodeIfPresent(fileMeta, forKey: "fileMeta")
            }
        case .rcvStandaloneFileCreated(let user, let rcvFileTransfer):
            try encoder.tagged("rcvStandaloneFileCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .rcvFileCancelled(let user, let chatItem_, let rcvFileTransfer):
            try encoder.tagged("rcvFileCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .sndFileCancelled(let user, let chatItem_, let fileTransferMeta, let sndFileTransfers):
            try encoder.tagged("sndFileCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
                try fields.encode(sndFileTransfers, forKey: "sndFileTransfers")
            }
        case .sndStandaloneFileCreated(let user, let fileTransferMeta):
            try encoder.tagged("sndStandaloneFileCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
            }
        case .callInvitations(let callInvitations):
            try encoder.tagged("callInvitations") { fields throws in
                try fields.encode(callInvitations, forKey: "callInvitations")
            }
        case .ntfTokenStatus(let status):
            try encoder.tagged("ntfTokenStatus") { fields throws in
                try fields.encode(status, forKey: "status")
            }
        case .ntfToken(let token, let status, let ntfMode, let ntfServer):
            try encoder.tagged("ntfToken") { fields throws in
                try fields.encode(token, forKey: "token")
                try fields.encode(status, forKey: "status")
                try fields.encode(ntfMode, forKey: "ntfMode")
                try fields.encode(ntfServer, forKey: "ntfServer")
            }
        case .ntfConns(let ntfConns):
            try encoder.tagged("ntfConns") { fields throws in
                try fields.encode(ntfConns, forKey: "ntfConns")
            }
        case .connNtfMessages(let receivedMsgs):
            try encoder.tagged("connNtfMessages") { fields throws in
                try fields.encode(receivedMsgs, forKey: "receivedMsgs")
            }
        case .remoteCtrlList(let remoteCtrls):
            try encoder.tagged("remoteCtrlList") { fields throws in
                try fields.encode(remoteCtrls, forKey: "remoteCtrls")
            }
        case .remoteCtrlConnecting(let remoteCtrl_, let ctrlAppInfo, let appVersion):
            try encoder.tagged("remoteCtrlConnecting") { fields throws in
                try fields.encodeIfPresent(remoteCtrl_, forKey: "remoteCtrl_")
                try fields.encode(ctrlAppInfo, forKey: "ctrlAppInfo")
                try fields.encode(appVersion, forKey: "appVersion")
            }
        case .remoteCtrlConnected(let remoteCtrl, let compression):
            try encoder.tagged("remoteCtrlConnected") { fields throws in
                try fields.encode(remoteCtrl, forKey: "remoteCtrl")
                try fields.encodeIfPresent(compression, forKey: "compression")
            }
        case .versionInfo(let versionInfo, let chatMigrations, let agentMigrations):
            try encoder.tagged("versionInfo") { fields throws in
                try fields.encode(versionInfo, forKey: "versionInfo")
                try fields.encode(chatMigrations, forKey: "chatMigrations")
                try fields.encode(agentMigrations, forKey: "agentMigrations")
            }
        case .cmdOk(let user_):
            try encoder.tagged("cmdOk") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
            }
        case .agentSubsTotal(let user, let subsTotal, let hasSession):
            try encoder.tagged("agentSubsTotal") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(subsTotal, forKey: "subsTotal")
                try fields.encode(hasSession, forKey: "hasSession")
            }
        case .agentServersSummary(let user, let serversSummary):
            try encoder.tagged("agentServersSummary") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(serversSummary, forKey: "serversSummary")
            }
        case .agentSubsSummary(let user, let subsSummary):
            try encoder.tagged("agentSubsSummary") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(subsSummary, forKey: "subsSummary")
            }
        case .archiveExported(let archiveErrors):
            try encoder.tagged("archiveExported") { fields throws in
                try fields.encode(archiveErrors, forKey: "archiveErrors")
            }
        case .archiveImported(let archiveErrors):
            try encoder.tagged("archiveImported") { fields throws in
                try fields.encode(archiveErrors, forKey: "archiveErrors")
            }
        case .appSettings(let appSettings):
            try encoder.tagged("appSettings") { fields throws in
                try fields.encode(appSettings, forKey: "appSettings")
            }
        case .connectionsDiff(let showIds, let userIds, let connIds):
            try encoder.tagged("connectionsDiff") { fields throws in
                try fields.encode(showIds, forKey: "showIds")
                try fields.encode(userIds, forKey: "userIds")
                try fields.encode(connIds, forKey: "connIds")
            }
        case .chats(let chats):
            try encoder.tagged("chats") { fields throws in
                try fields.encode(chats, forKey: "chats")
            }
        case .chatItems(let user, let chatName_, let chatItems):
            try encoder.tagged("chatItems") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatName_, forKey: "chatName_")
                try fields.encode(chatItems, forKey: "chatItems")
            }
        case .broadcastSent(let user, let msgContent, let successes, let failures, let timestamp):
            try encoder.tagged("broadcastSent") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(msgContent, forKey: "msgContent")
                try fields.encode(successes, forKey: "successes")
                try fields.encode(failures, forKey: "failures")
                try fields.encode(timestamp, forKey: "timestamp")
            }
        case .chatHelp(let helpSection):
            try encoder.tagged("chatHelp") { fields throws in
                try fields.encode(helpSection, forKey: "helpSection")
            }
        case .welcome(let user):
            try encoder.tagged("welcome") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .relayGroupAllowed(let user, let groupInfo):
            try encoder.tagged("relayGroupAllowed") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .memberSupportChats(let user, let groupInfo, let members):
            try encoder.tagged("memberSupportChats") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
            }
        case .groupsList(let user, let groups):
            try encoder.tagged("groupsList") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groups, forKey: "groups")
            }
        case .userProfile(let user, let profile):
            try encoder.tagged("userProfile") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(profile, forKey: "profile")
            }
        case .userProfileImage(let user, let profile):
            try encoder.tagged("userProfileImage") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(profile, forKey: "profile")
            }
        case .joinedGroupMember(let user, let groupInfo, let member):
            try encoder.tagged("joinedGroupMember") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .groupProfile(let user, let groupInfo):
            try encoder.tagged("groupProfile") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupDescription(let user, let groupInfo):
            try encoder.tagged("groupDescription") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .remoteHostList(let remoteHosts):
            try encoder.tagged("remoteHostList") { fields throws in
                try fields.encode(remoteHosts, forKey: "remoteHosts")
            }
        case .currentRemoteHost(let remoteHost_):
            try encoder.tagged("currentRemoteHost") { fields throws in
                try fields.encodeIfPresent(remoteHost_, forKey: "remoteHost_")
            }
        case .remoteHostStarted(let remoteHost_, let invitation, let ctrlPort, let localAddrs):
            try encoder.tagged("remoteHostStarted") { fields throws in
                try fields.encodeIfPresent(remoteHost_, forKey: "remoteHost_")
                try fields.encode(invitation, forKey: "invitation")
                try fields.encode(ctrlPort, forKey: "ctrlPort")
                try fields.encode(localAddrs, forKey: "localAddrs")
            }
        case .remoteFileStored(let remoteHostId, let remoteFileSource):
            try encoder.tagged("remoteFileStored") { fields throws in
                try fields.encode(remoteHostId, forKey: "remoteHostId")
                try fields.encode(remoteFileSource, forKey: "remoteFileSource")
            }
        case .sQLResult(let rows):
            try encoder.tagged("sQLResult") { fields throws in
                try fields.encode(rows, forKey: "rows")
            }
        case .slowSQLQueries(let chatQueries, let agentQueries):
            try encoder.tagged("slowSQLQueries") { fields throws in
                try fields.encode(chatQueries, forKey: "chatQueries")
                try fields.encode(agentQueries, forKey: "agentQueries")
            }
        case .debugLocks(let chatLockName, let chatEntityLocks, let agentLocks):
            try encoder.tagged("debugLocks") { fields throws in
                try fields.encodeIfPresent(chatLockName, forKey: "chatLockName")
                try fields.encode(chatEntityLocks, forKey: "chatEntityLocks")
                try fields.encode(agentLocks, forKey: "agentLocks")
            }
        case .agentWorkersDetails(let agentWorkersDetails):
            try encoder.tagged("agentWorkersDetails") { fields throws in
                try fields.encode(agentWorkersDetails, forKey: "agentWorkersDetails")
            }
        case .agentWorkersSummary(let agentWorkersSummary):
            try encoder.tagged("agentWorkersSummary") { fields throws in
                try fields.encode(agentWorkersSummary, forKey: "agentWorkersSummary")
            }
        case .agentSubs(let activeSubs, let pendingSubs, let removedSubs):
            try encoder.tagged("agentSubs") { fields throws in
                try fields.encode(activeSubs, forKey: "activeSubs")
                try fields.encode(pendingSubs, forKey: "pendingSubs")
                try fields.encode(removedSubs, forKey: "removedSubs")
            }
        case .agentSubsDetails(let agentSubs):
            try encoder.tagged("agentSubsDetails") { fields throws in
                try fields.encode(agentSubs, forKey: "agentSubs")
            }
        case .agentQueuesInfo(let agentQueuesInfo):
            try encoder.tagged("agentQueuesInfo") { fields throws in
                try fields.encode(agentQueuesInfo, forKey: "agentQueuesInfo")
            }
        case .customChatResponse(let user_, let response):
            try encoder.tagged("customChatResponse") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
                try fields.encode(response, forKey: "response")
            }
        case .serviceReplyAccepted(let user, let connectionId):
            try encoder.tagged("serviceReplyAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connectionId, forKey: "connectionId")
            }
        case .networkStatuses(let user_, let networkStatuses):
            try encoder.tagged("networkStatuses") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
                try fields.encode(networkStatuses, forKey: "networkStatuses")
            }
        case .chatCmdError(let chatError):
            try encoder.tagged("chatCmdError") { fields throws in
                try fields.encode(chatError, forKey: "chatError")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
