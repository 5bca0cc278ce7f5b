import Foundation
import JSON
import NIOCore
import NIOPosix
import TestSupport
import Testing

@testable import ChatCore
@testable import Gateway

@Suite("Limits of numbers in requests", .socketTimeLimit) struct ExtremeNumbersTests {
    @Test(arguments: SettableNumber.allCases)
    func `The contract states the range of each number that a client can set with a command`(number: SettableNumber) {
        let name = number.rawValue
        let places = ContractNumber.all.filter { place in
            switch number {
            case .seconds: place.path == ["ttlSeconds"]
            case .ttl, .timeoutMicroseconds: place.path == [name]
            case .tcpConnectTimeout, .tcpTimeout: place.path.contains(name)
            case .duration: place.path.suffix(2) == ["comments", name]
            default: place.path.joined(separator: ".").hasSuffix(name)
            }
        }
        #expect(!places.isEmpty)
        // The contract also permits 0 for PING, which means "never".
        let (least, most) = (
            number == .smpPingInterval ? 0 : number.allowedRange.lowerBound, number.allowedRange.upperBound
        )
        for place in places {
            let isBounded = place.schema["minimum"] == .integer(least) && place.schema["maximum"] == .integer(most)
            // Answers repeat values that other requests have set. So a schema of answers needs only the description of
            // the range.
            let isDescribed = place.schema["description"]?.stringValue?.contains("from \(least) to \(most)") == true
            #expect(isBounded || isDescribed, "\(place)")
        }
    }

    /// Alice, Bob and a group, with one object for each parameter of an operation.
    private struct Participants {
        let client: HTTPClient
        let group: GroupOfTwo
        /// Alice's chat with Bob.
        let chatPath: String
        let ids: [String: String]
        /// The network settings at the beginning of the test.
        let networkSettings: JSONValue

        init(_ gateway: RealGateway) async throws {
            client = try await gateway.connectClient()
            group = try await GroupOfTwo(client)
            func last(_ answer: HTTPClient.Answer) throws -> String {
                let location: String? = answer.header("location")
                return String(try #require(location?.split(separator: "/").last, "\(answer.text)"))
            }
            let user = "/v1/users/\(group.aliceID)"
            chatPath = "\(user)/chats/direct/\(group.bobContactID)"
            let sent = try await client.post("\(chatPath)/messages", textMessage("hi")).json
            let item = try #require(sent["chatItems"]?[0]?["chatItem"]?["meta"]?["itemId"]?.integerValue)
            ids = [
                "userId": "\(group.aliceID)", "contactId": "\(group.bobContactID)", "chatType": "direct",
                "chatId": "\(group.bobContactID)", "groupId": String(group.ourPath.split(separator: "/").last ?? ""),
                "groupMemberId": "\(group.bobMemberID)", "itemId": "\(item)",
                "storeId": try await gateway.makeStore("other").id,
                "sessionId": try last(await client.post("\(user)/sessions", [:])),
                "webhookId": try last(await client.post("/v1/webhooks", ["url": "https://example.org/"])),
                "keyId": try last(await client.post("/v1/keys", ["name": "a", "scopes": ["read"]])),
            ]
            var config = try await client.call("GET", "/v1/settings/network").json["networkConfig"]?.objectValue ?? [:]
            config["tcpKeepAlive"] = config["tcpKeepAlive"] ?? .null
            networkSettings = .object(config)
        }

        /// Sends messages, makes a queue, and waits for all event loops.
        func expectActivity() async throws {
            let message = try await client.post("\(chatPath)/messages", textMessage("still there"))
            #expect(message.status == 201, "\(message.text)")
            let invitations = "/v1/users/\(group.bobID)/connections/invitations"
            let invitation = try await client.post(invitations, ["incognito": false])
            #expect(ExtremeNumbersTests.isNoServerFailure(invitation), "\(invitation.text)")
            for _ in 0..<100 {
                for loop in MultiThreadedEventLoopGroup.singleton.makeIterator() { try await loop.submit {}.get() }
            }
        }
    }

    /// Whether an answer is no failure of the server. The timeout of a relay is no failure.
    static func isNoServerFailure(_ answer: HTTPClient.Answer) -> Bool {
        answer.status < 500 || [502, 504].contains(answer.status)
    }

    /// Returns the resident memory of the process in bytes.
    private static func residentMemory() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        return try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 4096
    }

    /// A limit far above the memory that other tests use at the same time, and far below the memory that unbounded
    /// activity would use within a second.
    private static let memoryLimit = 1 << 30

    /// Returns the position of a number in the order of trials. Numbers of requests that end profiles, chats or the
    /// network come last, since the other requests need these.
    private static func trialOrder(_ number: ContractNumber) -> Int {
        let ends: Set = [
            "deleteChat", "hideUser", "deleteUser", "leaveGroup", "removeMembers", "suspendCore",
        ]
        if ends.contains(number.route.operationID) { return 3 }
        let isSetting = number.route.category == "Settings" || number.path == ["ttlSeconds"]
        return number.route.method == .delete ? 2 : isSetting ? 1 : 0
    }

    /// Whether the gateway refused a value as out of range although the contract permits it.
    private static func isRefusedInRange(_ number: ContractNumber, _ value: JSONValue, _ answer: String) -> Bool {
        guard number.schema["maximum"] != nil, answer.contains("a whole number from") else { return false }
        // The contract permits all numbers from 0 on. The core refuses intervals between 0, which means no PING, and a
        // second.
        if number.path.last == "smpPingInterval", value == 1 { return false }
        return number.allows(value)
    }

    @Test(.faultTests)
    func `Extreme numbers in requests are accepted or refused as the contract states`() async throws {
        try await RealGateway.run { gateway in
            let scene = try await Participants(gateway)
            let before = try Self.residentMemory()
            for number in ContractNumber.all.sorted(by: { Self.trialOrder($0) < Self.trialOrder($1) }) {
                let setsNetwork = number.route.operationID == "updateNetworkSettings"
                for value in number.values {
                    // The answer would take up to a minute, so this value is left out.
                    if number.path.last == "timeout", (1...60).contains(value.integerValue ?? 0) {
                        continue
                    }
                    let request = number.makeRequest(
                        value,
                        ids: scene.ids,
                        body: setsNetwork ? scene.networkSettings : nil
                    )
                    // Some refusals end the connection, so each request has a new one.
                    let answer = try await gateway.connectClient().call(
                        number.route.method.rawValue,
                        request.target,
                        headers: request.headers,
                        body: request.body
                    )
                    #expect(Self.isNoServerFailure(answer), "\(number) \(value.text): \(answer.text)")
                    // The client checks accepted values against the contract, so only refusals are checked here.
                    #expect(
                        !Self.isRefusedInRange(number, value, answer.text),
                        "\(number) \(value.text): \(answer.text)"
                    )
                    if setsNetwork, answer.status == 200 {
                        try await scene.expectActivity()
                        #expect(
                            try await scene.client.patch("/v1/settings/network", scene.networkSettings).status == 200
                        )
                    }
                    guard number.route.category == "Lifecycle" else { continue }
                    _ = try await scene.client.post("/v1/core/activate", [:])
                }
            }
            #expect(try await scene.client.call("GET", "/readyz").status == 200)
            #expect(try Self.residentMemory() < before + Self.memoryLimit)
        }
    }

    @Test(
        .faultTests,
        arguments: [true, false]
    )
    func `With the smallest and the greatest network settings, requests succeed, and memory stays within a limit`(
        isLeast: Bool
    ) async throws {
        try await RealGateway.run { gateway in
            let scene = try await Participants(gateway)
            var config = scene.networkSettings
            for number in ContractNumber.all where number.route.operationID == "updateNetworkSettings" {
                var value = number.schema[isLeast ? "minimum" : "maximum"] ?? 0
                // 0 would turn PING off, so the smallest interval is tried instead.
                if value == 0, number.path == ["smpPingInterval"] { value = 1_000_000 }
                config = try JSONValue(
                    parsing: try #require(number.makeRequest(value, ids: scene.ids, body: config).body)
                )
            }
            let before = try Self.residentMemory()
            #expect(try await scene.client.patch("/v1/settings/network", config).status == 200)
            let end = ContinuousClock.now + .seconds(10)
            while ContinuousClock.now < end {
                try await scene.expectActivity()
                // The settings may cause endless activity by themselves, so a few requests are enough.
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(try Self.residentMemory() < before + Self.memoryLimit)
        }
    }
}
