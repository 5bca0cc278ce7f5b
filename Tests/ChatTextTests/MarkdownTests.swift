import ChatAPI
import JSON
import Testing
import TestSupport

@testable import ChatText

@Suite struct MarkdownTests {
    /// Texts that later versions of the original parse in another way, since `#name` became a name.
    private static let changedTexts: Set = ["`code` #secret# ##secret## #not secret", "# #x# #"]

    @Test
    func `Markup in messages is parsed as in simplex-chat`() throws {
        for item in try #require(Fixture.readVectors("chat-text")["markdown"]?.arrayValue) {
            let input = try #require(item["input"]?.stringValue)
            if Self.changedTexts.contains(input) { continue }
            let answer = item["result"] ?? item["parsed"]
            let expected = try (answer?["formattedText"]).map {
                try JSONDecoder().decode([FormattedText].self, from: $0)
            }
            #expect(MarkdownParser.parse(input) == expected, "\(input)")
        }
    }

    @Test(
        arguments: [
            ("@{nick} x", ["@{nick": "{nick"]), ("@...", ["@": ""]), ("@a) @b/", ["@a": "a", "@b": "b"]),
            ("@a\tb", ["@a": "a"]), ("@a\u{A0}b", ["@a": "a"]),
            ("@'a ' x", ["@'a '": "a "]), ("@'#a' x", [:]), ("@#a @\t", [:]),
        ] as [(String, [String: String])]
    )
    func `A mention ends at the end of the word, and a mention in quotes ends at the closing quote`(
        text: String,
        names: [String: String]
    ) {
        let found = (MarkdownParser.parse(text) ?? []).compactMap { part -> (String, String)? in
            guard case .mention(let name) = part.format else { return nil }
            return (part.text, name)
        }
        #expect(Dictionary(found) { first, _ in first } == names)
    }

    @Test(arguments: [
        ("@alice.simplex", "@alice.simplex", "alice.simplex"), ("#news.simplex", "#news.simplex", "news.simplex"),
        ("#news", "#news", "news.simplex"), ("see #News, and *b*", "#News", "news.simplex"),
        ("ask @a.b.Alice.testing!", "@a.b.Alice.testing", "a.b.alice.testing"),
        ("@www.example.com x", "@www.example.com", "www.example.com"), ("x #5", "#5", "5.simplex"),
        ("#a #b# c", "#a", "a.simplex"), ("#no secret #", "#no", "no.simplex"),
    ])
    func `A SimpleX name in a message is parsed to the format for SimpleX names`(
        text: String,
        shown: String,
        domain: String
    ) throws {
        let part = try #require(MarkdownParser.parse(text)?.first { $0.isName })
        guard case .simplexName(let info) = part.format else { return }
        #expect(part.text == shown && info.nameDomain.text == domain)
        #expect(info.nameType == (shown.hasPrefix("@") ? .contact : .publicGroup))
    }

    @Test(arguments: [
        "@alice", "#", "##", "# news", "#ne_ws", "#-news", "#nеws", "@alice..simplex", "@.simplex",
        "alice.simplex x",
        "simplex:/name@alice.simplex", "#" + String(repeating: "a", count: 64), "#news#", "a#news",
        "#" + String(repeating: "a.", count: 124) + "simplex",
    ])
    func `A text that is not a complete SimpleX name is parsed to a different format or to plain text`(text: String) {
        #expect(MarkdownParser.parse(text)?.contains { $0.isName } != true)
    }

    @Test
    func `The JSON of a SimpleX name in a message equals the JSON of the original`() throws {
        let part = try #require(MarkdownParser.parse("#a.news.simplex")?.first)
        let expected =
            ##"{"format":{"type":"simplexName","nameInfo":{"nameType":"publicGroup","nameDomain":{"nameTLD":"simplex","domain":"news","subDomain":["a"]}}},"text":"#a.news.simplex"}"##
        #expect(try JSONEncoder().encodeValue(part) == JSONValue(parsing: expected))
    }

    @Test
    func `A number sign that begins neither a secret text nor a SimpleX name is plain text in a message`() {
        let bold = FormattedText(format: .bold, text: "b")
        #expect(MarkdownParser.parse("# #x# *b*")?.map(\.text) == ["# ", "x", " ", "b"])
        #expect(MarkdownParser.parse("#_ *b*") == [FormattedText(format: nil, text: "#_ "), bold])
    }

    @Test(
        arguments: [
            ("x /ab_c, y", "/ab_c"), ("x /'a b-c' y", "/'a b-c'"), ("x /a\tb", "/a"), ("x /a-b", nil), ("x //a", nil),
            ("x /a/b", nil), ("x /,", nil), ("x /'a-b c'", nil), ("x /²", nil),
        ] as [(String, String?)]
    )
    func `A slash in the middle of a message begins a command only if a keyword follows`(text: String, command: String?)
    {
        let found = MarkdownParser.parse(text)?.first { if case .command = $0.format { true } else { false } }
        #expect(found?.text == command)
    }

    @Test
    func `One line break at the end of a message is removed`() {
        #expect(MarkdownParser.parse("*a*\n") == [FormattedText(format: .bold, text: "a")])
        #expect(MarkdownParser.parse("/a b\n") == [FormattedText(format: .command(commandStr: "a b"), text: "/a b")])
        #expect(
            MarkdownParser.parse("*a*\n\n") == [
                FormattedText(format: .bold, text: "a"), FormattedText(format: nil, text: "\n"),
            ]
        )
    }

    @Test(arguments: [
        "https://a.b/?a[b]=<|x", "https://a.b/?é", "https://a.b/%zz", "https://a%2eb", "https://u:p@a.b/x",
        "https://a.b:80", "https://a.b/#f?/x",
    ])
    func `A valid web address in a message is recognized as a link`(text: String) {
        #expect(WebAddress.isURI(text))
    }

    @Test(arguments: [
        "https://a.b/a|b", "https://a.b/a[b", "https://a.b/é", "https://a.b/#f#g", "https://a.b/#é",
        "https://a.b:8x", "https://a.b:/x", "https://u[@a.b/", "https://@a.b/x", "https://a@b@c.d/",
        "http://a.b\\c", "https://local/x", "https://[::1.2]/", "http://a.",
    ])
    func `An invalid web address in a message stays plain text`(text: String) {
        #expect(!WebAddress.isURI(text))
    }

    @Test(arguments: [
        ("a@b", true), ("a.b+c{d}@e-f.gh", true), ("a@1.2", true), ("a@b.c_d", false), ("a@-b", false),
        ("a..b@c", false), ("a@b..c", false), ("é@b.c", false),
        ("a@" + String(repeating: "b", count: 63), true), ("a@" + String(repeating: "b", count: 64), false),
        (String(repeating: "a", count: 64) + "@b.c", true), (String(repeating: "a", count: 65) + "@b.c", false),
    ])
    func `A mail address in a message is recognized if its host has at least one valid label`(
        text: String,
        isMailbox: Bool
    ) {
        #expect(WebAddress.isEmail(text) == isMailbox)
    }

    @Test
    func `The parsed parts of a message together contain all its characters except the markup`() {
        let text = "*bold* _it_ ~s~ `c` #x# !1 red! @'a b' /cmd [a](https://b.c) +1 (234) 567-8901 a@b.cd\n*"
        for mutated in makeMutations(of: Array(text.utf8), count: 500) {
            let text = String(decoding: mutated, as: UTF8.self)
            guard let parts = MarkdownParser.parse(text) else { continue }
            #expect(Self.onlyMarksMissing(from: parts, of: text), "\(text)")
        }
    }

    /// Whether the joined texts of the parts equal the text without its markup characters and the end of the last line.
    private static func onlyMarksMissing(from parts: [FormattedText], of text: String) -> Bool {
        var rest = Array(text.unicodeScalars)[...]
        /// Skips characters of `marks` until `isThere` returns true.
        /// - Returns: false if another character comes first.
        func skip(_ marks: String, until isThere: () -> Bool) -> Bool {
            while !isThere() {
                guard let next = rest.first, marks.unicodeScalars.contains(next) else { return false }
                rest.removeFirst()
            }
            return true
        }
        let colors = "!123456rgbycm edlnuowagt"
        let hasColors = parts.contains { if case .colored = $0.format { true } else { false } }
        for part in parts {
            for scalar in part.text.unicodeScalars {
                guard skip(hasColors ? "*_~`#" + colors : "*_~`#", until: { rest.first == scalar }) else {
                    return false
                }
                rest.removeFirst()
            }
        }
        return skip("*_~`#!\n", until: { rest.isEmpty })
    }

    @Test(
        arguments: [
            "[ ", "*a ", "*a *", "_ ", "~", "`", "#", "# ", "#a ", "#a.", "@a.b ", "!1 ", "!1 a", "!red a!", "@a",
            "@a ", "@'a ",
            "@'# ", "/a", "/'a-", "/a-b\t", "1 ", "1-", "+1 (", "+1 (1", "1 (11", "[a]",
            "[a](", "[a](b ", "[a](https://a.b/? ", "[a](https://a.b/?#é ", "[a](https://a.b/#", "[http://a ",
            "*x*[a](simplex:/a#", "a.b ", "a@b ", "https://a.b#", "simplex:/contact#/?", ". ", "é", "a", "\n",
            "[a]\n(",
        ],
        ["", ")", "](http://a.b)", "](https://a.b/? c", "#é)", "!", "'"]
    )
    func `Parsing the markup of a message takes time in proportion to its length, for any markup characters`(
        unit: String,
        end: String
    ) {
        // A quadratic time exceeds the limit at the shorter length, too.
        for length in [1_000, end.isEmpty ? 65_536 : 16_384] {
            let text = String(repeating: unit, count: length / unit.utf8.count) + end
            var work = 0
            _ = MarkdownParser.parseFragments(of: text, work: &work)
            #expect(work <= 20 * text.unicodeScalars.count, "\(work) of \(text.unicodeScalars.count)")
        }
    }

    @Test
    func `The fast path of the markup parser for plain text gives the result of the full parser`() {
        var random = SeededRandom(seed: 21)
        let parts = [
            "a", "r", "word", " ", "  ", "\n", ".", "!", "!!", ",", "'", "(", ")", ":", "?", "-", "é", "*", "/", "@",
            "1", "com", "http://", "\t",
        ]
        for _ in 0..<5_000 {
            let text = (0..<Int.random(in: 0..<9, using: &random)).map { _ in parts.randomElement(using: &random) ?? ""
            }.joined()
            #expect(MarkdownParser.parse(text) == MarkdownParser.parseFragments(of: text), "\(text)")
        }
    }
}

extension FormattedText {
    fileprivate var isName: Bool { if case .simplexName = format { true } else { false } }
}
