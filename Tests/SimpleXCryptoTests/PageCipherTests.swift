import Testing

@testable import SimpleXCrypto

@Suite struct PageCipherTests {
    private let salt = [UInt8](0..<16)

    private func makePage(_ version: PageCipher.Version) -> [UInt8] {
        let content = PageCipher.plainHeader + (16..<PageCipher.pageSize).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        return content.prefix(PageCipher.pageSize - version.reservedBytes)
            + [UInt8](repeating: 0, count: version.reservedBytes)
    }

    @Test(arguments: [PageCipher.Version.sqlCipher3, .sqlCipher4])
    func `An encrypted database page is decrypted only with its key and page number`(version: PageCipher.Version) throws
    {
        let cipher = try PageCipher(version, key: SecretBytes([UInt8](repeating: 7, count: 32)), salt: salt)
        let other = try PageCipher(version, key: SecretBytes([UInt8](repeating: 8, count: 32)), salt: salt)
        for number: UInt32 in [1, 2, 70_000] {
            let sealed = try cipher.encryptPage(makePage(version), number: number)
            #expect(sealed.count == PageCipher.pageSize)
            #expect(number != 1 || Array(sealed.prefix(16)) == salt)
            #expect(try cipher.decryptPage(sealed, number: number) == makePage(version))
            #expect(throws: CryptoError.authenticationFailed) { try cipher.decryptPage(sealed, number: number + 1) }
            #expect(throws: CryptoError.authenticationFailed) { try other.decryptPage(sealed, number: number) }
            var changed = sealed
            changed[2000] ^= 1
            #expect(throws: CryptoError.authenticationFailed) { try cipher.decryptPage(changed, number: number) }
        }
    }

    @Test
    func `Database pages and keys of a wrong length are refused`() throws {
        let cipher = try PageCipher(.sqlCipher4, passphrase: SecretBytes(Array("words".utf8)), salt: salt)
        for count in [0, 16, 4095, 4097] {
            #expect(throws: CryptoError.self) { try cipher.decryptPage([UInt8](repeating: 1, count: count), number: 1) }
            #expect(throws: CryptoError.self) { try cipher.encryptPage([UInt8](repeating: 1, count: count), number: 1) }
        }
        #expect(try cipher.decryptPage([UInt8](repeating: 0, count: 4096), number: 3).allSatisfy { $0 == 0 })
        #expect(throws: CryptoError.self) { try PageCipher(.sqlCipher4, key: SecretBytes([1, 2]), salt: salt) }
        #expect(throws: CryptoError.self) {
            try PageCipher(.sqlCipher4, key: SecretBytes([UInt8](repeating: 1, count: 32)), salt: [])
        }
    }
}
