import Testing

@testable import Descriptors

@Suite struct LoopbackTests {
    @Test(arguments: ["localhost", "127.0.0.1", "127.9.8.7", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1"])
    func `The name localhost and loopback addresses are recognized as addresses of this machine`(host: String) {
        #expect(SourceAddress.isLoopbackHost(host))
    }

    @Test(arguments: [
        "127.0.0.1.example.org", "127.example.org", "127.", "127", "localhost.example.org", "0.0.0.0", "::",
        "192.0.2.1", "::2", "",
    ])
    func `A host name that only begins like a loopback address is recognized as another machine`(host: String) {
        #expect(!SourceAddress.isLoopbackHost(host))
    }
}
