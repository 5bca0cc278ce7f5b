import ArgumentParser
import Files
import NIOPosix

/// The options with which a command finds the running gateway: its address and an API key.
struct ClientOptions: ParsableArguments {
    @Option(help: "The gateway's data folder, for its admin key. (default: ~/.local/share/simplex-gateway)")
    var data: String?
    @Option(help: "URL of the gateway on this machine, without TLS. (default: http://127.0.0.1:5225)")
    var url: String?
    @Option(
        help:
            "File with an API key. (default: the key in the environment variable SXGW_KEY, or else admin.key in the data folder)"
    )
    var keyFile: String?

    func withGateway(_ settings: Settings, _ body: (LocalGateway) async throws -> Void) async throws {
        // The address is checked before the key is read, because the key must not be sent to another machine.
        let place = try GatewayAddress(
            url: settings.readText("url", url) ?? "http://127.0.0.1:\(settings.readPort("port", nil, default: 5225))"
        )
        let key = try readKey(settings)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await body(LocalGateway(address: place, key: key, group: group))
        try? await group.shutdownGracefully()
    }

    private func readKey(_ settings: Settings) throws -> String {
        if keyFile == nil, let key = Settings.apiKey { return key }
        if let file = try settings.readText("key-file", keyFile) { return try readPassword(file) }
        let folder = try settings.readText("data", data) ?? DataFolder.findStandardPath()
        guard DiskFiles.exists(folder + "/admin.key") else {
            throw Failure.configurationFailure(
                "there is no \(folder)/admin.key: this command needs a key of the running gateway. Name its data folder with --data, or a file with a key with --key-file"
            )
        }
        return try readPassword(folder + "/admin.key")
    }
}
