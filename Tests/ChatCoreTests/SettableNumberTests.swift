import ChatAPI
import JSON
import TestSupport
import Testing

@testable import ChatCore

@Suite("Numbers that commands set", .socketTimeLimit) struct SettableNumberTests {
    private static let extremeNumbers: [Int64] = [.min, -1, 0, 1, .max]

    /// Returns the values to try for a number, and whether each must be accepted.
    private func triedValues(_ number: SettableNumber) -> [(value: Int64, isTaken: Bool)] {
        let range = number.allowedRange
        return (Self.extremeNumbers + [range.lowerBound, range.lowerBound - 1, range.upperBound, range.upperBound + 1])
            .map {
                value in
                (value, range.contains(value) || number == .smpPingInterval && value == 0)
            }
    }

    private func networkConfigJSON(_ path: [String], _ value: Int64) throws -> String {
        func changed(_ json: JSONValue, _ path: ArraySlice<String>) -> JSONValue {
            guard let name = path.first, var members = json.objectValue else { return .integer(value) }
            members[name] = changed(members[name] ?? .object([:]), path.dropFirst())
            return .object(members)
        }
        return try changed(JSONEncoder().encodeValue(NetworkConfig.standard), path[...]).text
    }

    private static let networkConfigPaths = [
        ["tcpConnectTimeout", "backgroundTimeout"], ["tcpConnectTimeout", "interactiveTimeout"],
        ["tcpTimeout", "backgroundTimeout"],
        ["tcpTimeout", "interactiveTimeout"], ["tcpTimeoutPerKb"], ["rcvConcurrency"], ["smpPingInterval"],
        ["smpPingCount"],
        ["tcpKeepAlive", "keepIdle"], ["tcpKeepAlive", "keepIntvl"], ["tcpKeepAlive", "keepCnt"],
    ]

    /// Runs a command with each value of a number. The error for a number out of range must contain the range.
    private func checkNumber(_ core: Core, _ number: SettableNumber, _ command: (Int64) throws -> String) async throws {
        for (value, isTaken) in triedValues(number) {
            let text = try command(value)
            guard let parsed = try? ChatCommand(parsing: text) else {
                // The original's parser does not accept negative numbers in some places.
                #expect(!isTaken, "\(text)")
                continue
            }
            #expect((parsed.numberErrorText == nil) == isTaken, "\(text)")
            let answer = try await core.run(text)
            guard !isTaken else {
                #expect(!answer.text.contains("a whole number from"), "\(text): \(answer)")
                continue
            }
            #expect(
                answer.errorType == "commandError"
                    && answer.text.contains("\(number.allowedRange.lowerBound) to \(number.allowedRange.upperBound)"),
                "\(text): \(answer)"
            )
        }
    }

    @Test(arguments: networkConfigPaths)
    func `A number in the network settings that is out of range is refused, and the error contains the range`(
        path: [String]
    ) async throws {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        let number = try #require(SettableNumber(rawValue: path.last ?? "") ?? SettableNumber(rawValue: path[0]))
        try await checkNumber(alice, number) { "/_network \(try networkConfigJSON(path, $0))" }
        try await checkNumber(alice, number) {
            "/_save app settings {\"networkConfig\":\(try networkConfigJSON(path, $0))}"
        }
        await alice.controller.close()
    }

    @Test
    func `A time for items, messages, preferences or suspension is refused with the valid range if out of range`()
        async throws
    {
        let alice = try await World().core("alice")
        try await alice.createUser("alice")
        let group = try await alice.run(#"/_group 1 incognito=off {"displayName":"team","fullName":""}"#)["groupInfo"]?[
            "groupId"
        ]?.integerValue
        let id = try #require(group)
        try await checkNumber(alice, .seconds) { "/_ttl 1 \($0)" }
        try await checkNumber(alice, .seconds) { "/_ttl 1 #\(id) \($0)" }
        try await checkNumber(alice, .ttl) {
            ##"/_send #\##(id) live=off ttl=\##($0) json [{"msgContent":{"type":"text","text":"a"},"mentions":{}}]"##
        }
        let profiles: [(SettableNumber, String)] = [
            (.timedMessages, #""timedMessages":{"enable":"on","ttl":"#),
            (.duration, #""comments":{"enable":"on","duration":"#),
        ]
        for (number, beginning) in profiles {
            try await checkNumber(alice, number) {
                ##"/_group_profile #\##(id) {"displayName":"team","fullName":"","groupPreferences":{\##(beginning)\##($0)}}}"##
            }
        }
        try await checkNumber(alice, .timedMessages) {
            ##"/_profile 1 {"displayName":"alice","fullName":"","preferences":{"timedMessages":{"allow":"yes","ttl":\##($0)}}}"##
        }
        try await checkNumber(alice, .timeoutMicroseconds) { "/_app suspend \($0)" }
        await alice.controller.close()
    }

    @Test
    func `With the shortest permitted ping and keep-alive intervals, messages are still delivered`() async throws {
        let (alice, bob) = try await World().makeConnectedCores()
        var config = NetworkConfig.standard
        (config.smpPingInterval, config.smpPingCount) = (SettableNumber.smpPingInterval.allowedRange.lowerBound, 1)
        config.tcpKeepAlive = KeepAliveOpts(keepIdle: 1, keepIntvl: 1, keepCnt: 1)
        #expect(try await alice.run("/_network \(try JSONEncoder().encodeValue(config).text)")["type"] == "cmdOk")
        #expect(
            try await alice.run(#"/_send @1 json [{"msgContent":{"type":"text","text":"hi"},"mentions":{}}]"#)["type"]
                == "newChatItems"
        )
        try await waitUntil("the message arrives") {
            try await bob.run("/_get chat @1 count=10").text.contains(#""hi""#)
        }
        for core in [alice, bob] { await core.controller.close() }
    }
}
