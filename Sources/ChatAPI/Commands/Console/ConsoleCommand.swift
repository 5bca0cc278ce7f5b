/// Commands of the terminal client, which contain names instead of ids. The core finds the ids for the names among the
/// user's chats, and runs the equivalent command with ids.
package enum ConsoleCommand: Hashable, Sendable {
    /// An action on the user who sends the command.
    case ownUser(OwnAction)
    case user(name: String, action: UserAction)
    case contact(name: String, action: ContactAction)
    case group(name: String, action: GroupAction)
    case request(name: String, action: RequestAction)
    /// An action on a chat. The name of the chat is `@name`, `#name`, or `*` for the notes, whose name is empty.
    case chat(name: ChatName, action: ChatAction)

    package enum OwnAction: Hashable, Sendable {
        case showProfile
        case updateProfile(name: String, shortDescr: String?)
        case showProfileImage
        /// Sets the profile image; nil removes it.
        case setProfileImage(String?)
        /// Sets the menu of commands that the user shows to contacts, and makes the user a bot.
        case setBotCommands([ChatBotCommand])
        case setPreference(ConsoleFeature, FeatureAllowed)
        case setTimedMessages(Bool)
        case hide(viewPwd: String)
        case unhide(viewPwd: String)
        case mute
        case unmute
        case setContactReceipts(UserMsgReceiptSettings)
        case setGroupReceipts(UserMsgReceiptSettings)
        case setAutoAcceptMemberContacts(Bool)
        case markRead
        case listContacts
        case newGroup(incognito: Bool, name: String, shortDescr: String?)
        /// Lists the groups whose names or descriptions contain `search`; nil for all groups. The name `contact` must
        /// be the name of a contact, but does not limit the list.
        case listGroups(contact: String?, search: String?)
        case addContact(incognito: Bool)
        case connect(incognito: Bool, link: String)
        /// Requests a connection to the developers of the original.
        case connectTeam(incognito: Bool)
        case createAddress
        case deleteAddress
        case showAddress
        case setProfileAddress(Bool)
        case setAddressSettings(AddressSettings)
        /// Lists at most `count` chats; nil for all chats.
        case listChats(count: Int?)
        /// Lists the newest items of all chats. With `search`, lists only items that contain the text.
        case listItems(count: Int, search: String?)
        case showItem(itemId: Int64)
        /// Sets whether a terminal shows live messages while they are written. The core ignores this setting.
        case showLiveItems(Bool)
        /// Reports the progress of the transfer of a file.
        case showFileStatus(fileId: Int64)
        /// Returns the id of an item among the newest items of all chats. `index` is the number of newer items.
        case showLastItemId(index: Int)
        case broadcast(text: String)
        /// Sets the seconds after which items are deleted; 0 for never.
        case setItemTTL(seconds: Int64)
        case showItemTTL
        case listServers(ServerProtocol)
        /// Replaces the servers that the user has added to the profile, and switches preset servers off.
        case setServers(ServerProtocol, addresses: [String])
        case setOperators([ConsoleOperator])
        case setNetwork(ConsoleNetwork)
        case testServer(String)
        case listRelays
        case setRelays([ConsoleRelay])
        case testRelay(String)
        case showWelcome
        /// Shows a chapter of the help. The response contains only the name of the chapter, since the terminal has the
        /// texts.
        case showHelp(HelpSection)
    }

    package enum UserAction: Hashable, Sendable {
        case activate(viewPwd: String?)
        case delete(viewPwd: String?)
    }

    package enum ContactAction: Hashable, Sendable {
        case showInfo
        case delete(ChatDeleteMode)
        case showSecurityCode
        case verifySecurityCode(code: String?)
        case enable
        case switchQueue
        case abortQueueSwitch
        case syncRatchet(force: Bool)
        case showQueueInfo
        /// Starts an encrypted call with video.
        case call
        /// Sets the user's preference for the contact; nil removes it.
        case setPreference(ConsoleFeature, FeatureAllowed?)
        case setTimedMessages(TimedMessages?)
    }

    package enum RequestAction: Hashable, Sendable {
        case accept(incognito: Bool)
        case reject
    }

    package enum ChatAction: Hashable, Sendable {
        case send(text: String)
        case sendLive(text: String)
        /// Sends a file. If `isImage` is true, sends the file as an image, and refuses a file that is too large or does
        /// not have a file ending of an image.
        case sendFile(CryptoFile, isImage: Bool)
        /// Sends a file again that the user has sent or received before.
        case resendFile(fileId: Int64, isImage: Bool)
        /// Sends `text` as a reply to an item: the newest item whose text begins with `quoted`. If `isSent` is true,
        /// only items that the user has sent are searched, otherwise only received items.
        case reply(quoted: String, isSent: Bool, text: String)
        /// Forwards an item to this chat: the newest item of the chat `from` whose text begins with `text`. In a group,
        /// `of` limits the search to items of one member.
        case forward(from: ChatName, of: String? = nil, text: String)
        case delete(text: String)
        case edit(old: String, text: String)
        case react(add: Bool, reaction: MsgReaction, text: String)
        case showItemInfo(text: String)
        case listItems(count: Int, search: String?)
        case showLastItemId(index: Int)
        case clear
        case showItemTTL
        /// Sets the seconds after which items are deleted: nil for the setting of the profile, 0 for never.
        case setItemTTL(seconds: Int64?)
        case setNotifications(MsgFilter)
        /// Sets whether the user sends delivery receipts; nil for the setting of the profile.
        case setReceipts(Bool?)
    }
}

/// The features for which a terminal command can set the user's preference. Disappearing messages have separate
/// commands.
package enum ConsoleFeature: String, Hashable, Sendable, CaseIterable {
    case voice, files, calls
    /// Deletion of messages for everyone.
    case delete
}

extension ConsoleCommand {
    /// The user's preference for disappearing messages with a contact.
    package enum TimedMessages: Hashable, Sendable {
        /// Allows disappearing messages, with their time to live in seconds.
        case on(ttl: Int)
        case onKeepingTTL
        case off
    }
}
