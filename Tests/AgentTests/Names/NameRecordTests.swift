import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

@Suite("Records of SimpleX names") struct NameRecordTests {
    private static func makeLink(_ type: Character, _ byte: UInt8 = 1) -> String {
        "https://smp.example.org/\(type)#" + Base64URL.encode([UInt8](repeating: byte, count: 32), padding: false)
    }

    private func parseFile(_ text: String) throws(NameFile.Fault) -> NameFile {
        try NameFile(parsing: Array(text.utf8))
    }

    @Test
    func `A SimpleX name record is written with all JSON members that the original requires`() throws {
        let record = NameRecord(name: "alice.simplex")
        let zero = "0x0000000000000000000000000000000000000000"
        #expect(
            String(decoding: record.json, as: UTF8.self)
                == #"{"name":"alice.simplex","nickname":"","website":"","location":"","simplexContact":[],"simplexChannel":[],"eth":null,"btc":null,"xmr":null,"dot":null,"owner":"\#(zero)","resolver":"\#(zero)"}"#
        )
        #expect(try NameRecord(parsing: record.json) == record)
    }

    @Test
    func `A SimpleX name record is read with its JSON members in any order and with unknown members`() throws {
        let text =
            #"{"resolver":"0x1","owner":"0x2","new":[1],"btc":"bc1","eth":null,"simplexChannel":["b"],"simplexContact":["a","c"],"location":"l","website":"w","nickname":"n","name":"a.b"}"#
        let record = try NameRecord(parsing: Array(text.utf8))
        #expect(record.contacts == ["a", "c"] && record.channels == ["b"] && record.coinAddresses == ["btc": "bc1"])
        #expect([record.name, record.nickname, record.website, record.location] == ["a.b", "n", "w", "l"])
        #expect(record.owner == "0x2" && record.resolver == "0x1")
    }

    @Test(arguments: [
        ("\"nickname\":\"\"", "\"nickname\":null"), ("\"simplexContact\":[]", "\"simplexContact\":[1]"),
        ("\"simplexChannel\":[],", ""), ("\"eth\":null", "\"eth\":7"), ("{", "["),
        ("\"simplexContact\":[]", "\"simplexContact\":[\"\(String(repeating: "x", count: 16_000))\"]"),
    ])
    func `A malformed or too large SimpleX name record is refused`(part: String, replacement: String) throws {
        let good = String(decoding: NameRecord(name: "a.simplex").json, as: UTF8.self)
        let bad = good.replacing(part, with: replacement, maxReplacements: 1)
        #expect(bad != good)
        #expect(throws: SMPEncodingError.self) { try NameRecord(parsing: Array(bad.utf8)) }
    }

    @Test
    func `A file of SimpleX names is read to one record for each name, with names in lower case`() throws {
        let (contact, channel) = (Self.makeLink("a"), Self.makeLink("c"))
        let owner = "0x" + String(repeating: "Ab", count: 20)
        let file = try parseFile(
            #"{"Alice.simplex":{"simplexContact":["\#(contact)"],"simplexChannel":["\#(channel)"],"nickname":"Al","eth":"0x9","owner":"\#(owner)"},"b.testing":{}}"#
        )
        let alice = try #require(file.records[try NameDomain(parsing: "alice.simplex".utf8)])
        #expect(alice.name == "alice.simplex" && alice.contacts == [contact] && alice.channels == [channel])
        #expect(alice.nickname == "Al" && alice.coinAddresses == ["eth": "0x9"] && alice.owner == owner.lowercased())
        #expect(file.records[try NameDomain(parsing: "b.testing".utf8)]?.contacts == [])
        #expect(file.records.count == 2)
    }

    @Test(arguments: [
        ("[]", "not a JSON object"), ("{", "line 1"), (#"{"alice":{}}"#, "alice is not a name"),
        (#"{"аlice.simplex":{}}"#, "is not a name"), (#"{"a--b.simplex":{}}"#, "is not a name"),
        (#"{"a.simplex":{},"A.simplex":{}}"#, "a.simplex is given twice"), (#"{"a.simplex":1}"#, "the record of"),
        (#"{"a.simplex":{"link":"x"}}"#, "unknown member link"),
        (#"{"a.simplex":{"website":1}}"#, "website of a.simplex"),
        (#"{"a.simplex":{"owner":"0x12"}}"#, "owner of a.simplex"),
        (#"{"a.simplex":{"simplexContact":"x"}}"#, "not a list of links"),
        (#"{"a.simplex":{"simplexContact":["\#(makeLink("c"))"]}}"#, "not a short link of a contact address"),
        (#"{"a.simplex":{"simplexChannel":["\#(makeLink("g"))"]}}"#, "not a short link of a channel"),
        (#"{"\#(String(repeating: "a", count: 64)).simplex":{}}"#, "is not a name"),
    ])
    func `A file of SimpleX names with a wrong name, JSON member or link is refused with an error about this part`(
        text: String,
        words: String
    ) throws {
        let fault = #expect(throws: NameFile.Fault.self) { try parseFile(text) }
        #expect(fault?.description.contains(words) == true, "\(fault?.description ?? "")")
    }

    @Test
    func `A file of SimpleX names with too many names or a too large record is refused`() throws {
        let names = (0...NameFile.maxNames).map { #""n\#($0).simplex":{}"# }.joined(separator: ",")
        #expect(throws: NameFile.Fault.self) { try parseFile("{\(names)}") }
        let links = (0..<250).map { "\"\(Self.makeLink("a", UInt8($0)))\"" }.joined(separator: ",")
        let fault = #expect(throws: NameFile.Fault.self) {
            try parseFile(#"{"a.simplex":{"simplexContact":[\#(links)]}}"#)
        }
        #expect(fault?.description.contains("16000 bytes") == true)
    }
}
