package import ChatAPI

/// A chat that an event concerns, or an item of the chat. When the chat or the item is deleted, its content in the
/// event is redacted.
struct EventSubject: Hashable, Sendable {
    /// The text by which commands name the chat: `@5`, `#2`, `*1`.
    package let chatText: String
    /// The id of the item; 0 for the chat itself.
    package var itemId: Int64 = 0
    /// Whether the item is marked as deleted.
    package var isDeleted = false
}

extension ChatKey {
    /// The text by which commands name the chat, such as `@5`; empty for the key `memberSupport`.
    package var subjectText: String {
        switch self {
        case .contact(let id): "@\(id)"
        case .group(let id): "#\(id)"
        case .notes(let id): "*\(id)"
        // A support chat and its items have the same subject as the group (``ItemRecord``).
        case .supportChatReference(let id, _): "#\(id)"
        case .memberSupport: ""
        }
    }
}

extension ChatEvent {
    /// The chats and items that the event concerns.
    var subjects: Set<EventSubject> {
        switch self {
        case .newChatItems(_, let items), .chatItemsStatusesUpdated(_, let items): Set(items.map(EventSubject.init))
        case .chatItemUpdated(_, let item), .chatItemNotChanged(_, let item), .rcvFileDescrReady(_, let item, _, _),
            .rcvFileAccepted(_, let item),
            .rcvFileStart(_, let item), .rcvFileComplete(_, let item), .rcvFileSndCancelled(_, let item, _),
            .sndFileStart(_, let item, _),
            .sndFileComplete(_, let item, _), .sndFileCompleteXFTP(_, let item, _):
            [EventSubject(item)]
        case .rcvFileProgressXFTP(_, let item, _, _, _), .rcvFileError(_, let item, _, _),
            .rcvFileWarning(_, let item, _, _),
            .sndFileRcvCancelled(_, let item, _), .sndFileProgressXFTP(_, let item, _, _, _),
            .sndFileError(_, let item, _, _),
            .sndFileWarning(_, let item, _, _):
            Set(item.map(EventSubject.init).map { [$0] } ?? [])
        case .chatItemReaction(_, _, let reaction): [EventSubject(reaction.chatInfo, reaction.chatReaction.chatItem)]
        case .chatItemsDeleted(_, let deletions, _, _):
            Set(deletions.flatMap { [$0.deletedChatItem, $0.toChatItem].compactMap(\.self) }.map(EventSubject.init))
        case .receivedContactRequest(_, let request, let chat):
            Set(
                (request.contactId_.map { [EventSubject(chatText: "@\($0)")] } ?? [])
                    + (chat.map(EventSubject.makeSubjects) ?? [])
            )
        case .chatInfoUpdated(_, let info): [EventSubject(chatText: info.subjectText)]

        case .contactSwitch(_, let contact, _), .contactRatchetSync(_, let contact, _),
            .chatItemDeletedNotFound(_, let contact, _),
            .contactUpdated(_, _, let contact), .contactDeletedByContact(_, let contact),
            .acceptingContactRequest(_, let contact),
            .contactRequestAlreadyAccepted(_, let contact), .contactConnecting(_, let contact),
            .contactConnected(_, let contact, _),
            .contactSndReady(_, let contact), .contactAnotherClient(_, let contact),
            .callOffer(_, let contact, _, _, _, _),
            .callAnswer(_, let contact, _), .callExtraInfo(_, let contact, _), .callEnded(_, let contact),
            .contactPQEnabled(_, let contact, _),
            .contactDisabled(_, let contact), .terminalEvent(.contactVerificationReset(_, let contact)):
            [EventSubject(contact)]
        case .callInvitation(let invitation): [EventSubject(invitation.contact)]
        case .contactsMerged(_, let into, let merged, let updated):
            [EventSubject(into), EventSubject(merged), EventSubject(updated)]
        case .contactsDisconnected(_, let contacts), .contactsSubscribed(_, let contacts):
            Set(contacts.map { EventSubject(chatText: "@\($0.contactId)") })
        case .subscriptionEnd(_, let entity), .connectionDisabled(let entity), .connectionInactive(let entity, _),
            .ntfMessage(_, let entity, _):
            entity.subjects
        case .chatError(let error): error.subjects
        case .chatErrors(let errors): errors.reduce(into: []) { $0.formUnion($1.subjects) }

        case .groupChatItemsDeleted(_, let group, let itemIds, _, _):
            Set(itemIds.map { EventSubject(chatText: "#\(group.groupId)", itemId: $0, isDeleted: true) })
        case .groupMemberSwitch(_, let group, _, _), .groupMemberRatchetSync(_, let group, _, _),
            .groupLinkConnecting(_, let group, _),
            .groupMemberUpdated(_, let group, _, _), .acceptingBusinessRequest(_, let group),
            .businessRequestAlreadyAccepted(_, let group),
            .userJoinedGroup(_, let group, _), .groupLinkDataUpdated(_, let group, _, _, _),
            .groupRelayUpdated(_, let group, _, _),
            .joinedGroupMember(_, let group, _), .joinedGroupMemberConnecting(_, let group, _, _),
            .memberAcceptedByOther(_, let group, _, _),
            .memberRole(_, let group, _, _, _, _, _), .memberBlockedForAll(_, let group, _, _, _, _),
            .deletedMember(_, let group, _, _, _, _),
            .deletedMemberUser(_, let group, _, _, _), .leftMember(_, let group, _, _),
            .unknownMemberCreated(_, let group, _, _),
            .unknownMemberBlocked(_, let group, _, _), .unknownMemberAnnounced(_, let group, _, _, _),
            .groupDeleted(_, let group, _, _),
            .groupUpdated(_, _, let group, _, _), .acceptingGroupJoinRequestMember(_, let group, _),
            .noMemberContactCreating(_, let group, _),
            .terminalEvent(.groupLinkRejected(_, let group, _)), .terminalEvent(.relayRejected(_, let group, _)),
            .terminalEvent(.rejectingGroupJoinRequestMember(_, let group, _, _)),
            .terminalEvent(.groupMemberVerificationReset(_, let group, _)):
            [EventSubject(group)]
        case .userAcceptedGroupSent(_, let group, let contact), .connectedToGroupMember(_, let group, _, let contact):
            Set([EventSubject(group)] + (contact.map { [EventSubject($0)] } ?? []))
        case .businessLinkConnecting(_, let group, _, let contact), .sentGroupInvitation(_, let group, let contact, _),
            .receivedGroupInvitation(_, let group, let contact, _, _),
            .newMemberContactReceivedInv(_, let contact, let group, _),
            .contactAndMemberAssociated(_, let contact, let group, _, _),
            .terminalEvent(.newMemberContact(_, let contact, let group, _)):
            [EventSubject(group), EventSubject(contact)]

        case .chatSuspended, .rcvFileAcceptedSndCancelled, .rcvStandaloneFileComplete, .sndFileRedirectStartXFTP,
            .sndStandaloneFileComplete,
            .connectionsDiff, .subscriptionStatus, .serviceSubStatus, .hostConnected, .hostDisconnected,
            .remoteHostSessionCode, .newRemoteHost,
            .remoteHostConnected, .remoteHostStopped, .remoteCtrlFound, .remoteCtrlSessionCode, .remoteCtrlStopped,
            .remoteCtrlConnected,
            .agentRcvQueuesDeleted, .agentConnsDeleted, .agentUserDeleted, .messageError, .timedAction,
            .customChatEvent, .networkStatus,
            .networkStatuses, .connSubSummary, .terminalEvent(.unrecognized), .unrecognized:
            []
        }
    }
}

extension EventSubject {
    fileprivate init(_ item: AChatItem) { self.init(item.chatInfo, item.chatItem) }

    fileprivate init(_ info: ChatInfo, _ item: ChatItem) {
        self.init(
            chatText: info.subjectText,
            itemId: item.meta.itemId,
            isDeleted: item.meta.itemDeleted?.deletesContent == true
        )
    }

    fileprivate init(_ contact: Contact) { self.init(chatText: "@\(contact.contactId)") }
    fileprivate init(_ group: GroupInfo) { self.init(chatText: "#\(group.groupId)") }

    fileprivate static func makeSubjects(_ chat: AChat) -> [EventSubject] {
        [EventSubject(chatText: chat.chatInfo.subjectText)] + chat.chatItems.map { EventSubject(chat.chatInfo, $0) }
    }
}

extension ChatInfo {
    /// The text by which commands name the chat, such as `@5`; empty if there is no chat.
    package var subjectText: String {
        switch self {
        case .direct(let contact): "@\(contact.contactId)"
        case .group(let group, _): "#\(group.groupId)"
        case .local(let folder): "*\(folder.noteFolderId)"
        case .contactRequest(let request): request.contactId_.map { "@\($0)" } ?? ""
        case .contactConnection, .invalidJSON, .unrecognized: ""
        }
    }
}

extension ConnectionEntity {
    fileprivate var subjects: Set<EventSubject> {
        switch self {
        case .rcvDirectMsgConnection(_, let contact?): [EventSubject(contact)]
        case .rcvGroupMsgConnection(_, let group, _): [EventSubject(group)]
        case .rcvDirectMsgConnection, .userContactConnection, .unrecognized: []
        }
    }
}

extension ChatError {
    /// The subjects of an error. Only errors that contain a whole contact, or the entity of a connection, have
    /// subjects.
    fileprivate var subjects: Set<EventSubject> {
        switch self {
        case .error(.contactNotReady(let contact)), .error(.contactNotActive(let contact)),
            .error(.contactDisabled(let contact)),
            .error(.directMessagesProhibited(_, let contact)):
            [EventSubject(contact)]
        case .errorAgent(_, _, let entity): entity?.subjects ?? []
        case .error, .errorStore, .errorDatabase, .errorRemoteCtrl, .errorRemoteHost, .unrecognized: []
        }
    }
}
