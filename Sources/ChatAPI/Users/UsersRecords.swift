/// The data of a new user profile.
public struct NewUser: Codable, Hashable, Sendable {
    public var profile: Profile?
    public var pastTimestamp: Bool
    public var userChatRelay: Bool
    public var clientService: Bool
    /// Whether the user becomes the active one. The text of the command does not contain this choice.
    public var isActivated: Bool
    /// The initial servers; nil for the servers of the configuration. The text of the command does not contain this
    /// choice.
    public var servers: InitialServers?

    public init(
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
    /// Decodes the data. Members that later versions have added may be missing.
    public init(from decoder: any Decoder) throws {
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
public enum InitialServers: String, Codable, Hashable, Sendable, CaseIterable {
    /// The relays of the machine, or other configured servers.
    case relay
    /// The servers of the operators of the public network.
    case network
}

/// The address of a user, as the owner of a connection.
public struct UserContact: Codable, Hashable, Sendable {
    public var userContactLinkId: Int64
    public var connReqContact: String
    public var groupId: Int64?

    public init(userContactLinkId: Int64, connReqContact: String, groupId: Int64? = nil) {
        self.userContactLinkId = userContactLinkId
        self.connReqContact = connReqContact
        self.groupId = groupId
    }
}

/// A user profile with its count of unread messages.
public struct UserInfo: Codable, Hashable, Sendable {
    public var user: User
    public var unreadCount: Int

    public init(user: User, unreadCount: Int) {
        self.user = user
        self.unreadCount = unreadCount
    }
}

/// Whether receipts are sent, and whether the settings of each chat are cleared.
public struct UserMsgReceiptSettings: Codable, Hashable, Sendable {
    public var enable: Bool
    public var clearOverrides: Bool

    public init(enable: Bool, clearOverrides: Bool) {
        self.enable = enable
        self.clearOverrides = clearOverrides
    }
}

/// The number of contacts that were notified of a changed profile, and the number of contacts that could not be
/// notified.
public struct UserProfileUpdateSummary: Codable, Hashable, Sendable {
    public var updateSuccesses: Int
    public var updateFailures: Int
    public var changedContacts: [Contact]

    public init(updateSuccesses: Int, updateFailures: Int, changedContacts: [Contact]) {
        self.updateSuccesses = updateSuccesses
        self.updateFailures = updateFailures
        self.changedContacts = changedContacts
    }
}

/// The hash and salt of the password that hides a user profile.
public struct UserPwdHash: Codable, Hashable, Sendable {
    public var hash: String
    public var salt: String

    public init(hash: String, salt: String) {
        self.hash = hash
        self.salt = salt
    }
}
