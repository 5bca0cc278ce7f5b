import JSON
import TestSupport
import Testing

@testable import ChatText

@Suite struct DisplayNameTests {
    @Test
    func `Invalid display names are corrected as in simplex-chat`() throws {
        var names: [String: String] = [:]
        for name in ["errors-parsing", "errors-state", "group-basic", "users"] {
            for line in try Fixture.readTranscript(name) {
                let error = line["json"]?["chatError"]?["errorType"]
                if let sent = error?["displayName"]?.stringValue, let valid = error?["validName"]?.stringValue {
                    names[sent] = valid
                }
            }
        }
        #expect(names.count >= 5)
        for (sent, valid) in names { #expect(DisplayName.stripInvalidCharacters(sent) == valid, "\(sent)") }
    }

    @Test(arguments: [
        ("alice", "alice"), ("Alice Smith", "Alice Smith"), ("  alice  ", "alice"), ("alice  smith", "alice smith"),
        ("'alice'", "alice"), ("al#ice", "alice"),
        ("1alice", "1alice"), ("!x", "x"), ("alice!!!!", "alice!"), ("a. b", "a b"), ("a/b", "ab"),
        ("żółć", "żółć"), ("😀", "😀"), ("a\tb", "a b"), ("-a", "a"),
        ("a-b_c", "a-b_c"), ("a-_b", "a-b"), (String(repeating: "x", count: 60), String(repeating: "x", count: 50)),
        ("", ""), ("   ", ""), ("\u{301}a", "a"),
        ("á", "á"), ("$money", "money"), ("a $5", "a $5"), ("a ! b", "a ! b"), ("(a)", "a"), ("a~\"`,;b", "ab"),
        ("O'Neil", "ONeil"), ("O’Neil", "ONeil"), ("Dr. X", "Dr X"), ("Smith, John", "Smith John"),
        ("Anna (work)", "Anna work"),
        ("Anna-Maria", "Anna-Maria"), ("J. ... Doe", "J Doe"), ("alice >>= bob", "alice >>= bob"),
        ("alice && bob", "alice & bob"),
        ("alice & & bob", "alice & bob"), ("alice -- bob", "alice - bob"), ("alice: bob", "alice: bob"),
        ("> alice", "alice"),
    ])
    func `A corrected display name has no leading, repeated or forbidden punctuation`(name: String, expected: String) {
        #expect(Array(DisplayName.stripInvalidCharacters(name).utf8) == Array(expected.utf8))
    }

    @Test(arguments: [
        ("Dr. O'Neil, MD", "Dr. ONeil, MD"), ("a/b (c)", "a/b (c)"), ("$money", "$money"),
        ("ali\u{202E}ce", "alice"), ("'", "unnamed"), ("@a!!!!", "a!!!"),
    ])
    func `A peer's display name loses invisible and misleading characters, and no others`(
        name: String,
        expected: String
    ) { #expect(DisplayName.makeShownPeerName(name) == expected) }
}
