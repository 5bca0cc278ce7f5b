import Concurrency
import JSON
import Synchronization
import Testing

@testable import Gateway

/// Long work whose end the test decides.
final class HeldWork: Sendable {
    private let beginnings = AsyncStream.makeStream(of: Void.self)
    private let requestedEndings = AsyncStream.makeStream(of: Bool.self)
    private let runCounter = Mutex(0)

    /// The number of times that the work has run.
    var runCount: Int { runCounter.withLock { $0 } }

    /// Waits until the work has begun once more.
    func waitUntilBegun() async { for await _ in beginnings.stream { return } }

    /// Ends the work that runs: with success, or with a problem.
    func endWork(_ succeeds: Bool = true) { requestedEndings.continuation.yield(succeeds) }

    /// Runs the work.
    fileprivate func runWork() async throws(ProblemDetails) -> HTTPResponse {
        runCounter.withLock { $0 += 1 }
        WorkProgress.currentProgress?.beginCounting(.bytes, of: 8)
        WorkProgress.currentProgress?.advance(by: 2)
        beginnings.continuation.yield()
        var succeeds = false
        for await wanted in requestedEndings.stream {
            succeeds = wanted
            break
        }
        do { try WorkProgress.preventCancellation() } catch {
            throw ProblemDetails(.conflict, "The work was cancelled.")
        }
        guard succeeds else { throw ProblemDetails(.storageFull, "The disk is full.") }
        let body: JSONValue = ["folder": "/hidden-folder", "files": 1, "bytes": 8]
        var response = HTTPResponse(status: 201, json: body.encodeText())
        response.headers.append(("Location", "/v1/stores/one"))
        return response
    }

    /// The routes of the gateway, with this work in place of a backup.
    func makeRoutes(_ work: LongWork = .cancellable) -> [Route] {
        RouteTable.all.filter { $0.operationID != "createBackup" } + [
            Route(
                .post,
                "/v1/backup",
                "createBackup",
                category: "Operations",
                access: .firstStore([.admin, .stores]),
                policy: .storeManagement
            ) { context throws(ProblemDetails) in
                let _: String = try context.parseBody().decodeValue("folder")
                try context.refuseUnknownNames()
                return try context.runOnce(.memory) { _ async throws(ProblemDetails) in try await self.runWork() }
            }.withLongWork(work)
        ]
    }
}
