public import JSON

/// Errors of the chat itself. `suspectedMember` is a pair of a group and a member.
public indirect enum ChatErrorType: TaggedUnion {
    case noActiveUser
    case noConnectionUser(agentConnId: String)
    case noSndFileUser(agentSndFileId: String)
    case noRcvFileUser(agentRcvFileId: String)
    case userUnknown
    case userExists(contactName: String)
    case chatRelayExists
    case differentActiveUser(commandUserId: Int64, activeUserId: Int64)
    case cantDeleteActiveUser(userId: Int64)
    case cantDeleteLastUser(userId: Int64)
    case cantHideLastUser(userId: Int64)
    case hiddenUserAlwaysMuted(userId: Int64)
    case emptyUserPassword(userId: Int64)
    case userAlreadyHidden(userId: Int64)
    case userNotHidden(userId: Int64)
    case invalidDisplayName(displayName: String, validName: String)
    case chatNotStarted
    case chatNotStopped
    case chatStoreChanged
    case invalidConnReq
    case simplexDomainNotReady(simplexDomain: SimplexDomain, simplexDomainError: SimplexDomainError)
    case notResolvedLocally
    case unsupportedConnReq
    case connReqMessageProhibited
    case contactNotReady(contact: Contact)
    case contactNotActive(contact: Contact)
    case contactDisabled(contact: Contact)
    case connectionDisabled(connection: Connection)
    case groupUserRole(groupInfo: GroupInfo, requiredRole: GroupMemberRole)
    case groupMemberInitialRole(groupInfo: GroupInfo, initialRole: GroupMemberRole)
    case contactIncognitoCantInvite
    case groupIncognitoCantInvite
    case groupContactRole(contactName: String)
    case groupDuplicateMember(contactName: String)
    case groupDuplicateMemberId
    case groupNotJoined(groupInfo: GroupInfo)
    case groupMemberNotActive
    case cantBlockMemberForSelf(groupInfo: GroupInfo, member: GroupMember, setShowMessages: Bool)
    case groupMemberUserRemoved
    case groupMemberNotFound
    case groupCantResendInvitation(groupInfo: GroupInfo, contactName: String)
    case groupInternal(message: String)
    case fileNotFound(message: String)
    case fileSize(filePath: String)
    case fileAlreadyReceiving(message: String)
    case fileCancelled(message: String)
    case fileCancel(fileId: Int64, message: String)
    case fileAlreadyExists(filePath: String)
    case fileWrite(filePath: String, message: String)
    case fileSend(fileId: Int64, agentError: AgentErrorType)
    case fileRcvChunk(message: String)
    case fileInternal(message: String)
    case fileImageType(filePath: String)
    case fileImageSize(filePath: String)
    case fileNotReceived(fileId: Int64)
    case fileNotApproved(fileId: Int64, unknownServers: [String])
    case fallbackToSMPProhibited(fileId: Int64)
    case inlineFileProhibited(fileId: Int64)
    case invalidForward
    case invalidChatItemUpdate
    case invalidChatItemDelete
    case hasCurrentCall
    case noCurrentCall
    case callContact(contactId: Int64)
    case directMessagesProhibited(direction: MsgDirection, contact: Contact)
    case agentVersion
    case agentNoSubResult(agentConnId: String)
    case commandError(message: String)
    /// The command is known, but not implemented here; nothing was changed. Encoded as `commandError`.
    case notImplemented(command: String)
    /// The sender of the command lacks the right. Encoded as `commandError`.
    case accessDenied(reason: String)
    case agentCommandError(message: String)
    case invalidFileDescription(message: String)
    case connectionIncognitoChangeProhibited
    case connectionUserChangeProhibited
    case peerChatVRangeIncompatible
    case relayTestError(message: String)
    case internalError(message: String)
    case exception(message: String)
    /// The disk is full, or the quota of its user is exceeded. Encoded as `exception`.
    case storageFull(message: String)
    /// A limit of the store is reached. Encoded as `exception`.
    case quotaExceeded(resource: String, limit: Int64, message: String)
    /// A file is in the object storage and cannot be fetched now; it may be available after `retryAfter` seconds.
    /// Encoded as `exception`.
    case fileAway(retryAfter: Int64, message: String)
    /// Too many wrong passwords of hidden users were tried. The next attempt is allowed after `retryAfter` seconds. Encoded as `commandError`.
    case tooManyPasswords(retryAfter: Int64)
    case invalidChatMessage(connection: Connection, msgMeta: MsgMetaJSON?, messageData: String, message: String)
    case contactNotFound(contactName: String, suspectedMember: [JSONValue]?)
    case callState(currentCallState: CallStateTag)
    case serverProtocol(serverProtocol: ServerProtocol)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}
