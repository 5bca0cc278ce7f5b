/// A chat relay that the user may choose for groups.
public struct UserChatRelay: Codable, Hashable, Sendable {
    /// Id of the relay; nil for a relay that is not stored yet.
    public var chatRelayId: Int64?
    public var address: String
    public var relayProfile: RelayProfile
    public var domains: [String]
    public var preset: Bool
    public var tested: Bool?
    public var enabled: Bool
    public var deleted: Bool

    public init(
        chatRelayId: Int64? = nil,
        address: String,
        relayProfile: RelayProfile,
        domains: [String],
        preset: Bool,
        tested: Bool? = nil,
        enabled: Bool,
        deleted: Bool
    ) {
        self.chatRelayId = chatRelayId
        self.address = address
        self.relayProfile = relayProfile
        self.domains = domains
        self.preset = preset
        self.tested = tested
        self.enabled = enabled
        self.deleted = deleted
    }
}
