import SimpleXCrypto
import SMP
import TestSupport
import Testing

@testable import Agent

@Suite struct ConnectionRequestTests {
    @Test
    func `Full connection links have the same text and bytes as in the original`() throws {
        for vector in try Vector.readFile("connection-links").list("fullLinks") {
            let request = try vector.object("request").connectionRequest()
            #expect(request.uri == (try vector.text("uri")))
            #expect(try request.smpEncoded().hex == vector.text("smp"))
            let decoded = try ConnectionRequest(smpEncoded: vector.bytes("smp"))
            #expect(decoded.uri == (try vector.text("smpDecodedRendered")))
        }
    }

    @Test
    func `Connection links are accepted or refused as in the original`() throws {
        for vector in try Vector.readFile("connection-links").list("fullLinkParsing") {
            let input = try vector.text("input")
            let result = try vector.object("result")
            guard result.has("rendered") else {
                #expect(throws: LinkError.self, "\(input)") { try ConnectionRequest(parsing: input) }
                continue
            }
            let request = try ConnectionRequest(parsing: input)
            #expect(request == (try result.object("request").connectionRequest()))
            #expect(request.uri == (try result.text("rendered")))
        }
    }

    @Test
    func `The error for an invalid connection link names the invalid part of the link`() throws {
        let contact = try Self.readLink(.contact)
        #expect(throws: LinkError.unknownScheme) { try ConnectionRequest(parsing: "http" + contact.dropFirst(7)) }
        #expect(throws: LinkError.unknownKind) { try ConnectionRequest(parsing: "simplex:/group#/?v=2") }
        #expect(throws: LinkError.missingParameter("v")) { try ConnectionRequest(parsing: "simplex:/contact#/?smp=") }
        #expect(throws: LinkError.missingParameter("smp")) { try ConnectionRequest(parsing: "simplex:/contact#/?v=2") }
        #expect(throws: LinkError.malformed("smp")) { try ConnectionRequest(parsing: "simplex:/contact#/?v=2&smp=x") }
        #expect(throws: LinkError.malformed("v")) { try ConnectionRequest(parsing: "simplex:/contact#/?v=7-2") }
        #expect(throws: LinkError.malformed("end")) { try ConnectionRequest(parsing: contact + "\n") }
        #expect(throws: LinkError.missingParameter("e2e")) {
            try ConnectionRequest(parsing: contact.replacing("/contact#", with: "/invitation#"))
        }
    }

    @Test
    func `In the query of a link, '+' is decoded as a space, and a percent sign without digits is kept`() {
        #expect(PercentCoding.decodeQuery("a+b%20c%zz%4".utf8) == Array("a b c%zz%4".utf8))
        #expect(PercentCoding.escape("a b~ж;") == "a%20b~%D0%B6%3B")
        let query = QueryParameters(Array("a=1;b&c=2=3&a=4".utf8))
        #expect(query["a"] == Array("1".utf8))
        #expect(query["b"] == [])
        #expect(query["c"] == Array("2=3".utf8))
        #expect(query["d"] == nil)
    }

    @Test
    func `Client data with any text are read back unchanged from the text and the binary form of a link`() throws {
        var request = try ConnectionRequest(parsing: Self.readLink(.contact))
        for data in ["", "{\"a\":1}", "a+b & c=d;#%?\n", "ж🚀"] {
            request.clientData = data
            #expect(try ConnectionRequest(parsing: request.uri) == request)
            #expect(try ConnectionRequest(smpEncoded: request.smpEncoded()) == request)
        }
    }

    @Test
    func `A damaged connection link causes an error, or is read as a different valid link`() throws {
        for kind in [LinkKind.invitation, .contact] {
            for input in makeMutations(of: Array(try Self.readLink(kind).utf8), count: 150) {
                let text = String(decoding: input, as: UTF8.self)
                guard let request = try? ConnectionRequest(parsing: text) else { continue }
                #expect(try ConnectionRequest(parsing: request.uri).uri == request.uri)
            }
        }
    }

    @Test
    func `Damaged bytes of a binary connection link cause an error, or are read as a different valid link`() throws {
        for kind in [LinkKind.invitation, .contact] {
            let bytes = try ConnectionRequest(parsing: Self.readLink(kind)).smpEncoded()
            for input in makeMutations(of: bytes, count: 150) {
                guard let request = try? ConnectionRequest(smpEncoded: input) else { continue }
                let encoded = try request.smpEncoded()
                #expect(try ConnectionRequest(smpEncoded: encoded).smpEncoded() == encoded)
            }
        }
    }

    private enum LinkKind: String { case invitation, contact }

    private static func readLink(_ kind: LinkKind) throws -> String {
        let links = try Vector.readFile("connection-links").list("fullLinks").map { try $0.text("uri") }
        return try #require(links.first { $0.hasPrefix("simplex:/\(kind.rawValue)") })
    }
}
