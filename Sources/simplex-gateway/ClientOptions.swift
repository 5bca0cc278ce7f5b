import ArgumentParser
import NIOPosix

/// Where the gateway is that a command talks to.
struct ClientOptions: ParsableArguments {
    @Option(help: "The gateway's data folder, for its admin key. (default: ~/.local/share/simplex-gateway)")
    var data: String?
    @Option(help: "URL of the gateway, without TLS. (default: http://127.0.0.1:5225)")
    var url: String?
    @Option(help: "File with an API key. (default: admin.key in the data folder)")
    var keyFile: String?

    func withGateway(_ body: (LocalGateway) async throws -> Void) async throws {
        let settings = try Settings(file: nil, of: Self.self)
        let folder = try settings.text("data", data) ?? DataFolder.standardPath()
        let key = try password(settings.text("key-file", keyFile) ?? folder + "/admin.key")
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        try await body(LocalGateway(url: settings.text("url", url) ?? "http://127.0.0.1:5225", key: key, group: group))
        try? await group.shutdownGracefully()
    }
}
