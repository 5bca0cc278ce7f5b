/// The names of all commands, as in the catalogue of the original's commands. The OpenAPI contract contains the name of
/// a command as `x-core-command`.
///
/// Properties that do not depend on arguments, such as the required rights, depend only on this name.
package enum CommandName: String, CaseIterable, Sendable {
    // MARK: Users
    case showActiveUser, createActiveUser, listUsers, setActiveUser = "apiSetActiveUser", hideUser = "apiHideUser",
        unhideUser = "apiUnhideUser"
    case muteUser = "apiMuteUser", unmuteUser = "apiUnmuteUser", deleteUser = "apiDeleteUser", updateProfile =
        "apiUpdateProfile"
    case setAllContactReceipts, setUserContactReceipts = "apiSetUserContactReceipts", setUserGroupReceipts =
        "apiSetUserGroupReceipts"
    case setUserAutoAcceptMemberContacts = "apiSetUserAutoAcceptMemberContacts"
    case setUserAutoAcceptGroupInvitations = "apiSetUserAutoAcceptGroupInvitations", userRead = "apiUserRead", addBadge
    // MARK: Lifecycle
    case startChat, checkChatRunning, stopChat = "apiStopChat", activateChat = "apiActivateChat", suspendChat =
        "apiSuspendChat"
    case setAppFilePaths = "apiSetAppFilePaths", setEncryptLocalFiles = "apiSetEncryptLocalFiles", setTempFolder,
        setFilesFolder
    case setRemoteHostsFolder, quitChat
    // MARK: Messages
    case getChats = "apiGetChats", getChat = "apiGetChat", getChatContentTypes = "apiGetChatContentTypes",
        getChatItems = "apiGetChatItems"
    case getChatItemInfo = "apiGetChatItemInfo", sendMessages = "apiSendMessages", createChatItems =
        "apiCreateChatItems"
    case updateChatItem = "apiUpdateChatItem", deleteChatItem = "apiDeleteChatItem", deleteMemberChatItem =
        "apiDeleteMemberChatItem"
    case archiveReceivedReports = "apiArchiveReceivedReports", deleteReceivedReports = "apiDeleteReceivedReports"
    case chatItemReaction = "apiChatItemReaction", getReactionMembers = "apiGetReactionMembers", planForwardChatItems =
        "apiPlanForwardChatItems"
    case forwardChatItems = "apiForwardChatItems", reportMessage = "apiReportMessage", chatRead = "apiChatRead"
    case chatItemsRead = "apiChatItemsRead", chatUnread = "apiChatUnread", shareChatMsgContent =
        "apiShareChatMsgContent"
    case shareMyAddress = "apiShareMyAddress"
    // MARK: Contacts
    case addContact = "apiAddContact", connect = "apiConnect", connectPlan = "apiConnectPlan", prepareContact =
        "apiPrepareContact"
    case connectPreparedContact = "apiConnectPreparedContact", connectContactViaAddress = "apiConnectContactViaAddress"
    case acceptContact = "apiAcceptContact", rejectContact = "apiRejectContact", deleteChat = "apiDeleteChat",
        clearChat = "apiClearChat"
    case listContacts = "apiListContacts", setContactPrefs = "apiSetContactPrefs", setContactAlias =
        "apiSetContactAlias"
    case setConnectionAlias = "apiSetConnectionAlias", setContactCustomData = "apiSetContactCustomData", contactInfo =
        "apiContactInfo"
    case setConnectionIncognito = "apiSetConnectionIncognito", changeConnectionUser = "apiChangeConnectionUser"
    case changePreparedContactUser = "apiChangePreparedContactUser", enableContact = "apiEnableContact",
        setContactMergeEnabled
    // MARK: Groups
    case newGroup = "apiNewGroup", newPublicGroup = "apiNewPublicGroup", listGroups = "apiListGroups", groupInfo =
        "apiGroupInfo"
    case addMember = "apiAddMember", joinGroup = "apiJoinGroup", acceptMember = "apiAcceptMember", removeMembers =
        "apiRemoveMembers"
    case leaveGroup = "apiLeaveGroup", listMembers = "apiListMembers", updateGroupProfile = "apiUpdateGroupProfile"
    case membersRole = "apiMembersRole", blockMembersForAll = "apiBlockMembersForAll", createGroupLink =
        "apiCreateGroupLink"
    case groupLinkMemberRole = "apiGroupLinkMemberRole", deleteGroupLink = "apiDeleteGroupLink", getGroupLink =
        "apiGetGroupLink"
    case addGroupShortLink = "apiAddGroupShortLink", createMemberContact = "apiCreateMemberContact"
    case sendMemberContactInvitation = "apiSendMemberContactInvitation", acceptMemberContact = "apiAcceptMemberContact"
    case groupMemberInfo = "apiGroupMemberInfo", deleteMemberSupportChat = "apiDeleteMemberSupportChat"
    case setMemberSettings = "apiSetMemberSettings", setGroupAlias = "apiSetGroupAlias", setGroupCustomData =
        "apiSetGroupCustomData"
    case getGroupRelays = "apiGetGroupRelays", addGroupRelays = "apiAddGroupRelays", allowRelayGroup =
        "apiAllowRelayGroup"
    case setPublicGroupAccess = "apiSetPublicGroupAccess", getUpdatedGroupLinkData = "apiGetUpdatedGroupLinkData"
    case prepareGroup = "apiPrepareGroup", changePreparedGroupUser = "apiChangePreparedGroupUser"
    case connectPreparedGroup = "apiConnectPreparedGroup", enableGroupMember = "apiEnableGroupMember"
    // MARK: Tags
    case getChatTags = "apiGetChatTags", createChatTag = "apiCreateChatTag", setChatTags = "apiSetChatTags",
        deleteChatTag = "apiDeleteChatTag"
    case updateChatTag = "apiUpdateChatTag", reorderChatTags = "apiReorderChatTags"
    // MARK: Files
    case receiveFile, setFileToReceive, cancelFile, uploadStandaloneFile = "apiUploadStandaloneFile"
    case downloadStandaloneFile = "apiDownloadStandaloneFile", standaloneFileInfo = "apiStandaloneFileInfo"
    // MARK: Calls
    case sendCallInvitation = "apiSendCallInvitation", rejectCall = "apiRejectCall", sendCallOffer = "apiSendCallOffer"
    case sendCallAnswer = "apiSendCallAnswer", sendCallExtraInfo = "apiSendCallExtraInfo", endCall = "apiEndCall"
    case getCallInvitations = "apiGetCallInvitations", callStatus = "apiCallStatus"
    // MARK: Notifications
    case getNtfToken = "apiGetNtfToken", registerToken = "apiRegisterToken", verifyToken = "apiVerifyToken",
        checkToken = "apiCheckToken"
    case deleteToken = "apiDeleteToken", getNtfConns = "apiGetNtfConns", getConnNtfMessages = "apiGetConnNtfMessages"
    // MARK: Settings
    case saveSettings = "apiSaveSettings", getSettings = "apiGetSettings", setChatSettings = "apiSetChatSettings"
    case setChatItemTTL = "apiSetChatItemTTL", getChatItemTTL = "apiGetChatItemTTL", setChatTTL = "apiSetChatTTL"
    case setNetworkConfig = "apiSetNetworkConfig", getNetworkConfig = "apiGetNetworkConfig", setNetworkInfo =
        "apiSetNetworkInfo"
    case reconnectAllServers, reconnectServer, setClientService
    // MARK: Database
    case storageEncryption = "apiStorageEncryption", testStorageEncryption, exportArchive = "apiExportArchive"
    case importArchive = "apiImportArchive", deleteStorage = "apiDeleteStorage"
    // MARK: Servers
    case getServerOperators = "apiGetServerOperators", setServerOperators = "apiSetServerOperators", getUserServers =
        "apiGetUserServers"
    case setUserServers = "apiSetUserServers", validateServers = "apiValidateServers", getUsageConditions =
        "apiGetUsageConditions"
    case acceptConditions = "apiAcceptConditions", setConditionsNotified = "apiSetConditionsNotified", testProtoServer =
        "apiTestProtoServer"
    case testChatRelay = "apiTestChatRelay"
    // MARK: Themes
    case setUserUIThemes = "apiSetUserUIThemes", setChatUIThemes = "apiSetChatUIThemes"
    // MARK: Remote control
    case setLocalDeviceName, connectRemoteCtrl, findKnownRemoteCtrl, confirmRemoteCtrl, verifyRemoteCtrlSession,
        listRemoteCtrls, stopRemoteCtrl
    case deleteRemoteCtrl, listRemoteHosts, startRemoteHost, switchRemoteHost, stopRemoteHost, deleteRemoteHost,
        storeRemoteFile, getRemoteFile
    // MARK: Diagnostics
    case showVersion, getAgentSubsTotal, getAgentServersSummary, resetAgentServersStats, contactQueueInfo =
        "apiContactQueueInfo"
    case groupMemberQueueInfo = "apiGroupMemberQueueInfo", getNetworkStatuses = "apiGetNetworkStatuses",
        showConnectionsDiff
    case resubscribeAllConnections, getAgentSubs, getAgentSubsDetails, getAgentWorkers, getAgentWorkersDetails,
        getAgentQueuesInfo, debugLocks
    case execChatStoreSQL, execAgentStoreSQL, slowSQLQueries, customChatCommand
    // MARK: Address
    case createMyAddress = "apiCreateMyAddress", deleteMyAddress = "apiDeleteMyAddress", showMyAddress =
        "apiShowMyAddress"
    case addMyAddressShortLink = "apiAddMyAddressShortLink", setProfileAddress = "apiSetProfileAddress"
    case setAddressSettings = "apiSetAddressSettings", setUserDomain = "apiSetUserDomain", verifyContactDomain =
        "apiVerifyContactDomain"
    case verifyGroupDomain = "apiVerifyGroupDomain", sendServiceResponse = "apiSendServiceResponse"
    // MARK: Security
    case getContactCode = "apiGetContactCode", getGroupMemberCode = "apiGetGroupMemberCode", verifyContact =
        "apiVerifyContact"
    case verifyGroupMember = "apiVerifyGroupMember", switchContact = "apiSwitchContact", switchGroupMember =
        "apiSwitchGroupMember"
    case abortSwitchContact = "apiAbortSwitchContact", abortSwitchGroupMember = "apiAbortSwitchGroupMember"
    case syncContactRatchet = "apiSyncContactRatchet", syncGroupMemberRatchet = "apiSyncGroupMemberRatchet"
}
