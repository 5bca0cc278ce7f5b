/// A chat relay that the user may choose for groups.
package struct UserChatRelay: Codable, Hashable, Sendable {
    /// Id of the relay; nil for a relay that is not stored yet.
    package var chatRelayId: Int64?
    package var address: String
    package var relayProfile: RelayProfile
    package var domains: [String]
    package var preset: Bool
    package var tested: Bool?
    package var enabled: Bool
    package var deleted: Bool

    package init(
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
