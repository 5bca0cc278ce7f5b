extension ChatResponse {
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .activeUser(let user):
            try encoder.tagged("activeUser") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .usersList(let users):
            try encoder.tagged("usersList") { fields throws in
                try fields.encode(users, forKey: "users")
            }
        case .chatStarted: try encoder.tagged("chatStarted")
        case .chatRunning: try encoder.tagged("chatRunning")
        case .chatStopped: try encoder.tagged("chatStopped")
        case .apiChats(let user, let chats):
            try encoder.tagged("apiChats") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chats, forKey: "chats")
            }
        case .apiChat(let user, let chat, let navInfo):
            try encoder.tagged("apiChat") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chat, forKey: "chat")
                try fields.encodeIfPresent(navInfo, forKey: "navInfo")
            }
        case .chatContentTypes(let contentTypes):
            try encoder.tagged("chatContentTypes") { fields throws in
                try fields.encode(contentTypes, forKey: "contentTypes")
            }
        case .chatTags(let user, let userTags):
            try encoder.tagged("chatTags") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(userTags, forKey: "userTags")
            }
        case .chatItemInfo(let user, let chatItem, let chatItemInfo):
            try encoder.tagged("chatItemInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
                try fields.encode(chatItemInfo, forKey: "chatItemInfo")
            }
        case .serverTestResult(let user, let testServer, let testFailure):
            try encoder.tagged("serverTestResult") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(testServer, forKey: "testServer")
                try fields.encodeIfPresent(testFailure, forKey: "testFailure")
            }
        case .chatRelayTestResult(let user, let relayProfile, let relayTestFailure):
            try encoder.tagged("chatRelayTestResult") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(relayProfile, forKey: "relayProfile")
                try fields.encodeIfPresent(relayTestFailure, forKey: "relayTestFailure")
            }
        case .serverOperatorConditions(let conditions):
            try encoder.tagged("serverOperatorConditions") { fields throws in
                try fields.encode(conditions, forKey: "conditions")
            }
        case .userServers(let user, let userServers):
            try encoder.tagged("userServers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(userServers, forKey: "userServers")
            }
        case .userServersValidation(let user, let serverErrors, let serverWarnings):
            try encoder.tagged("userServersValidation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(serverErrors, forKey: "serverErrors")
                try fields.encodeIfPresent(serverWarnings, forKey: "serverWarnings")
            }
        case .usageConditions(let usageConditions, let conditionsText, let acceptedConditions):
            try encoder.tagged("usageConditions") { fields throws in
                try fields.encode(usageConditions, forKey: "usageConditions")
                try fields.encode(conditionsText, forKey: "conditionsText")
                try fields.encodeIfPresent(acceptedConditions, forKey: "acceptedConditions")
            }
        case .chatItemTTL(let user, let chatItemTTL):
            try encoder.tagged("chatItemTTL") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItemTTL, forKey: "chatItemTTL")
            }
        case .networkConfig(let networkConfig):
            try encoder.tagged("networkConfig") { fields throws in
                try fields.encode(networkConfig, forKey: "networkConfig")
            }
        case .contactInfo(let user, let contact, let connectionStats_, let customUserProfile):
            try encoder.tagged("contactInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(connectionStats_, forKey: "connectionStats_")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .groupInfo(let user, let groupInfo):
            try encoder.tagged("groupInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupMemberInfo(let user, let groupInfo, let member, let connectionStats_):
            try encoder.tagged("groupMemberInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encodeIfPresent(connectionStats_, forKey: "connectionStats_")
            }
        case .queueInfo(let user, let rcvMsgInfo, let queueInfo):
            try encoder.tagged("queueInfo") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(rcvMsgInfo, forKey: "rcvMsgInfo")
                try fields.encode(queueInfo, forKey: "queueInfo")
            }
        case .contactSwitchStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .groupMemberSwitchStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .contactSwitchAborted(let user, let contact, let connectionStats):
            try encoder.tagged("contactSwitchAborted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .groupMemberSwitchAborted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberSwitchAborted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .contactRatchetSyncStarted(let user, let contact, let connectionStats):
            try encoder.tagged("contactRatchetSyncStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .groupMemberRatchetSyncStarted(let user, let groupInfo, let member, let connectionStats):
            try encoder.tagged("groupMemberRatchetSyncStarted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionStats, forKey: "connectionStats")
            }
        case .contactCode(let user, let contact, let connectionCode):
            try encoder.tagged("contactCode") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(connectionCode, forKey: "connectionCode")
            }
        case .groupMemberCode(let user, let groupInfo, let member, let connectionCode):
            try encoder.tagged("groupMemberCode") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
                try fields.encode(connectionCode, forKey: "connectionCode")
            }
        case .connectionVerified(let user, let verified, let expectedCode):
            try encoder.tagged("connectionVerified") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(verified, forKey: "verified")
                try fields.encode(expectedCode, forKey: "expectedCode")
            }
        case .tagsUpdated(let user, let userTags, let chatTags):
            try encoder.tagged("tagsUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(userTags, forKey: "userTags")
                try fields.encode(chatTags, forKey: "chatTags")
            }
        case .invitation(let user, let connLinkInvitation, let connection):
            try encoder.tagged("invitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connLinkInvitation, forKey: "connLinkInvitation")
                try fields.encode(connection, forKey: "connection")
            }
        case .connectionIncognitoUpdated(let user, let toConnection, let customUserProfile):
            try encoder.tagged("connectionIncognitoUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toConnection, forKey: "toConnection")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .connectionUserChanged(let user, let fromConnection, let toConnection, let newUser):
            try encoder.tagged("connectionUserChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromConnection, forKey: "fromConnection")
                try fields.encode(toConnection, forKey: "toConnection")
                try fields.encode(newUser, forKey: "newUser")
            }
        case .connectionPlan(let user, let connLink, let planSimplexName, let otherSimplexName, let connectionPlan):
            try encoder.tagged("connectionPlan") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connLink, forKey: "connLink")
                try fields.encodeIfPresent(planSimplexName, forKey: "planSimplexName")
                try fields.encodeIfPresent(otherSimplexName, forKey: "otherSimplexName")
                try fields.encode(connectionPlan, forKey: "connectionPlan")
            }
        case .newPreparedChat(let user, let chat):
            try encoder.tagged("newPreparedChat") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chat, forKey: "chat")
            }
        case .contactUserChanged(let user, let fromContact, let newUser, let toContact):
            try encoder.tagged("contactUserChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromContact, forKey: "fromContact")
                try fields.encode(newUser, forKey: "newUser")
                try fields.encode(toContact, forKey: "toContact")
            }
        case .groupUserChanged(let user, let fromGroup, let newUser, let toGroup):
            try encoder.tagged("groupUserChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromGroup, forKey: "fromGroup")
                try fields.encode(newUser, forKey: "newUser")
                try fields.encode(toGroup, forKey: "toGroup")
            }
        case .sentConfirmation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentConfirmation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connection, forKey: "connection")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .sentInvitation(let user, let connection, let customUserProfile):
            try encoder.tagged("sentInvitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connection, forKey: "connection")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .startedConnectionToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("startedConnectionToContact") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .startedConnectionToGroup(let user, let groupInfo, let customUserProfile, let relayResults):
            try encoder.tagged("startedConnectionToGroup") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
                try fields.encodeIfPresent(relayResults, forKey: "relayResults")
            }
        case .sentInvitationToContact(let user, let contact, let customUserProfile):
            try encoder.tagged("sentInvitationToContact") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(customUserProfile, forKey: "customUserProfile")
            }
        case .contactAlreadyExists(let user, let contact):
            try encoder.tagged("contactAlreadyExists") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactDeleted(let user, let contact):
            try encoder.tagged("contactDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactConnectionDeleted(let user, let connection):
            try encoder.tagged("contactConnectionDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connection, forKey: "connection")
            }
        case .groupDeletedUser(let user, let groupInfo, let msgSigned):
            try encoder.tagged("groupDeletedUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .itemsReadForChat(let user, let chatInfo):
            try encoder.tagged("itemsReadForChat") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatInfo, forKey: "chatInfo")
            }
        case .chatCleared(let user, let chatInfo):
            try encoder.tagged("chatCleared") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatInfo, forKey: "chatInfo")
            }
        case .userProfileNoChange(let user):
            try encoder.tagged("userProfileNoChange") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .userProfileUpdated(let user, let fromProfile, let toProfile, let updateSummary):
            try encoder.tagged("userProfileUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromProfile, forKey: "fromProfile")
                try fields.encode(toProfile, forKey: "toProfile")
                try fields.encode(updateSummary, forKey: "updateSummary")
            }
        case .userPrivacy(let user, let updatedUser):
            try encoder.tagged("userPrivacy") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(updatedUser, forKey: "updatedUser")
            }
        case .contactAliasUpdated(let user, let toContact):
            try encoder.tagged("contactAliasUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toContact, forKey: "toContact")
            }
        case .groupAliasUpdated(let user, let toGroup):
            try encoder.tagged("groupAliasUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toGroup, forKey: "toGroup")
            }
        case .connectionAliasUpdated(let user, let toConnection):
            try encoder.tagged("connectionAliasUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(toConnection, forKey: "toConnection")
            }
        case .contactPrefsUpdated(let user, let fromContact, let toContact):
            try encoder.tagged("contactPrefsUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromContact, forKey: "fromContact")
                try fields.encode(toContact, forKey: "toContact")
            }
        case .userContactLink(let user, let contactLink):
            try encoder.tagged("userContactLink") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contactLink, forKey: "contactLink")
            }
        case .userContactLinkUpdated(let user, let contactLink):
            try encoder.tagged("userContactLinkUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contactLink, forKey: "contactLink")
            }
        case .userContactLinkCreated(let user, let connLinkContact):
            try encoder.tagged("userContactLinkCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connLinkContact, forKey: "connLinkContact")
            }
        case .userContactLinkDeleted(let user):
            try encoder.tagged("userContactLinkDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .acceptingContactRequest(let user, let contact):
            try encoder.tagged("acceptingContactRequest") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .contactRequestRejected(let user, let contactRequest, let contact_):
            try encoder.tagged("contactRequestRejected") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contactRequest, forKey: "contactRequest")
                try fields.encodeIfPresent(contact_, forKey: "contact_")
            }
        case .newChatItems(let user, let chatItems):
            try encoder.tagged("newChatItems") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItems, forKey: "chatItems")
            }
        case .chatMsgContent(let user, let msgContent):
            try encoder.tagged("chatMsgContent") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(msgContent, forKey: "msgContent")
            }
        case .groupChatItemsDeleted(let user, let groupInfo, let chatItemIDs, let byUser, let member_):
            try encoder.tagged("groupChatItemsDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(chatItemIDs, forKey: "chatItemIDs")
                try fields.encode(byUser, forKey: "byUser")
                try fields.encodeIfPresent(member_, forKey: "member_")
            }
        case .forwardPlan(let user, let itemsCount, let chatItemIds, let forwardConfirmation):
            try encoder.tagged("forwardPlan") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(itemsCount, forKey: "itemsCount")
                try fields.encode(chatItemIds, forKey: "chatItemIds")
                try fields.encodeIfPresent(forwardConfirmation, forKey: "forwardConfirmation")
            }
        case .chatItemUpdated(let user, let chatItem):
            try encoder.tagged("chatItemUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .chatItemNotChanged(let user, let chatItem):
            try encoder.tagged("chatItemNotChanged") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .chatItemReaction(let user, let added, let reaction):
            try encoder.tagged("chatItemReaction") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(added, forKey: "added")
                try fields.encode(reaction, forKey: "reaction")
            }
        case .reactionMembers(let user, let memberReactions):
            try encoder.tagged("reactionMembers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(memberReactions, forKey: "memberReactions")
            }
        case .chatItemsDeleted(let user, let chatItemDeletions, let byUser, let timed):
            try encoder.tagged("chatItemsDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItemDeletions, forKey: "chatItemDeletions")
                try fields.encode(byUser, forKey: "byUser")
                try fields.encode(timed, forKey: "timed")
            }
        case .contactsList(let user, let contacts):
            try encoder.tagged("contactsList") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contacts, forKey: "contacts")
            }
        case .groupCreated(let user, let groupInfo):
            try encoder.tagged("groupCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .publicGroupCreated(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("publicGroupCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
                try fields.encode(groupRelays, forKey: "groupRelays")
            }
        case .publicGroupCreationFailed(let user, let addRelayResults):
            try encoder.tagged("publicGroupCreationFailed") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(addRelayResults, forKey: "addRelayResults")
            }
        case .groupRelays(let user, let groupInfo, let groupRelays):
            try encoder.tagged("groupRelays") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupRelays, forKey: "groupRelays")
            }
        case .groupRelaysAdded(let user, let groupInfo, let groupLink, let groupRelays):
            try encoder.tagged("groupRelaysAdded") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
                try fields.encode(groupRelays, forKey: "groupRelays")
            }
        case .groupRelaysAddFailed(let user, let addRelayResults):
            try encoder.tagged("groupRelaysAddFailed") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(addRelayResults, forKey: "addRelayResults")
            }
        case .sentGroupInvitation(let user, let groupInfo, let contact, let member):
            try encoder.tagged("sentGroupInvitation") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(member, forKey: "member")
            }
        case .userAcceptedGroupSent(let user, let groupInfo, let hostContact):
            try encoder.tagged("userAcceptedGroupSent") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(hostContact, forKey: "hostContact")
            }
        case .userDeletedMembers(let user, let groupInfo, let members, let withMessages, let msgSigned):
            try encoder.tagged("userDeletedMembers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
                try fields.encode(withMessages, forKey: "withMessages")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .leftMemberUser(let user, let groupInfo):
            try encoder.tagged("leftMemberUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupMembers(let user, let group):
            try encoder.tagged("groupMembers") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(group, forKey: "group")
            }
        case .memberAccepted(let user, let groupInfo, let member):
            try encoder.tagged("memberAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .memberSupportChatRead(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatRead") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .memberSupportChatDeleted(let user, let groupInfo, let member):
            try encoder.tagged("memberSupportChatDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .membersRoleUser(let user, let groupInfo, let members, let toRole, let msgSigned):
            try encoder.tagged("membersRoleUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
                try fields.encode(toRole, forKey: "toRole")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .membersBlockedForAllUser(let user, let groupInfo, let members, let blocked, let msgSigned):
            try encoder.tagged("membersBlockedForAllUser") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
                try fields.encode(blocked, forKey: "blocked")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .groupUpdated(let user, let fromGroup, let toGroup, let member_, let msgSigned):
            try encoder.tagged("groupUpdated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fromGroup, forKey: "fromGroup")
                try fields.encode(toGroup, forKey: "toGroup")
                try fields.encodeIfPresent(member_, forKey: "member_")
                try fields.encodeIfPresent(msgSigned, forKey: "msgSigned")
            }
        case .contactDomainVerified(let user, let contact, let verificationFailure):
            try encoder.tagged("contactDomainVerified") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encodeIfPresent(verificationFailure, forKey: "verificationFailure")
            }
        case .groupDomainVerified(let user, let groupInfo, let verificationFailure):
            try encoder.tagged("groupDomainVerified") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encodeIfPresent(verificationFailure, forKey: "verificationFailure")
            }
        case .groupLinkCreated(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLinkCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
            }
        case .groupLink(let user, let groupInfo, let groupLink):
            try encoder.tagged("groupLink") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(groupLink, forKey: "groupLink")
            }
        case .groupLinkDeleted(let user, let groupInfo):
            try encoder.tagged("groupLinkDeleted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .newMemberContact(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContact") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .newMemberContactSentInv(let user, let contact, let groupInfo, let member):
            try encoder.tagged("newMemberContactSentInv") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .memberContactAccepted(let user, let contact):
            try encoder.tagged("memberContactAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(contact, forKey: "contact")
            }
        case .rcvFileAccepted(let user, let chatItem):
            try encoder.tagged("rcvFileAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(chatItem, forKey: "chatItem")
            }
        case .rcvFileAcceptedSndCancelled(let user, let rcvFileTransfer):
            try encoder.tagged("rcvFileAcceptedSndCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .standaloneFileInfo(let fileMeta):
            try encoder.tagged("standaloneFileInfo") { fields throws in
                try fields.encodeIfPresent(fileMeta, forKey: "fileMeta")
            }
        case .rcvStandaloneFileCreated(let user, let rcvFileTransfer):
            try encoder.tagged("rcvStandaloneFileCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .rcvFileCancelled(let user, let chatItem_, let rcvFileTransfer):
            try encoder.tagged("rcvFileCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(rcvFileTransfer, forKey: "rcvFileTransfer")
            }
        case .sndFileCancelled(let user, let chatItem_, let fileTransferMeta, let sndFileTransfers):
            try encoder.tagged("sndFileCancelled") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatItem_, forKey: "chatItem_")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
                try fields.encode(sndFileTransfers, forKey: "sndFileTransfers")
            }
        case .sndStandaloneFileCreated(let user, let fileTransferMeta):
            try encoder.tagged("sndStandaloneFileCreated") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(fileTransferMeta, forKey: "fileTransferMeta")
            }
        case .callInvitations(let callInvitations):
            try encoder.tagged("callInvitations") { fields throws in
                try fields.encode(callInvitations, forKey: "callInvitations")
            }
        case .ntfTokenStatus(let status):
            try encoder.tagged("ntfTokenStatus") { fields throws in
                try fields.encode(status, forKey: "status")
            }
        case .ntfToken(let token, let status, let ntfMode, let ntfServer):
            try encoder.tagged("ntfToken") { fields throws in
                try fields.encode(token, forKey: "token")
                try fields.encode(status, forKey: "status")
                try fields.encode(ntfMode, forKey: "ntfMode")
                try fields.encode(ntfServer, forKey: "ntfServer")
            }
        case .ntfConns(let ntfConns):
            try encoder.tagged("ntfConns") { fields throws in
                try fields.encode(ntfConns, forKey: "ntfConns")
            }
        case .connNtfMessages(let receivedMsgs):
            try encoder.tagged("connNtfMessages") { fields throws in
                try fields.encode(receivedMsgs, forKey: "receivedMsgs")
            }
        case .remoteCtrlList(let remoteCtrls):
            try encoder.tagged("remoteCtrlList") { fields throws in
                try fields.encode(remoteCtrls, forKey: "remoteCtrls")
            }
        case .remoteCtrlConnecting(let remoteCtrl_, let ctrlAppInfo, let appVersion):
            try encoder.tagged("remoteCtrlConnecting") { fields throws in
                try fields.encodeIfPresent(remoteCtrl_, forKey: "remoteCtrl_")
                try fields.encode(ctrlAppInfo, forKey: "ctrlAppInfo")
                try fields.encode(appVersion, forKey: "appVersion")
            }
        case .remoteCtrlConnected(let remoteCtrl, let compression):
            try encoder.tagged("remoteCtrlConnected") { fields throws in
                try fields.encode(remoteCtrl, forKey: "remoteCtrl")
                try fields.encodeIfPresent(compression, forKey: "compression")
            }
        case .versionInfo(let versionInfo, let chatMigrations, let agentMigrations):
            try encoder.tagged("versionInfo") { fields throws in
                try fields.encode(versionInfo, forKey: "versionInfo")
                try fields.encode(chatMigrations, forKey: "chatMigrations")
                try fields.encode(agentMigrations, forKey: "agentMigrations")
            }
        case .cmdOk(let user_):
            try encoder.tagged("cmdOk") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
            }
        case .agentSubsTotal(let user, let subsTotal, let hasSession):
            try encoder.tagged("agentSubsTotal") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(subsTotal, forKey: "subsTotal")
                try fields.encode(hasSession, forKey: "hasSession")
            }
        case .agentServersSummary(let user, let serversSummary):
            try encoder.tagged("agentServersSummary") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(serversSummary, forKey: "serversSummary")
            }
        case .agentSubsSummary(let user, let subsSummary):
            try encoder.tagged("agentSubsSummary") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(subsSummary, forKey: "subsSummary")
            }
        case .archiveExported(let archiveErrors):
            try encoder.tagged("archiveExported") { fields throws in
                try fields.encode(archiveErrors, forKey: "archiveErrors")
            }
        case .archiveImported(let archiveErrors):
            try encoder.tagged("archiveImported") { fields throws in
                try fields.encode(archiveErrors, forKey: "archiveErrors")
            }
        case .appSettings(let appSettings):
            try encoder.tagged("appSettings") { fields throws in
                try fields.encode(appSettings, forKey: "appSettings")
            }
        case .connectionsDiff(let showIds, let userIds, let connIds):
            try encoder.tagged("connectionsDiff") { fields throws in
                try fields.encode(showIds, forKey: "showIds")
                try fields.encode(userIds, forKey: "userIds")
                try fields.encode(connIds, forKey: "connIds")
            }
        case .chats(let chats):
            try encoder.tagged("chats") { fields throws in
                try fields.encode(chats, forKey: "chats")
            }
        case .chatItems(let user, let chatName_, let chatItems):
            try encoder.tagged("chatItems") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encodeIfPresent(chatName_, forKey: "chatName_")
                try fields.encode(chatItems, forKey: "chatItems")
            }
        case .broadcastSent(let user, let msgContent, let successes, let failures, let timestamp):
            try encoder.tagged("broadcastSent") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(msgContent, forKey: "msgContent")
                try fields.encode(successes, forKey: "successes")
                try fields.encode(failures, forKey: "failures")
                try fields.encode(timestamp, forKey: "timestamp")
            }
        case .chatHelp(let helpSection):
            try encoder.tagged("chatHelp") { fields throws in
                try fields.encode(helpSection, forKey: "helpSection")
            }
        case .welcome(let user):
            try encoder.tagged("welcome") { fields throws in
                try fields.encode(user, forKey: "user")
            }
        case .relayGroupAllowed(let user, let groupInfo):
            try encoder.tagged("relayGroupAllowed") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .memberSupportChats(let user, let groupInfo, let members):
            try encoder.tagged("memberSupportChats") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(members, forKey: "members")
            }
        case .groupsList(let user, let groups):
            try encoder.tagged("groupsList") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groups, forKey: "groups")
            }
        case .userProfile(let user, let profile):
            try encoder.tagged("userProfile") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(profile, forKey: "profile")
            }
        case .userProfileImage(let user, let profile):
            try encoder.tagged("userProfileImage") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(profile, forKey: "profile")
            }
        case .joinedGroupMember(let user, let groupInfo, let member):
            try encoder.tagged("joinedGroupMember") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
                try fields.encode(member, forKey: "member")
            }
        case .groupProfile(let user, let groupInfo):
            try encoder.tagged("groupProfile") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .groupDescription(let user, let groupInfo):
            try encoder.tagged("groupDescription") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(groupInfo, forKey: "groupInfo")
            }
        case .remoteHostList(let remoteHosts):
            try encoder.tagged("remoteHostList") { fields throws in
                try fields.encode(remoteHosts, forKey: "remoteHosts")
            }
        case .currentRemoteHost(let remoteHost_):
            try encoder.tagged("currentRemoteHost") { fields throws in
                try fields.encodeIfPresent(remoteHost_, forKey: "remoteHost_")
            }
        case .remoteHostStarted(let remoteHost_, let invitation, let ctrlPort, let localAddrs):
            try encoder.tagged("remoteHostStarted") { fields throws in
                try fields.encodeIfPresent(remoteHost_, forKey: "remoteHost_")
                try fields.encode(invitation, forKey: "invitation")
                try fields.encode(ctrlPort, forKey: "ctrlPort")
                try fields.encode(localAddrs, forKey: "localAddrs")
            }
        case .remoteFileStored(let remoteHostId, let remoteFileSource):
            try encoder.tagged("remoteFileStored") { fields throws in
                try fields.encode(remoteHostId, forKey: "remoteHostId")
                try fields.encode(remoteFileSource, forKey: "remoteFileSource")
            }
        case .sQLResult(let rows):
            try encoder.tagged("sQLResult") { fields throws in
                try fields.encode(rows, forKey: "rows")
            }
        case .slowSQLQueries(let chatQueries, let agentQueries):
            try encoder.tagged("slowSQLQueries") { fields throws in
                try fields.encode(chatQueries, forKey: "chatQueries")
                try fields.encode(agentQueries, forKey: "agentQueries")
            }
        case .debugLocks(let chatLockName, let chatEntityLocks, let agentLocks):
            try encoder.tagged("debugLocks") { fields throws in
                try fields.encodeIfPresent(chatLockName, forKey: "chatLockName")
                try fields.encode(chatEntityLocks, forKey: "chatEntityLocks")
                try fields.encode(agentLocks, forKey: "agentLocks")
            }
        case .agentWorkersDetails(let agentWorkersDetails):
            try encoder.tagged("agentWorkersDetails") { fields throws in
                try fields.encode(agentWorkersDetails, forKey: "agentWorkersDetails")
            }
        case .agentWorkersSummary(let agentWorkersSummary):
            try encoder.tagged("agentWorkersSummary") { fields throws in
                try fields.encode(agentWorkersSummary, forKey: "agentWorkersSummary")
            }
        case .agentSubs(let activeSubs, let pendingSubs, let removedSubs):
            try encoder.tagged("agentSubs") { fields throws in
                try fields.encode(activeSubs, forKey: "activeSubs")
                try fields.encode(pendingSubs, forKey: "pendingSubs")
                try fields.encode(removedSubs, forKey: "removedSubs")
            }
        case .agentSubsDetails(let agentSubs):
            try encoder.tagged("agentSubsDetails") { fields throws in
                try fields.encode(agentSubs, forKey: "agentSubs")
            }
        case .agentQueuesInfo(let agentQueuesInfo):
            try encoder.tagged("agentQueuesInfo") { fields throws in
                try fields.encode(agentQueuesInfo, forKey: "agentQueuesInfo")
            }
        case .customChatResponse(let user_, let response):
            try encoder.tagged("customChatResponse") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
                try fields.encode(response, forKey: "response")
            }
        case .serviceReplyAccepted(let user, let connectionId):
            try encoder.tagged("serviceReplyAccepted") { fields throws in
                try fields.encode(user, forKey: "user")
                try fields.encode(connectionId, forKey: "connectionId")
            }
        case .networkStatuses(let user_, let networkStatuses):
            try encoder.tagged("networkStatuses") { fields throws in
                try fields.encodeIfPresent(user_, forKey: "user_")
                try fields.encode(networkStatuses, forKey: "networkStatuses")
            }
        case .chatCmdError(let chatError):
            try encoder.tagged("chatCmdError") { fields throws in
                try fields.encode(chatError, forKey: "chatError")
            }
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
