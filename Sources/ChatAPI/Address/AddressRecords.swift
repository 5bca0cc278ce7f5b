/// The owner's settings for an address: whether requests are accepted automatically, and the automatic reply.
package struct AddressSettings: Codable, Hashable, Sendable {
    package var businessAddress: Bool
    package var autoAccept: AutoAccept?
    package var autoReply: MsgContent?

    package init(businessAddress: Bool, autoAccept: AutoAccept? = nil, autoReply: MsgContent? = nil) {
        self.businessAddress = businessAddress
        self.autoAccept = autoAccept
        self.autoReply = autoReply
    }
}

/// The settings for the automatic acceptance of requests to an address.
package struct AutoAccept: Codable, Hashable, Sendable {
    package var acceptIncognito: Bool

    package init(acceptIncognito: Bool) {
        self.acceptIncognito = acceptIncognito
    }
}

/// The data to which the short link of a contact address leads: the profile, and a first message.
package struct ContactShortLinkData: Codable, Hashable, Sendable {
    package var profile: Profile
    package var message: MsgContent?
    package var business: Bool
    package var localBadge: LocalBadge?

    package init(profile: Profile, message: MsgContent? = nil, business: Bool, localBadge: LocalBadge? = nil) {
        self.profile = profile
        self.message = message
        self.business = business
        self.localBadge = localBadge
    }
}

/// The result of parsing the address of a server: the parsed address, or the reason why the text is not an address.
package struct ParsedServerAddress: Codable, Hashable, Sendable {
    package var serverAddress: ServerAddress?
    package var parseError: String

    package init(serverAddress: ServerAddress? = nil, parseError: String) {
        self.serverAddress = serverAddress
        self.parseError = parseError
    }
}

/// The parts of the address of a server.
package struct ServerAddress: Codable, Hashable, Sendable {
    package var serverProtocol: ServerProtocol
    package var hostnames: [String]
    package var port: String
    package var keyHash: String
    package var basicAuth: String

    package init(serverProtocol: ServerProtocol, hostnames: [String], port: String, keyHash: String, basicAuth: String)
    {
        self.serverProtocol = serverProtocol
        self.hostnames = hostnames
        self.port = port
        self.keyHash = keyHash
        self.basicAuth = basicAuth
    }
}

/// The contact address of a user: its link and settings.
package struct UserContactLink: Codable, Hashable, Sendable {
    package var userContactLinkId: Int64
    package var connLinkContact: CreatedConnLink
    package var shortLinkDataSet: Bool
    package var shortLinkLargeDataSet: Bool
    package var addressSettings: AddressSettings

    package init(
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
