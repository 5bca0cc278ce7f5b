import ChatAPI
import ChatModel
import JSON
import Testing

/// The models of one recorded client: one for each of its profiles, and one for each chat that it has read. Whenever
/// the client reads data again, the models must already contain these data.
struct RecordingFollower {
    private var profiles: [Int64: Profile] = [:]
    private var commands: [String: String] = [:]
    private(set) var comparisonCounts: [String: Int] = [:]

    private struct Profile {
        var model: ChatModel
        var sessions: [ChatId: SessionModel] = [:]
        /// Data that must be read again before the model is correct.
        var staleData: Set<Reload> = []
        var knownKinds: Set<String> = []

        mutating func apply(_ updates: ModelUpdates) {
            model.apply(updates)
            staleData.formUnion(model.takeReloads())
            for id in sessions.keys { sessions[id]?.apply(updates) }
        }
    }

    mutating func follow(_ line: JSONValue, in name: String) throws {
        // Every client has the profile 1. The update from an event about a desktop names no profile, so the model of
        // profile 1 must exist before the event.
        addProfile(1)
        let key = line["corrId"]?.stringValue ?? ""
        guard line["dir"] != "cmd" else { return commands[key] = line["cmd"]?.stringValue }
        guard let json = line["json"], json["type"] != "chatCmdError" else { return }
        if line["dir"] == "event" {
            guard let event = try? JSONDecoder().decode(ChatEvent.self, from: json) else { return }
            apply(ModelUpdates(event))
        } else if let text = commands.removeValue(forKey: key), let command = try? ChatCommand(parsing: text),
            let response = try? JSONDecoder().decode(ChatResponse.self, from: json)
        {
            compareResponse(response, command, "\(name) \(line["n"]?.integerValue ?? 0) \(text)")
            apply(ModelUpdates(response, to: command))
            applyLoadedData(response, command)
        }
    }

    private mutating func apply(_ updates: ModelUpdates) {
        if let userId = updates.userId { addProfile(userId) }
        for userId in profiles.keys { profiles[userId]?.apply(updates) }
    }

    private mutating func addProfile(_ userId: Int64) {
        if profiles[userId] == nil { profiles[userId] = Profile(model: ChatModel(userId: userId)) }
    }

    // MARK: Responses that models read

    private mutating func applyLoadedData(_ response: ChatResponse, _ command: ChatCommand) {
        switch (response, command) {
        case (.apiChats(let user, _), .messages(.getChats(_, true, nil, nil))):
            let left = profiles[user.userId]?.staleData.intersection([.users, .tags, .address])
            profiles[user.userId]?.staleData = left ?? []
        case (.usersList, _): for id in profiles.keys { profiles[id]?.staleData.remove(.users) }
        case (.chatTags(let user, _), _): profiles[user.userId]?.staleData.remove(.tags)
        case (.userContactLink(let user, _), _): profiles[user.userId]?.staleData.remove(.address)
        case (
            .apiChat(let user, let chat, let navigation),
            .messages(.getChat(let reference, nil, let pagination, nil, _))
        ):
            addProfile(user.userId)
            var session = profiles[user.userId]?.sessions[reference.id] ?? SessionModel(userId: user.userId)
            if session.chatId == nil { session.openChat(reference) }
            let (page, count) = pagination.pageAndCount
            session.addPage(.primary, chat, page: page, count: count, navigation: navigation)
            profiles[user.userId]?.sessions[reference.id] = session
        case (.groupMembers(let user, let group), _):
            let id = "#\(group.groupInfo.groupId)"
            var session = profiles[user.userId]?.sessions[id] ?? SessionModel(userId: user.userId)
            if session.chatId == nil { session.openChat(ChatRef(chatType: .group, chatId: group.groupInfo.groupId)) }
            session.apply(ModelUpdates(response, to: command))
            profiles[user.userId]?.sessions[id] = session
        default: break
        }
    }

    // MARK: Comparison with responses

    private mutating func compareResponse(_ response: ChatResponse, _ command: ChatCommand, _ place: String) {
        switch (response, command) {
        case (.apiChats(let user, let chats), .messages(.getChats(_, true, nil, nil))):
            guard let profile = profiles[user.userId], profile.model.hasLoadedChats, !profile.staleData.contains(.chats)
            else {
                return
            }
            compareChats(profile, chats.map { Chat($0) }, place)
        case (.apiChat(let user, let chat, _), .messages(.getChat(let reference, nil, .last(let count), nil, _))):
            guard let items = profiles[user.userId]?.sessions[reference.id]?.im, items.newestLoaded else { return }
            let loaded = items.reversedChatItems.prefix(items.chatState.loadedRanges.first?.count ?? 0)
            // In groups simplex-chat also orders items by fractions of a second. The model orders them by whole seconds
            // and then by arrival.
            let isGroup = if case .group = chat.chatInfo { true } else { false }
            let asOriginal = loaded.sorted { ($0.meta.itemTs.dropLast(), $0.id) > ($1.meta.itemTs.dropLast(), $1.id) }
            let known = (isGroup ? asOriginal : Array(loaded)).prefix(count)
            compareItems(known.reversed(), chat.chatItems.suffix(known.count), "items at \(place)")
        case (.groupMembers(let user, let group), _):
            guard let session = profiles[user.userId]?.sessions["#\(group.groupInfo.groupId)"], session.membersLoaded
            else { return }
            countComparison("members")
            func essence(_ members: [GroupMember]) -> Set<String> {
                Set(
                    members.map {
                        "\($0.groupMemberId) \($0.localDisplayName) \($0.memberRole.rawValue) \($0.memberStatus) \($0.blockedByAdmin)"
                    }
                )
            }
            #expect(essence(session.groupMembers) == essence(group.members), "members at \(place)")
        default: compareProfile(response, command, place)
        }
    }

    private mutating func compareChats(_ profile: Profile, _ listed: [Chat], _ place: String) {
        countComparison("chats")
        // The chat in an event about a new item can have the state before the item, so its place in the list is
        // unknown.
        let moments = Dictionary(listed.map { ($0.id, $0.chatInfo.chatTs) }) { first, _ in first }
        let placed = Set(profile.model.chats.filter { moments[$0.id] == $0.chatInfo.chatTs }.map(\.id))
        #expect(Set(profile.model.chats.map(\.id)) == Set(listed.map(\.id)), "chats at \(place)")
        #expect(
            profile.model.chats.map(\.id).filter(placed.contains) == listed.map(\.id).filter(placed.contains),
            "order at \(place)"
        )
        for listed in listed {
            guard let chat = profile.model.getChat(listed.id) else { continue }
            #expect(chat.chatInfo.chatSettings == listed.chatInfo.chatSettings, "settings of \(listed.id) at \(place)")
            #expect(chat.chatInfo.chatTags == listed.chatInfo.chatTags, "tags of \(listed.id) at \(place)")
            #expect(chat.chatInfo.displayName == listed.chatInfo.displayName, "name of \(listed.id) at \(place)")
            guard
                !profile.staleData.contains(where: {
                    if case .chat(let reference) = $0 { reference.id == listed.id } else { false }
                })
            else { continue }
            compareItems(chat.chatItems, listed.chatItems, "preview of \(listed.id) at \(place)")
            #expect(chat.chatStats == listed.chatStats, "counts of \(listed.id) at \(place)")
        }
    }

    private mutating func compareItems(_ told: [ChatItem], _ stored: [ChatItem], _ place: String) {
        countComparison("items")
        func essence(_ item: ChatItem) -> String {
            "\(item.id) \(item.meta.itemText) \(item.meta.itemStatus) \(item.meta.itemEdited) \(item.meta.itemDeleted != nil) \(item.reactions)"
        }
        #expect(told.map(essence) == stored.map(essence), "\(place)")
    }

    private mutating func compareProfile(_ response: ChatResponse, _ command: ChatCommand, _ place: String) {
        switch response {
        case .usersList(let users):
            for profile in profiles.values where !profile.model.users.isEmpty && !profile.staleData.contains(.users) {
                countComparison("users")
                func essence(_ users: [UserInfo]) -> Set<String> {
                    Set(users.map { "\($0.user.userId) \($0.unreadCount) \($0.user.showNtfs) \($0.user.activeUser)" })
                }
                #expect(essence(profile.model.users) == essence(users), "users at \(place)")
            }
        case .callInvitations(let invitations):
            for profile in profiles.values {
                countComparison("calls")
                let mine = invitations.filter { $0.user.userId == profile.model.userId }
                #expect(
                    Set(profile.model.callInvitations.values.map(\.callUUID)) == Set(mine.map(\.callUUID)),
                    "calls at \(place)"
                )
            }
        case .ntfToken(let token, let status, let mode, let server):
            for profile in profiles.values where profile.model.notifications.savedToken != nil {
                countComparison("token")
                let state = profile.model.notifications
                #expect(
                    state.savedToken == token && state.tokenStatus == status && state.notificationMode == mode,
                    "token at \(place)"
                )
                if let known = state.notificationServer { #expect(known == server, "token at \(place)") }
            }
        case .remoteCtrlList(let list):
            for profile in profiles.values {
                countComparison("desktops")
                // A desktop that is not verified has no number yet, and is in no list.
                guard let session = profile.model.remoteCtrlSession, let desktop = session.remoteCtrl else {
                    #expect(list.allSatisfy { $0.sessionState == nil }, "desktops at \(place)")
                    continue
                }
                #expect(
                    list.first { $0.remoteCtrlId == desktop.remoteCtrlId }?.sessionState == session.sessionState,
                    "desktops at \(place)"
                )
            }
        case .chatTags(let user, let tags):
            guard case .tags(.getChatTags) = command else { return }
            guard let profile = profiles[user.userId], !profile.model.tags.userTags.isEmpty,
                !profile.staleData.contains(.tags)
            else { return }
            countComparison("tags")
            #expect(profile.model.tags.userTags == tags, "tags at \(place)")
        case .userContactLink(let user, let link):
            guard let profile = profiles[user.userId], let known = profile.model.userAddress,
                !profile.staleData.contains(.address)
            else { return }
            countComparison("address")
            #expect(known.addressSettings == link.addressSettings, "address at \(place)")
        case .chatItemTTL(let user, let ttl):
            guard let profile = profiles[user.userId], profile.knownKinds.contains("ttl") else {
                profiles[user.userId]?.knownKinds.insert("ttl"); return
            }
            countComparison("ttl")
            #expect(profile.model.chatItemTTL == (ttl == 0 ? nil : ttl), "lifetime at \(place)")
        case .chatRunning, .chatStopped:
            for profile in profiles.values {
                guard let known = profile.model.lifecycle.chatRunning else { continue }
                countComparison("running")
                if case .chatRunning = response { #expect(known, "state at \(place)") }
            }
        default: break
        }
    }

    private mutating func countComparison(_ kind: String) { comparisonCounts[kind, default: 0] += 1 }
}

extension ChatPagination {
    fileprivate var pageAndCount: (ItemsModel.Page, Int) {
        switch self {
        case .last(let count): (.last, count)
        case .before(let id, _, let count): (.before(id), count)
        case .after(let id, _, let count): (.after(id), count)
        case .around(let id, let count): (.around(id), count)
        case .initial(let count): (.initial, count)
        }
    }
}
