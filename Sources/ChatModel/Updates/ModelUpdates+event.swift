package import ChatAPI

extension ModelUpdates {
    /// Makes the updates that an event of the core causes. An event without an effect on the state results in no
    /// updates.
    package init(_ event: ChatEvent) {
        self =
            Self.messageUpdates(event) ?? Self.fileUpdates(event) ?? Self.contactUpdates(event) ?? Self.groupUpdates(
                event
            ) ?? Self.coreUpdates(event)
            ?? .none
    }

    private static func messageUpdates(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .newChatItems(let user, let items):
            makeForUser(user, items.flatMap { [.newItem($0)] + CallStep.makeUpdates(of: $0) })
        case .chatItemsStatusesUpdated(let user, let items): makeForUser(user, items.map(ModelUpdate.changedItem))
        case .chatItemUpdated(let user, let item):
            makeForUser(user, [.changedItem(item)] + CallStep.makeUpdates(of: item))
        case .chatItemNotChanged(let user, let item): makeForUser(user, .changedItem(item))
        case .chatItemReaction(let user, _, let reaction): makeForUser(user, .changedItem(reaction.item))
        case .chatItemsDeleted(let user, let deletions, _, _): makeForUser(user, deletions.flatMap(\.updates))
        case .groupChatItemsDeleted(let user, let group, let itemIds, _, _):
            makeForUser(user, .removeItems(group.id, itemIds: itemIds))
        case .chatInfoUpdated(let user, let info): makeForUser(user, .chatInfoIfListed(info))
        default: nil
        }
    }

    private static func fileUpdates(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .rcvFileDescrReady(let user, let item, _, _), .rcvFileAccepted(let user, let item),
            .rcvFileStart(let user, let item),
            .rcvFileComplete(let user, let item), .rcvFileSndCancelled(let user, let item, _),
            .sndFileStart(let user, let item, _),
            .sndFileComplete(let user, let item, _), .sndFileCompleteXFTP(let user, let item, _):
            makeForUser(user, .changedItem(item))
        case .rcvFileProgressXFTP(let user, let item, _, _, _), .rcvFileError(let user, let item, _, _),
            .rcvFileWarning(let user, let item, _, _), .sndFileRcvCancelled(let user, let item, _),
            .sndFileProgressXFTP(let user, let item, _, _, _), .sndFileError(let user, let item, _, _),
            .sndFileWarning(let user, let item, _, _):
            makeForUser(user, item.map { [.changedItem($0)] } ?? [])
        default: nil
        }
    }

    private static func contactUpdates(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .contactConnected(let user, let contact, _), .contactSndReady(let user, let contact):
            // The connection must be subscribed, since the event has arrived over it.
            makeForUser(
                user,
                connectingUpdates(contact)
                    + (contact.activeConn.map { [.subscription(.active, connections: [$0.agentConnId])] }).orEmpty
            )
        case .contactConnecting(let user, let contact): makeForUser(user, connectingUpdates(contact))
        case .receivedContactRequest(let user, let request, let chat):
            makeForUser(user, chat.map { .chat($0) } ?? .chatInfo(.contactRequest(contactRequest: request)))
        case .acceptingContactRequest(let user, let contact), .contactRequestAlreadyAccepted(let user, let contact):
            makeForUser(user, .chatInfo(.direct(contact: contact)))
        case .contactUpdated(let user, _, let contact): makeForUser(user, .chatInfoIfListed(.direct(contact: contact)))
        case .contactSwitch(let user, let contact, _), .contactRatchetSync(let user, let contact, _),
            .contactDeletedByContact(let user, let contact), .contactPQEnabled(let user, let contact, _),
            .contactDisabled(let user, let contact),
            .contactAnotherClient(let user, let contact):
            makeForUser(user, .chatInfoIfListed(.direct(contact: contact)))
        case .contactsMerged(let user, let into, let merged, let updated):
            // One of the two contacts remains: `updated`. The chat of the other contact is merged into the chat of
            // `updated`.
            makeForUser(
                user,
                [into, merged].filter { $0.contactId != updated.contactId }.map {
                    .mergeChat($0.id, into: .direct(contact: updated))
                }
            )
        case .newMemberContactReceivedInv(let user, let contact, let group, _):
            makeForUser(user, [.chatInfo(.direct(contact: contact)), .chatInfoIfListed(.wholeGroup(group))])
        case .contactAndMemberAssociated(let user, let contact, let group, _, let updated):
            // Usually `updated` is the contact `contact` with another name. Otherwise the chat of `contact` is merged
            // into the chat of `updated`.
            makeForUser(
                user,
                [
                    contact.contactId == updated.contactId
                        ? .chatInfoIfListed(.direct(contact: updated))
                        : .mergeChat(contact.id, into: .direct(contact: updated)),
                    .chatInfoIfListed(.wholeGroup(group)),
                ]
            )
        default: nil
        }
    }

    private static func groupUpdates(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .receivedGroupInvitation(let user, let group, _, _, _), .acceptingBusinessRequest(let user, let group),
            .businessRequestAlreadyAccepted(let user, let group):
            makeForUser(user, .chatInfo(.wholeGroup(group)))
        case .userAcceptedGroupSent(let user, let group, let host):
            makeForUser(user, [.chatInfo(.wholeGroup(group))] + (host?.activeConn).map { [.removeChat($0.id)] }.orEmpty)
        case .groupLinkConnecting(let user, let group, let host),
            .businessLinkConnecting(let user, let group, let host, _):
            makeForUser(user, [.chatInfo(.wholeGroup(group))] + host.activeConn.map { [.removeChat($0.id)] }.orEmpty)
        case .groupUpdated(let user, _, let group, _, _): makeForUser(user, .chatInfoIfListed(.wholeGroup(group)))
        case .deletedMemberUser(let user, let group, let member, let withMessages, _):
            makeForUser(
                user,
                [.chatInfoIfListed(.wholeGroup(group))]
                    + (withMessages ? [.removeMemberItems(group, of: group.membership, by: member)] : [])
            )
        case .deletedMember(let user, let group, let by, let member, let withMessages, _):
            makeForUser(
                user,
                [.member(group, member)] + (withMessages ? [.removeMemberItems(group, of: member, by: by)] : [])
            )
        case .groupDeleted(let user, let group, _, _), .noMemberContactCreating(let user, let group, _):
            makeForUser(user, .chatInfoIfListed(.wholeGroup(group)))
        case .userJoinedGroup(let user, let group, let member):
            makeForUser(user, [.chatInfo(.wholeGroup(group)), .member(group, member)])
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
            makeForUser(user, .member(group, member))
        case .groupLinkDataUpdated(let user, let group, let link, let relays, let changed):
            makeForUser(user, [.chatInfoIfListed(.wholeGroup(group))] + (changed ? [.relays(group, link, relays)] : []))
        case .groupRelayUpdated(let user, let group, let member, let relay):
            makeForUser(user, [.member(group, member), .relay(group, relay)])
        default: nil
        }
    }

    private static func coreUpdates(_ event: ChatEvent) -> ModelUpdates? {
        switch event {
        case .callInvitation(let invitation): makeForUser(invitation.user, .callInvitation(invitation))
        case .callOffer(let user, let contact, let type, let offer, let key, let asks):
            makeForUser(user, .call(.offerReceived(contact, type, offer, sharedKey: key, askConfirmation: asks)))
        case .callAnswer(let user, let contact, let answer): makeForUser(user, .call(.answerReceived(contact, answer)))
        case .callEnded(let user, let contact):
            makeForUser(user, [.removeCallInvitation(contact.id), .call(.ended(contact.id))])
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

    static func makeForUser(_ user: User, _ update: ModelUpdate) -> ModelUpdates {
        ModelUpdates(userId: user.userId, [update])
    }
    static func makeForUser(_ user: User, _ updates: [ModelUpdate]) -> ModelUpdates {
        ModelUpdates(userId: user.userId, updates)
    }

    /// Returns the updates for a contact that replaces a pending connection in the chat list.
    static func connectingUpdates(_ contact: Contact) -> [ModelUpdate] {
        [.chatInfo(.direct(contact: contact))] + contact.activeConn.map { [.removeChat($0.id)] }.orEmpty
    }
}

extension ChatInfo {
    static func wholeGroup(_ group: GroupInfo) -> ChatInfo { .group(groupInfo: group, groupChatScope: nil) }
}

extension ACIReaction {
    var item: AChatItem { AChatItem(chatInfo: chatInfo, chatItem: chatReaction.chatItem) }
}

extension ChatItemDeletion {
    var updates: [ModelUpdate] {
        guard let toChatItem else { return [.removeItem(deletedChatItem)] }
        return [.changedItem(toChatItem)]
    }
}

extension Optional where Wrapped == [ModelUpdate] {
    var orEmpty: [ModelUpdate] { self ?? [] }
}
