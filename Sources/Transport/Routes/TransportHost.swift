import Glibc

/// The host of a server: a domain name, an address, or an onion service.
///
/// The text of an IPv6 address may have brackets when it is parsed. It is written without brackets, even before a port,
/// as in simplexmq.
package enum TransportHost: Hashable, Sendable {
    /// An IPv4 address, four bytes.
    case ipv4([UInt8])
    /// An IPv6 address, sixteen bytes.
    case ipv6([UInt8])
    /// An onion service: lower-case letters and digits (`[a-z0-9]`), then `.onion`.
    case onion(String)
    case domain(String)
}

extension TransportHost: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ipv4(let bytes): bytes.map { String($0) }.joined(separator: ".")
        case .ipv6(let bytes): Self.ipv6Text(bytes)
        case .onion(let host), .domain(let host): host
        }
    }

    private static func ipv6Text(_ bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return "::" }
        var address = in6_addr()
        withUnsafeMutableBytes(of: &address) { $0.copyBytes(from: bytes) }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &address, &text, socklen_t(text.count)) != nil else { return "::" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
