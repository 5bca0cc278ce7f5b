extension ChatResponse {
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .activeUser(let user): try encoder.tagged("activeUser")("user", user)
        case .usersList(let users): try encoder.tagged("usersList")("users", users)
        case .chatStarted: try encoder.tagged("chatStarted")
        case .chatRunning: try encoder.tagged("chatRunning")
        case .chatStopped: try encoder.tagged("chatStopped")
        case .apiChats(let user, let chats): try encoder.tagged("apiChats")("user", user)("chats", chats)
        case .apiChat(let user, let chat, let navInfo): try encoder.tagged("apiChat")("user", user)("chat", chat).optional("navInfo", navInfo)
        case .chatContentTypes(let contentTypes): try encoder.tagged("chatContentTypes")("contentTypes", contentTypes)
        case .chatTags(let user, let userTags): try encoder.tagged("chatTags")("user", user)("userTags", userTags)
        case .chatItemInfo(let user, let chatItem, let chatItemInfo):
            try encoder.tagged("chatItemInfo")("user", user)("chatItem", chatItem)("chatItemInfo", chatItemInfo)
        case .serverTestResult(let user, let testServer, let testFailure):
            try encoder.tagged("serverTestResult")("user", user)("testServer", testServer).optional("testFailure", testFailure)
        case .chatRelayTestResult(let user, let relayProfile, let relayTestFailure):
            try encoder.tagged("chatRelayTestResult")("user", user).optional("relayProfile", relayProfile).optional("relayTestFailure", relayTestFailure)
        case .serverOperatorConditions(let conditions): try encoder.tagged("serverOperatorConditions")("conditions", conditions)
        case .userServers(let user, let userServers): try encoder.tagged("userServers")("user", user)("userServers", userServers)
        case .userServersValidation(let user, let serverErrors, let serverWarnings):
            try encoder.tagged("userServersValidation")("user", user)("serverErrors", serverErrors).optional("serverWarnings", serverWarnings)
        case .usageConditions(let usageConditions, let conditionsText, let acceptedConditions):
            try encoder.tagged("usageConditions")("usageConditions", usageConditions)("conditionsText", conditionsText).optional("acceptedConditions", acceptedConditions)
        case .chatItemTTL(let user, let chatItemTTL): try encoder.tagged("chatItemTTL")("user", user).optional("chatItemTTL", chatItemTTL)
        case .networkConfig(let networkConfig): try encoder.tagged("networkConfig")("networkConfig", networkConfig)
        case .contactInfo(let user, let contact, let connectionStats_, let customUserProfile):
            try encoder.tagged("contactInfo")("user", user)("contact", contact).optional("connectionStats_", connectionStats_).optional("customUserProfile", customUserProfile)
        case .groupInfo(let user, let groupInfo): try encoder.tagged("groupInfo")("user", user)("groupInfo", groupInfo)
        case .groupMemberInfo(let user, let groupInfo, let member, let connectionStats_):
            try encoder.tagged("groupMemberInfo")("user", user)("groupInfo", groupInfo)("member", member).optional("connectionStats_", connectionStats_)
        case .queueInfo(let user, let rcvMsgInfo, let queueInfo):
            try encoder.tagged("queueInfo")("user", user).optional("rcvMsgInfo", rcvMsgInfo)("queueInfo", queueInfo)
        case .contactSwitchStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchStarted")("user", user)("contact", contact)("connectionStats", connectionStats)
        case .groupMemberSwitchStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchStarted")("user", user)("groupInfo", groupInfo)("member", member)("connectionStats", connectionStats)
        case .contactSwitchAborted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchAborted")("user", user)("contact", contact)("connectionStats", connectionStats)
        case .groupMemberSwitchAborted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchAborted")("user", user)("groupInfo", groupInfo)("member", member)("connectionStats", connectionStats)
        case .contactRatchetSyncStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactRatchetSyncStarted")("user", user)("contact", contact)("connectionStats", connectionStats)
        case .groupMemberRatchetSyncStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberRatchetSyncStarted")("user", user)("groupInfo", groupInfo)("member", member)("connectionStats", connectionStats)
        case .contactCode(let user, let contact, let connectionCode):
            try encoder.tagged("contactCode")("user", user)("contact", contact)("connectionCode", connectionCode)
        case .groupMemberCode(let user, let groupInfo, let member, let connectionCode):
            try encoder.tagged("groupMemberCode")("user", user)("groupInfo", groupInfo)("member", member)("connectionCode", connectionCode)
        case .connectionVerified(let user, let verified, let expectedCode):
            try encoder.tagged("connectionVerified")("user", user)("verified", verified)("expectedCode", expectedCode)
        case .tagsUpdated(let user, let userTags, let chatTags):
            try encoder.tagged("tagsUpdated")("user", user)("userTags", userTags)("chatTags", chatTags)
        case .invitation(let user, let connLinkInvitation, let connection):
            try encoder.tagged("invitation")("user", user)("connLinkInvitation", connLinkInvitation)("connection", connection)
        case .connectionIncognitoUpdated(let user, let toConnection, let customUserProfile):
            try encoder.tagged("connectionIncognitoUpdated")("user", user)("toConnection", toConnection).optional("customUserProfile", customUserProfile)
        case .connectionUserChanged(let user, let fromConnection, let toConnection, let newUser):
            try encoder.tagged("connectionUserChanged")("user", user)("fromConnection", fromConnection)("toConnection", toConnection)("newUser", newUser)
        case .connectionPlan(let user, let connLink, let planSimplexName, let otherSimplexName, let connectionPlan):
            try encoder.tagged("connectionPlan")("user", user)("connLink", connLink).optional("planSimplexName", planSimplexName).optional("otherSimplexName", otherSimplexName)("connectionPlan", connectionPlan)
        case .newPreparedChat(let user, let chat): try encoder.tagged("newPreparedChat")("user", user)("chat", chat)
        case .contactUserChanged(let user, let fromContact, let newUser, let toContact):
            try encoder.tagged("contactUserChanged")("user", user)("fromContact", fromContact)("newUser", newUser)("toContact", toContact)
        case .groupUserChanged(let user, let fromGroup, let newUser, let toGroup):
            try encoder.tagged("groupUserChanged")("user", user)("fromGroup", fromGroup)("newUser", newUser)("toGroup", toGroup)
        case .sentConfirmation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentConfirmation")("user", user)("connection", connection).optional("customUserProfile", customUserProfile)
        case .sentInvitation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentInvitation")("user", user)("connection", connection).optional("customUserProfile", customUserProfile)
        case .startedConnectionToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("startedConnectionToContact")("user", user)("contact", contact).optional("customUserProfile", customUserProfile)
        case .startedConnectionToGroup(let user, let groupInfo, let customUserProfile, let relayResults):
            try encoder.tagged("startedConnectionToGroup")("user", user)("groupInfo", groupInfo).optional("customUserProfile", customUserProfile).optional("relayResults", relayResults)
        case .sentInvitationToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("sentInvitationToContact")("user", user)("contact", contact).optional("customUserProfile", customUserProfile)
        case .contactAlreadyExists(let user, let contact): try encoder.tagged("contactAlreadyExists")("user", user)("contact", contact)
        case .contactDeleted(let user, let contact): try encoder.tagged("contactDeleted")("user", user)("contact", contact)
        case .contactConnectionDeleted(let user, let connection):
            try encoder.tagged("contactConnectionDeleted")("user", user)("connection", connection)
        case .groupDeletedUser(let user, let groupInfo, let msgSigned):
            try encoder.tagged("groupDeletedUser")("user", user)("groupInfo", groupInfo).optional("msgSigned", msgSigned)
        case .itemsReadForChat(let user, let chatInfo): try encoder.tagged("itemsReadForChat")("user", user)("chatInfo", chatInfo)
        case .chatCleared(let user, let chatInfo): try encoder.tagged("chatCleared")("user", user)("chatInfo", chatInfo)
        case .userProfileNoChange(let user): try encoder.tagged("userProfileNoChange")("user", user)
        case .userProfileUpdated(let user, let fromProfile, let toProfile, let updateSummary):
            try encoder.tagged("userProfileUpdated")("user", user)("fromProfile", fromProfile)("toProfile", toProfile)("updateSummary", updateSummary)
        case .userPrivacy(let user, let updatedUser): try encoder.tagged("userPrivacy")("user", user)("updatedUser", updatedUser)
        case .contactAliasUpdated(let user, let toContact): try encoder.tagged("contactAliasUpdated")("user", user)("toContact", toContact)
        case .groupAliasUpdated(let user, let toGroup): try encoder.tagged("groupAliasUpdated")("user", user)("toGroup", toGroup)
        case .connectionAliasUpdated(let user, let toConnection):
            try encoder.tagged("connectionAliasUpdated")("user", user)("toConnection", toConnection)
        case .contactPrefsUpdated(let user, let fromContact, let toContact):
            try encoder.tagged("contactPrefsUpdated")("user", user)("fromContact", fromContact)("toContact", toContact)
        case .userContactLink(let user, let contactLink): try encoder.tagged("userContactLink")("user", user)("contactLink", contactLink)
        case .userContactLinkUpdated(let user, let contactLink):
            try encoder.tagged("userContactLinkUpdated")("user", user)("contactLink", contactLink)
        case .userContactLinkCreated(let user, let connLinkContact):
            try encoder.tagged("userContactLinkCreated")("user", user)("connLinkContact", connLinkContact)
        case .userContactLinkDeleted(let user): try encoder.tagged("userContactLinkDeleted")("user", user)
        case .acceptingContactRequest(let user, let contact): try encoder.tagged("acceptingContactRequest")("user", user)("contact", contact)
        case .contactRequestRejected(let user, let contactRequest, let contact_):
            try encoder.tagged("contactRequestRejected")("user", user)("contactRequest", contactRequest).optional("contact_", contact_)
        case .newChatItems(let user, let chatItems): try encoder.tagged("newChatItems")("user", user)("chatItems", chatItems)
        case .chatMsgContent(let user, let msgContent): try encoder.tagged("chatMsgContent")("user", user)("msgContent", msgContent)
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
            try encoder.tagged("groupChatItemsDeleted")("user", user)("groupInfo", groupInfo)("chatItemIDs", chatItemIDs)("byUser", byUser).optional("member_", member_)
        case .forwardPlan(let user, let itemsCount, let chatItemIds, let forwardConfirmation):
            try encoder.tagged("forwardPlan")("user", user)("itemsCount", itemsCount)("chatItemIds", chatItemIds).optional("forwardConfirmation", forwardConfirmation)
        case .chatItemUpdated(let user, let chatItem): try encoder.tagged("chatItemUpdated")("user", user)("chatItem", chatItem)
        case .chatItemNotChanged(let user, let chatItem): try encoder.tagged("chatItemNotChanged")("user", user)("chatItem", chatItem)
        case .chatItemReaction(let user, let added, let reaction):
            try encoder.tagged("chatItemReaction")("user", user)("added", added)("reaction", reaction)
        case .reactionMembers(let user, let memberReactions): try encoder.tagged("reactionMembers")("user", user)("memberReactions", memberReactions)
        case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
            try encoder.tagged("chatItemsDeleted")("user", user)("chatItemDeletions", chatItemDeletions)("byUser", byUser)("timed", timed)
        case .contactsList(let user, let contacts): try encoder.tagged("contactsList")("user", user)("contacts", contacts)
        case .groupCreated(let user, let groupInfo): try encoder.tagged("groupCreated")("user", user)("groupInfo", groupInfo)
        case .publicGroupCreated(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("publicGroupCreated")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)("groupRelays", groupRelays)
        case .publicGroupCreationFailed(let user, let addRelayResults):
            try encoder.tagged("publicGroupCreationFailed")("user", user)("addRelayResults", addRelayResults)
        case .groupRelays(let user, let groupInfo, let groupRelays):
            try encoder.tagged("groupRelays")("user", user)("groupInfo", groupInfo)("groupRelays", groupRelays)
        case .groupRelaysAdded(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("groupRelaysAdded")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)("groupRelays", groupRelays)
        case .groupRelaysAddFailed(let user, let addRelayResults):
            try encoder.tagged("groupRelaysAddFailed")("user", user)("addRelayResults", addRelayResults)
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            try encoder.tagged("sentGroupInvitation")("user", user)("groupInfo", groupInfo)("contact", contact)("member", member)
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            try encoder.tagged("userAcceptedGroupSent")("user", user)("groupInfo", groupInfo).optional("hostContact", hostContact)
        case .userDeletedMembers(let user, let groupInfo, let members, let withMessages, let msgSigned):
            try encoder.tagged("userDeletedMembers")("user", user)("groupInfo", groupInfo)("members", members)("withMessages", withMessages).optional("msgSigned", msgSigned)
        case .leftMemberUser(let user, let groupInfo): try encoder.tagged("leftMemberUser")("user", user)("groupInfo", groupInfo)
        case .groupMembers(let user, let group): try encoder.tagged("groupMembers")("user", user)("group", group)
        case .memberAccepted(let user, let groupInfo, let member):
            try encoder.tagged("memberAccepted")("user", user)("groupInfo", groupInfo)("member", member)
        case .memberSupportChatRead(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatRead")("user", user)("groupInfo", groupInfo)("member", member)
        case .memberSupportChatDeleted(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatDeleted")("user", user)("groupInfo", groupInfo)("member", member)
        case .membersRoleUser(let user, let groupInfo, let members, let toRole, let msgSigned):
            try encoder.tagged("membersRoleUser")("user", user)("groupInfo", groupInfo)("members", members)("toRole", toRole).optional("msgSigned", msgSigned)
        case .membersBlockedForAllUser(let user, let groupInfo, let members, let blocked, let msgSigned):
            try encoder.tagged("membersBlockedForAllUser")("user", user)("groupInfo", groupInfo)("members", members)("blocked", blocked).optional("msgSigned", msgSigned)
        case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
            try encoder.tagged("groupUpdated")("user", user)("fromGroup", fromGroup)("toGroup", toGroup).optional("member_", member_).optional("msgSigned", msgSigned)
        case .contactDomainVerified(let user, let contact, let verificationFailure):
            try encoder.tagged("contactDomainVerified")("user", user)("contact", contact).optional("verificationFailure", verificationFailure)
        case .groupDomainVerified(let user, let groupInfo, let verificationFailure):
            try encoder.tagged("groupDomainVerified")("user", user)("groupInfo", groupInfo).optional("verificationFailure", verificationFailure)
        case .groupLinkCreated(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLinkCreated")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)
        case .groupLink(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLink")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)
        case .groupLinkDeleted(let user, let groupInfo): try encoder.tagged("groupLinkDeleted")("user", user)("groupInfo", groupInfo)
        case .newMemberContact(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContact")("user", user)("contact", contact)("groupInfo", groupInfo)("member", member)
        case .newMemberContactSentInv(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContactSentInv")("user", user)("contact", contact)("groupInfo", groupInfo)("member", member)
        case .memberContactAccepted(let user, let contact): try encoder.tagged("memberContactAccepted")("user", user)("contact", contact)
        case .rcvFileAccepted(let user, let chatItem): try encoder.tagged("rcvFileAccepted")("user", user)("chatItem", chatItem)
        case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
            try encoder.tagged("rcvFileAcceptedSndCancelled")("user", user)("rcvFileTransfer", rcvFileTransfer)
        case .standaloneFileInfo(let fileMeta): try encoder.tagged("standaloneFileInfo").optional("fileMeta", fileMeta)
        case .rcvStandaloneFileCreated(let user, let rcvFileTransfer):
            try encoder.tagged("rcvStandaloneFileCreated")("user", user)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileCancelled(let user, let chatItem_, let rcvFileTransfer):
            try encoder.tagged("rcvFileCancelled")("user", user).optional("chatItem_", chatItem_)("rcvFileTransfer", rcvFileTransfer)
        case .sndFileCancelled(let user, let chatItem_, let fileTransferMeta, let sndFileTransfers):
            try encoder.tagged("sndFileCancelled")("user", user).optional("chatItem_", chatItem_)("fileTransferMeta", fileTransferMeta)("sndFileTransfers", sndFileTransfers)
        case .fileTransferStatus(let user, let transfer, let parts):
            try encoder.tagged("fileTransferStatus")("data", UnnamedPair(user, UnnamedPair(transfer, parts)))
        case .fileTransferStatusXFTP(let user, let chatItem): try encoder.tagged("fileTransferStatusXFTP")("data", UnnamedPair(user, chatItem))
        case .sndStandaloneFileCreated(let user, let fileTransferMeta):
            try encoder.tagged("sndStandaloneFileCreated")("user", user)("fileTransferMeta", fileTransferMeta)
        case .callInvitations(let callInvitations): try encoder.tagged("callInvitations")("callInvitations", callInvitations)
        case .ntfTokenStatus(let status): try encoder.tagged("ntfTokenStatus")("status", status)
        case .ntfToken(let token, let status, let ntfMode, let ntfServer):
            try encoder.tagged("ntfToken")("token", token)("status", status)("ntfMode", ntfMode)("ntfServer", ntfServer)
        case .ntfConns(let ntfConns): try encoder.tagged("ntfConns")("ntfConns", ntfConns)
        case .connNtfMessages(let receivedMsgs): try encoder.tagged("connNtfMessages")("receivedMsgs", receivedMsgs)
        case .remoteCtrlList(let remoteCtrls): try encoder.tagged("remoteCtrlList")("remoteCtrls", remoteCtrls)
        case .remoteCtrlConnecting(let remoteCtrl_, let ctrlAppInfo, let appVersion):
            try encoder.tagged("remoteCtrlConnecting").optional("remoteCtrl_", remoteCtrl_)("ctrlAppInfo", ctrlAppInfo)("appVersion", appVersion)
        case .remoteCtrlConnected(let remoteCtrl, let compression):
            try encoder.tagged("remoteCtrlConnected")("remoteCtrl", remoteCtrl).optional("compression", compression)
        case .versionInfo(let versionInfo, let chatMigrations, let agentMigrations):
            try encoder.tagged("versionInfo")("versionInfo", versionInfo)("chatMigrations", chatMigrations)("agentMigrations", agentMigrations)
        case .cmdOk(let user_): try encoder.tagged("cmdOk").optional("user_", user_)
        case .agentSubsTotal(let user, let subsTotal, let hasSession):
            try encoder.tagged("agentSubsTotal")("user", user)("subsTotal", subsTotal)("hasSession", hasSession)
        case .agentServersSummary(let user, let serversSummary):
            try encoder.tagged("agentServersSummary")("user", user)("serversSummary", serversSummary)
        case .agentSubsSummary(let user, let subsSummary): try encoder.tagged("agentSubsSummary")("user", user)("subsSummary", subsSummary)
        case .archiveExported(let archiveErrors): try encoder.tagged("archiveExported")("archiveErrors", archiveErrors)
        case .archiveImported(let archiveErrors): try encoder.tagged("archiveImported")("archiveErrors", archiveErrors)
        case .appSettings(let appSettings): try encoder.tagged("appSettings")("appSettings", appSettings)
        case .connectionsDiff(let showIds, let userIds, let connIds):
            try encoder.tagged("connectionsDiff")("showIds", showIds)("userIds", userIds)("connIds", connIds)
        case .chats(let chats): try encoder.tagged("chats")("chats", chats)
        case .chatItems(let user, let chatName_, let chatItems):
            try encoder.tagged("chatItems")("user", user).optional("chatName_", chatName_)("chatItems", chatItems)
        case .broadcastSent(let user, let msgContent, let successes, let failures, let timestamp):
            try encoder.tagged("broadcastSent")("user", user)("msgContent", msgContent)("successes", successes)("failures", failures)("timestamp", timestamp)
        case .chatHelp(let helpSection): try encoder.tagged("chatHelp")("helpSection", helpSection)
        case .welcome(let user): try encoder.tagged("welcome")("user", user)
        case .relayGroupAllowed(let user, let groupInfo): try encoder.tagged("relayGroupAllowed")("user", user)("groupInfo", groupInfo)
        case .memberSupportChats(let user, let groupInfo, let members):
            try encoder.tagged("memberSupportChats")("user", user)("groupInfo", groupInfo)("members", members)
        case .groupsList(let user, let groups): try encoder.tagged("groupsList")("user", user)("groups", groups)
        case .userProfile(let user, let profile): try encoder.tagged("userProfile")("user", user)("profile", profile)
        case .userProfileImage(let user, let profile): try encoder.tagged("userProfileImage")("user", user)("profile", profile)
        case .joinedGroupMember(let user, let groupInfo, let member):
            try encoder.tagged("joinedGroupMember")("user", user)("groupInfo", groupInfo)("member", member)
        case .groupProfile(let user, let groupInfo): try encoder.tagged("groupProfile")("user", user)("groupInfo", groupInfo)
        case .groupDescription(let user, let groupInfo): try encoder.tagged("groupDescription")("user", user)("groupInfo", groupInfo)
        case .remoteHostList(let remoteHosts): try encoder.tagged("remoteHostList")("remoteHosts", remoteHosts)
        case .currentRemoteHost(let remoteHost_): try encoder.tagged("currentRemoteHost").optional("remoteHost_", remoteHost_)
        case .remoteHostStarted(let remoteHost_, let invitation, let ctrlPort, let localAddrs):
            try encoder.tagged("remoteHostStarted").optional("remoteHost_", remoteHost_)("invitation", invitation)("ctrlPort", ctrlPort)("localAddrs", localAddrs)
        case .remoteFileStored(let remoteHostId, let remoteFileSource):
            try encoder.tagged("remoteFileStored")("remoteHostId", remoteHostId)("remoteFileSource", remoteFileSource)
        case .sQLResult(let rows): try encoder.tagged("sQLResult")("rows", rows)
        case .slowSQLQueries(let chatQueries, let agentQueries):
            try encoder.tagged("slowSQLQueries")("chatQueries", chatQueries)("agentQueries", agentQueries)
        case .debugLocks(let chatLockName, let chatEntityLocks, let agentLocks):
            try encoder.tagged("debugLocks").optional("chatLockName", chatLockName)("chatEntityLocks", chatEntityLocks)("agentLocks", agentLocks)
        case .agentWorkersDetails(let agentWorkersDetails): try encoder.tagged("agentWorkersDetails")("agentWorkersDetails", agentWorkersDetails)
        case .agentWorkersSummary(let agentWorkersSummary): try encoder.tagged("agentWorkersSummary")("agentWorkersSummary", agentWorkersSummary)
        case .agentSubs(let activeSubs, let pendingSubs, let removedSubs):
            try encoder.tagged("agentSubs")("activeSubs", activeSubs)("pendingSubs", pendingSubs)("removedSubs", removedSubs)
        case .agentSubsDetails(let agentSubs): try encoder.tagged("agentSubsDetails")("agentSubs", agentSubs)
        case .agentQueuesInfo(let agentQueuesInfo): try encoder.tagged("agentQueuesInfo")("agentQueuesInfo", agentQueuesInfo)
        case .customChatResponse(let user_, let response): try encoder.tagged("customChatResponse").optional("user_", user_)("response", response)
        case .serviceReplyAccepted(let user, let connectionId): try encoder.tagged("serviceReplyAccepted")("user", user)("connectionId", connectionId)
        case .networkStatuses(let user_, let networkStatuses):
            try encoder.tagged("networkStatuses").optional("user_", user_)("networkStatuses", networkStatuses)
        case .chatCmdError(let chatError): try encoder.tagged("chatCmdError")("chatError", chatError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
