import ChatAPI
import ChatModel
import JSON
import Testing
import TestSupport

@Suite("Tags and filters")
struct TagsTests {
    let samples: Samples

    init() throws { samples = try Samples() }

    @Test
    func `A chat is counted as unread for its tags only if its notifications are on`() {
        var model = samples.makeModel(contacts: 1)
        model.addChat(Chat(chatInfo: samples.directChatInfo(2, tags: [5, 6])))
        model.addChat(Chat(chatInfo: samples.directChatInfo(3, tags: [6], notify: .mentions)))
        model.addChat(Chat(chatInfo: samples.directChatInfo(4, tags: [6], notify: .none)))
        for id in 2...4 {
            model.apply(samples.newItemUpdates(samples.receivedItem(Int64(id), at: 10), in: chatInfo(id)))
        }
        #expect(model.tags.unreadTags == [5: 1, 6: 1])
        #expect(model.totalUnreadCountForAllUsers() == 1)
        model.apply(samples.newItemUpdates(samples.receivedItem(30, at: 11, mention: true), in: chatInfo(3)))
        #expect(model.tags.unreadTags == [5: 1, 6: 2])
        #expect(model.totalUnreadCountForAllUsers() == 2)
        let chat = ChatRef(chatType: .direct, chatId: 2)
        model.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatRead(chat: chat))))
        #expect(model.tags.unreadTags == [6: 1])
        model.apply(
            ModelUpdates(
                .tagsUpdated(user: samples.user, userTags: [ChatTag(chatTagId: 6, chatTagText: "work")], chatTags: []),
                to: .tags(.setChatTags(chat: ChatRef(chatType: .direct, chatId: 3), tagIds: []))
            )
        )
        #expect(model.tags.unreadTags == [:])
        #expect(model.tags.userTags.map(\.chatTagText) == ["work"])
    }

    private func chatInfo(_ id: Int) -> ChatInfo {
        switch id {
        case 2: samples.directChatInfo(2, at: 10, tags: [5, 6])
        case 3: samples.directChatInfo(3, at: 10, tags: [6], notify: .mentions)
        default: samples.directChatInfo(4, at: 10, tags: [6], notify: .none)
        }
    }

    @Test
    func `A filter of the chat list selects the chats of its kind or tag, or the unread chats`() {
        var model = samples.makeModel(contacts: 1)
        model.addChat(Chat(chatInfo: samples.directChatInfo(2, tags: [5])))
        model.addChat(Chat(chatInfo: samples.groupChatInfo(3)))
        model.apply(samples.newItemUpdates(samples.receivedItem(9, at: 20), in: samples.groupChatInfo(3, at: 20)))
        func ids(_ filter: ActiveFilter) -> Set<ChatId> { Set(model.chats.filter(filter.matches).map(\.id)) }
        #expect(ids(.presetTag(.contacts)) == ["@1", "@2"])
        #expect(ids(.presetTag(.groups)) == ["#3"])
        #expect(ids(.userTag(ChatTag(chatTagId: 5, chatTagText: ""))) == ["@2"])
        #expect(ids(.unread) == ["#3"])
        #expect(ids(.presetTag(.groupReports)) == [])
    }

    @Test(arguments: [1, 2, 3])
    func `After thousands of changes, the chat counts of tags equal a complete new count`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var model = samples.makeModel(contacts: 5)
        for step in 0..<3000 {
            let id = Int.random(in: 1...12, using: &random)
            let info = samples.directChatInfo(
                Int64(id),
                at: step,
                tags: [Int64(id % 3), Int64(10 + step % 2)],
                notify: [.all, .none, .mentions][step % 3],
                favorite: step % 7 == 0
            )
            let chat = ChatRef(chatType: .direct, chatId: Int64(id))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: model.removeChat("@\(id)")
            case 1: model.updateChatInfo(info)
            case 2: model.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatRead(chat: chat))))
            case 3:
                model.apply(
                    ModelUpdates(
                        .cmdOk(user_: samples.user),
                        to: .messages(.chatUnread(chat: chat, unreadChat: step % 2 == 0))
                    )
                )
            default:
                model.apply(
                    samples.newItemUpdates(
                        samples.receivedItem(Int64(step + 100), at: step, mention: step % 5 == 0),
                        in: info
                    )
                )
            }
        }
        var fresh = ChatModel(userId: samples.user.userId)
        let list = model.chats.map { AChat(chatInfo: $0.chatInfo, chatItems: $0.chatItems, chatStats: $0.chatStats) }
        fresh.apply(.init(userId: samples.user.userId, [.chats(list)]))
        #expect(fresh.tags == model.tags)
        #expect(fresh.totalUnreadCount(all: false) == model.totalUnreadCount(all: false))
        #expect(model.users.first?.unreadCount == model.totalUnreadCount(all: false))
        #expect(model.chats.map(\.chatInfo.chatTs) == model.chats.map(\.chatInfo.chatTs).sorted(by: >))
    }
}
