internal import ChatProtocol

/// The dictionary for compressing events: the names of JSON members in the order in which events contain them, with the
/// usual values. Journal entries are compressed with this dictionary (`StoredEvent`, `EventBlock`), so it must not
/// change while a store has such entries. Events with another dictionary would need another first byte (`StoredEvent`).
enum EventCompression {
    /// The dictionary for compressing one event. A higher level of compression would take two to three times as long,
    /// and would make an event only a tenth smaller. Events are later compressed again in blocks.
    package static let dictionary = ZstdDictionary(Array(dictionaryText.utf8), level: 3)
    /// The dictionary for compressing many events together. A higher level would save little space, and use megabytes
    /// of memory.
    static let blockDictionary = ZstdDictionary(Array(dictionaryText.utf8), level: 1)

    private static let dictionaryText = """
        "chatItems":[{"chatInfo":{"type":"direct","contact":{"contactId":1,"localDisplayName":"","profile":{"profileId":1,"displayName":"","fullName":"",\
        "preferences":{"timedMessages":{"allow":"yes"},"fullDelete":{"allow":"no"},"reactions":{"allow":"yes"},"voice":{"allow":"yes"},"files":{\
        "allow":"always"},"calls":{"allow":"yes"},"sessions":{"allow":"no"},"commands":[]},"localAlias":""},"activeConn":{"connId":1,"agentConnId":"",\
        "connChatVersion":19,"peerChatVRange":{"minVersion":1,"maxVersion":19},"connLevel":0,"viaGroupLink":false,"connType":"contact","connStatus":{\
        "type":"ready"},"contactConnInitiated":true,"localAlias":"","entityId":1,"pqSupport":true,"pqEncryption":true,"pqSndEnabled":true,"pqRcvEnabled":true,\
        "authErrCounter":0,"quotaErrCounter":0,"createdAt":"2026-11-2"},"contactUsed":true,"contactStatus":"active","chatSettings":{"enableNtfs":"all",\
        "favorite":false},"userPreferences":{},"mergedPreferences":{"timedMessages":{"enabled":{"forUser":true,"forContact":true},"userPreference":{\
        "type":"user","preference":{"allow":"yes"}},"contactPreference":{"allow":"yes"}},"fullDelete":{"enabled":{"forUser":false,"forContact":false},\
        "userPreference":{"type":"user","preference":{"allow":"no"}},"contactPreference":{"allow":"no"}},"reactions":{"enabled":{"forUser":true,\
        "forContact":true},"userPreference":{"type":"user","preference":{"allow":"yes"}},"contactPreference":{"allow":"yes"}},"voice":{"enabled":{\
        "forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"yes"}},"contactPreference":{"allow":"yes"}},"files":{\
        "enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"always"}},"contactPreference":{"allow":"always"}},\
        "calls":{"enabled":{"forUser":true,"forContact":true},"userPreference":{"type":"user","preference":{"allow":"yes"}},"contactPreference":{\
        "allow":"yes"}},"sessions":{"enabled":{"forUser":false,"forContact":false},"userPreference":{"type":"user","preference":{"allow":"no"}},\
        "contactPreference":{"allow":"no"}},"commands":[]},"createdAt":"2026-11-2","updatedAt":"2026-11-2","chatTs":"2026-11-2","contactGrpInvSent":false,\
        "chatTags":[],"chatDeleted":false}},"chatItem":{"chatDir":{"type":"directRcv"},"meta":{"itemId":1,"itemTs":"2026-11-2","itemText":"","itemStatus":{\
        "type":"rcvNew"},"itemEdited":false,"userMention":false,"hasLink":false,"deletable":false,"editable":false,"showGroupAsSender":false,\
        "createdAt":"2026-11-2","updatedAt":"2026-11-2"},"content":{"type":"rcvMsgContent","msgContent":{"type":"text","text":""}},"mentions":{},\
        "reactions":[]}}]"chatDir":{"type":"groupSnd"},"meta":{"itemId":1,"itemTs":"2026-11-2","itemText":"","itemStatus":{"type":"sndSent",\
        "sndProgress":"complete"},"itemSharedMsgId":"","itemEdited":false,"userMention":false,"hasLink":false,"deletable":true,"editable":true,\
        "showGroupAsSender":false,"createdAt":"2026-11-2","updatedAt":"2026-11-2"},"content":{"type":"sndMsgContent","msgContent":{"type":"text","text":""}},\
        "mentions":{},"reactions":[]{"type":"chatItemsStatusesUpdated","itemStatus":{"type":"sndRcvd","msgRcptStatus":"ok","sndProgress":"complete"},\
        "viaUserContactLink":1,"viaGroupLink":true,"type":"joinedGroupMember",{"type":"newChatItems","user":{"userId":1,"agentUserId":"1","userContactId":1,\
        "localDisplayName":"","profile":{"profileId":1,"displayName":"","fullName":"","localAlias":""},"fullPreferences":{"timedMessages":{"allow":"yes"},\
        "fullDelete":{"allow":"no"},"reactions":{"allow":"yes"},"voice":{"allow":"yes"},"files":{"allow":"always"},"calls":{"allow":"yes"},"sessions":{\
        "allow":"no"},"commands":[]},"activeUser":true,"activeOrder":1,"showNtfs":true,"sendRcptsContacts":true,"sendRcptsSmallGroups":true,\
        "autoAcceptMemberContacts":false,"userChatRelay":true,"clientService":false},"chatItems":[{"chatInfo":{"type":"group","groupInfo":{"groupId":1,\
        "useRelays":true,"relayOwnStatus":"accepted","localDisplayName":"","groupProfile":{"displayName":"","fullName":"","publicGroup":{\
        "groupType":"channel","groupLink":"","publicGroupId":""},"groupPreferences":{"history":{"enable":"off"}}},"localAlias":"","fullGroupPreferences":{\
        "timedMessages":{"enable":"off","ttl":86400},"directMessages":{"enable":"off"},"fullDelete":{"enable":"off"},"reactions":{"enable":"on"},"voice":{\
        "enable":"on"},"files":{"enable":"on"},"simplexLinks":{"enable":"on"},"reports":{"enable":"on"},"history":{"enable":"off"},"support":{"enable":"on"},\
        "sessions":{"enable":"off"},"comments":{"enable":"off"},"commands":[]},"membership":{"groupMemberId":1,"groupId":1,"indexInGroup":1,"memberId":"",\
        "memberRole":"relay","memberCategory":"user","memberStatus":"connected","memberSettings":{"showMessages":true},"blockedByAdmin":false,"invitedBy":{\
        "type":"unknown"},"invitedByGroupMemberId":1,"localDisplayName":"","memberProfile":{"profileId":1,"displayName":"","fullName":"","localAlias":""},\
        "memberContactId":1,"memberContactProfileId":1,"memberChatVRange":{"minVersion":1,"maxVersion":16},"createdAt":"2026-11-2","updatedAt":"2026-11-2",\
        "memberPubKey":"MCowBQYDK2VwAyEA"},"chatSettings":{"enableNtfs":"all","favorite":false},"createdAt":"2026-11-2","updatedAt":"2026-11-2",\
        "chatTs":"2026-11-2","userMemberProfileSentAt":"2026-11-2","chatTags":[],"groupSummary":{"currentMembers":503},"membersRequireAttention":0}},\
        "chatItem":{"chatDir":{"type":"groupRcv","groupMember":{"groupMemberId":1,"groupId":1,"indexInGroup":498,"memberId":"","memberRole":"observer",\
        "memberCategory":"invitee","memberStatus":"accepted","memberSettings":{"showMessages":true},"blockedByAdmin":false,"invitedBy":{"type":"user"},\
        "invitedByGroupMemberId":1,"localDisplayName":"","memberProfile":{"profileId":1,"displayName":"","fullName":"","localAlias":""},\
        "memberContactProfileId":1,"activeConn":{"connId":1,"agentConnId":"","connChatVersion":16,"peerChatVRange":{"minVersion":1,"maxVersion":19},\
        "connLevel":0,"viaUserContactLink":2,"viaGroupLink":true,"connType":"member","connStatus":{"type":"ready"},"contactConnInitiated":false,\
        "localAlias":"","entityId":1,"pqSupport":false,"pqEncryption":false,"authErrCounter":0,"quotaErrCounter":0,"createdAt":"2026-11-2"},\
        "memberChatVRange":{"minVersion":1,"maxVersion":19},"createdAt":"2026-11-2","updatedAt":"2026-11-2","memberPubKey":"MCowBQYDK2VwAyEA"}},"meta":{\
        "itemId":1,"itemTs":"2026-11-2","itemText":"","itemStatus":{"type":"rcvRead"},"itemEdited":false,"userMention":false,"hasLink":false,\
        "deletable":false,"editable":false,"showGroupAsSender":false,"createdAt":"2026-11-2","updatedAt":"2026-11-2"},"content":{"type":"rcvGroupEvent",\
        "rcvGroupEvent":{"type":"memberConnected"}},"mentions":{},"reactions":[]}}]
        """
}
