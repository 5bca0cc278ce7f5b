public import JSON

/// Errors of the chat database: most of them report a missing row.
public indirect enum StoreError: TaggedUnion {
    case duplicateName
    case userNotFound(userId: Int64)
    case relayUserNotFound
    case userNotFoundByName(contactName: String)
    case userNotFoundByContactId(contactId: Int64)
    case userNotFoundByGroupId(groupId: Int64)
    case userNotFoundByFileId(fileId: Int64)
    case userNotFoundByContactRequestId(contactRequestId: Int64)
    case contactNotFound(contactId: Int64)
    case contactNotFoundByName(contactName: String)
    case contactNotFoundByMemberId(groupMemberId: Int64)
    case contactNotReady(contactName: String)
    case duplicateContactLink
    case userContactLinkNotFound
    case contactRequestNotFound(contactRequestId: Int64)
    case contactRequestNotFoundByName(contactName: String)
    case invalidContactRequestEntity(contactRequestId: Int64)
    case invalidBusinessChatContactRequest
    case groupNotFound(groupId: Int64)
    case groupNotFoundByName(groupName: String)
    case groupMemberNameNotFound(groupId: Int64, groupMemberName: String)
    case groupMemberNotFound(groupMemberId: Int64)
    case groupMemberNotFoundByIndex(groupMemberIndex: Int64)
    case memberRelationsVectorNotFound(groupMemberId: Int64)
    case groupHostMemberNotFound(groupId: Int64)
    case groupMemberNotFoundByMemberId(memberId: String)
    case memberContactGroupMemberNotFound(contactId: Int64)
    case invalidMemberRelationUpdate
    case groupWithoutUser
    case duplicateGroupMember
    case duplicateMemberId
    case groupAlreadyJoined
    case groupInvitationNotFound
    case noteFolderAlreadyExists(noteFolderId: Int64)
    case noteFolderNotFound(noteFolderId: Int64)
    case userNoteFolderNotFound
    case sndFileNotFound(fileId: Int64)
    case sndFileInvalid(fileId: Int64)
    case rcvFileNotFound(fileId: Int64)
    case rcvFileDescrNotFound(fileId: Int64)
    case fileNotFound(fileId: Int64)
    case rcvFileInvalid(fileId: Int64)
    case rcvFileInvalidDescrPart
    case localFileNoTransfer(fileId: Int64)
    case sharedMsgIdNotFoundByFileId(fileId: Int64)
    case fileIdNotFoundBySharedMsgId(sharedMsgId: String)
    case sndFileNotFoundXFTP(agentSndFileId: String)
    case rcvFileNotFoundXFTP(agentRcvFileId: String)
    case connectionNotFound(agentConnId: String)
    case connectionNotFoundById(connId: Int64)
    case connectionNotFoundByMemberId(groupMemberId: Int64)
    case pendingConnectionNotFound(connId: Int64)
    case uniqueID
    case largeMsg
    case internalError(message: String)
    case dBException(message: String)
    /// The disk is full, or the quota of its user is exceeded. Encoded as `dBException`.
    case storageFull
    /// A row refers to a missing row. Encoded as `dBException` with the original's message.
    case foreignKeyViolation(message: String)
    /// The row exists already. Encoded as `dBException` with the original's message.
    case uniqueViolation(message: String)
    case dBBusyError(message: String)
    case badChatItem(itemId: Int64, itemTs: UTCTime?)
    case chatItemNotFound(itemId: Int64)
    case chatItemNotFoundByText(text: String)
    case chatItemSharedMsgIdNotFound(sharedMsgId: String)
    case chatItemNotFoundByFileId(fileId: Int64)
    case chatItemNotFoundByContactId(contactId: Int64)
    case chatItemNotFoundByGroupId(groupId: Int64)
    case profileNotFound(profileId: Int64)
    case duplicateGroupLink(groupInfo: GroupInfo)
    case groupLinkNotFound(groupInfo: GroupInfo)
    case hostMemberIdNotFound(groupId: Int64)
    case contactNotFoundByFileId(fileId: Int64)
    case noGroupSndStatus(itemId: Int64, groupMemberId: Int64)
    case duplicateGroupMessage(groupId: Int64, sharedMsgId: String, authorGroupMemberId: Int64?, forwardedByGroupMemberId: Int64?)
    case remoteHostNotFound(remoteHostId: Int64)
    case remoteHostUnknown
    case remoteHostDuplicateCA
    case remoteCtrlNotFound(remoteCtrlId: Int64)
    case remoteCtrlDuplicateCA
    case prohibitedDeleteUser(userId: Int64, contactId: Int64)
    case operatorNotFound(serverOperatorId: Int64)
    case usageConditionsNotFound
    case userChatRelayNotFound(chatRelayId: Int64)
    case groupRelayNotFound(groupRelayId: Int64)
    case groupRelayNotFoundByMemberId(groupMemberId: Int64)
    case invalidQuote
    case invalidMention
    case invalidDeliveryTask(taskId: Int64)
    case deliveryTaskNotFound(taskId: Int64)
    case invalidDeliveryJob(jobId: Int64)
    case deliveryJobNotFound(jobId: Int64)
    case workItemError(errContext: String)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}
