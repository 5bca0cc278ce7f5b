extension ConsoleCommand {
    /// The name of the command with ids that the core runs for this terminal command. If the core runs several
    /// commands, this is the name of the command that needs the most rights. If the core runs no command, this is the
    /// name of a command that reads the same data.
    package var name: CommandName {
        switch self {
        case .ownUser(let action): action.name
        case .user(_, .activate): .setActiveUser
        case .user(_, .delete): .deleteUser
        case .contact(_, let action): action.name
        case .group(_, let action): action.name
        case .request(_, .accept): .acceptContact
        case .request(_, .reject): .rejectContact
        case .chat(let name, let action): action.name(in: name)
        }
    }
}

extension ConsoleCommand.OwnAction {
    fileprivate var name: CommandName {
        switch self {
        case .showProfile, .showProfileImage, .showLiveItems, .showWelcome, .showHelp: .showActiveUser
        case .updateProfile, .setProfileImage, .setBotCommands, .setPreference, .setTimedMessages: .updateProfile
        case .hide: .hideUser
        case .unhide: .unhideUser
        case .mute: .muteUser
        case .unmute: .unmuteUser
        case .setContactReceipts: .setUserContactReceipts
        case .setGroupReceipts: .setUserGroupReceipts
        case .setAutoAcceptMemberContacts: .setUserAutoAcceptMemberContacts
        case .markRead: .userRead
        case .listContacts: .listContacts
        case .newGroup: .newGroup
        case .listGroups: .listGroups
        case .addContact: .addContact
        case .connect, .connectTeam: .connect
        case .createAddress: .createMyAddress
        case .deleteAddress: .deleteMyAddress
        case .showAddress: .showMyAddress
        case .setProfileAddress: .setProfileAddress
        case .setAddressSettings: .setAddressSettings
        case .listChats: .getChats
        case .listItems, .showItem, .showFileStatus, .showLastItemId: .getChatItems
        case .broadcast: .sendMessages
        case .setItemTTL: .setChatItemTTL
        case .showItemTTL: .getChatItemTTL
        case .listServers: .getUserServers
        case .setServers: .setUserServers
        case .setOperators: .setServerOperators
        case .setNetwork: .setNetworkConfig
        case .testServer: .testProtoServer
        case .listRelays: .getUserServers
        case .setRelays: .setUserServers
        case .testRelay: .testChatRelay
        }
    }
}

extension ConsoleCommand.ContactAction {
    fileprivate var name: CommandName {
        switch self {
        case .showInfo: .contactInfo
        case .delete: .deleteChat
        case .showSecurityCode: .getContactCode
        case .verifySecurityCode: .verifyContact
        case .enable: .enableContact
        case .switchQueue: .switchContact
        case .abortQueueSwitch: .abortSwitchContact
        case .syncRatchet: .syncContactRatchet
        case .showQueueInfo: .contactQueueInfo
        case .call: .sendCallInvitation
        case .setPreference, .setTimedMessages: .setContactPrefs
        }
    }
}

extension ConsoleCommand.ChatAction {
    fileprivate func name(in chat: ChatName) -> CommandName {
        switch self {
        // Notes are not sent to a peer, so a message to the notes only creates items.
        case .send, .sendLive, .sendFile, .resendFile, .reply:
            chat.chatType == .local ? .createChatItems : .sendMessages
        case .forward: .forwardChatItems
        case .delete: .deleteChatItem
        case .edit: .updateChatItem
        case .react: .chatItemReaction
        case .showItemInfo: .getChatItemInfo
        case .listItems, .showLastItemId: .getChat
        case .clear: .clearChat
        case .showItemTTL: .getChatItemTTL
        case .setItemTTL: .setChatTTL
        case .setNotifications, .setReceipts: .setChatSettings
        }
    }
}
