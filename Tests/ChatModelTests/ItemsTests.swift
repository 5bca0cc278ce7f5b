import ChatAPI
import TestSupport
import Testing

@testable import ChatModel

@Suite("The items of an open chat")
struct ItemsTests {
    let samples: Samples

    init() throws { samples = try Samples() }

    private func makeItems(_ range: ClosedRange<Int>) -> [ChatItem] {
        range.map { samples.receivedItem(Int64($0), at: $0) }
    }

    private func makePage(_ range: ClosedRange<Int>) -> AChat {
        AChat(chatInfo: samples.directChatInfo(1), chatItems: makeItems(range), chatStats: .none)
    }

    private func makeSession(_ range: ClosedRange<Int>) -> SessionModel {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1))
        session.addPage(.primary, makePage(range), page: .last, count: 50, navigation: nil)
        return session
    }

    @Test
    func `Opening a chat shows the loading state until the last messages are loaded`() {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1))
        #expect(session.im.isLoading && session.im.showLoadingProgress == "@1")
        session.addPage(.primary, makePage(51...100), page: .last, count: 50, navigation: nil)
        #expect(!session.im.isLoading && session.im.showLoadingProgress == nil)
        #expect(session.im.reversedChatItems.map(\.id) == Array((51...100).reversed()))
        #expect(session.im.newestLoaded && !session.im.lastItemsLoaded)
        #expect(session.im.chatState.splits == [])
        #expect(session.im.chatState.loadedRanges.map(\.count) == [50])
    }

    @Test
    func `Older pages of messages join the loaded messages of the open chat in one range`() {
        var session = makeSession(51...100)
        session.beginLoading(.primary, next: 51)
        #expect(session.im.preloadState.preloading && session.im.preloadState.prevItemsCount == 50)
        session.addPage(.primary, makePage(21...50), page: .before(51), count: 30, navigation: nil)
        #expect(!session.im.lastItemsLoaded && !session.im.preloadState.preloading)
        session.addPage(.primary, makePage(11...20), page: .before(21), count: 30, navigation: nil)
        #expect(session.im.lastItemsLoaded)
        #expect(session.im.reversedChatItems.map(\.id) == Array((11...100).reversed()))
        #expect(session.im.chatState.splits == [])
    }

    @Test
    func `Opening a chat around a message leaves a gap until the pages up to the newest message are loaded`() {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1), around: 30)
        #expect(session.openAroundItemId == 30)
        session.addPage(
            .primary,
            makePage(20...40),
            page: .around(30),
            count: 10,
            navigation: NavigationInfo(afterUnread: 2, afterTotal: 60)
        )
        #expect(!session.im.newestLoaded)
        #expect(session.im.chatState.splits == [40])
        #expect(session.im.chatState.totalAfter == 60 && session.im.chatState.unreadAfter == 2)
        session.addPage(.primary, makePage(91...100), page: .last, count: 10, navigation: nil)
        #expect(session.im.newestLoaded)
        #expect(session.im.chatState.splits == [40])
        #expect(session.im.chatState.loadedRanges.map(\.newestItemId) == [100, 40])
        session.addPage(.primary, makePage(41...80), page: .after(40), count: 40, navigation: nil)
        #expect(session.im.chatState.splits == [80])
        session.addPage(.primary, makePage(81...100), page: .after(80), count: 40, navigation: nil)
        #expect(session.im.chatState.splits == [])
        #expect(session.im.reversedChatItems.map(\.id) == Array((20...100).reversed()))
    }

    @Test
    func `The open chat keeps at most as many messages as the client's limit permits`() {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1), limit: 80)
        session.addPage(.primary, makePage(971...1000), page: .last, count: 30, navigation: nil)
        for first in stride(from: 941, to: 0, by: -30) {
            session.addPage(
                .primary,
                makePage(first...first + 29),
                page: .before(Int64(first + 30)),
                count: 30,
                navigation: nil
            )
            let ids = session.im.reversedChatItems.map { Int($0.id) }
            #expect(ids == Array((first...min(first + 79, 1000)).reversed()))
            #expect(
                session.im.newestLoaded == (ids.first == 1000)
                    && session.im.chatState.splits == (ids.first == 1000 ? [] : ids.prefix(1).map(Int64.init))
            )
        }
        // Loads later pages until the list reaches the newest item. Then it shows new items.
        while let newest = session.im.reversedChatItems.first.map({ Int($0.id) }), newest < 1000 {
            session.addPage(
                .primary,
                makePage(newest + 1...min(newest + 30, 1000)),
                page: .after(Int64(newest)),
                count: 30,
                navigation: nil
            )
            #expect(session.im.reversedChatItems.count == 80)
        }
        #expect(session.im.newestLoaded && session.im.chatState.splits == [])
        for id in 1001...1100 {
            session.apply(
                samples.newItemUpdates(samples.receivedItem(Int64(id), at: id), in: samples.directChatInfo(1))
            )
        }
        #expect(session.im.reversedChatItems.map(\.id) == Array((1021...1100).reversed()))
        // A client that has jumped to a distant page keeps the items of this page when new items arrive.
        session.addPage(
            .primary,
            makePage(190...210),
            page: .around(200),
            count: 10,
            navigation: NavigationInfo(afterUnread: 0, afterTotal: 890)
        )
        for id in 1101...1200 {
            session.apply(
                samples.newItemUpdates(samples.receivedItem(Int64(id), at: id), in: samples.directChatInfo(1))
            )
        }
        #expect(
            session.im.reversedChatItems.count == 80
                && (190...210).allSatisfy { id in session.im.reversedChatItems.contains { $0.id == id } }
        )
    }

    @Test
    func `A new message is added at the top of the open chat, and not to the items of other chats`() {
        var session = makeSession(1...3)
        let taken = session.apply(samples.newItemUpdates(samples.receivedItem(4, at: 4), in: samples.directChatInfo(1)))
        #expect(taken)
        #expect(session.im.reversedChatItems.map(\.id) == [4, 3, 2, 1])
        let elsewhere = session.apply(
            samples.newItemUpdates(samples.receivedItem(5, at: 5), in: samples.directChatInfo(2))
        )
        #expect(!elsewhere)
        #expect(session.im.reversedChatItems.count == 4)
        var again = samples.newItemUpdates(samples.receivedItem(4, at: 4, text: "twice"), in: samples.directChatInfo(1))
        session.apply(again)
        #expect(session.im.reversedChatItems.map(\.id) == [4, 3, 2, 1])
        again.userId = 99
        let ofOther = session.apply(again)
        #expect(!ofOther)
    }

    @Test
    func `A new message after a gap begins a separate loaded range`() {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1), around: 30)
        session.addPage(
            .primary,
            makePage(20...40),
            page: .around(30),
            count: 10,
            navigation: NavigationInfo(afterUnread: 0, afterTotal: 60)
        )
        session.apply(samples.newItemUpdates(samples.receivedItem(101, at: 101), in: samples.directChatInfo(1)))
        #expect(session.im.reversedChatItems.first?.id == 101)
        #expect(session.im.chatState.splits == [40])
        #expect(session.im.chatState.loadedRanges.map(\.count) == [1, 21])
    }

    @Test
    func `An event that changes a message that is not loaded adds no message to the open chat`() {
        var session = makeSession(51...100)
        var changed = samples.receivedItem(7, at: 7, text: "edited")
        session.apply(
            ModelUpdates(
                .chatItemUpdated(
                    user: samples.user,
                    chatItem: AChatItem(chatInfo: samples.directChatInfo(1), chatItem: changed)
                )
            )
        )
        #expect(session.im.reversedChatItems.count == 50)
        changed = samples.receivedItem(70, at: 70, text: "edited")
        session.apply(
            ModelUpdates(
                .chatItemUpdated(
                    user: samples.user,
                    chatItem: AChatItem(chatInfo: samples.directChatInfo(1), chatItem: changed)
                )
            )
        )
        #expect(session.im.reversedChatItems.first { $0.id == 70 }?.meta.itemText == "edited")
    }

    @Test
    func `Reading, deleting and clearing messages changes the items of the open chat`() {
        var session = makeSession(1...3)
        let chat = ChatRef(chatType: .direct, chatId: 1)
        session.apply(
            ModelUpdates(
                .itemsReadForChat(user: samples.user, chatInfo: samples.directChatInfo(1)),
                to: .messages(.chatItemsRead(chat: chat, itemIds: [2]))
            )
        )
        #expect(session.im.reversedChatItems.map(\.isRcvNew) == [true, false, true])
        session.apply(ModelUpdates(.cmdOk(user_: samples.user), to: .messages(.chatRead(chat: chat))))
        #expect(session.im.reversedChatItems.map(\.isRcvNew) == [false, false, false])
        let deletion = ChatItemDeletion(
            deletedChatItem: AChatItem(chatInfo: samples.directChatInfo(1), chatItem: samples.receivedItem(2, at: 2))
        )
        session.apply(
            ModelUpdates(
                .chatItemsDeleted(user: samples.user, chatItemDeletions: [deletion], byUser: true, timed: false)
            )
        )
        #expect(session.im.reversedChatItems.map(\.id) == [3, 1])
        session.apply(
            ModelUpdates(
                .chatCleared(user: samples.user, chatInfo: samples.directChatInfo(1)),
                to: .contacts(.clearChat(chat: chat))
            )
        )
        #expect(session.im.reversedChatItems.isEmpty)
        session.apply(samples.newItemUpdates(samples.receivedItem(4, at: 4), in: samples.directChatInfo(1)))
        #expect(session.im.reversedChatItems.map(\.id) == [4])
    }

    @Test
    func `Deleting the chat that is open closes it`() {
        var session = makeSession(1...3)
        let contact = samples.directContact(1)
        session.apply(
            ModelUpdates(
                .contactDeleted(user: samples.user, contact: contact),
                to: .contacts(.deleteChat(chat: ChatRef(chatType: .direct, chatId: 1), mode: .full(notify: false)))
            )
        )
        #expect(session.chatId == nil && session.chatDeleted && session.im.reversedChatItems.isEmpty)
        session.addPage(.primary, makePage(1...3), page: .last, count: 50, navigation: nil)
        #expect(session.im.reversedChatItems.isEmpty)
    }

    @Test
    func `The second list of an open group shows messages to moderators or messages of one kind`() {
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .group, chatId: 1))
        let empty = AChat(chatInfo: samples.groupChatInfo(1), chatItems: [], chatStats: .none)
        session.addPage(.primary, empty, page: .last, count: 50, navigation: nil)
        let scope = GroupChatScopeInfo.memberSupport(groupMember_: nil)
        session.openSecondaryList(.groupChatScopeContext(groupScopeInfo: scope))
        session.addPage(.secondary, empty, page: .last, count: 50, navigation: nil)
        session.apply(
            samples.newItemUpdates(samples.receivedItem(1, at: 1), in: samples.groupChatInfo(1, scope: scope))
        )
        session.apply(samples.newItemUpdates(samples.receivedItem(2, at: 2), in: samples.groupChatInfo(1)))
        #expect(session.im.reversedChatItems.map(\.id) == [2])
        #expect(session.secondaryIM?.reversedChatItems.map(\.id) == [1])
        #expect(session.secondaryIM?.groupScopeInfo == scope)

        session.openSecondaryList(.msgContentTagContext(contentTag: .report))
        session.addPage(.secondary, empty, page: .last, count: 50, navigation: nil)
        var report = samples.receivedItem(3, at: 3)
        report.content = .rcvMsgContent(msgContent: .report(text: "", reason: .spam))
        session.apply(samples.newItemUpdates(report, in: samples.groupChatInfo(1)))
        #expect(session.im.reversedChatItems.map(\.id) == [3, 2])
        #expect(session.secondaryIM?.reversedChatItems.map(\.id) == [3])
        #expect(session.secondaryIM?.contentTag == .report)
    }

    @Test(arguments: 1...5)
    func `Pages of messages that arrive in any order leave the open chat sorted and without duplicates`(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var session = SessionModel(userId: samples.user.userId)
        session.openChat(ChatRef(chatType: .direct, chatId: 1))
        var newest = 300
        for _ in 0..<60 {
            let loaded = session.im.reversedChatItems
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                session.addPage(.primary, makePage(newest - 9...newest), page: .last, count: 10, navigation: nil)
            case 1:
                let item = Int.random(in: 1...newest, using: &random)
                let range = max(1, item - 5)...min(newest, item + 5)
                session.addPage(
                    .primary,
                    makePage(range),
                    page: .around(Int64(item)),
                    count: 5,
                    navigation: NavigationInfo(afterUnread: 0, afterTotal: newest - range.upperBound)
                )
            case 2:
                guard let item = loaded.randomElement(using: &random).map({ Int($0.id) }), item > 1 else { continue }
                session.addPage(
                    .primary,
                    makePage(max(1, item - 10)...item - 1),
                    page: .before(Int64(item)),
                    count: 10,
                    navigation: nil
                )
            case 3:
                guard let item = loaded.randomElement(using: &random).map({ Int($0.id) }), item < newest else {
                    continue
                }
                session.addPage(
                    .primary,
                    makePage(item + 1...min(newest, item + 10)),
                    page: .after(Int64(item)),
                    count: 10,
                    navigation: nil
                )
            default:
                newest += 1
                session.apply(
                    samples.newItemUpdates(
                        samples.receivedItem(Int64(newest), at: newest),
                        in: samples.directChatInfo(1)
                    )
                )
            }
            let ids = session.im.reversedChatItems.map { Int($0.id) }
            #expect(ids == Array(Set(ids)).sorted(by: >))
            let gaps = ids.enumerated().filter { $0.offset > 0 && ids[$0.offset - 1] != $0.element + 1 }.map {
                Int64($0.element)
            }
            let inner = session.im.chatState.splits.filter { $0 != session.im.reversedChatItems.first?.id }
            // Two ranges that touch by chance may stay separate, but each gap must have a split.
            #expect(Set(gaps).isSubset(of: Set(inner)), "\(ids)")
            if session.im.newestLoaded { #expect(ids.first == newest) }
            #expect(session.im.chatState.loadedRanges.reduce(0) { $0 + $1.count } == ids.count)
        }
    }

    @Test(arguments: 0..<8)
    func `The loaded ranges of an open chat match its messages, even after invalid pages and messages`(part: Int) {
        var random = SeededRandom(part: part)
        var items = ItemsModel()
        // Ids repeat and do not follow the times, pages are empty or longer than requested, and anchors may not exist.
        func randomItems(_ random: inout SeededRandom) -> [ChatItem] {
            (0..<Int.random(in: 0...12, using: &random)).map { _ in
                samples.receivedItem(.random(in: -2...40, using: &random), at: .random(in: 0..<50, using: &random))
            }
        }
        for _ in 0..<400 {
            let id = Int64.random(in: -2...40, using: &random)
            let order: ItemOrder = Bool.random(using: &random) ? .byArrival : .bySending
            switch Int.random(in: 0..<9, using: &random) {
            case 0...3:
                let page =
                    [ItemsModel.Page.last, .before(id), .after(id), .around(id), .initial].randomElement(using: &random)
                    ?? .last
                let after = Int.random(in: -1...3, using: &random)
                let navigation =
                    Bool.random(using: &random) ? NavigationInfo(afterUnread: after, afterTotal: after) : nil
                items.addPage(
                    page,
                    randomItems(&random),
                    count: .random(in: -1...12, using: &random),
                    order: order,
                    navigation: navigation
                )
            case 4, 5:
                for item in randomItems(&random) { items.addItem(item, order) }
            case 6: items.removeItems(randomItems(&random).map(\.id))
            case 7: items.trimItems(to: .random(in: 0...30, using: &random))
            case 8 where id < 0: items.removeAll()
            default:
                // A model that is hidden, and so has no items, is also changed.
                var hidden = items
                hidden.removeLoadedItems()
                hidden.removeItems([id] + items.reversedChatItems.map(\.id))
                for item in randomItems(&random) { hidden.addItem(item, order) }
                hidden.trimItems(to: 1)
                #expect(hidden.reversedChatItems.count <= 1)
            }
            let ranges = items.chatState.loadedRanges
            #expect(ranges.reduce(0) { $0 + $1.count } == items.reversedChatItems.count)
            #expect(
                ranges.first?.newestItemId == items.reversedChatItems.first?.id
                    && ranges.last?.oldestItemId == items.reversedChatItems.last?.id
            )
        }
    }
}
