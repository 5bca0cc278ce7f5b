internal import ChatAPI
internal import ChatProtocol
internal import ChatStore
internal import SQLCipher

/// Commands of a relay for the channels that it serves.
extension RunningCommand {
    /// `/_relay allow #`: lets owners invite the user again as a relay of a channel that the user has left.
    func allowRelayGroup(_ groupId: Int64, user: UserRecord) async throws -> ChatResponse {
        try await store.writeAndAnswer { tx in
            let group = try GroupRecord.get(groupId, user: user, in: tx.db)
            if let channel = try ServedChannel.find(of: group, tx.db) {
                for other in try ServedChannel.findGroups([.rejected], tx.db) where other.userId == user.userId {
                    guard try ServedChannel.find(of: other, tx.db)?.channelLink == channel.channelLink else { continue }
                    try other.setRelayStatus(.inactive, tx)
                }
            }
            return .relayGroupAllowed(
                user: user.api,
                groupInfo: try GroupRecord.get(groupId, user: user, in: tx.db).api(user)
            )
        }
    }
}

extension GroupRecord {
    /// Leaves the channel as its relay. All members get the leave message before their connections end. The relay
    /// refuses later requests of owners.
    /// - Parameter id: the id of the leave message.
    mutating func leaveAsRelay(_ id: SharedMessageID, _ tx: Transaction) throws {
        guard let signer, let body = try? signer.encode(ChatMessage(sharedID: id, event: .group(.leave))) else {
            throw ChatFailure(.largeMsg)
        }
        try RelayJobs.addLastBody(body, in: self, tx)
        try GroupLinkRecord.find(of: self, in: tx.db)?.delete(tx)
        try setRelayStatus(.rejected, tx)
        relayStatus = .rejected
    }
}
