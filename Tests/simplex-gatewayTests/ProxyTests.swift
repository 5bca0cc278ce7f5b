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

    @Test
    func `HAProxy sends each request to the node that serves the store, even after a move or a kill of a node`()
        async throws
    {
        try await NodesTests.World.run { world in
            let nodes = [world.makeNode("one"), world.makeNode("two")]
            var ports: [Int] = []
            for node in nodes { ports.append(try #require(URL(string: try await node.waitUntilRunning().url)?.port)) }
            let proxy = try await startProxy(world.folder, ports)
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await expectRouting(proxy, nodes)) } catch { outcome = .failure(error) }
            proxy.program.signal(SIGKILL)
            _ = await proxy.program.waitForEnd()
            for node in nodes { await node.stop(SIGKILL) }
            try outcome.get()
        }
    }

    private func expectRouting(_ proxy: Proxy, _ nodes: [Node]) async throws {
        var stores: [(id: String, key: String)] = []
        for index in 0..<6 {
            let made = try await nodes[index % 2].callForObject("POST", "/v1/stores", ["name": "store"])
            stores.append(
                (try #require(made["store"]?["storeId"]?.stringValue), try #require(made["key"]?.stringValue))
            )
        }
        try await waitUntil("the proxy answers") {
            (try? await proxy.call("GET", "/v1/users", key: stores[0].key).status) == 200
        }
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
        for (index, store) in stores.enumerated() {
            try await waitUntil("the store \(index) is served again") {
                (try? await proxy.call("GET", "/v1/users", key: store.key).status) == 200
            }
            #expect(try await proxy.call("GET", "/v1/users", key: store.key).json["users"]?.arrayValue?.count == 1)
        }
    }
}
