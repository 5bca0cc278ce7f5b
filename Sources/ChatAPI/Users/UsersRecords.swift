/// The data of a new user profile.
package struct NewUser: Codable, Hashable, Sendable {
    package var profile: Profile?
    package var pastTimestamp: Bool
    package var userChatRelay: Bool
    package var clientService: Bool
    /// Whether the new user becomes the active user. The text of the command does not contain this choice.
    package var isActivated: Bool
    /// The initial servers of the new user; nil for the servers of the configuration. The text of the command does not
    /// contain this choice.
    package var servers: InitialServers?

    package init(
        profile: Profile? = nil,
        pastTimestamp: Bool,
        userChatRelay: Bool,
        clientService: Bool,
        isActivated: Bool = true,
        servers: InitialServers? = nil
    ) {
        self.profile = profile
        self.pastTimestamp = pastTimestamp
        self.userChatRelay = userChatRelay
        self.clientService = clientService
        self.isActivated = isActivated
        self.servers = servers
    }

    private enum CodingKeys: String, CodingKey {
        case profile, pastTimestamp, userChatRelay, clientService
    }
}

extension NewUser {
    /// Decodes the data of a new user. Members that later versions have added may be missing.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        profile = try members.decodeIfPresent(Profile.self, forKey: .profile)
        pastTimestamp = try members.decode(Bool.self, forKey: .pastTimestamp)
        userChatRelay = try members.decodeIfPresent(Bool.self, forKey: .userChatRelay) ?? false
        clientService = try members.decodeIfPresent(Bool.self, forKey: .clientService) ?? false
        isActivated = true
        servers = nil
    }
}

/// A set of servers for a new user.
package enum InitialServers: String, Codable, Hashable, Sendable, CaseIterable {
    /// The relays on the machine of the gateway, or other servers that its configuration names.
    case relay
    /// The servers of the operators of the public network.
    case network
}

/// The contact address or a group link of a user, to which a connection belongs. `groupId` is nil for an address.
package struct UserContact: Codable, Hashable, Sendable {
    package var userContactLinkId: Int64
    package var connReqContact: String
    package var groupId: Int64?

    package init(userContactLinkId: Int64, connReqContact: String, groupId: Int64? = nil) {
        self.userContactLinkId = userContactLinkId
        self.connReqContact = connReqContact
        self.groupId = groupId
    }
}

/// A user profile with its count of unread messages.
package struct UserInfo: Codable, Hashable, Sendable {
    package var user: User
    package var unreadCount: Int

    package init(user: User, unreadCount: Int) {
        self.user = user
        self.unreadCount = unreadCount
    }
}

/// Whether the user sends delivery receipts (`enable`), and whether the different settings of single contacts or
/// groups are removed (`clearOverrides`).
package struct UserMsgReceiptSettings: Codable, Hashable, Sendable {
    package var enable: Bool
    package var clearOverrides: Bool

    package init(enable: Bool, clearOverrides: Bool) {
        self.enable = enable
        self.clearOverrides = clearOverrides
    }
}

/// The number of contacts that were notified of a changed profile, and the number of contacts that could not be
/// notified.
package struct UserProfileUpdateSummary: Codable, Hashable, Sendable {
    package var updateSuccesses: Int
    package var updateFailures: Int
    package var changedContacts: [Contact]

    package init(updateSuccesses: Int, updateFailures: Int, changedContacts: [Contact]) {
        self.updateSuccesses = updateSuccesses
        self.updateFailures = updateFailures
        self.changedContacts = changedContacts
    }
}

/// The hash and the salt of the password that hides a user profile.
package struct UserPwdHash: Codable, Hashable, Sendable {
    package var hash: String
    package var salt: String

    package init(hash: String, salt: String) {
        self.hash = hash
        self.salt = salt
    }
}
