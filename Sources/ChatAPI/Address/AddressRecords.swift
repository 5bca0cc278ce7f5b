/// The owner's settings for an address: whether requests are accepted automatically, and the automatic reply.
public struct AddressSettings: Codable, Hashable, Sendable {
    public var businessAddress: Bool
    public var autoAccept: AutoAccept?
    public var autoReply: MsgContent?

    public init(businessAddress: Bool, autoAccept: AutoAccept? = nil, autoReply: MsgContent? = nil) {
        self.businessAddress = businessAddress
        self.autoAccept = autoAccept
        self.autoReply = autoReply
    }
}

/// The settings for the automatic acceptance of requests to an address.
public struct AutoAccept: Codable, Hashable, Sendable {
    public var acceptIncognito: Bool

    public init(acceptIncognito: Bool) {
        self.acceptIncognito = acceptIncognito
    }
}

/// The data behind the short link of a contact address: the profile, and a first message.
public struct ContactShortLinkData: Codable, Hashable, Sendable {
    public var profile: Profile
    public var message: MsgContent?
    public var business: Bool
    public var localBadge: LocalBadge?

    public init(profile: Profile, message: MsgContent? = nil, business: Bool, localBadge: LocalBadge? = nil) {
        self.profile = profile
        self.message = message
        self.business = business
        self.localBadge = localBadge
    }
}

/// The parsed address of a server, or the reason why the text is not an address.
public struct ParsedServerAddress: Codable, Hashable, Sendable {
    public var serverAddress: ServerAddress?
    public var parseError: String

    public init(serverAddress: ServerAddress? = nil, parseError: String) {
        self.serverAddress = serverAddress
        self.parseError = parseError
    }
}

/// The parts of the address of a server.
public struct ServerAddress: Codable, Hashable, Sendable {
    public var serverProtocol: ServerProtocol
    public var hostnames: [String]
    public var port: String
    public var keyHash: String
    public var basicAuth: String

    public init(serverProtocol: ServerProtocol, hostnames: [String], port: String, keyHash: String, basicAuth: String) {
        self.serverProtocol = serverProtocol
        self.hostnames = hostnames
        self.port = port
        self.keyHash = keyHash
        self.basicAuth = basicAuth
    }
}

/// The address of a user: its link and settings.
public struct UserContactLink: Codable, Hashable, Sendable {
    public var userContactLinkId: Int64
    public var connLinkContact: CreatedConnLink
    public var shortLinkDataSet: Bool
    public var shortLinkLargeDataSet: Bool
    public var addressSettings: AddressSettings

    public init(
        userContactLinkId: Int64,
        connLinkContact: CreatedConnLink,
        shortLinkDataSet: Bool,
        shortLinkLargeDataSet: Bool,
        addressSettings: AddressSettings
    ) {
        self.userContactLinkId = userContactLinkId
        self.connLinkContact = connLinkContact
        self.shortLinkDataSet = shortLinkDataSet
        self.shortLinkLargeDataSet = shortLinkLargeDataSet
        self.addressSettings = addressSettings
    }
}
