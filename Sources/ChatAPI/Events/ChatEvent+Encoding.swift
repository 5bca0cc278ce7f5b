extension ChatEvent {
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .chatSuspended: try encoder.tagged("chatSuspended")
        case .contactSwitch(let user, let contact, let switchProgress):
            try encoder.tagged("contactSwitch")("user", user)("contact", contact)("switchProgress", switchProgress)
        case .groupMemberSwitch(let user, let groupInfo, let member, let switchProgress):
            try encoder.tagged("groupMemberSwitch")("user", user)("groupInfo", groupInfo)("member", member)("switchProgress", switchProgress)
        case .contactRatchetSync(let user, let contact, let ratchetSyncProgress):
            try encoder.tagged("contactRatchetSync")("user", user)("contact", contact)("ratchetSyncProgress", ratchetSyncProgress)
        case .groupMemberRatchetSync(let user, let groupInfo, let member, let ratchetSyncProgress):
            try encoder.tagged("groupMemberRatchetSync")("user", user)("groupInfo", groupInfo)("member", member)("ratchetSyncProgress", ratchetSyncProgress)
        case .chatInfoUpdated(let user, let chatInfo): try encoder.tagged("chatInfoUpdated")("user", user)("chatInfo", chatInfo)
        case .newChatItems(let user, let chatItems): try encoder.tagged("newChatItems")("user", user)("chatItems", chatItems)
        case .chatItemsStatusesUpdated(let user, let chatItems): try encoder.tagged("chatItemsStatusesUpdated")("user", user)("chatItems", chatItems)
        case .chatItemUpdated(let user, let chatItem): try encoder.tagged("chatItemUpdated")("user", user)("chatItem", chatItem)
        case .chatItemNotChanged(let user, let chatItem): try encoder.tagged("chatItemNotChanged")("user", user)("chatItem", chatItem)
        case .chatItemReaction(let user, let added, let reaction):
            try encoder.tagged("chatItemReaction")("user", user)("added", added)("reaction", reaction)
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
            try encoder.tagged("groupChatItemsDeleted")("user", user)("groupInfo", groupInfo)("chatItemIDs", chatItemIDs)("byUser", byUser).optional("member_", member_)
        case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
            try encoder.tagged("chatItemsDeleted")("user", user)("chatItemDeletions", chatItemDeletions)("byUser", byUser)("timed", timed)
        case .chatItemDeletedNotFound(let user, let contact, let sharedMsgId):
            try encoder.tagged("chatItemDeletedNotFound")("user", user)("contact", contact)("sharedMsgId", sharedMsgId)
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            try encoder.tagged("userAcceptedGroupSent")("user", user)("groupInfo", groupInfo).optional("hostContact", hostContact)
        case .groupLinkConnecting(let user, let groupInfo, let hostMember):
            try encoder.tagged("groupLinkConnecting")("user", user)("groupInfo", groupInfo)("hostMember", hostMember)
        case .businessLinkConnecting(let user, let groupInfo, let hostMember, let fromContact):
            try encoder.tagged("businessLinkConnecting")("user", user)("groupInfo", groupInfo)("hostMember", hostMember)("fromContact", fromContact)
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            try encoder.tagged("sentGroupInvitation")("user", user)("groupInfo", groupInfo)("contact", contact)("member", member)
        case .contactUpdated(let user, let fromContact, let toContact):
            try encoder.tagged("contactUpdated")("user", user)("fromContact", fromContact)("toContact", toContact)
        case .groupMemberUpdated(let user, let groupInfo, let fromMember, let toMember):
            try encoder.tagged("groupMemberUpdated")("user", user)("groupInfo", groupInfo)("fromMember", fromMember)("toMember", toMember)
        case .contactDeletedByContact(let user, let contact): try encoder.tagged("contactDeletedByContact")("user", user)("contact", contact)
        case .receivedContactRequest(let user, let contactRequest, let chat_):
            try encoder.tagged("receivedContactRequest")("user", user)("contactRequest", contactRequest).optional("chat_", chat_)
        case .acceptingContactRequest(let user, let contact): try encoder.tagged("acceptingContactRequest")("user", user)("contact", contact)
        case .acceptingBusinessRequest(let user, let groupInfo): try encoder.tagged("acceptingBusinessRequest")("user", user)("groupInfo", groupInfo)
        case .contactRequestAlreadyAccepted(let user, let contact):
            try encoder.tagged("contactRequestAlreadyAccepted")("user", user)("contact", contact)
        case .businessRequestAlreadyAccepted(let user, let groupInfo):
            try encoder.tagged("businessRequestAlreadyAccepted")("user", user)("groupInfo", groupInfo)
        case .rcvFileDescrReady(let user, let chatItem, let rcvFileTransfer, let rcvFileDescr):
            try encoder.tagged("rcvFileDescrReady")("user", user)("chatItem", chatItem)("rcvFileTransfer", rcvFileTransfer)("rcvFileDescr", rcvFileDescr)
        case .rcvFileAccepted(let user, let chatItem): try encoder.tagged("rcvFileAccepted")("user", user)("chatItem", chatItem)
        case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
            try encoder.tagged("rcvFileAcceptedSndCancelled")("user", user)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileStart(let user, let chatItem): try encoder.tagged("rcvFileStart")("user", user)("chatItem", chatItem)
        case .rcvFileProgressXFTP(let user, let chatItem_, let receivedSize, let totalSize, let rcvFileTransfer):
            try encoder.tagged("rcvFileProgressXFTP")("user", user).optional("chatItem_", chatItem_)("receivedSize", receivedSize)("totalSize", totalSize)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileComplete(let user, let chatItem): try encoder.tagged("rcvFileComplete")("user", user)("chatItem", chatItem)
        case .rcvStandaloneFileComplete(let user, let targetPath, let rcvFileTransfer):
            try encoder.tagged("rcvStandaloneFileComplete")("user", user)("targetPath", targetPath)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileSndCancelled(let user, let chatItem, let rcvFileTransfer):
            try encoder.tagged("rcvFileSndCancelled")("user", user)("chatItem", chatItem)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileError(let user, let chatItem_, let agentError, let rcvFileTransfer):
            try encoder.tagged("rcvFileError")("user", user).optional("chatItem_", chatItem_)("agentError", agentError)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileWarning(let user, let chatItem_, let agentError, let rcvFileTransfer):
            try encoder.tagged("rcvFileWarning")("user", user).optional("chatItem_", chatItem_)("agentError", agentError)("rcvFileTransfer", rcvFileTransfer)
        case .sndFileStart(let user, let chatItem, let sndFileTransfer):
            try encoder.tagged("sndFileStart")("user", user)("chatItem", chatItem)("sndFileTransfer", sndFileTransfer)
        case .sndFileComplete(let user, let chatItem, let sndFileTransfer):
            try encoder.tagged("sndFileComplete")("user", user)("chatItem", chatItem)("sndFileTransfer", sndFileTransfer)
        case .sndFileRcvCancelled(let user, let chatItem_, let sndFileTransfer):
            try encoder.tagged("sndFileRcvCancelled")("user", user).optional("chatItem_", chatItem_)("sndFileTransfer", sndFileTransfer)
        case .sndFileProgressXFTP(let user, let chatItem_, let fileTransferMeta, let sentSize, let totalSize):
            try encoder.tagged("sndFileProgressXFTP")("user", user).optional("chatItem_", chatItem_)("fileTransferMeta", fileTransferMeta)("sentSize", sentSize)("totalSize", totalSize)
        case .sndFileRedirectStartXFTP(let user, let fileTransferMeta, let redirectMeta):
            try encoder.tagged("sndFileRedirectStartXFTP")("user", user)("fileTransferMeta", fileTransferMeta)("redirectMeta", redirectMeta)
        case .sndFileCompleteXFTP(let user, let chatItem, let fileTransferMeta):
            try encoder.tagged("sndFileCompleteXFTP")("user", user)("chatItem", chatItem)("fileTransferMeta", fileTransferMeta)
        case .sndStandaloneFileComplete(let user, let fileTransferMeta, let rcvURIs):
            try encoder.tagged("sndStandaloneFileComplete")("user", user)("fileTransferMeta", fileTransferMeta)("rcvURIs", rcvURIs)
        case .sndFileError(let user, let chatItem_, let fileTransferMeta, let errorMessage):
            try encoder.tagged("sndFileError")("user", user).optional("chatItem_", chatItem_)("fileTransferMeta", fileTransferMeta)("errorMessage", errorMessage)
        case .sndFileWarning(let user, let chatItem_, let fileTransferMeta, let errorMessage):
            try encoder.tagged("sndFileWarning")("user", user).optional("chatItem_", chatItem_)("fileTransferMeta", fileTransferMeta)("errorMessage", errorMessage)
        case .contactConnecting(let user, let contact): try encoder.tagged("contactConnecting")("user", user)("contact", contact)
        case .contactConnected(let user, let contact, let userCustomProfile):
            try encoder.tagged("contactConnected")("user", user)("contact", contact).optional("userCustomProfile", userCustomProfile)
        case .contactSndReady(let user, let contact): try encoder.tagged("contactSndReady")("user", user)("contact", contact)
        case .contactAnotherClient(let user, let contact): try encoder.tagged("contactAnotherClient")("user", user)("contact", contact)
        case .connectionsDiff(let userIds, let connIds): try encoder.tagged("connectionsDiff")("userIds", userIds)("connIds", connIds)
        case .subscriptionEnd(let user, let connectionEntity):
            try encoder.tagged("subscriptionEnd")("user", user)("connectionEntity", connectionEntity)
        case .subscriptionStatus(let server, let subscriptionStatus, let connections):
            try encoder.tagged("subscriptionStatus")("server", server)("subscriptionStatus", subscriptionStatus)("connections", connections)
        case .serviceSubStatus(let server, let serviceSubEvent):
            try encoder.tagged("serviceSubStatus")("server", server)("serviceSubEvent", serviceSubEvent)
        case .hostConnected(let `protocol`, let transportHost):
            try encoder.tagged("hostConnected")("protocol", `protocol`)("transportHost", transportHost)
        case .hostDisconnected(let `protocol`, let transportHost):
            try encoder.tagged("hostDisconnected")("protocol", `protocol`)("transportHost", transportHost)
        case .receivedGroupInvitation(let user, let groupInfo, let contact, let fromMemberRole, let memberRole):
            try encoder.tagged("receivedGroupInvitation")("user", user)("groupInfo", groupInfo)("contact", contact)("fromMemberRole", fromMemberRole)("memberRole", memberRole)
        case .userJoinedGroup(let user, let groupInfo, let hostMember):
            try encoder.tagged("userJoinedGroup")("user", user)("groupInfo", groupInfo)("hostMember", hostMember)
        case .groupLinkDataUpdated(let user, let groupInfo, let groupLink, let groupRelays, let relaysChanged):
            try encoder.tagged("groupLinkDataUpdated")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)("groupRelays", groupRelays)("relaysChanged", relaysChanged)
        case .groupRelayUpdated(let user, let groupInfo, let member, let groupRelay):
            try encoder.tagged("groupRelayUpdated")("user", user)("groupInfo", groupInfo)("member", member)("groupRelay", groupRelay)
        case .joinedGroupMember(let user, let groupInfo, let member):
            try encoder.tagged("joinedGroupMember")("user", user)("groupInfo", groupInfo)("member", member)
        case .joinedGroupMemberConnecting(let user, let groupInfo, let hostMember, let member):
            try encoder.tagged("joinedGroupMemberConnecting")("user", user)("groupInfo", groupInfo)("hostMember", hostMember)("member", member)
        case .memberAcceptedByOther(let user, let groupInfo, let acceptingMember, let member):
            try encoder.tagged("memberAcceptedByOther")("user", user)("groupInfo", groupInfo)("acceptingMember", acceptingMember)("member", member)
        case .memberRole(let user, let groupInfo, let byMember, let member, let fromRole, let toRole, let msgSigned):
            try encoder.tagged("memberRole")("user", user)("groupInfo", groupInfo)("byMember", byMember)("member", member)("fromRole", fromRole)("toRole", toRole).optional("msgSigned", msgSigned)
        case .memberBlockedForAll(let user, let groupInfo, let byMember, let member, let blocked, let msgSigned):
            try encoder.tagged("memberBlockedForAll")("user", user)("groupInfo", groupInfo)("byMember", byMember)("member", member)("blocked", blocked).optional("msgSigned", msgSigned)
        case .connectedToGroupMember(let user, let groupInfo, let member, let memberContact):
            try encoder.tagged("connectedToGroupMember")("user", user)("groupInfo", groupInfo)("member", member).optional("memberContact", memberContact)
        case .deletedMember(let user, let groupInfo, let byMember, let deletedMember, let withMessages, let msgSigned):
            try encoder.tagged("deletedMember")("user", user)("groupInfo", groupInfo)("byMember", byMember)("deletedMember", deletedMember)("withMessages", withMessages).optional("msgSigned", msgSigned)
        case .deletedMemberUser(let user, let groupInfo, let member, let withMessages, let msgSigned):
            try encoder.tagged("deletedMemberUser")("user", user)("groupInfo", groupInfo)("member", member)("withMessages", withMessages).optional("msgSigned", msgSigned)
        case .leftMember(let user, let groupInfo, let member, let msgSigned):
            try encoder.tagged("leftMember")("user", user)("groupInfo", groupInfo)("member", member).optional("msgSigned", msgSigned)
        case .unknownMemberCreated(let user, let groupInfo, let forwardedByMember, let member):
            try encoder.tagged("unknownMemberCreated")("user", user)("groupInfo", groupInfo)("forwardedByMember", forwardedByMember)("member", member)
        case .unknownMemberBlocked(let user, let groupInfo, let blockedByMember, let member):
            try encoder.tagged("unknownMemberBlocked")("user", user)("groupInfo", groupInfo)("blockedByMember", blockedByMember)("member", member)
        case .unknownMemberAnnounced(let user, let groupInfo, let announcingMember, let unknownMember, let announcedMember):
            try encoder.tagged("unknownMemberAnnounced")("user", user)("groupInfo", groupInfo)("announcingMember", announcingMember)("unknownMember", unknownMember)("announcedMember", announcedMember)
        case .groupDeleted(let user, let groupInfo, let member, let msgSigned):
            try encoder.tagged("groupDeleted")("user", user)("groupInfo", groupInfo)("member", member).optional("msgSigned", msgSigned)
        case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
            try encoder.tagged("groupUpdated")("user", user)("fromGroup", fromGroup)("toGroup", toGroup).optional("member_", member_).optional("msgSigned", msgSigned)
        case .acceptingGroupJoinRequestMember(let user, let groupInfo, let member):
            try encoder.tagged("acceptingGroupJoinRequestMember")("user", user)("groupInfo", groupInfo)("member", member)
        case .noMemberContactCreating(let user, let groupInfo, let member):
            try encoder.tagged("noMemberContactCreating")("user", user)("groupInfo", groupInfo)("member", member)
        case .newMemberContactReceivedInv(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContactReceivedInv")("user", user)("contact", contact)("groupInfo", groupInfo)("member", member)
        case .contactAndMemberAssociated(let user, let contact, let groupInfo, let member, let updatedContact):
            try encoder.tagged("contactAndMemberAssociated")("user", user)("contact", contact)("groupInfo", groupInfo)("member", member)("updatedContact", updatedContact)
        case .callInvitation(let callInvitation): try encoder.tagged("callInvitation")("callInvitation", callInvitation)
        case .callOffer(let user, let contact, let callType, let offer, let sharedKey, let askConfirmation):
            try encoder.tagged("callOffer")("user", user)("contact", contact)("callType", callType)("offer", offer).optional("sharedKey", sharedKey)("askConfirmation", askConfirmation)
        case .callAnswer(let user, let contact, let answer): try encoder.tagged("callAnswer")("user", user)("contact", contact)("answer", answer)
        case .callExtraInfo(let user, let contact, let extraInfo):
            try encoder.tagged("callExtraInfo")("user", user)("contact", contact)("extraInfo", extraInfo)
        case .callEnded(let user, let contact): try encoder.tagged("callEnded")("user", user)("contact", contact)
        case .ntfMessage(let user, let connEntity, let ntfMessage):
            try encoder.tagged("ntfMessage")("user", user)("connEntity", connEntity)("ntfMessage", ntfMessage)
        case .remoteHostSessionCode(let remoteHost_, let sessionCode):
            try encoder.tagged("remoteHostSessionCode").optional("remoteHost_", remoteHost_)("sessionCode", sessionCode)
        case .newRemoteHost(let remoteHost): try encoder.tagged("newRemoteHost")("remoteHost", remoteHost)
        case .remoteHostConnected(let remoteHost, let compression):
            try encoder.tagged("remoteHostConnected")("remoteHost", remoteHost).optional("compression", compression)
        case .remoteHostStopped(let remoteHostId_, let rhsState, let rhStopReason):
            try encoder.tagged("remoteHostStopped").optional("remoteHostId_", remoteHostId_)("rhsState", rhsState)("rhStopReason", rhStopReason)
        case .remoteCtrlFound(let remoteCtrl, let ctrlAppInfo_, let appVersion, let compatible):
            try encoder.tagged("remoteCtrlFound")("remoteCtrl", remoteCtrl).optional("ctrlAppInfo_", ctrlAppInfo_)("appVersion", appVersion)("compatible", compatible)
        case .remoteCtrlSessionCode(let remoteCtrl_, let sessionCode):
            try encoder.tagged("remoteCtrlSessionCode").optional("remoteCtrl_", remoteCtrl_)("sessionCode", sessionCode)
        case .remoteCtrlStopped(let rcsState, let rcStopReason):
            try encoder.tagged("remoteCtrlStopped")("rcsState", rcsState)("rcStopReason", rcStopReason)
        case .contactPQEnabled(let user, let contact, let pqEnabled):
            try encoder.tagged("contactPQEnabled")("user", user)("contact", contact)("pqEnabled", pqEnabled)
        case .contactDisabled(let user, let contact): try encoder.tagged("contactDisabled")("user", user)("contact", contact)
        case .connectionDisabled(let connectionEntity): try encoder.tagged("connectionDisabled")("connectionEntity", connectionEntity)
        case .connectionInactive(let connectionEntity, let inactive):
            try encoder.tagged("connectionInactive")("connectionEntity", connectionEntity)("inactive", inactive)
        case .agentRcvQueuesDeleted(let deletedRcvQueues): try encoder.tagged("agentRcvQueuesDeleted")("deletedRcvQueues", deletedRcvQueues)
        case .agentConnsDeleted(let agentConnIds): try encoder.tagged("agentConnsDeleted")("agentConnIds", agentConnIds)
        case .agentUserDeleted(let agentUserId): try encoder.tagged("agentUserDeleted")("agentUserId", agentUserId)
        case .messageError(let user, let severity, let errorMessage):
            try encoder.tagged("messageError")("user", user)("severity", severity)("errorMessage", errorMessage)
        case .chatErrors(let chatErrors): try encoder.tagged("chatErrors")("chatErrors", chatErrors)
        case .timedAction(let action, let durationMilliseconds):
            try encoder.tagged("timedAction")("action", action)("durationMilliseconds", durationMilliseconds)
        case .customChatEvent(let user_, let response): try encoder.tagged("customChatEvent").optional("user_", user_)("response", response)
        case .remoteCtrlConnected(let remoteCtrl): try encoder.tagged("remoteCtrlConnected")("remoteCtrl", remoteCtrl)
        case .chatError(let chatError): try encoder.tagged("chatError")("chatError", chatError)
        case .contactsMerged(let user, let intoContact, let mergedContact, let updatedContact):
            try encoder.tagged("contactsMerged")("user", user)("intoContact", intoContact)("mergedContact", mergedContact)("updatedContact", updatedContact)
        case .networkStatus(let networkStatus, let connections):
            try encoder.tagged("networkStatus")("networkStatus", networkStatus)("connections", connections)
        case .networkStatuses(let user_, let networkStatuses):
            try encoder.tagged("networkStatuses").optional("user_", user_)("networkStatuses", networkStatuses)
        case .connSubSummary(let user, let connSubResults): try encoder.tagged("connSubSummary")("user", user)("connSubResults", connSubResults)
        case .contactsDisconnected(let server, let contactRefs):
            try encoder.tagged("contactsDisconnected")("server", server)("contactRefs", contactRefs)
        case .contactsSubscribed(let server, let contactRefs): try encoder.tagged("contactsSubscribed")("server", server)("contactRefs", contactRefs)
        case .terminalEvent(let event): try encoder.tagged("terminalEvent")("data", event)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
