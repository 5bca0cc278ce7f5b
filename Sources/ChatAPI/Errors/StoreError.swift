public import JSON

/// Errors of the chat database: mostly that something is not there.
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

extension StoreError {
    public init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "duplicateName": self = .duplicateName
        case "userNotFound": self = .userNotFound(userId: try fields("userId"))
        case "relayUserNotFound": self = .relayUserNotFound
        case "userNotFoundByName": self = .userNotFoundByName(contactName: try fields("contactName"))
        case "userNotFoundByContactId": self = .userNotFoundByContactId(contactId: try fields("contactId"))
        case "userNotFoundByGroupId": self = .userNotFoundByGroupId(groupId: try fields("groupId"))
        case "userNotFoundByFileId": self = .userNotFoundByFileId(fileId: try fields("fileId"))
        case "userNotFoundByContactRequestId": self = .userNotFoundByContactRequestId(contactRequestId: try fields("contactRequestId"))
        case "contactNotFound": self = .contactNotFound(contactId: try fields("contactId"))
        case "contactNotFoundByName": self = .contactNotFoundByName(contactName: try fields("contactName"))
        case "contactNotFoundByMemberId": self = .contactNotFoundByMemberId(groupMemberId: try fields("groupMemberId"))
        case "contactNotReady": self = .contactNotReady(contactName: try fields("contactName"))
        case "duplicateContactLink": self = .duplicateContactLink
        case "userContactLinkNotFound": self = .userContactLinkNotFound
        case "contactRequestNotFound": self = .contactRequestNotFound(contactRequestId: try fields("contactRequestId"))
        case "contactRequestNotFoundByName": self = .contactRequestNotFoundByName(contactName: try fields("contactName"))
        case "invalidContactRequestEntity": self = .invalidContactRequestEntity(contactRequestId: try fields("contactRequestId"))
        case "invalidBusinessChatContactRequest": self = .invalidBusinessChatContactRequest
        case "groupNotFound": self = .groupNotFound(groupId: try fields("groupId"))
        case "groupNotFoundByName": self = .groupNotFoundByName(groupName: try fields("groupName"))
        case "groupMemberNameNotFound": self = .groupMemberNameNotFound(groupId: try fields("groupId"), groupMemberName: try fields("groupMemberName"))
        case "groupMemberNotFound": self = .groupMemberNotFound(groupMemberId: try fields("groupMemberId"))
        case "groupMemberNotFoundByIndex": self = .groupMemberNotFoundByIndex(groupMemberIndex: try fields("groupMemberIndex"))
        case "memberRelationsVectorNotFound": self = .memberRelationsVectorNotFound(groupMemberId: try fields("groupMemberId"))
        case "groupHostMemberNotFound": self = .groupHostMemberNotFound(groupId: try fields("groupId"))
        case "groupMemberNotFoundByMemberId": self = .groupMemberNotFoundByMemberId(memberId: try fields("memberId"))
        case "memberContactGroupMemberNotFound": self = .memberContactGroupMemberNotFound(contactId: try fields("contactId"))
        case "invalidMemberRelationUpdate": self = .invalidMemberRelationUpdate
        case "groupWithoutUser": self = .groupWithoutUser
        case "duplicateGroupMember": self = .duplicateGroupMember
        case "duplicateMemberId": self = .duplicateMemberId
        case "groupAlreadyJoined": self = .groupAlreadyJoined
        case "groupInvitationNotFound": self = .groupInvitationNotFound
        case "noteFolderAlreadyExists": self = .noteFolderAlreadyExists(noteFolderId: try fields("noteFolderId"))
        case "noteFolderNotFound": self = .noteFolderNotFound(noteFolderId: try fields("noteFolderId"))
        case "userNoteFolderNotFound": self = .userNoteFolderNotFound
        case "sndFileNotFound": self = .sndFileNotFound(fileId: try fields("fileId"))
        case "sndFileInvalid": self = .sndFileInvalid(fileId: try fields("fileId"))
        case "rcvFileNotFound": self = .rcvFileNotFound(fileId: try fields("fileId"))
        case "rcvFileDescrNotFound": self = .rcvFileDescrNotFound(fileId: try fields("fileId"))
        case "fileNotFound": self = .fileNotFound(fileId: try fields("fileId"))
        case "rcvFileInvalid": self = .rcvFileInvalid(fileId: try fields("fileId"))
        case "rcvFileInvalidDescrPart": self = .rcvFileInvalidDescrPart
        case "localFileNoTransfer": self = .localFileNoTransfer(fileId: try fields("fileId"))
        case "sharedMsgIdNotFoundByFileId": self = .sharedMsgIdNotFoundByFileId(fileId: try fields("fileId"))
        case "fileIdNotFoundBySharedMsgId": self = .fileIdNotFoundBySharedMsgId(sharedMsgId: try fields("sharedMsgId"))
        case "sndFileNotFoundXFTP": self = .sndFileNotFoundXFTP(agentSndFileId: try fields("agentSndFileId"))
        case "rcvFileNotFoundXFTP": self = .rcvFileNotFoundXFTP(agentRcvFileId: try fields("agentRcvFileId"))
        case "connectionNotFound": self = .connectionNotFound(agentConnId: try fields("agentConnId"))
        case "connectionNotFoundById": self = .connectionNotFoundById(connId: try fields("connId"))
        case "connectionNotFoundByMemberId": self = .connectionNotFoundByMemberId(groupMemberId: try fields("groupMemberId"))
        case "pendingConnectionNotFound": self = .pendingConnectionNotFound(connId: try fields("connId"))
        case "uniqueID": self = .uniqueID
        case "largeMsg": self = .largeMsg
        case "internalError": self = .internalError(message: try fields("message"))
        case "dBException": self = .dBException(message: try fields("message"))
        case "dBBusyError": self = .dBBusyError(message: try fields("message"))
        case "badChatItem": self = .badChatItem(itemId: try fields("itemId"), itemTs: try fields.optional("itemTs"))
        case "chatItemNotFound": self = .chatItemNotFound(itemId: try fields("itemId"))
        case "chatItemNotFoundByText": self = .chatItemNotFoundByText(text: try fields("text"))
        case "chatItemSharedMsgIdNotFound": self = .chatItemSharedMsgIdNotFound(sharedMsgId: try fields("sharedMsgId"))
        case "chatItemNotFoundByFileId": self = .chatItemNotFoundByFileId(fileId: try fields("fileId"))
        case "chatItemNotFoundByContactId": self = .chatItemNotFoundByContactId(contactId: try fields("contactId"))
        case "chatItemNotFoundByGroupId": self = .chatItemNotFoundByGroupId(groupId: try fields("groupId"))
        case "profileNotFound": self = .profileNotFound(profileId: try fields("profileId"))
        case "duplicateGroupLink": self = .duplicateGroupLink(groupInfo: try fields("groupInfo"))
        case "groupLinkNotFound": self = .groupLinkNotFound(groupInfo: try fields("groupInfo"))
        case "hostMemberIdNotFound": self = .hostMemberIdNotFound(groupId: try fields("groupId"))
        case "contactNotFoundByFileId": self = .contactNotFoundByFileId(fileId: try fields("fileId"))
        case "noGroupSndStatus": self = .noGroupSndStatus(itemId: try fields("itemId"), groupMemberId: try fields("groupMemberId"))
        case "duplicateGroupMessage": self = .duplicateGroupMessage(groupId: try fields("groupId"), sharedMsgId: try fields("sharedMsgId"), authorGroupMemberId: try fields.optional("authorGroupMemberId"), forwardedByGroupMemberId: try fields.optional("forwardedByGroupMemberId"))
        case "remoteHostNotFound": self = .remoteHostNotFound(remoteHostId: try fields("remoteHostId"))
        case "remoteHostUnknown": self = .remoteHostUnknown
        case "remoteHostDuplicateCA": self = .remoteHostDuplicateCA
        case "remoteCtrlNotFound": self = .remoteCtrlNotFound(remoteCtrlId: try fields("remoteCtrlId"))
        case "remoteCtrlDuplicateCA": self = .remoteCtrlDuplicateCA
        case "prohibitedDeleteUser": self = .prohibitedDeleteUser(userId: try fields("userId"), contactId: try fields("contactId"))
        case "operatorNotFound": self = .operatorNotFound(serverOperatorId: try fields("serverOperatorId"))
        case "usageConditionsNotFound": self = .usageConditionsNotFound
        case "userChatRelayNotFound": self = .userChatRelayNotFound(chatRelayId: try fields("chatRelayId"))
        case "groupRelayNotFound": self = .groupRelayNotFound(groupRelayId: try fields("groupRelayId"))
        case "groupRelayNotFoundByMemberId": self = .groupRelayNotFoundByMemberId(groupMemberId: try fields("groupMemberId"))
        case "invalidQuote": self = .invalidQuote
        case "invalidMention": self = .invalidMention
        case "invalidDeliveryTask": self = .invalidDeliveryTask(taskId: try fields("taskId"))
        case "deliveryTaskNotFound": self = .deliveryTaskNotFound(taskId: try fields("taskId"))
        case "invalidDeliveryJob": self = .invalidDeliveryJob(jobId: try fields("jobId"))
        case "deliveryJobNotFound": self = .deliveryJobNotFound(jobId: try fields("jobId"))
        case "workItemError": self = .workItemError(errContext: try fields("errContext"))
        default: self = .unrecognized(try fields.unknown(decoder))
        }
    }

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
