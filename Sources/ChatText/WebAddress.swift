/// Recognition of web and mail addresses in a text.
enum WebAddress {
    /// The minimum number of characters in a web address.
    static let minLength = 10

    /// Returns whether a text is an `http` or `https` address with a host that contains a dot (RFC 3986, section 3).
    /// The text after the question mark is not checked. A percent sign without digits is permitted.
    static func isURI(_ text: String) -> Bool {
        guard text.unicodeScalars.count >= minLength else { return false }
        let location = text.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard isAddressWithoutQuery(location) else { return false }
        let fragment = text.utf8[location.endIndex...].drop { $0 != UInt8(ascii: "#") }.dropFirst()
        return fragment.allSatisfy(isFragmentCharacter)
    }

    /// Returns whether the text is a valid web address without query and fragment.
    static func isAddressWithoutQuery(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        if rest.starts(with: "https://".utf8) {
            rest = rest.dropFirst(8)
        } else if rest.starts(with: "http://".utf8) {
            rest = rest.dropFirst(7)
        } else {
            return false
        }
        let authority = rest.prefix { $0 != UInt8(ascii: "/") }
        return isAuthority(authority) && rest.dropFirst(authority.count).allSatisfy(isPathCharacter)
    }

    static func isFragmentCharacter(_ byte: UInt8) -> Bool { isPathCharacter(byte) || byte == UInt8(ascii: "?") }

    private static func isAuthority(_ authority: Substring.UTF8View) -> Bool {
        let parts = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count <= 2, let server = parts.last else { return false }
        if parts.count == 2 {
            guard let user = parts.first, !user.isEmpty,
                user.allSatisfy({ isHostCharacter($0) || $0 == UInt8(ascii: ":") })
            else { return false }
        }
        let host = server.prefix { $0 != UInt8(ascii: ":") }
        let port = server.dropFirst(host.count)
        guard host.allSatisfy(isHostCharacter),
            port.isEmpty || (port.count > 1 && port.dropFirst().allSatisfy { $0 >= 0x30 && $0 <= 0x39 })
        else {
            return false
        }
        return host.contains(UInt8(ascii: ".")) || Substring(host).lowercased().contains("%2e")
    }

    private static func isHostCharacter(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "-._~!$&'()*+,;=%".utf8.contains(byte)
    }

    private static func isPathCharacter(_ byte: UInt8) -> Bool { isHostCharacter(byte) || ":@/".utf8.contains(byte) }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7A)
    }

    /// Returns whether a text is `name.tld`, or `sub.name.tld` with three to eight characters in `sub`. The parts
    /// `name` and `tld` have only ASCII letters, and limited lengths. These limits exclude abbreviations, but also some
    /// real domains.
    static func isDomain(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 || (parts.count == 3 && (3...8).contains(parts[0].count)) else { return false }
        let (name, tld) = (parts[parts.count - 2], parts[parts.count - 1])
        let letters = (name + tld).utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
        return (1...24).contains(name.count) && (2...8).contains(tld.count) && letters
    }

    /// Returns whether a text is `atoms@domain` (RFC 5322, section 3.4.1). The part `atoms` has up to 64 bytes of atoms
    /// with dots between them. The part `domain` is a host name of up to 253 bytes, and may have a single label.
    static func isEmail(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, let domain = parts.last, local.count <= 64, domain.count <= 253
        else { return false }
        func isDotted(_ part: Substring.UTF8View, _ isPart: (Substring.UTF8View) -> Bool) -> Bool {
            part.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && isPart($0)
            }
        }
        func isAtom(_ atom: Substring.UTF8View) -> Bool {
            atom.allSatisfy { isAlphanumeric($0) || "!#$%&'*+-/=?^_`{|}~".utf8.contains($0) }
        }
        func isLabel(_ label: Substring.UTF8View) -> Bool {
            let hyphen = UInt8(ascii: "-")
            return label.count <= 63 && label.first != hyphen && label.last != hyphen
                && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
        }
        return isDotted(local, isAtom) && isDotted(domain, isLabel)
    }
}
