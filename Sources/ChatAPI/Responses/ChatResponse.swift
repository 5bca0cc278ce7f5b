// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// The core's response to a command: `type` names the case (Chat API, section 3).
package indirect enum ChatResponse: TaggedUnion {
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
    case groupMemberSwitchStarted(
        user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    case contactSwitchAborted(user: User, contact: Contact, connectionStats: ConnectionStats)
    case groupMemberSwitchAborted(
        user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    case contactRatchetSyncStarted(user: User, contact: Contact, connectionStats: ConnectionStats)
    case groupMemberRatchetSyncStarted(
        user: User, groupInfo: GroupInfo, member: GroupMember, connectionStats: ConnectionStats)
    case contactCode(user: User, contact: Contact, connectionCode: String)
    case groupMemberCode(user: User, groupInfo: GroupInfo, member: GroupMember, connectionCode: String)
    case connectionVerified(user: User, verified: Bool, expectedCode: String)
    case tagsUpdated(user: User, userTags: [ChatTag], chatTags: [Int64])
    case invitation(user: User, connLinkInvitation: CreatedConnLink, connection: PendingContactConnection)
    case connectionIncognitoUpdated(user: User, toConnection: PendingContactConnection, customUserProfile: Profile?)
    case connectionUserChanged(
        user: User, fromConnection: PendingContactConnection, toConnection: PendingContactConnection, newUser: User)
    case connectionPlan(
        user: User, connLink: CreatedConnLink, planSimplexName: SimplexNameInfo?, otherSimplexName: SimplexNameInfo?,
        connectionPlan: ConnectionPlan)
    case newPreparedChat(user: User, chat: AChat)
    case contactUserChanged(user: User, fromContact: Contact, newUser: User, toContact: Contact)
    case groupUserChanged(user: User, fromGroup: GroupInfo, newUser: User, toGroup: GroupInfo)
    case sentConfirmation(user: User, connection: PendingContactConnection, customUserProfile: Profile?)
    case sentInvitation(user: User, connection: PendingContactConnection, customUserProfile: Profile?)
    case startedConnectionToContact(user: User, contact: Contact, customUserProfile: Profile?)
    case startedConnectionToGroup(
        user: User, groupInfo: GroupInfo, customUserProfile: Profile?, relayResults: [RelayConnectionResult]?)
    case sentInvitationToContact(user: User, contact: Contact, customUserProfile: Profile?)
    case contactAlreadyExists(user: User, contact: Contact)
    case contactDeleted(user: User, contact: Contact)
    case contactConnectionDeleted(user: User, connection: PendingContactConnection)
    case groupDeletedUser(user: User, groupInfo: GroupInfo, msgSigned: Bool?)
    case itemsReadForChat(user: User, chatInfo: ChatInfo)
    case chatCleared(user: User, chatInfo: ChatInfo)
    case userProfileNoChange(user: User)
    case userProfileUpdated(
        user: User, fromProfile: Profile, toProfile: Profile, updateSummary: UserProfileUpdateSummary)
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
    case groupChatItemsDeleted(
        user: User, groupInfo: GroupInfo, chatItemIDs: [Int64], byUser: Bool, member_: GroupMember?)
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
    case userDeletedMembers(
        user: User, groupInfo: GroupInfo, members: [GroupMember], withMessages: Bool, msgSigned: Bool?)
    case leftMemberUser(user: User, groupInfo: GroupInfo)
    case groupMembers(user: User, group: Group)
    case memberAccepted(user: User, groupInfo: GroupInfo, member: GroupMember)
    case memberSupportChatRead(user: User, groupInfo: GroupInfo, member: GroupMember)
    case memberSupportChatDeleted(user: User, groupInfo: GroupInfo, member: GroupMember)
    case membersRoleUser(
        user: User, groupInfo: GroupInfo, members: [GroupMember], toRole: GroupMemberRole, msgSigned: Bool?)
    case membersBlockedForAllUser(
        user: User, groupInfo: GroupInfo, members: [GroupMember], blocked: Bool, msgSigned: Bool?)
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
    case sndFileCancelled(
        user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, sndFileTransfers: [SndFileTransfer])
    /// The status of a file that has no chat item, or that was sent inside messages. `parts` has one number: the count
    /// of received parts; 0 for a sent file. JSON has no names for these values: `data` is `[user, [transfer, parts]]`.
    case fileTransferStatus(user: User, transfer: FileTransfer, parts: [Int64])
    case fileTransferStatusXFTP(user: User, chatItem: AChatItem)
    case sndStandaloneFileCreated(user: User, fileTransferMeta: FileTransferMeta)
    case callInvitations(callInvitations: [RcvCallInvitation])
    case ntfTokenStatus(status: NtfTknStatus)
    case ntfToken(token: DeviceToken, status: NtfTknStatus, ntfMode: NotificationsMode, ntfServer: String)
    case ntfConns(ntfConns: [NtfConn])
    case connNtfMessages(receivedMsgs: [RcvNtfMsgInfo])
    case remoteCtrlList(remoteCtrls: [RemoteCtrlInfo])
    case remoteCtrlConnecting(remoteCtrl_: RemoteCtrlInfo?, ctrlAppInfo: CtrlAppInfo, appVersion: String)
    case remoteCtrlConnected(remoteCtrl: RemoteCtrlInfo, compression: Bool)
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
    case remoteHostStarted(
        remoteHost_: RemoteHostInfo?, invitation: String, ctrlPort: String, localAddrs: [RCCtrlAddress])
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
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatResponse {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "activeUser": self = try .activeUser(user: fields("user"))
        case "usersList": self = try .usersList(users: fields("users"))
        case "chatStarted": self = .chatStarted
        case "chatRunning": self = .chatRunning
        case "chatStopped": self = .chatStopped
        case "apiChats": self = try .apiChats(user: fields("user"), chats: fields("chats"))
        case "apiChat":
            self = try .apiChat(user: fields("user"), chat: fields("chat"), navInfo: fields.optional("navInfo"))
        case "chatContentTypes": self = try .chatContentTypes(contentTypes: fields("contentTypes"))
        case "chatTags": self = try .chatTags(user: fields("user"), userTags: fields("userTags"))
        case "chatItemInfo":
            self = try .chatItemInfo(
                user: fields("user"), chatItem: fields("chatItem"), chatItemInfo: fields("chatItemInfo"))
        case "serverTestResult":
            self = try .serverTestResult(
                user: fields("user"), testServer: fields("testServer"), testFailure: fields.optional("testFailure"))
        case "chatRelayTestResult":
            self = try .chatRelayTestResult(
                user: fields("user"), relayProfile: fields.optional("relayProfile"),
                relayTestFailure: fields.optional("relayTestFailure"))
        case "serverOperatorConditions": self = try .serverOperatorConditions(conditions: fields("conditions"))
        case "userServers": self = try .userServers(user: fields("user"), userServers: fields("userServers"))
        case "userServersValidation":
            self = try .userServersValidation(
                user: fields("user"), serverErrors: fields("serverErrors"),
                serverWarnings: fields.optional("serverWarnings"))
        case "usageConditions":
            self = try .usageConditions(
                usageConditions: fields("usageConditions"), conditionsText: fields("conditionsText"),
                acceptedConditions: fields.optional("acceptedConditions"))
        case "chatItemTTL": self = try .chatItemTTL(user: fields("user"), chatItemTTL: fields.optional("chatItemTTL"))
        case "networkConfig": self = try .networkConfig(networkConfig: fields("networkConfig"))
        case "contactInfo":
            self = try .contactInfo(
                user: fields("user"), contact: fields("contact"), connectionStats_: fields.optional("connectionStats_"),
                customUserProfile: fields.optional("customUserProfile"))
        case "groupInfo": self = try .groupInfo(user: fields("user"), groupInfo: fields("groupInfo"))
        case "groupMemberInfo":
            self = try .groupMemberInfo(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                connectionStats_: fields.optional("connectionStats_"))
        case "queueInfo":
            self = try .queueInfo(
                user: fields("user"), rcvMsgInfo: fields.optional("rcvMsgInfo"), queueInfo: fields("queueInfo"))
        case "contactSwitchStarted":
            self = try .contactSwitchStarted(
                user: fields("user"), contact: fields("contact"), connectionStats: fields("connectionStats"))
        case "groupMemberSwitchStarted":
            self = try .groupMemberSwitchStarted(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                connectionStats: fields("connectionStats"))
        case "contactSwitchAborted":
            self = try .contactSwitchAborted(
                user: fields("user"), contact: fields("contact"), connectionStats: fields("connectionStats"))
        case "groupMemberSwitchAborted":
            self = try .groupMemberSwitchAborted(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                connectionStats: fields("connectionStats"))
        case "contactRatchetSyncStarted":
            self = try .contactRatchetSyncStarted(
                user: fields("user"), contact: fields("contact"), connectionStats: fields("connectionStats"))
        case "groupMemberRatchetSyncStarted":
            self = try .groupMemberRatchetSyncStarted(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                connectionStats: fields("connectionStats"))
        case "contactCode":
            self = try .contactCode(
                user: fields("user"), contact: fields("contact"), connectionCode: fields("connectionCode"))
        case "groupMemberCode":
            self = try .groupMemberCode(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                connectionCode: fields("connectionCode"))
        case "connectionVerified":
            self = try .connectionVerified(
                user: fields("user"), verified: fields("verified"), expectedCode: fields("expectedCode"))
        case "tagsUpdated":
            self = try .tagsUpdated(user: fields("user"), userTags: fields("userTags"), chatTags: fields("chatTags"))
        case "invitation":
            self = try .invitation(
                user: fields("user"), connLinkInvitation: fields("connLinkInvitation"),
                connection: fields("connection"))
        case "connectionIncognitoUpdated":
            self = try .connectionIncognitoUpdated(
                user: fields("user"), toConnection: fields("toConnection"),
                customUserProfile: fields.optional("customUserProfile"))
        case "connectionUserChanged":
            self = try .connectionUserChanged(
                user: fields("user"), fromConnection: fields("fromConnection"), toConnection: fields("toConnection"),
                newUser: fields("newUser"))
        case "connectionPlan":
            self = try .connectionPlan(
                user: fields("user"), connLink: fields("connLink"), planSimplexName: fields.optional("planSimplexName"),
                otherSimplexName: fields.optional("otherSimplexName"), connectionPlan: fields("connectionPlan"))
        case "newPreparedChat": self = try .newPreparedChat(user: fields("user"), chat: fields("chat"))
        case "contactUserChanged":
            self = try .contactUserChanged(
                user: fields("user"), fromContact: fields("fromContact"), newUser: fields("newUser"),
                toContact: fields("toContact"))
        case "groupUserChanged":
            self = try .groupUserChanged(
                user: fields("user"), fromGroup: fields("fromGroup"), newUser: fields("newUser"),
                toGroup: fields("toGroup"))
        case "sentConfirmation":
            self = try .sentConfirmation(
                user: fields("user"), connection: fields("connection"),
                customUserProfile: fields.optional("customUserProfile"))
        case "sentInvitation":
            self = try .sentInvitation(
                user: fields("user"), connection: fields("connection"),
                customUserProfile: fields.optional("customUserProfile"))
        case "startedConnectionToContact":
            self = try .startedConnectionToContact(
                user: fields("user"), contact: fields("contact"),
                customUserProfile: fields.optional("customUserProfile"))
        case "startedConnectionToGroup":
            self = try .startedConnectionToGroup(
                user: fields("user"), groupInfo: fields("groupInfo"),
                customUserProfile: fields.optional("customUserProfile"), relayResults: fields.optional("relayResults"))
        case "sentInvitationToContact":
            self = try .sentInvitationToContact(
                user: fields("user"), contact: fields("contact"),
                customUserProfile: fields.optional("customUserProfile"))
        case "contactAlreadyExists": self = try .contactAlreadyExists(user: fields("user"), contact: fields("contact"))
        case "contactDeleted": self = try .contactDeleted(user: fields("user"), contact: fields("contact"))
        case "contactConnectionDeleted":
            self = try .contactConnectionDeleted(user: fields("user"), connection: fields("connection"))
        case "groupDeletedUser":
            self = try .groupDeletedUser(
                user: fields("user"), groupInfo: fields("groupInfo"), msgSigned: fields.optional("msgSigned"))
        case "itemsReadForChat": self = try .itemsReadForChat(user: fields("user"), chatInfo: fields("chatInfo"))
        case "chatCleared": self = try .chatCleared(user: fields("user"), chatInfo: fields("chatInfo"))
        case "userProfileNoChange": self = try .userProfileNoChange(user: fields("user"))
        case "userProfileUpdated":
            self = try .userProfileUpdated(
                user: fields("user"), fromProfile: fields("fromProfile"), toProfile: fields("toProfile"),
                updateSummary: fields("updateSummary"))
        case "userPrivacy": self = try .userPrivacy(user: fields("user"), updatedUser: fields("updatedUser"))
        case "contactAliasUpdated":
            self = try .contactAliasUpdated(user: fields("user"), toContact: fields("toContact"))
        case "groupAliasUpdated": self = try .groupAliasUpdated(user: fields("user"), toGroup: fields("toGroup"))
        case "connectionAliasUpdated":
            self = try .connectionAliasUpdated(user: fields("user"), toConnection: fields("toConnection"))
        case "contactPrefsUpdated":
            self = try .contactPrefsUpdated(
                user: fields("user"), fromContact: fields("fromContact"), toContact: fields("toContact"))
        case "userContactLink": self = try .userContactLink(user: fields("user"), contactLink: fields("contactLink"))
        case "userContactLinkUpdated":
            self = try .userContactLinkUpdated(user: fields("user"), contactLink: fields("contactLink"))
        case "userContactLinkCreated":
            self = try .userContactLinkCreated(user: fields("user"), connLinkContact: fields("connLinkContact"))
        case "userContactLinkDeleted": self = try .userContactLinkDeleted(user: fields("user"))
        case "acceptingContactRequest":
            self = try .acceptingContactRequest(user: fields("user"), contact: fields("contact"))
        case "contactRequestRejected":
            self = try .contactRequestRejected(
                user: fields("user"), contactRequest: fields("contactRequest"), contact_: fields.optional("contact_"))
        case "newChatItems": self = try .newChatItems(user: fields("user"), chatItems: fields("chatItems"))
        case "chatMsgContent": self = try .chatMsgContent(user: fields("user"), msgContent: fields("msgContent"))
        case "groupChatItemsDeleted":
            self = try .groupChatItemsDeleted(
                user: fields("user"), groupInfo: fields("groupInfo"), chatItemIDs: fields("chatItemIDs"),
                byUser: fields("byUser"), member_: fields.optional("member_"))
        case "forwardPlan":
            self = try .forwardPlan(
                user: fields("user"), itemsCount: fields("itemsCount"), chatItemIds: fields("chatItemIds"),
                forwardConfirmation: fields.optional("forwardConfirmation"))
        case "chatItemUpdated": self = try .chatItemUpdated(user: fields("user"), chatItem: fields("chatItem"))
        case "chatItemNotChanged": self = try .chatItemNotChanged(user: fields("user"), chatItem: fields("chatItem"))
        case "chatItemReaction":
            self = try .chatItemReaction(user: fields("user"), added: fields("added"), reaction: fields("reaction"))
        case "reactionMembers":
            self = try .reactionMembers(user: fields("user"), memberReactions: fields("memberReactions"))
        case "chatItemsDeleted":
            self = try .chatItemsDeleted(
                user: fields("user"), chatItemDeletions: fields("chatItemDeletions"), byUser: fields("byUser"),
                timed: fields("timed"))
        case "contactsList": self = try .contactsList(user: fields("user"), contacts: fields("contacts"))
        case "groupCreated": self = try .groupCreated(user: fields("user"), groupInfo: fields("groupInfo"))
        case "publicGroupCreated":
            self = try .publicGroupCreated(
                user: fields("user"), groupInfo: fields("groupInfo"), groupLink: fields("groupLink"),
                groupRelays: fields("groupRelays"))
        case "publicGroupCreationFailed":
            self = try .publicGroupCreationFailed(user: fields("user"), addRelayResults: fields("addRelayResults"))
        case "groupRelays":
            self = try .groupRelays(
                user: fields("user"), groupInfo: fields("groupInfo"), groupRelays: fields("groupRelays"))
        case "groupRelaysAdded":
            self = try .groupRelaysAdded(
                user: fields("user"), groupInfo: fields("groupInfo"), groupLink: fields("groupLink"),
                groupRelays: fields("groupRelays"))
        case "groupRelaysAddFailed":
            self = try .groupRelaysAddFailed(user: fields("user"), addRelayResults: fields("addRelayResults"))
        case "sentGroupInvitation":
            self = try .sentGroupInvitation(
                user: fields("user"), groupInfo: fields("groupInfo"), contact: fields("contact"),
                member: fields("member"))
        case "userAcceptedGroupSent":
            self = try .userAcceptedGroupSent(
                user: fields("user"), groupInfo: fields("groupInfo"), hostContact: fields.optional("hostContact"))
        case "userDeletedMembers":
            self = try .userDeletedMembers(
                user: fields("user"), groupInfo: fields("groupInfo"), members: fields("members"),
                withMessages: fields("withMessages"), msgSigned: fields.optional("msgSigned"))
        case "leftMemberUser": self = try .leftMemberUser(user: fields("user"), groupInfo: fields("groupInfo"))
        case "groupMembers": self = try .groupMembers(user: fields("user"), group: fields("group"))
        case "memberAccepted":
            self = try .memberAccepted(user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        case "memberSupportChatRead":
            self = try .memberSupportChatRead(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        case "memberSupportChatDeleted":
            self = try .memberSupportChatDeleted(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        case "membersRoleUser":
            self = try .membersRoleUser(
                user: fields("user"), groupInfo: fields("groupInfo"), members: fields("members"),
                toRole: fields("toRole"), msgSigned: fields.optional("msgSigned"))
        case "membersBlockedForAllUser":
            self = try .membersBlockedForAllUser(
                user: fields("user"), groupInfo: fields("groupInfo"), members: fields("members"),
                blocked: fields("blocked"), msgSigned: fields.optional("msgSigned"))
        case "groupUpdated":
            self = try .groupUpdated(
                user: fields("user"), fromGroup: fields("fromGroup"), toGroup: fields("toGroup"),
                member_: fields.optional("member_"), msgSigned: fields.optional("msgSigned"))
        case "contactDomainVerified":
            self = try .contactDomainVerified(
                user: fields("user"), contact: fields("contact"),
                verificationFailure: fields.optional("verificationFailure"))
        case "groupDomainVerified":
            self = try .groupDomainVerified(
                user: fields("user"), groupInfo: fields("groupInfo"),
                verificationFailure: fields.optional("verificationFailure"))
        case "groupLinkCreated":
            self = try .groupLinkCreated(
                user: fields("user"), groupInfo: fields("groupInfo"), groupLink: fields("groupLink"))
        case "groupLink":
            self = try .groupLink(user: fields("user"), groupInfo: fields("groupInfo"), groupLink: fields("groupLink"))
        case "groupLinkDeleted": self = try .groupLinkDeleted(user: fields("user"), groupInfo: fields("groupInfo"))
        case "newMemberContact":
            self = try .newMemberContact(
                user: fields("user"), contact: fields("contact"), groupInfo: fields("groupInfo"),
                member: fields("member"))
        case "newMemberContactSentInv":
            self = try .newMemberContactSentInv(
                user: fields("user"), contact: fields("contact"), groupInfo: fields("groupInfo"),
                member: fields("member"))
        case "memberContactAccepted":
            self = try .memberContactAccepted(user: fields("user"), contact: fields("contact"))
        case "rcvFileAccepted": self = try .rcvFileAccepted(user: fields("user"), chatItem: fields("chatItem"))
        case "rcvFileAcceptedSndCancelled":
            self = try .rcvFileAcceptedSndCancelled(user: fields("user"), rcvFileTransfer: fields("rcvFileTransfer"))
        case "standaloneFileInfo": self = try .standaloneFileInfo(fileMeta: fields.optional("fileMeta"))
        case "rcvStandaloneFileCreated":
            self = try .rcvStandaloneFileCreated(user: fields("user"), rcvFileTransfer: fields("rcvFileTransfer"))
        case "rcvFileCancelled":
            self = try .rcvFileCancelled(
                user: fields("user"), chatItem_: fields.optional("chatItem_"),
                rcvFileTransfer: fields("rcvFileTransfer"))
        case "sndFileCancelled":
            self = try .sndFileCancelled(
                user: fields("user"), chatItem_: fields.optional("chatItem_"),
                fileTransferMeta: fields("fileTransferMeta"), sndFileTransfers: fields("sndFileTransfers"))
        case "fileTransferStatus":
            let data: UnnamedPair<User, UnnamedPair<FileTransfer, [Int64]>> = try fields("data")
            self = .fileTransferStatus(user: data.first, transfer: data.second.first, parts: data.second.second)
        case "fileTransferStatusXFTP":
            let data: UnnamedPair<User, AChatItem> = try fields("data")
            self = .fileTransferStatusXFTP(user: data.first, chatItem: data.second)
        case "sndStandaloneFileCreated":
            self = try .sndStandaloneFileCreated(user: fields("user"), fileTransferMeta: fields("fileTransferMeta"))
        case "callInvitations": self = try .callInvitations(callInvitations: fields("callInvitations"))
        case "ntfTokenStatus": self = try .ntfTokenStatus(status: fields("status"))
        case "ntfToken":
            self = try .ntfToken(
                token: fields("token"), status: fields("status"), ntfMode: fields("ntfMode"),
                ntfServer: fields("ntfServer"))
        case "ntfConns": self = try .ntfConns(ntfConns: fields("ntfConns"))
        case "connNtfMessages": self = try .connNtfMessages(receivedMsgs: fields("receivedMsgs"))
        case "remoteCtrlList": self = try .remoteCtrlList(remoteCtrls: fields("remoteCtrls"))
        case "remoteCtrlConnecting":
            self = try .remoteCtrlConnecting(
                remoteCtrl_: fields.optional("remoteCtrl_"), ctrlAppInfo: fields("ctrlAppInfo"),
                appVersion: fields("appVersion"))
        case "remoteCtrlConnected":
            self = try .remoteCtrlConnected(remoteCtrl: fields("remoteCtrl"), compression: fields("compression"))
        case "versionInfo":
            self = try .versionInfo(
                versionInfo: fields("versionInfo"), chatMigrations: fields("chatMigrations"),
                agentMigrations: fields("agentMigrations"))
        case "cmdOk": self = try .cmdOk(user_: fields.optional("user_"))
        case "agentSubsTotal":
            self = try .agentSubsTotal(
                user: fields("user"), subsTotal: fields("subsTotal"), hasSession: fields("hasSession"))
        case "agentServersSummary":
            self = try .agentServersSummary(user: fields("user"), serversSummary: fields("serversSummary"))
        case "agentSubsSummary": self = try .agentSubsSummary(user: fields("user"), subsSummary: fields("subsSummary"))
        case "archiveExported": self = try .archiveExported(archiveErrors: fields("archiveErrors"))
        case "archiveImported": self = try .archiveImported(archiveErrors: fields("archiveErrors"))
        case "appSettings": self = try .appSettings(appSettings: fields("appSettings"))
        case "connectionsDiff":
            self = try .connectionsDiff(
                showIds: fields("showIds"), userIds: fields("userIds"), connIds: fields("connIds"))
        case "chats": self = try .chats(chats: fields("chats"))
        case "chatItems":
            self = try .chatItems(
                user: fields("user"), chatName_: fields.optional("chatName_"), chatItems: fields("chatItems"))
        case "broadcastSent":
            self = try .broadcastSent(
                user: fields("user"), msgContent: fields("msgContent"), successes: fields("successes"),
                failures: fields("failures"), timestamp: fields("timestamp"))
        case "chatHelp": self = try .chatHelp(helpSection: fields("helpSection"))
        case "welcome": self = try .welcome(user: fields("user"))
        case "relayGroupAllowed": self = try .relayGroupAllowed(user: fields("user"), groupInfo: fields("groupInfo"))
        case "memberSupportChats":
            self = try .memberSupportChats(
                user: fields("user"), groupInfo: fields("groupInfo"), members: fields("members"))
        case "groupsList": self = try .groupsList(user: fields("user"), groups: fields("groups"))
        case "userProfile": self = try .userProfile(user: fields("user"), profile: fields("profile"))
        case "userProfileImage": self = try .userProfileImage(user: fields("user"), profile: fields("profile"))
        case "joinedGroupMember":
            self = try .joinedGroupMember(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        case "groupProfile": self = try .groupProfile(user: fields("user"), groupInfo: fields("groupInfo"))
        case "groupDescription": self = try .groupDescription(user: fields("user"), groupInfo: fields("groupInfo"))
        case "remoteHostList": self = try .remoteHostList(remoteHosts: fields("remoteHosts"))
        case "currentRemoteHost": self = try .currentRemoteHost(remoteHost_: fields.optional("remoteHost_"))
        case "remoteHostStarted":
            self = try .remoteHostStarted(
                remoteHost_: fields.optional("remoteHost_"), invitation: fields("invitation"),
                ctrlPort: fields("ctrlPort"), localAddrs: fields("localAddrs"))
        case "remoteFileStored":
            self = try .remoteFileStored(
                remoteHostId: fields("remoteHostId"), remoteFileSource: fields("remoteFileSource"))
        case "sQLResult": self = try .sQLResult(rows: fields("rows"))
        case "slowSQLQueries":
            self = try .slowSQLQueries(chatQueries: fields("chatQueries"), agentQueries: fields("agentQueries"))
        case "debugLocks":
            self = try .debugLocks(
                chatLockName: fields.optional("chatLockName"), chatEntityLocks: fields("chatEntityLocks"),
                agentLocks: fields("agentLocks"))
        case "agentWorkersDetails": self = try .agentWorkersDetails(agentWorkersDetails: fields("agentWorkersDetails"))
        case "agentWorkersSummary": self = try .agentWorkersSummary(agentWorkersSummary: fields("agentWorkersSummary"))
        case "agentSubs":
            self = try .agentSubs(
                activeSubs: fields("activeSubs"), pendingSubs: fields("pendingSubs"),
                removedSubs: fields("removedSubs"))
        case "agentSubsDetails": self = try .agentSubsDetails(agentSubs: fields("agentSubs"))
        case "agentQueuesInfo": self = try .agentQueuesInfo(agentQueuesInfo: fields("agentQueuesInfo"))
        case "customChatResponse":
            self = try .customChatResponse(user_: fields.optional("user_"), response: fields("response"))
        case "serviceReplyAccepted":
            self = try .serviceReplyAccepted(user: fields("user"), connectionId: fields("connectionId"))
        case "networkStatuses":
            self = try .networkStatuses(user_: fields.optional("user_"), networkStatuses: fields("networkStatuses"))
        case "chatCmdError": self = try .chatCmdError(chatError: fields("chatError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .activeUser(let user): try encoder.tagged("activeUser")("user", user)
        case .usersList(let users): try encoder.tagged("usersList")("users", users)
        case .chatStarted: try encoder.tagged("chatStarted")
        case .chatRunning: try encoder.tagged("chatRunning")
        case .chatStopped: try encoder.tagged("chatStopped")
        case .apiChats(let user, let chats): try encoder.tagged("apiChats")("user", user)("chats", chats)
        case .apiChat(let user, let chat, let navInfo):
            try encoder.tagged("apiChat")("user", user)("chat", chat).optional("navInfo", navInfo)
        case .chatContentTypes(let contentTypes): try encoder.tagged("chatContentTypes")("contentTypes", contentTypes)
        case .chatTags(let user, let userTags): try encoder.tagged("chatTags")("user", user)("userTags", userTags)
        case .chatItemInfo(let user, let chatItem, let chatItemInfo):
            try encoder.tagged("chatItemInfo")("user", user)("chatItem", chatItem)("chatItemInfo", chatItemInfo)
        case .serverTestResult(let user, let testServer, let testFailure):
            try encoder.tagged("serverTestResult")("user", user)("testServer", testServer).optional(
                "testFailure", testFailure)
        case .chatRelayTestResult(let user, let relayProfile, let relayTestFailure):
            try encoder.tagged("chatRelayTestResult")("user", user).optional("relayProfile", relayProfile).optional(
                "relayTestFailure", relayTestFailure)
        case .serverOperatorConditions(let conditions):
            try encoder.tagged("serverOperatorConditions")("conditions", conditions)
        case .userServers(let user, let userServers):
            try encoder.tagged("userServers")("user", user)("userServers", userServers)
        case .userServersValidation(let user, let serverErrors, let serverWarnings):
            try encoder.tagged("userServersValidation")("user", user)("serverErrors", serverErrors).optional(
                "serverWarnings", serverWarnings)
        case .usageConditions(let usageConditions, let conditionsText, let acceptedConditions):
            try encoder.tagged("usageConditions")("usageConditions", usageConditions)(
                "conditionsText", conditionsText).optional("acceptedConditions", acceptedConditions)
        case .chatItemTTL(let user, let chatItemTTL):
            try encoder.tagged("chatItemTTL")("user", user).optional("chatItemTTL", chatItemTTL)
        case .networkConfig(let networkConfig): try encoder.tagged("networkConfig")("networkConfig", networkConfig)
        case .contactInfo(let user, let contact, let connectionStats_, let customUserProfile):
            try encoder.tagged("contactInfo")("user", user)("contact", contact).optional(
                "connectionStats_", connectionStats_).optional("customUserProfile", customUserProfile)
        case .groupInfo(let user, let groupInfo): try encoder.tagged("groupInfo")("user", user)("groupInfo", groupInfo)
        case .groupMemberInfo(let user, let groupInfo, let member, let connectionStats_):
            try encoder.tagged("groupMemberInfo")("user", user)("groupInfo", groupInfo)("member", member).optional(
                "connectionStats_", connectionStats_)
        case .queueInfo(let user, let rcvMsgInfo, let queueInfo):
            try encoder.tagged("queueInfo")("user", user).optional("rcvMsgInfo", rcvMsgInfo)("queueInfo", queueInfo)
        case .contactSwitchStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchStarted")("user", user)("contact", contact)(
                "connectionStats", connectionStats)
        case .groupMemberSwitchStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchStarted")("user", user)("groupInfo", groupInfo)("member", member)(
                "connectionStats", connectionStats)
        case .contactSwitchAborted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchAborted")("user", user)("contact", contact)(
                "connectionStats", connectionStats)
        case .groupMemberSwitchAborted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchAborted")("user", user)("groupInfo", groupInfo)("member", member)(
                "connectionStats", connectionStats)
        case .contactRatchetSyncStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactRatchetSyncStarted")("user", user)("contact", contact)(
                "connectionStats", connectionStats)
        case .groupMemberRatchetSyncStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberRatchetSyncStarted")("user", user)("groupInfo", groupInfo)("member", member)(
                "connectionStats", connectionStats)
        case .contactCode(let user, let contact, let connectionCode):
            try encoder.tagged("contactCode")("user", user)("contact", contact)("connectionCode", connectionCode)
        case .groupMemberCode(let user, let groupInfo, let member, let connectionCode):
            try encoder.tagged("groupMemberCode")("user", user)("groupInfo", groupInfo)("member", member)(
                "connectionCode", connectionCode)
        case .connectionVerified(let user, let verified, let expectedCode):
            try encoder.tagged("connectionVerified")("user", user)("verified", verified)("expectedCode", expectedCode)
        case .tagsUpdated(let user, let userTags, let chatTags):
            try encoder.tagged("tagsUpdated")("user", user)("userTags", userTags)("chatTags", chatTags)
        case .invitation(let user, let connLinkInvitation, let connection):
            try encoder.tagged("invitation")("user", user)("connLinkInvitation", connLinkInvitation)(
                "connection", connection)
        case .connectionIncognitoUpdated(let user, let toConnection, let customUserProfile):
            try encoder.tagged("connectionIncognitoUpdated")("user", user)("toConnection", toConnection).optional(
                "customUserProfile", customUserProfile)
        case .connectionUserChanged(let user, let fromConnection, let toConnection, let newUser):
            try encoder.tagged("connectionUserChanged")("user", user)("fromConnection", fromConnection)(
                "toConnection", toConnection)("newUser", newUser)
        case .connectionPlan(let user, let connLink, let planSimplexName, let otherSimplexName, let connectionPlan):
            try encoder.tagged("connectionPlan")("user", user)("connLink", connLink).optional(
                "planSimplexName", planSimplexName).optional("otherSimplexName", otherSimplexName)(
                "connectionPlan", connectionPlan)
        case .newPreparedChat(let user, let chat): try encoder.tagged("newPreparedChat")("user", user)("chat", chat)
        case .contactUserChanged(let user, let fromContact, let newUser, let toContact):
            try encoder.tagged("contactUserChanged")("user", user)("fromContact", fromContact)("newUser", newUser)(
                "toContact", toContact)
        case .groupUserChanged(let user, let fromGroup, let newUser, let toGroup):
            try encoder.tagged("groupUserChanged")("user", user)("fromGroup", fromGroup)("newUser", newUser)(
                "toGroup", toGroup)
        case .sentConfirmation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentConfirmation")("user", user)("connection", connection).optional(
                "customUserProfile", customUserProfile)
        case .sentInvitation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentInvitation")("user", user)("connection", connection).optional(
                "customUserProfile", customUserProfile)
        case .startedConnectionToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("startedConnectionToContact")("user", user)("contact", contact).optional(
                "customUserProfile", customUserProfile)
        case .startedConnectionToGroup(let user, let groupInfo, let customUserProfile, let relayResults):
            try encoder.tagged("startedConnectionToGroup")("user", user)("groupInfo", groupInfo).optional(
                "customUserProfile", customUserProfile).optional("relayResults", relayResults)
        case .sentInvitationToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("sentInvitationToContact")("user", user)("contact", contact).optional(
                "customUserProfile", customUserProfile)
        case .contactAlreadyExists(let user, let contact):
            try encoder.tagged("contactAlreadyExists")("user", user)("contact", contact)
        case .contactDeleted(let user, let contact):
            try encoder.tagged("contactDeleted")("user", user)("contact", contact)
        case .contactConnectionDeleted(let user, let connection):
            try encoder.tagged("contactConnectionDeleted")("user", user)("connection", connection)
        case .groupDeletedUser(let user, let groupInfo, let msgSigned):
            try encoder.tagged("groupDeletedUser")("user", user)("groupInfo", groupInfo).optional(
                "msgSigned", msgSigned)
        case .itemsReadForChat(let user, let chatInfo):
            try encoder.tagged("itemsReadForChat")("user", user)("chatInfo", chatInfo)
        case .chatCleared(let user, let chatInfo): try encoder.tagged("chatCleared")("user", user)("chatInfo", chatInfo)
        case .userProfileNoChange(let user): try encoder.tagged("userProfileNoChange")("user", user)
        case .userProfileUpdated(let user, let fromProfile, let toProfile, let updateSummary):
            try encoder.tagged("userProfileUpdated")("user", user)("fromProfile", fromProfile)("toProfile", toProfile)(
                "updateSummary", updateSummary)
        case .userPrivacy(let user, let updatedUser):
            try encoder.tagged("userPrivacy")("user", user)("updatedUser", updatedUser)
        case .contactAliasUpdated(let user, let toContact):
            try encoder.tagged("contactAliasUpdated")("user", user)("toContact", toContact)
        case .groupAliasUpdated(let user, let toGroup):
            try encoder.tagged("groupAliasUpdated")("user", user)("toGroup", toGroup)
        case .connectionAliasUpdated(let user, let toConnection):
            try encoder.tagged("connectionAliasUpdated")("user", user)("toConnection", toConnection)
        case .contactPrefsUpdated(let user, let fromContact, let toContact):
            try encoder.tagged("contactPrefsUpdated")("user", user)("fromContact", fromContact)("toContact", toContact)
        case .userContactLink(let user, let contactLink):
            try encoder.tagged("userContactLink")("user", user)("contactLink", contactLink)
        case .userContactLinkUpdated(let user, let contactLink):
            try encoder.tagged("userContactLinkUpdated")("user", user)("contactLink", contactLink)
        case .userContactLinkCreated(let user, let connLinkContact):
            try encoder.tagged("userContactLinkCreated")("user", user)("connLinkContact", connLinkContact)
        case .userContactLinkDeleted(let user): try encoder.tagged("userContactLinkDeleted")("user", user)
        case .acceptingContactRequest(let user, let contact):
            try encoder.tagged("acceptingContactRequest")("user", user)("contact", contact)
        case .contactRequestRejected(let user, let contactRequest, let contact_):
            try encoder.tagged("contactRequestRejected")("user", user)("contactRequest", contactRequest).optional(
                "contact_", contact_)
        case .newChatItems(let user, let chatItems):
            try encoder.tagged("newChatItems")("user", user)("chatItems", chatItems)
        case .chatMsgContent(let user, let msgContent):
            try encoder.tagged("chatMsgContent")("user", user)("msgContent", msgContent)
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
            try encoder.tagged("groupChatItemsDeleted")("user", user)("groupInfo", groupInfo)(
                "chatItemIDs", chatItemIDs)("byUser", byUser).optional("member_", member_)
        case .forwardPlan(let user, let itemsCount, let chatItemIds, let forwardConfirmation):
            try encoder.tagged("forwardPlan")("user", user)("itemsCount", itemsCount)(
                "chatItemIds", chatItemIds).optional("forwardConfirmation", forwardConfirmation)
        case .chatItemUpdated(let user, let chatItem):
            try encoder.tagged("chatItemUpdated")("user", user)("chatItem", chatItem)
        case .chatItemNotChanged(let user, let chatItem):
            try encoder.tagged("chatItemNotChanged")("user", user)("chatItem", chatItem)
        case .chatItemReaction(let user, let added, let reaction):
            try encoder.tagged("chatItemReaction")("user", user)("added", added)("reaction", reaction)
        case .reactionMembers(let user, let memberReactions):
            try encoder.tagged("reactionMembers")("user", user)("memberReactions", memberReactions)
        case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
            try encoder.tagged("chatItemsDeleted")("user", user)("chatItemDeletions", chatItemDeletions)(
                "byUser", byUser)("timed", timed)
        case .contactsList(let user, let contacts):
            try encoder.tagged("contactsList")("user", user)("contacts", contacts)
        case .groupCreated(let user, let groupInfo):
            try encoder.tagged("groupCreated")("user", user)("groupInfo", groupInfo)
        case .publicGroupCreated(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("publicGroupCreated")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)(
                "groupRelays", groupRelays)
        case .publicGroupCreationFailed(let user, let addRelayResults):
            try encoder.tagged("publicGroupCreationFailed")("user", user)("addRelayResults", addRelayResults)
        case .groupRelays(let user, let groupInfo, let groupRelays):
            try encoder.tagged("groupRelays")("user", user)("groupInfo", groupInfo)("groupRelays", groupRelays)
        case .groupRelaysAdded(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("groupRelaysAdded")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)(
                "groupRelays", groupRelays)
        case .groupRelaysAddFailed(let user, let addRelayResults):
            try encoder.tagged("groupRelaysAddFailed")("user", user)("addRelayResults", addRelayResults)
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            try encoder.tagged("sentGroupInvitation")("user", user)("groupInfo", groupInfo)("contact", contact)(
                "member", member)
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            try encoder.tagged("userAcceptedGroupSent")("user", user)("groupInfo", groupInfo).optional(
                "hostContact", hostContact)
        case .userDeletedMembers(let user, let groupInfo, let members, let withMessages, let msgSigned):
            try encoder.tagged("userDeletedMembers")("user", user)("groupInfo", groupInfo)("members", members)(
                "withMessages", withMessages).optional("msgSigned", msgSigned)
        case .leftMemberUser(let user, let groupInfo):
            try encoder.tagged("leftMemberUser")("user", user)("groupInfo", groupInfo)
        case .groupMembers(let user, let group): try encoder.tagged("groupMembers")("user", user)("group", group)
        case .memberAccepted(let user, let groupInfo, let member):
            try encoder.tagged("memberAccepted")("user", user)("groupInfo", groupInfo)("member", member)
        case .memberSupportChatRead(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatRead")("user", user)("groupInfo", groupInfo)("member", member)
        case .memberSupportChatDeleted(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatDeleted")("user", user)("groupInfo", groupInfo)("member", member)
        case .membersRoleUser(let user, let groupInfo, let members, let toRole, let msgSigned):
            try encoder.tagged("membersRoleUser")("user", user)("groupInfo", groupInfo)("members", members)(
                "toRole", toRole).optional("msgSigned", msgSigned)
        case .membersBlockedForAllUser(let user, let groupInfo, let members, let blocked, let msgSigned):
            try encoder.tagged("membersBlockedForAllUser")("user", user)("groupInfo", groupInfo)("members", members)(
                "blocked", blocked).optional("msgSigned", msgSigned)
        case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
            try encoder.tagged("groupUpdated")("user", user)("fromGroup", fromGroup)("toGroup", toGroup).optional(
                "member_", member_).optional("msgSigned", msgSigned)
        case .contactDomainVerified(let user, let contact, let verificationFailure):
            try encoder.tagged("contactDomainVerified")("user", user)("contact", contact).optional(
                "verificationFailure", verificationFailure)
        case .groupDomainVerified(let user, let groupInfo, let verificationFailure):
            try encoder.tagged("groupDomainVerified")("user", user)("groupInfo", groupInfo).optional(
                "verificationFailure", verificationFailure)
        case .groupLinkCreated(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLinkCreated")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)
        case .groupLink(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLink")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)
        case .groupLinkDeleted(let user, let groupInfo):
            try encoder.tagged("groupLinkDeleted")("user", user)("groupInfo", groupInfo)
        case .newMemberContact(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContact")("user", user)("contact", contact)("groupInfo", groupInfo)(
                "member", member)
        case .newMemberContactSentInv(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContactSentInv")("user", user)("contact", contact)("groupInfo", groupInfo)(
                "member", member)
        case .memberContactAccepted(let user, let contact):
            try encoder.tagged("memberContactAccepted")("user", user)("contact", contact)
        case .rcvFileAccepted(let user, let chatItem):
            try encoder.tagged("rcvFileAccepted")("user", user)("chatItem", chatItem)
        case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
            try encoder.tagged("rcvFileAcceptedSndCancelled")("user", user)("rcvFileTransfer", rcvFileTransfer)
        case .standaloneFileInfo(let fileMeta): try encoder.tagged("standaloneFileInfo").optional("fileMeta", fileMeta)
        case .rcvStandaloneFileCreated(let user, let rcvFileTransfer):
            try encoder.tagged("rcvStandaloneFileCreated")("user", user)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileCancelled(let user, let chatItem_, let rcvFileTransfer):
            try encoder.tagged("rcvFileCancelled")("user", user).optional("chatItem_", chatItem_)(
                "rcvFileTransfer", rcvFileTransfer)
        case .sndFileCancelled(let user, let chatItem_, let fileTransferMeta, let sndFileTransfers):
            try encoder.tagged("sndFileCancelled")("user", user).optional("chatItem_", chatItem_)(
                "fileTransferMeta", fileTransferMeta)("sndFileTransfers", sndFileTransfers)
        case .fileTransferStatus(let user, let transfer, let parts):
            try encoder.tagged("fileTransferStatus")("data", UnnamedPair(user, UnnamedPair(transfer, parts)))
        case .fileTransferStatusXFTP(let user, let chatItem):
            try encoder.tagged("fileTransferStatusXFTP")("data", UnnamedPair(user, chatItem))
        case .sndStandaloneFileCreated(let user, let fileTransferMeta):
            try encoder.tagged("sndStandaloneFileCreated")("user", user)("fileTransferMeta", fileTransferMeta)
        case .callInvitations(let callInvitations):
            try encoder.tagged("callInvitations")("callInvitations", callInvitations)
        case .ntfTokenStatus(let status): try encoder.tagged("ntfTokenStatus")("status", status)
        case .ntfToken(let token, let status, let ntfMode, let ntfServer):
            try encoder.tagged("ntfToken")("token", token)("status", status)("ntfMode", ntfMode)("ntfServer", ntfServer)
        case .ntfConns(let ntfConns): try encoder.tagged("ntfConns")("ntfConns", ntfConns)
        case .connNtfMessages(let receivedMsgs): try encoder.tagged("connNtfMessages")("receivedMsgs", receivedMsgs)
        case .remoteCtrlList(let remoteCtrls): try encoder.tagged("remoteCtrlList")("remoteCtrls", remoteCtrls)
        case .remoteCtrlConnecting(let remoteCtrl_, let ctrlAppInfo, let appVersion):
            try encoder.tagged("remoteCtrlConnecting").optional("remoteCtrl_", remoteCtrl_)("ctrlAppInfo", ctrlAppInfo)(
                "appVersion", appVersion)
        case .remoteCtrlConnected(let remoteCtrl, let compression):
            try encoder.tagged("remoteCtrlConnected")("remoteCtrl", remoteCtrl)("compression", compression)
        case .versionInfo(let versionInfo, let chatMigrations, let agentMigrations):
            try encoder.tagged("versionInfo")("versionInfo", versionInfo)("chatMigrations", chatMigrations)(
                "agentMigrations", agentMigrations)
        case .cmdOk(let user_): try encoder.tagged("cmdOk").optional("user_", user_)
        case .agentSubsTotal(let user, let subsTotal, let hasSession):
            try encoder.tagged("agentSubsTotal")("user", user)("subsTotal", subsTotal)("hasSession", hasSession)
        case .agentServersSummary(let user, let serversSummary):
            try encoder.tagged("agentServersSummary")("user", user)("serversSummary", serversSummary)
        case .agentSubsSummary(let user, let subsSummary):
            try encoder.tagged("agentSubsSummary")("user", user)("subsSummary", subsSummary)
        case .archiveExported(let archiveErrors): try encoder.tagged("archiveExported")("archiveErrors", archiveErrors)
        case .archiveImported(let archiveErrors): try encoder.tagged("archiveImported")("archiveErrors", archiveErrors)
        case .appSettings(let appSettings): try encoder.tagged("appSettings")("appSettings", appSettings)
        case .connectionsDiff(let showIds, let userIds, let connIds):
            try encoder.tagged("connectionsDiff")("showIds", showIds)("userIds", userIds)("connIds", connIds)
        case .chats(let chats): try encoder.tagged("chats")("chats", chats)
        case .chatItems(let user, let chatName_, let chatItems):
            try encoder.tagged("chatItems")("user", user).optional("chatName_", chatName_)("chatItems", chatItems)
        case .broadcastSent(let user, let msgContent, let successes, let failures, let timestamp):
            try encoder.tagged("broadcastSent")("user", user)("msgContent", msgContent)("successes", successes)(
                "failures", failures)("timestamp", timestamp)
        case .chatHelp(let helpSection): try encoder.tagged("chatHelp")("helpSection", helpSection)
        case .welcome(let user): try encoder.tagged("welcome")("user", user)
        case .relayGroupAllowed(let user, let groupInfo):
            try encoder.tagged("relayGroupAllowed")("user", user)("groupInfo", groupInfo)
        case .memberSupportChats(let user, let groupInfo, let members):
            try encoder.tagged("memberSupportChats")("user", user)("groupInfo", groupInfo)("members", members)
        case .groupsList(let user, let groups): try encoder.tagged("groupsList")("user", user)("groups", groups)
        case .userProfile(let user, let profile): try encoder.tagged("userProfile")("user", user)("profile", profile)
        case .userProfileImage(let user, let profile):
            try encoder.tagged("userProfileImage")("user", user)("profile", profile)
        case .joinedGroupMember(let user, let groupInfo, let member):
            try encoder.tagged("joinedGroupMember")("user", user)("groupInfo", groupInfo)("member", member)
        case .groupProfile(let user, let groupInfo):
            try encoder.tagged("groupProfile")("user", user)("groupInfo", groupInfo)
        case .groupDescription(let user, let groupInfo):
            try encoder.tagged("groupDescription")("user", user)("groupInfo", groupInfo)
        case .remoteHostList(let remoteHosts): try encoder.tagged("remoteHostList")("remoteHosts", remoteHosts)
        case .currentRemoteHost(let remoteHost_):
            try encoder.tagged("currentRemoteHost").optional("remoteHost_", remoteHost_)
        case .remoteHostStarted(let remoteHost_, let invitation, let ctrlPort, let localAddrs):
            try encoder.tagged("remoteHostStarted").optional("remoteHost_", remoteHost_)("invitation", invitation)(
                "ctrlPort", ctrlPort)("localAddrs", localAddrs)
        case .remoteFileStored(let remoteHostId, let remoteFileSource):
            try encoder.tagged("remoteFileStored")("remoteHostId", remoteHostId)("remoteFileSource", remoteFileSource)
        case .sQLResult(let rows): try encoder.tagged("sQLResult")("rows", rows)
        case .slowSQLQueries(let chatQueries, let agentQueries):
            try encoder.tagged("slowSQLQueries")("chatQueries", chatQueries)("agentQueries", agentQueries)
        case .debugLocks(let chatLockName, let chatEntityLocks, let agentLocks):
            try encoder.tagged("debugLocks").optional("chatLockName", chatLockName)("chatEntityLocks", chatEntityLocks)(
                "agentLocks", agentLocks)
        case .agentWorkersDetails(let agentWorkersDetails):
            try encoder.tagged("agentWorkersDetails")("agentWorkersDetails", agentWorkersDetails)
        case .agentWorkersSummary(let agentWorkersSummary):
            try encoder.tagged("agentWorkersSummary")("agentWorkersSummary", agentWorkersSummary)
        case .agentSubs(let activeSubs, let pendingSubs, let removedSubs):
            try encoder.tagged("agentSubs")("activeSubs", activeSubs)("pendingSubs", pendingSubs)(
                "removedSubs", removedSubs)
        case .agentSubsDetails(let agentSubs): try encoder.tagged("agentSubsDetails")("agentSubs", agentSubs)
        case .agentQueuesInfo(let agentQueuesInfo):
            try encoder.tagged("agentQueuesInfo")("agentQueuesInfo", agentQueuesInfo)
        case .customChatResponse(let user_, let response):
            try encoder.tagged("customChatResponse").optional("user_", user_)("response", response)
        case .serviceReplyAccepted(let user, let connectionId):
            try encoder.tagged("serviceReplyAccepted")("user", user)("connectionId", connectionId)
        case .networkStatuses(let user_, let networkStatuses):
            try encoder.tagged("networkStatuses").optional("user_", user_)("networkStatuses", networkStatuses)
        case .chatCmdError(let chatError): try encoder.tagged("chatCmdError")("chatError", chatError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
