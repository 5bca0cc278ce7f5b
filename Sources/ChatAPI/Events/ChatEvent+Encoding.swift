extension ChatEvent {
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .chatSuspended: try encoder.tagged("chatSuspended")
        case .contactSwitch(let user, let contact, let switchProgress):
            try encoder.tagged("contactSwitch") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(switchProgress, forKey: "switchProgress")
            }
        case .groupMemberSwitch(let user, let groupInfo, let member, let switchProgress):
            try encoder.tagged("groupMemberSwitch") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(switchProgress, forKey: "switchProgress")
            }
        case .contactRatchetSync(let user, let contact, let ratchetSyncProgress):
            try encoder.tagged("contactRatchetSync") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(ratchetSyncProgress, forKey: "ratchetSyncProgress")
            }
        case .groupMemberRatchetSync(let user, let groupInfo, let member, let ratchetSyncProgress):
            try encoder.tagged("groupMemberRatchetSync") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(ratchetSyncProgress, forKey: "ratchetSyncProgress")
            }
        case .chatInfoUpdated(let user, let chatInfo):
            try encoder.tagged("chatInfoUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatInfo, forKey: "chatInfo")
            }
        case .newChatItems(let user, let chatItems):
            try encoder.tagged("newChatItems") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItems, forKey: "chatItems")
            }
        case .chatItemsStatusesUpdated(let user, let chatItems):
            try encoder.tagged("chatItemsStatusesUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItems, forKey: "chatItems")
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
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
            try encoder.tagged("groupChatItemsDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(chatItemIDs, forKey: "chatItemIDs")
                try fields.encode(byUser, forKey: "byUser")
                try fields.encodeIfPresent(member_, forKey: "member_")
            }
        case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
            try encoder.tagged("chatItemsDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItemDeletions, forKey: "chatItemDeletions")
                try fields.encode(byUser, forKey: "byUser")
                try fields.encode(timed, forKey: "timed")
            }
        case .chatItemDeletedNotFound(let user, let contact, let sharedMsgId):
            try encoder.tagged("chatItemDeletedNotFound") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(sharedMsgId, forKey: "sharedMsgId")
            }
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            try encoder.tagged("userAcceptedGroupSent") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(hostContact, forKey: "hostContact")
            }
        case .groupLinkConnecting(let user, let groupInfo, let hostMember):
            try encoder.tagged("groupLinkConnecting") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(hostMember, forKey: "hostMember")
            }
        case .businessLinkConnecting(let user, let groupInfo, let hostMember, let fromContact):
            try encoder.tagged("businessLinkConnecting") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(hostMember, forKey: "hostMember")
                try fields.encode(fromContact, forKey: "fromContact")
            }
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            try encoder.tagged("sentGroupInvitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(member, forKey: "member")
            }
        case .contactUpdated(let user, let fromContact, let toContact):
            try encoder.tagged("contactUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromContact, forKey: "fromContact")
                try fields.encode(toContact, forKey: "toContact")
            }
        case .groupMemberUpdated(let user, let groupInfo, let fromMember, let toMember):
            try encoder.tagged("groupMemberUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(fromMember, forKey: "fromMember")
                try fields.encode(toMember, forKey: "toMember")
            }
        case .contactDeletedByContact(let user, let contact):
            try encoder.tagged("contactDeletedByContact") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .receivedContactRequest(let user, let contactRequest, let chat_):
            try encoder.tagged("receivedContactRequest") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contactRequest, forKey: "contactRequest")
                try fields.encodeIfPresent(chat_, forKey: "chat_")
            }
        case .acceptingContactRequest(let user, let contact):
            try encoder.tagged("acceptingContactRequest") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .acceptingBusinessRequest(let user, let groupInfo):
            try encoder.tagged("acceptingBusinessRequest") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .contactRequestAlreadyAccepted(let user, let contact):
            try encoder.tagged("contactRequestAlreadyAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .businessRequestAlreadyAccepted(let user, let groupInfo):
            try encoder.tagged("businessRequestAlreadyAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .rcvFileDescrReady(let user, let chatItem, let rcvFileTransfer, let rcvFileDescr):
            try encoder.tagged("rcvFileDescrReady") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
                try fields.encode(rcvFileDescr, forKey: "rcvFileDescr")
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
        case .rcvFileStart(let user, let chatItem):
            try encoder.tagged("rcvFileStart") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .rcvFileProgressXFTP(let user, let chatItem_, let receivedSize, let totalSize, let rcvFileTransfer):
            try encoder.tagged("rcvFileProgressXFTP") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(receivedSize, forKey: "receivedSize")
                try fields.encode(totalSize, forKey: "totalSize")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .rcvFileComplete(let user, let chatItem):
            try encoder.tagged("rcvFileComplete") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .rcvStandaloneFileComplete(let user, let targetPath, let rcvFileTransfer):
            try encoder.tagged("rcvStandaloneFileComplete") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(targetPath, forKey: "targetPath")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .rcvFileSndCancelled(let user, let chatItem, let rcvFileTransfer):
            try encoder.tagged("rcvFileSndCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .rcvFileError(let user, let chatItem_, let agentError, let rcvFileTransfer):
            try encoder.tagged("rcvFileError") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(agentError, forKey: "agentError")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .rcvFileWarning(let user, let chatItem_, let agentError, let rcvFileTransfer):
            try encoder.tagged("rcvFileWarning") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(agentError, forKey: "agentError")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .sndFileStart(let user, let chatItem, let sndFileTransfer):
            try encoder.tagged("sndFileStart") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
                try fields.encode(sndFileTransfer, forKey: "sndFileTransfer")
            }
        case .sndFileComplete(let user, let chatItem, let sndFileTransfer):
            try encoder.tagged("sndFileComplete") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
                try fields.encode(sndFileTransfer, forKey: "sndFileTransfer")
            }
        case .sndFileRcvCancelled(let user, let chatItem_, let sndFileTransfer):
            try encoder.tagged("sndFileRcvCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(sndFileTransfer, forKey: "sndFileTransfer")
            }
        case .sndFileProgressXFTP(let user, let chatItem_, let fileTransferMeta, let sentSize, let totalSize):
            try encoder.tagged("sndFileProgressXFTP") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
                try fields.encode(sentSize, forKey: "sentSize")
                try fields.encode(totalSize, forKey: "totalSize")
            }
        case .sndFileRedirectStartXFTP(let user, let fileTransferMeta, let redirectMeta):
            try encoder.tagged("sndFileRedirectStartXFTP") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
                try fields.encode(redirectMeta, forKey: "redirectMeta")
            }
        case .sndFileCompleteXFTP(let user, let chatItem, let fileTransferMeta):
            try encoder.tagged("sndFileCompleteXFTP") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
            }
        case .sndStandaloneFileComplete(let user, let fileTransferMeta, let rcvURIs):
            try encoder.tagged("sndStandaloneFileComplete") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
                try fields.encode(rcvURIs, forKey: "rcvURIs")
            }
        case .sndFileError(let user, let chatItem_, let fileTransferMeta, let errorMessage):
            try encoder.tagged("sndFileError") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
                try fields.encode(errorMessage, forKey: "errorMessage")
            }
        case .sndFileWarning(let user, let chatItem_, let fileTransferMeta, let errorMessage):
            try encoder.tagged("sndFileWarning") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
                try fields.encode(errorMessage, forKey: "errorMessage")
            }
        case .contactConnecting(let user, let contact):
            try encoder.tagged("contactConnecting") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactConnected(let user, let contact, let userCustomProfile):
            try encoder.tagged("contactConnected") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(userCustomProfile, forKey: "userCustomProfile")
            }
        case .contactSndReady(let user, let contact):
            try encoder.tagged("contactSndReady") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactAnotherClient(let user, let contact):
            try encoder.tagged("contactAnotherClient") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .connectionsDiff(let userIds, let connIds):
            try encoder.tagged("connectionsDiff") { fields throws in
                try fields.encode(userIds, forKey: "userIds")
                try fields.encode(connIds, forKey: "connIds")
            }
        case .subscriptionEnd(let user, let connectionEntity):
            try encoder.tagged("subscriptionEnd") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connectionEntity, forKey: "connectionEntity")
            }
        case .subscriptionStatus(let server, let subscriptionStatus, let connections):
            try encoder.tagged("subscriptionStatus") { fields throws in
                try fields.encode(server, forKey: "server")
                try fields.encode(subscriptionStatus, forKey: "subscriptionStatus")
                try fields.encode(connections, forKey: "connections")
            }
        case .serviceSubStatus(let server, let serviceSubEvent):
            try encoder.tagged("serviceSubStatus") { fields throws in
                try fields.encode(server, forKey: "server")
                try fields.encode(serviceSubEvent, forKey: "serviceSubEvent")
            }
        case .hostConnected(let `protocol`, let transportHost):
            try encoder.tagged("hostConnected") { fields throws in
                try fields.encode(`protocol`, forKey: "protocol")
                try fields.encode(transportHost, forKey: "transportHost")
            }
        case .hostDisconnected(let `protocol`, let transportHost):
            try encoder.tagged("hostDisconnected") { fields throws in
                try fields.encode(`protocol`, forKey: "protocol")
                try fields.encode(transportHost, forKey: "transportHost")
            }
        case .receivedGroupInvitation(let user, let groupInfo, let contact, let fromMemberRole, let memberRole):
            try encoder.tagged("receivedGroupInvitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(fromMemberRole, forKey: "fromMemberRole")
                try fields.encode(memberRole, forKey: "memberRole")
            }
        case .userJoinedGroup(let user, let groupInfo, let hostMember):
            try encoder.tagged("userJoinedGroup") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(hostMember, forKey: "hostMember")
            }
        case .groupLinkDataUpdated(let user, let groupInfo, let groupLink, let groupRelays, let relaysChanged):
            try encoder.tagged("groupLinkDataUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
                try fields.encode(groupRelays, forKey: "groupRelays")
                try fields.encode(relaysChanged, forKey: "relaysChanged")
            }
        case .groupRelayUpdated(let user, let groupInfo, let member, let groupRelay):
            try encoder.tagged("groupRelayUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(groupRelay, forKey: "groupRelay")
            }
        case .joinedGroupMember(let user, let groupInfo, let member):
            try encoder.tagged("joinedGroupMember") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .joinedGroupMemberConnecting(let user, let groupInfo, let hostMember, let member):
            try encoder.tagged("joinedGroupMemberConnecting") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(hostMember, forKey: "hostMember")
                try fields.encode(member, forKey: "member")
            }
        case .memberAcceptedByOther(let user, let groupInfo, let acceptingMember, let member):
            try encoder.tagged("memberAcceptedByOther") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(acceptingMember, forKey: "acceptingMember")
                try fields.encode(member, forKey: "member")
            }
        case .memberRole(let user, let groupInfo, let byMember, let member, let fromRole, let toRole, let msgSigned):
            try encoder.tagged("memberRole") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(byMember, forKey: "byMember")
                try fields.encode(member, forKey: "member")
                try fields.encode(fromRole, forKey: "fromRole")
                try fields.encode(toRole, forKey: "toRole")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .memberBlockedForAll(let user, let groupInfo, let byMember, let member, let blocked, let msgSigned):
            try encoder.tagged("memberBlockedForAll") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(byMember, forKey: "byMember")
                try fields.encode(member, forKey: "member")
                try fields.encode(blocked, forKey: "blocked")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .connectedToGroupMember(let user, let groupInfo, let member, let memberContact):
            try encoder.tagged("connectedToGroupMember") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encodeIfPresent(memberContact, forKey: "memberContact")
            }
        case .deletedMember(let user, let groupInfo, let byMember, let deletedMember, let withMessages, let msgSigned):
            try encoder.tagged("deletedMember") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(byMember, forKey: "byMember")
                try fields.encode(deletedMember, forKey: "deletedMember")
                try fields.encode(withMessages, forKey: "withMessages")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .deletedMemberUser(let user, let groupInfo, let member, let withMessages, let msgSigned):
            try encoder.tagged("deletedMemberUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(withMessages, forKey: "withMessages")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .leftMember(let user, let groupInfo, let member, let msgSigned):
            try encoder.tagged("leftMember") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .unknownMemberCreated(let user, let groupInfo, let forwardedByMember, let member):
            try encoder.tagged("unknownMemberCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(forwardedByMember, forKey: "forwardedByMember")
                try fields.encode(member, forKey: "member")
            }
        case .unknownMemberBlocked(let user, let groupInfo, let blockedByMember, let member):
            try encoder.tagged("unknownMemberBlocked") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(blockedByMember, forKey: "blockedByMember")
                try fields.encode(member, forKey: "member")
            }
        case .unknownMemberAnnounced(let user, let groupInfo, let announcingMember, let unknownMember, let announcedMember):
            try encoder.tagged("unknownMemberAnnounced") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(announcingMember, forKey: "announcingMember")
                try fields.encode(unknownMember, forKey: "unknownMember")
                try fields.encode(announcedMember, forKey: "announcedMember")
            }
        case .groupDeleted(let user, let groupInfo, let member, let msgSigned):
            try encoder.tagged("groupDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
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
        case .acceptingGroupJoinRequestMember(let user, let groupInfo, let member):
            try encoder.tagged("acceptingGroupJoinRequestMember") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .noMemberContactCreating(let user, let groupInfo, let member):
            try encoder.tagged("noMemberContactCreating") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .newMemberContactReceivedInv(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContactReceivedInv") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .contactAndMemberAssociated(let user, let contact, let groupInfo, let member, let updatedContact):
            try encoder.tagged("contactAndMemberAssociated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(updatedContact, forKey: "updatedContact")
            }
        case .callInvitation(let callInvitation):
            try encoder.tagged("callInvitation") { fields throws in
                try fields.encode(callInvitation, forKey: "callInvitation")
            }
        case .callOffer(let user, let contact, let callType, let offer, let sharedKey, let askConfirmation):
            try encoder.tagged("callOffer") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(callType, forKey: "callType")
                try fields.encode(offer, forKey: "offer")
                try fields.encodeIfPresent(sharedKey, forKey: "sharedKey")
                try fields.encode(askConfirmation, forKey: "askConfirmation")
            }
        case .callAnswer(let user, let contact, let answer):
            try encoder.tagged("callAnswer") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(answer, forKey: "answer")
            }
        case .callExtraInfo(let user, let contact, let extraInfo):
            try encoder.tagged("callExtraInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(extraInfo, forKey: "extraInfo")
            }
        case .callEnded(let user, let contact):
            try encoder.tagged("callEnded") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .ntfMessage(let user, let connEntity, let ntfMessage):
            try encoder.tagged("ntfMessage") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connEntity, forKey: "connEntity")
                try fields.encode(ntfMessage, forKey: "ntfMessage")
            }
        case .remoteHostSessionCode(let remoteHost_, let sessionCode):
            try encoder.tagged("remoteHostSessionCode") { fields throws in
                try fields.encodeIfPresent(remoteHost_, forKey: "remoteHost_")
                try fields.encode(sessionCode, forKey: "sessionCode")
            }
        case .newRemoteHost(let remoteHost):
            try encoder.tagged("newRemoteHost") { fields throws in
                try fields.encode(remoteHost, forKey: "remoteHost")
            }
        case .remoteHostConnected(let remoteHost, let compression):
            try encoder.tagged("remoteHostConnected") { fields throws in
                try fields.encode(remoteHost, forKey: "remoteHost")
                try fields.encodeIfPresent(compression, forKey: "compression")
            }
        case .remoteHostStopped(let remoteHostId_, let rhsState, let rhStopReason):
            try encoder.tagged("remoteHostStopped") { fields throws in
                try fields.encodeIfPresent(remoteHostId_, forKey: "remoteHostId_")
                try fields.encode(rhsState, forKey: "rhsState")
                try fields.encode(rhStopReason, forKey: "rhStopReason")
            }
        case .remoteCtrlFound(let remoteCtrl, let ctrlAppInfo_, let appVersion, let compatible):
            try encoder.tagged("remoteCtrlFound") { fields throws in
                try fields.encode(remoteCtrl, forKey: "remoteCtrl")
                try fields.encodeIfPresent(ctrlAppInfo_, forKey: "ctrlAppInfo_")
                try fields.encode(appVersion, forKey: "appVersion")
                try fields.encode(compatible, forKey: "compatible")
            }
        case .remoteCtrlSessionCode(let remoteCtrl_, let sessionCode):
            try encoder.tagged("remoteCtrlSessionCode") { fields throws in
                try fields.encodeIfPresent(remoteCtrl_, forKey: "remoteCtrl_")
                try fields.encode(sessionCode, forKey: "sessionCode")
            }
        case .remoteCtrlStopped(let rcsState, let rcStopReason):
            try encoder.tagged("remoteCtrlStopped") { fields throws in
                try fields.encode(rcsState, forKey: "rcsState")
                try fields.encode(rcStopReason, forKey: "rcStopReason")
            }
        case .contactPQEnabled(let user, let contact, let pqEnabled):
            try encoder.tagged("contactPQEnabled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(pqEnabled, forKey: "pqEnabled")
            }
        case .contactDisabled(let user, let contact):
            try encoder.tagged("contactDisabled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .connectionDisabled(let connectionEntity):
            try encoder.tagged("connectionDisabled") { fields throws in
                try fields.encode(connectionEntity, forKey: "connectionEntity")
            }
        case .connectionInactive(let connectionEntity, let inactive):
            try encoder.tagged("connectionInactive") { fields throws in
                try fields.encode(connectionEntity, forKey: "connectionEntity")
                try fields.encode(inactive, forKey: "inactive")
            }
        case .agentRcvQueuesDeleted(let deletedRcvQueues):
            try encoder.tagged("agentRcvQueuesDeleted") { fields throws in
                try fields.encode(deletedRcvQueues, forKey: "deletedRcvQueues")
            }
        case .agentConnsDeleted(let agentConnIds):
            try encoder.tagged("agentConnsDeleted") { fields throws in
                try fields.encode(agentConnIds, forKey: "agentConnIds")
            }
        case .agentUserDeleted(let agentUserId):
            try encoder.tagged("agentUserDeleted") { fields throws in
                try fields.encode(agentUserId, forKey: "agentUserId")
            }
        case .messageError(let user, let severity, let errorMessage):
            try encoder.tagged("messageError") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(severity, forKey: "severity")
                try fields.encode(errorMessage, forKey: "errorMessage")
            }
        case .chatErrors(let chatErrors):
            try encoder.tagged("chatErrors") { fields throws in
                try fields.encode(chatErrors, forKey: "chatErrors")
            }
        case .timedAction(let action, let durationMilliseconds):
            try encoder.tagged("timedAction") { fields throws in
                try fields.encode(action, forKey: "action")
                try fields.encode(durationMilliseconds, forKey: "durationMilliseconds")
            }
        case .customChatEvent(let user_, let response):
            try encoder.tagged("customChatEvent") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
                try fields.encode(response, forKey: "response")
            }
        case .remoteCtrlConnected(let remoteCtrl):
            try encoder.tagged("remoteCtrlConnected") { fields throws in
                try fields.encode(remoteCtrl, forKey: "remoteCtrl")
            }
        case .chatError(let chatError):
            try encoder.tagged("chatError") { fields throws in
                try fields.encode(chatError, forKey: "chatError")
            }
        case .contactsMerged(let user, let intoContact, let mergedContact, let updatedContact):
            try encoder.tagged("contactsMerged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(intoContact, forKey: "intoContact")
                try fields.encode(mergedContact, forKey: "mergedContact")
                try fields.encode(updatedContact, forKey: "updatedContact")
            }
        case .networkStatus(let networkStatus, let connections):
            try encoder.tagged("networkStatus") { fields throws in
                try fields.encode(networkStatus, forKey: "networkStatus")
                try fields.encode(connections, forKey: "connections")
            }
        case .networkStatuses(let user_, let networkStatuses):
            try encoder.tagged("networkStatuses") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
                try fields.encode(networkStatuses, forKey: "networkStatuses")
            }
        case .connSubSummary(let user, let connSubResults):
            try encoder.tagged("connSubSummary") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connSubResults, forKey: "connSubResults")
            }
        case .contactsDisconnected(let server, let contactRefs):
            try encoder.tagged("contactsDisconnected") { fields throws in
                try fields.encode(server, forKey: "server")
                try fields.encode(contactRefs, forKey: "contactRefs")
            }
        case .contactsSubscribed(let server, let contactRefs):
            try encoder.tagged("contactsSubscribed") { fields throws in
                try fields.encode(server, forKey: "server")
                try fields.encode(contactRefs, forKey: "contactRefs")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
