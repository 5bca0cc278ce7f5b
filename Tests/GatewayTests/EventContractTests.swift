import ChatAPI
import Foundation
import JSON
import TestSupport
import Testing

@testable import Gateway

/// The events of the contract, which form a union by `type`.
@Suite struct EventContractTests {
    private let schemas = Contract.servedContract.document["components"]?["schemas"]

    /// Returns the schema of each event, by the type of the event.
    private func schemasByType() throws -> [String: JSONValue] {
        var found: [String: JSONValue] = [:]
        for branch in try #require(schemas?["Event"]?["oneOf"]?.arrayValue) {
            let schema = try #require(
                branch["$ref"].flatMap {
                    SchemaValidator(document: Contract.servedContract.document).resolveReference($0)
                }
            )
            if let type = schema["properties"]?["type"]?["const"]?.stringValue { found[type] = schema }
        }
        return found
    }

    @Test
    func `The contract has a schema with a description for exactly the emitted events`() throws {
        let described = try schemasByType()
        #expect(
            Set(described.keys)
                == Set(ChatEvent.types + ["redacted", "gap", "passed", "storeLocked", "storeDeleted", "keyEnded"])
        )
        for (type, schema) in described {
            #expect(schema["description"]?.stringValue?.hasSuffix(".") == true, "\(type)")
        }
    }

    @Test
    func `The schema of each event has the same members and required members as the interface of the core`() throws {
        let described = try schemasByType()
        var count = 0
        for event in try #require(Fixture.readCatalogue()["events"]?.arrayValue) {
            let type = try #require(event["tag"]?.stringValue)
            guard let schema = described[type], type != "terminalEvent" else { continue }
            // Each field is `[name, type]`, or `[name, type, true]` if it is optional.
            let fields = try #require(event["fields"]?.arrayValue)
            let names = fields.compactMap { $0[0]?.stringValue }
            let needed = fields.filter { $0[2] != true }.compactMap { $0[0]?.stringValue }
            count += 1
            #expect(Set(schema["properties"]?.objectValue?.keys ?? []) == Set(names + ["type"]), "\(type)")
            #expect(
                Set(schema["required"]?.arrayValue?.compactMap(\.stringValue) ?? []) == Set(needed + ["type"]),
                "\(type)"
            )
        }
        #expect(count > 100)
    }

    @Test
    func `All events that were recorded with the original are valid by the contract`() throws {
        let described = try schemasByType()
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appending(
            path: "Fixtures/transcripts"
        )
        var seen: [String: Int] = [:]
        var wrong: [String: String] = [:]
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            // This recording was made with the earlier version 6.4.5, so it is skipped.
            if file.hasPrefix("server-outage.") { continue }
            for line in try Fixture.readTranscript(String(file.prefix { $0 != "." })) where line["dir"] == "event" {
                guard let event = line["json"], let type = event["type"]?.stringValue, let schema = described[type]
                else { continue }
                seen[type, default: 0] += 1
                // Many events are similar and large, so 60 of each type are enough.
                guard seen[type] ?? 0 <= 60 else { continue }
                if let first = Contract.servedContract.violations(of: event, by: schema).first {
                    wrong[type] = "\(file): \(first)"
                }
            }
        }
        #expect(seen.count > 50)
        #expect(wrong.isEmpty, "\(wrong)")
    }
}
