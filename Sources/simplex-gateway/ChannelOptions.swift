import ArgumentParser
import ChatCore

/// The options that limit the channels of profiles that are chat relays. A chat relay forwards the messages of a
/// channel.
struct ChannelOptions: ParsableArguments {
    @Option(help: "Maximal number of channels that a chat relay serves. (default: 1000)")
    var maxChannels: Int?
    @Option(help: "Maximal number of members of a channel at a chat relay. (default: 100000)")
    var maxChannelMembers: Int?
    @Option(
        help:
            "Id of a channel that chat relays may serve: publicGroupId of its profile; may be repeated. (default: any channel)"
    )
    var channel: [String] = []

    func readLimits(_ settings: Settings) throws -> ChannelRelayLimits {
        var limits = ChannelRelayLimits()
        limits.maxChannels =
            try settings.readPositiveNumber("max-channels", maxChannels, upTo: 1_000_000).map(Int64.init)
            ?? limits.maxChannels
        limits.maxMembersPerChannel =
            try settings.readPositiveNumber("max-channel-members", maxChannelMembers, upTo: 10_000_000).map(Int64.init)
            ?? limits.maxMembersPerChannel
        let named = try settings.readList("channel", channel)
        if !named.isEmpty { limits.allowedChannelIds = Set(named) }
        return limits
    }
}
