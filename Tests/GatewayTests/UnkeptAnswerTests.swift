import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("Answers that cannot be kept for repeated requests") struct UnkeptAnswerTests {
    /// Runs a request whose answer cannot be kept. Returns the status of the answer, or the code of the refusal.
    private func runRequest(
        _ context: RouteContext,
        _ place: AnswerPlace,
        _ runCount: borrowing Mutex<Int>
    ) async throws -> (status: Int?, refusal: ProblemDetails.Code?) {
        let request = try #require(
            SealedAnswerRequest(key: [1], fingerprint: [1], idempotencyKey: "k", apiKey: SecretBytes([1]))
        )
        do throws(ProblemDetails) {
            let response = try await context.runOnce(request, place) { _ in
                runCount.withLock { $0 += 1 }
                return HTTPResponse(status: 201, content: .stream(HTTPStream(capacity: 1)))
            }
            return (response.status, nil)
        } catch { return (nil, error.code) }
    }

    private func withContext(_ body: (RouteContext) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let context = RouteContext(
            request: HTTPRequest(method: "POST", path: "/v1/events/tickets"),
            route: try #require(RouteTable.all.first),
            parameters: [:],
            principal: nil,
            services: try GatewayServices.makeInMemory(folder)
        )
        try await body(context)
    }

    @Test(arguments: [AnswerPlace.memory, .memoryIfRoom(seconds: 60)])
    func `A client gets the answer to its request even if the answer cannot be kept`(place: AnswerPlace) async throws {
        try await withContext { context in
            let runCount = Mutex(0)
            let answer = try await runRequest(context, place, runCount)
            #expect(answer.status == 201)
            #expect(runCount.withLock { $0 } == 1)
        }
    }

    @Test
    func `A repeated request whose first answer could not be kept is refused, and has no second effect`() async throws {
        try await withContext { context in
            let runCount = Mutex(0)
            let first = try await runRequest(context, .memory, runCount)
            let second = try await runRequest(context, .memory, runCount)
            #expect(first.status == 201 && second.refusal == .conflict)
            #expect(runCount.withLock { $0 } == 1)
        }
    }
}
