package import Glibc

/// The source of a connection, as far as clients can be distinguished: an IPv4 address, or the first 64 bits of an IPv6
/// address. One client can use all IPv6 addresses with the same first 64 bits.
package struct SourceAddress: Hashable, Sendable {
    private let bytes: [UInt8]
    /// Whether the address belongs to this machine. All clients of a local proxy have such an address.
    package let isLoopback: Bool

    /// Makes the source of a connection from its socket address.
    /// - Returns: nil for an address of another family.
    package init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(
                v4: address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin_addr) { Array($0) }
                }
            )
        case AF_INET6:
            self.init(
                v6: address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                    withUnsafeBytes(of: $0.pointee.sin6_addr) { Array($0) }
                }
            )
        default: return nil
        }
    }

    /// Returns whether a configured host (a name or an address) is this machine.
    package static func isLoopbackHost(_ host: String) -> Bool {
        if host == "localhost" { return true }
        var (v4, v6) = (in_addr(), in6_addr())
        // Only a complete address is compared with the loopback addresses, because anybody can own a name that begins
        // like an address, such as 127.example.org.
        if inet_pton(AF_INET, host, &v4) == 1 {
            return SourceAddress(v4: withUnsafeBytes(of: v4) { Array($0) }).isLoopback
        }
        return inet_pton(AF_INET6, host, &v6) == 1
            && SourceAddress(v6: withUnsafeBytes(of: v6) { Array($0) }).isLoopback
    }

    private init(v4: [UInt8]) { self.init(bytes: v4, isLoopback: v4.first == 127) }

    private init(v6: [UInt8]) {
        // At a socket for both families, an IPv4 client has an address of the form ::ffff:a.b.c.d. Such a client counts
        // by its IPv4 address.
        if v6.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
            self.init(v4: Array(v6.suffix(4)))
        } else {
            self.init(bytes: Array(v6.prefix(8)), isLoopback: v6.dropLast().allSatisfy { $0 == 0 } && v6.last == 1)
        }
    }

    /// The source as text: `192.0.2.1`, or `2001:db8:0:1::/64`.
    package var text: String {
        guard bytes.count == 8 else { return bytes.map(String.init).joined(separator: ".") }
        if isLoopback { return "::1" }
        return stride(from: 0, to: 8, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
            .joined(separator: ":") + "::/64"
    }

    private init(bytes: [UInt8], isLoopback: Bool) {
        self.bytes = bytes
        self.isLoopback = isLoopback
    }
}
