#if canImport(Glibc)
    internal import Glibc
#endif

/// The host and the port in a header field `Host`: RFC 9110, section 7.2.
package struct HostAndPort: Equatable, Sendable {
    /// The host without brackets.
    package let host: String
    package let port: UInt16?

    /// Parses a text of the form `host` or `host:port`.
    /// - Returns: nil for a text in any other form, for example with a user before the host.
    package init?(_ text: String) {
        let port: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = String(text[text.index(after: text.startIndex)..<end])
            var address = in6_addr()
            guard inet_pton(AF_INET6, host, &address) == 1 else { return nil }
            port = text[text.index(after: end)...]
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = String(text[..<end])
            guard !host.isEmpty, host.utf8.allSatisfy(HostAndPort.isNameByte) else { return nil }
            port = text[end...]
        }
        if port.isEmpty || port == ":" {
            self.port = nil
        } else {
            // `UInt16` would also accept a sign before the digits.
            guard port.first == ":", port.dropFirst().utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = UInt16(port.dropFirst())
            else { return nil }
            self.port = number
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._".utf8.contains(byte)
        }
    }
}
