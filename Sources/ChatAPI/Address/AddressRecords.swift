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

public struct AutoAccept: Codable, Hashable, Sendable {
    public var acceptIncognito: Bool

    public init(acceptIncognito: Bool) {
        self.acceptIncognito = acceptIncognito
    }
}

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

public struct ParsedServerAddress: Codable, Hashable, Sendable {
    public var serverAddress: ServerAddress?
    public var parseError: String

    public init(serverAddress: ServerAddress? = nil, parseError: String) {
        self.serverAddress = serverAddress
        self.parseError = parseError
    }
}

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
