import Foundation
import JSON
import ServerSupport
import TestSupport
import Testing

private let haproxyPath = "/usr/sbin/haproxy"

/// Tests of HAProxy with the configuration in `deploy/`, in front of two nodes.
@Suite(
    .socketTimeLimit,
    .enabled(
        if: PostgresServer.isInstalled
            && [haproxyPath, "/usr/bin/curl"].allSatisfy(FileManager.default.isExecutableFile),
        "PostgreSQL, HAProxy or curl is not installed"
    )
) struct ProxyTests {
    private struct Proxy {
        let program: Program
        let port: Int

        /// Sends a request like a client that follows redirects.
        func call(
            _ method: String,
            _ target: String,
            _ body: JSONValue? = nil,
            key: String
        ) async throws -> (status: Int, json: JSONValue) {
            let content =
                body.map {
                    ["-H", "Content-Type: application/json", "-d", String(decoding: $0.encodeText(), as: UTF8.self)]
                } ?? []
            let ending = try await Program(
                "/usr/bin/curl",
                [
                    "-sSL", "--max-redirs", "5", "-m", "30", "-X", method, "-H", "Authorization: Bearer \(key)", "-w",
                    "\n%{http_code}",
                ] + content + ["http://127.0.0.1:\(port)\(target)"]
            ).waitForEnd()
            let parts = ending.output.split(separator: "\n", omittingEmptySubsequences: false)
            let text = parts.dropLast().joined(separator: "\n")
            return (parts.last.flatMap { Int($0) } ?? 0, (try? JSONValue(parsing: Array(text.utf8))) ?? .null)
        }

        /// Sends a request, and repeats it as long as the answer is a redirect to the same URL.
        /// - Returns: the number of redirects, at most 1,000, and the last answer.
        func countRedirects(
            _ target: String,
            key: String
        ) async throws -> (redirectCount: Int, answer: PlainRequest.Reply) {
            var count = 0
            while true {
                let answer = try await PlainRequest.send(
                    "GET",
                    "http://127.0.0.1:\(port)\(target)",
                    headers: [("Authorization", "Bearer \(key)")]
                )
                guard answer.status == 307, count < 1_000 else { return (count, answer) }
                #expect(answer.headers["location"] == target)
                count += 1
            }
        }
    }

    /// Starts HAProxy with the delivered configuration, in which only the addresses are changed.
    private func startProxy(_ folder: Folder, _ ports: [Int]) async throws -> Proxy {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../deploy/haproxy.cfg"
        )
        var text = try String(contentsOf: file, encoding: .utf8)
        let port = TestPort.takeUnused()
        for (old, new) in [
            ("/var/lib/haproxy/simplex-gateway-stores.map", folder.path + "/stores.map"),
            ("127.0.0.1:8080", "127.0.0.1:\(port)"),
            ("10.0.0.1:5225", "127.0.0.1:\(ports[0])"), ("10.0.0.2:5225", "127.0.0.1:\(ports[1])"),
            // The third node of the configuration does not run.
            ("10.0.0.3:5225", "127.0.0.1:\(TestPort.takeUnused())"),
        ] {
            #expect(text.contains(old))
            text = text.replacingOccurrences(of: old, with: new)
        }
        _ = try folder.writeFile("stores.map", "")
        let configuration = try folder.writeFile("haproxy.cfg", text)
        let check = try await Program(haproxyPath, ["-c", "-f", configuration]).waitForEnd()
        #expect(check.exitCode == 0, "\(check)")
        return Proxy(program: try Program(haproxyPath, ["-db", "-f", configuration]), port: port)
    }

    /// Runs `body` with HAProxy in front of two servers, and ends HAProxy.
    private func runProxy(
        _ folder: Folder,
        _ ports: [Int],
        _ body: (Proxy) async throws -> Void
    ) async throws {
        let proxy = try await startProxy(folder, ports)
        let outcome: Result<Void, any Error>
        do { outcome = .success(try await body(proxy)) } catch { outcome = .failure(error) }
        proxy.program.signal(SIGKILL)
        _ = await proxy.program.waitForEnd()
        try outcome.get()
    }

    /// Runs `body` with HAProxy in front of two nodes.
    /// - Parameter lease: the duration of the nodes' leases in seconds.
    private func runNodes(
        lease: Int = 2,
        _ body: (NodesTests.World, Proxy, [Node]) async throws -> Void
    ) async throws {
        try await NodesTests.World.run { world in
            let nodes = [world.makeNode("one", lease: lease), world.makeNode("two", lease: lease)]
            var ports: [Int] = []
            for node in nodes { ports.append(try #require(URL(string: try await node.waitUntilRunning().url)?.port)) }
            let outcome: Result<Void, any Error>
            do {
                outcome = .success(try await runProxy(world.folder, ports) { try await body(world, $0, nodes) })
            } catch { outcome = .failure(error) }
            for node in nodes { await node.stop(SIGKILL) }
            try outcome.get()
        }
    }

    private func makeStore(_ node: Node) async throws -> (id: String, key: String) {
        let made = try await node.callForObject("POST", "/v1/stores", ["name": "store"])
        return (try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue))
    }

    private func waitUntilServed(_ proxy: Proxy, _ key: String) async throws {
        try await waitUntil("the store is served") {
            (try? await proxy.call("GET", "/v1/users", key: key).status) == 200
        }
    }

    @Test
    func `HAProxy sends each request to the node that serves the store, even after a move or a kill of a node`()
        async throws
    {
        try await runNodes { _, proxy, nodes in try await expectRouting(proxy, nodes) }
    }

    @Test
    func `After a kill of a node, each request gets at most one redirect, and then 503 with 'Retry-After'`()
        async throws
    {
        try await runNodes(lease: 20) { world, proxy, nodes in
            // HAProxy has sent requests for the first store, and none for the second one.
            let stores = [try await makeStore(nodes[1]), try await makeStore(nodes[1])]
            try await waitUntilServed(proxy, stores[0].key)
            await nodes[1].stop(SIGKILL)
            // The other node may not open the stores until the test ends the lease.
            let set = "UPDATE sxgw_node SET lease_until = clock_timestamp()"
            try world.postgres.runSQL("\(set) + interval '1 hour' WHERE name = 'two'")
            for _ in 0..<3 {
                for store in stores {
                    let (redirectCount, answer) = try await proxy.countRedirects("/v1/users", key: store.key)
                    #expect(redirectCount <= 1)
                    #expect(answer.status == 503)
                    #expect(answer.headers["retry-after"] != nil, "\(answer)")
                }
            }
            try world.postgres.runSQL("\(set) WHERE name = 'two'")
            for store in stores { try await waitUntilServed(proxy, store.key) }
        }
    }

    @Test
    func `Redirects of a store end with 503 and 'Retry-After' while two nodes name each other`() async throws {
        try await Folder.withNewFolder { folder in
            let nodes = try ["two", "one"].map {
                try startNode("503 Unavailable\r\nRetry-After: 1\r\nSxgw-Node: \($0)\r\nContent-Length: 0\r\n\r\n")
            }
            defer { for node in nodes { node.stop() } }
            try await runProxy(folder, nodes.map { Int($0.port) }) { proxy in
                // A request without a key gets no redirect.
                try await waitUntil("the proxy answers") {
                    (try? await proxy.countRedirects("/livez", key: ""))?.answer.status == 503
                }
                let (redirectCount, answer) = try await proxy.countRedirects("/v1/users?limit=1", key: storeKey)
                // The limit is 20 redirects within ten seconds, so that a slow machine may count more.
                #expect((20..<1_000).contains(redirectCount))
                #expect(answer.status == 503 && answer.headers["retry-after"] == "1")
            }
        }
    }

    /// The key of a store. The ids of stores have 15 letters or digits.
    private let storeKey = "sxgw_" + String(repeating: "a", count: 15) + "_" + String(repeating: "A", count: 43)

    /// Starts a server that answers like a node.
    /// - Parameters:
    ///   - answer: the answer to each request, without the version of HTTP.
    ///   - readiness: the answer to `/readyz`. HAProxy counts an answer without a body as a failed check.
    private func startNode(
        _ answer: String,
        readiness: String = "200 OK\r\nContent-Length: 5\r\n\r\nready"
    ) throws -> RawServer {
        try RawServer { peer in
            while true {
                var request: [UInt8] = []
                while !request.suffix(4).elementsEqual("\r\n\r\n".utf8) {
                    let bytes = peer.read()
                    guard !bytes.isEmpty else { return }
                    request += bytes
                }
                let isProbe = request.starts(with: "GET /readyz ".utf8)
                peer.write(Array("HTTP/1.1 \(isProbe ? readiness : answer)".utf8))
            }
        }
    }

    /// Runs `body` with HAProxy in front of two servers that are not ready, and that answer all requests with 204.
    private func runUnreadyNodes(
        _ reason: String,
        _ body: (Proxy, [RawServer]) async throws -> Void
    ) async throws {
        let readiness = "503 Unavailable\r\nContent-Length: \(reason.utf8.count)\r\n\r\n\(reason)"
        let nodes = try (0..<2).map { _ in try startNode("204 No Content\r\n\r\n", readiness: readiness) }
        defer { for node in nodes { node.stop() } }
        try await Folder.withNewFolder { folder in
            try await runProxy(folder, nodes.map { Int($0.port) }) { try await body($0, nodes) }
        }
    }

    @Test(
        arguments: [
            "The chat is stopped.", "The disk of the shared stores is full.",
            "The disk of the shared stores does not answer.",
        ]
    )
    func `A node that is not ready but can still serve stores gets requests`(reason: String) async throws {
        try await runUnreadyNodes(reason) { proxy, nodes in
            // HAProxy opens a connection for each check. It would stop to use a node after two failed checks.
            try await waitUntil("several checks") { nodes.allSatisfy { $0.connectionCount > 3 } }
            #expect(try await proxy.countRedirects("/v1/users", key: storeKey).answer.status == 204)
        }
    }

    @Test
    func `While no node can serve stores, HAProxy answers 503 with a problem and 'Retry-After'`() async throws {
        try await runUnreadyNodes("This node has no lease.") { proxy, _ in
            var answer = PlainRequest.Reply()
            try await waitUntil("HAProxy uses no node") {
                answer = (try? await proxy.countRedirects("/v1/users", key: storeKey).answer) ?? answer
                return answer.status == 503
            }
            #expect(answer.headers["retry-after"] == "2")
            #expect(answer.headers["content-type"] == "application/problem+json")
            #expect(try JSONValue(parsing: answer.body)["code"] == "unavailable")
        }
    }

    @Test
    func `A node without a lease gets no requests, so that the other node serves its stores`() async throws {
        try await runNodes { world, proxy, nodes in
            let store = try await makeStore(nodes[1])
            try await waitUntilServed(proxy, store.key)
            // Another process takes the name of the node, so that the node cannot get a lease again.
            try world.postgres.runSQL(
                "UPDATE sxgw_node SET owner = 'other', incarnation = nextval('sxgw_incarnation'),"
                    + " lease_until = clock_timestamp() + interval '1 hour' WHERE name = 'two'"
            )
            try await waitUntil("the node has no lease") { try await nodes[1].call("GET", "/readyz").status == 503 }
            try await waitUntilServed(proxy, store.key)
            #expect(try await nodes[0].callForObject("GET", "/v1/stores/\(store.id)")["node"] == "one")
        }
    }

    private func expectRouting(_ proxy: Proxy, _ nodes: [Node]) async throws {
        var stores: [(id: String, key: String)] = []
        for index in 0..<6 { stores.append(try await makeStore(nodes[index % 2])) }
        try await waitUntilServed(proxy, stores[0].key)
        // Each store may be at either node, and the proxy may ask the wrong node first, but each call must reach its
        // store.
        for (index, store) in stores.enumerated() {
            let body: JSONValue = ["profile": ["displayName": .string("user-\(index)"), "fullName": ""]]
            #expect(try await proxy.call("POST", "/v1/users", body, key: store.key).status == 201)
            #expect(try await proxy.call("GET", "/v1/users", key: store.key).json["users"]?.arrayValue?.count == 1)
        }
        let (id, key) = stores[0]
        #expect(try await nodes[0].call("POST", "/v1/stores/\(id)/move", ["node": "two"]).status == 200)
        let ticket = try await proxy.call("POST", "/v1/events/tickets", ["path": "/v1/events"], key: key)
        #expect(ticket.status == 200 || ticket.status == 201, "\(ticket)")
        #expect(try await nodes[1].callForObject("GET", "/v1/stores/\(id)")["state"] == "unlocked")
        #expect(try await proxy.call("GET", "/v1/users", key: String(key.dropLast(3)) + "AAA").status == 401)
        // The stores of the dead node move to the other node at the end of the lease.
        await nodes[1].stop(SIGKILL)
        for store in stores {
            try await waitUntilServed(proxy, store.key)
            #expect(try await proxy.call("GET", "/v1/users", key: store.key).json["users"]?.arrayValue?.count == 1)
        }
    }
}
