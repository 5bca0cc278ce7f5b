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
    case agentCommandError(message: String)
    case invalidFileDescription(message: String)
    case connectionIncognitoChangeProhibited
    case connectionUserChangeProhibited
    case peerChatVRangeIncompatible
    case relayTestError(message: String)
    case internalError(message: String)
    case exception(message: String)
    case invalidChatMessage(connection: Connection, msgMeta: MsgMetaJSON?, messageData: String, message: String)
    case contactNotFound(contactName: String, suspectedMember: [JSONValue]?)
    case callState(currentCallState: CallStateTag)
    case serverProtocol(serverProtocol: ServerProtocol)
    /// A case that this program does not know, as it came.
    case unrecognized(JSONValue)
}

extension ChatErrorType {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "noActiveUser": self = .noActiveUser
        case "noConnectionUser": self = .noConnectionUser(agentConnId: try fields("agentConnId"))
        case "noSndFileUser": self = .noSndFileUser(agentSndFileId: try fields("agentSndFileId"))
        case "noRcvFileUser": self = .noRcvFileUser(agentRcvFileId: try fields("agentRcvFileId"))
        case "userUnknown": self = .userUnknown
        case "userExists": self = .userExists(contactName: try fields("contactName"))
        case "chatRelayExists": self = .chatRelayExists
        case "differentActiveUser": self = .differentActiveUser(commandUserId: try fields("commandUserId"), activeUserId: try fields("activeUserId"))
        case "cantDeleteActiveUser": self = .cantDeleteActiveUser(userId: try fields("userId"))
        case "cantDeleteLastUser": self = .cantDeleteLastUser(userId: try fields("userId"))
        case "cantHideLastUser": self = .cantHideLastUser(userId: try fields("userId"))
        case "hiddenUserAlwaysMuted": self = .hiddenUserAlwaysMuted(userId: try fields("userId"))
        case "emptyUserPassword": self = .emptyUserPassword(userId: try fields("userId"))
        case "userAlreadyHidden": self = .userAlreadyHidden(userId: try fields("userId"))
        case "userNotHidden": self = .userNotHidden(userId: try fields("userId"))
        case "invalidDisplayName": self = .invalidDisplayName(displayName: try fields("displayName"), validName: try fields("validName"))
        case "chatNotStarted": self = .chatNotStarted
        case "chatNotStopped": self = .chatNotStopped
        case "chatStoreChanged": self = .chatStoreChanged
        case "invalidConnReq": self = .invalidConnReq
        case "simplexDomainNotReady": self = .simplexDomainNotReady(simplexDomain: try fields("simplexDomain"), simplexDomainError: try fields("simplexDomainError"))
        case "notResolvedLocally": self = .notResolvedLocally
        case "unsupportedConnReq": self = .unsupportedConnReq
        case "connReqMessageProhibited": self = .connReqMessageProhibited
        case "contactNotReady": self = .contactNotReady(contact: try fields("contact"))
        case "contactNotActive": self = .contactNotActive(contact: try fields("contact"))
        case "contactDisabled": self = .contactDisabled(contact: try fields("contact"))
        case "connectionDisabled": self = .connectionDisabled(connection: try fields("connection"))
        case "groupUserRole": self = .groupUserRole(groupInfo: try fields("groupInfo"), requiredRole: try fields("requiredRole"))
        case "groupMemberInitialRole": self = .groupMemberInitialRole(groupInfo: try fields("groupInfo"), initialRole: try fields("initialRole"))
        case "contactIncognitoCantInvite": self = .contactIncognitoCantInvite
        case "groupIncognitoCantInvite": self = .groupIncognitoCantInvite
        case "groupContactRole": self = .groupContactRole(contactName: try fields("contactName"))
        case "groupDuplicateMember": self = .groupDuplicateMember(contactName: try fields("contactName"))
        case "groupDuplicateMemberId": self = .groupDuplicateMemberId
        case "groupNotJoined": self = .groupNotJoined(groupInfo: try fields("groupInfo"))
        case "groupMemberNotActive": self = .groupMemberNotActive
        case "cantBlockMemberForSelf": self = .cantBlockMemberForSelf(groupInfo: try fields("groupInfo"), member: try fields("member"), setShowMessages: try fields("setShowMessages"))
        case "groupMemberUserRemoved": self = .groupMemberUserRemoved
        case "groupMemberNotFound": self = .groupMemberNotFound
        case "groupCantResendInvitation": self = .groupCantResendInvitation(groupInfo: try fields("groupInfo"), contactName: try fields("contactName"))
        case "groupInternal": self = .groupInternal(message: try fields("message"))
        case "fileNotFound": self = .fileNotFound(message: try fields("message"))
        case "fileSize": self = .fileSize(filePath: try fields("filePath"))
        case "fileAlreadyReceiving": self = .fileAlreadyReceiving(message: try fields("message"))
        case "fileCancelled": self = .fileCancelled(message: try fields("message"))
        case "fileCancel": self = .fileCancel(fileId: try fields("fileId"), message: try fields("message"))
        case "fileAlreadyExists": self = .fileAlreadyExists(filePath: try fields("filePath"))
        case "fileWrite": self = .fileWrite(filePath: try fields("filePath"), message: try fields("message"))
        case "fileSend": self = .fileSend(fileId: try fields("fileId"), agentError: try fields("agentError"))
        case "fileRcvChunk": self = .fileRcvChunk(message: try fields("message"))
        case "fileInternal": self = .fileInternal(message: try fields("message"))
        case "fileImageType": self = .fileImageType(filePath: try fields("filePath"))
        case "fileImageSize": self = .fileImageSize(filePath: try fields("filePath"))
        case "fileNotReceived": self = .fileNotReceived(fileId: try fields("fileId"))
        case "fileNotApproved": self = .fileNotApproved(fileId: try fields("fileId"), unknownServers: try fields("unknownServers"))
        case "fallbackToSMPProhibited": self = .fallbackToSMPProhibited(fileId: try fields("fileId"))
        case "inlineFileProhibited": self = .inlineFileProhibited(fileId: try fields("fileId"))
        case "invalidForward": self = .invalidForward
        case "invalidChatItemUpdate": self = .invalidChatItemUpdate
        case "invalidChatItemDelete": self = .invalidChatItemDelete
        case "hasCurrentCall": self = .hasCurrentCall
        case "noCurrentCall": self = .noCurrentCall
        case "callContact": self = .callContact(contactId: try fields("contactId"))
        case "directMessagesProhibited": self = .directMessagesProhibited(direction: try fields("direction"), contact: try fields("contact"))
        case "agentVersion": self = .agentVersion
        case "agentNoSubResult": self = .agentNoSubResult(agentConnId: try fields("agentConnId"))
        case "commandError": self = .commandError(message: try fields("message"))
        case "agentCommandError": self = .agentCommandError(message: try fields("message"))
        case "invalidFileDescription": self = .invalidFileDescription(message: try fields("message"))
        case "connectionIncognitoChangeProhibited": self = .connectionIncognitoChangeProhibited
        case "connectionUserChangeProhibited": self = .connectionUserChangeProhibited
        case "peerChatVRangeIncompatible": self = .peerChatVRangeIncompatible
        case "relayTestError": self = .relayTestError(message: try fields("message"))
        case "internalError": self = .internalError(message: try fields("message"))
        case "exception": self = .exception(message: try fields("message"))
        case "invalidChatMessage": self = .invalidChatMessage(connection: try fields("connection"), msgMeta: try fields.optional("msgMeta"), messageData: try fields("messageData"), message: try fields("message"))
        case "contactNotFound": self = .contactNotFound(contactName: try fields("contactName"), suspectedMember: try fields.optional("suspectedMember"))
        case "callState": self = .callState(currentCallState: try fields("currentCallState"))
        case "serverProtocol": self = .serverProtocol(serverProtocol: try fields("serverProtocol"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .noActiveUser: try encoder.tagged("noActiveUser")
        case .noConnectionUser(let agentConnId):
            try encoder.tagged("noConnectionUser") { fields throws in
                try fields.encode(agentConnId, forKey: "agentConnId")
            }
        case .noSndFileUser(let agentSndFileId):
            try encoder.tagged("noSndFileUser") { fields throws in
                try fields.encode(agentSndFileId, forKey: "agentSndFileId")
            }
        case .noRcvFileUser(let agentRcvFileId):
            try encoder.tagged("noRcvFileUser") { fields throws in
                try fields.encode(agentRcvFileId, forKey: "agentRcvFileId")
            }
        case .userUnknown: try encoder.tagged("userUnknown")
        case .userExists(let contactName):
            try encoder.tagged("userExists") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
            }
        case .chatRelayExists: try encoder.tagged("chatRelayExists")
        case .differentActiveUser(let commandUserId, let activeUserId):
            try encoder.tagged("differentActiveUser") { fields throws in
                try fields.encode(commandUserId, forKey: "commandUserId")
                try fields.encode(activeUserId, forKey: "activeUserId")
            }
        case .cantDeleteActiveUser(let userId):
            try encoder.tagged("cantDeleteActiveUser") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .cantDeleteLastUser(let userId):
            try encoder.tagged("cantDeleteLastUser") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .cantHideLastUser(let userId):
            try encoder.tagged("cantHideLastUser") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .hiddenUserAlwaysMuted(let userId):
            try encoder.tagged("hiddenUserAlwaysMuted") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .emptyUserPassword(let userId):
            try encoder.tagged("emptyUserPassword") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .userAlreadyHidden(let userId):
            try encoder.tagged("userAlreadyHidden") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .userNotHidden(let userId):
            try encoder.tagged("userNotHidden") { fields throws in
                try fields.encode(userId, forKey: "userId")
            }
        case .invalidDisplayName(let displayName, let validName):
            try encoder.tagged("invalidDisplayName") { fields throws in
                try fields.encode(displayName, forKey: "displayName")
                try fields.encode(validName, forKey: "validName")
            }
        case .chatNotStarted: try encoder.tagged("chatNotStarted")
        case .chatNotStopped: try encoder.tagged("chatNotStopped")
        case .chatStoreChanged: try encoder.tagged("chatStoreChanged")
        case .invalidConnReq: try encoder.tagged("invalidConnReq")
        case .simplexDomainNotReady(let simplexDomain, let simplexDomainError):
            try encoder.tagged("simplexDomainNotReady") { fields throws in
                try fields.encode(simplexDomain, forKey: "simplexDomain")
                try fields.encode(simplexDomainError, forKey: "simplexDomainError")
            }
        case .notResolvedLocally: try encoder.tagged("notResolvedLocally")
        case .unsupportedConnReq: try encoder.tagged("unsupportedConnReq")
        case .connReqMessageProhibited: try encoder.tagged("connReqMessageProhibited")
        case .contactNotReady(let contact):
            try encoder.tagged("contactNotReady") { fields throws in
                try fields.encode(contact, forKey: "contact")
            }
        case .contactNotActive(let contact):
            try encoder.tagged("contactNotActive") { fields throws in
                try fields.encode(contact, forKey: "contact")
            }
        case .contactDisabled(let contact):
            try encoder.tagged("contactDisabled") { fields throws in
                try fields.encode(contact, forKey: "contact")
            }
        case .connectionDisabled(let connection):
            try encoder.tagged("connectionDisabled") { fields throws in
                try fields.encode(connection, forKey: "connection")
            }
        case .groupUserRole(let groupInfo, let requiredRole):
            try encoder.tagged("groupUserRole") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(requiredRole, forKey: "requiredRole")
            }
        case .groupMemberInitialRole(let groupInfo, let initialRole):
            try encoder.tagged("groupMemberInitialRole") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(initialRole, forKey: "initialRole")
            }
        case .contactIncognitoCantInvite: try encoder.tagged("contactIncognitoCantInvite")
        case .groupIncognitoCantInvite: try encoder.tagged("groupIncognitoCantInvite")
        case .groupContactRole(let contactName):
            try encoder.tagged("groupContactRole") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
            }
        case .groupDuplicateMember(let contactName):
            try encoder.tagged("groupDuplicateMember") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
            }
        case .groupDuplicateMemberId: try encoder.tagged("groupDuplicateMemberId")
        case .groupNotJoined(let groupInfo):
            try encoder.tagged("groupNotJoined") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupMemberNotActive: try encoder.tagged("groupMemberNotActive")
        case .cantBlockMemberForSelf(let groupInfo, let member, let setShowMessages):
            try encoder.tagged("cantBlockMemberForSelf") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(setShowMessages, forKey: "setShowMessages")
            }
        case .groupMemberUserRemoved: try encoder.tagged("groupMemberUserRemoved")
        case .groupMemberNotFound: try encoder.tagged("groupMemberNotFound")
        case .groupCantResendInvitation(let groupInfo, let contactName):
            try encoder.tagged("groupCantResendInvitation") { fields throws in
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(contactName, forKey: "contactName")
            }
        case .groupInternal(let message):
            try encoder.tagged("groupInternal") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .fileNotFound(let message):
            try encoder.tagged("fileNotFound") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .fileSize(let filePath):
            try encoder.tagged("fileSize") { fields throws in
                try fields.encode(filePath, forKey: "filePath")
            }
        case .fileAlreadyReceiving(let message):
            try encoder.tagged("fileAlreadyReceiving") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .fileCancelled(let message):
            try encoder.tagged("fileCancelled") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .fileCancel(let fileId, let message):
            try encoder.tagged("fileCancel") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
                try fields.encode(message, forKey: "message")
            }
        case .fileAlreadyExists(let filePath):
            try encoder.tagged("fileAlreadyExists") { fields throws in
                try fields.encode(filePath, forKey: "filePath")
            }
        case .fileWrite(let filePath, let message):
            try encoder.tagged("fileWrite") { fields throws in
                try fields.encode(filePath, forKey: "filePath")
                try fields.encode(message, forKey: "message")
            }
        case .fileSend(let fileId, let agentError):
            try encoder.tagged("fileSend") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
                try fields.encode(agentError, forKey: "agentError")
            }
        case .fileRcvChunk(let message):
            try encoder.tagged("fileRcvChunk") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .fileInternal(let message):
            try encoder.tagged("fileInternal") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .fileImageType(let filePath):
            try encoder.tagged("fileImageType") { fields throws in
                try fields.encode(filePath, forKey: "filePath")
            }
        case .fileImageSize(let filePath):
            try encoder.tagged("fileImageSize") { fields throws in
                try fields.encode(filePath, forKey: "filePath")
            }
        case .fileNotReceived(let fileId):
            try encoder.tagged("fileNotReceived") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .fileNotApproved(let fileId, let unknownServers):
            try encoder.tagged("fileNotApproved") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
                try fields.encode(unknownServers, forKey: "unknownServers")
            }
        case .fallbackToSMPProhibited(let fileId):
            try encoder.tagged("fallbackToSMPProhibited") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .inlineFileProhibited(let fileId):
            try encoder.tagged("inlineFileProhibited") { fields throws in
                try fields.encode(fileId, forKey: "fileId")
            }
        case .invalidForward: try encoder.tagged("invalidForward")
        case .invalidChatItemUpdate: try encoder.tagged("invalidChatItemUpdate")
        case .invalidChatItemDelete: try encoder.tagged("invalidChatItemDelete")
        case .hasCurrentCall: try encoder.tagged("hasCurrentCall")
        case .noCurrentCall: try encoder.tagged("noCurrentCall")
        case .callContact(let contactId):
            try encoder.tagged("callContact") { fields throws in
                try fields.encode(contactId, forKey: "contactId")
            }
        case .directMessagesProhibited(let direction, let contact):
            try encoder.tagged("directMessagesProhibited") { fields throws in
                try fields.encode(direction, forKey: "direction")
                try fields.encode(contact, forKey: "contact")
            }
        case .agentVersion: try encoder.tagged("agentVersion")
        case .agentNoSubResult(let agentConnId):
            try encoder.tagged("agentNoSubResult") { fields throws in
                try fields.encode(agentConnId, forKey: "agentConnId")
            }
        case .commandError(let message):
            try encoder.tagged("commandError") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .agentCommandError(let message):
            try encoder.tagged("agentCommandError") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .invalidFileDescription(let message):
            try encoder.tagged("invalidFileDescription") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .connectionIncognitoChangeProhibited: try encoder.tagged("connectionIncognitoChangeProhibited")
        case .connectionUserChangeProhibited: try encoder.tagged("connectionUserChangeProhibited")
        case .peerChatVRangeIncompatible: try encoder.tagged("peerChatVRangeIncompatible")
        case .relayTestError(let message):
            try encoder.tagged("relayTestError") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .internalError(let message):
            try encoder.tagged("internalError") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .exception(let message):
            try encoder.tagged("exception") { fields throws in
                try fields.encode(message, forKey: "message")
            }
        case .invalidChatMessage(let connection, let msgMeta, let messageData, let message):
            try encoder.tagged("invalidChatMessage") { fields throws in
                try fields.encode(connection, forKey: "connection")
                try fields.encodeIfPresent(msgMeta, forKey: "msgMeta")
                try fields.encode(messageData, forKey: "messageData")
                try fields.encode(message, forKey: "message")
            }
        case .contactNotFound(let contactName, let suspectedMember):
            try encoder.tagged("contactNotFound") { fields throws in
                try fields.encode(contactName, forKey: "contactName")
                try fields.encodeIfPresent(suspectedMember, forKey: "suspectedMember")
            }
        case .callState(let currentCallState):
            try encoder.tagged("callState") { fields throws in
                try fields.encode(currentCallState, forKey: "currentCallState")
            }
        case .serverProtocol(let serverProtocol):
            try encoder.tagged("serverProtocol") { fields throws in
                try fields.encode(serverProtocol, forKey: "serverProtocol")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
