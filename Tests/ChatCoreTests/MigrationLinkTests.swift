import ChatAPI
import Foundation
import TestSupport
import Testing

@testable import ChatCore

struct MigrationLinkTests {
    /// A link to a file, without additional data.
    private let fileLink: String

    init() throws {
        let links = try Vector.readFile("xftp").list("uris").filter { $0.optionalText("clientData") == nil }
        fileLink = try #require(links.first).text("uri")
    }

    private func makeLink(_ data: String) throws -> MigrationLink {
        let escaped = try #require(data.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        return try MigrationLink(fileLink + "&data=" + escaped)
    }

    private func makeNetworkConfig(_ change: (inout NetworkConfig) -> Void = { _ in }) -> NetworkConfig {
        var network = NetworkConfig.standard
        change(&network)
        return network
    }

    @Test(arguments: [nil, "127.0.0.1:9050", "@127.0.0.1:9050", "alice:secret@[::1]:1080"])
    func `A migration link contains the network settings of the device that made the link`(proxy: String?) throws {
        let old = makeNetworkConfig {
            $0.socksProxy = proxy
            $0.hostMode = .onionViaSocks
            $0.requiredHostMode = true
        }
        let link = try MigrationLink(MigrationLink(fileLink, old).text)
        #expect(link.text.hasPrefix(fileLink + "&data="))
        #expect(try link.mergeNetworkConfig(makeNetworkConfig(), usesProxy: proxy == nil ? nil : true) == old)
    }

    @Test
    func `A migration link with a proxy is refused until the client decides whether to use the proxy`() throws {
        let own = makeNetworkConfig { $0.socksProxy = "127.0.0.1:1" }
        for data in [
            #"{"networkConfig":{"networkProxy":{"host":"localhost","port":9050,"auth":"isolate"},"hostMode":"public"}}"#,
            #"{"networkConfig":{"socksProxy":":9050"}}"#, #"{"networkConfig":{"hostMode":"onion"}}"#,
        ] {
            let link = try makeLink(data)
            #expect(throws: MigrationFailure.self) { try link.mergeNetworkConfig(own, usesProxy: nil) }
            #expect(try link.mergeNetworkConfig(own, usesProxy: false) == own)
            let proxy = try #require(try link.mergeNetworkConfig(own, usesProxy: true).socksProxy)
            #expect(SOCKSAddress(proxy) == SOCKSAddress("127.0.0.1:9050"))
        }
    }

    @Test
    func `The network settings of a store stay if a migration link has no settings or unreadable settings`() throws {
        let own = makeNetworkConfig { $0.hostMode = .onion }
        #expect(try MigrationLink(fileLink).mergeNetworkConfig(own, usesProxy: nil) == own)
        for data in ["", "x", "null", "[]", "{}", #"{"networkConfig":null}"#, #"{"networkConfig":{"hostMode":"x"}}"#] {
            #expect(try makeLink(data).mergeNetworkConfig(own, usesProxy: nil) == own, "\(data)")
        }
        let bad = try makeLink(#"{"networkConfig":{"socksProxy":"proxy.example:x"}}"#)
        #expect(throws: MigrationFailure.self) { try bad.mergeNetworkConfig(own, usesProxy: true) }
    }

    @Test
    func `A migration link with an incomplete description of the archive file is refused`() {
        // The size is at the end of the description.
        let size = "size%3A%201mb%0A"
        #expect(fileLink.hasSuffix(size))
        for length in 0...fileLink.count - size.count {
            #expect(throws: MigrationFailure.self, "\(length)") { try MigrationLink(String(fileLink.prefix(length))) }
        }
    }

    @Test(arguments: ["", "simplex:/file#/?desc=", "hello"])
    func `A text that is not the link of a file is refused as a migration link`(text: String) {
        #expect(throws: MigrationFailure.self) { try MigrationLink(text) }
    }
}
