import ChatAPI
import JSON
import Testing
import TestSupport

@testable import ChatCore

@Suite struct MarkdownTests {
    @Test("Markup is read as the original reads it")
    func vectors() throws {
        for item in try #require(Fixture.vectors("chat-text")["markdown"]?.arrayValue) {
            let input = try #require(item["input"]?.stringValue)
            let answer = item["result"] ?? item["parsed"]
            let expected = try (answer?["formattedText"]).map { try JSONDecoder().decode([FormattedText].self, from: $0) }
            #expect(MarkdownParser.parse(input) == expected, "\(input)")
        }
    }

    @Test("Any text keeps its words, whatever marks are in it")
    func fuzz() {
        let text = "*bold* _it_ ~s~ `c` #x# !1 red! @'a b' /cmd [a](https://b.c) +1 (234) 567-8901 a@b.cd\n*"
        for mutated in mutations(of: Array(text.utf8), count: 500) {
            _ = MarkdownParser.parse(String(decoding: mutated, as: UTF8.self))
        }
    }

    @Test("a text that is seen to be plain at a glance is one that has nothing in it when it is read")
    func plain() {
        var random = SeededRandom(seed: 21)
        let parts = ["a", "r", "word", " ", "  ", "\n", ".", "!", "!!", ",", "'", "(", ")", ":", "?", "-", "é", "*", "/", "@", "1", "com", "http://", "\t"]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<9, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
            #expect(MarkdownParser.parse(text) == MarkdownParser.fragments(of: text), "\(text)")
        }
    }
}

@Suite struct DisplayNameTests {
    @Test("Names are made valid as the original makes them")
    func vectors() throws {
        for item in try #require(Fixture.vectors("chat-text")["validName"]?.arrayValue) {
            let input = try #require(item["input"]?.stringValue)
            let expected = try #require(item["result"]?.stringValue)
            #expect(Array(DisplayName.valid(input).utf8) == Array(expected.utf8), "\(input)")
        }
    }
}

@Suite struct FeatureTests {
    @Test("A time is told in its units", arguments: [
        (0, "0 sec"), (60, "1 min"), (3600, "1 hour"), (86400, "1 day"), (7 * 86400, "1 week"), (14 * 86400, "2 weeks"),
        (30 * 86400, "1 month"), (61 * 86400 + 7325, "2 months 1 day 2 hours 2 min 5 sec"),
    ] as [(Int64, String)])
    func durations(seconds: Int64, text: String) {
        #expect(ContactFeature.durationText(seconds) == text)
    }

    @Test("Who can use a feature follows from what both sides say")
    func enabled() {
        func enabled(_ user: FeatureAllowed, _ contact: FeatureAllowed) -> [Bool] {
            let both = FeatureEnabled(user: user, contact: contact, asymmetric: true)
            return [both.forUser, both.forContact]
        }
        #expect(enabled(.yes, .yes) == [true, true])
        #expect(enabled(.always, .no) == [false, true])
        #expect(enabled(.no, .always) == [true, false])
        #expect(enabled(.yes, .no) == [false, false])
        #expect(FeatureEnabled(user: .always, contact: .no, asymmetric: false).forContact == false)
    }
}
