import ChatAPI
import JSON
import Testing

/// Tests that every type in the catalogue of the core's interface exists here with all of its members.
@Suite struct CatalogueTests {
    private let samples: CatalogueSamples

    init() throws { samples = try CatalogueSamples.all.get() }

    /// Types that occur only in texts of commands, and have no JSON.
    private static let textOnlyTypes: Set = ["ChatDeleteMode", "ChatPagination", "PaginationByTime", "ConnMsgReq"]

    @Test
    func `Every record type of the API catalogue is decoded with and without optional members, and encoded back`() {
        for (name, members) in samples.records where !Self.textOnlyTypes.contains(name) {
            guard let type = CatalogueTypes.typesByName[name] else {
                Issue.record("\(name) is missing")
                continue
            }
            for complete in [true, false] {
                expectRoundTrip(samples.makeObject(members, complete: complete), type, name)
            }
        }
    }

    @Test
    func `Every case of every union and error of the API catalogue is decoded, and encoded unchanged`() {
        for (name, cases) in samples.unions where !Self.textOnlyTypes.contains(name) {
            guard let type = CatalogueTypes.typesByName[name] else {
                Issue.record("\(name) is missing")
                continue
            }
            for entry in cases where !entry.isObsolete {
                for complete in [true, false] {
                    expectRoundTrip(
                        samples.makeObject(entry.members, tag: entry.tag, complete: complete),
                        type,
                        "\(name).\(entry.tag)"
                    )
                }
            }
        }
    }

    @Test
    func `Every value of every enum of the API catalogue is decoded`() {
        for (name, values) in samples.enums {
            guard let type = CatalogueTypes.typesByName[name] else {
                Issue.record("\(name) is missing")
                continue
            }
            for value in values {
                expectRoundTrip(.string(value), type, name)
                if let open = type as? any OpenEnum.Type {
                    #expect(knownValues(open).contains(value), "\(name) \(value)")
                }
            }
        }
    }

    @Test
    func `Every response and event of the API catalogue is decoded, and encoded unchanged`() {
        for (cases, type) in [
            (samples.responses, ChatResponse.self as any (Codable & Sendable).Type), (samples.events, ChatEvent.self),
        ] {
            for entry in cases where !entry.isPositional {
                for complete in [true, false] {
                    expectRoundTrip(
                        samples.makeObject(entry.members, tag: entry.tag, complete: complete),
                        type,
                        "\(type).\(entry.tag)"
                    )
                }
            }
        }
    }

    private func knownValues<T: OpenEnum>(_ type: T.Type) -> Set<String> { Set(T.knownValues.map(\.rawValue)) }

    private func expectRoundTrip<T: Codable & Sendable>(_ json: JSONValue, _ type: T.Type, _ name: String) {
        do {
            let value = try JSONDecoder().decode(T.self, from: json)
            let label = Mirror(reflecting: value).children.first?.label
            #expect(label != "unrecognized" && label != "unknown", "\(name) is not known")
            let again = try JSONEncoder().encodeValue(value)
            if again != json { Issue.record("\(name): \(findDifference(json, again) ?? "")") }
        } catch {
            Issue.record("\(name): \(error)")
        }
    }
}
