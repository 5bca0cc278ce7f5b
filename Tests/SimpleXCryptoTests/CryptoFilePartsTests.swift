import SimpleXCrypto
import Testing

@Suite struct CryptoFilePartsTests {
    @Test
    func `Any part of an encrypted file can be decrypted without the parts before it`() throws {
        let arguments = CryptoFileArguments()
        let contents = RandomBytes.make(count: 1000)
        let stored = try FileCipher.sealContents(contents, arguments)
        let parts = CryptoFilePartDecryptor(arguments)
        for (start, count) in [(0, 1000), (0, 1), (31, 2), (32, 64), (33, 100), (999, 1), (64, 0), (127, 500)] {
            #expect(
                parts.decryptPart(Array(stored[start..<(start + count)]), at: Int64(start))
                    == Array(contents[start..<(start + count)])
            )
        }
        #expect(parts.decryptPart([1], at: -1).isEmpty)
    }
}
