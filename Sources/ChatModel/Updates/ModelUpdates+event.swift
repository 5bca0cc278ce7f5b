package import ChatAPI

extension ModelUpdates {
    /// Computes the effect of an event. An event without an effect on the state results in no updates.
    package init(_ event: ChatEvent) {
        self =
            Self.messages(event) ?? Self.files(event) ?? Self.contacts(event) ?? Self.groups(event) ?? Self.core(event)
            ?? .none
    }

    private static func messages(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .newChatItems(let user, let items): of(user, items.flatMap { [.newItem($0)] + CallStep.updates(of: $0) })
        case .chatItemsStatusesUpdated(let user, let items): of(user, items.map(ModelUpdate.item))
        case .chatItemUpdated(let user, let item): of(user, [.item(item)] + CallStep.updates(of: item))
        case .chatItemNotChanged(let user, let item): of(user, .item(item))
        case .chatItemReaction(let user, _, let reaction): of(user, .item(reaction.item))
        case .chatItemsDeleted(let user, let deletions, _, _): of(user, deletions.flatMap(\.updates))
        case .groupChatItemsDeleted(let user, let group, let itemIds, _, _):
            of(user, .removeItems(group.id, itemIds: itemIds))
        case .chatInfoUpdated(let user, let info): of(user, .knownChatInfo(info))
        default: nil
        }
    }

    private static func files(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .rcvFileDescrReady(let user, let item, _, _), .rcvFileAccepted(let user, let item),
            .rcvFileStart(let user, let item),
            .rcvFileComplete(let user, let item), .rcvFileSndCancelled(let user, let item, _),
            .sndFileStart(let user, let item, _),
            .sndFileComplete(let user, let item, _), .sndFileCompleteXFTP(let user, let item, _):
            of(user, .item(item))
        case .rcvFileProgressXFTP(let user, let item, _, _, _), .rcvFileError(let user, let item, _, _),
            .rcvFileWarning(let user, let item, _, _), .sndFileRcvCancelled(let user, let item, _),
            .sndFileProgressXFTP(let user, let item, _, _, _), .sndFileError(let user, let item, _, _),
            .sndFileWarning(let user, let item, _, _):
            of(user, item.map { [.item($0)] } ?? [])
        default: nil
        }
    }

    private static func contacts(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .contactConnected(let user, let contact, _), .contactSndReady(let user, let contact):
            // The connection must be subscribed, since the event has arrived over it.
            of(
                user,
                connecting(contact)
                    + (contact.activeConn.map { [.subscription(.active, connections: [$0.agentConnId])] }).orEmpty
            )
        case .contactConnecting(let user, let contact): of(user, connecting(contact))
        case .receivedContactRequest(let user, let request, let chat):
            of(user, chat.map { .chat($0) } ?? .chatInfo(.contactRequest(contactRequest: request)))
        case .acceptingContactRequest(let user, let contact), .contactRequestAlreadyAccepted(let user, let contact):
            of(user, .chatInfo(.direct(contact: contact)))
        case .contactUpdated(let user, _, let contact): of(user, .knownChatInfo(.direct(contact: contact)))
        case .contactSwitch(let user, let contact, _), .contactRatchetSync(let user, let contact, _),
            .contactDeletedByContact(let user, let contact), .contactPQEnabled(let user, let contact, _),
            .contactDisabled(let user, let contact),
            .contactAnotherClient(let user, let contact):
            of(user, .knownChatInfo(.direct(contact: contact)))
        case .contactsMerged(let user, let into, let merged, let updated):
            // One of the two contacts remains: `updated`. The chat of the other contact is merged into the chat of
            // `updated`.
            of(
                user,
                [into, merged].filter { $0.contactId != updated.contactId }.map {
                    .mergeChat($0.id, into: .direct(contact: updated))
                }
            )
        case .newMemberContactReceivedInv(let user, let contact, let group, _):
            of(user, [.chatInfo(.direct(contact: contact)), .knownChatInfo(.of(group))])
        case .contactAndMemberAssociated(let user, let contact, let group, _, let updated):
            // Usually `updated` is the same contact with another name, and its chat does not change.
            of(
                user,
                [
                    contact.contactId == updated.contactId
                        ? .knownChatInfo(.direct(contact: updated))
                        : .mergeChat(contact.id, into: .direct(contact: updated)),
                    .knownChatInfo(.of(group)),
                ]
            )
        default: nil
        }
    }

    private static func groups(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .receivedGroupInvitation(let user, let group, _, _, _), .acceptingBusinessRequest(let user, let group),
            .businessRequestAlreadyAccepted(let user, let group):
            of(user, .chatInfo(.of(group)))
        case .userAcceptedGroupSent(let user, let group, let host):
            of(user, [.chatInfo(.of(group))] + (host?.activeConn).map { [.removeChat($0.id)] }.orEmpty)
        case .groupLinkConnecting(let user, let group, let host),
            .businessLinkConnecting(let user, let group, let host, _):
            of(user, [.chatInfo(.of(group))] + host.activeConn.map { [.removeChat($0.id)] }.orEmpty)
        case .groupUpdated(let user, _, let group, _, _): of(user, .knownChatInfo(.of(group)))
        case .deletedMemberUser(let user, let group, let member, let withMessages, _):
            of(
                user,
                [.knownChatInfo(.of(group))]
                    + (withMessages ? [.removeMemberItems(group, of: group.membership, by: member)] : [])
            )
        case .deletedMember(let user, let group, let by, let member, let withMessages, _):
            of(user, [.member(group, member)] + (withMessages ? [.removeMemberItems(group, of: member, by: by)] : []))
        case .groupDeleted(let user, let group, _, _), .noMemberContactCreating(let user, let group, _):
            of(user, .knownChatInfo(.of(group)))
        case .userJoinedGroup(let user, let group, let member):
            of(user, [.chatInfo(.of(group)), .member(group, member)])
        case .groupMemberSwitch(let user, let group, let member, _),
            .groupMemberRatchetSync(let user, let group, let member, _),
            .joinedGroupMember(let user, let group, let member),
            .joinedGroupMemberConnecting(let user, let group, _, let member),
            .memberAcceptedByOther(let user, let group, _, let member),
            .memberRole(let user, let group, _, let member, _, _, _),
            .memberBlockedForAll(let user, let group, _, let member, _, _),
            .connectedToGroupMember(let user, let group, let member, _),
            .leftMember(let user, let group, let member, _),
            .unknownMemberCreated(let user, let group, _, let member),
            .unknownMemberBlocked(let user, let group, _, let member),
            .unknownMemberAnnounced(let user, let group, _, _, let member),
            .acceptingGroupJoinRequestMember(let user, let group, let member),
            .sentGroupInvitation(let user, let group, _, let member),
            .groupMemberUpdated(let user, let group, _, let member):
            of(user, .member(group, member))
        case .groupLinkDataUpdated(let user, let group, let link, let relays, let changed):
            of(user, [.knownChatInfo(.of(group))] + (changed ? [.relays(group, link, relays)] : []))
        case .groupRelayUpdated(let user, let group, let member, let relay):
            of(user, [.member(group, member), .relay(group, relay)])
        default: nil
        }
    }

    private static func core(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .callInvitation(let invitation): of(invitation.user, .callInvitation(invitation))
        case .callOffer(let user, let contact, let type, let offer, let key, let asks):
            of(user, .call(.offered(contact, type, offer, sharedKey: key, askConfirmation: asks)))
        case .callAnswer(let user, let contact, let answer): of(user, .call(.answered(contact, answer)))
        case .callEnded(let user, let contact): of(user, [.noCallInvitation(contact.id), .call(.ended(contact.id))])
        case .chatSuspended: ModelUpdates(userId: nil, [.appState(.suspended)])
        case .subscriptionStatus(_, let status, let connections):
            ModelUpdates(userId: nil, [.subscription(status, connections: connections)])
        case .remoteCtrlFound(let remote, let app, let version, let compatible):
            ModelUpdates(
                userId: nil,
                [
                    .remoteCtrl(
                        RemoteCtrlSession(
                            remoteCtrl: remote,
                            ctrlAppInfo: app,
                            appVersion: version,
                            compatible: compatible,
                            sessionState: .searching
                        )
                    )
                ]
            )
        case .remoteCtrlSessionCode(let remote, let code):
            ModelUpdates(
                userId: nil,
                [
                    .remoteCtrl(
                        RemoteCtrlSession(remoteCtrl: remote, sessionState: .pendingConfirmation(sessionCode: code))
                    )
                ]
            )
        case .remoteCtrlConnected(let remote):
            ModelUpdates(
                userId: nil,
                [.remoteCtrl(RemoteCtrlSession(remoteCtrl: remote, sessionState: remote.sessionState ?? .connecting))]
            )
        case .remoteCtrlStopped: ModelUpdates(userId: nil, [.remoteCtrl(nil)])
        default: nil
        }
    }

    static func of(_ user: User, _ update: ModelUpdate) -> ModelUpdates { ModelUpdates(userId: user.userId, [update]) }
    static func of(_ user: User, _ updates: [ModelUpdate]) -> ModelUpdates {
        ModelUpdates(userId: user.userId, updates)
    }

    /// Returns the updates for a contact that replaces a pending connection in the chat list.
    static func connecting(_ contact: Contact) -> [ModelUpdate] {
        [.chatInfo(.direct(contact: contact))] + contact.activeConn.map { [.removeChat($0.id)] }.orEmpty
    }
}

extension ChatInfo {
    static func of(_ group: GroupInfo) -> ChatInfo { .group(groupInfo: group, groupChatScope: nil) }
}

extension ACIReaction {
    var item: AChatItem { AChatItem(chatInfo: chatInfo, chatItem: chatReaction.chatItem) }
}

extension ChatItemDeletion {
    var updates: [ModelUpdate] {
        guard let toChatItem else { return [.removeItem(deletedChatItem)] }
        return [.item(toChatItem)]
    }
}

extension Optional where Wrapped == [ModelUpdate] {
    var orEmpty: [ModelUpdate] { self ?? [] }
}
