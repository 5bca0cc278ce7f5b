extension ChatErrorType {
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
