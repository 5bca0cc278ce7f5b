import ChatCore
import Concurrency
import Files
import JSON
import SimpleXCrypto
import TestSupport
import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct LongOperationsTests {
    private let backupRequest: JSONValue = ["folder": "/somewhere"]
    let asyncHeaders = [("Prefer", "respond-async")]

    private func withGateway(
        _ work: HeldWork,
        _ kind: LongWork = .cancellable,
        _ body: (ServedGateway, HeldClock) async throws -> Void
    ) async throws {
        let held = HeldClock(at: 1_800_000_000)
        try await ServedGateway.run(
            { configuration in
                configuration.clock = held.gatewayClock
                configuration.longWorkWaitSeconds = LongOperations.defaultWaitSeconds
            },
            routes: work.makeRoutes(kind)
        ) { try await body($0, held) }
    }

    /// Waits until an operation has a state.
    func waitForState(_ state: String, _ place: String, _ client: HTTPClient) async throws -> JSONValue {
        var last = JSONValue.null
        try await waitUntil("the operation is \(state): \(last.text)") {
            last = try await client.call("GET", place).json
            return last["state"] == .string(state)
        }
        return last
    }

    @Test
    func `A client that requests an operation gets 202 immediately and can read the progress and result`() async throws
    {
        let work = HeldWork()
        try await withGateway(work) { served, _ in
            let client = try await served.connectClient()
            let begun = try await client.post("/v1/backup", backupRequest, headers: asyncHeaders)
            let place = try #require(begun.header("location"))
            #expect(begun.status == 202 && begun.header("preference-applied") == "respond-async", "\(begun.text)")
            await work.waitUntilBegun()
            let running = try await client.call("GET", place).json
            #expect(running["operation"] == "createBackup" && running["state"] == "running")
            #expect(running["progress"] == ["done": 2, "total": 8, "unit": "bytes"])
            #expect(running["cancellable"] == true && running["result"] == nil && running["endedAt"] == nil)
            #expect(try await client.call("GET", "/v1/operations").json["operations"] == [running])
            work.endWork()
            let done = try await waitForState("done", place, client)
            #expect(done["result"]?["folder"] == "/hidden-folder" && done["status"] == 201)
            #expect(done["location"] == "/v1/stores/one" && done["cancellable"] == false)
            let listed = try await client.call("GET", "/v1/operations").json["operations"]?[0]
            #expect(listed?["state"] == "done" && listed?["result"] == nil)
            let name = try #require(place.split(separator: "/").last)
            let file = try #require(try DiskFiles.readFile("\(served.folder)/operations/\(name)"))
            #expect(!String(decoding: file, as: UTF8.self).contains("hidden-folder"))
        }
    }

    @Test
    func `A request without the header Prefer gets 202 if its work takes longer than ten seconds`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, clock in
            let client = try await served.connectClient()
            try await client.send("POST", "/v1/backup", body: backupRequest.encodeText())
            await work.waitUntilBegun()
            clock.advance(by: 9)
            work.endWork()
            let answer = try await client.receiveAnswer()
            #expect(try answer.status == 201 && answer.json["folder"] == "/hidden-folder", "\(answer.text)")
            #expect(try await client.call("GET", "/v1/operations").json["operations"] == [])
            try await client.send("POST", "/v1/backup", body: backupRequest.encodeText())
            await work.waitUntilBegun()
            clock.advance(by: LongOperations.defaultWaitSeconds)
            let late = try await client.receiveAnswer()
            #expect(late.status == 202 && late.header("preference-applied") == nil, "\(late.text)")
            try await client.send(
                "POST",
                "/v1/backup",
                headers: [("Prefer", "wait=60")],
                body: backupRequest.encodeText()
            )
            await work.waitUntilBegun()
            clock.advance(by: 59)
            work.endWork()
            work.endWork()
            #expect(try await client.receiveAnswer().status == 201)
            _ = try await waitForState("done", try #require(late.header("location")), client)
        }
    }

    @Test
    func `The work of a request becomes an operation after its client disconnects`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, clock in
            let leaving = try await served.connectClient()
            try await leaving.send("POST", "/v1/backup", body: backupRequest.encodeText())
            await work.waitUntilBegun()
            await leaving.connection.close()
            clock.advance(by: LongOperations.defaultWaitSeconds)
            let client = try await served.connectClient()
            var id: String?
            try await waitUntil("an operation is listed") {
                id = try await client.call("GET", "/v1/operations").json["operations"]?[0]?["operationId"]?.stringValue
                return id != nil
            }
            work.endWork()
            let done = try await waitForState("done", "/v1/operations/\(try #require(id))", client)
            #expect(done["result"]?["bytes"] == 8)
        }
    }

    @Test
    func `A failed operation shows the problem that ended its work`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, _ in
            let client = try await served.connectClient()
            let refused = try await client.post("/v1/backup", ["folderr": "/somewhere"], headers: asyncHeaders)
            #expect(refused.status >= 400 && work.runCount == 0, "\(refused.text)")
            let begun = try await client.post("/v1/backup", backupRequest, headers: asyncHeaders)
            work.endWork(false)
            let failed = try await waitForState("failed", try #require(begun.header("location")), client)
            #expect(failed["problem"]?["code"] == "storageFull" && failed["status"] == 507)
            #expect(failed["problem"]?["requestId"] == failed["requestId"] && failed["result"] == nil)
        }
    }

    @Test
    func `A running operation can be cancelled, and the cancellation of an ended operation is refused`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, _ in
            let client = try await served.connectClient()
            let place = try #require(
                try await client.post("/v1/backup", backupRequest, headers: asyncHeaders).header("location")
            )
            await work.waitUntilBegun()
            let answer = try await client.post("\(place)/cancel", [:])
            #expect(try answer.status == 202 && answer.json["cancelling"] == true, "\(answer.text)")
            work.endWork()
            let ended = try await waitForState("cancelled", place, client)
            #expect(ended["status"] == nil && ended["problem"] == nil && ended["result"] == nil)
            let late = try await client.post("\(place)/cancel", [:])
            #expect(try late.status == 409 && late.json["code"] == "conflict", "\(late.text)")
        }
    }

    @Test
    func `The cancellation of an operation gets 409 if it would leave a partial effect`() async throws {
        let work = HeldWork()
        try await withGateway(work, .uncancellable) { served, _ in
            let client = try await served.connectClient()
            let place = try #require(
                try await client.post("/v1/backup", backupRequest, headers: asyncHeaders).header("location")
            )
            await work.waitUntilBegun()
            #expect(try await client.call("GET", place).json["cancellable"] == false)
            #expect(try await client.post("\(place)/cancel", [:]).status == 409)
            work.endWork()
            _ = try await waitForState("done", place, client)
        }
    }

    @Test
    func `A repeated request with an idempotency key gets the operation of the first request`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, _ in
            let client = try await served.connectClient()
            let headers = asyncHeaders + [("Idempotency-Key", "one")]
            let first = try await client.post("/v1/backup", backupRequest, headers: headers)
            await work.waitUntilBegun()
            for again in [headers, [("Idempotency-Key", "one")]] {
                let answer = try await client.post("/v1/backup", backupRequest, headers: again)
                #expect(answer.status == 202 && answer.header("location") == first.header("location"))
            }
            let other = try await client.post("/v1/backup", ["folder": "/elsewhere"], headers: headers)
            #expect(try other.status == 422 && other.json["code"] == "idempotencyKeyReused", "\(other.text)")
            work.endWork()
            _ = try await waitForState("done", try #require(first.header("location")), client)
            let known = try await client.post("/v1/backup", backupRequest, headers: headers)
            #expect(known.status == 202 && known.header("location") == first.header("location"))
            let answer = try await client.post("/v1/backup", backupRequest, headers: [("Idempotency-Key", "one")])
            #expect(answer.status == 201 && answer.header("idempotent-replayed") == "true")
            #expect(work.runCount == 1)
        }
    }

    @Test
    func `The result of an operation is visible only to the key that began the operation`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, _ in
            let file = KeyFile(folder: served.folder)
            let manager = try file.addKey(name: "manager", scopes: [.admin, .stores]).key.text
            let reader = try file.addKey(name: "reader", scopes: [.read, .write, .events]).key.text
            let client = try await served.connectClient()
            let place = try #require(
                try await client.post("/v1/backup", backupRequest, headers: asyncHeaders).header("location")
            )
            await work.waitUntilBegun()
            let (other, stranger) = (
                try await served.connectClient(key: manager), try await served.connectClient(key: reader)
            )
            try await other.waitForStatus(200, at: place)
            try await stranger.waitForStatus(200, at: "/v1/operations")
            #expect(try await stranger.call("GET", "/v1/operations").json["operations"] == [])
            #expect(try await stranger.call("GET", place).status == 404)
            #expect(try await stranger.post("\(place)/cancel", [:]).status == 404)
            work.endWork()
            let seen = try await waitForState("done", place, other)
            #expect(seen["status"] == 201 && seen["result"] == nil && seen["location"] == nil)
            #expect(try await client.call("GET", place).json["result"] != nil)
        }
    }

    @Test
    func `An ended operation and its file are kept for a day`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, clock in
            let client = try await served.connectClient()
            let place = try #require(
                try await client.post("/v1/backup", backupRequest, headers: asyncHeaders).header("location")
            )
            work.endWork()
            _ = try await waitForState("done", place, client)
            clock.advance(by: LongOperation.lifetimeSeconds - 1)
            #expect(try await client.call("GET", place).status == 200)
            clock.advance(by: 1)
            let gone = try await client.call("GET", place)
            #expect(try gone.status == 404 && gone.json["code"] == "notFound", "\(gone.text)")
            let late = try await client.post("\(place)/cancel", [:])
            #expect(try late.status == 404 && late.json["code"] == "notFound", "\(late.text)")
            #expect(try await client.call("GET", "/v1/operations").json["operations"] == [])
            #expect(DiskFiles.listEntries("\(served.folder)/operations") == [])
        }
    }

    @Test
    func `A key that runs its maximum number of operations gets 429 for the next one`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, _ in
            let client = try await served.connectClient()
            for _ in 0..<LongOperations.maxOperationsPerKey {
                #expect(try await client.post("/v1/backup", backupRequest, headers: asyncHeaders).status == 202)
            }
            let refused = try await client.post("/v1/backup", backupRequest, headers: asyncHeaders)
            #expect(try refused.status == 429 && refused.json["code"] == "tooManyRequests", "\(refused.text)")
            for _ in 0..<LongOperations.maxOperationsPerKey { work.endWork() }
        }
    }

    @Test
    func `A store at its limit of running operations cannot begin an operation, while other stores can`() async throws {
        let held = HeldClock(at: 1_800_000_000)
        let operations = LongOperations(clock: held.gatewayClock)
        func begin(_ number: Int, _ store: String?) async throws {
            _ = try await operations.beginOperation(
                "createBackup",
                [:],
                of: Principal(keyID: "key\(number)", scopes: [.admin], userId: nil, store: store),
                requestID: "request",
                nil,
                WorkProgress(isCancellable: true)
            )
        }
        for number in 0..<LongOperations.maxOperationsPerStore { try await begin(number, "one") }
        await #expect(throws: ProblemDetails.self) { try await begin(LongOperations.maxOperationsPerStore, "one") }
        try await begin(0, "two")
        try await begin(0, nil)
        await operations.removeOperationsOfStore(store: "one")
        #expect(await operations.listOperations().map(\.operation.storeID).contains("one") == false)
        try await begin(0, "one")
    }

    @Test
    func `The list of operations can be read page by page`() async throws {
        let work = HeldWork()
        try await withGateway(work) { served, clock in
            let client = try await served.connectClient()
            var places: [String] = []
            for _ in 0..<3 {
                let begun = try await client.post("/v1/backup", backupRequest, headers: asyncHeaders)
                places.insert(try #require(begun.header("location")), at: 0)
                clock.advance(by: 1)
            }
            func ids(_ page: JSONValue) -> [String] {
                page["operations"]?.arrayValue?.compactMap { $0["operationId"]?.stringValue } ?? []
            }
            let first = try await client.call("GET", "/v1/operations?limit=2").json
            let cursor = try #require(first["next"]?.stringValue)
            let second = try await client.call("GET", "/v1/operations?limit=2&cursor=\(cursor)").json
            #expect((ids(first) + ids(second)).map { "/v1/operations/\($0)" } == places)
            #expect(second["next"] == .null)
            for _ in 0..<3 { work.endWork() }
        }
    }

    private func beginOperation(
        in operations: LongOperations,
        _ progress: WorkProgress
    ) async throws -> (LongOperation, SealedAnswerRequest) {
        let principal = Principal(keyID: "one", scopes: [.admin, .stores], userId: nil)
        let operation = try await operations.beginOperation(
            "createBackup",
            [:],
            of: principal,
            requestID: "request",
            nil,
            progress
        )
        let sealed = SealedAnswerRequest(
            key: [1],
            fingerprint: [],
            idempotencyKey: operation.id,
            apiKey: SecretBytes([1])
        )
        return (operation, try #require(sealed))
    }

    @Test
    func `After a restart, ended operations have their results and interrupted operations have failed`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let held = HeldClock(at: 1_800_000_000)
        let first = LongOperations(in: folder.path, clock: held.gatewayClock)
        let progress = WorkProgress(isCancellable: true)
        progress.beginCounting(.bytes, of: 3)
        let (ended, sealed) = try await beginOperation(in: first, progress)
        let (running, _) = try await beginOperation(in: first, WorkProgress(isCancellable: true))
        let result: JSONValue = ["folder": "/a"]
        await first.endOperation(ended.id, HTTPResponse(status: 201, json: result.encodeText()), sealed)
        held.advance(by: 60)
        for _ in 0..<2 {
            let next = LongOperations(in: folder.path, clock: held.gatewayClock)
            let kept = try #require(await next.findOperation(ended.id)?.operation)
            #expect(kept.state == .done && kept.status == 201 && kept.lastProgress == progress.amount)
            let box = try #require(try await next.readAnswerBox(of: ended.id))
            guard case .bytes(let body) = try sealed.openAnswer(in: box).content else {
                Issue.record("The answer is no body")
                return
            }
            #expect(try JSONValue(parsing: body) == result)
            let interrupted = try #require(await next.findOperation(running.id)?.operation)
            #expect(interrupted.state == .failed && interrupted.endedAtSeconds == 1_800_000_060)
            #expect(interrupted.problem?["code"] == "operationInterrupted")
            #expect(interrupted.problem?["requestId"] == "request")
        }
        held.advance(by: LongOperation.lifetimeSeconds)
        #expect(await LongOperations(in: folder.path, clock: held.gatewayClock).listOperations().isEmpty)
        #expect(DiskFiles.listEntries(folder.path + "/operations") == [])
    }

    @Test
    func `A damaged file of a stored operation is removed when the operations are loaded`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try DiskFiles.makeFolder(folder.path + "/operations")
        try DiskFiles.replaceFile(folder.path + "/operations/op-1", with: Array("{".utf8))
        try DiskFiles.replaceFile(folder.path + "/operations/other", with: [])
        #expect(await LongOperations(in: folder.path).listOperations().isEmpty)
        #expect(DiskFiles.listEntries(folder.path + "/operations") == [])
    }

    @Test
    func `Malformed preferences in the header Prefer are ignored`() {
        func read(_ values: String...) -> AnswerPreference {
            AnswerPreference(
                HTTPRequest(method: "POST", path: "/", headers: values.map { ("prefer", $0) }),
                usual: 10
            )
        }
        #expect(read() == read("return=representation"))
        #expect(read().waitSeconds == 10 && !read().isAsync)
        #expect(read("Respond-Async").isAsync && read("respond-async").waitSeconds == 0)
        #expect(read("respond-async, wait=5").waitSeconds == 5)
        #expect(read("return=minimal; foo", "wait=60").waitSeconds == 60)
        #expect(read("wait=-1") == read() && read("wait=x") == read() && read("wait=") == read())
        #expect(read("wait=9999999999").waitSeconds == AnswerPreference.maxWaitSeconds)
    }
}
