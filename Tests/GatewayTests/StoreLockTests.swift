import Foundation
import JSON
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Stores that are locked, deleted or exported during use", .socketTimeLimit)
struct StoreLockTests {
    private struct Streams {
        let lineStream: HTTPClient
        let serverSentStream: HTTPClient
        let modelStream: HTTPClient
        let sessionStream: HTTPClient
        let eventSocket: WebSocketClient
        let terminalSocket: WebSocketClient
        let longPoll: HTTPClient
    }

    private func openStreams(_ store: StoreClient) async throws -> Streams {
        let model = try #require(try await store.http.call("GET", "/v1/users/1/model").json["id"]?.stringValue)
        let session = try await store.http.call("POST", "/v1/users/1/sessions").json
        let id = try #require(session["sessionId"]?.stringValue)
        let cursor = try #require(session["id"]?.stringValue)
        let serverSent = try await store.openConnection()
        try await serverSent.send("GET", "/v1/events?cursor=now", headers: [("Accept", "text/event-stream")])
        #expect(try await serverSent.receiveHead().status == 200)
        let poll = try await store.openConnection()
        try await poll.send("GET", "/v1/events?cursor=now&timeout=60")
        let streams = Streams(
            lineStream: try await store.openLineStream(),
            serverSentStream: serverSent,
            modelStream: try await store.openLineStream("/v1/users/1/model/changes?cursor=\(model)"),
            sessionStream: try await store.openLineStream("/v1/users/1/sessions/\(id)/changes?cursor=\(cursor)"),
            eventSocket: try await WebSocketClient.open(store.openConnection(), "/v1/events/ws?cursor=now"),
            terminalSocket: try await WebSocketClient.open(store.openConnection(), "/"),
            longPoll: poll
        )
        try await store.http.waitForLongPolls(1)
        return streams
    }

    private func expectEnded(_ streams: Streams, _ reason: String) async throws {
        let last = #"{"event":{"type":"\#(reason)"}}"#
        for stream in [streams.lineStream, streams.modelStream, streams.sessionStream] {
            let text = try await stream.readRest()
            #expect(text.hasSuffix(last + "\n"), "\(text)")
        }
        #expect(try await streams.serverSentStream.readRest().hasSuffix("event: \(reason)\ndata: \(last)\n\n"))
        #expect(try await streams.eventSocket.receiveJSON()["event"]?["type"] == .string(reason))
        #expect(try await streams.eventSocket.receiveCloseCode() == 1001)
        #expect(try await streams.terminalSocket.receiveCloseCode() == 1001)
        let answer = try await streams.longPoll.receiveAnswer()
        #expect(answer.status == 503)
        #expect(try answer.json["code"] == "storeLocked")
    }

    /// Sends requests of all kinds until the test ends, and returns their results.
    private func sendRequests(
        _ store: StoreClient,
        until isOver: @escaping @Sendable () -> Bool
    ) -> Task<Set<String>, any Error> {
        Task {
            try await withThrowingTaskGroup(of: Set<String>.self) { tasks in
                for (index, method) in ["GET", "GET", "POST", "PUT"].enumerated() {
                    tasks.addTask {
                        let client = try await store.openConnection()
                        var seen: Set<String> = []
                        while !isOver() {
                            let answer =
                                switch index {
                                case 0: try await client.call(method, "/v1/users")
                                case 1: try await client.call(method, "/v1/users/1/model")
                                case 2: try await client.post("/v1/users/1/sessions", [:])
                                default: try await client.put("/v1/settings/receipts", ["enable": true])
                                }
                            seen.insert(answer.status < 300 ? "ok" : try answer.json["code"]?.stringValue ?? "")
                        }
                        return seen
                    }
                }
                return try await tasks.reduce(into: Set<String>()) { $0.formUnion($1) }
            }
        }
    }

    @Test
    func `When a store is locked, its streams end with a reason, and requests to the locked store get 503`()
        async throws
    {
        try await RealGateway.run(serving: { $0.maxSessionsPerProfile = 100_000 }) { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            let cursor = try #require(try await store.http.call("GET", "/v1/events").json["cursor"]?.stringValue)
            let streams = try await openStreams(store)
            let isOver = Mutex(false)
            let used = sendRequests(store) { isOver.withLock { $0 } }
            for _ in 0..<20 { _ = try await store.http.call("GET", "/v1/users") }
            #expect(try await gateway.connectClient().post("/v1/stores/\(store.id)/lock", [:]).status == 200)
            try await expectEnded(streams, "storeLocked")
            for _ in 0..<20 { #expect(try await store.http.call("GET", "/v1/users").json["code"] == "storeLocked") }
            isOver.withLock { $0 = true }
            let seen = try await used.value
            #expect(seen.isSubset(of: ["ok", "storeLocked"]) && seen.contains("storeLocked"), "\(seen)")
            #expect(try await gateway.unlockStore(store.id).status == 200)
            _ = try await store.http.createUser("carol")
            let events = try await store.http.call("GET", "/v1/events?cursor=\(cursor)")
            #expect(events.status == 200)
        }
    }

    @Test
    func `When a store is deleted, its streams end with a reason, and its key becomes invalid`() async throws {
        try await RealGateway.run(serving: { $0.maxSessionsPerProfile = 100_000 }) { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            let streams = try await openStreams(store)
            let isOver = Mutex(false)
            let used = sendRequests(store) { isOver.withLock { $0 } }
            for _ in 0..<20 { _ = try await store.http.call("GET", "/v1/users") }
            #expect(try await gateway.connectClient().call("DELETE", "/v1/stores/\(store.id)").status == 204)
            try await expectEnded(streams, "storeDeleted")
            // Clients that keep using an invalid key are slowed down, so the status may be 429.
            #expect([401, 429].contains(try await store.openConnection().call("GET", "/v1/users").status))
            isOver.withLock { $0 = true }
            let seen = try await used.value
            #expect(seen.isSubset(of: ["ok", "storeLocked", "unauthorized", "tooManyRequests"]), "\(seen)")
            #expect(!FileManager.default.fileExists(atPath: "\(gateway.folder)/stores/\(store.id)"))
        }
    }

    @Test
    func `An export does not interrupt the streams of its store or the requests of other stores`() async throws {
        try await RealGateway.run(serving: { $0.maxSessionsPerProfile = 100_000 }) { gateway in
            let (store, other) = (try await gateway.makeStore("Bob"), try await gateway.makeStore("other"))
            _ = try await store.http.createUser("bob")
            _ = try await other.http.createUser("other")
            let stream = try await WebSocketClient.open(store.openConnection(), "/v1/events/ws?cursor=now")
            #expect(try await store.http.post("/v1/core/stop", [:]).status == 200)
            let isOver = Mutex(false)
            let (used, elsewhere) = (
                sendRequests(store) { isOver.withLock { $0 } }, sendRequests(other) { isOver.withLock { $0 } }
            )
            let path = "\(gateway.folder)/stores/\(store.id)/space/x.zip"
            #expect(try await store.http.post("/v1/database/export", ["archivePath": .string(path)]).status == 200)
            #expect(try await store.http.post("/v1/core/start", [:]).status == 200)
            isOver.withLock { $0 = true }
            let (seen, others) = (try await used.value, try await elsewhere.value)
            #expect(seen.isSubset(of: ["ok", "unavailable"]), "\(seen)")
            #expect(others == ["ok"])
            _ = try await store.http.put("/v1/settings/receipts", ["enable": false])
            try await stream.send(#"{"corrId":"1","cmd":"/users"}"#)
            #expect(try await stream.receiveJSON()["resp"]?["type"] == "usersList")
            // The exported archive can be imported into the same store again.
            #expect(try await store.http.post("/v1/core/stop", [:]).status == 200)
            #expect(try await store.http.post("/v1/database/import", ["archivePath": .string(path)]).status == 200)
        }
    }

    @Test
    func `An automatic opening does not unlock a store that was locked on request`() async throws {
        try await RealGateway.run { gateway in
            let made = try await gateway.makeStore("Bob")
            let host = try #require(gateway.server.stores)
            let store = try host.requireStore(made.id)
            try await host.lockStore(store)
            await #expect {
                try await host.openPasswordlessStore(store)
            } throws: {
                ($0 as? ProblemDetails)?.code == .storeLocked
            }
            #expect(store.record.staysLocked && store.openedStore == nil)
            try await host.unlockStore(store, nil)
            try await host.openPasswordlessStore(store)
            #expect(store.openedStore != nil)
        }
    }

    @Test
    func `Many concurrent locks and unlocks of a store all succeed, and the store stays intact`() async throws {
        try await RealGateway.run { gateway in
            let store = try await gateway.makeStore("Bob")
            _ = try await store.http.createUser("bob")
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for index in 0..<6 {
                    tasks.addTask {
                        let client = try await gateway.connectClient()
                        for _ in 0..<3 {
                            let answer = try await client.post(
                                "/v1/stores/\(store.id)/\(index % 2 == 0 ? "lock" : "unlock")",
                                [:]
                            )
                            #expect(answer.status == 200)
                        }
                    }
                }
                try await tasks.waitForAll()
            }
            #expect(try await gateway.unlockStore(store.id).status == 200)
            #expect(try await store.http.call("GET", "/v1/users").json["users"]?.arrayValue?.count == 1)
        }
    }
}
