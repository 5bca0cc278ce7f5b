/// Commands as typed into the terminal client, with names instead of ids. The core looks the names up among the user's
/// chats and runs the command with ids that has the same effect.
public enum ConsoleCommand: Hashable, Sendable {
    /// An action on the user as whom the command is sent.
    case own(OwnAction)
    case user(name: String, action: UserAction)
    case contact(name: String, action: ContactAction)
    case group(name: String, action: GroupAction)
    case request(name: String, action: RequestAction)
    /// `@name`, `#name`, or `*` for the notes, whose name is empty.
    case chat(name: ChatName, action: ChatAction)

    public enum OwnAction: Hashable, Sendable {
        case showProfile
        case updateProfile(name: String, shortDescr: String?)
        case showProfileImage
        /// Nil removes the image.
        case setProfileImage(String?)
        /// The menu that the user shows to its contacts; it makes the user a bot.
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
        /// Lists only the groups with the text in their names if one is given.
        case listGroups(contact: String?, search: String?)
        case addContact(incognito: Bool)
        case connect(incognito: Bool, link: String)
        /// Requests a connection to the original's developers.
        case connectTeam(incognito: Bool)
        case createAddress
        case deleteAddress
        case showAddress
        case setProfileAddress(Bool)
        case setAddressSettings(AddressSettings)
        /// Nil for all chats.
        case chats(count: Int?)
        /// The newest items of all chats, only those that contain the text if one is given.
        case items(count: Int, search: String?)
        case item(itemId: Int64)
        /// Whether a terminal shows live messages while they are written; has no effect in a core.
        case showLiveItems(Bool)
        /// The progress of the transfer of a file.
        case fileStatus(fileId: Int64)
        /// The id of the newest item of all chats, or of the item `index` places before it.
        case lastItemId(index: Int)
        case broadcast(text: String)
        /// Seconds after which items are deleted; 0 for never.
        case setItemTTL(seconds: Int64)
        case itemTTL
        case servers(ServerProtocol)
        /// Replaces the profile's own servers by these; presets are switched off.
        case setServers(ServerProtocol, addresses: [String])
        case setOperators([ConsoleOperator])
        case setNetwork(ConsoleNetwork)
        case testServer(String)
        case relays
        case setRelays([ConsoleRelay])
        case testRelay(String)
        case welcome
    }

    public enum UserAction: Hashable, Sendable {
        case activate(viewPwd: String?)
        case delete(viewPwd: String?)
    }

    public enum ContactAction: Hashable, Sendable {
        case info
        case delete(ChatDeleteMode)
        case code
        case verify(code: String?)
        case enable
        case `switch`
        case abortSwitch
        case sync(force: Bool)
        case queueInfo
        /// Starts an encrypted call with video.
        case call
        /// Nil removes the user's preference for the contact.
        case setPreference(ConsoleFeature, FeatureAllowed?)
        case setTimedMessages(TimedMessages?)
    }

    public enum RequestAction: Hashable, Sendable {
        case accept(incognito: Bool)
        case reject
    }

    public enum ChatAction: Hashable, Sendable {
        case send(text: String)
        case sendLive(text: String)
        /// A file, or a small picture.
        case sendFile(CryptoFile, isImage: Bool)
        /// A file that was sent or received before.
        case resendFile(fileId: Int64, isImage: Bool)
        /// Replies to the newest item of the given direction whose text begins with `quoted`.
        case reply(quoted: String, isSent: Bool, text: String)
        /// Forwards to this chat the newest item of the other chat whose text begins with `text`; of a group, only of
        /// one member if it is named.
        case forward(from: ChatName, of: String? = nil, text: String)
        case delete(text: String)
        case edit(old: String, text: String)
        case react(add: Bool, reaction: MsgReaction, text: String)
        case itemInfo(text: String)
        case items(count: Int, search: String?)
        case lastItemId(index: Int)
        case clear
        case itemTTL
        /// Nil for the setting of the profile, 0 for unlimited.
        case setItemTTL(seconds: Int64?)
        case setNotifications(MsgFilter)
        /// Nil for the setting of the profile.
        case setReceipts(Bool?)
    }
}

/// The features with a preference of a contact that the console knows; messages that disappear have commands of their
/// own.
public enum ConsoleFeature: String, Hashable, Sendable, CaseIterable {
    case voice, files, calls
    /// Deletion for everyone.
    case delete
}

extension ConsoleCommand {
    /// The user's preference for disappearing messages with a contact.
    public enum TimedMessages: Hashable, Sendable {
        /// Time to live in seconds.
        case on(ttl: Int)
        case onKeepingTTL
        case off
    }
}
