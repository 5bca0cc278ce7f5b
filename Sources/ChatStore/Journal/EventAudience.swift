internal import ChatAPI

/// The API keys whose clients receive an entry of the journal. A key that is bound to no user receives all entries
/// except the entries of hidden users that are not active.
package enum EventAudience: Sendable, Hashable {
    /// All keys.
    case everybody
    /// The keys that may receive the events of one user.
    case user(Int64)
    /// The keys that are bound to no user, since the user of the event is unknown.
    case keysWithoutUser

    /// Makes the audience of an entry without a user id. The number in the journal is nil for ``keysWithoutUser``, 0
    /// for ``everybody``, and otherwise the id of the user whom the event concerns.
    init(stored: Int64?) {
        switch stored {
        case nil: self = .keysWithoutUser
        case 0: self = .everybody
        case let user?: self = .user(user)
        }
    }

    package var storedNumber: Int64? {
        switch self {
        case .everybody: 0
        case .user(let user): user
        case .keysWithoutUser: nil
        }
    }
}

extension ChatEvent {
    /// Whether all keys may receive an event without a user, because the event concerns no user. The value must be
    /// false for events that contain names of relays, connections or users.
    var isForEverybody: Bool {
        switch self {
        case .chatSuspended: true
        case .contactSwitch, .groupMemberSwitch, .contactRatchetSync, .groupMemberRatchetSync, .chatInfoUpdated,
            .newChatItems, .chatItemsStatusesUpdated, .chatItemUpdated, .chatItemNotChanged, .chatItemReaction,
            .groupChatItemsDeleted, .chatItemsDeleted, .chatItemDeletedNotFound, .userAcceptedGroupSent,
            .groupLinkConnecting, .businessLinkConnecting, .sentGroupInvitation, .contactUpdated, .groupMemberUpdated,
            .contactDeletedByContact, .receivedContactRequest, .acceptingContactRequest, .acceptingBusinessRequest,
            .contactRequestAlreadyAccepted, .businessRequestAlreadyAccepted, .rcvFileDescrReady, .rcvFileAccepted,
            .rcvFileAcceptedSndCancelled, .rcvFileStart, .rcvFileProgressXFTP, .rcvFileComplete,
            .rcvStandaloneFileComplete, .rcvFileSndCancelled, .rcvFileError, .rcvFileWarning, .sndFileStart,
            .sndFileComplete, .sndFileRcvCancelled, .sndFileProgressXFTP, .sndFileRedirectStartXFTP,
            .sndFileCompleteXFTP, .sndStandaloneFileComplete, .sndFileError, .sndFileWarning, .contactConnecting,
            .contactConnected, .contactSndReady, .contactAnotherClient, .connectionsDiff, .subscriptionEnd,
            .subscriptionStatus, .serviceSubStatus, .hostConnected, .hostDisconnected, .receivedGroupInvitation,
            .userJoinedGroup, .groupLinkDataUpdated, .groupRelayUpdated, .joinedGroupMember,
            .joinedGroupMemberConnecting, .memberAcceptedByOther, .memberRole, .memberBlockedForAll,
            .connectedToGroupMember, .deletedMember, .deletedMemberUser, .leftMember, .unknownMemberCreated,
            .unknownMemberBlocked, .unknownMemberAnnounced, .groupDeleted, .groupUpdated,
            .acceptingGroupJoinRequestMember, .noMemberContactCreating, .newMemberContactReceivedInv,
            .contactAndMemberAssociated, .callInvitation, .callOffer, .callAnswer, .callExtraInfo, .callEnded,
            .ntfMessage, .remoteHostSessionCode, .newRemoteHost, .remoteHostConnected, .remoteHostStopped,
            .remoteCtrlFound, .remoteCtrlSessionCode, .remoteCtrlStopped, .contactPQEnabled, .contactDisabled,
            .connectionDisabled, .connectionInactive, .agentRcvQueuesDeleted, .agentConnsDeleted, .agentUserDeleted,
            .messageError, .chatErrors, .timedAction, .customChatEvent, .remoteCtrlConnected, .chatError,
            .contactsMerged, .networkStatus, .networkStatuses, .connSubSummary, .contactsDisconnected,
            .contactsSubscribed, .terminalEvent, .unrecognized:
            false
        }
    }
}
