internal import ChatAPI
package import SMP

/// Sets of servers for new profiles.
package enum ServerPresets: String, Sendable, CaseIterable {
    /// The servers of the configuration: the embedded relay, or other servers that are configured.
    case relay
    /// The servers of the operators of the public network.
    case network

    /// The relays and file servers that a new profile may get; none for `relay`.
    package var addresses: [ProtocolServer] {
        operators.flatMap { $0.smpServers + $0.xftpServers }.compactMap { try? ProtocolServer(parsing: $0) }
    }

    init(_ servers: InitialServers) {
        switch servers {
        case .relay: self = .relay
        case .network: self = .network
        }
    }

    var operators: [PresetOperator] { self == .network ? PresetOperator.network : [] }

    /// The notification servers; none for `relay`, since no notification server runs on this machine.
    var notificationServers: [ProtocolServer] {
        self == .network ? PresetOperator.notificationServers.compactMap { try? ProtocolServer(parsing: $0) } : []
    }
}

/// An operator of the public network with its servers.
struct PresetOperator: Sendable {
    var tag: OperatorTag
    var tradeName: String
    var legalName: String
    /// Suffixes of the host names of the operator's servers.
    var domains: [String]
    var smpRoles: ServerRoles
    var xftpRoles: ServerRoles
    var smpServers: [String]
    /// Relays that a profile uses only after its user has enabled them.
    var disabledSMPServers: [String]
    /// The number of relays in `smpServers` that a profile uses. These relays are chosen at random.
    var enabledSMPServerCount: Int
    var xftpServers: [String]
    var enabledXFTPServerCount: Int
    /// Chat relays for channels, each with its name and its address.
    var chatRelays: [(name: String, address: String)] = []
    /// The number of chat relays that a profile uses. These chat relays are chosen at random.
    var enabledChatRelayCount = 0
    /// The contact cards that new profiles get, if the configuration adds contact cards.
    var contactCards: [ContactCard] = []

    /// The servers at which clients of the public network register the tokens of their devices.
    static let notificationServers = [
        "ntf://KmpZNNXiVZJx_G2T7jRUmDFxWXM3OAnunz3uLT0tqAA=@ntf3.simplex.im,pxculznuryunjdvtvh6s6szmanyadumpbmvevgdpe4wk5c65unyt4yid.onion",
        "ntf://CJ5o7X6fCxj2FFYRU2KuCo70y4jSqz7td2HYhLnXWbU=@ntf4.simplex.im,wtvuhdj26jwprmomnyfu5wfuq2hjkzfcc72u44vi6gdhrwxldt6xauad.onion",
    ]

    /// Chooses the servers of a new profile.
    func chooseServers() -> [NewServer] {
        let (smpUsed, xftpUsed) = (
            Set(smpServers.shuffled().prefix(enabledSMPServerCount)),
            Set(xftpServers.shuffled().prefix(enabledXFTPServerCount))
        )
        return smpServers.map { NewServer(scheme: .smp, address: $0, isPreset: true, isEnabled: smpUsed.contains($0)) }
            + disabledSMPServers.map { NewServer(scheme: .smp, address: $0, isPreset: true, isEnabled: false) }
            + xftpServers.map {
                NewServer(scheme: .xftp, address: $0, isPreset: true, isEnabled: xftpUsed.contains($0))
            }
    }

    /// All relays that a short link may identify by the host alone.
    static let knownServers: [ProtocolServer] =
        (network.flatMap { $0.smpServers + $0.disabledSMPServers } + otherKnownServers)
        .compactMap {
            try? ProtocolServer(parsing: $0)
        }
}

/// A server of a new profile.
struct NewServer: Sendable {
    var scheme: ProtocolServer.Scheme
    var address: String
    var isPreset: Bool
    var isEnabled: Bool
    /// Whether the user has chosen the server, so that the next start keeps the server.
    var isSetByUser = false
}
