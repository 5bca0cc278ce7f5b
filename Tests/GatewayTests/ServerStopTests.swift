import Testing

@testable import Gateway

@Suite(.overSockets) struct ServerStopTests {
    /// The library ends the process when a connection is suspended while it stops.
    @Test("requests that come while the server stops are answered or cut off, and the process goes on", arguments: 0..<20)
    func latecomers(round: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            try await Served.run { served in
                for _ in 0..<4 {
                    var client = try await served.client()
                    client.checksAnswers = false
                    // It ends when the connection does.
                    tasks.addTask { [client] in while (try? await client.call("GET", "/v1/users/1/tags")) != nil {} }
                }
                #expect(try await served.client().call("GET", "/livez").status == 200)
            }
            try await tasks.waitForAll()
        }
    }
}
