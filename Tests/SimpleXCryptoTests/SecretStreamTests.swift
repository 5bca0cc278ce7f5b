import Testing

@testable import SimpleXCrypto

@Suite struct SecretStreamTests {
    private let key = SymmetricKey()

    private func sealParts(_ parts: [[UInt8]], additional: [UInt8] = []) -> (header: [UInt8], sealed: [[UInt8]]) {
        let stream = SecretStream(writingWith: key)
        let sealed = parts.enumerated().map {
            stream.sealPart($1, isLast: $0 == parts.count - 1, additional: $0 == 0 ? additional : [])
        }
        return (stream.header, sealed)
    }

    @Test
    func `Parts of a secret stream are decrypted in order, and the last part is marked`() throws {
        let parts: [[UInt8]] = [[1, 2, 3], [], [UInt8](repeating: 9, count: 100_000), []]
        let (header, sealed) = sealParts(parts, additional: [4, 5])
        #expect(
            sealed.map(\.count) == parts.map { $0.count + SecretStream.overheadBytes }
                && header.count == SecretStream.headerSize
        )
        let stream = try SecretStream(readingWith: key, header: header)
        for (index, part) in sealed.enumerated() {
            let opened = try stream.openPart(part, additional: index == 0 ? [4, 5] : [])
            #expect(opened.bytes == parts[index] && opened.isLast == (index == parts.count - 1))
        }
    }

    @Test
    func `A changed, truncated, skipped or repeated part of a secret stream is refused`() throws {
        let (header, sealed) = sealParts([[1], [2], [3]], additional: [7])
        func reader(_ key: SymmetricKey? = nil) throws -> SecretStream {
            try SecretStream(readingWith: key ?? self.key, header: header)
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try reader(SymmetricKey()).openPart(sealed[0], additional: [7])
        }
        #expect(throws: CryptoError.authenticationFailed) { try reader().openPart(sealed[0], additional: [8]) }
        #expect(throws: CryptoError.authenticationFailed) { try reader().openPart(sealed[1]) }
        for index in sealed[0].indices {
            var changed = sealed[0]
            changed[index] ^= 1
            #expect(throws: CryptoError.authenticationFailed) { try reader().openPart(changed, additional: [7]) }
        }
        for count in 0..<sealed[0].count {
            #expect(throws: CryptoError.authenticationFailed) {
                try reader().openPart(Array(sealed[0].prefix(count)), additional: [7])
            }
        }
        let again = try reader()
        _ = try again.openPart(sealed[0], additional: [7])
        #expect(throws: CryptoError.authenticationFailed) { try again.openPart(sealed[0], additional: [7]) }
        #expect(throws: CryptoError.invalidLength(of: "header", expected: 24, actual: 3)) {
            try SecretStream(readingWith: key, header: [1, 2, 3])
        }
    }
}
