extension ChatEvent {
    /// The types of the events that a core of this version emits. The types of earlier versions are only read.
    public static let types: [String] = [
        "chatSuspended", "contactSwitch", "groupMemberSwitch", "contactRatchetSync", "groupMemberRatchetSync", "chatInfoUpdated", "newChatItems",
        "chatItemsStatusesUpdated", "chatItemUpdated", "chatItemNotChanged", "chatItemReaction", "groupChatItemsDeleted", "chatItemsDeleted",
        "chatItemDeletedNotFound", "userAcceptedGroupSent", "groupLinkConnecting", "businessLinkConnecting", "sentGroupInvitation", "contactUpdated",
        "groupMemberUpdated", "contactDeletedByContact", "receivedContactRequest", "acceptingContactRequest", "acceptingBusinessRequest",
        "contactRequestAlreadyAccepted", "businessRequestAlreadyAccepted", "rcvFileDescrReady", "rcvFileAccepted", "rcvFileAcceptedSndCancelled",
        "rcvFileStart", "rcvFileProgressXFTP", "rcvFileComplete", "rcvStandaloneFileComplete", "rcvFileSndCancelled", "rcvFileError",
        "rcvFileWarning", "sndFileStart", "sndFileComplete", "sndFileRcvCancelled", "sndFileProgressXFTP", "sndFileRedirectStartXFTP",
        "sndFileCompleteXFTP", "sndStandaloneFileComplete", "sndFileError", "sndFileWarning", "contactConnecting", "contactConnected",
        "contactSndReady", "contactAnotherClient", "connectionsDiff", "subscriptionEnd", "subscriptionStatus", "serviceSubStatus", "hostConnected",
        "hostDisconnected", "receivedGroupInvitation", "userJoinedGroup", "groupLinkDataUpdated", "groupRelayUpdated", "joinedGroupMember",
        "joinedGroupMemberConnecting", "memberAcceptedByOther", "memberRole", "memberBlockedForAll", "connectedToGroupMember", "deletedMember",
        "deletedMemberUser", "leftMember", "unknownMemberCreated", "unknownMemberBlocked", "unknownMemberAnnounced", "groupDeleted", "groupUpdated",
        "acceptingGroupJoinRequestMember", "noMemberContactCreating", "newMemberContactReceivedInv", "contactAndMemberAssociated", "callInvitation",
        "callOffer", "callAnswer", "callExtraInfo", "callEnded", "ntfMessage", "remoteHostSessionCode", "newRemoteHost", "remoteHostConnected",
        "remoteHostStopped", "remoteCtrlFound", "remoteCtrlSessionCode", "remoteCtrlStopped", "contactPQEnabled", "contactDisabled",
        "connectionDisabled", "connectionInactive", "agentRcvQueuesDeleted", "agentConnsDeleted", "agentUserDeleted", "messageError", "chatErrors",
        "timedAction", "customChatEvent", "remoteCtrlConnected", "chatError", "contactsMerged", "terminalEvent",
    ]
}
