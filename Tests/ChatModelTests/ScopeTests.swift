import ChatAPI
import ChatModel
import JSON
import Testing

@Suite("Conversations inside groups, members and filters")
struct ScopeTests {
    let samples: Samples

    init() throws { samples = try Samples() }

    private let scope = GroupChatScopeInfo.memberSupport(groupMember_: nil)
    private let chatReference = ChatRef(chatType: .group, chatId: 1, chatScope: .memberSupport(groupMemberId_: nil))

    private func makeSession() -> SessionModel {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .group, chatId: 1))
        let empty = AChat(chatInfo: samples.groupChatInfo(1), chatItems: [], chatStats: .none)
        session.addPage(.primary, empty, page: .last, count: 50, navigation: nil)
        session.openSecondaryList(.groupChatScopeContext(groupScopeInfo: scope))
        session.addPage(.secondary, empty, page: .last, count: 50, navigation: nil)
        for id in 1...3 as ClosedRange<Int64> {
            session.apply(
                samples.newItemUpdates(
                    samples.receivedItem(id, at: Int(id)),
                    in: samples.groupChatInfo(1, scope: scope)
                )
            )
            session.apply(
                samples.newItemUpdates(samples.receivedItem(10 + id, at: Int(id)), in: samples.groupChatInfo(1))
            )
        }
        return session
    }

    @Test
    func `Reading a conversation with the moderators marks only messages of this conversation as read`() throws {
        var session = makeSession()
        session.apply(
            ModelUpdates(
                .itemsReadForChat(user: samples.user, chatInfo: samples.groupChatInfo(1, scope: scope)),
                to: .messages(.chatItemsRead(chat: chatReference, itemIds: [2]))
            )
        )
        #expect(session.secondaryIM?.reversedChatItems.map(\.isRcvNew) == [true, false, true])
        session.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatRead(chat: chatReference))))
        #expect(session.secondaryIM?.reversedChatItems.allSatisfy { !$0.isRcvNew } == true)
        #expect(session.im.reversedChatItems.allSatisfy { $0.isRcvNew })
        session.apply(
            ModelUpdates(
                .cmdOk(user_: samples.user),
                to: .messages(.chatRead(chat: ChatRef(chatType: .group, chatId: 1)))
            )
        )
        #expect(session.im.reversedChatItems.allSatisfy { !$0.isRcvNew })
        // The list does not show a message in another member's conversation with the moderators.
        session.apply(
            samples.newItemUpdates(samples.receivedItem(4, at: 4), in: samples.groupChatInfo(1, scope: scope))
        )
        let other = ChatRef(chatType: .group, chatId: 1, chatScope: .memberSupport(groupMemberId_: 9))
        session.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatRead(chat: other))))
        #expect(session.secondaryIM?.reversedChatItems.first?.isRcvNew == true)
    }

    @Test
    func `A member's conversation with the moderators can be opened when the list of members is loaded`() throws {
        let group = samples.groupInfo(1)
        let member = try samples.readMember()
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .group, chatId: 1))
        #expect(session.findScopeInfo(.memberSupport(groupMemberId_: nil)) == scope)
        #expect(session.findScopeInfo(.memberSupport(groupMemberId_: member.groupMemberId)) == nil)
        session.apply(
            ModelUpdates(
                .groupMembers(user: samples.user, group: Group(groupInfo: group, members: [member])),
                to: .groups(.listMembers(groupId: 1))
            )
        )
        #expect(
            session.findScopeInfo(.memberSupport(groupMemberId_: member.groupMemberId))
                == .memberSupport(groupMember_: member)
        )
        session.openSecondaryList(.groupChatScopeContext(groupScopeInfo: scope))
        #expect(session.secondaryIM?.isLoading == true && session.secondaryIM?.showLoadingProgress == "#1")
    }

    @Test
    func `After a conversation with a group's moderators is read, the model reads the group from the core`() {
        var model = samples.makeModel(contacts: 1)
        model.apply(samples.newItemUpdates(samples.receivedItem(20, at: 200), in: samples.groupChatInfo(1, at: 200)))
        _ = model.takeReloads()
        model.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatRead(chat: chatReference))))
        let reloads = model.takeReloads()
        #expect(reloads == [.chat(ChatRef(chatType: .group, chatId: 1))])
        var group = samples.groupInfo(1, at: 200)
        group.membersRequireAttention = 3
        let answer = AChat(chatInfo: .group(groupInfo: group, groupChatScope: nil), chatItems: [], chatStats: .none)
        model.apply(
            ModelUpdates(
                .apiChat(user: samples.user, chat: answer, navInfo: nil),
                to: .messages(
                    .getChat(
                        chat: ChatRef(chatType: .group, chatId: 1),
                        contentTag: nil,
                        pagination: .last(count: 1),
                        search: nil
                    )
                )
            )
        )
        guard case .group(let known, _) = model.getChat("#1")?.chatInfo else {
            Issue.record("the group is gone"); return
        }
        #expect(known.membersRequireAttention == 3)
        #expect(model.stats("#1")?.unreadCount == 1)
    }

    @Test
    func `A group's support count is waiting members for moderators, and unread messages for members`()
        throws
    {
        var group = samples.groupInfo(1)
        group.membersRequireAttention = 3
        func count() throws -> Int64? {
            let chat = Chat(chatInfo: .group(groupInfo: group, groupChatScope: nil))
            let published = try JSONEncoder().encodeValue(chat)
            #expect(published["supportUnreadCount"]?.integerValue == chat.supportUnreadCount)
            return chat.supportUnreadCount
        }
        group.membership.memberRole = .moderator
        #expect(try count() == 3)
        group.membership.memberRole = .member
        group.membership.supportChat = nil
        #expect(try count() == 0)
        group.membership.supportChat = GroupSupportChat(
            chatTs: samples.time(1),
            unread: 2,
            memberAttention: 0,
            mentions: 0
        )
        #expect(try count() == 2)
        #expect(Chat(chatInfo: samples.directChatInfo(1)).supportUnreadCount == nil)
    }

    @Test
    func `After a member's report about a message, the model reads the group from the core`() throws {
        let group = samples.groupInfo(1)
        var model = samples.makeModel(contacts: 1)
        model.apply(samples.newItemUpdates(samples.receivedItem(20, at: 200), in: samples.groupChatInfo(1, at: 200)))
        _ = model.takeReloads()
        let scoped = ChatInfo.group(
            groupInfo: group,
            groupChatScope: .memberSupport(groupMember_: try samples.readMember())
        )
        var report = samples.receivedItem(21, at: 201)
        model.apply(samples.newItemUpdates(report, in: scoped))
        #expect(model.takeReloads() == [])
        report.content = .rcvMsgContent(msgContent: .report(text: "", reason: .spam))
        model.apply(samples.newItemUpdates(report, in: scoped))
        #expect(model.takeReloads() == [.chat(ChatRef(chatType: .group, chatId: 1))])
        #expect(model.stats("#1")?.unreadCount == 1)
    }

    @Test
    func `Events change the model's list of group members only after the list was read`() throws {
        let group = samples.groupInfo(1)
        var member = try samples.readMember()
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .group, chatId: 1))
        session.apply(
            ModelUpdates(
                .groupMemberUpdated(user: samples.user, groupInfo: group, fromMember: member, toMember: member)
            )
        )
        #expect(session.groupMembers.isEmpty && !session.membersLoaded)
        session.apply(
            ModelUpdates(
                .groupMembers(user: samples.user, group: Group(groupInfo: group, members: [member])),
                to: .groups(.listMembers(groupId: 1))
            )
        )
        #expect(session.membersLoaded && session.groupMembers == [member])
        let before = member
        member.localDisplayName = "renamed"
        session.apply(
            ModelUpdates(
                .groupMemberUpdated(user: samples.user, groupInfo: group, fromMember: before, toMember: member)
            )
        )
        #expect(session.groupMembers.map(\.localDisplayName) == ["renamed"])
        var joined = member
        joined.groupMemberId = 99
        session.apply(ModelUpdates(.joinedGroupMember(user: samples.user, groupInfo: group, member: joined)))
        #expect(session.groupMembers.map(\.groupMemberId) == [member.groupMemberId, 99])
        session.openChat(ChatRef(chatType: .group, chatId: 2))
        #expect(session.groupMembers.isEmpty && !session.membersLoaded)
    }

    @Test
    func `A deleted tag is removed from chats and filters, and a renamed tag has the new name in a filter`() {
        var model = samples.makeModel(contacts: 1)
        model.addChat(Chat(chatInfo: samples.directChatInfo(2, tags: [5, 6])))
        let tag = ChatTag(chatTagId: 5, chatTagText: "work")
        var (session, other) = (SessionModel(userId: samples.user.userId), SessionModel(userId: samples.user.userId))
        session.activeFilter = .userTag(tag)
        other.activeFilter = .unread
        session.openChat(ChatRef(chatType: .direct, chatId: 2))
        session.addPage(
            .primary,
            AChat(chatInfo: samples.directChatInfo(2, tags: [5, 6]), chatItems: [], chatStats: .none),
            page: .last,
            count: 50,
            navigation: nil
        )
        let renamed = ChatTag(chatTagId: 5, chatTagText: "office")
        var updates = ModelUpdates(
            .chatTags(user: samples.user, userTags: [renamed]),
            to: .tags(.getChatTags(userId: samples.user.userId))
        )
        session.apply(updates)
        other.apply(updates)
        #expect(session.activeFilter == .userTag(renamed) && other.activeFilter == .unread)
        updates = ModelUpdates(.cmdOk(user_: samples.user), to: .tags(.deleteChatTag(tagId: 5)))
        model.apply(updates)
        session.apply(updates)
        other.apply(updates)
        #expect(model.getChat("@2")?.chatInfo.chatTags == [6])
        #expect(session.chatInfo?.chatTags == [6])
        #expect(session.activeFilter == nil && other.activeFilter == .unread)
        let reloads = model.takeReloads()
        #expect(reloads.contains(.tags))
    }

    @Test
    func `Deleting only the messages of a chat leaves the chat open and empty`() {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1))
        let page = AChat(
            chatInfo: samples.directChatInfo(1),
            chatItems: [samples.receivedItem(1, at: 1)],
            chatStats: .none
        )
        session.addPage(.primary, page, page: .last, count: 50, navigation: nil)
        let contact = samples.directContact(1)
        var model = samples.makeModel(contacts: 1)
        model.apply(samples.newItemUpdates(samples.receivedItem(1, at: 1), in: samples.directChatInfo(1, at: 1)))
        let updates = ModelUpdates(
            .contactDeleted(user: samples.user, contact: contact),
            to: .contacts(.deleteChat(chat: ChatRef(chatType: .direct, chatId: 1), mode: .messages))
        )
        session.apply(updates)
        model.apply(updates)
        #expect(session.chatId == "@1" && !session.chatDeleted && session.im.reversedChatItems.isEmpty)
        #expect(model.getChat("@1")?.chatItems.isEmpty == true && model.stats("@1") == ChatStats.none)
        #expect(model.users.first?.unreadCount == 0)
    }

    @Test
    func `A profile's unread count leaves out messages for which the chat's notifications are off`() {
        var model = samples.makeModel(contacts: 1)
        model.apply(samples.newItemUpdates(samples.receivedItem(10, at: 10), in: samples.directChatInfo(1, at: 10)))
        model.apply(
            samples.newItemUpdates(
                samples.receivedItem(11, at: 11),
                in: samples.directChatInfo(2, at: 11, notify: .none)
            )
        )
        model.apply(
            samples.newItemUpdates(
                samples.receivedItem(12, at: 12),
                in: samples.directChatInfo(3, at: 12, notify: .mentions)
            )
        )
        model.apply(
            samples.newItemUpdates(
                samples.receivedItem(13, at: 13, mention: true),
                in: samples.directChatInfo(3, at: 13, notify: .mentions)
            )
        )
        #expect(model.users.map(\.unreadCount) == [2])
        var other = samples.user
        other.userId = 77
        model.apply(
            .init(
                userId: nil,
                [.users([UserInfo(user: samples.user, unreadCount: 2), UserInfo(user: other, unreadCount: 0)])]
            )
        )
        for (id, notify) in [(1, MsgFilter.all), (2, .none), (3, .mentions)] as [(Int64, MsgFilter)] {
            var updates = samples.newItemUpdates(
                samples.receivedItem(id, at: 1),
                in: samples.directChatInfo(id, notify: notify)
            )
            updates.userId = 77
            model.apply(updates)
        }
        #expect(model.users.map(\.unreadCount) == [2, 1])
        // The list of profiles was read after a change of a chat, and before the chat itself.
        model.apply(
            .init(
                userId: nil,
                [.users([UserInfo(user: samples.user, unreadCount: 3), UserInfo(user: other, unreadCount: 1)])]
            )
        )
        model.apply(
            .init(
                userId: samples.user.userId,
                [
                    .chats([
                        AChat(
                            chatInfo: samples.directChatInfo(1),
                            chatItems: [],
                            chatStats: ChatStats(
                                unreadCount: 3,
                                unreadMentions: 0,
                                reportsCount: 0,
                                minUnreadItemId: 1,
                                unreadChat: false
                            )
                        )
                    ])
                ]
            )
        )
        #expect(model.users.map(\.unreadCount) == [3, 1])
        // A chat of the other profile is muted, so its unread items no longer count.
        _ = model.takeReloads()
        model.apply(ModelUpdates(userId: 77, [.reload(.chats)]))
        let reloads = model.takeReloads()
        #expect(reloads == [.users])
    }
}
