import Glibc

/// An address of the Internet. An IPv4 address that is mapped to IPv6 (`::ffff:10.0.0.1`) becomes an IPv4 address.
package struct IPAddress: Sendable, Hashable {
    /// The bytes of the address: four for IPv4, sixteen for IPv6.
    let bytes: [UInt8]

    /// Makes an address.
    /// - Parameter bytes: the bytes in network order.
    /// - Returns: nil unless there are four or sixteen bytes.
    package init?(_ bytes: [UInt8]) {
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: IPAddress.mappedPrefix) ? Array(bytes[12...]) : bytes
        default: return nil
        }
    }

    /// Parses an address.
    /// - Returns: nil unless the text is an address in the usual form: four decimal numbers, or IPv6 without zone and
    ///   brackets.
    package init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self.init(withUnsafeBytes(of: four) { Array($0) })
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            self.init(withUnsafeBytes(of: six) { Array($0) })
        } else {
            return nil
        }
    }

    /// The prefix of mapped addresses, `::ffff:0:0/96` (RFC 4291, section 2.5.5.2).
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
    /// The prefix of translated addresses, `64:ff9b::/96` (RFC 6052). The last four bytes are the IPv4 address to which
    /// a translator connects.
    private static let translatedPrefix: [UInt8] = [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 8)

    /// Whether the address is public, which means that it has no special purpose (IANA's registries, RFC 6890).
    package var isPublic: Bool {
        if bytes.count == 4 { return !IPAddress.specialRangesV4.contains { $0.contains(self) } }
        if bytes.starts(with: IPAddress.translatedPrefix) { return IPAddress(Array(bytes[12...]))?.isPublic ?? false }
        // All global unicast addresses are in 2000::/3, so no address outside of this range is public.
        return bytes[0] & 0xE0 == 0x20 && !IPAddress.specialRangesV6.contains { $0.contains(self) }
    }

    private static let specialRangesV4 = parseRanges([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24",
        "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    ])
    /// IPv6 ranges with a special purpose. They include addresses that contain an IPv4 address: Teredo and 6to4.
    private static let specialRangesV6 = parseRanges(["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

    private static func parseRanges(_ texts: [String]) -> [AddressRange] { texts.compactMap { AddressRange($0) } }
}

extension IPAddress: CustomStringConvertible {
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard bytes.withUnsafeBytes({ inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) }) != nil else {
            return ""
        }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A range of addresses: `10.0.0.0/8`, `fd00::/8`, or a single address.
package struct AddressRange: Sendable, Hashable {
    private let base: IPAddress
    private let prefixLength: Int

    /// Parses a range.
    /// - Returns: nil for text in another form, and when bits after the prefix are set, because the intended range is
    ///   then uncertain.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let base = IPAddress(String(parts[0])) else { return nil }
        var bits = base.bytes.count * 8
        if parts.count == 2 {
            guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(parts[1]), number <= bits
            else { return nil }
            bits = number
        }
        self.base = base
        self.prefixLength = bits
        guard base.bytes.enumerated().allSatisfy({ $1 & ~AddressRange.makeMask(of: $0, bits) == 0 }) else { return nil }
    }

    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == base.bytes.count
            && zip(address.bytes, base.bytes).enumerated().allSatisfy {
                ($1.0 ^ $1.1) & AddressRange.makeMask(of: $0, prefixLength) == 0
            }
    }

    private static func makeMask(of index: Int, _ bits: Int) -> UInt8 {
        let left = min(max(bits - index * 8, 0), 8)
        return left == 0 ? 0 : 0xFF << UInt8(8 - left)
    }
}

/// The rule that determines to which addresses requests may be sent.
package struct AddressPolicy: Sendable {
    /// Addresses that are allowed for requests of any purpose, and without TLS.
    package var allowedRanges: [AddressRange]

    package init(allowed: [AddressRange] = []) { self.allowedRanges = allowed }

    package func permits(_ address: IPAddress, isEncrypted: Bool) -> Bool {
        isAlwaysAllowed(address) || isEncrypted && address.isPublic
    }

    /// Returns whether the address is allowed for requests of any purpose, and without TLS.
    func isAlwaysAllowed(_ address: IPAddress) -> Bool { allowedRanges.contains { $0.contains(address) } }
}
