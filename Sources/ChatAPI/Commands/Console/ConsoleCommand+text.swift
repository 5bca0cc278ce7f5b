extension ConsoleCommand: CommandCategory {
    /// Empty, because ``ConsoleForms`` contains the text forms of the terminal commands.
    static var forms: [CommandForm<Self>] { [] }

    var commandText: CommandText {
        switch self {
        case .ownUser(let action): action.commandText
        case .user(let name, .activate(let password)): "/user \(formatName(name))\(" ", json: password)"
        case .user(let name, .delete(let password)): "/delete user \(formatName(name))\(" ", json: password)"
        case .request(let name, .accept(let incognito)): "/accept\(" incognito", if: incognito) @\(formatName(name))"
        case .request(let name, .reject): "/reject @\(formatName(name))"
        case .contact(let name, let action): action.commandText("@" + formatName(name))
        case .group(let name, let action): action.commandText(name)
        case .chat(let name, let action): action.commandText(name)
        }
    }
}

extension ConsoleCommand.OwnAction {
    fileprivate var commandText: CommandText {
        switch self {
        case .showProfile: "/profile"
        case .updateProfile(let name, let shortDescr): "/profile \(formatName(name))\(" ", shortDescr)"
        case .showProfileImage: "/show profile image"
        case .setProfileImage(nil): "/delete profile image"
        case .setProfileImage(let image?): "/set profile image \(image)"
        case .setBotCommands([]): "/delete bot commands"
        case .setBotCommands(let commands): "/set bot commands \(formatMenu(commands))"
        case .setPreference(let feature, let allowed): "/set \(feature.rawValue) \(allowed)"
        case .setTimedMessages(let isOn): "/set disappear \(isOn ? "yes" : "no")"
        case .hide(let password): "/hide user \(json: password)"
        case .unhide(let password): "/unhide user \(json: password)"
        case .mute: "/mute user"
        case .unmute: "/unmute user"
        case .setContactReceipts(let settings):
            "/set receipts contacts \(settings.enable) clear_overrides=\(settings.clearOverrides)"
        case .setGroupReceipts(let settings):
            "/set receipts groups \(settings.enable) clear_overrides=\(settings.clearOverrides)"
        case .setAutoAcceptMemberContacts(let isOn): "/set accept member contacts \(isOn)"
        case .markRead: "/read user"
        case .listContacts: "/contacts"
        case .newGroup(let incognito, let name, let shortDescr):
            "/group\(" incognito", if: incognito) #\(formatName(name))\(" ", shortDescr)"
        case .listGroups(let contact, let search): "/groups\(" @", contact.map(formatName))\(" ", search)"
        case .addContact(let incognito): "/connect\(" incognito", if: incognito)"
        case .connect(let incognito, let link): "/connect\(" incognito", if: incognito) \(link)"
        case .connectTeam(let incognito): "/simplex\(" incognito", if: incognito)"
        case .createAddress: "/address"
        case .deleteAddress: "/delete_address"
        case .showAddress: "/show_address"
        case .setProfileAddress(let isOn): "/profile_address \(isOn)"
        case .setAddressSettings(let settings):
            if let accept = settings.autoAccept {
                "/auto_accept on\(" business", if: settings.businessAddress)\(" incognito=on", if: accept.acceptIncognito)\(" json ", json: settings.autoReply)"
            } else {
                "/auto_accept off"
            }
        case .listChats(let count): "/chats \(count, or: "all")"
        case .listItems(let count, nil): "/tail \(count)"
        case .listItems(let count, let search?): "/search \(count) \(search)"
        case .showItem(let itemId): "/show \(itemId)"
        case .showLiveItems(let isOn): "/show \(isOn)"
        case .showFileStatus(let fileId): "/fstatus \(fileId)"
        case .showLastItemId(let index): "/last_item_id\(index == 0 ? "" : " \(index)")"
        case .broadcast(let text): "/feed \(formatMessage(text))"
        case .setItemTTL(let seconds): "/ttl \(CommandScanner.chooseTTLWord(forTTL: seconds))"
        case .showItemTTL: "/ttl"
        case .listServers(let kind): "/\(kind)"
        case .setServers(let kind, let addresses): "/\(kind) \(addresses.joined(separator: ";"))"
        case .setOperators(let operators): "/operators \(operators.map(\.commandText).joined(separator: ","))"
        case .setNetwork(let network): "/network \(network.commandText)"
        case .testServer(let server): "/smp test \(server)"
        case .listRelays: "/relays"
        case .setRelays(let relays): "/relays \(relays.map { "name=\($0.name) \($0.address)" }.joined(separator: " "))"
        case .testRelay(let address): "/relay test \(address)"
        case .showWelcome: "/welcome"
        case .showHelp(let section): "\(section.commandWords)"
        }
    }
}

extension ConsoleCommand.ContactAction {
    fileprivate func commandText(_ name: String) -> CommandText {
        switch self {
        case .showInfo: "/info \(name)"
        case .delete(let mode): "/delete \(name) \(mode)"
        case .showSecurityCode: "/code \(name)"
        case .verifySecurityCode(let code): "/verify \(name)\(" ", code)"
        case .enable: "/enable \(name)"
        case .switchQueue: "/switch \(name)"
        case .abortQueueSwitch: "/abort switch \(name)"
        case .syncRatchet(let force): "/sync \(name)\(" force=on", if: force)"
        case .showQueueInfo: "/queue info \(name)"
        case .call: "/call \(name)"
        case .setPreference(let feature, let allowed): "/set \(feature.rawValue) \(name)\(" ", allowed)"
        case .setTimedMessages(nil): "/set disappear \(name)"
        case .setTimedMessages(.off?): "/set disappear \(name) no"
        case .setTimedMessages(.onKeepingTTL?): "/set disappear \(name) yes"
        case .setTimedMessages(.on(let ttl)?): "/set disappear \(name) yes \(ttl)"
        }
    }
}

extension ConsoleCommand.ChatAction {
    fileprivate func commandText(_ chat: ChatName) -> CommandText {
        switch self {
        case .send(let text): chat.chatType == .local ? "/* \(formatMessage(text))" : "\(chat) \(formatMessage(text))"
        case .sendLive(""): "/live \(chat)"
        case .sendLive(let text): "/live \(chat) \(formatMessage(text))"
        case .sendFile(let file, let isImage): "/\(isImage ? "image" : "file") \(chat)\(file)"
        case .resendFile(let fileId, let isImage): "/\(isImage ? "image_forward" : "fforward") \(chat) \(fileId)"
        case .reply(let quoted, let isSent, let text):
            "\(isSent ? ">>" : ">") \(chat) (\(quoted)) \(formatMessage(text))"
        // A text that begins with `@` is written in quotes. Without quotes, its first word would be read as the name of
        // a member.
        case .forward(let from, nil, let text) where from.chatType == .group && text.hasPrefix("@"):
            "\(chat) <- \(from) \(json: text)"
        case .forward(let from, let member, let text):
            "\(chat) <- \(from)\(" @", member.map(formatName)) \(formatMessage(text))"
        case .delete(let text): "\\ \(chat) \(text)"
        case .edit(let old, let text): "! \(chat) (\(old)) \(formatMessage(text))"
        case .react(let add, .emoji(let emoji), let text):
            "\(add ? "+" : "-")\(MsgReaction.chooseSign(of: emoji)) \(chat) \(text)"
        case .react(let add, .unrecognized, let text): "\(add ? "+" : "-")? \(chat) \(text)"
        case .showItemInfo(let text): "/item info \(chat) \(formatMessage(text))"
        case .listItems(let count, nil): "/tail \(chat) \(count)"
        case .listItems(let count, let search?): "/search \(chat) \(count) \(search)"
        case .showLastItemId(let index): "/last_item_id \(chat)\(index == 0 ? "" : " \(index)")"
        case .clear: "/clear \(chat)"
        case .showItemTTL: "/ttl \(chat)"
        case .setItemTTL(let seconds): "/ttl \(chat) \(seconds.map(CommandScanner.chooseTTLWord(forTTL:)) ?? "default")"
        case .setNotifications(.none): "/mute \(chat)"
        case .setNotifications(.mentions): "/unmute mentions \(chat)"
        case .setNotifications: "/unmute \(chat)"
        case .setReceipts(let isOn): "/receipts \(chat) \(isOn.map { $0 ? "on" : "off" } ?? "default")"
        }
    }
}

extension HelpSection {
    /// The terminal command that shows this chapter of the help.
    fileprivate var commandWords: String {
        switch self {
        case .main: "/help"
        case .myAddress: "/help address"
        case .database: "/help db"
        case .markdown: "/markdown"
        default: "/help \(rawValue)"
        }
    }
}
