import TestSupport
import Testing

@testable import OutgoingHTTP

@Suite("URLs of outgoing requests") struct TargetURLTests {
    @Test(arguments: [
        ("https://example.org", "example.org", 443, "/", "https://example.org/"),
        (
            "HTTPS://Example.ORG:8443/a/b?c=%20d", "example.org", 8443, "/a/b?c=%20d",
            "https://example.org:8443/a/b?c=%20d"
        ),
        ("https://example.org?x=1", "example.org", 443, "/?x=1", "https://example.org/?x=1"),
        ("http://127.0.0.1:80/", "127.0.0.1", 80, "/", "http://127.0.0.1/"),
        ("https://[2001:DB8::1]:444/x", "2001:db8::1", 444, "/x", "https://[2001:db8::1]:444/x"),
        ("https://user:p%40ss@a.b/c", "a.b", 443, "/c", "https://***@a.b/c"),
        ("https://user@a.b/@c:d", "a.b", 443, "/@c:d", "https://***@a.b/@c:d"),
        ("https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443, "/", "https://xn--bcher-kva.example/"),
        ("https://a_b.example:443", "a_b.example", 443, "/", "https://a_b.example/"),
        ("https://localhost/", "localhost", 443, "/", "https://localhost/"),
    ])
    func `A request URL is parsed, and shown without its user and password`(
        text: String,
        host: String,
        port: Int,
        path: String,
        masked: String
    ) throws {
        let url = try TargetURL(text)
        #expect((url.hostText, Int(url.port), url.path, url.maskedText) == (host, port, path, masked))
        #expect(url.isEncrypted == text.lowercased().hasPrefix("https"))
        #expect(!url.maskedText.contains("p@ss") && !url.origin.contains("user"))
    }

    @Test
    func `User and password of a request URL become Basic authentication`() throws {
        #expect(try TargetURL("https://user:p%40ss@a.b/").credentials == Array("user:p@ss".utf8))
        #expect(try TargetURL("https://user@a.b/").credentials == Array("user:".utf8))
        #expect(try TargetURL("https://@a.b/").credentials == Array(":".utf8))
        #expect(try TargetURL("https://a.b/").credentials == nil)
    }

    @Test
    func `A URL that is parsed from a random text can be written and parsed again`() throws {
        let chance = SharedRandom()
        let pieces = [
            "a", "b.example", "127.0.0.1", "0x7f", "1", ".", ":", "@", "/", "?", "#", "[", "]", "::1", "[::1]", "%",
            "%41", "%0d%0a", "\\", " ", "\r\n", "ä", "-", "_", ":443",
            ":99999", "user:pass", "*", "::ffff:10.0.0.1", "xn--", "0", "\0",
        ]
        var good = 0
        for _ in 0..<20_000 {
            let text =
                (chance.randomNumber(2) == 0 ? "http://" : "https://")
                + (0...chance.randomNumber(8)).map { _ in pieces[chance.randomNumber(pieces.count)] }.joined()
            guard let url = try? TargetURL(text) else { continue }
            good += 1
            let shown = url.origin + url.path
            let again = try TargetURL(shown)
            let isSame =
                (again.hostText, again.port, again.path, again.isEncrypted) == (
                    url.hostText, url.port, url.path, url.isEncrypted
                )
            guard isSame, again.credentials == nil, url.path.hasPrefix("/"), !url.hostText.isEmpty,
                shown.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else {
                Issue.record("\(text.debugDescription): \(shown)")
                return
            }
        }
        #expect(good > 100)
    }

    @Test
    func `The time that is parsed from any Retry-After header is never negative`() {
        let chance = SharedRandom()
        let pieces = [
            "Wed,", " ", "21", "Oct", "2015", "07:28:00", "GMT", ":", "-1", "99", "9999", "Dec", "31", "23:59:60",
            "99999999999999999999", "00", "x",
        ]
        for number in 0..<20_000 {
            let field =
                number % 2 == 0
                ? (0...chance.randomNumber(11)).map { _ in pieces[chance.randomNumber(pieces.count)] }.joined()
                : "Wed, \(chance.randomNumber(40)) Oct \(chance.randomNumber(12_000)) \(chance.randomNumber(30)):\(chance.randomNumber(70)):\(chance.randomNumber(70)) GMT"
            guard OutgoingAnswer.parseRetryAfter(field, now: 1_800_000_000) ?? 0 >= 0 else {
                Issue.record("\(field)")
                return
            }
        }
    }

    @Test(arguments: [
        "", "https://", "https:///x", "https:/a.b", "//a.b", "a.b", "ftp://a.b", "file:///etc/passwd",
        "javascript:alert(1)", "https:a.b", " https://a.b", "https://a.b ",
        "https://a b", "https://a.b/\n", "https://a.b/\r\nX: 1", "https://a.b/\0", "https://a.b\\@c.d/",
        "https://a.b#x", "https://a.b/x#y", "https://a.b/ä", "https://bücher.example/",
        "https://a..b", "https://.a", "https://a.b.", "https://a./", "https://-a.b", "https://a-.b",
        "https://a.b:0", "https://a.b:65536", "https://a.b:", "https://a.b:+1", "https://a.b:8o",
        "https://a.b:000080", "https://a:b:c", "https://u@v@a.b", "https://u@", "https://%61.b", "https://a.b/%",
        "https://a.b/%1", "https://a.b/%zz", "https://u%0d%0a:x@a.b",
        "https://127.1", "https://2130706433", "https://0x7f000001", "https://0x7f.0.0.1", "https://0177.0.0.1",
        "https://127.0.0.1.", "https://127.0.0.256", "https://1.2.3.4.5", "https://a.0x1",
        "https://a.1", "https://[::1", "https://::1", "https://[fe80::1%25eth0]", "https://[127.0.0.1]",
        "https://[::1]x", "https://[::1]:x", "https://[]", "https://[v1.x]", "https://a.b/<x>", "https://a.b/{x}",
        "https://a.b/\"", "https://a.b/|", "https://a.b/^", "https://a.b/`",
        "https://" + String(repeating: "a", count: 64) + ".b",
        "https://" + String(repeating: "a.", count: 130) + "b",
        "https://a.b/" + String(repeating: "x", count: 2048),
    ])
    func `An ambiguous or malformed request URL is refused`(text: String) {
        #expect { try TargetURL(text) } throws: { error in
            let refusal = "\(error)"
            return ["must ", "has "].contains { refusal.hasPrefix($0) } && refusal.hasSuffix(".")
                && (text.count < 12 || !refusal.contains(text))
        }
    }

    @Test(arguments: [
        "data:image/png;base64,AA", "javascript:alert(1)", "mailto:me@example.org", "file:///etc/passwd",
        "HTTP:path", "a+b.c-1:x",
    ])
    func `A link in a web page whose scheme is not 'http' or 'https' is refused`(link: String) throws {
        let page = try TargetURL("https://example.org/a/b")
        #expect(throws: TargetURL.Refusal.self) { try page.resolveLink(link) }
    }

    @Test(arguments: ["./a:b", "/a:b", "?a:b", "1:b"])
    func `A colon inside a relative link's path does not begin a scheme`(link: String) throws {
        _ = try TargetURL("https://example.org/a/b").resolveLink(link)
    }
}
