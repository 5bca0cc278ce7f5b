import JSON
import Testing
import TestSupport

@testable import ChatCore

/// Comparison of the members of answers and events with the recordings. Members that the original always has must
/// exist, and members that it never has must not. Objects are distinguished by their place and their `type`.
@Suite(.socketTimeLimit) struct RecordedShapeTests {
    /// JSON members that are intentionally absent: post-quantum encryption is not supported here. Short links are
    /// supported, but not every recording has them. Changed profiles in the recordings have an image and a description.
    static let acceptedAbsences: Set<String> = [
        "connShortLink", "pqSndEnabled", "pqRcvEnabled", "image", "shortDescr", "ttl", "contactLink",
    ]

    @Test
    func `Answers and events have the same JSON members as in the recordings`() async throws {
        try await compareShapes(
            [
                "connect-invitation", "messages-direct", "messages-pagination", "users", "contact-prefs-info",
                "receipts-statuses", "undeliverable",
            ],
            runAllSteps()
        )
    }

    @Test
    func `Answers and events about addresses have the same JSON members as in the recording`() async throws {
        try await compareShapes(["connect-address"], runAddressCommands())
    }

    @Test
    func `Answers and events about prepared contacts have the same JSON members as in the recordings`() async throws {
        try await compareShapes(
            ["connect-short-link", "connect-address", "connect-invitation", "undeliverable"],
            runPreparedCommands()
        )
    }

    private func compareShapes(_ names: [String], _ told: [(JSONValue, String)]) async throws {
        var recorded = RecordedShapes()
        for name in names {
            for line in try Fixture.readTranscript(name) where line["dir"] != "cmd" {
                guard let json = line["json"], let type = json["type"]?.stringValue else { continue }
                recorded.addShape(json, at: type)
            }
        }
        for (json, type) in told {
            guard recorded.knows(type) else { continue }
            for difference in recorded.findDifferences(json, at: type, absent: Self.acceptedAbsences) {
                Issue.record("\(difference): \(json.text.prefix(400))")
            }
        }
    }

    /// Repeats the recorded commands about an address, as far as this core supports them.
    private func runAddressCommands() async throws -> [(JSONValue, String)] {
        let (alice, bob) = try await World().makeStrangers()
        var told = [
            try await alice.run("/_show_address 1"), try await alice.run("/_address 1"),
            try await alice.run("/_address 1"),
        ]
        told.append(try await alice.run("/_show_address 1"))
        let link = try #require(told.last?["contactLink"]?["connLinkContact"]?["connFullLink"]?.stringValue)
        for core in [alice, bob] { told.append(try await core.run("/_connect plan 1 \(link)")) }
        told.append(try await bob.run("/_connect 1 incognito=off \(link)"))
        try await alice.wait(for: "receivedContactRequest")
        told.append(try await bob.run("/_connect plan 1 \(link)"))
        told.append(try await alice.run("/_get chats 1 pcc=on"))
        told.append(try await alice.run("/_reject 1"))
        told.append(try await alice.run("/_accept incognito=off 1"))
        told.append(try await bob.run("/_connect 1 incognito=off \(link)"))
        try await alice.wait(for: "receivedContactRequest", count: 2)
        told.append(try await alice.run("/_accept incognito=off 2"))
        for core in [alice, bob] { try await core.wait(for: "contactConnected") }
        for command in ["/_connect plan 1 \(link)", "/_connect 1 incognito=off \(link)"] {
            told.append(try await bob.run(command))
        }
        for command in [
            #"/_address_settings 1 {"businessAddress":false,"autoAccept":{"acceptIncognito":false}}"#,
            "/_profile_address 1 on",
            "/_profile_address 1 on", "/_profile_address 1 off", "/_delete_address 1", "/_delete_address 1",
        ] { told.append(try await alice.run(command)) }
        told += try await alice.events().map(\.event) + bob.events().map(\.event)
        await alice.controller.close()
        await bob.controller.close()
        return told.compactMap { json in json["type"]?.stringValue.map { (json, $0) } }
    }

    private func waitForReceipt(of itemId: Int64, _ core: Core) async throws {
        for count in 1... {
            let told = try await core.wait(for: "chatItemsStatusesUpdated", count: count)
            let statuses = told.flatMap { $0["chatItems"]?.arrayValue ?? [] }.map { $0["chatItem"]?["meta"] }
            if statuses.contains(where: {
                $0?["itemId"]?.integerValue == itemId && $0?["itemStatus"]?["type"] == "sndRcvd"
            }) {
                return
            }
        }
    }

    /// Repeats the recorded commands about prepared contacts, by an invitation and by an address.
    private func runPreparedCommands() async throws -> [(JSONValue, String)] {
        let world = try await World()
        let (alice, bob) = (try await world.core("alice"), try await world.core("bob"))
        try await alice.createUser("alice")
        try await bob.createUser("bob2")
        try await bob.createUser("bob")
        let (first, own) = (try await bob.run("/_user 2"), "2")
        var told = [first]
        let links = [
            try await alice.run("/_connect 1 incognito=off")["connLinkInvitation"],
            try await alice.run("/_address 1")["connLinkContact"],
        ]
        for (number, link) in links.enumerated() {
            let short = try #require(link?["connShortLink"]?.stringValue)
            let planned = try await bob.run("/_connect plan \(own) \(short)")
            let plan =
                planned["connectionPlan"]?["invitationLinkPlan"] ?? planned["connectionPlan"]?["contactAddressPlan"]
            let data = try #require(plan?["contactSLinkData_"])
            let full = try #require(planned["connLink"]?["connFullLink"]?.stringValue)
            let prepare = "/_prepare contact \(own) \(full) \(short) \(data.text)"
            told += [planned, try await bob.run(prepare)]
            let contact = number + 1
            if number == 0 { told.append(try await bob.run("/_connect plan \(own) \(short)")) }
            told.append(try await bob.run("/_get chat @\(contact) count=10"))
            told.append(
                try await bob.run(#"/_connect contact @\#(contact) incognito=off json {"type":"text","text":"hi"}"#)
            )
            if number == 1 {
                try await alice.wait(for: "receivedContactRequest")
                told.append(try await alice.run("/_get chats 1 pcc=on"))
                told.append(try await alice.run("/_accept incognito=off 1"))
            }
            for core in [alice, bob] { try await core.wait(for: "contactConnected", count: contact) }
            told.append(try await bob.run("/_get chat @\(contact) count=20"))
        }
        let other = try await alice.run("/_connect 1 incognito=off")
        told += [
            other, try await alice.run("/_short_link_address 1"), try await bob.run("/_delete @1 full notify=off"),
        ]
        told += try await alice.events().map(\.event) + bob.events().map(\.event)
        await alice.controller.close()
        await bob.controller.close()
        return told.compactMap { json in json["type"]?.stringValue.map { (json, $0) } }
    }

    /// Repeats all recorded steps that this core supports.
    private func runAllSteps() async throws -> [(JSONValue, String)] {
        let (alice, bob) = try await World().makeStrangers()
        var told: [JSONValue] = []
        let invitation = try await alice.run("/_connect 1 incognito=off")
        let link = try #require(invitation["connLinkInvitation"]?["connFullLink"]?.stringValue)
        told.append(invitation)
        told.append(try await alice.run("/_get chats 1 pcc=on"))
        told.append(try await alice.run("/_set alias :1 for bob"))
        told.append(try await bob.run("/_connect plan 1 \(link)"))
        told.append(try await bob.run("/_connect 1 incognito=off \(link)"))
        try await alice.wait(for: "contactConnected")
        try await bob.wait(for: "contactConnected")
        let sent = try await alice.run("/_send @1 text hello")
        told.append(sent)
        let item = try #require(sent.firstItemId)
        try await bob.wait(for: "newChatItems", count: 4)
        try await alice.wait(for: "chatItemsStatusesUpdated")
        let timed =
            #"/_send @1 live=off ttl=3600 json [{"msgContent":{"type":"text","text":"a"},"quotedItemId":\#(item),"mentions":{}}]"#
        let live = #"/_send @1 live=on ttl=default json [{"msgContent":{"type":"text","text":"b"},"mentions":{}}]"#
        let edit = #"json {"msgContent":{"type":"text","text":"hello again"},"mentions":{}}"#
        let commands = [
            timed, live, "/_update item @1 \(item) live=off \(edit)", "/_update item @1 \(item) live=off \(edit)",
            "/_get item info @1 \(item)", #"/_reaction @1 \#(item) on {"type":"emoji","emoji":"👍"}"#,
            "/_get chat @1 count=20",
            "/_get chat @1 initial=5", "/_get chats 1 pcc=on", "/_contacts 1", "/_info @1", "/_set alias @1 Bob",
            #"/_set prefs @1 {"voice":{"allow":"no"}}"#, "/_delete item @1 \(item) broadcast",
            "/_delete item @1 \(item) internal",
            "/_read chat items @1 1", "/_read chat @1", "/_unread chat @1 on", "/users", "/u", "/_mute user 1",
            #"/_profile 1 {"displayName":"alice","fullName":"Alice"}"#,
            #"/_profile 1 {"displayName":"alice","fullName":"Alice"}"#,
            "/_clear chat @1", "/_delete @1 full notify=on",
        ]
        for command in commands {
            let answer = try await alice.run(command)
            told.append(answer)
            // The quoted message must exist until all events of the quoting message are emitted.
            if command == timed, let quoting = answer.firstItemId { try await waitForReceipt(of: quoting, alice) }
        }
        try await bob.wait(for: "contactDeletedByContact")
        told.append(try await bob.run("/_send @1 text x"))
        told += try await alice.events().map(\.event) + bob.events().map(\.event)
        await alice.controller.close()
        await bob.controller.close()
        return told.compactMap { json in json["type"]?.stringValue.map { (json, $0) } }
    }
}

/// The members seen in objects, by place.
private struct RecordedShapes {
    private struct MemberNames {
        var alwaysPresent: Set<String>
        var everPresent: Set<String>
    }

    private var membersByPlace: [String: MemberNames] = [:]

    func knows(_ place: String) -> Bool { membersByPlace.keys.contains { $0.hasPrefix(place) } }

    mutating func addShape(_ value: JSONValue, at place: String) {
        if let object = value.objectValue {
            let place = Self.placeName(place, object)
            let keys = Set(object.keys)
            if let known = membersByPlace[place] {
                membersByPlace[place] = MemberNames(
                    alwaysPresent: known.alwaysPresent.intersection(keys),
                    everPresent: known.everPresent.union(keys)
                )
            } else {
                membersByPlace[place] = MemberNames(alwaysPresent: keys, everPresent: keys)
            }
            for (key, value) in object { addShape(value, at: "\(place).\(key)") }
        } else if let items = value.arrayValue {
            for item in items { addShape(item, at: place + "[]") }
        }
    }

    func findDifferences(_ value: JSONValue, at place: String, absent: Set<String>) -> [String] {
        if let object = value.objectValue {
            let place = Self.placeName(place, object)
            let keys = Set(object.keys)
            var found: [String] = []
            // Preferences are not compared, and the metadata of an item may have additional members, since both depend
            // on the conversation.
            if let known = membersByPlace[place], !place.hasSuffix("references"), !place.hasSuffix(".meta") {
                // A quoted item may be deleted before the status of its quotation is reported.
                let gone: Set<String> = place.hasSuffix("quotedItem") ? ["itemId"] : []
                found += known.alwaysPresent.subtracting(keys).subtracting(absent).subtracting(gone).map {
                    "\(place).\($0) is missing"
                }
                found += keys.subtracting(known.everPresent).subtracting(["userMemberProfileUpdatedAt"]).map {
                    "\(place).\($0) is not in the recordings"
                }
            }
            if let known = membersByPlace[place], place.hasSuffix(".meta") {
                found += known.alwaysPresent.subtracting(keys).subtracting(absent).map { "\(place).\($0) is missing" }
            }
            return found + object.flatMap { findDifferences($0.value, at: "\(place).\($0.key)", absent: absent) }
        }
        return (value.arrayValue ?? []).flatMap { findDifferences($0, at: place + "[]", absent: absent) }
    }

    private static func placeName(_ place: String, _ object: JSONObject) -> String {
        guard let type = object["type"]?.stringValue, !place.hasSuffix(type) else { return place }
        return "\(place)<\(type)>"
    }
}
