import ArgumentParser
import ChatCore

/// Options for the limits of profiles that are relays of channels.
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

    func limits(_ settings: Settings) throws -> ChannelRelayLimits {
        var limits = ChannelRelayLimits()
        limits.channels =
            try settings.count("max-channels", maxChannels, upTo: 1_000_000).map(Int64.init) ?? limits.channels
        limits.members =
            try settings.count("max-channel-members", maxChannelMembers, upTo: 10_000_000).map(Int64.init)
            ?? limits.members
        let named = try settings.list("channel", channel)
        if !named.isEmpty { limits.allowed = Set(named) }
        return limits
    }
}
