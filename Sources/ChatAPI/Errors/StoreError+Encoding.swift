extension StoreError {
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .duplicateName: try encoder.tagged("duplicateName")
        case .userNotFound(let userId):
            try encoder.tagged("userNotFound") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .relayUserNotFound: try encoder.tagged("relayUserNotFound")
        case .userNotFoundByName(let contactName):
            try encoder.tagged("userNotFoundByName") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
            }
        case .userNotFoundByContactId(let contactId):
            try encoder.tagged("userNotFoundByContactId") { fields throws in
                try fields.encode(contactId, forKey: "contactId")
            }
        case .userNotFoundByGroupId(let groupId):
            try encoder.tagged("userNotFoundByGroupId") { fields throws in
                try fields.encode(groupId, forKey: "groupId")
            }
        case .userNotFoundByFileId(let fileId):
            try encoder.tagged("userNotFoundByFileId") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .userNotFoundByContactRequestId(let contactRequestId):
            try encoder.tagged("userNotFoundByContactRequestId") { fields throws in
                try fields.encode(contactRequestId, forKey: "contactRequestId")
            }
        case .contactNotFound(let contactId):
            try encoder.tagged("contactNotFound") { fields throws in
                try fields.encode(contactId, forKey: "contactId")
            }
        case .contactNotFoundByName(let contactName):
            try encoder.tagged("contactNotFoundByName") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
            }
        case .contactNotFoundByMemberId(let groupMemberId):
            try encoder.tagged("contactNotFoundByMemberId") { fields throws in
                try fields.encode(groupMemberId, forKey: "groupMemberId")
            }
        case .contactNotReady(let contactName):
            try encoder.tagged("contactNotReady") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
            }
        case .duplicateContactLink: try encoder.tagged("duplicateContactLink")
        case .userContactLinkNotFound: try encoder.tagged("userContactLinkNotFound")
        case .contactRequestNotFound(let contactRequestId):
            try encoder.tagged("contactRequestNotFound") { fields throws in
                try fields.encode(contactRequestId, forKey: "contactRequestId")
            }
        case .contactRequestNotFoundByName(let contactName):
            try encoder.tagged("contactRequestNotFoundByName") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
            }
        case .invalidContactRequestEntity(let contactRequestId):
            try encoder.tagged("invalidContactRequestEntity") { fields throws in
                try fields.encode(contactRequestId, forKey: "contactRequestId")
            }
        case .invalidBusinessChatContactRequest: try encoder.tagged("invalidBusinessChatContactRequest")
        case .groupNotFound(let groupId):
            try encoder.tagged("groupNotFound") { fields throws in
                try fields.encode(groupId, forKey: "groupId")
            }
        case .groupNotFoundByName(let groupName):
            try encoder.tagged("groupNotFoundByName") { fields throws in
                try fields.encode(groupName, forKey: "groupName")
            }
        case .groupMemberNameNotFound(let groupId, let groupMemberName):
            try encoder.tagged("groupMemberNameNotFound") { fields throws in
                try fields.encode(groupId, forKey: "groupId")
                try fields.encode(groupMemberName, forKey: "groupMemberName")
            }
        case .groupMemberNotFound(let groupMemberId):
            try encoder.tagged("groupMemberNotFound") { fields throws in
                try fields.encode(groupMemberId, forKey: "groupMemberId")
            }
        case .groupMemberNotFoundByIndex(let groupMemberIndex):
            try encoder.tagged("groupMemberNotFoundByIndex") { fields throws in
                try fields.encode(groupMemberIndex, forKey: "groupMemberIndex")
            }
        case .memberRelationsVectorNotFound(let groupMemberId):
            try encoder.tagged("memberRelationsVectorNotFound") { fields throws in
                try fields.encode(groupMemberId, forKey: "groupMemberId")
            }
        case .groupHostMemberNotFound(let groupId):
            try encoder.tagged("groupHostMemberNotFound") { fields throws in
                try fields.encode(groupId, forKey: "groupId")
            }
        case .groupMemberNotFoundByMemberId(let memberId):
            try encoder.tagged("groupMemberNotFoundByMemberId") { fields throws in
                try fields.encode(memberId, forKey: "memberId")
            }
        case .memberContactGroupMemberNotFound(let contactId):
            try encoder.tagged("memberContactGroupMemberNotFound") { fields throws in
                try fields.encode(contactId, forKey: "contactId")
            }
        case .invalidMemberRelationUpdate: try encoder.tagged("invalidMemberRelationUpdate")
        case .groupWithoutUser: try encoder.tagged("groupWithoutUser")
        case .duplicateGroupMember: try encoder.tagged("duplicateGroupMember")
        case .duplicateMemberId: try encoder.tagged("duplicateMemberId")
        case .groupAlreadyJoined: try encoder.tagged("groupAlreadyJoined")
        case .groupInvitationNotFound: try encoder.tagged("groupInvitationNotFound")
        case .noteFolderAlreadyExists(let noteFolderId):
            try encoder.tagged("noteFolderAlreadyExists") { fields throws in
                try fields.encode(noteFolderId, forKey: "noteFolderId")
            }
        case .noteFolderNotFound(let noteFolderId):
            try encoder.tagged("noteFolderNotFound") { fields throws in
                try fields.encode(noteFolderId, forKey: "noteFolderId")
            }
        case .userNoteFolderNotFound: try encoder.tagged("userNoteFolderNotFound")
        case .sndFileNotFound(let fileId):
            try encoder.tagged("sndFileNotFound") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .sndFileInvalid(let fileId):
            try encoder.tagged("sndFileInvalid") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .rcvFileNotFound(let fileId):
            try encoder.tagged("rcvFileNotFound") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .rcvFileDescrNotFound(let fileId):
            try encoder.tagged("rcvFileDescrNotFound") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .fileNotFound(let fileId):
            try encoder.tagged("fileNotFound") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .rcvFileInvalid(let fileId):
            try encoder.tagged("rcvFileInvalid") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .rcvFileInvalidDescrPart: try encoder.tagged("rcvFileInvalidDescrPart")
        case .localFileNoTransfer(let fileId):
            try encoder.tagged("localFileNoTransfer") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .sharedMsgIdNotFoundByFileId(let fileId):
            try encoder.tagged("sharedMsgIdNotFoundByFileId") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .fileIdNotFoundBySharedMsgId(let sharedMsgId):
            try encoder.tagged("fileIdNotFoundBySharedMsgId") { fields throws in
                try fields.encode(sharedMsgId, forKey: "sharedMsgId")
            }
        case .sndFileNotFoundXFTP(let agentSndFileId):
            try encoder.tagged("sndFileNotFoundXFTP") { fields throws in
                try fields.encode(agentSndFileId, forKey: "agentSndFileId")
            }
        case .rcvFileNotFoundXFTP(let agentRcvFileId):
            try encoder.tagged("rcvFileNotFoundXFTP") { fields throws in
                try fields.encode(agentRcvFileId, forKey: "agentRcvFileId")
            }
        case .connectionNotFound(let agentConnId):
            try encoder.tagged("connectionNotFound") { fields throws in
                try fields.encode(agentConnId, forKey: "agentConnId")
            }
        case .connectionNotFoundById(let connId):
            try encoder.tagged("connectionNotFoundById") { fields throws in
                try fields.encode(connId, forKey: "connId")
            }
        case .connectionNotFoundByMemberId(let groupMemberId):
            try encoder.tagged("connectionNotFoundByMemberId") { fields throws in
                try fields.encode(groupMemberId, forKey: "groupMemberId")
            }
        case .pendingConnectionNotFound(let connId):
            try encoder.tagged("pendingConnectionNotFound") { fields throws in
                try fields.encode(connId, forKey: "connId")
            }
        case .uniqueID: try encoder.tagged("uniqueID")
        case .largeMsg: try encoder.tagged("largeMsg")
        case .internalError(let message):
            try encoder.tagged("internalError") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .dBException(let message):
            try encoder.tagged("dBException") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .dBBusyError(let message):
            try encoder.tagged("dBBusyError") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .badChatItem(let itemId, let itemTs):
            try encoder.tagged("badChatItem") { fields throws in
                try fields.encode(itemId, forKey: "itemId")
                try fields.encodeIfPresent(itemTs, forKey: "itemTs")
            }
        case .chatItemNotFound(let itemId):
            try encoder.tagged("chatItemNotFound") { fields throws in
                try fields.encode(itemId, forKey: "itemId")
            }
        case .chatItemNotFoundByText(let text):
            try encoder.tagged("chatItemNotFoundByText") { fields throws in
                try fields.encode(text, forKey: "text")
            }
        case .chatItemSharedMsgIdNotFound(let sharedMsgId):
            try encoder.tagged("chatItemSharedMsgIdNotFound") { fields throws in
                try fields.encode(sharedMsgId, forKey: "sharedMsgId")
            }
        case .chatItemNotFoundByFileId(let fileId):
            try encoder.tagged("chatItemNotFoundByFileId") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .chatItemNotFoundByContactId(let contactId):
            try encoder.tagged("chatItemNotFoundByContactId") { fields throws in
                try fields.encode(contactId, forKey: "contactId")
            }
        case .chatItemNotFoundByGroupId(let groupId):
            try encoder.tagged("chatItemNotFoundByGroupId") { fields throws in
                try fields.encode(groupId, forKey: "groupId")
            }
        case .profileNotFound(let profileId):
            try encoder.tagged("profileNotFound") { fields throws in
                try fields.encode(profileId, forKey: "profileId")
            }
        case .duplicateGroupLink(let groupInfo):
            try encoder.tagged("duplicateGroupLink") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupLinkNotFound(let groupInfo):
            try encoder.tagged("groupLinkNotFound") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .hostMemberIdNotFound(let groupId):
            try encoder.tagged("hostMemberIdNotFound") { fields throws in
                try fields.encode(groupId, forKey: "groupId")
            }
        case .contactNotFoundByFileId(let fileId):
            try encoder.tagged("contactNotFoundByFileId") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .noGroupSndStatus(let itemId, let groupMemberId):
            try encoder.tagged("noGroupSndStatus") { fields throws in
                try fields.encode(itemId, forKey: "itemId")
                try fields.encode(groupMemberId, forKey: "groupMemberId")
            }
        case .duplicateGroupMessage(let groupId, let sharedMsgId, let authorGroupMemberId, let forwardedByGroupMemberId):
            try encoder.tagged("duplicateGroupMessage") { fields throws in
                try fields.encode(groupId, forKey: "groupId")
                try fields.encode(sharedMsgId, forKey: "sharedMsgId")
                try fields.encodeIfPresent(authorGroupMemberId, forKey: "authorGroupMemberId")
                try fields.encodeIfPresent(forwardedByGroupMemberId, forKey: "forwardedByGroupMemberId")
            }
        case .remoteHostNotFound(let remoteHostId):
            try encoder.tagged("remoteHostNotFound") { fields throws in
                try fields.encode(remoteHostId, forKey: "remoteHostId")
            }
        case .remoteHostUnknown: try encoder.tagged("remoteHostUnknown")
        case .remoteHostDuplicateCA: try encoder.tagged("remoteHostDuplicateCA")
        case .remoteCtrlNotFound(let remoteCtrlId):
            try encoder.tagged("remoteCtrlNotFound") { fields throws in
                try fields.encode(remoteCtrlId, forKey: "remoteCtrlId")
            }
        case .remoteCtrlDuplicateCA: try encoder.tagged("remoteCtrlDuplicateCA")
        case .prohibitedDeleteUser(let userId, let contactId):
            try encoder.tagged("prohibitedDeleteUser") { fields throws in
                try fields.encode(userId, forKey: "userId")
                try fields.encode(contactId, forKey: "contactId")
            }
        case .operatorNotFound(let serverOperatorId):
            try encoder.tagged("operatorNotFound") { fields throws in
                try fields.encode(serverOperatorId, forKey: "serverOperatorId")
            }
        case .usageConditionsNotFound: try encoder.tagged("usageConditionsNotFound")
        case .userChatRelayNotFound(let chatRelayId):
            try encoder.tagged("userChatRelayNotFound") { fields throws in
                try fields.encode(chatRelayId, forKey: "chatRelayId")
            }
        case .groupRelayNotFound(let groupRelayId):
            try encoder.tagged("groupRelayNotFound") { fields throws in
                try fields.encode(groupRelayId, forKey: "groupRelayId")
            }
        case .groupRelayNotFoundByMemberId(let groupMemberId):
            try encoder.tagged("groupRelayNotFoundByMemberId") { fields throws in
                try fields.encode(groupMemberId, forKey: "groupMemberId")
            }
        case .invalidQuote: try encoder.tagged("invalidQuote")
        case .invalidMention: try encoder.tagged("invalidMention")
        case .invalidDeliveryTask(let taskId):
            try encoder.tagged("invalidDeliveryTask") { fields throws in
                try fields.encode(taskId, forKey: "taskId")
            }
        case .deliveryTaskNotFound(let taskId):
            try encoder.tagged("deliveryTaskNotFound") { fields throws in
                try fields.encode(taskId, forKey: "taskId")
            }
        case .invalidDeliveryJob(let jobId):
            try encoder.tagged("invalidDeliveryJob") { fields throws in
                try fields.encode(jobId, forKey: "jobId")
            }
        case .deliveryJobNotFound(let jobId):
            try encoder.tagged("deliveryJobNotFound") { fields throws in
                try fields.encode(jobId, forKey: "jobId")
            }
        case .workItemError(let errContext):
            try encoder.tagged("workItemError") { fields throws in
                try fields.encode(errContext, forKey: "errContext")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
