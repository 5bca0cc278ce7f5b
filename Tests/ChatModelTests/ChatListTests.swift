import ChatAPI
import ChatModel
import Testing

@Suite("The chat list")
struct ChatListTests {
    let samples: Samples

    init() throws { samples = try Samples() }

    @Test
    func `A received message is counted as unread and moves its chat to the top of the chat list`() {
        var model = samples.makeModel(contacts: 3)
        #expect(model.chatIDs == ["@3", "@2", "@1"])
        model.apply(samples.newItemUpdates(samples.receivedItem(10, at: 100), in: samples.directChatInfo(1, at: 100)))
        #expect(model.chatIDs == ["@1", "@3", "@2"])
        #expect(model.getChat("@1")?.chatItems.map(\.id) == [10])
        #expect(
            model.stats("@1")
                == ChatStats(unreadCount: 1, unreadMentions: 0, reportsCount: 0, minUnreadItemId: 10, unreadChat: false)
        )
        #expect(model.users.first?.unreadCount == 1)
        #expect(model.totalUnreadCountForAllUsers() == 1)
        let changes = model.takeChanges()
        #expect(changes.chatIds == ["@1"] && changes.hasOrderChanged && changes.hasGeneralStateChanged)
    }

    @Test
    func `A sent message moves its chat to the top of the chat list and is not counted as unread`() {
        var model = samples.makeModel(contacts: 2)
        let item = AChatItem(chatInfo: samples.directChatInfo(1, at: 100), chatItem: samples.sentItem(5, at: 100))
        let reference = ChatRef(chatType: .direct, chatId: 1)
        model.apply(
            ModelUpdates(
                .newChatItems(user: samples.user, chatItems: [item]),
                to: .messages(
                    .sendMessages(
                        chat: reference,
                        sendAsGroup: false,
                        live: false,
                        ttl: nil,
                        sign: false,
                        composedMessages: []
                    )
                )
            )
        )
        #expect(model.chatIDs == ["@1", "@2"])
        #expect(model.stats("@1")?.unreadCount == 0)
        let sent = AChatItem(
            chatInfo: samples.directChatInfo(1, at: 100),
            chatItem: samples.sentItem(5, at: 100, status: .sndSent(sndProgress: .complete))
        )
        model.apply(ModelUpdates(.chatItemsStatusesUpdated(user: samples.user, chatItems: [sent])))
        #expect(model.getChat("@1")?.chatItems.first?.meta.itemStatus == .sndSent(sndProgress: .complete))
    }

    @Test
    func `A contact that is linked with a group member keeps its chat and its loaded messages`() throws {
        var model = samples.makeModel(contacts: 2)
        model.apply(samples.newItemUpdates(samples.receivedItem(10, at: 100), in: samples.directChatInfo(1, at: 100)))
        model.setDraft(ComposeState(message: "not sent yet"), in: "@1")
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1))
        session.addPage(
            .primary,
            AChat(
                chatInfo: samples.directChatInfo(1),
                chatItems: [samples.receivedItem(10, at: 100)],
                chatStats: .none
            ),
            page: .last,
            count: 50,
            navigation: nil
        )
        let contact = samples.directContact(1, at: 100), group = samples.groupInfo(1)
        var updated = contact
        updated.localDisplayName = "renamed"
        let updates = ModelUpdates(
            .contactAndMemberAssociated(
                user: samples.user,
                contact: contact,
                groupInfo: group,
                member: try samples.readMember(),
                updatedContact: updated
            )
        )
        model.apply(updates)
        session.apply(updates)
        #expect(
            model.getChat("@1")?.chatItems.map(\.id) == [10] && model.stats("@1")?.unreadCount == 1
                && model.drafts["@1"] != nil
        )
        guard case .direct(let shown)? = model.getChat("@1")?.chatInfo else { throw Samples.MissingSample() }
        #expect(shown.localDisplayName == "renamed")
        #expect(session.chatId == "@1" && !session.chatDeleted && session.im.reversedChatItems.map(\.id) == [10])
    }

    @Test
    func `The first message of a new contact adds the chat to the chat list`() {
        var model = samples.makeModel(contacts: 1)
        model.apply(
            samples.newItemUpdates(
                samples.receivedItem(7, at: 50, mention: true),
                in: samples.directChatInfo(9, at: 50)
            )
        )
        #expect(model.chatIDs == ["@9", "@1"])
        #expect(model.stats("@9")?.unreadMentions == 1)
        #expect(model.stats("@9")?.unreadCount == 1)
    }

    @Test
    func `The chat list ignores events until it was read from the core`() {
        var model = ChatModel(userId: samples.user.userId)
        model.apply(samples.newItemUpdates(samples.receivedItem(7, at: 50), in: samples.directChatInfo(9, at: 50)))
        #expect(model.chats.isEmpty && !model.hasLoadedChats)
    }

    @Test
    func `Reading a chat clears its unread counts in the chat list`() {
        var model = samples.makeModel(contacts: 2)
        for id in 10...12 {
            model.apply(
                samples.newItemUpdates(samples.receivedItem(Int64(id), at: id), in: samples.directChatInfo(1, at: id))
            )
        }
        #expect(model.stats("@1")?.unreadCount == 3 && model.stats("@1")?.minUnreadItemId == 10)
        let chat = ChatRef(chatType: .direct, chatId: 1)
        model.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatRead(chat: chat))))
        #expect(model.stats("@1") == ChatStats.none)
        #expect(model.users.first?.unreadCount == 0)
        model.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatUnread(chat: chat, unreadChat: true))))
        #expect(model.stats("@1")?.unreadChat == true)
        #expect(model.getChat("@1")?.isShownUnread == true)
    }

    @Test
    func `After single messages of a chat are read, the model reads the unread count of the chat from the core`() {
        var model = samples.makeModel(contacts: 1)
        for id in 10...12 {
            model.apply(
                samples.newItemUpdates(samples.receivedItem(Int64(id), at: id), in: samples.directChatInfo(1, at: id))
            )
        }
        let chat = ChatRef(chatType: .direct, chatId: 1)
        model.apply(
            ModelUpdates(
                .itemsReadForChat(user: samples.user, chatInfo: samples.directChatInfo(1, at: 12)),
                to: .messages(.chatItemsRead(chat: chat, itemIds: [10, 12]))
            )
        )
        #expect(model.getChat("@1")?.chatItems.first?.meta.itemStatus == .rcvRead)
        let reloads = model.takeReloads()
        #expect(reloads == [.chat(chat)])
        var stats = ChatStats.none
        stats.unreadCount = 1
        stats.minUnreadItemId = 11
        let answer = AChat(chatInfo: samples.directChatInfo(1, at: 12), chatItems: [], chatStats: stats)
        model.apply(
            ModelUpdates(
                .apiChat(user: samples.user, chat: answer, navInfo: nil),
                to: .messages(.getChat(chat: chat, contentTag: nil, pagination: .initial(count: 1), search: nil))
            )
        )
        #expect(model.stats("@1")?.unreadCount == 1 && model.stats("@1")?.minUnreadItemId == 11)
        #expect(model.users.first?.unreadCount == 1)
    }

    @Test
    func `A deleted unread message is not counted, and the preview of its chat is read from the core`() {
        var model = samples.makeModel(contacts: 1)
        let item = samples.receivedItem(10, at: 10)
        model.apply(samples.newItemUpdates(item, in: samples.directChatInfo(1, at: 10)))
        let deletion = ChatItemDeletion(
            deletedChatItem: AChatItem(chatInfo: samples.directChatInfo(1, at: 10), chatItem: item)
        )
        model.apply(
            ModelUpdates(
                .chatItemsDeleted(user: samples.user, chatItemDeletions: [deletion], byUser: false, timed: false)
            )
        )
        #expect(model.stats("@1")?.unreadCount == 0)
        #expect(model.getChat("@1")?.chatItems.isEmpty == true)
        let reloads = model.takeReloads()
        #expect(reloads == [.chat(ChatRef(chatType: .direct, chatId: 1))])
    }

    @Test
    func `Adding, updating or removing a chat changes the number of chats of the same kind`() {
        var model = samples.makeModel(contacts: 3)
        model.addChat(Chat(chatInfo: samples.directChatInfo(8, at: 2, favorite: true)))
        #expect(model.chatIDs == ["@3", "@8", "@2", "@1"])
        #expect(model.tags.presetTags[.favorites] == 1 && model.tags.presetTags[.contacts] == 4)
        model.updateChatInfo(samples.directChatInfo(8, at: 2))
        #expect(model.tags.presetTags[.favorites] == nil)
        model.removeChat("@3")
        model.addChat(Chat(chatInfo: samples.groupChatInfo(4, at: 3)))
        model.removeChat("@8")
        model.removeChat("@8")
        #expect(Set(model.chatIDs) == ["@1", "#4", "@2"])
        #expect(model.tags.presetTags == [.contacts: 2, .groups: 1])
        model.updateChatInfo(samples.directChatInfo(99))
        #expect(model.getChat("@99") == nil)
    }

    @Test
    func `An older message that a member forwards late does not become the preview of the group`() {
        var model = samples.makeModel(contacts: 1)
        model.apply(samples.newItemUpdates(samples.receivedItem(20, at: 200), in: samples.groupChatInfo(1, at: 200)))
        model.apply(samples.newItemUpdates(samples.receivedItem(21, at: 150), in: samples.groupChatInfo(1, at: 201)))
        #expect(model.getChat("#1")?.chatItems.map(\.id) == [20])
        #expect(model.stats("#1")?.unreadCount == 2)
    }

    @Test
    func `A message to the moderators changes neither the preview nor the unread count of the group`() {
        var model = samples.makeModel(contacts: 1)
        model.apply(samples.newItemUpdates(samples.receivedItem(20, at: 200), in: samples.groupChatInfo(1, at: 200)))
        model.apply(
            samples.newItemUpdates(
                samples.receivedItem(21, at: 201),
                in: samples.groupChatInfo(1, at: 201, scope: .memberSupport(groupMember_: nil))
            )
        )
        #expect(model.getChat("#1")?.chatItems.map(\.id) == [20])
        #expect(model.stats("#1")?.unreadCount == 1)
        #expect(model.getChat("#1")?.chatInfo.groupChatScope == nil)
    }

    @Test
    func `A pending connection in the chat list is replaced by its contact when the contact is connected`() throws {
        var model = samples.makeModel(contacts: 1)
        let connection = PendingContactConnection(
            pccConnId: 5,
            pccAgentConnId: "a",
            pccConnStatus: .new,
            viaContactUri: false,
            localAlias: "",
            createdAt: samples.time(9),
            updatedAt: samples.time(9)
        )
        model.apply(
            ModelUpdates(
                .invitation(
                    user: samples.user,
                    connLinkInvitation: CreatedConnLink(connFullLink: "simplex:/"),
                    connection: connection
                ),
                to: .contacts(.addContact(userId: 1, incognito: false))
            )
        )
        #expect(model.chatIDs == [":5", "@1"])
        let contact = samples.directContact(5, at: 10)
        model.apply(ModelUpdates(.contactConnected(user: samples.user, contact: contact, userCustomProfile: nil)))
        #expect(model.chatIDs == ["@5", "@1"])
    }

    @Test
    func `A message to an inactive profile changes only the unread count of this profile`() {
        var model = samples.makeModel(contacts: 1)
        var other = samples.user
        other.userId = 77
        model.apply(
            .init(
                userId: nil,
                [.users([UserInfo(user: samples.user, unreadCount: 0), UserInfo(user: other, unreadCount: 4)])]
            )
        )
        var updates = samples.newItemUpdates(samples.receivedItem(10, at: 10), in: samples.directChatInfo(1, at: 10))
        updates.userId = 77
        model.apply(updates)
        #expect(model.getChat("@1")?.chatItems.isEmpty == true)
        #expect(model.users.map(\.unreadCount) == [0, 5])
        #expect(model.totalUnreadCountForAllUsers() == 5)
        #expect(model.totalUnreadCount(all: false) == 0)
        #expect(model.visibleUsers(all: false).map(\.user.userId) == [samples.user.userId])
    }
}
