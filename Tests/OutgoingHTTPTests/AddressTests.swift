import Testing

@testable import OutgoingHTTP

@Suite("Addresses that requests may reach") struct AddressTests {
    @Test(arguments: [
        "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
        "192.167.255.255", "198.17.255.255", "198.20.0.0",
        "223.255.255.255", "2600::1", "2a00:1450::8a", "2001:200::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
    ])
    func `Usual Internet addresses are recognized as public`(text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(arguments: [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
        "127.255.255.254", "169.254.169.254", "172.16.0.1",
        "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.9", "224.0.0.1",
        "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1",
        "::ffff:10.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
        "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1",
        "3fff::1", "5f00::1", "4000::1", "1fff::1",
    ])
    func `Addresses of private networks and special purposes are not recognized as public, in any spelling`(
        text: String
    ) throws {
        let address = try #require(IPAddress(text))
        #expect(!address.isPublic)
        #expect(!AddressPolicy().permits(address, isEncrypted: true))
    }

    @Test(arguments: [
        "", "1", "127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "1.2.3.4.5", "1.2.3.256", "1.2.3.4 ",
        "fe80::1%eth0", "[::1]", "::1::", "1.2.3.04", "a",
    ])
    func `An unusual spelling of an IP address is refused`(text: String) {
        #expect(IPAddress(text) == nil)
        #expect(AddressRange(text) == nil)
    }

    @Test
    func `A range of IP addresses contains only the addresses with the prefix of the range`() throws {
        let ten = try #require(AddressRange("10.0.0.0/8"))
        for inside in ["10.9.8.7", "::ffff:10.0.0.1"] { #expect(ten.contains(try #require(IPAddress(inside)))) }
        for outside in ["11.0.0.0", "a00::1"] { #expect(!ten.contains(try #require(IPAddress(outside)))) }
        let odd = try #require(AddressRange("192.168.4.0/22"))
        #expect(odd.contains(try #require(IPAddress("192.168.7.255"))))
        #expect(!odd.contains(try #require(IPAddress("192.168.8.0"))))
        #expect(try #require(AddressRange("::1")).contains(try #require(IPAddress("::1"))))
        #expect(try #require(AddressRange("fd00::/8")).contains(try #require(IPAddress("fdff::9"))))
        for text in [
            "10.0.0.1/8", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/", "10.0.0.0/8/8", "/8", "10.0.0.0/+8",
            "10.0.0.0/ 8", "10.0.0.0/0008",
        ] {
            #expect(AddressRange(text) == nil, "\(text)")
        }
        #expect(AddressRange("0.0.0.0/0") != nil)
    }

    @Test
    func `Requests without TLS are permitted only to addresses that the configuration allows`() throws {
        let policy = AddressPolicy(allowed: [try #require(AddressRange("127.0.0.0/8"))])
        let (loopback, global) = (try #require(IPAddress("127.0.0.1")), try #require(IPAddress("8.8.8.8")))
        #expect(policy.permits(loopback, isEncrypted: false) && policy.permits(loopback, isEncrypted: true))
        #expect(!policy.permits(global, isEncrypted: false) && policy.permits(global, isEncrypted: true))
    }
}
