// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error that the chat engine reports for a command.
package indirect enum ChatErrorType: TaggedUnion {
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
    /// The command is known, but not implemented. Nothing was changed. Encoded as `commandError`.
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
    /// The disk is full, or the process has exceeded its disk quota. Encoded as `exception`.
    case storageFull(message: String)
    /// A limit of the store is reached. Encoded as `exception`.
    case quotaExceeded(resource: String, limit: Int64, message: String)
    /// A file is in the object storage and cannot be downloaded now. It may be available after `retryAfter` seconds.
    /// Encoded as `exception`.
    case fileAway(retryAfter: Int64, message: String)
    /// Too many wrong passwords of hidden users were tried. The next attempt is allowed after `retryAfter` seconds.
    /// Encoded as `commandError`.
    case tooManyPasswords(retryAfter: Int64)
    case invalidChatMessage(connection: Connection, msgMeta: MsgMetaJSON?, messageData: String, message: String)
    /// No contact has this name. If several members of groups have this name, `suspectedMember` is a list of two
    /// values: a group (`GroupInfo`) and the member of this group (`GroupMember`).
    case contactNotFound(contactName: String, suspectedMember: [JSONValue]?)
    case callState(currentCallState: CallStateTag)
    case serverProtocol(serverProtocol: ServerProtocol)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ChatErrorType {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "noActiveUser": self = .noActiveUser
        case "noConnectionUser": self = try .noConnectionUser(agentConnId: fields("agentConnId"))
        case "noSndFileUser": self = try .noSndFileUser(agentSndFileId: fields("agentSndFileId"))
        case "noRcvFileUser": self = try .noRcvFileUser(agentRcvFileId: fields("agentRcvFileId"))
        case "userUnknown": self = .userUnknown
        case "userExists": self = try .userExists(contactName: fields("contactName"))
        case "chatRelayExists": self = .chatRelayExists
        case "differentActiveUser":
            self = try .differentActiveUser(
                commandUserId: fields("commandUserId"), activeUserId: fields("activeUserId"))
        case "cantDeleteActiveUser": self = try .cantDeleteActiveUser(userId: fields("userId"))
        case "cantDeleteLastUser": self = try .cantDeleteLastUser(userId: fields("userId"))
        case "cantHideLastUser": self = try .cantHideLastUser(userId: fields("userId"))
        case "hiddenUserAlwaysMuted": self = try .hiddenUserAlwaysMuted(userId: fields("userId"))
        case "emptyUserPassword": self = try .emptyUserPassword(userId: fields("userId"))
        case "userAlreadyHidden": self = try .userAlreadyHidden(userId: fields("userId"))
        case "userNotHidden": self = try .userNotHidden(userId: fields("userId"))
        case "invalidDisplayName":
            self = try .invalidDisplayName(displayName: fields("displayName"), validName: fields("validName"))
        case "chatNotStarted": self = .chatNotStarted
        case "chatNotStopped": self = .chatNotStopped
        case "chatStoreChanged": self = .chatStoreChanged
        case "invalidConnReq": self = .invalidConnReq
        case "simplexDomainNotReady":
            self = try .simplexDomainNotReady(
                simplexDomain: fields("simplexDomain"), simplexDomainError: fields("simplexDomainError"))
        case "notResolvedLocally": self = .notResolvedLocally
        case "unsupportedConnReq": self = .unsupportedConnReq
        case "connReqMessageProhibited": self = .connReqMessageProhibited
        case "contactNotReady": self = try .contactNotReady(contact: fields("contact"))
        case "contactNotActive": self = try .contactNotActive(contact: fields("contact"))
        case "contactDisabled": self = try .contactDisabled(contact: fields("contact"))
        case "connectionDisabled": self = try .connectionDisabled(connection: fields("connection"))
        case "groupUserRole":
            self = try .groupUserRole(groupInfo: fields("groupInfo"), requiredRole: fields("requiredRole"))
        case "groupMemberInitialRole":
            self = try .groupMemberInitialRole(groupInfo: fields("groupInfo"), initialRole: fields("initialRole"))
        case "contactIncognitoCantInvite": self = .contactIncognitoCantInvite
        case "groupIncognitoCantInvite": self = .groupIncognitoCantInvite
        case "groupContactRole": self = try .groupContactRole(contactName: fields("contactName"))
        case "groupDuplicateMember": self = try .groupDuplicateMember(contactName: fields("contactName"))
        case "groupDuplicateMemberId": self = .groupDuplicateMemberId
        case "groupNotJoined": self = try .groupNotJoined(groupInfo: fields("groupInfo"))
        case "groupMemberNotActive": self = .groupMemberNotActive
        case "cantBlockMemberForSelf":
            self = try .cantBlockMemberForSelf(
                groupInfo: fields("groupInfo"), member: fields("member"), setShowMessages: fields("setShowMessages"))
        case "groupMemberUserRemoved": self = .groupMemberUserRemoved
        case "groupMemberNotFound": self = .groupMemberNotFound
        case "groupCantResendInvitation":
            self = try .groupCantResendInvitation(groupInfo: fields("groupInfo"), contactName: fields("contactName"))
        case "groupInternal": self = try .groupInternal(message: fields("message"))
        case "fileNotFound": self = try .fileNotFound(message: fields("message"))
        case "fileSize": self = try .fileSize(filePath: fields("filePath"))
        case "fileAlreadyReceiving": self = try .fileAlreadyReceiving(message: fields("message"))
        case "fileCancelled": self = try .fileCancelled(message: fields("message"))
        case "fileCancel": self = try .fileCancel(fileId: fields("fileId"), message: fields("message"))
        case "fileAlreadyExists": self = try .fileAlreadyExists(filePath: fields("filePath"))
        case "fileWrite": self = try .fileWrite(filePath: fields("filePath"), message: fields("message"))
        case "fileSend": self = try .fileSend(fileId: fields("fileId"), agentError: fields("agentError"))
        case "fileRcvChunk": self = try .fileRcvChunk(message: fields("message"))
        case "fileInternal": self = try .fileInternal(message: fields("message"))
        case "fileImageType": self = try .fileImageType(filePath: fields("filePath"))
        case "fileImageSize": self = try .fileImageSize(filePath: fields("filePath"))
        case "fileNotReceived": self = try .fileNotReceived(fileId: fields("fileId"))
        case "fileNotApproved":
            self = try .fileNotApproved(fileId: fields("fileId"), unknownServers: fields("unknownServers"))
        case "fallbackToSMPProhibited": self = try .fallbackToSMPProhibited(fileId: fields("fileId"))
        case "inlineFileProhibited": self = try .inlineFileProhibited(fileId: fields("fileId"))
        case "invalidForward": self = .invalidForward
        case "invalidChatItemUpdate": self = .invalidChatItemUpdate
        case "invalidChatItemDelete": self = .invalidChatItemDelete
        case "hasCurrentCall": self = .hasCurrentCall
        case "noCurrentCall": self = .noCurrentCall
        case "callContact": self = try .callContact(contactId: fields("contactId"))
        case "directMessagesProhibited":
            self = try .directMessagesProhibited(direction: fields("direction"), contact: fields("contact"))
        case "agentVersion": self = .agentVersion
        case "agentNoSubResult": self = try .agentNoSubResult(agentConnId: fields("agentConnId"))
        case "commandError": self = try .commandError(message: fields("message"))
        case "agentCommandError": self = try .agentCommandError(message: fields("message"))
        case "invalidFileDescription": self = try .invalidFileDescription(message: fields("message"))
        case "connectionIncognitoChangeProhibited": self = .connectionIncognitoChangeProhibited
        case "connectionUserChangeProhibited": self = .connectionUserChangeProhibited
        case "peerChatVRangeIncompatible": self = .peerChatVRangeIncompatible
        case "relayTestError": self = try .relayTestError(message: fields("message"))
        case "internalError": self = try .internalError(message: fields("message"))
        case "exception": self = try .exception(message: fields("message"))
        case "invalidChatMessage":
            self = try .invalidChatMessage(
                connection: fields("connection"), msgMeta: fields.optional("msgMeta"),
                messageData: fields("messageData"), message: fields("message"))
        case "contactNotFound":
            self = try .contactNotFound(
                contactName: fields("contactName"), suspectedMember: fields.optional("suspectedMember"))
        case "callState": self = try .callState(currentCallState: fields("currentCallState"))
        case "serverProtocol": self = try .serverProtocol(serverProtocol: fields("serverProtocol"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .noActiveUser: try encoder.tagged("noActiveUser")
        case .noConnectionUser(let agentConnId): try encoder.tagged("noConnectionUser")("agentConnId", agentConnId)
        case .noSndFileUser(let agentSndFileId): try encoder.tagged("noSndFileUser")("agentSndFileId", agentSndFileId)
        case .noRcvFileUser(let agentRcvFileId): try encoder.tagged("noRcvFileUser")("agentRcvFileId", agentRcvFileId)
        case .userUnknown: try encoder.tagged("userUnknown")
        case .userExists(let contactName): try encoder.tagged("userExists")("contactName", contactName)
        case .chatRelayExists: try encoder.tagged("chatRelayExists")
        case .differentActiveUser(let commandUserId, let activeUserId):
            try encoder.tagged("differentActiveUser")("commandUserId", commandUserId)("activeUserId", activeUserId)
        case .cantDeleteActiveUser(let userId): try encoder.tagged("cantDeleteActiveUser")("userId", userId)
        case .cantDeleteLastUser(let userId): try encoder.tagged("cantDeleteLastUser")("userId", userId)
        case .cantHideLastUser(let userId): try encoder.tagged("cantHideLastUser")("userId", userId)
        case .hiddenUserAlwaysMuted(let userId): try encoder.tagged("hiddenUserAlwaysMuted")("userId", userId)
        case .emptyUserPassword(let userId): try encoder.tagged("emptyUserPassword")("userId", userId)
        case .userAlreadyHidden(let userId): try encoder.tagged("userAlreadyHidden")("userId", userId)
        case .userNotHidden(let userId): try encoder.tagged("userNotHidden")("userId", userId)
        case .invalidDisplayName(let displayName, let validName):
            try encoder.tagged("invalidDisplayName")("displayName", displayName)("validName", validName)
        case .chatNotStarted: try encoder.tagged("chatNotStarted")
        case .chatNotStopped: try encoder.tagged("chatNotStopped")
        case .chatStoreChanged: try encoder.tagged("chatStoreChanged")
        case .invalidConnReq: try encoder.tagged("invalidConnReq")
        case .simplexDomainNotReady(let simplexDomain, let simplexDomainError):
            try encoder.tagged("simplexDomainNotReady")("simplexDomain", simplexDomain)(
                "simplexDomainError", simplexDomainError)
        case .notResolvedLocally: try encoder.tagged("notResolvedLocally")
        case .unsupportedConnReq: try encoder.tagged("unsupportedConnReq")
        case .connReqMessageProhibited: try encoder.tagged("connReqMessageProhibited")
        case .contactNotReady(let contact): try encoder.tagged("contactNotReady")("contact", contact)
        case .contactNotActive(let contact): try encoder.tagged("contactNotActive")("contact", contact)
        case .contactDisabled(let contact): try encoder.tagged("contactDisabled")("contact", contact)
        case .connectionDisabled(let connection): try encoder.tagged("connectionDisabled")("connection", connection)
        case .groupUserRole(let groupInfo, let requiredRole):
            try encoder.tagged("groupUserRole")("groupInfo", groupInfo)("requiredRole", requiredRole)
        case .groupMemberInitialRole(let groupInfo, let initialRole):
            try encoder.tagged("groupMemberInitialRole")("groupInfo", groupInfo)("initialRole", initialRole)
        case .contactIncognitoCantInvite: try encoder.tagged("contactIncognitoCantInvite")
        case .groupIncognitoCantInvite: try encoder.tagged("groupIncognitoCantInvite")
        case .groupContactRole(let contactName): try encoder.tagged("groupContactRole")("contactName", contactName)
        case .groupDuplicateMember(let contactName):
            try encoder.tagged("groupDuplicateMember")("contactName", contactName)
        case .groupDuplicateMemberId: try encoder.tagged("groupDuplicateMemberId")
        case .groupNotJoined(let groupInfo): try encoder.tagged("groupNotJoined")("groupInfo", groupInfo)
        case .groupMemberNotActive: try encoder.tagged("groupMemberNotActive")
        case .cantBlockMemberForSelf(let groupInfo, let member, let setShowMessages):
            try encoder.tagged("cantBlockMemberForSelf")("groupInfo", groupInfo)("member", member)(
                "setShowMessages", setShowMessages)
        case .groupMemberUserRemoved: try encoder.tagged("groupMemberUserRemoved")
        case .groupMemberNotFound: try encoder.tagged("groupMemberNotFound")
        case .groupCantResendInvitation(let groupInfo, let contactName):
            try encoder.tagged("groupCantResendInvitation")("groupInfo", groupInfo)("contactName", contactName)
        case .groupInternal(let message): try encoder.tagged("groupInternal")("message", message)
        case .fileNotFound(let message): try encoder.tagged("fileNotFound")("message", message)
        case .fileSize(let filePath): try encoder.tagged("fileSize")("filePath", filePath)
        case .fileAlreadyReceiving(let message): try encoder.tagged("fileAlreadyReceiving")("message", message)
        case .fileCancelled(let message): try encoder.tagged("fileCancelled")("message", message)
        case .fileCancel(let fileId, let message):
            try encoder.tagged("fileCancel")("fileId", fileId)("message", message)
        case .fileAlreadyExists(let filePath): try encoder.tagged("fileAlreadyExists")("filePath", filePath)
        case .fileWrite(let filePath, let message):
            try encoder.tagged("fileWrite")("filePath", filePath)("message", message)
        case .fileSend(let fileId, let agentError):
            try encoder.tagged("fileSend")("fileId", fileId)("agentError", agentError)
        case .fileRcvChunk(let message): try encoder.tagged("fileRcvChunk")("message", message)
        case .fileInternal(let message): try encoder.tagged("fileInternal")("message", message)
        case .fileImageType(let filePath): try encoder.tagged("fileImageType")("filePath", filePath)
        case .fileImageSize(let filePath): try encoder.tagged("fileImageSize")("filePath", filePath)
        case .fileNotReceived(let fileId): try encoder.tagged("fileNotReceived")("fileId", fileId)
        case .fileNotApproved(let fileId, let unknownServers):
            try encoder.tagged("fileNotApproved")("fileId", fileId)("unknownServers", unknownServers)
        case .fallbackToSMPProhibited(let fileId): try encoder.tagged("fallbackToSMPProhibited")("fileId", fileId)
        case .inlineFileProhibited(let fileId): try encoder.tagged("inlineFileProhibited")("fileId", fileId)
        case .invalidForward: try encoder.tagged("invalidForward")
        case .invalidChatItemUpdate: try encoder.tagged("invalidChatItemUpdate")
        case .invalidChatItemDelete: try encoder.tagged("invalidChatItemDelete")
        case .hasCurrentCall: try encoder.tagged("hasCurrentCall")
        case .noCurrentCall: try encoder.tagged("noCurrentCall")
        case .callContact(let contactId): try encoder.tagged("callContact")("contactId", contactId)
        case .directMessagesProhibited(let direction, let contact):
            try encoder.tagged("directMessagesProhibited")("direction", direction)("contact", contact)
        case .agentVersion: try encoder.tagged("agentVersion")
        case .agentNoSubResult(let agentConnId): try encoder.tagged("agentNoSubResult")("agentConnId", agentConnId)
        case .commandError(let message): try encoder.tagged("commandError")("message", message)
        case .notImplemented(let command):
            try Self.commandError(message: "not implemented: \(command)").encode(to: encoder)
        case .accessDenied(let reason): try Self.commandError(message: reason).encode(to: encoder)
        case .agentCommandError(let message): try encoder.tagged("agentCommandError")("message", message)
        case .invalidFileDescription(let message): try encoder.tagged("invalidFileDescription")("message", message)
        case .connectionIncognitoChangeProhibited: try encoder.tagged("connectionIncognitoChangeProhibited")
        case .connectionUserChangeProhibited: try encoder.tagged("connectionUserChangeProhibited")
        case .peerChatVRangeIncompatible: try encoder.tagged("peerChatVRangeIncompatible")
        case .relayTestError(let message): try encoder.tagged("relayTestError")("message", message)
        case .internalError(let message): try encoder.tagged("internalError")("message", message)
        case .exception(let message): try encoder.tagged("exception")("message", message)
        case .storageFull(let message): try Self.exception(message: message).encode(to: encoder)
        case .quotaExceeded(_, _, let message): try Self.exception(message: message).encode(to: encoder)
        case .fileAway(_, let message): try Self.exception(message: message).encode(to: encoder)
        case .tooManyPasswords:
            try Self.commandError(message: "too many wrong passwords were tried").encode(to: encoder)
        case .invalidChatMessage(let connection, let msgMeta, let messageData, let message):
            try encoder.tagged("invalidChatMessage")("connection", connection).optional("msgMeta", msgMeta)(
                "messageData", messageData)("message", message)
        case .contactNotFound(let contactName, let suspectedMember):
            try encoder.tagged("contactNotFound")("contactName", contactName).optional(
                "suspectedMember", suspectedMember)
        case .callState(let currentCallState): try encoder.tagged("callState")("currentCallState", currentCallState)
        case .serverProtocol(let serverProtocol): try encoder.tagged("serverProtocol")("serverProtocol", serverProtocol)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
