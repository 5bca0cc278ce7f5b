internal import ChatAPI

extension SessionModel: Encodable {
    private enum CodingKeys: CodingKey {
        case chatId, chatInfo, chatAgentConnId, chatSubStatus, openAroundItemId, chatDeleted, activeFilter,
            membersLoaded, groupMembers
        case channelRelays, im, secondaryIM
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(chatId, forKey: .chatId)
        try members.encodeIfPresent(chatInfo, forKey: .chatInfo)
        try members.encodeIfPresent(chatAgentConnId, forKey: .chatAgentConnId)
        try members.encodeIfPresent(chatSubStatus, forKey: .chatSubStatus)
        try members.encodeIfPresent(openAroundItemId, forKey: .openAroundItemId)
        try members.encode(chatDeleted, forKey: .chatDeleted)
        try members.encodeIfPresent(activeFilter, forKey: .activeFilter)
        try members.encode(membersLoaded, forKey: .membersLoaded)
        try members.encode(groupMembers, forKey: .groupMembers)
        try members.encode(channelRelays, forKey: .channelRelays)
        try members.encode(im, forKey: .im)
        try members.encodeIfPresent(secondaryIM, forKey: .secondaryIM)
    }
}
