// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error of the chat database. Most of these errors report a missing row.
package indirect enum StoreError: TaggedUnion {
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
    /// The disk is full, or the process has exceeded its disk quota. Encoded as `dBException`.
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
    case duplicateGroupMessage(
        groupId: Int64, sharedMsgId: String, authorGroupMemberId: Int64?, forwardedByGroupMemberId: Int64?)
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
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension StoreError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "duplicateName": self = .duplicateName
        case "userNotFound": self = try .userNotFound(userId: fields("userId"))
        case "relayUserNotFound": self = .relayUserNotFound
        case "userNotFoundByName": self = try .userNotFoundByName(contactName: fields("contactName"))
        case "userNotFoundByContactId": self = try .userNotFoundByContactId(contactId: fields("contactId"))
        case "userNotFoundByGroupId": self = try .userNotFoundByGroupId(groupId: fields("groupId"))
        case "userNotFoundByFileId": self = try .userNotFoundByFileId(fileId: fields("fileId"))
        case "userNotFoundByContactRequestId":
            self = try .userNotFoundByContactRequestId(contactRequestId: fields("contactRequestId"))
        case "contactNotFound": self = try .contactNotFound(contactId: fields("contactId"))
        case "contactNotFoundByName": self = try .contactNotFoundByName(contactName: fields("contactName"))
        case "contactNotFoundByMemberId": self = try .contactNotFoundByMemberId(groupMemberId: fields("groupMemberId"))
        case "contactNotReady": self = try .contactNotReady(contactName: fields("contactName"))
        case "duplicateContactLink": self = .duplicateContactLink
        case "userContactLinkNotFound": self = .userContactLinkNotFound
        case "contactRequestNotFound": self = try .contactRequestNotFound(contactRequestId: fields("contactRequestId"))
        case "contactRequestNotFoundByName":
            self = try .contactRequestNotFoundByName(contactName: fields("contactName"))
        case "invalidContactRequestEntity":
            self = try .invalidContactRequestEntity(contactRequestId: fields("contactRequestId"))
        case "invalidBusinessChatContactRequest": self = .invalidBusinessChatContactRequest
        case "groupNotFound": self = try .groupNotFound(groupId: fields("groupId"))
        case "groupNotFoundByName": self = try .groupNotFoundByName(groupName: fields("groupName"))
        case "groupMemberNameNotFound":
            self = try .groupMemberNameNotFound(groupId: fields("groupId"), groupMemberName: fields("groupMemberName"))
        case "groupMemberNotFound": self = try .groupMemberNotFound(groupMemberId: fields("groupMemberId"))
        case "groupMemberNotFoundByIndex":
            self = try .groupMemberNotFoundByIndex(groupMemberIndex: fields("groupMemberIndex"))
        case "memberRelationsVectorNotFound":
            self = try .memberRelationsVectorNotFound(groupMemberId: fields("groupMemberId"))
        case "groupHostMemberNotFound": self = try .groupHostMemberNotFound(groupId: fields("groupId"))
        case "groupMemberNotFoundByMemberId": self = try .groupMemberNotFoundByMemberId(memberId: fields("memberId"))
        case "memberContactGroupMemberNotFound":
            self = try .memberContactGroupMemberNotFound(contactId: fields("contactId"))
        case "invalidMemberRelationUpdate": self = .invalidMemberRelationUpdate
        case "groupWithoutUser": self = .groupWithoutUser
        case "duplicateGroupMember": self = .duplicateGroupMember
        case "duplicateMemberId": self = .duplicateMemberId
        case "groupAlreadyJoined": self = .groupAlreadyJoined
        case "groupInvitationNotFound": self = .groupInvitationNotFound
        case "noteFolderAlreadyExists": self = try .noteFolderAlreadyExists(noteFolderId: fields("noteFolderId"))
        case "noteFolderNotFound": self = try .noteFolderNotFound(noteFolderId: fields("noteFolderId"))
        case "userNoteFolderNotFound": self = .userNoteFolderNotFound
        case "sndFileNotFound": self = try .sndFileNotFound(fileId: fields("fileId"))
        case "sndFileInvalid": self = try .sndFileInvalid(fileId: fields("fileId"))
        case "rcvFileNotFound": self = try .rcvFileNotFound(fileId: fields("fileId"))
        case "rcvFileDescrNotFound": self = try .rcvFileDescrNotFound(fileId: fields("fileId"))
        case "fileNotFound": self = try .fileNotFound(fileId: fields("fileId"))
        case "rcvFileInvalid": self = try .rcvFileInvalid(fileId: fields("fileId"))
        case "rcvFileInvalidDescrPart": self = .rcvFileInvalidDescrPart
        case "localFileNoTransfer": self = try .localFileNoTransfer(fileId: fields("fileId"))
        case "sharedMsgIdNotFoundByFileId": self = try .sharedMsgIdNotFoundByFileId(fileId: fields("fileId"))
        case "fileIdNotFoundBySharedMsgId": self = try .fileIdNotFoundBySharedMsgId(sharedMsgId: fields("sharedMsgId"))
        case "sndFileNotFoundXFTP": self = try .sndFileNotFoundXFTP(agentSndFileId: fields("agentSndFileId"))
        case "rcvFileNotFoundXFTP": self = try .rcvFileNotFoundXFTP(agentRcvFileId: fields("agentRcvFileId"))
        case "connectionNotFound": self = try .connectionNotFound(agentConnId: fields("agentConnId"))
        case "connectionNotFoundById": self = try .connectionNotFoundById(connId: fields("connId"))
        case "connectionNotFoundByMemberId":
            self = try .connectionNotFoundByMemberId(groupMemberId: fields("groupMemberId"))
        case "pendingConnectionNotFound": self = try .pendingConnectionNotFound(connId: fields("connId"))
        case "uniqueID": self = .uniqueID
        case "largeMsg": self = .largeMsg
        case "internalError": self = try .internalError(message: fields("message"))
        case "dBException": self = try .dBException(message: fields("message"))
        case "dBBusyError": self = try .dBBusyError(message: fields("message"))
        case "badChatItem": self = try .badChatItem(itemId: fields("itemId"), itemTs: fields.optional("itemTs"))
        case "chatItemNotFound": self = try .chatItemNotFound(itemId: fields("itemId"))
        case "chatItemNotFoundByText": self = try .chatItemNotFoundByText(text: fields("text"))
        case "chatItemSharedMsgIdNotFound": self = try .chatItemSharedMsgIdNotFound(sharedMsgId: fields("sharedMsgId"))
        case "chatItemNotFoundByFileId": self = try .chatItemNotFoundByFileId(fileId: fields("fileId"))
        case "chatItemNotFoundByContactId": self = try .chatItemNotFoundByContactId(contactId: fields("contactId"))
        case "chatItemNotFoundByGroupId": self = try .chatItemNotFoundByGroupId(groupId: fields("groupId"))
        case "profileNotFound": self = try .profileNotFound(profileId: fields("profileId"))
        case "duplicateGroupLink": self = try .duplicateGroupLink(groupInfo: fields("groupInfo"))
        case "groupLinkNotFound": self = try .groupLinkNotFound(groupInfo: fields("groupInfo"))
        case "hostMemberIdNotFound": self = try .hostMemberIdNotFound(groupId: fields("groupId"))
        case "contactNotFoundByFileId": self = try .contactNotFoundByFileId(fileId: fields("fileId"))
        case "noGroupSndStatus":
            self = try .noGroupSndStatus(itemId: fields("itemId"), groupMemberId: fields("groupMemberId"))
        case "duplicateGroupMessage":
            self = try .duplicateGroupMessage(
                groupId: fields("groupId"), sharedMsgId: fields("sharedMsgId"),
                authorGroupMemberId: fields.optional("authorGroupMemberId"),
                forwardedByGroupMemberId: fields.optional("forwardedByGroupMemberId"))
        case "remoteHostNotFound": self = try .remoteHostNotFound(remoteHostId: fields("remoteHostId"))
        case "remoteHostUnknown": self = .remoteHostUnknown
        case "remoteHostDuplicateCA": self = .remoteHostDuplicateCA
        case "remoteCtrlNotFound": self = try .remoteCtrlNotFound(remoteCtrlId: fields("remoteCtrlId"))
        case "remoteCtrlDuplicateCA": self = .remoteCtrlDuplicateCA
        case "prohibitedDeleteUser":
            self = try .prohibitedDeleteUser(userId: fields("userId"), contactId: fields("contactId"))
        case "operatorNotFound": self = try .operatorNotFound(serverOperatorId: fields("serverOperatorId"))
        case "usageConditionsNotFound": self = .usageConditionsNotFound
        case "userChatRelayNotFound": self = try .userChatRelayNotFound(chatRelayId: fields("chatRelayId"))
        case "groupRelayNotFound": self = try .groupRelayNotFound(groupRelayId: fields("groupRelayId"))
        case "groupRelayNotFoundByMemberId":
            self = try .groupRelayNotFoundByMemberId(groupMemberId: fields("groupMemberId"))
        case "invalidQuote": self = .invalidQuote
        case "invalidMention": self = .invalidMention
        case "invalidDeliveryTask": self = try .invalidDeliveryTask(taskId: fields("taskId"))
        case "deliveryTaskNotFound": self = try .deliveryTaskNotFound(taskId: fields("taskId"))
        case "invalidDeliveryJob": self = try .invalidDeliveryJob(jobId: fields("jobId"))
        case "deliveryJobNotFound": self = try .deliveryJobNotFound(jobId: fields("jobId"))
        case "workItemError": self = try .workItemError(errContext: fields("errContext"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .duplicateName: try encoder.tagged("duplicateName")
        case .userNotFound(let userId): try encoder.tagged("userNotFound")("userId", userId)
        case .relayUserNotFound: try encoder.tagged("relayUserNotFound")
        case .userNotFoundByName(let contactName): try encoder.tagged("userNotFoundByName")("contactName", contactName)
        case .userNotFoundByContactId(let contactId):
            try encoder.tagged("userNotFoundByContactId")("contactId", contactId)
        case .userNotFoundByGroupId(let groupId): try encoder.tagged("userNotFoundByGroupId")("groupId", groupId)
        case .userNotFoundByFileId(let fileId): try encoder.tagged("userNotFoundByFileId")("fileId", fileId)
        case .userNotFoundByContactRequestId(let contactRequestId):
            try encoder.tagged("userNotFoundByContactRequestId")("contactRequestId", contactRequestId)
        case .contactNotFound(let contactId): try encoder.tagged("contactNotFound")("contactId", contactId)
        case .contactNotFoundByName(let contactName):
            try encoder.tagged("contactNotFoundByName")("contactName", contactName)
        case .contactNotFoundByMemberId(let groupMemberId):
            try encoder.tagged("contactNotFoundByMemberId")("groupMemberId", groupMemberId)
        case .contactNotReady(let contactName): try encoder.tagged("contactNotReady")("contactName", contactName)
        case .duplicateContactLink: try encoder.tagged("duplicateContactLink")
        case .userContactLinkNotFound: try encoder.tagged("userContactLinkNotFound")
        case .contactRequestNotFound(let contactRequestId):
            try encoder.tagged("contactRequestNotFound")("contactRequestId", contactRequestId)
        case .contactRequestNotFoundByName(let contactName):
            try encoder.tagged("contactRequestNotFoundByName")("contactName", contactName)
        case .invalidContactRequestEntity(let contactRequestId):
            try encoder.tagged("invalidContactRequestEntity")("contactRequestId", contactRequestId)
        case .invalidBusinessChatContactRequest: try encoder.tagged("invalidBusinessChatContactRequest")
        case .groupNotFound(let groupId): try encoder.tagged("groupNotFound")("groupId", groupId)
        case .groupNotFoundByName(let groupName): try encoder.tagged("groupNotFoundByName")("groupName", groupName)
        case .groupMemberNameNotFound(let groupId, let groupMemberName):
            try encoder.tagged("groupMemberNameNotFound")("groupId", groupId)("groupMemberName", groupMemberName)
        case .groupMemberNotFound(let groupMemberId):
            try encoder.tagged("groupMemberNotFound")("groupMemberId", groupMemberId)
        case .groupMemberNotFoundByIndex(let groupMemberIndex):
            try encoder.tagged("groupMemberNotFoundByIndex")("groupMemberIndex", groupMemberIndex)
        case .memberRelationsVectorNotFound(let groupMemberId):
            try encoder.tagged("memberRelationsVectorNotFound")("groupMemberId", groupMemberId)
        case .groupHostMemberNotFound(let groupId): try encoder.tagged("groupHostMemberNotFound")("groupId", groupId)
        case .groupMemberNotFoundByMemberId(let memberId):
            try encoder.tagged("groupMemberNotFoundByMemberId")("memberId", memberId)
        case .memberContactGroupMemberNotFound(let contactId):
            try encoder.tagged("memberContactGroupMemberNotFound")("contactId", contactId)
        case .invalidMemberRelationUpdate: try encoder.tagged("invalidMemberRelationUpdate")
        case .groupWithoutUser: try encoder.tagged("groupWithoutUser")
        case .duplicateGroupMember: try encoder.tagged("duplicateGroupMember")
        case .duplicateMemberId: try encoder.tagged("duplicateMemberId")
        case .groupAlreadyJoined: try encoder.tagged("groupAlreadyJoined")
        case .groupInvitationNotFound: try encoder.tagged("groupInvitationNotFound")
        case .noteFolderAlreadyExists(let noteFolderId):
            try encoder.tagged("noteFolderAlreadyExists")("noteFolderId", noteFolderId)
        case .noteFolderNotFound(let noteFolderId):
            try encoder.tagged("noteFolderNotFound")("noteFolderId", noteFolderId)
        case .userNoteFolderNotFound: try encoder.tagged("userNoteFolderNotFound")
        case .sndFileNotFound(let fileId): try encoder.tagged("sndFileNotFound")("fileId", fileId)
        case .sndFileInvalid(let fileId): try encoder.tagged("sndFileInvalid")("fileId", fileId)
        case .rcvFileNotFound(let fileId): try encoder.tagged("rcvFileNotFound")("fileId", fileId)
        case .rcvFileDescrNotFound(let fileId): try encoder.tagged("rcvFileDescrNotFound")("fileId", fileId)
        case .fileNotFound(let fileId): try encoder.tagged("fileNotFound")("fileId", fileId)
        case .rcvFileInvalid(let fileId): try encoder.tagged("rcvFileInvalid")("fileId", fileId)
        case .rcvFileInvalidDescrPart: try encoder.tagged("rcvFileInvalidDescrPart")
        case .localFileNoTransfer(let fileId): try encoder.tagged("localFileNoTransfer")("fileId", fileId)
        case .sharedMsgIdNotFoundByFileId(let fileId):
            try encoder.tagged("sharedMsgIdNotFoundByFileId")("fileId", fileId)
        case .fileIdNotFoundBySharedMsgId(let sharedMsgId):
            try encoder.tagged("fileIdNotFoundBySharedMsgId")("sharedMsgId", sharedMsgId)
        case .sndFileNotFoundXFTP(let agentSndFileId):
            try encoder.tagged("sndFileNotFoundXFTP")("agentSndFileId", agentSndFileId)
        case .rcvFileNotFoundXFTP(let agentRcvFileId):
            try encoder.tagged("rcvFileNotFoundXFTP")("agentRcvFileId", agentRcvFileId)
        case .connectionNotFound(let agentConnId): try encoder.tagged("connectionNotFound")("agentConnId", agentConnId)
        case .connectionNotFoundById(let connId): try encoder.tagged("connectionNotFoundById")("connId", connId)
        case .connectionNotFoundByMemberId(let groupMemberId):
            try encoder.tagged("connectionNotFoundByMemberId")("groupMemberId", groupMemberId)
        case .pendingConnectionNotFound(let connId): try encoder.tagged("pendingConnectionNotFound")("connId", connId)
        case .uniqueID: try encoder.tagged("uniqueID")
        case .largeMsg: try encoder.tagged("largeMsg")
        case .internalError(let message): try encoder.tagged("internalError")("message", message)
        case .dBException(let message): try encoder.tagged("dBException")("message", message)
        case .storageFull: try Self.dBException(message: "full").encode(to: encoder)
        case .foreignKeyViolation(let message):
            try Self.dBException(
                message: "SQLite3 returned ErrorConstraint while attempting to perform step: \(message)")
                .encode(to: encoder)
        case .uniqueViolation(let message):
            try Self.dBException(
                message: "SQLite3 returned ErrorConstraint while attempting to perform step: \(message)")
                .encode(to: encoder)
        case .dBBusyError(let message): try encoder.tagged("dBBusyError")("message", message)
        case .badChatItem(let itemId, let itemTs):
            try encoder.tagged("badChatItem")("itemId", itemId).optional("itemTs", itemTs)
        case .chatItemNotFound(let itemId): try encoder.tagged("chatItemNotFound")("itemId", itemId)
        case .chatItemNotFoundByText(let text): try encoder.tagged("chatItemNotFoundByText")("text", text)
        case .chatItemSharedMsgIdNotFound(let sharedMsgId):
            try encoder.tagged("chatItemSharedMsgIdNotFound")("sharedMsgId", sharedMsgId)
        case .chatItemNotFoundByFileId(let fileId): try encoder.tagged("chatItemNotFoundByFileId")("fileId", fileId)
        case .chatItemNotFoundByContactId(let contactId):
            try encoder.tagged("chatItemNotFoundByContactId")("contactId", contactId)
        case .chatItemNotFoundByGroupId(let groupId):
            try encoder.tagged("chatItemNotFoundByGroupId")("groupId", groupId)
        case .profileNotFound(let profileId): try encoder.tagged("profileNotFound")("profileId", profileId)
        case .duplicateGroupLink(let groupInfo): try encoder.tagged("duplicateGroupLink")("groupInfo", groupInfo)
        case .groupLinkNotFound(let groupInfo): try encoder.tagged("groupLinkNotFound")("groupInfo", groupInfo)
        case .hostMemberIdNotFound(let groupId): try encoder.tagged("hostMemberIdNotFound")("groupId", groupId)
        case .contactNotFoundByFileId(let fileId): try encoder.tagged("contactNotFoundByFileId")("fileId", fileId)
        case .noGroupSndStatus(let itemId, let groupMemberId):
            try encoder.tagged("noGroupSndStatus")("itemId", itemId)("groupMemberId", groupMemberId)
        case .duplicateGroupMessage(
            let groupId, let sharedMsgId, let authorGroupMemberId, let forwardedByGroupMemberId):
            try encoder.tagged("duplicateGroupMessage")("groupId", groupId)("sharedMsgId", sharedMsgId).optional(
                "authorGroupMemberId", authorGroupMemberId).optional(
                "forwardedByGroupMemberId", forwardedByGroupMemberId)
        case .remoteHostNotFound(let remoteHostId):
            try encoder.tagged("remoteHostNotFound")("remoteHostId", remoteHostId)
        case .remoteHostUnknown: try encoder.tagged("remoteHostUnknown")
        case .remoteHostDuplicateCA: try encoder.tagged("remoteHostDuplicateCA")
        case .remoteCtrlNotFound(let remoteCtrlId):
            try encoder.tagged("remoteCtrlNotFound")("remoteCtrlId", remoteCtrlId)
        case .remoteCtrlDuplicateCA: try encoder.tagged("remoteCtrlDuplicateCA")
        case .prohibitedDeleteUser(let userId, let contactId):
            try encoder.tagged("prohibitedDeleteUser")("userId", userId)("contactId", contactId)
        case .operatorNotFound(let serverOperatorId):
            try encoder.tagged("operatorNotFound")("serverOperatorId", serverOperatorId)
        case .usageConditionsNotFound: try encoder.tagged("usageConditionsNotFound")
        case .userChatRelayNotFound(let chatRelayId):
            try encoder.tagged("userChatRelayNotFound")("chatRelayId", chatRelayId)
        case .groupRelayNotFound(let groupRelayId):
            try encoder.tagged("groupRelayNotFound")("groupRelayId", groupRelayId)
        case .groupRelayNotFoundByMemberId(let groupMemberId):
            try encoder.tagged("groupRelayNotFoundByMemberId")("groupMemberId", groupMemberId)
        case .invalidQuote: try encoder.tagged("invalidQuote")
        case .invalidMention: try encoder.tagged("invalidMention")
        case .invalidDeliveryTask(let taskId): try encoder.tagged("invalidDeliveryTask")("taskId", taskId)
        case .deliveryTaskNotFound(let taskId): try encoder.tagged("deliveryTaskNotFound")("taskId", taskId)
        case .invalidDeliveryJob(let jobId): try encoder.tagged("invalidDeliveryJob")("jobId", jobId)
        case .deliveryJobNotFound(let jobId): try encoder.tagged("deliveryJobNotFound")("jobId", jobId)
        case .workItemError(let errContext): try encoder.tagged("workItemError")("errContext", errContext)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
