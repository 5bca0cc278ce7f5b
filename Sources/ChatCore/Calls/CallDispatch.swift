internal import ChatAPI

extension RunningCommand {
    func run(_ command: CallCommand, as userId: Int64?) async throws -> ChatResponse {
        switch command {
        case .sendCallInvitation(let contactId, let type):
            return try await sendCallInvitation(contactId, type, user: findUser(userId))
        case .rejectCall(let contactId): return try await rejectCall(contactId, user: findUser(userId))
        case .sendCallOffer(let contactId, let offer):
            return try await sendCallOffer(contactId, offer, user: findUser(userId))
        case .sendCallAnswer(let contactId, let session):
            return try await sendCallAnswer(contactId, session, user: findUser(userId))
        case .sendCallExtraInfo(let contactId, let info):
            return try await sendCallExtraInfo(contactId, info, user: findUser(userId))
        case .endCall(let contactId): return try await endCall(contactId, user: findUser(userId))
        case .getCallInvitations: return try await getCallInvitations(of: userId)
        case .callStatus(let contactId, let media):
            return try await recordCallStatus(contactId, media, user: findUser(userId))
        }
    }
}
