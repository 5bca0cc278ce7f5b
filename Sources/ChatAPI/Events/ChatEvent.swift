// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An event that the core emits: `type` names the case (Chat API, section 4).
package indirect enum ChatEvent: TaggedUnion {
    /// The chat was suspended. Apps request this in the background.
    case chatSuspended
    /// The progress in moving a queue of a contact to another relay.
    case contactSwitch(user: User, contact: Contact, switchProgress: SwitchProgress)
    /// The progress in moving a queue of a member to another relay.
    case groupMemberSwitch(user: User, groupInfo: GroupInfo, member: GroupMember, switchProgress: SwitchProgress)
    /// The progress in renegotiating the encryption with a contact.
    case contactRatchetSync(user: User, contact: Contact, ratchetSyncProgress: RatchetSyncProgress)
    /// The progress in renegotiating the encryption with a member.
    case groupMemberRatchetSync(
        user: User, groupInfo: GroupInfo, member: GroupMember, ratchetSyncProgress: RatchetSyncProgress)
    /// The chat has changed, for example its settings or counts.
    case chatInfoUpdated(user: User, chatInfo: ChatInfo)
    /// New messages and notices in any chats of the profile.
    case newChatItems(user: User, chatItems: [AChatItem])
    /// The status of sent messages has changed: sent, received by the contact, or failed.
    case chatItemsStatusesUpdated(user: User, chatItems: [AChatItem])
    /// A message was edited, or has changed in another way, for example its file or a live text.
    case chatItemUpdated(user: User, chatItem: AChatItem)
    /// An edit of a message has not changed it.
    case chatItemNotChanged(user: User, chatItem: AChatItem)
    /// A reaction to a message was added or removed.
    case chatItemReaction(user: User, added: Bool, reaction: ACIReaction)
    /// Messages of a group were deleted. The event contains only their ids.
    case groupChatItemsDeleted(
        user: User, groupInfo: GroupInfo, chatItemIDs: [Int64], byUser: Bool, member_: GroupMember?)
    /// Messages were deleted or marked as deleted, by a person or because their lifetime has ended (`timed`).
    case chatItemsDeleted(user: User, chatItemDeletions: [ChatItemDeletion], byUser: Bool, timed: Bool)
    /// A contact has deleted a message that this profile does not have.
    case chatItemDeletedNotFound(user: User, contact: Contact, sharedMsgId: String)
    /// The profile's acceptance of a group invitation was sent.
    case userAcceptedGroupSent(user: User, groupInfo: GroupInfo, hostContact: Contact?)
    /// The profile is joining a group by its link.
    case groupLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
    /// The profile is joining the group of a business by its address.
    case businessLinkConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, fromContact: Contact)
    /// An invitation to a group was sent to a contact.
    case sentGroupInvitation(user: User, groupInfo: GroupInfo, contact: Contact, member: GroupMember)
    /// A contact has changed its profile or preferences.
    case contactUpdated(user: User, fromContact: Contact, toContact: Contact)
    /// A member has changed its profile.
    case groupMemberUpdated(user: User, groupInfo: GroupInfo, fromMember: GroupMember, toMember: GroupMember)
    /// A contact has deleted this profile from its contacts.
    case contactDeletedByContact(user: User, contact: Contact)
    /// A person requests a connection by the address of the profile.
    case receivedContactRequest(user: User, contactRequest: UserContactRequest, chat_: AChat?)
    /// A request for a connection is accepted, and the connection is being made.
    case acceptingContactRequest(user: User, contact: Contact)
    /// A request to a business address is accepted, and its group is being made.
    case acceptingBusinessRequest(user: User, groupInfo: GroupInfo)
    /// A request for a connection has come from an existing contact.
    case contactRequestAlreadyAccepted(user: User, contact: Contact)
    /// A request to a business address has come from a customer who has a group already.
    case businessRequestAlreadyAccepted(user: User, groupInfo: GroupInfo)
    /// The description of an offered file is complete, so the file can be received.
    case rcvFileDescrReady(
        user: User, chatItem: AChatItem, rcvFileTransfer: RcvFileTransfer, rcvFileDescr: RcvFileDescr)
    /// The profile has accepted a file, which will be received.
    case rcvFileAccepted(user: User, chatItem: AChatItem)
    /// The profile has accepted a file that its sender has cancelled.
    case rcvFileAcceptedSndCancelled(user: User, rcvFileTransfer: RcvFileTransfer)
    /// A file is being received.
    case rcvFileStart(user: User, chatItem: AChatItem)
    /// A part of a file was received.
    case rcvFileProgressXFTP(
        user: User, chatItem_: AChatItem?, receivedSize: Int64, totalSize: Int64, rcvFileTransfer: RcvFileTransfer)
    /// A file was received, and its content can be downloaded.
    case rcvFileComplete(user: User, chatItem: AChatItem)
    /// A file without a message was received.
    case rcvStandaloneFileComplete(user: User, targetPath: String, rcvFileTransfer: RcvFileTransfer)
    /// The sender has cancelled a file.
    case rcvFileSndCancelled(user: User, chatItem: AChatItem, rcvFileTransfer: RcvFileTransfer)
    /// A file cannot be received.
    case rcvFileError(user: User, chatItem_: AChatItem?, agentError: AgentErrorType, rcvFileTransfer: RcvFileTransfer)
    /// An error has occurred while a file is received. The core tries again.
    case rcvFileWarning(user: User, chatItem_: AChatItem?, agentError: AgentErrorType, rcvFileTransfer: RcvFileTransfer)
    /// A file is being sent to a contact.
    case sndFileStart(user: User, chatItem: AChatItem, sndFileTransfer: SndFileTransfer)
    /// A file was sent to a contact.
    case sndFileComplete(user: User, chatItem: AChatItem, sndFileTransfer: SndFileTransfer)
    /// The receiver has cancelled a file.
    case sndFileRcvCancelled(user: User, chatItem_: AChatItem?, sndFileTransfer: SndFileTransfer)
    /// A part of a file was uploaded.
    case sndFileProgressXFTP(
        user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, sentSize: Int64, totalSize: Int64)
    /// The description of a large file is too long for a link, and is being uploaded as another file.
    case sndFileRedirectStartXFTP(user: User, fileTransferMeta: FileTransferMeta, redirectMeta: FileTransferMeta)
    /// A file was uploaded, and its message was sent.
    case sndFileCompleteXFTP(user: User, chatItem: AChatItem, fileTransferMeta: FileTransferMeta)
    /// A file without a message was uploaded. `rcvURIs` are its links.
    case sndStandaloneFileComplete(user: User, fileTransferMeta: FileTransferMeta, rcvURIs: [String])
    /// A file cannot be sent.
    case sndFileError(user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, errorMessage: String)
    /// An error has occurred while a file is sent. The core tries again.
    case sndFileWarning(user: User, chatItem_: AChatItem?, fileTransferMeta: FileTransferMeta, errorMessage: String)
    /// A connection is being made, and the profile of the contact is known.
    case contactConnecting(user: User, contact: Contact)
    /// A contact is connected, and messages can be sent.
    case contactConnected(user: User, contact: Contact, userCustomProfile: Profile?)
    /// Messages can be sent to a contact, who may not be able to answer yet.
    case contactSndReady(user: User, contact: Contact)
    /// Another copy of the database uses the connection with the contact.
    case contactAnotherClient(user: User, contact: Contact)
    /// The result of comparing the two databases at the start.
    case connectionsDiff(userIds: DatabaseDiff, connIds: DatabaseDiff)
    /// Another client has subscribed to a connection.
    case subscriptionEnd(user: User, connectionEntity: ConnectionEntity)
    /// The subscription of the given connections at a relay was established or lost.
    case subscriptionStatus(server: String, subscriptionStatus: SubscriptionStatus, connections: [String])
    /// A change of the subscription that covers all connections at a relay.
    case serviceSubStatus(server: String, serviceSubEvent: ServiceSubEvent)
    /// The first connection to a relay was made.
    case hostConnected(`protocol`: String, transportHost: String)
    /// The connection to a relay was lost.
    case hostDisconnected(`protocol`: String, transportHost: String)
    /// A contact has invited the profile to a group.
    case receivedGroupInvitation(
        user: User, groupInfo: GroupInfo, contact: Contact, fromMemberRole: GroupMemberRole,
        memberRole: GroupMemberRole)
    /// The profile has become a member of a group.
    case userJoinedGroup(user: User, groupInfo: GroupInfo, hostMember: GroupMember)
    /// The link of a group has changed.
    case groupLinkDataUpdated(
        user: User, groupInfo: GroupInfo, groupLink: GroupLink, groupRelays: [GroupRelay], relaysChanged: Bool)
    /// A relay of a channel has changed its status.
    case groupRelayUpdated(user: User, groupInfo: GroupInfo, member: GroupMember, groupRelay: GroupRelay)
    /// A member has joined a group.
    case joinedGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A member is joining a group, and another member has introduced the joining member.
    case joinedGroupMemberConnecting(user: User, groupInfo: GroupInfo, hostMember: GroupMember, member: GroupMember)
    /// A moderator has accepted a member into the group.
    case memberAcceptedByOther(user: User, groupInfo: GroupInfo, acceptingMember: GroupMember, member: GroupMember)
    /// The role of a member has changed.
    case memberRole(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, fromRole: GroupMemberRole,
        toRole: GroupMemberRole, msgSigned: MsgSigStatus?)
    /// A member was blocked for all, or unblocked.
    case memberBlockedForAll(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, member: GroupMember, blocked: Bool,
        msgSigned: MsgSigStatus?)
    /// The connection with a member was made.
    case connectedToGroupMember(user: User, groupInfo: GroupInfo, member: GroupMember, memberContact: Contact?)
    /// A member was removed from a group.
    case deletedMember(
        user: User, groupInfo: GroupInfo, byMember: GroupMember, deletedMember: GroupMember, withMessages: Bool,
        msgSigned: MsgSigStatus?)
    /// The profile was removed from a group.
    case deletedMemberUser(
        user: User, groupInfo: GroupInfo, member: GroupMember, withMessages: Bool, msgSigned: MsgSigStatus?)
    /// A member has left a group.
    case leftMember(user: User, groupInfo: GroupInfo, member: GroupMember, msgSigned: MsgSigStatus?)
    /// A message has arrived from a member who was not introduced yet.
    case unknownMemberCreated(user: User, groupInfo: GroupInfo, forwardedByMember: GroupMember, member: GroupMember)
    /// A member who was not introduced yet was blocked.
    case unknownMemberBlocked(user: User, groupInfo: GroupInfo, blockedByMember: GroupMember, member: GroupMember)
    /// A member who was not known yet was introduced.
    case unknownMemberAnnounced(
        user: User, groupInfo: GroupInfo, announcingMember: GroupMember, unknownMember: GroupMember,
        announcedMember: GroupMember)
    /// The owner has deleted the group.
    case groupDeleted(user: User, groupInfo: GroupInfo, member: GroupMember, msgSigned: MsgSigStatus?)
    /// The profile or the preferences of a group have changed.
    case groupUpdated(
        user: User, fromGroup: GroupInfo, toGroup: GroupInfo, member_: GroupMember?, msgSigned: MsgSigStatus?)
    /// A person who joins by the link of the group is being accepted.
    case acceptingGroupJoinRequestMember(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// The user writes to a member who is no contact yet, and the contact is being created.
    case noMemberContactCreating(user: User, groupInfo: GroupInfo, member: GroupMember)
    /// A member has become a contact, with a direct chat in addition to the group.
    case newMemberContactReceivedInv(user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember)
    /// A contact and a member were found to be the same person.
    case contactAndMemberAssociated(
        user: User, contact: Contact, groupInfo: GroupInfo, member: GroupMember, updatedContact: Contact)
    /// A contact is calling.
    case callInvitation(callInvitation: RcvCallInvitation)
    /// A contact has accepted a call, and offers a session.
    case callOffer(
        user: User, contact: Contact, callType: CallType, offer: WebRTCSession, sharedKey: String?,
        askConfirmation: Bool)
    /// A contact has accepted the offered session.
    case callAnswer(user: User, contact: Contact, answer: WebRTCSession)
    /// A contact has sent more ICE candidates for a call.
    case callExtraInfo(user: User, contact: Contact, extraInfo: WebRTCExtraInfo)
    /// A call has ended.
    case callEnded(user: User, contact: Contact)
    /// The core has received the message that a notification announces. The event contains its id and time.
    case ntfMessage(user: User, connEntity: ConnectionEntity, ntfMessage: NtfMsgAckInfo)
    /// A phone is connected. The user must compare the session code.
    case remoteHostSessionCode(remoteHost_: RemoteHostInfo?, sessionCode: String)
    /// A phone was paired.
    case newRemoteHost(remoteHost: RemoteHostInfo)
    /// A session with a phone has begun, and the phone can be used.
    case remoteHostConnected(remoteHost: RemoteHostInfo, compression: Bool)
    /// A session with a phone has ended.
    case remoteHostStopped(remoteHostId_: Int64?, rhsState: RemoteHostSessionState, rhStopReason: RemoteHostStopReason)
    /// A known desktop was found on the network.
    case remoteCtrlFound(remoteCtrl: RemoteCtrlInfo, ctrlAppInfo_: CtrlAppInfo?, appVersion: String, compatible: Bool)
    /// A desktop is connected. The user must compare the session code.
    case remoteCtrlSessionCode(remoteCtrl_: RemoteCtrlInfo?, sessionCode: String)
    /// A session with a desktop has ended.
    case remoteCtrlStopped(rcsState: RemoteCtrlSessionState, rcStopReason: RemoteCtrlStopReason)
    /// The encryption with a contact has become resistant to quantum computers, or is no longer resistant.
    case contactPQEnabled(user: User, contact: Contact, pqEnabled: Bool)
    /// Sending to a contact has stopped, because its connection is broken.
    case contactDisabled(user: User, contact: Contact)
    /// Sending over a connection has stopped, because it is broken.
    case connectionDisabled(connectionEntity: ConnectionEntity)
    /// Sending over a connection has stopped because its queue is full, or has started again.
    case connectionInactive(connectionEntity: ConnectionEntity, inactive: Bool)
    /// Receiving queues were deleted from their relays.
    case agentRcvQueuesDeleted(deletedRcvQueues: [DeletedRcvQueue])
    /// Connections were deleted.
    case agentConnsDeleted(agentConnIds: [String])
    /// The connections of a deleted profile were deleted.
    case agentUserDeleted(agentUserId: Int64)
    /// A received message is damaged, or does not fit the state of the chat.
    case messageError(user: User, severity: String, errorMessage: String)
    /// Errors of several commands or messages.
    case chatErrors(chatErrors: [ChatError])
    /// The duration of an action in the core.
    case timedAction(action: String, durationMilliseconds: Int64)
    /// A text from an extension of the core.
    case customChatEvent(user_: User?, response: String)
    /// A session with a desktop has begun, and the desktop can use the profiles.
    case remoteCtrlConnected(remoteCtrl: RemoteCtrlInfo)
    /// An error that is not the answer to a command.
    case chatError(chatError: ChatError)
    /// Two contacts were found to be the same person, and were merged.
    case contactsMerged(user: User, intoContact: Contact, mergedContact: Contact, updatedContact: Contact)
    case networkStatus(networkStatus: NetworkStatus, connections: [String])
    case networkStatuses(user_: User?, networkStatuses: [ConnNetworkStatus])
    case connSubSummary(user: User, connSubResults: [ConnSubResult])
    case contactsDisconnected(server: String, contactRefs: [ContactRef])
    case contactsSubscribed(server: String, contactRefs: [ContactRef])
    /// Output for the terminal client.
    case terminalEvent(TerminalEvent)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatEvent {
    /// The types of the events that a core of this version emits. Types that only earlier versions emit are not among
    /// them.
    package static let types: [String] = [
        "chatSuspended", "contactSwitch", "groupMemberSwitch", "contactRatchetSync", "groupMemberRatchetSync",
        "chatInfoUpdated", "newChatItems", "chatItemsStatusesUpdated", "chatItemUpdated", "chatItemNotChanged",
        "chatItemReaction", "groupChatItemsDeleted", "chatItemsDeleted", "chatItemDeletedNotFound",
        "userAcceptedGroupSent", "groupLinkConnecting", "businessLinkConnecting", "sentGroupInvitation",
        "contactUpdated", "groupMemberUpdated", "contactDeletedByContact", "receivedContactRequest",
        "acceptingContactRequest", "acceptingBusinessRequest", "contactRequestAlreadyAccepted",
        "businessRequestAlreadyAccepted", "rcvFileDescrReady", "rcvFileAccepted", "rcvFileAcceptedSndCancelled",
        "rcvFileStart", "rcvFileProgressXFTP", "rcvFileComplete", "rcvStandaloneFileComplete", "rcvFileSndCancelled",
        "rcvFileError", "rcvFileWarning", "sndFileStart", "sndFileComplete", "sndFileRcvCancelled",
        "sndFileProgressXFTP", "sndFileRedirectStartXFTP", "sndFileCompleteXFTP", "sndStandaloneFileComplete",
        "sndFileError", "sndFileWarning", "contactConnecting", "contactConnected", "contactSndReady",
        "contactAnotherClient", "connectionsDiff", "subscriptionEnd", "subscriptionStatus", "serviceSubStatus",
        "hostConnected", "hostDisconnected", "receivedGroupInvitation", "userJoinedGroup", "groupLinkDataUpdated",
        "groupRelayUpdated", "joinedGroupMember", "joinedGroupMemberConnecting", "memberAcceptedByOther", "memberRole",
        "memberBlockedForAll", "connectedToGroupMember", "deletedMember", "deletedMemberUser", "leftMember",
        "unknownMemberCreated", "unknownMemberBlocked", "unknownMemberAnnounced", "groupDeleted", "groupUpdated",
        "acceptingGroupJoinRequestMember", "noMemberContactCreating", "newMemberContactReceivedInv",
        "contactAndMemberAssociated", "callInvitation", "callOffer", "callAnswer", "callExtraInfo", "callEnded",
        "ntfMessage", "remoteHostSessionCode", "newRemoteHost", "remoteHostConnected", "remoteHostStopped",
        "remoteCtrlFound", "remoteCtrlSessionCode", "remoteCtrlStopped", "contactPQEnabled", "contactDisabled",
        "connectionDisabled", "connectionInactive", "agentRcvQueuesDeleted", "agentConnsDeleted", "agentUserDeleted",
        "messageError", "chatErrors", "timedAction", "customChatEvent", "remoteCtrlConnected", "chatError",
        "contactsMerged", "terminalEvent",
    ]

    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "chatSuspended": self = .chatSuspended
        case "contactSwitch":
            self = try .contactSwitch(
                user: fields("user"), contact: fields("contact"), switchProgress: fields("switchProgress"))
        case "groupMemberSwitch":
            self = try .groupMemberSwitch(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                switchProgress: fields("switchProgress"))
        case "contactRatchetSync":
            self = try .contactRatchetSync(
                user: fields("user"), contact: fields("contact"), ratchetSyncProgress: fields("ratchetSyncProgress"))
        case "groupMemberRatchetSync":
            self = try .groupMemberRatchetSync(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                ratchetSyncProgress: fields("ratchetSyncProgress"))
        case "chatInfoUpdated": self = try .chatInfoUpdated(user: fields("user"), chatInfo: fields("chatInfo"))
        case "newChatItems": self = try .newChatItems(user: fields("user"), chatItems: fields("chatItems"))
        case "chatItemsStatusesUpdated":
            self = try .chatItemsStatusesUpdated(user: fields("user"), chatItems: fields("chatItems"))
        case "chatItemUpdated": self = try .chatItemUpdated(user: fields("user"), chatItem: fields("chatItem"))
        case "chatItemNotChanged": self = try .chatItemNotChanged(user: fields("user"), chatItem: fields("chatItem"))
        case "chatItemReaction":
            self = try .chatItemReaction(user: fields("user"), added: fields("added"), reaction: fields("reaction"))
        case "groupChatItemsDeleted":
            self = try .groupChatItemsDeleted(
                user: fields("user"), groupInfo: fields("groupInfo"), chatItemIDs: fields("chatItemIDs"),
                byUser: fields("byUser"), member_: fields.optional("member_"))
        case "chatItemsDeleted":
            self = try .chatItemsDeleted(
                user: fields("user"), chatItemDeletions: fields("chatItemDeletions"), byUser: fields("byUser"),
                timed: fields("timed"))
        case "chatItemDeletedNotFound":
            self = try .chatItemDeletedNotFound(
                user: fields("user"), contact: fields("contact"), sharedMsgId: fields("sharedMsgId"))
        case "userAcceptedGroupSent":
            self = try .userAcceptedGroupSent(
                user: fields("user"), groupInfo: fields("groupInfo"), hostContact: fields.optional("hostContact"))
        case "groupLinkConnecting":
            self = try .groupLinkConnecting(
                user: fields("user"), groupInfo: fields("groupInfo"), hostMember: fields("hostMember"))
        case "businessLinkConnecting":
            self = try .businessLinkConnecting(
                user: fields("user"), groupInfo: fields("groupInfo"), hostMember: fields("hostMember"),
                fromContact: fields("fromContact"))
        case "sentGroupInvitation":
            self = try .sentGroupInvitation(
                user: fields("user"), groupInfo: fields("groupInfo"), contact: fields("contact"),
                member: fields("member"))
        case "contactUpdated":
            self = try .contactUpdated(
                user: fields("user"), fromContact: fields("fromContact"), toContact: fields("toContact"))
        case "groupMemberUpdated":
            self = try .groupMemberUpdated(
                user: fields("user"), groupInfo: fields("groupInfo"), fromMember: fields("fromMember"),
                toMember: fields("toMember"))
        case "contactDeletedByContact":
            self = try .contactDeletedByContact(user: fields("user"), contact: fields("contact"))
        case "receivedContactRequest":
            self = try .receivedContactRequest(
                user: fields("user"), contactRequest: fields("contactRequest"), chat_: fields.optional("chat_"))
        case "acceptingContactRequest":
            self = try .acceptingContactRequest(user: fields("user"), contact: fields("contact"))
        case "acceptingBusinessRequest":
            self = try .acceptingBusinessRequest(user: fields("user"), groupInfo: fields("groupInfo"))
        case "contactRequestAlreadyAccepted":
            self = try .contactRequestAlreadyAccepted(user: fields("user"), contact: fields("contact"))
        case "businessRequestAlreadyAccepted":
            self = try .businessRequestAlreadyAccepted(user: fields("user"), groupInfo: fields("groupInfo"))
        case "rcvFileDescrReady":
            self = try .rcvFileDescrReady(
                user: fields("user"), chatItem: fields("chatItem"), rcvFileTransfer: fields("rcvFileTransfer"),
                rcvFileDescr: fields("rcvFileDescr"))
        case "rcvFileAccepted": self = try .rcvFileAccepted(user: fields("user"), chatItem: fields("chatItem"))
        case "rcvFileAcceptedSndCancelled":
            self = try .rcvFileAcceptedSndCancelled(user: fields("user"), rcvFileTransfer: fields("rcvFileTransfer"))
        case "rcvFileStart": self = try .rcvFileStart(user: fields("user"), chatItem: fields("chatItem"))
        case "rcvFileProgressXFTP":
            self = try .rcvFileProgressXFTP(
                user: fields("user"), chatItem_: fields.optional("chatItem_"), receivedSize: fields("receivedSize"),
                totalSize: fields("totalSize"), rcvFileTransfer: fields("rcvFileTransfer"))
        case "rcvFileComplete": self = try .rcvFileComplete(user: fields("user"), chatItem: fields("chatItem"))
        case "rcvStandaloneFileComplete":
            self = try .rcvStandaloneFileComplete(
                user: fields("user"), targetPath: fields("targetPath"), rcvFileTransfer: fields("rcvFileTransfer"))
        case "rcvFileSndCancelled":
            self = try .rcvFileSndCancelled(
                user: fields("user"), chatItem: fields("chatItem"), rcvFileTransfer: fields("rcvFileTransfer"))
        case "rcvFileError":
            self = try .rcvFileError(
                user: fields("user"), chatItem_: fields.optional("chatItem_"), agentError: fields("agentError"),
                rcvFileTransfer: fields("rcvFileTransfer"))
        case "rcvFileWarning":
            self = try .rcvFileWarning(
                user: fields("user"), chatItem_: fields.optional("chatItem_"), agentError: fields("agentError"),
                rcvFileTransfer: fields("rcvFileTransfer"))
        case "sndFileStart":
            self = try .sndFileStart(
                user: fields("user"), chatItem: fields("chatItem"), sndFileTransfer: fields("sndFileTransfer"))
        case "sndFileComplete":
            self = try .sndFileComplete(
                user: fields("user"), chatItem: fields("chatItem"), sndFileTransfer: fields("sndFileTransfer"))
        case "sndFileRcvCancelled":
            self = try .sndFileRcvCancelled(
                user: fields("user"), chatItem_: fields.optional("chatItem_"),
                sndFileTransfer: fields("sndFileTransfer"))
        case "sndFileProgressXFTP":
            self = try .sndFileProgressXFTP(
                user: fields("user"), chatItem_: fields.optional("chatItem_"),
                fileTransferMeta: fields("fileTransferMeta"), sentSize: fields("sentSize"),
                totalSize: fields("totalSize"))
        case "sndFileRedirectStartXFTP":
            self = try .sndFileRedirectStartXFTP(
                user: fields("user"), fileTransferMeta: fields("fileTransferMeta"),
                redirectMeta: fields("redirectMeta"))
        case "sndFileCompleteXFTP":
            self = try .sndFileCompleteXFTP(
                user: fields("user"), chatItem: fields("chatItem"), fileTransferMeta: fields("fileTransferMeta"))
        case "sndStandaloneFileComplete":
            self = try .sndStandaloneFileComplete(
                user: fields("user"), fileTransferMeta: fields("fileTransferMeta"), rcvURIs: fields("rcvURIs"))
        case "sndFileError":
            self = try .sndFileError(
                user: fields("user"), chatItem_: fields.optional("chatItem_"),
                fileTransferMeta: fields("fileTransferMeta"), errorMessage: fields("errorMessage"))
        case "sndFileWarning":
            self = try .sndFileWarning(
                user: fields("user"), chatItem_: fields.optional("chatItem_"),
                fileTransferMeta: fields("fileTransferMeta"), errorMessage: fields("errorMessage"))
        case "contactConnecting": self = try .contactConnecting(user: fields("user"), contact: fields("contact"))
        case "contactConnected":
            self = try .contactConnected(
                user: fields("user"), contact: fields("contact"),
                userCustomProfile: fields.optional("userCustomProfile"))
        case "contactSndReady": self = try .contactSndReady(user: fields("user"), contact: fields("contact"))
        case "contactAnotherClient": self = try .contactAnotherClient(user: fields("user"), contact: fields("contact"))
        case "connectionsDiff": self = try .connectionsDiff(userIds: fields("userIds"), connIds: fields("connIds"))
        case "subscriptionEnd":
            self = try .subscriptionEnd(user: fields("user"), connectionEntity: fields("connectionEntity"))
        case "subscriptionStatus":
            self = try .subscriptionStatus(
                server: fields("server"), subscriptionStatus: fields("subscriptionStatus"),
                connections: fields("connections"))
        case "serviceSubStatus":
            self = try .serviceSubStatus(server: fields("server"), serviceSubEvent: fields("serviceSubEvent"))
        case "hostConnected":
            self = try .hostConnected(protocol: fields("protocol"), transportHost: fields("transportHost"))
        case "hostDisconnected":
            self = try .hostDisconnected(protocol: fields("protocol"), transportHost: fields("transportHost"))
        case "receivedGroupInvitation":
            self = try .receivedGroupInvitation(
                user: fields("user"), groupInfo: fields("groupInfo"), contact: fields("contact"),
                fromMemberRole: fields("fromMemberRole"), memberRole: fields("memberRole"))
        case "userJoinedGroup":
            self = try .userJoinedGroup(
                user: fields("user"), groupInfo: fields("groupInfo"), hostMember: fields("hostMember"))
        case "groupLinkDataUpdated":
            self = try .groupLinkDataUpdated(
                user: fields("user"), groupInfo: fields("groupInfo"), groupLink: fields("groupLink"),
                groupRelays: fields("groupRelays"), relaysChanged: fields("relaysChanged"))
        case "groupRelayUpdated":
            self = try .groupRelayUpdated(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                groupRelay: fields("groupRelay"))
        case "joinedGroupMember":
            self = try .joinedGroupMember(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        case "joinedGroupMemberConnecting":
            self = try .joinedGroupMemberConnecting(
                user: fields("user"), groupInfo: fields("groupInfo"), hostMember: fields("hostMember"),
                member: fields("member"))
        case "memberAcceptedByOther":
            self = try .memberAcceptedByOther(
                user: fields("user"), groupInfo: fields("groupInfo"), acceptingMember: fields("acceptingMember"),
                member: fields("member"))
        case "memberRole":
            self = try .memberRole(
                user: fields("user"), groupInfo: fields("groupInfo"), byMember: fields("byMember"),
                member: fields("member"), fromRole: fields("fromRole"), toRole: fields("toRole"),
                msgSigned: fields.optional("msgSigned"))
        case "memberBlockedForAll":
            self = try .memberBlockedForAll(
                user: fields("user"), groupInfo: fields("groupInfo"), byMember: fields("byMember"),
                member: fields("member"), blocked: fields("blocked"), msgSigned: fields.optional("msgSigned"))
        case "connectedToGroupMember":
            self = try .connectedToGroupMember(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                memberContact: fields.optional("memberContact"))
        case "deletedMember":
            self = try .deletedMember(
                user: fields("user"), groupInfo: fields("groupInfo"), byMember: fields("byMember"),
                deletedMember: fields("deletedMember"), withMessages: fields("withMessages"),
                msgSigned: fields.optional("msgSigned"))
        case "deletedMemberUser":
            self = try .deletedMemberUser(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                withMessages: fields("withMessages"), msgSigned: fields.optional("msgSigned"))
        case "leftMember":
            self = try .leftMember(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                msgSigned: fields.optional("msgSigned"))
        case "unknownMemberCreated":
            self = try .unknownMemberCreated(
                user: fields("user"), groupInfo: fields("groupInfo"), forwardedByMember: fields("forwardedByMember"),
                member: fields("member"))
        case "unknownMemberBlocked":
            self = try .unknownMemberBlocked(
                user: fields("user"), groupInfo: fields("groupInfo"), blockedByMember: fields("blockedByMember"),
                member: fields("member"))
        case "unknownMemberAnnounced":
            self = try .unknownMemberAnnounced(
                user: fields("user"), groupInfo: fields("groupInfo"), announcingMember: fields("announcingMember"),
                unknownMember: fields("unknownMember"), announcedMember: fields("announcedMember"))
        case "groupDeleted":
            self = try .groupDeleted(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"),
                msgSigned: fields.optional("msgSigned"))
        case "groupUpdated":
            self = try .groupUpdated(
                user: fields("user"), fromGroup: fields("fromGroup"), toGroup: fields("toGroup"),
                member_: fields.optional("member_"), msgSigned: fields.optional("msgSigned"))
        case "acceptingGroupJoinRequestMember":
            self = try .acceptingGroupJoinRequestMember(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        case "noMemberContactCreating":
            self = try .noMemberContactCreating(
                user: fields("user"), groupInfo: fields("groupInfo"), member: fields("member"))
        case "newMemberContactReceivedInv":
            self = try .newMemberContactReceivedInv(
                user: fields("user"), contact: fields("contact"), groupInfo: fields("groupInfo"),
                member: fields("member"))
        case "contactAndMemberAssociated":
            self = try .contactAndMemberAssociated(
                user: fields("user"), contact: fields("contact"), groupInfo: fields("groupInfo"),
                member: fields("member"), updatedContact: fields("updatedContact"))
        case "callInvitation": self = try .callInvitation(callInvitation: fields("callInvitation"))
        case "callOffer":
            self = try .callOffer(
                user: fields("user"), contact: fields("contact"), callType: fields("callType"), offer: fields("offer"),
                sharedKey: fields.optional("sharedKey"), askConfirmation: fields("askConfirmation"))
        case "callAnswer":
            self = try .callAnswer(user: fields("user"), contact: fields("contact"), answer: fields("answer"))
        case "callExtraInfo":
            self = try .callExtraInfo(user: fields("user"), contact: fields("contact"), extraInfo: fields("extraInfo"))
        case "callEnded": self = try .callEnded(user: fields("user"), contact: fields("contact"))
        case "ntfMessage":
            self = try .ntfMessage(
                user: fields("user"), connEntity: fields("connEntity"), ntfMessage: fields("ntfMessage"))
        case "remoteHostSessionCode":
            self = try .remoteHostSessionCode(
                remoteHost_: fields.optional("remoteHost_"), sessionCode: fields("sessionCode"))
        case "newRemoteHost": self = try .newRemoteHost(remoteHost: fields("remoteHost"))
        case "remoteHostConnected":
            self = try .remoteHostConnected(remoteHost: fields("remoteHost"), compression: fields("compression"))
        case "remoteHostStopped":
            self = try .remoteHostStopped(
                remoteHostId_: fields.optional("remoteHostId_"), rhsState: fields("rhsState"),
                rhStopReason: fields("rhStopReason"))
        case "remoteCtrlFound":
            self = try .remoteCtrlFound(
                remoteCtrl: fields("remoteCtrl"), ctrlAppInfo_: fields.optional("ctrlAppInfo_"),
                appVersion: fields("appVersion"), compatible: fields("compatible"))
        case "remoteCtrlSessionCode":
            self = try .remoteCtrlSessionCode(
                remoteCtrl_: fields.optional("remoteCtrl_"), sessionCode: fields("sessionCode"))
        case "remoteCtrlStopped":
            self = try .remoteCtrlStopped(rcsState: fields("rcsState"), rcStopReason: fields("rcStopReason"))
        case "contactPQEnabled":
            self = try .contactPQEnabled(
                user: fields("user"), contact: fields("contact"), pqEnabled: fields("pqEnabled"))
        case "contactDisabled": self = try .contactDisabled(user: fields("user"), contact: fields("contact"))
        case "connectionDisabled": self = try .connectionDisabled(connectionEntity: fields("connectionEntity"))
        case "connectionInactive":
            self = try .connectionInactive(connectionEntity: fields("connectionEntity"), inactive: fields("inactive"))
        case "agentRcvQueuesDeleted": self = try .agentRcvQueuesDeleted(deletedRcvQueues: fields("deletedRcvQueues"))
        case "agentConnsDeleted": self = try .agentConnsDeleted(agentConnIds: fields("agentConnIds"))
        case "agentUserDeleted": self = try .agentUserDeleted(agentUserId: fields("agentUserId"))
        case "messageError":
            self = try .messageError(
                user: fields("user"), severity: fields("severity"), errorMessage: fields("errorMessage"))
        case "chatErrors": self = try .chatErrors(chatErrors: fields("chatErrors"))
        case "timedAction":
            self = try .timedAction(action: fields("action"), durationMilliseconds: fields("durationMilliseconds"))
        case "customChatEvent":
            self = try .customChatEvent(user_: fields.optional("user_"), response: fields("response"))
        case "remoteCtrlConnected": self = try .remoteCtrlConnected(remoteCtrl: fields("remoteCtrl"))
        case "chatError": self = try .chatError(chatError: fields("chatError"))
        case "contactsMerged":
            self = try .contactsMerged(
                user: fields("user"), intoContact: fields("intoContact"), mergedContact: fields("mergedContact"),
                updatedContact: fields("updatedContact"))
        case "networkStatus":
            self = try .networkStatus(networkStatus: fields("networkStatus"), connections: fields("connections"))
        case "networkStatuses":
            self = try .networkStatuses(user_: fields.optional("user_"), networkStatuses: fields("networkStatuses"))
        case "connSubSummary":
            self = try .connSubSummary(user: fields("user"), connSubResults: fields("connSubResults"))
        case "contactsDisconnected":
            self = try .contactsDisconnected(server: fields("server"), contactRefs: fields("contactRefs"))
        case "contactsSubscribed":
            self = try .contactsSubscribed(server: fields("server"), contactRefs: fields("contactRefs"))
        case "terminalEvent": self = try .terminalEvent(fields("data"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .chatSuspended: try encoder.tagged("chatSuspended")
        case .contactSwitch(let user, let contact, let switchProgress):
            try encoder.tagged("contactSwitch")("user", user)("contact", contact)("switchProgress", switchProgress)
        case .groupMemberSwitch(let user, let groupInfo, let member, let switchProgress):
            try encoder.tagged("groupMemberSwitch")("user", user)("groupInfo", groupInfo)("member", member)(
                "switchProgress", switchProgress)
        case .contactRatchetSync(let user, let contact, let ratchetSyncProgress):
            try encoder.tagged("contactRatchetSync")("user", user)("contact", contact)(
                "ratchetSyncProgress", ratchetSyncProgress)
        case .groupMemberRatchetSync(let user, let groupInfo, let member, let ratchetSyncProgress):
            try encoder.tagged("groupMemberRatchetSync")("user", user)("groupInfo", groupInfo)("member", member)(
                "ratchetSyncProgress", ratchetSyncProgress)
        case .chatInfoUpdated(let user, let chatInfo):
            try encoder.tagged("chatInfoUpdated")("user", user)("chatInfo", chatInfo)
        case .newChatItems(let user, let chatItems):
            try encoder.tagged("newChatItems")("user", user)("chatItems", chatItems)
        case .chatItemsStatusesUpdated(let user, let chatItems):
            try encoder.tagged("chatItemsStatusesUpdated")("user", user)("chatItems", chatItems)
        case .chatItemUpdated(let user, let chatItem):
            try encoder.tagged("chatItemUpdated")("user", user)("chatItem", chatItem)
        case .chatItemNotChanged(let user, let chatItem):
            try encoder.tagged("chatItemNotChanged")("user", user)("chatItem", chatItem)
        case .chatItemReaction(let user, let added, let reaction):
            try encoder.tagged("chatItemReaction")("user", user)("added", added)("reaction", reaction)
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
            try encoder.tagged("groupChatItemsDeleted")("user", user)("groupInfo", groupInfo)(
                "chatItemIDs", chatItemIDs)("byUser", byUser).optional("member_", member_)
        case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
            try encoder.tagged("chatItemsDeleted")("user", user)("chatItemDeletions", chatItemDeletions)(
                "byUser", byUser)("timed", timed)
        case .chatItemDeletedNotFound(let user, let contact, let sharedMsgId):
            try encoder.tagged("chatItemDeletedNotFound")("user", user)("contact", contact)("sharedMsgId", sharedMsgId)
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            try encoder.tagged("userAcceptedGroupSent")("user", user)("groupInfo", groupInfo).optional(
                "hostContact", hostContact)
        case .groupLinkConnecting(let user, let groupInfo, let hostMember):
            try encoder.tagged("groupLinkConnecting")("user", user)("groupInfo", groupInfo)("hostMember", hostMember)
        case .businessLinkConnecting(let user, let groupInfo, let hostMember, let fromContact):
            try encoder.tagged("businessLinkConnecting")("user", user)("groupInfo", groupInfo)(
                "hostMember", hostMember)("fromContact", fromContact)
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            try encoder.tagged("sentGroupInvitation")("user", user)("groupInfo", groupInfo)("contact", contact)(
                "member", member)
        case .contactUpdated(let user, let fromContact, let toContact):
            try encoder.tagged("contactUpdated")("user", user)("fromContact", fromContact)("toContact", toContact)
        case .groupMemberUpdated(let user, let groupInfo, let fromMember, let toMember):
            try encoder.tagged("groupMemberUpdated")("user", user)("groupInfo", groupInfo)("fromMember", fromMember)(
                "toMember", toMember)
        case .contactDeletedByContact(let user, let contact):
            try encoder.tagged("contactDeletedByContact")("user", user)("contact", contact)
        case .receivedContactRequest(let user, let contactRequest, let chat_):
            try encoder.tagged("receivedContactRequest")("user", user)("contactRequest", contactRequest).optional(
                "chat_", chat_)
        case .acceptingContactRequest(let user, let contact):
            try encoder.tagged("acceptingContactRequest")("user", user)("contact", contact)
        case .acceptingBusinessRequest(let user, let groupInfo):
            try encoder.tagged("acceptingBusinessRequest")("user", user)("groupInfo", groupInfo)
        case .contactRequestAlreadyAccepted(let user, let contact):
            try encoder.tagged("contactRequestAlreadyAccepted")("user", user)("contact", contact)
        case .businessRequestAlreadyAccepted(let user, let groupInfo):
            try encoder.tagged("businessRequestAlreadyAccepted")("user", user)("groupInfo", groupInfo)
        case .rcvFileDescrReady(let user, let chatItem, let rcvFileTransfer, let rcvFileDescr):
            try encoder.tagged("rcvFileDescrReady")("user", user)("chatItem", chatItem)(
                "rcvFileTransfer", rcvFileTransfer)("rcvFileDescr", rcvFileDescr)
        case .rcvFileAccepted(let user, let chatItem):
            try encoder.tagged("rcvFileAccepted")("user", user)("chatItem", chatItem)
        case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
            try encoder.tagged("rcvFileAcceptedSndCancelled")("user", user)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileStart(let user, let chatItem):
            try encoder.tagged("rcvFileStart")("user", user)("chatItem", chatItem)
        case .rcvFileProgressXFTP(let user, let chatItem_, let receivedSize, let totalSize, let rcvFileTransfer):
            try encoder.tagged("rcvFileProgressXFTP")("user", user).optional("chatItem_", chatItem_)(
                "receivedSize", receivedSize)("totalSize", totalSize)("rcvFileTransfer", rcvFileTransfer)
        case .rcvFileComplete(let user, let chatItem):
            try encoder.tagged("rcvFileComplete")("user", user)("chatItem", chatItem)
        case .rcvStandaloneFileComplete(let user, let targetPath, let rcvFileTransfer):
            try encoder.tagged("rcvStandaloneFileComplete")("user", user)("targetPath", targetPath)(
                "rcvFileTransfer", rcvFileTransfer)
        case .rcvFileSndCancelled(let user, let chatItem, let rcvFileTransfer):
            try encoder.tagged("rcvFileSndCancelled")("user", user)("chatItem", chatItem)(
                "rcvFileTransfer", rcvFileTransfer)
        case .rcvFileError(let user, let chatItem_, let agentError, let rcvFileTransfer):
            try encoder.tagged("rcvFileError")("user", user).optional("chatItem_", chatItem_)("agentError", agentError)(
                "rcvFileTransfer", rcvFileTransfer)
        case .rcvFileWarning(let user, let chatItem_, let agentError, let rcvFileTransfer):
            try encoder.tagged("rcvFileWarning")("user", user).optional("chatItem_", chatItem_)(
                "agentError", agentError)("rcvFileTransfer", rcvFileTransfer)
        case .sndFileStart(let user, let chatItem, let sndFileTransfer):
            try encoder.tagged("sndFileStart")("user", user)("chatItem", chatItem)("sndFileTransfer", sndFileTransfer)
        case .sndFileComplete(let user, let chatItem, let sndFileTransfer):
            try encoder.tagged("sndFileComplete")("user", user)("chatItem", chatItem)(
                "sndFileTransfer", sndFileTransfer)
        case .sndFileRcvCancelled(let user, let chatItem_, let sndFileTransfer):
            try encoder.tagged("sndFileRcvCancelled")("user", user).optional("chatItem_", chatItem_)(
                "sndFileTransfer", sndFileTransfer)
        case .sndFileProgressXFTP(let user, let chatItem_, let fileTransferMeta, let sentSize, let totalSize):
            try encoder.tagged("sndFileProgressXFTP")("user", user).optional("chatItem_", chatItem_)(
                "fileTransferMeta", fileTransferMeta)("sentSize", sentSize)("totalSize", totalSize)
        case .sndFileRedirectStartXFTP(let user, let fileTransferMeta, let redirectMeta):
            try encoder.tagged("sndFileRedirectStartXFTP")("user", user)("fileTransferMeta", fileTransferMeta)(
                "redirectMeta", redirectMeta)
        case .sndFileCompleteXFTP(let user, let chatItem, let fileTransferMeta):
            try encoder.tagged("sndFileCompleteXFTP")("user", user)("chatItem", chatItem)(
                "fileTransferMeta", fileTransferMeta)
        case .sndStandaloneFileComplete(let user, let fileTransferMeta, let rcvURIs):
            try encoder.tagged("sndStandaloneFileComplete")("user", user)("fileTransferMeta", fileTransferMeta)(
                "rcvURIs", rcvURIs)
        case .sndFileError(let user, let chatItem_, let fileTransferMeta, let errorMessage):
            try encoder.tagged("sndFileError")("user", user).optional("chatItem_", chatItem_)(
                "fileTransferMeta", fileTransferMeta)("errorMessage", errorMessage)
        case .sndFileWarning(let user, let chatItem_, let fileTransferMeta, let errorMessage):
            try encoder.tagged("sndFileWarning")("user", user).optional("chatItem_", chatItem_)(
                "fileTransferMeta", fileTransferMeta)("errorMessage", errorMessage)
        case .contactConnecting(let user, let contact):
            try encoder.tagged("contactConnecting")("user", user)("contact", contact)
        case .contactConnected(let user, let contact, let userCustomProfile):
            try encoder.tagged("contactConnected")("user", user)("contact", contact).optional(
                "userCustomProfile", userCustomProfile)
        case .contactSndReady(let user, let contact):
            try encoder.tagged("contactSndReady")("user", user)("contact", contact)
        case .contactAnotherClient(let user, let contact):
            try encoder.tagged("contactAnotherClient")("user", user)("contact", contact)
        case .connectionsDiff(let userIds, let connIds):
            try encoder.tagged("connectionsDiff")("userIds", userIds)("connIds", connIds)
        case .subscriptionEnd(let user, let connectionEntity):
            try encoder.tagged("subscriptionEnd")("user", user)("connectionEntity", connectionEntity)
        case .subscriptionStatus(let server, let subscriptionStatus, let connections):
            try encoder.tagged("subscriptionStatus")("server", server)("subscriptionStatus", subscriptionStatus)(
                "connections", connections)
        case .serviceSubStatus(let server, let serviceSubEvent):
            try encoder.tagged("serviceSubStatus")("server", server)("serviceSubEvent", serviceSubEvent)
        case .hostConnected(let `protocol`, let transportHost):
            try encoder.tagged("hostConnected")("protocol", `protocol`)("transportHost", transportHost)
        case .hostDisconnected(let `protocol`, let transportHost):
            try encoder.tagged("hostDisconnected")("protocol", `protocol`)("transportHost", transportHost)
        case .receivedGroupInvitation(let user, let groupInfo, let contact, let fromMemberRole, let memberRole):
            try encoder.tagged("receivedGroupInvitation")("user", user)("groupInfo", groupInfo)("contact", contact)(
                "fromMemberRole", fromMemberRole)("memberRole", memberRole)
        case .userJoinedGroup(let user, let groupInfo, let hostMember):
            try encoder.tagged("userJoinedGroup")("user", user)("groupInfo", groupInfo)("hostMember", hostMember)
        case .groupLinkDataUpdated(let user, let groupInfo, let groupLink, let groupRelays, let relaysChanged):
            try encoder.tagged("groupLinkDataUpdated")("user", user)("groupInfo", groupInfo)("groupLink", groupLink)(
                "groupRelays", groupRelays)("relaysChanged", relaysChanged)
        case .groupRelayUpdated(let user, let groupInfo, let member, let groupRelay):
            try encoder.tagged("groupRelayUpdated")("user", user)("groupInfo", groupInfo)("member", member)(
                "groupRelay", groupRelay)
        case .joinedGroupMember(let user, let groupInfo, let member):
            try encoder.tagged("joinedGroupMember")("user", user)("groupInfo", groupInfo)("member", member)
        case .joinedGroupMemberConnecting(let user, let groupInfo, let hostMember, let member):
            try encoder.tagged("joinedGroupMemberConnecting")("user", user)("groupInfo", groupInfo)(
                "hostMember", hostMember)("member", member)
        case .memberAcceptedByOther(let user, let groupInfo, let acceptingMember, let member):
            try encoder.tagged("memberAcceptedByOther")("user", user)("groupInfo", groupInfo)(
                "acceptingMember", acceptingMember)("member", member)
        case .memberRole(let user, let groupInfo, let byMember, let member, let fromRole, let toRole, let msgSigned):
            try encoder.tagged("memberRole")("user", user)("groupInfo", groupInfo)("byMember", byMember)(
                "member", member)("fromRole", fromRole)("toRole", toRole).optional("msgSigned", msgSigned)
        case .memberBlockedForAll(let user, let groupInfo, let byMember, let member, let blocked, let msgSigned):
            try encoder.tagged("memberBlockedForAll")("user", user)("groupInfo", groupInfo)("byMember", byMember)(
                "member", member)("blocked", blocked).optional("msgSigned", msgSigned)
        case .connectedToGroupMember(let user, let groupInfo, let member, let memberContact):
            try encoder.tagged("connectedToGroupMember")("user", user)("groupInfo", groupInfo)(
                "member", member).optional("memberContact", memberContact)
        case .deletedMember(let user, let groupInfo, let byMember, let deletedMember, let withMessages, let msgSigned):
            try encoder.tagged("deletedMember")("user", user)("groupInfo", groupInfo)("byMember", byMember)(
                "deletedMember", deletedMember)("withMessages", withMessages).optional("msgSigned", msgSigned)
        case .deletedMemberUser(let user, let groupInfo, let member, let withMessages, let msgSigned):
            try encoder.tagged("deletedMemberUser")("user", user)("groupInfo", groupInfo)("member", member)(
                "withMessages", withMessages).optional("msgSigned", msgSigned)
        case .leftMember(let user, let groupInfo, let member, let msgSigned):
            try encoder.tagged("leftMember")("user", user)("groupInfo", groupInfo)("member", member).optional(
                "msgSigned", msgSigned)
        case .unknownMemberCreated(let user, let groupInfo, let forwardedByMember, let member):
            try encoder.tagged("unknownMemberCreated")("user", user)("groupInfo", groupInfo)(
                "forwardedByMember", forwardedByMember)("member", member)
        case .unknownMemberBlocked(let user, let groupInfo, let blockedByMember, let member):
            try encoder.tagged("unknownMemberBlocked")("user", user)("groupInfo", groupInfo)(
                "blockedByMember", blockedByMember)("member", member)
        case .unknownMemberAnnounced(
            let user, let groupInfo, let announcingMember, let unknownMember, let announcedMember):
            try encoder.tagged("unknownMemberAnnounced")("user", user)("groupInfo", groupInfo)(
                "announcingMember", announcingMember)("unknownMember", unknownMember)(
                "announcedMember", announcedMember)
        case .groupDeleted(let user, let groupInfo, let member, let msgSigned):
            try encoder.tagged("groupDeleted")("user", user)("groupInfo", groupInfo)("member", member).optional(
                "msgSigned", msgSigned)
        case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
            try encoder.tagged("groupUpdated")("user", user)("fromGroup", fromGroup)("toGroup", toGroup).optional(
                "member_", member_).optional("msgSigned", msgSigned)
        case .acceptingGroupJoinRequestMember(let user, let groupInfo, let member):
            try encoder.tagged("acceptingGroupJoinRequestMember")("user", user)("groupInfo", groupInfo)(
                "member", member)
        case .noMemberContactCreating(let user, let groupInfo, let member):
            try encoder.tagged("noMemberContactCreating")("user", user)("groupInfo", groupInfo)("member", member)
        case .newMemberContactReceivedInv(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContactReceivedInv")("user", user)("contact", contact)("groupInfo", groupInfo)(
                "member", member)
        case .contactAndMemberAssociated(let user, let contact, let groupInfo, let member, let updatedContact):
            try encoder.tagged("contactAndMemberAssociated")("user", user)("contact", contact)("groupInfo", groupInfo)(
                "member", member)("updatedContact", updatedContact)
        case .callInvitation(let callInvitation): try encoder.tagged("callInvitation")("callInvitation", callInvitation)
        case .callOffer(let user, let contact, let callType, let offer, let sharedKey, let askConfirmation):
            try encoder.tagged("callOffer")("user", user)("contact", contact)("callType", callType)(
                "offer", offer).optional("sharedKey", sharedKey)("askConfirmation", askConfirmation)
        case .callAnswer(let user, let contact, let answer):
            try encoder.tagged("callAnswer")("user", user)("contact", contact)("answer", answer)
        case .callExtraInfo(let user, let contact, let extraInfo):
            try encoder.tagged("callExtraInfo")("user", user)("contact", contact)("extraInfo", extraInfo)
        case .callEnded(let user, let contact): try encoder.tagged("callEnded")("user", user)("contact", contact)
        case .ntfMessage(let user, let connEntity, let ntfMessage):
            try encoder.tagged("ntfMessage")("user", user)("connEntity", connEntity)("ntfMessage", ntfMessage)
        case .remoteHostSessionCode(let remoteHost_, let sessionCode):
            try encoder.tagged("remoteHostSessionCode").optional("remoteHost_", remoteHost_)("sessionCode", sessionCode)
        case .newRemoteHost(let remoteHost): try encoder.tagged("newRemoteHost")("remoteHost", remoteHost)
        case .remoteHostConnected(let remoteHost, let compression):
            try encoder.tagged("remoteHostConnected")("remoteHost", remoteHost)("compression", compression)
        case .remoteHostStopped(let remoteHostId_, let rhsState, let rhStopReason):
            try encoder.tagged("remoteHostStopped").optional("remoteHostId_", remoteHostId_)("rhsState", rhsState)(
                "rhStopReason", rhStopReason)
        case .remoteCtrlFound(let remoteCtrl, let ctrlAppInfo_, let appVersion, let compatible):
            try encoder.tagged("remoteCtrlFound")("remoteCtrl", remoteCtrl).optional("ctrlAppInfo_", ctrlAppInfo_)(
                "appVersion", appVersion)("compatible", compatible)
        case .remoteCtrlSessionCode(let remoteCtrl_, let sessionCode):
            try encoder.tagged("remoteCtrlSessionCode").optional("remoteCtrl_", remoteCtrl_)("sessionCode", sessionCode)
        case .remoteCtrlStopped(let rcsState, let rcStopReason):
            try encoder.tagged("remoteCtrlStopped")("rcsState", rcsState)("rcStopReason", rcStopReason)
        case .contactPQEnabled(let user, let contact, let pqEnabled):
            try encoder.tagged("contactPQEnabled")("user", user)("contact", contact)("pqEnabled", pqEnabled)
        case .contactDisabled(let user, let contact):
            try encoder.tagged("contactDisabled")("user", user)("contact", contact)
        case .connectionDisabled(let connectionEntity):
            try encoder.tagged("connectionDisabled")("connectionEntity", connectionEntity)
        case .connectionInactive(let connectionEntity, let inactive):
            try encoder.tagged("connectionInactive")("connectionEntity", connectionEntity)("inactive", inactive)
        case .agentRcvQueuesDeleted(let deletedRcvQueues):
            try encoder.tagged("agentRcvQueuesDeleted")("deletedRcvQueues", deletedRcvQueues)
        case .agentConnsDeleted(let agentConnIds): try encoder.tagged("agentConnsDeleted")("agentConnIds", agentConnIds)
        case .agentUserDeleted(let agentUserId): try encoder.tagged("agentUserDeleted")("agentUserId", agentUserId)
        case .messageError(let user, let severity, let errorMessage):
            try encoder.tagged("messageError")("user", user)("severity", severity)("errorMessage", errorMessage)
        case .chatErrors(let chatErrors): try encoder.tagged("chatErrors")("chatErrors", chatErrors)
        case .timedAction(let action, let durationMilliseconds):
            try encoder.tagged("timedAction")("action", action)("durationMilliseconds", durationMilliseconds)
        case .customChatEvent(let user_, let response):
            try encoder.tagged("customChatEvent").optional("user_", user_)("response", response)
        case .remoteCtrlConnected(let remoteCtrl): try encoder.tagged("remoteCtrlConnected")("remoteCtrl", remoteCtrl)
        case .chatError(let chatError): try encoder.tagged("chatError")("chatError", chatError)
        case .contactsMerged(let user, let intoContact, let mergedContact, let updatedContact):
            try encoder.tagged("contactsMerged")("user", user)("intoContact", intoContact)(
                "mergedContact", mergedContact)("updatedContact", updatedContact)
        case .networkStatus(let networkStatus, let connections):
            try encoder.tagged("networkStatus")("networkStatus", networkStatus)("connections", connections)
        case .networkStatuses(let user_, let networkStatuses):
            try encoder.tagged("networkStatuses").optional("user_", user_)("networkStatuses", networkStatuses)
        case .connSubSummary(let user, let connSubResults):
            try encoder.tagged("connSubSummary")("user", user)("connSubResults", connSubResults)
        case .contactsDisconnected(let server, let contactRefs):
            try encoder.tagged("contactsDisconnected")("server", server)("contactRefs", contactRefs)
        case .contactsSubscribed(let server, let contactRefs):
            try encoder.tagged("contactsSubscribed")("server", server)("contactRefs", contactRefs)
        case .terminalEvent(let data): try encoder.tagged("terminalEvent")("data", data)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
