import ChatAPI
import JSON
import SMP
import Testing

@testable import Agent
@testable import ChatCore

@Suite("Texts of SimpleX names") struct SimplexNameTests {
    @Test(arguments: [
        ("@alice.simplex", "alice.simplex", SimplexNameType.contact),
        ("#news.simplex", "news.simplex", .publicGroup), ("#news", "news.simplex", .publicGroup),
        ("simplex:/name@alice.simplex", "alice.simplex", .contact),
        ("simplex:/name#news", "news.simplex", .publicGroup), ("@example.com", "example.com", .contact),
        ("@ALICE.Simplex", "alice.simplex", .contact), ("alice.simplex", "alice.simplex", nil),
        ("a.b.alice.testing", "a.b.alice.testing", nil), ("simplex:/nameexample.com", "example.com", nil),
        ("simplex:/namenews", "news.simplex", nil), ("@a-1.simplex", "a-1.simplex", .contact),
    ])
    func `A SimpleX name is parsed with its type and its domain`(
        text: String,
        domain: String,
        type: SimplexNameType?
    ) throws {
        let name = try #require(try SimplexName.parse(text))
        #expect(name.domain.text == domain && name.type == type)
        #expect(SimplexDomain(name.domain).text == domain)
    }

    @Test(arguments: [
        "", "alice", "example.com", "https://example.com/a#bcd", "simplex:/contact#/?v=2-7&smp=smp%3A%2F%2Fa",
        "alice.simplex.example.com", ".simplex", "simplex",
    ])
    func `A text is parsed as a SimpleX name only if the text has the form of a name`(text: String) throws {
        #expect(try SimplexName.parse(text) == nil)
    }

    @Test(arguments: [
        "@", "#", "@alice", "simplex:/name", "simplex:/name@", "@.simplex", "@alice..simplex", "@-alice.simplex",
        "@alice-.simplex", "@al--ice.simplex", "@al_ice.simplex", "@al ice.simplex", "@аlice.simplex",
        "@アリス.simplex", "@alice\u{301}.simplex", "@alice.simplex\u{200B}", "@alice。simplex", "#\u{301}news.simplex",
        "@" + String(repeating: "a", count: 64) + ".simplex",
        "@" + String(repeating: "a.", count: 124) + "simplex", "@xn--alice.simplex", "@@alice.simplex",
    ])
    func `A SimpleX name is refused if it is in another script, of confusable letters, too long, or without a domain`(
        text: String
    ) {
        #expect(throws: ChatFailure.self) { try SimplexName.parse(text) }
    }

    @Test
    func `The domain of a SimpleX name is split into the same parts as in the original`() throws {
        let domain = SimplexDomain(try NameDomain(parsing: "a.b.alice.simplex".utf8))
        #expect(domain == SimplexDomain(nameTLD: .simplex, domain: "alice", subDomain: ["b", "a"]))
        let web = SimplexDomain(try NameDomain(parsing: "www.example.com".utf8))
        #expect(web == SimplexDomain(nameTLD: .web, domain: "www.example.com", subDomain: []))
    }

    @Test
    func `The first link of the right type in a name record is used, and other entries are ignored`() throws {
        func link(_ type: String, _ letter: String) -> String {
            "https://smp.example.org/\(type)#" + String(repeating: letter, count: 42) + "A"
        }
        var record = NameRecord(name: "alice.simplex")
        record.contacts = ["", "nonsense", link("c", "C"), link("a", "D"), link("a", "E")]
        record.channels = [link("a", "D"), link("c", "C")]
        #expect(record.findFirstLink(ofType: .contact) == (try ShortLink(atServer: link("a", "D"))))
        #expect(record.findFirstLink(ofType: .publicGroup) == (try ShortLink(atServer: link("c", "C"))))
        let own = try ShortLink(atServer: link("a", "E"))
        #expect(record.leads(to: own, .contact) && !record.leads(to: own, .publicGroup))
        let elsewhere = link("a", "E").replacingOccurrences("smp.", by: "other.")
        #expect(!record.leads(to: try ShortLink(atServer: elsewhere), .contact))
        record.contacts = []
        #expect(record.findFirstLink(ofType: .contact) == nil)
    }
}

extension String {
    fileprivate func replacingOccurrences(_ part: String, by other: String) -> String {
        split(separator: part, omittingEmptySubsequences: false).joined(separator: other)
    }
}
