internal import ChatAPI

extension Console {
    /// Runs the action of a terminal command on the user who sends the command.
    func run(_ action: ConsoleCommand.OwnAction, user: Engine.User) async throws -> ChatResponse {
        let id = user.userId
        switch action {
        case .showProfile: return .userProfile(user: user.api, profile: user.profile)
        case .showProfileImage: return .userProfileImage(user: user.api, profile: user.profile)
        case .showWelcome: return .welcome(user: user.api)
        case .showHelp(let section): return .chatHelp(helpSection: section)
        case .listGroups(let contact, let search):
            var contactId: Int64?
            if let contact { contactId = try await self.resolveContactId(named: contact, user: user) }
            return try await run(.groups(.listGroups(userId: id, contactId_: contactId, search: search)), as: id)
        case .updateProfile(let name, let shortDescr):
            return try await changeProfile(of: user) { profile in
                profile.displayName = name
                profile.shortDescr = shortDescr
                profile.fullName = ""
            }
        case .setProfileImage(let image): return try await changeProfile(of: user) { $0.image = image }
        case .setBotCommands(let commands):
            return try await changeProfile(of: user) { profile in
                profile.preferences = profile.preferences ?? Preferences()
                profile.preferences?.commands = commands
                profile.peerType = .bot
            }
        case .showLiveItems: return .cmdOk(user_: nil)
        case .setPreference(let feature, let allowed):
            return try await changeProfile(of: user) { profile in
                profile.preferences = profile.preferences ?? Preferences()
                profile.preferences?[feature] = SimplePreference(allow: allowed)
            }
        case .setTimedMessages(let isOn):
            return try await changeProfile(of: user) { profile in
                profile.preferences = profile.preferences ?? Preferences()
                profile.preferences?.timedMessages = TimedMessagesPreference(allow: isOn ? .yes : .no)
            }
        case .listChats(let count): return try await listChats(count, user: user)
        case .listItems(let count, let search):
            return try await run(.messages(.getChatItems(pagination: .last(count: count), search: search)), as: id)
        case .showItem(let itemId): return try await showItem(itemId, user: user)
        case .showFileStatus(let fileId): return try await engine.readStatus(ofFile: fileId, user)
        case .broadcast(let text): return try await broadcastMessage(.text(text: text), user: user)
        case .showLastItemId(let index):
            return try Self.makeItemIdResponse(try await findLastItemId(index, user: user), user)
        case .connect(let incognito, let link):
            return try await connectAsPlanned(link, incognito: incognito, user: user)
        case .connectTeam(let incognito):
            return try await connectAsPlanned(engine.teamAddress, incognito: incognito, user: user)
        case .listServers(let kind): return try await listServers(kind, user: user)
        case .setServers(let kind, let addresses): return try await setServers(kind, addresses, user: user)
        case .listRelays: return try await listRelays(user: user)
        case .setRelays(let relays): return try await setRelays(relays, user: user)
        case .setOperators(let operators): return try await setOperators(operators, as: id)
        case .setNetwork(let network): return try await setNetworkConfig(network, as: id)
        default: return try await run(Self.makeEquivalentCommand(action, id), as: id)
        }
    }

    /// Finds the id of an item among the newest items of all chats.
    /// - Parameter index: the number of newer items. The newest item has the index 0.
    private func findLastItemId(_ index: Int, user: Engine.User) async throws -> Int64? {
        let command = MessageCommand.getChatItems(
            pagination: .last(count: Self.itemCount(upTo: index)),
            search: nil
        )
        guard case .chatItems(_, _, let items) = try await run(.messages(command), as: user.userId) else { return nil }
        return items.first?.chatItem.meta.itemId
    }

    /// Makes the command that contains the user's id and has the same effect as a terminal command.
    private static func makeEquivalentCommand(_ action: ConsoleCommand.OwnAction, _ id: Int64) throws -> ChatCommand {
        switch action {
        case .newGroup(let incognito, let name, let shortDescr):
            .groups(
                .newGroup(
                    userId: id,
                    incognito: incognito,
                    groupProfile: .makeForTerminal(name: name, shortDescr: shortDescr)
                )
            )
        case .hide(let password): .users(.hideUser(userId: id, viewPwd: password))
        case .unhide(let password): .users(.unhideUser(userId: id, viewPwd: password))
        case .mute: .users(.muteUser(userId: id))
        case .unmute: .users(.unmuteUser(userId: id))
        case .setContactReceipts(let settings): .users(.setUserContactReceipts(userId: id, settings: settings))
        case .setGroupReceipts(let settings): .users(.setUserGroupReceipts(userId: id, settings: settings))
        case .setAutoAcceptMemberContacts(let isOn): .users(.setUserAutoAcceptMemberContacts(userId: id, enable: isOn))
        case .markRead: .users(.userRead(userId: id))
        case .listContacts: .contacts(.listContacts(userId: id))
        case .addContact(let incognito): .contacts(.addContact(userId: id, incognito: incognito))
        case .createAddress: .address(.createMyAddress(userId: id))
        case .deleteAddress: .address(.deleteMyAddress(userId: id))
        case .showAddress: .address(.showMyAddress(userId: id))
        case .setProfileAddress(let isOn): .address(.setProfileAddress(userId: id, enable: isOn))
        case .setAddressSettings(let settings): .address(.setAddressSettings(userId: id, addressSettings: settings))
        case .setItemTTL(let seconds): .settings(.setChatItemTTL(userId: id, seconds: seconds))
        case .showItemTTL: .settings(.getChatItemTTL(userId: id))
        case .testServer(let server): .servers(.testProtoServer(userId: id, server: server))
        case .testRelay(let address): .servers(.testChatRelay(userId: id, address: address))
        default: throw ChatFailure.notImplemented(ConsoleCommand.ownUser(action).name.rawValue)
        }
    }

    private func changeProfile(of user: Engine.User, _ change: (inout Profile) -> Void) async throws -> ChatResponse {
        var profile = user.profile
        change(&profile)
        return try await run(.users(.updateProfile(userId: user.userId, profile: profile)), as: user.userId)
    }

    private func listChats(_ count: Int?, user: Engine.User) async throws -> ChatResponse {
        let command = MessageCommand.getChats(
            userId: user.userId,
            pendingConnections: false,
            pagination: .last(count: count ?? 5000),
            query: nil
        )
        guard case .apiChats(_, let chats) = try await run(.messages(command), as: user.userId) else {
            return .chats(chats: [])
        }
        return .chats(chats: chats)
    }

    private func showItem(_ itemId: Int64, user: Engine.User) async throws -> ChatResponse {
        let command = MessageCommand.getChatItems(pagination: .around(chatItemId: itemId, count: 0), search: nil)
        guard case .chatItems(let apiUser, _, let items) = try await run(.messages(command), as: user.userId),
            let item = items.first(where: { $0.chatItem.meta.itemId == itemId })
        else { throw ChatFailure(StoreError.chatItemNotFound(itemId: itemId)) }
        return .chatItems(user: apiUser, chatName_: nil, chatItems: [item])
    }

    /// Sends one message to every contact to whom messages can be sent, and with whom the user has chatted.
    private func broadcastMessage(_ content: MsgContent, user: Engine.User) async throws -> ChatResponse {
        let contacts = try await engine.findReachableContactIds(user)
        var (successes, failures) = (0, 0)
        for contactId in contacts {
            let command = MessageCommand.sendMessages(
                chat: ChatRef(chatType: .direct, chatId: contactId),
                sendAsGroup: false,
                live: false,
                ttl: nil,
                sign: false,
                composedMessages: [ComposedMessage(msgContent: content, mentions: [:])]
            )
            do {
                _ = try await run(.messages(command), as: user.userId)
                successes += 1
            } catch is ChatFailure {
                failures += 1
            }
        }
        return .broadcastSent(
            user: user.api,
            msgContent: content,
            successes: successes,
            failures: failures,
            timestamp: Timestamp.now.fullText
        )
    }
}
