/// Limits of the work of one relay of channels.
package struct ChannelRelayLimits: Sendable, Hashable {
    /// Maximum number of channels that one user serves.
    package var maxChannels: Int64 = 1_000
    /// Maximum number of members of one channel at this relay.
    package var maxMembersPerChannel: Int64 = 100_000
    /// Ids of the channels that may be served, in the form that channel profiles contain; nil if any channel may be
    /// served.
    package var allowedChannelIds: Set<String>?

    package init() {}
}
