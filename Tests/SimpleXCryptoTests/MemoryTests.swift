import SimpleXCrypto
import TestSupport
import Testing

@Suite struct MemoryTests {
    @Test
    func `Secret bytes are compared by their contents`() {
        let secret = SecretBytes([1, 2, 3, 4])
        #expect(
            secret == SecretBytes([1, 2, 3, 4]) && secret != SecretBytes([1, 2, 3, 5])
                && secret != SecretBytes([1, 2, 3])
        )
        #expect(secret[1..<3].bytes == [2, 3] && secret[2..<9].bytes == [3, 4])
        #expect(SecretBytes.concatenating(secret, SecretBytes([]), secret[0..<1]).bytes == [1, 2, 3, 4, 1])
        #expect(SecretBytes([]) == SecretBytes([]))
    }

    @Test
    func `The description of secret bytes shows only their length`() {
        #expect("\(SecretBytes([65, 66]))" == "SecretBytes(2)")
    }

    @Test
    func `Comparison of bytes in constant time gives the result of a plain comparison`() {
        #expect(constantTimeEquals([], []) && constantTimeEquals([1], [1]))
        #expect(!constantTimeEquals([1], [2]) && !constantTimeEquals([1], [1, 1]))
    }

    @Test
    func `Each call for random bytes returns different bytes of the requested length`() {
        #expect(RandomBytes.make(count: 0) == [] && RandomBytes.make(count: -1) == [])
        #expect(RandomBytes.make(count: 32).count == 32 && RandomBytes.make(count: 32) != RandomBytes.make(count: 32))
    }

    @Test(arguments: [
        ("", true), ("YQ", true), ("YWI", true), ("YQ==", true), ("YWI=", true), ("YWJj", true), ("-_--", true),
        ("a", false), ("a+b/", false), ("YQ= =", false), ("YQ===", false), ("YWJj=", false), ("YR", false),
        ("YWJ", false),
        ("=", false), ("Y", false), ("YQ\n", false), ("ыы", false),
    ])
    func `A base64url text is accepted with or without padding, and only in its canonical form`(
        text: String,
        accepted: Bool
    ) {
        #expect(((try? Base64URL.decode(text)) != nil) == accepted)
    }

    @Test(arguments: 0...9)
    func `Bytes of every length are decoded from base64 text in both alphabets`(count: Int) throws {
        let bytes = RandomBytes.make(count: count)
        for padding in [true, false] {
            #expect(try Base64URL.decode(Base64URL.encode(bytes, padding: padding)) == bytes)
            #expect(try Base64.decode(Base64.encode(bytes, padding: padding)) == bytes)
        }
    }
}
