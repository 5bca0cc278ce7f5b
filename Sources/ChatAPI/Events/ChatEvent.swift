public import JSON

/// What the core reports on its own: `type` names the case.
public indirect enum ChatEvent: TaggedUnion {
    case chatSuspended
    case contactSwitch(user: User, contact: Contact, switchProgress: SwitchProgress)
    case groupMemberSwitch(user: User, groupInfo: GroupInfo, member: GroupMember, switchProgress: SwitchProgress)
    case contactRatchetSync(user: User, contact: Contact, ratchetSyncProgress: RatchetSyncProgress)
    case groupMemberRatchetSync(user: User, groupInfo: GroupInfo, member: GroupMember, ratchetSyncProgress: RatchetSyncProgress)
    case chatInfoUpdated(user: User, chatInfo: ChatInfo)
    case newChatItems(user: User, chatItems: [AChatItem])
    case chatItemsStatusesUpdated(user: User, chatItems: [AChatItem])
    case chatItemUpdated(user: User, chatItem: AChatItem)
    case chatItemNotChanged(user: User, chatItem: AChatItem)
    case chatItemReaction(user: User, added: Bool, reaction: ACIReaction)
    case groupChatItemsDeleted(user: User, groupInfo: GroupInfo, chatItemIDs: [Int64], byUser: Bool, member_: GroupMember?)
    case chatItemsDeleted(user: User, chatItemDeletions: [ChatItemDeletion], byUser: Bool, timed: Bool)
    case chatItemDeletedNotFound(user: User, contact: Contact, sharedMsgId: String)
    case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact?)
    case groupLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
    case businessLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, fromContact: Contact)
    case sentGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, member: GroupMember)
    case contactUpdated(user: User, fromContact: Contact, toContact: Contact)
    case groupMemberUpdated(user: User, groupInfo: GroupInfo, fromMember: GroupMember, toMember: GroupMember)
    case contactDeletedByContact(user: User, contact: Contact)
    case receivedContactRequest(user: User, contactRequest: UserContactRequest, chat_: AChat?)
    case acceptingContactRequest(user: User, contact: Contact)
    case acceptingBusinessRequest(user: User, groupInfo: GroupInfo)
    case contactRequestAlreadyAccepted(user: User, contact: Contact)
    case businessRequestAlreadyAccepted(user: User, groupInfo: GroupInfo)
    case rcvFileDescrReady(user: User, chatItem: AChatItem, rcvFileTransfer: RcvFileTransfer, rcvFileDescr: RcvFileDescr)
    case rcvFileAccepted(user: User, chatItem: AChatItem)
    case rcvFileAcceptedSndCancelled(user: User, rcvFileTransfer: RcvFileTransfer)
    case rcvFileStart(user: User, chatItem: AChatItem)
    case rcvFileProgressXFTP(user: User, chatItem_: AChatItem?, receivedSize: Int64, totalSize: Int64, rcvFileTransfer: RcvFileTransfer)
    case rcvFileComplete(user: User, chatItem: AChatItem)
    case rcvStandaloneFileComplete(user: User, targetPath: String, rcvFileTransfer: RcvFileTransfer)
    case rcvFileSndCancelled(user: User, chatItem: AChatItem, rcvFileTransfer: RcvFileTransfer)
    case rcvFileError(user: User, chatItem_: AChatItem?, agentError: AgentErrorType, rcvFileTransfer: RcvFileTransfer)
    case rcvFileWarning(user: User, chatItem_: AChatItem?, agentError: AgentErrorType, rcvFileTransfer: RcvFileTransfer)
    case sndFileStart(user: User, chatItem: AChatItem, sndFileTransfer: SndFileTransfer)
    case sndFileComplete(user: User, chatItem: AChatItem, sndFileTransfer: SndFileTransfer)
    case sndFileRcvCancelled(user: User, chatItem_: AChatItem?, sndFileTransfer: SndFileTransfer)
    case sndFileProgressXFTP(user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, sentSize: Int64, totalSize: Int64)
    case sndFileRedirectStartXFTP(user: User, fileTransferMeta: FileTransferMeta, redirectMeta: FileTransferMeta)
    case sndFileCompleteXFTP(user: User, chatItem: AChatItem, fileTransferMeta: FileTransferMeta)
    case sndStandaloneFileComplete(user: User, fileTransferMeta: FileTransferMeta, rcvURIs: [String])
    case sndFileError(user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, errorMessage: String)
    case sndFileWarning(user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, errorMessage: String)
    case contactConnecting(user: User, contact: Contact)
    case contactConnected(user: User, contact: Contact, userCustomProfile: Profile?)
    case contactSndReady(user: User, contact: Contact)
    case contactAnotherClient(user: User, contact: Contact)
    case connectionsDiff(userIds: DatabaseDiff, connIds: DatabaseDiff)
    case subscriptionEnd(user: User, connectionEntity: ConnectionEntity)
    case subscriptionStatus(server: String, subscriptionStatus: SubscriptionStatus, connections: [String])
    case serviceSubStatus(server: String, serviceSubEvent: ServiceSubEvent)
    case hostConnected(`protocol`: String, transportHost: String)
    case hostDisconnected(`protocol`: String, transportHost: String)
    case receivedGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, fromMemberRole: GroupMemberRole, memberRole: GroupMemberRole)
    case userJoinedGroup(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
    case groupLinkDataUpdated(user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay], relaysChanged: Bool)
    case groupRelayUpdated(user: User, groupInfo: GroupInfo, member: GroupMember, groupRelay: GroupRelay)
    case joinedGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    case joinedGroupMemberConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, member: GroupMember)
    case memberAcceptedByOther(user: User, groupInfo: GroupInfo, acceptingMember: GroupMember, member: GroupMember)
    case memberRole(user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, fromRole: GroupMemberRole, toRole: GroupMemberRole, msgSigned: MsgSigStatus?)
    case memberBlockedForAll(user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, blocked: Bool, msgSigned: MsgSigStatus?)
    case connectedToGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember, memberContact: Contact?)
    case deletedMember(user: User, groupInfo: GroupInfo, byMember: GroupMember, deletedMember: GroupMember, withMessages: Bool, msgSigned: MsgSigStatus?)
    case deletedMemberUser(user: User, groupInfo: GroupInfo, member: GroupMember, withMessages: Bool, msgSigned: MsgSigStatus?)
    case leftMember(user: User, groupInfo: GroupInfo, member: GroupMember, msgSigned: MsgSigStatus?)
    case unknownMemberCreated(user: User, groupInfo: GroupInfo, forwardedByMember: GroupMember, member: GroupMember)
    case unknownMemberBlocked(user: User, groupInfo: GroupInfo, blockedByMember: GroupMember, member: GroupMember)
    case unknownMemberAnnounced(user: User, groupInfo: GroupInfo, announcingMember: GroupMember, unknownMember: GroupMember, announcedMember: GroupMember)
    case groupDeleted(user: User, groupInfo: GroupInfo, member: GroupMember, msgSigned: MsgSigStatus?)
    case groupUpdated(user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member_: GroupMember?, msgSigned: MsgSigStatus?)
    case acceptingGroupJoinRequestMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    case noMemberContactCreating(user: User, groupInfo: GroupInfo, member: GroupMember)
    case newMemberContactReceivedInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    case contactAndMemberAssociated(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember, updatedContact: Contact)
    case callInvitation(callInvitation: RcvCallInvitation)
    case callOffer(user: User, contact: Contact, callType: CallType, offer: WebRTCSession, sharedKey: String?, askConfirmation: Bool)
    case callAnswer(user: User, contact: Contact, answer: WebRTCSession)
    case callExtraInfo(user: User, contact: Contact, extraInfo: WebRTCExtraInfo)
    case callEnded(user: User, contact: Contact)
    case ntfMessage(user: User, connEntity: ConnectionEntity, ntfMessage: NtfMsgAckInfo)
    case remoteHostSessionCode(remoteHost_: RemoteHostInfo?, sessionCode: String)
    case newRemoteHost(remoteHost: RemoteHostInfo)
    case remoteHostConnected(remoteHost: RemoteHostInfo, compression: Bool?)
    case remoteHostStopped(remoteHostId_: Int64?, rhsState: RemoteHostSessionState, rhStopReason: RemoteHostStopReason)
    case remoteCtrlFound(remoteCtrl: RemoteCtrlInfo, ctrlAppInfo_: CtrlAppInfo?, appVersion: String, compatible: Bool)
    case remoteCtrlSessionCode(remoteCtrl_: RemoteCtrlInfo?, sessionCode: String)
    case remoteCtrlStopped(rcsState: RemoteCtrlSessionState, rcStopReason: RemoteCtrlStopReason)
    case contactPQEnabled(user: User, contact: Contact, pqEnabled: Bool)
    case contactDisabled(user: User, contact: Contact)
    case connectionDisabled(connectionEntity: ConnectionEntity)
    case connectionInactive(connectionEntity: ConnectionEntity, inactive: Bool)
    case agentRcvQueuesDeleted(deletedRcvQueues: [DeletedRcvQueue])
    case agentConnsDeleted(agentConnIds: [String])
    case agentUserDeleted(agentUserId: Int64)
    case messageError(user: User, severity: String, errorMessage: String)
    case chatErrors(chatErrors: [ChatError])
    case timedAction(action: String, durationMilliseconds: Int64)
    case customChatEvent(user_: User?, response: String)
    case remoteCtrlConnected(remoteCtrl: RemoteCtrlInfo)
    case chatError(chatError: ChatError)
    case contactsMerged(user: User, intoContact: Contact, mergedContact: Contact, updatedContact: Contact)
    case networkStatus(networkStatus: NetworkStatus, connections: [String])
    case networkStatuses(user_: User?, networkStatuses: [ConnNetworkStatus])
    case connSubSummary(user: User, connSubResults: [ConnSubResult])
    case contactsDisconnected(server: String, contactRefs: [ContactRef])
    case contactsSubscribed(server: String, contactRefs: [ContactRef])
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ChatEvent {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "chatSuspended": self = .chatSuspended
        case "contactSwitch": self = .contactSwitch(user: try fields("user"), contact: try fields("contact"), switchProgress: try fields("switchProgress"))
        case "groupMemberSwitch": self = .groupMemberSwitch(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), switchProgress: try fields("switchProgress"))
        case "contactRatchetSync": self = .contactRatchetSync(user: try fields("user"), contact: try fields("contact"), ratchetSyncProgress: try fields("ratchetSyncProgress"))
        case "groupMemberRatchetSync": self = .groupMemberRatchetSync(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), ratchetSyncProgress: try fields("ratchetSyncProgress"))
        case "chatInfoUpdated": self = .chatInfoUpdated(user: try fields("user"), chatInfo: try fields("chatInfo"))
        case "newChatItems": self = .newChatItems(user: try fields("user"), chatItems: try fields("chatItems"))
        case "chatItemsStatusesUpdated": self = .chatItemsStatusesUpdated(user: try fields("user"), chatItems: try fields("chatItems"))
        case "chatItemUpdated": self = .chatItemUpdated(user: try fields("user"), chatItem: try fields("chatItem"))
        case "chatItemNotChanged": self = .chatItemNotChanged(user: try fields("user"), chatItem: try fields("chatItem"))
        case "chatItemReaction": self = .chatItemReaction(user: try fields("user"), added: try fields("added"), reaction: try fields("reaction"))
        case "groupChatItemsDeleted": self = .groupChatItemsDeleted(user: try fields("user"), groupInfo: try fields("groupInfo"), chatItemIDs: try fields("chatItemIDs"), byUser: try fields("byUser"), member_: try fields.optional("member_"))
        case "chatItemsDeleted": self = .chatItemsDeleted(user: try fields("user"), chatItemDeletions: try fields("chatItemDeletions"), byUser: try fields("byUser"), timed: try fields("timed"))
        case "chatItemDeletedNotFound": self = .chatItemDeletedNotFound(user: try fields("user"), contact: try fields("contact"), sharedMsgId: try fields("sharedMsgId"))
        case "userAcceptedGroupSent": self = .userAcceptedGroupSent(user: try fields("user"), groupInfo: try fields("groupInfo"), hostContact: try fields.optional("hostContact"))
        case "groupLinkConnecting": self = .groupLinkConnecting(user: try fields("user"), groupInfo: try fields("groupInfo"), hostMember: try fields("hostMember"))
        case "businessLinkConnecting": self = .businessLinkConnecting(user: try fields("user"), groupInfo: try fields("groupInfo"), hostMember: try fields("hostMember"), fromContact: try fields("fromContact"))
        case "sentGroupInvitation": self = .sentGroupInvitation(user: try fields("user"), groupInfo: try fields("groupInfo"), contact: try fields("contact"), member: try fields("member"))
        case "contactUpdated": self = .contactUpdated(user: try fields("user"), fromContact: try fields("fromContact"), toContact: try fields("toContact"))
        case "groupMemberUpdated": self = .groupMemberUpdated(user: try fields("user"), groupInfo: try fields("groupInfo"), fromMember: try fields("fromMember"), toMember: try fields("toMember"))
        case "contactDeletedByContact": self = .contactDeletedByContact(user: try fields("user"), contact: try fields("contact"))
        case "receivedContactRequest": self = .receivedContactRequest(user: try fields("user"), contactRequest: try fields("contactRequest"), chat_: try fields.optional("chat_"))
        case "acceptingContactRequest": self = .acceptingContactRequest(user: try fields("user"), contact: try fields("contact"))
        case "acceptingBusinessRequest": self = .acceptingBusinessRequest(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "contactRequestAlreadyAccepted": self = .contactRequestAlreadyAccepted(user: try fields("user"), contact: try fields("contact"))
        case "businessRequestAlreadyAccepted": self = .businessRequestAlreadyAccepted(user: try fields("user"), groupInfo: try fields("groupInfo"))
        case "rcvFileDescrReady": self = .rcvFileDescrReady(user: try fields("user"), chatItem: try fields("chatItem"), rcvFileTransfer: try fields("rcvFileTransfer"), rcvFileDescr: try fields("rcvFileDescr"))
        case "rcvFileAccepted": self = .rcvFileAccepted(user: try fields("user"), chatItem: try fields("chatItem"))
        case "rcvFileAcceptedSndCancelled": self = .rcvFileAcceptedSndCancelled(user: try fields("user"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "rcvFileStart": self = .rcvFileStart(user: try fields("user"), chatItem: try fields("chatItem"))
        case "rcvFileProgressXFTP": self = .rcvFileProgressXFTP(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), receivedSize: try fields("receivedSize"), totalSize: try fields("totalSize"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "rcvFileComplete": self = .rcvFileComplete(user: try fields("user"), chatItem: try fields("chatItem"))
        case "rcvStandaloneFileComplete": self = .rcvStandaloneFileComplete(user: try fields("user"), targetPath: try fields("targetPath"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "rcvFileSndCancelled": self = .rcvFileSndCancelled(user: try fields("user"), chatItem: try fields("chatItem"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "rcvFileError": self = .rcvFileError(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), agentError: try fields("agentError"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "rcvFileWarning": self = .rcvFileWarning(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), agentError: try fields("agentError"), rcvFileTransfer: try fields("rcvFileTransfer"))
        case "sndFileStart": self = .sndFileStart(user: try fields("user"), chatItem: try fields("chatItem"), sndFileTransfer: try fields("sndFileTransfer"))
        case "sndFileComplete": self = .sndFileComplete(user: try fields("user"), chatItem: try fields("chatItem"), sndFileTransfer: try fields("sndFileTransfer"))
        case "sndFileRcvCancelled": self = .sndFileRcvCancelled(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), sndFileTransfer: try fields("sndFileTransfer"))
        case "sndFileProgressXFTP": self = .sndFileProgressXFTP(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), fileTransferMeta: try fields("fileTransferMeta"), sentSize: try fields("sentSize"), totalSize: try fields("totalSize"))
        case "sndFileRedirectStartXFTP": self = .sndFileRedirectStartXFTP(user: try fields("user"), fileTransferMeta: try fields("fileTransferMeta"), redirectMeta: try fields("redirectMeta"))
        case "sndFileCompleteXFTP": self = .sndFileCompleteXFTP(user: try fields("user"), chatItem: try fields("chatItem"), fileTransferMeta: try fields("fileTransferMeta"))
        case "sndStandaloneFileComplete": self = .sndStandaloneFileComplete(user: try fields("user"), fileTransferMeta: try fields("fileTransferMeta"), rcvURIs: try fields("rcvURIs"))
        case "sndFileError": self = .sndFileError(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), fileTransferMeta: try fields("fileTransferMeta"), errorMessage: try fields("errorMessage"))
        case "sndFileWarning": self = .sndFileWarning(user: try fields("user"), chatItem_: try fields.optional("chatItem_"), fileTransferMeta: try fields("fileTransferMeta"), errorMessage: try fields("errorMessage"))
        case "contactConnecting": self = .contactConnecting(user: try fields("user"), contact: try fields("contact"))
        case "contactConnected": self = .contactConnected(user: try fields("user"), contact: try fields("contact"), userCustomProfile: try fields.optional("userCustomProfile"))
        case "contactSndReady": self = .contactSndReady(user: try fields("user"), contact: try fields("contact"))
        case "contactAnotherClient": self = .contactAnotherClient(user: try fields("user"), contact: try fields("contact"))
        case "connectionsDiff": self = .connectionsDiff(userIds: try fields("userIds"), connIds: try fields("connIds"))
        case "subscriptionEnd": self = .subscriptionEnd(user: try fields("user"), connectionEntity: try fields("connectionEntity"))
        case "subscriptionStatus": self = .subscriptionStatus(server: try fields("server"), subscriptionStatus: try fields("subscriptionStatus"), connections: try fields("connections"))
        case "serviceSubStatus": self = .serviceSubStatus(server: try fields("server"), serviceSubEvent: try fields("serviceSubEvent"))
        case "hostConnected": self = .hostConnected(protocol: try fields("protocol"), transportHost: try fields("transportHost"))
        case "hostDisconnected": self = .hostDisconnected(protocol: try fields("protocol"), transportHost: try fields("transportHost"))
        case "receivedGroupInvitation": self = .receivedGroupInvitation(user: try fields("user"), groupInfo: try fields("groupInfo"), contact: try fields("contact"), fromMemberRole: try fields("fromMemberRole"), memberRole: try fields("memberRole"))
        case "userJoinedGroup": self = .userJoinedGroup(user: try fields("user"), groupInfo: try fields("groupInfo"), hostMember: try fields("hostMember"))
        case "groupLinkDataUpdated": self = .groupLinkDataUpdated(user: try fields("user"), groupInfo: try fields("groupInfo"), groupLink: try fields("groupLink"), groupRelays: try fields("groupRelays"), relaysChanged: try fields("relaysChanged"))
        case "groupRelayUpdated": self = .groupRelayUpdated(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), groupRelay: try fields("groupRelay"))
        case "joinedGroupMember": self = .joinedGroupMember(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "joinedGroupMemberConnecting": self = .joinedGroupMemberConnecting(user: try fields("user"), groupInfo: try fields("groupInfo"), hostMember: try fields("hostMember"), member: try fields("member"))
        case "memberAcceptedByOther": self = .memberAcceptedByOther(user: try fields("user"), groupInfo: try fields("groupInfo"), acceptingMember: try fields("acceptingMember"), member: try fields("member"))
        case "memberRole": self = .memberRole(user: try fields("user"), groupInfo: try fields("groupInfo"), byMember: try fields("byMember"), member: try fields("member"), fromRole: try fields("fromRole"), toRole: try fields("toRole"), msgSigned: try fields.optional("msgSigned"))
        case "memberBlockedForAll": self = .memberBlockedForAll(user: try fields("user"), groupInfo: try fields("groupInfo"), byMember: try fields("byMember"), member: try fields("member"), blocked: try fields("blocked"), msgSigned: try fields.optional("msgSigned"))
        case "connectedToGroupMember": self = .connectedToGroupMember(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), memberContact: try fields.optional("memberContact"))
        case "deletedMember": self = .deletedMember(user: try fields("user"), groupInfo: try fields("groupInfo"), byMember: try fields("byMember"), deletedMember: try fields("deletedMember"), withMessages: try fields("withMessages"), msgSigned: try fields.optional("msgSigned"))
        case "deletedMemberUser": self = .deletedMemberUser(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), withMessages: try fields("withMessages"), msgSigned: try fields.optional("msgSigned"))
        case "leftMember": self = .leftMember(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), msgSigned: try fields.optional("msgSigned"))
        case "unknownMemberCreated": self = .unknownMemberCreated(user: try fields("user"), groupInfo: try fields("groupInfo"), forwardedByMember: try fields("forwardedByMember"), member: try fields("member"))
        case "unknownMemberBlocked": self = .unknownMemberBlocked(user: try fields("user"), groupInfo: try fields("groupInfo"), blockedByMember: try fields("blockedByMember"), member: try fields("member"))
        case "unknownMemberAnnounced": self = .unknownMemberAnnounced(user: try fields("user"), groupInfo: try fields("groupInfo"), announcingMember: try fields("announcingMember"), unknownMember: try fields("unknownMember"), announcedMember: try fields("announcedMember"))
        case "groupDeleted": self = .groupDeleted(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"), msgSigned: try fields.optional("msgSigned"))
        case "groupUpdated": self = .groupUpdated(user: try fields("user"), fromGroup: try fields("fromGroup"), toGroup: try fields("toGroup"), member_: try fields.optional("member_"), msgSigned: try fields.optional("msgSigned"))
        case "acceptingGroupJoinRequestMember": self = .acceptingGroupJoinRequestMember(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "noMemberContactCreating": self = .noMemberContactCreating(user: try fields("user"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "newMemberContactReceivedInv": self = .newMemberContactReceivedInv(user: try fields("user"), contact: try fields("contact"), groupInfo: try fields("groupInfo"), member: try fields("member"))
        case "contactAndMemberAssociated": self = .contactAndMemberAssociated(user: try fields("user"), contact: try fields("contact"), groupInfo: try fields("groupInfo"), member: try fields("member"), updatedContact: try fields("updatedContact"))
        case "callInvitation": self = .callInvitation(callInvitation: try fields("callInvitation"))
        case "callOffer": self = .callOffer(user: try fields("user"), contact: try fields("contact"), callType: try fields("callType"), offer: try fields("offer"), sharedKey: try fields.optional("sharedKey"), askConfirmation: try fields("askConfirmation"))
        case "callAnswer": self = .callAnswer(user: try fields("user"), contact: try fields("contact"), answer: try fields("answer"))
        case "callExtraInfo": self = .callExtraInfo(user: try fields("user"), contact: try fields("contact"), extraInfo: try fields("extraInfo"))
        case "callEnded": self = .callEnded(user: try fields("user"), contact: try fields("contact"))
        case "ntfMessage": self = .ntfMessage(user: try fields("user"), connEntity: try fields("connEntity"), ntfMessage: try fields("ntfMessage"))
        case "remoteHostSessionCode": self = .remoteHostSessionCode(remoteHost_: try fields.optional("remoteHost_"), sessionCode: try fields("sessionCode"))
        case "newRemoteHost": self = .newRemoteHost(remoteHost: try fields("remoteHost"))
        case "remoteHostConnected": self = .remoteHostConnected(remoteHost: try fields("remoteHost"), compression: try fields.optional("compression"))
        case "remoteHostStopped": self = .remoteHostStopped(remoteHostId_: try fields.optional("remoteHostId_"), rhsState: try fields("rhsState"), rhStopReason: try fields("rhStopReason"))
        case "remoteCtrlFound": self = .remoteCtrlFound(remoteCtrl: try fields("remoteCtrl"), ctrlAppInfo_: try fields.optional("ctrlAppInfo_"), appVersion: try fields("appVersion"), compatible: try fields("compatible"))
        case "remoteCtrlSessionCode": self = .remoteCtrlSessionCode(remoteCtrl_: try fields.optional("remoteCtrl_"), sessionCode: try fields("sessionCode"))
        case "remoteCtrlStopped": self = .remoteCtrlStopped(rcsState: try fields("rcsState"), rcStopReason: try fields("rcStopReason"))
        case "contactPQEnabled": self = .contactPQEnabled(user: try fields("user"), contact: try fields("contact"), pqEnabled: try fields("pqEnabled"))
        case "contactDisabled": self = .contactDisabled(user: try fields("user"), contact: try fields("contact"))
        case "connectionDisabled": self = .connectionDisabled(connectionEntity: try fields("connectionEntity"))
        case "connectionInactive": self = .connectionInactive(connectionEntity: try fields("connectionEntity"), inactive: try fields("inactive"))
        case "agentRcvQueuesDeleted": self = .agentRcvQueuesDeleted(deletedRcvQueues: try fields("deletedRcvQueues"))
        case "agentConnsDeleted": self = .agentConnsDeleted(agentConnIds: try fields("agentConnIds"))
        case "agentUserDeleted": self = .agentUserDeleted(agentUserId: try fields("agentUserId"))
        case "messageError": self = .messageError(user: try fields("user"), severity: try fields("severity"), errorMessage: try fields("errorMessage"))
        case "chatErrors": self = .chatErrors(chatErrors: try fields("chatErrors"))
        case "timedAction": self = .timedAction(action: try fields("action"), durationMilliseconds: try fields("durationMilliseconds"))
        case "customChatEvent": self = .customChatEvent(user_: try fields.optional("user_"), response: try fields("response"))
        case "remoteCtrlConnected": self = .remoteCtrlConnected(remoteCtrl: try fields("remoteCtrl"))
        case "chatError": self = .chatError(chatError: try fields("chatError"))
        case "contactsMerged": self = .contactsMerged(user: try fields("user"), intoContact: try fields("intoContact"), mergedContact: try fields("mergedContact"), updatedContact: try fields("updatedContact"))
        case "networkStatus": self = .networkStatus(networkStatus: try fields("networkStatus"), connections: try fields("connections"))
        case "networkStatuses": self = .networkStatuses(user_: try fields.optional("user_"), networkStatuses: try fields("networkStatuses"))
        case "connSubSummary": self = .connSubSummary(user: try fields("user"), connSubResults: try fields("connSubResults"))
        case "contactsDisconnected": self = .contactsDisconnected(server: try fields("server"), contactRefs: try fields("contactRefs"))
        case "contactsSubscribed": self = .contactsSubscribed(server: try fields("server"), contactRefs: try fields("contactRefs"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

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
