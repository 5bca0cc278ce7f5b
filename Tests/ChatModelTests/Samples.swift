import ChatAPI
import ChatModel
import JSON
import TestSupport

/// Contacts, groups and items in the form of simplex-chat, with values set by the test.
struct Samples {
    let user: User
    let contact: Contact
    let group: GroupInfo
    let item: ChatItem

    /// Reads contacts, groups and items from recorded conversations.
    init() throws {
        let direct = try Self.findNewItem(in: "messages-direct", type: "direct")
        let inGroup = try Self.findNewItem(in: "group-basic", type: "group")
        guard case .direct(let contact) = direct.item.chatInfo, case .group(let group, _) = inGroup.item.chatInfo else {
            throw MissingSample()
        }
        user = direct.user
        self.contact = contact
        self.group = group
        item = direct.item.chatItem
    }

    struct MissingSample: Error {}

    private static func findNewItem(in recording: String, type: String) throws -> (user: User, item: AChatItem) {
        for line in try Fixture.readTranscript(recording)
        where line["dir"] == "event" && line["json"]?["type"] == "newChatItems" {
            guard let json = line["json"],
                case .newChatItems(let user, let items) = try JSONDecoder().decode(ChatEvent.self, from: json)
            else { continue }
            if let item = items.first(where: { $0.chatInfo.chatType.rawValue == type }) { return (user, item) }
        }
        throw MissingSample()
    }

    func directChatInfo(
        _ id: Int64,
        at second: Int = 0,
        tags: [Int64] = [],
        notify: MsgFilter = .all,
        favorite: Bool = false
    ) -> ChatInfo {
        .direct(contact: directContact(id, at: second, tags: tags, notify: notify, favorite: favorite))
    }

    func directContact(
        _ id: Int64,
        at second: Int = 0,
        tags: [Int64] = [],
        notify: MsgFilter = .all,
        favorite: Bool = false
    ) -> Contact {
        var contact = contact
        contact.contactId = id
        contact.chatTs = time(second)
        contact.chatTags = tags
        contact.chatSettings.enableNtfs = notify
        contact.chatSettings.favorite = favorite
        contact.activeConn?.connId = id
        contact.activeConn?.agentConnId = "conn\(id)"
        return contact
    }

    func groupChatInfo(_ id: Int64, at second: Int = 0, scope: GroupChatScopeInfo? = nil) -> ChatInfo {
        .group(groupInfo: groupInfo(id, at: second), groupChatScope: scope)
    }

    func groupInfo(_ id: Int64, at second: Int = 0) -> GroupInfo {
        var group = group
        group.groupId = id
        group.chatTs = time(second)
        return group
    }

    /// Returns a member from a recorded event.
    func readMember() throws -> GroupMember {
        for line in try Fixture.readTranscript("group-basic") where line["json"]?["type"] == "groupMembers" {
            guard let json = line["json"],
                case .groupMembers(_, let group) = try JSONDecoder().decode(ChatResponse.self, from: json)
            else { continue }
            if let member = group.members.first { return member }
        }
        throw MissingSample()
    }

    /// Returns a received unread item with its time in seconds.
    func receivedItem(_ id: Int64, at second: Int, text: String = "hello", mention: Bool = false) -> ChatItem {
        var item = item
        item.chatDir = .directRcv
        item.meta.itemId = id
        item.meta.itemTs = time(second)
        item.meta.createdAt = time(second)
        item.meta.updatedAt = time(second)
        item.meta.itemText = text
        item.meta.itemStatus = .rcvNew
        item.meta.itemDeleted = nil
        item.meta.userMention = mention
        item.content = .rcvMsgContent(msgContent: .text(text: text))
        return item
    }

    func sentItem(_ id: Int64, at second: Int, status: CIStatus = .sndNew) -> ChatItem {
        var item = receivedItem(id, at: second)
        item.chatDir = .directSnd
        item.meta.itemStatus = status
        item.content = .sndMsgContent(msgContent: .text(text: "hello"))
        return item
    }

    func time(_ second: Int) -> UTCTime {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "2026-11-21T\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))Z"
    }

    /// Returns a model with contacts 1…count, the last one on top.
    func makeModel(contacts count: Int) -> ChatModel {
        var model = ChatModel(userId: user.userId)
        let chats = (1...count).reversed().map {
            AChat(chatInfo: directChatInfo(Int64($0), at: $0), chatItems: [], chatStats: .none)
        }
        model.apply(.init(userId: nil, [.users([UserInfo(user: user, unreadCount: 0)])]))
        model.apply(.init(userId: user.userId, [.chats(chats)]))
        _ = model.takeChanges()
        return model
    }

    func newItemUpdates(_ item: ChatItem, in info: ChatInfo) -> ModelUpdates {
        ModelUpdates(.newChatItems(user: user, chatItems: [AChatItem(chatInfo: info, chatItem: item)]))
    }
}

extension ChatModel {
    var chatIDs: [ChatId] { chats.map(\.id) }
    func stats(_ id: ChatId) -> ChatStats? { getChat(id)?.chatStats }
}
