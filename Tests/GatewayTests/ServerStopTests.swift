import Testing

@testable import Gateway

@Suite(.socketTimeLimit) struct ServerStopTests {
    /// The HTTP library would end the process if the server suspended a connection while the library stops.
    @Test(arguments: 0..<20)
    func `Requests that arrive during the stop of the server do not crash the process`(round: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            try await ServedGateway.run { served in
                for _ in 0..<4 {
                    var client = try await served.connectClient()
                    client.checksAnswers = false
                    // The first call on the closed connection throws, and ends the loop.
                    tasks.addTask { [client] in while (try? await client.call("GET", "/v1/users/1/tags")) != nil {} }
                }
                #expect(try await served.connectClient().call("GET", "/livez").status == 200)
            }
            try await tasks.waitForAll()
        }
    }
}
