import Testing

@testable import ChatText

@Suite("Links that are split by white space")
struct SimplexLinkTextTests {
    private static let shortLink = "https://smp.example.com/a#AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

    @Test(arguments: [
        "see \(shortLink)", "see https://smp.example.com / a # AAECAwQFBgcICQoL DA0ODxAREhMUFRYXGBkaGxwdHh8",
        "join: s i m p l e x : / g # AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
    ])
    func `SimpleX links that are split by white space are found in a text`(_ text: String) {
        #expect(SimplexLinkText.containsSplitLink(in: text))
    }

    @Test(arguments: [
        "", "#", "https://example.com/a#b",
        "https://example.com/page#section of a long text that goes on and on and on and on",
        "simplex:/contact", "simplex:/contact#/?v=2", "sssss hhhhh https:// https:// #", "simplex:/a#tooshort",
    ])
    func `The search for SimpleX links split by white space finds nothing in a text without split links`(_ text: String)
    {
        #expect(!SimplexLinkText.containsSplitLink(in: text))
    }
}
