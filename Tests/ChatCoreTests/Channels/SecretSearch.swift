import Foundation
import Testing

/// A search for a secret in the output of a program.
struct SecretSearch {
    private let secretForms: Set<String>

    /// Prepares the forms of the secret: hexadecimal text, and base64 in both alphabets at any offset, since headers
    /// precede keys. The original encodes this text once more.
    init(_ secret: [UInt8]) {
        let once = Self.base64Cores(secret)
        let hex = secret.map { String(format: "%02x", $0) }.joined()
        secretForms = once.union(once.flatMap { Self.base64Cores(Array($0.utf8)) }).union([hex, hex.uppercased()])
    }

    /// The base64 characters that do not depend on neighbouring bytes.
    private static func base64Cores(_ bytes: [UInt8]) -> Set<String> {
        var all: Set<String> = []
        for shift in 0..<3 {
            let text = Data([UInt8](repeating: 0, count: shift) + bytes).base64EncodedString()
            let first = (shift * 8 + 5) / 6, whole = (shift + bytes.count) * 8 / 6
            let inner = String(text.prefix(whole).dropFirst(first))
            all.insert(inner)
            all.insert(inner.replacing("+", with: "-").replacing("/", with: "_"))
        }
        return all
    }

    func finds(in text: String) -> Bool { secretForms.contains { text.contains($0) } }
}

@Suite struct SecretSearchTests {
    @Test
    func `The search for a secret key finds the key in Base64, Base64URL and nested Base64, and finds no other bytes`()
        throws
    {
        let secret = (0..<32).map { UInt8($0 * 7 + 3) }
        let header: [UInt8] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20]
        let search = SecretSearch(secret)
        for before in [[], [1], [1, 2], header] {
            let text = Data(before + secret).base64EncodedString()
            let url = text.replacing("+", with: "-").replacing("/", with: "_")
            for form in [text, url, Data(url.utf8).base64EncodedString()] {
                #expect(search.finds(in: "{\"key\":\"\(form)\"}"), "\(before.count)")
            }
        }
        #expect(!search.finds(in: Data(header + secret.reversed()).base64EncodedString()))
        #expect(!search.finds(in: ""))
    }
}
