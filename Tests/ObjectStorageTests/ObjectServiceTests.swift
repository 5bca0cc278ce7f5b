import Logging
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

@Suite("A storage shared by all stores", .timeLimit(.minutes(5))) struct ObjectServiceTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test
    func `Requests to an unavailable object storage fail immediately until a pause has ended`() async throws {
        let objects = FailingStore(.unavailable("x"))
        let service = ObjectService(objects, log: Self.log)
        #expect(await catchError { try await service.deleteObject("k") } == .unavailable("x"))
        #expect(
            !service.isUp && service.retryAfterSeconds >= 1
                && service.metricsText.contains("sxgw_object_storage_up 0\n")
        )
        for _ in 0..<100 {
            #expect(
                await catchError { try await service.deleteObject("k") }
                    == .unavailable("a moment ago it did not answer, or refused")
            )
        }
        #expect(objects.requestCount == 1)
        objects.setError(nil)
        try await waitUntil("the storage is asked again") {
            await catchError { try await service.deleteObject("k") } == nil
        }
        #expect(
            service.isUp && objects.requestCount == 2 && service.metricsText.contains("sxgw_object_storage_up 1\n")
                && service.metricsText.contains("sxgw_object_failures_total 1\n")
        )
    }

    @Test
    func `A missing, altered or refused object does not make the object storage count as unavailable`() async throws {
        for error in [ObjectError.objectMissing, .sizeChanged, .requestRefused(status: 403, code: "AccessDenied")] {
            let objects = FailingStore(error)
            let service = ObjectService(objects, log: Self.log)
            for _ in 0..<3 {
                #expect(await catchError { try await service.fetchObject("k", size: 1) { _ in } } == error)
            }
            #expect(service.isUp && objects.requestCount == 3)
        }
    }

    @Test
    func `Files in a full object storage can be read and deleted`() async throws {
        let objects = FailingStore(nil)
        objects.refuse("put", .requestRefused(status: 507, code: "XMinioStorageFull"))
        let service = ObjectService(objects, log: Self.log)
        let source = ObjectSource([1])
        #expect(
            await catchError { try await service.storeObject("k", source) }
                == .requestRefused(status: 507, code: "XMinioStorageFull")
        )
        #expect(!service.isUp && service.retryOtherRequestsAfterSeconds >= 1)
        #expect(
            await catchError { try await service.storeObject("k", source) }
                == .unavailable("a moment ago it did not answer, or refused")
        )
        for _ in 0..<3 {
            try await service.fetchObject("k", size: 1) { _ in }
            try await service.deleteObject("k")
        }
        #expect(
            objects.requestCount == 7 && !service.isUp && service.metricsText.contains("sxgw_object_failures_total 1\n")
        )
        objects.refuse("put", nil)
        try await waitUntil("the storage accepts files") {
            await catchError { try await service.storeObject("k", source) } == nil
        }
        #expect(service.isUp)
    }

    @Test
    func `Reading a file from the object storage does not wait for uploads`() async throws {
        let objects = FailingStore(nil)
        objects.holdRequests("put")
        let service = ObjectService(objects, atOnce: 4, log: Self.log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { try await service.storeObject("\(number)", ObjectSource([1])) } }
            try await waitUntil("the maximum number of uploads is running") { objects.requestCount == 2 }
            try await service.fetchObject("k", size: 1) { _ in }
            objects.releaseRequests()
            try await group.waitForAll()
        }
        #expect(objects.requestCount == 21)
    }

    @Test
    func `The number of concurrent requests to the object storage is limited`() async throws {
        let objects = FailingStore(nil)
        let service = ObjectService(objects, atOnce: 3, log: Self.log)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try? await service.deleteObject("k") } }
        }
        #expect(objects.requestCount == 50 && objects.maxRunningCount <= 3)
    }
}

/// A storage that fails as the test decides.
private final class FailingStore: ObjectStore {
    private struct State {
        var error: ObjectError?
        var refusedRequests: [String: ObjectError] = [:]
        var heldRequest: String?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var requestCount = 0
        var runningCount = 0
        var maxRunningCount = 0
    }
    private let state: Mutex<State>

    init(_ error: ObjectError?) { state = Mutex(State(error: error)) }

    var requestCount: Int { state.withLock { $0.requestCount } }
    var maxRunningCount: Int { state.withLock { $0.maxRunningCount } }
    func setError(_ error: ObjectError?) { state.withLock { $0.error = error } }
    func refuse(_ request: String, _ error: ObjectError?) { state.withLock { $0.refusedRequests[request] = error } }

    /// Makes later requests with this name wait.
    func holdRequests(_ request: String) { state.withLock { $0.heldRequest = request } }
    func releaseRequests() {
        let waiting = state.withLock { state in
            state.heldRequest = nil
            defer { state.waiters = [] }
            return state.waiters
        }
        for continuation in waiting { continuation.resume() }
    }

    private func handleRequest(_ request: String) async throws(ObjectError) {
        let error = state.withLock { state in
            state.requestCount += 1
            state.runningCount += 1
            state.maxRunningCount = max(state.maxRunningCount, state.runningCount)
            return state.error ?? state.refusedRequests[request]
        }
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.heldRequest == request else { return false }
                state.waiters.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
        await Task.yield()
        state.withLock { $0.runningCount -= 1 }
        if let error { throw error }
    }

    func storeObject(_ key: String, _ source: ObjectSource) async throws(ObjectError) { try await handleRequest("put") }
    func fetchObject(
        _ key: String,
        size: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        try await handleRequest("get")
    }
    func deleteObject(_ key: String) async throws(ObjectError) { try await handleRequest("delete") }
    func listKeys(beginning prefix: String) async throws(ObjectError) -> [String] {
        try await handleRequest("list")
        return []
    }
}
