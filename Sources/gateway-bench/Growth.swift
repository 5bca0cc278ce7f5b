import Foundation
import JSON
import NIOCore

/// Sends the same requests in turn to a store of 10 chats and 1,000 messages and to a store of 1,000 chats and
/// 1,000,000 messages, so that other load on the machine affects both stores equally. A change before each read ensures
/// that no answer comes from the cache.
func measureGrowth(
    stores: String,
    executable: String,
    chats: Int,
    messages: Int,
    rounds: Int,
    group: any EventLoopGroup
) async throws -> [Figure] {
    try FileManager.default.createDirectory(atPath: stores, withIntermediateDirectories: true)
    let sizes = [
        GrownStore(folder: stores + "/small", chatCount: 10, messageCount: 1_000),
        GrownStore(folder: stores + "/large-\(chats)-\(messages)", chatCount: chats, messageCount: messages),
    ]
    let ports = try sizes.map { _ in try FreePort.takeNext() }
    let relayPorts = try sizes.map { try FreePort.readKeptPort(in: $0.folder + ".port") }
    var open: [BenchedGateway] = [], figures: [Figure] = []
    for (index, store) in sizes.enumerated() {
        try await store.makeStore(
            port: ports[index],
            relayPort: relayPorts[index],
            executable: executable,
            group: group
        )
    }
    var starts: [[Double]] = [[], []]
    for round in 0..<3 {
        for (index, store) in sizes.enumerated() {
            let gateway = try await BenchedGateway(
                folder: store.folder,
                port: ports[index],
                relayPort: relayPorts[index],
                executable: executable,
                group: group
            )
            starts[index].append(gateway.secondsToReady * 1_000)
            if round < 2 { await gateway.stop() } else { open.append(gateway) }
        }
    }
    figures.append(
        Figure(
            name: "start to ready, \(messages) messages, median of 3",
            value: percentile(starts[1], 0.5),
            unit: "ms",
            target: .atMost(1_000)
        )
    )
    figures.append(
        Figure(
            name: "start to ready, \(messages) messages, in relation",
            value: percentile(starts[1], 0.5),
            unit: "ms",
            baseline: ("1000 messages", percentile(starts[0], 0.5)),
            target: .atMost(1.3)
        )
    )
    for gateway in open { try await gateway.waitUntilQuiet() }
    // A gateway may have been idle while the other one was measured, and closes idle connections. So the connections
    // are opened again.
    for gateway in open { try await gateway.reconnect() }
    do { figures += try await measureGrownReads(GrownGateway(open[0]), GrownGateway(open[1]), rounds: rounds) } catch {
        print("growth: failed: \(error)")
    }
    for gateway in open { await gateway.stop() }
    return figures
}

private func measureGrownReads(_ small: GrownGateway, _ large: GrownGateway, rounds: Int) async throws -> [Figure] {
    var figures: [Figure] = []
    for read in try await GrowthRead.makeAll(small, large) {
        var (ours, theirs, size) = ([Double](), [Double](), 0)
        // The gateway closes connections that were idle for too long, so they are opened again.
        for side in [small, large] { try await side.gateway.reconnect() }
        for _ in 0..<rounds {
            theirs.append(try await small.measureRead(read.smallPath).milliseconds)
            let answer = try await large.measureRead(read.largePath)
            ours.append(answer.milliseconds)
            size = answer.bytes
        }
        figures.append(
            Figure(
                name: "\(read.name), \(size) bytes",
                value: percentile(ours, 0.5),
                unit: "ms",
                baseline: ("small store", percentile(theirs, 0.5)),
                target: read.hasEqualSizes ? .atMost(1.5) : .none
            )
        )
    }
    figures += try await measureReadsAfterWrites(small, large, rounds: rounds)
    figures += try await measureEvents(small, large, followed: false, count: rounds)
    figures += try await measureEvents(small, large, followed: true, count: rounds)
    figures.append(
        Figure(
            name: "resident memory after all these requests",
            value: Double(large.gateway.child.residentBytes) / 1_048_576,
            unit: "MiB",
            baseline: ("small store", Double(small.gateway.child.residentBytes) / 1_048_576)
        )
    )
    return figures
}

/// Measures reads that follow a write of the same user.
private func measureReadsAfterWrites(
    _ small: GrownGateway,
    _ large: GrownGateway,
    rounds: Int
) async throws -> [Figure] {
    var figures: [Figure] = []
    let chat = "/v1/users/1/chats/direct/1?limit=50"
    for (name, path) in [
        ("chat list, 8 chats", "/v1/users/1/chats?limit=8"), ("chat, newest 50", chat),
        ("search in a chat, rare word", chat + "&search=\(GrownStore.rareWord.lowercased())"),
    ] {
        var times: [[Double]] = [[], []]
        for side in [small, large] { try await side.gateway.reconnect() }
        for _ in 0..<rounds {
            for (index, side) in [small, large].enumerated() {
                _ = try await side.gateway.sendRequest(
                    "POST",
                    "/v1/users/1/chats/local/1/messages",
                    BenchedGateway.makeTextMessage("note")
                )
                times[index].append(try await side.measureRead(path).milliseconds)
            }
        }
        let (theirs, ours) = (percentile(times[0], 0.5), percentile(times[1], 0.5))
        figures.append(Figure(name: "after a write: \(name)", value: ours, unit: "ms", target: .atMost(0.5)))
        figures.append(
            Figure(
                name: "after a write: \(name), in relation",
                value: ours,
                unit: "ms",
                baseline: ("small store", theirs),
                target: .atMost(1.3)
            )
        )
    }
    return figures
}

/// A read that the benchmark requests from both stores.
struct GrowthRead {
    var name: String
    var smallPath: String
    var largePath: String
    /// Whether both stores return answers of the same size.
    var hasEqualSizes = true

    static func makeAll(_ small: GrownGateway, _ large: GrownGateway) async throws -> [GrowthRead] {
        let chat = "/v1/users/1/chats/direct/1", list = "/v1/users/1/chats", items = "/v1/users/1/messages"
        func samePath(_ name: String, _ path: String) -> GrowthRead {
            GrowthRead(name: name, smallPath: path, largePath: path)
        }
        func pathOfEach<Place>(_ name: String, _ path: String, _ place: (GrownGateway) -> Place) -> GrowthRead {
            GrowthRead(name: name, smallPath: path + "\(place(small))", largePath: path + "\(place(large))")
        }
        // A frequent word, and a word that does not occur, made of two fragments of frequent words.
        let frequent = GrownStore.SentenceWriter.makeWord(3),
            never = GrownStore.SentenceWriter.makeWord(120) + GrownStore.SentenceWriter.makeWord(140)
        return [
            samePath("GET users", "/v1/users"),
            samePath("chat list, 8 chats", list + "?limit=8"),
            GrowthRead(
                name: "chat list, 8 chats from the middle",
                smallPath: list + "?limit=8&cursor=\(small.middleChatCursor)",
                largePath: list + "?limit=8&cursor=\(large.middleChatCursor)"
            ),
            samePath("chat list, a chat that is searched for", list + "?search=alice"),
            GrowthRead(name: "chat list, all 10 and 1000", smallPath: list, largePath: list, hasEqualSizes: false),
            GrowthRead(
                name: "model, 10 and 1000 chats",
                smallPath: "/v1/users/1/model",
                largePath: "/v1/users/1/model",
                hasEqualSizes: false
            ),
            samePath("chat, newest 50", chat + "?limit=50"),
            pathOfEach("chat, 50 before one in the middle", chat + "?limit=50&cursor=", \.middleCursors.next),
            pathOfEach("chat, 50 after one in the middle", chat + "?limit=50&cursor=", \.middleCursors.prev),
            pathOfEach("chat, 25 around one in the middle", chat + "?limit=25&around=", \.middleItemID),
            pathOfEach("chat, 25 around a late one", chat + "?limit=25&around=", \.lateItemID),
            samePath("chat, initial 50, nothing unread", chat + "?initial=true&limit=50"),
            samePath("chat with unread, initial 25", "/v1/users/1/chats/direct/2?initial=true&limit=25"),
            samePath("kinds of content of a chat", chat + "/content-types"),
            samePath("items of all chats, newest 50", items + "?limit=50"),
            pathOfEach(
                "items of all chats, 50 before one in the middle",
                items + "?limit=50&cursor=",
                \.middleOfAllCursor
            ),
            // Both stores find the same number of items in these searches, so that their answers have the same size.
            samePath("search in a chat, frequent word", chat + "?limit=20&search=\(frequent)"),
            samePath("search in a chat, rare word", chat + "?limit=50&search=\(GrownStore.rareWord.lowercased())"),
            samePath("search in a chat, nothing found", chat + "?limit=50&search=\(never)"),
            samePath("search in all chats, frequent word", items + "?limit=50&search=\(frequent)"),
            samePath("search in all chats, rare word", items + "?limit=50&search=\(GrownStore.rareWord.lowercased())"),
            samePath("search in all chats, nothing found", items + "?limit=50&search=\(never)"),
            samePath("search in all chats, two characters, nothing found", items + "?limit=50&search=qx"),
        ]
    }
}

/// A gateway on a grown store.
struct GrownGateway {
    let gateway: BenchedGateway
    /// An item in the middle of the first chat, and one near its end.
    let middleItemID: Int64
    let lateItemID: Int64
    /// Cursors beside the item in the middle, in its chat and among all items, and in the middle of the chat list.
    let middleCursors: (next: String, prev: String)
    let middleOfAllCursor: String
    let middleChatCursor: String

    init(_ gateway: BenchedGateway) async throws {
        self.gateway = gateway
        func ids(_ path: String) async throws -> [Int64] {
            try await gateway.sendRequest("GET", path)["chat"]?["chatItems"]?.arrayValue?.compactMap {
                $0["meta"]?["itemId"]?.integerValue
            } ?? []
        }
        let last = try await ids("/v1/users/1/chats/direct/1?limit=100")
        lateItemID = last.first ?? 0
        // The ids of items are in the order of time over all chats. So the search begins in the middle of all ids.
        var middle: Int64 = 0, guess = lateItemID / 2
        while middle == 0, guess < lateItemID {
            middle = (try? await ids("/v1/users/1/chats/direct/1?limit=1&around=\(guess)"))?.first ?? 0
            guess += 1
        }
        middleItemID = middle
        func cursors(_ path: String) async throws -> (next: String, prev: String) {
            let page = try await gateway.sendRequest("GET", path)
            return (page["next"]?.stringValue ?? "", page["prev"]?.stringValue ?? "")
        }
        self.middleCursors = try await cursors("/v1/users/1/chats/direct/1?limit=1&around=\(middle)")
        middleOfAllCursor = try await cursors("/v1/users/1/messages?limit=1&around=\(middle)").next
        let chats =
            try await gateway.sendRequest("GET", "/v1/users/1/chats?limit=5000")["chats"]?.arrayValue?.count ?? 0
        middleChatCursor = try await cursors("/v1/users/1/chats?limit=\(chats / 10 + 1)").next
    }

    /// Changes a value of the other user, and then reads.
    func measureRead(_ path: String) async throws -> (milliseconds: Double, bytes: Int) {
        _ = try await gateway.sendRequest("PATCH", "/v1/users/2/chats/direct/1", #"{"unread":true}"#)
        _ = try await gateway.sendRequest("PATCH", "/v1/users/2/chats/direct/1", #"{"unread":false}"#)
        let start = NIODeadline.now()
        let answer = try await gateway.connection.sendRequest("GET", path, key: gateway.key)
        guard answer.status == 200 else {
            throw BenchedGateway.UnexpectedAnswer(
                request: path,
                status: answer.status,
                body: String(decoding: answer.body, as: UTF8.self)
            )
        }
        return (millisecondsPassed(since: start), answer.body.count)
    }
}

extension BenchedGateway {
    /// Waits until the gateway has finished the work that follows its start.
    func waitUntilQuiet() async throws {
        var before = -1.0, quiet = 0
        while quiet < 3 {
            let now = child.processorSeconds
            quiet = now - before < 0.02 ? quiet + 1 : 0
            before = now
            try await Task.sleep(for: .milliseconds(500))
        }
    }
}

/// Measures the cost of a message that is sent from the store's first chat and received in it, with and without a
/// follower of the state.
private func measureEvents(
    _ small: GrownGateway,
    _ large: GrownGateway,
    followed: Bool,
    count: Int
) async throws -> [Figure] {
    var sent: [[Double]] = [[], []], received: [[Double]] = [[], []], processor: [Double] = [0, 0]
    for side in [small, large] where followed {
        let session = try await side.gateway.sendRequest("POST", "/v1/users/1/sessions")["sessionId"]?.stringValue ?? ""
        _ = try await side.gateway.sendRequest(
            "PUT",
            "/v1/users/1/sessions/\(session)/chat",
            #"{"chatType":"direct","chatId":1}"#
        )
    }
    for round in 0..<count {
        for (index, side) in [small, large].enumerated() {
            let before = side.gateway.child.processorSeconds
            var cursor = try await side.gateway.readLatestCursor()
            var start = NIODeadline.now()
            _ = try await side.gateway.sendRequest(
                "POST",
                "/v1/users/1/chats/direct/1/messages",
                BenchedGateway.makeTextMessage("to \(round)")
            )
            sent[index].append(millisecondsPassed(since: start))
            try await side.gateway.followEvents(from: cursor) { $0.isReceipt(of: 1) }
            cursor = try await side.gateway.readLatestCursor()
            start = NIODeadline.now()
            _ = try await side.gateway.sendRequest(
                "POST",
                "/v1/users/2/chats/direct/1/messages",
                BenchedGateway.makeTextMessage("from \(round)")
            )
            try await side.gateway.followEvents(from: cursor) {
                $0["userId"]?.integerValue == 1 && $0["event"]?["type"]?.stringValue == "newChatItems"
            }
            received[index].append(millisecondsPassed(since: start))
            try await side.gateway.followEvents(from: cursor) { $0.isReceipt(of: 2) }
            processor[index] += (side.gateway.child.processorSeconds - before) * 1_000
        }
    }
    let how = followed ? ", state followed" : ""
    func figure(_ name: String, _ values: [[Double]]) -> Figure {
        Figure(
            name: name + how,
            value: percentile(values[1], 0.5),
            unit: "ms",
            baseline: ("small store", percentile(values[0], 0.5)),
            target: .atMost(1.5)
        )
    }
    return [
        figure("time until the POST of a message is answered", sent),
        figure("time from the POST of a message to the event of the receiver", received),
        Figure(
            name: "processor time of a sent and a received message" + how,
            value: processor[1] / Double(count),
            unit: "ms",
            baseline: ("small store", processor[0] / Double(count)),
            target: .atMost(1.5)
        ),
    ]
}

extension JSONValue {
    /// Whether this journal entry reports to a user that a message was delivered.
    func isReceipt(of user: Int) -> Bool {
        self["userId"]?.integerValue == Int64(user) && self["event"]?["type"]?.stringValue == "chatItemsStatusesUpdated"
            && self["event"]?["chatItems"]?[0]?["chatItem"]?["meta"]?["itemStatus"]?["type"]?.stringValue == "sndRcvd"
    }
}
