import Logging
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

@Suite("A storage shared by all stores", .timeLimit(.minutes(5))) struct ObjectServiceTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test
    func `Requests to an unavailable storage fail immediately until the pause ends`() async throws {
        let objects = FailingStore(.unavailable("x"))
        let service = ObjectService(objects, log: Self.log)
        #expect(await failure { try await service.delete("k") } == .unavailable("x"))
        #expect(
            !service.isUp && service.retryAfterSeconds >= 1 && service.metrics.contains("sxgw_object_storage_up 0\n")
        )
        for _ in 0..<100 {
            #expect(
                await failure { try await service.delete("k") }
                    == .unavailable("a moment ago it did not answer, or refused")
            )
        }
        #expect(objects.asked == 1)
        objects.set(nil)
        try await eventually("the storage is asked again") { await failure { try await service.delete("k") } == nil }
        #expect(
            service.isUp && objects.asked == 2 && service.metrics.contains("sxgw_object_storage_up 1\n")
                && service.metrics.contains("sxgw_object_failures_total 1\n")
        )
    }

    @Test
    func `A missing, altered or refused object does not make the storage unavailable`() async throws {
        for error in [ObjectError.missing, .sizeChanged, .refused(status: 403, code: "AccessDenied")] {
            let objects = FailingStore(error)
            let service = ObjectService(objects, log: Self.log)
            for _ in 0..<3 { #expect(await failure { try await service.get("k", size: 1) { _ in } } == error) }
            #expect(service.isUp && objects.asked == 3)
        }
    }

    @Test
    func `Files in a full storage can be read and deleted`() async throws {
        let objects = FailingStore(nil)
        objects.refuse("put", .refused(status: 507, code: "XMinioStorageFull"))
        let service = ObjectService(objects, log: Self.log)
        let source = ObjectSource([1])
        #expect(
            await failure { try await service.put("k", source) } == .refused(status: 507, code: "XMinioStorageFull")
        )
        #expect(!service.isUp && service.pauseSeconds >= 1)
        #expect(
            await failure { try await service.put("k", source) }
                == .unavailable("a moment ago it did not answer, or refused")
        )
        for _ in 0..<3 {
            try await service.get("k", size: 1) { _ in }
            try await service.delete("k")
        }
        #expect(objects.asked == 7 && !service.isUp && service.metrics.contains("sxgw_object_failures_total 1\n"))
        objects.refuse("put", nil)
        try await eventually("the storage accepts files") {
            await failure { try await service.put("k", source) } == nil
        }
        #expect(service.isUp)
    }

    @Test
    func `Reading a file does not wait for uploads`() async throws {
        let objects = FailingStore(nil)
        objects.hold("put")
        let service = ObjectService(objects, atOnce: 4, log: Self.log)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 { group.addTask { try await service.put("\(number)", ObjectSource([1])) } }
            try await eventually("the maximum number of uploads is running") { objects.asked == 2 }
            try await service.get("k", size: 1) { _ in }
            objects.letGo()
            try await group.waitForAll()
        }
        #expect(objects.asked == 21)
    }

    @Test
    func `The number of concurrent requests is limited`() async throws {
        let objects = FailingStore(nil)
        let service = ObjectService(objects, atOnce: 3, log: Self.log)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { try? await service.delete("k") } }
        }
        #expect(objects.asked == 50 && objects.maxAtOnce <= 3)
    }
}

/// A storage that fails as the test decides.
private final class FailingStore: ObjectStore {
    private struct State {
        var error: ObjectError?
        var refused: [String: ObjectError] = [:]
        var held: String?
        var waiting: [CheckedContinuation<Void, Never>] = []
        var asked = 0
        var now = 0
        var most = 0
    }
    private let state: Mutex<State>

    init(_ error: ObjectError?) { state = Mutex(State(error: error)) }

    var asked: Int { state.withLock { $0.asked } }
    var maxAtOnce: Int { state.withLock { $0.most } }
    func set(_ error: ObjectError?) { state.withLock { $0.error = error } }
    func refuse(_ request: String, _ error: ObjectError?) { state.withLock { $0.refused[request] = error } }

    /// Makes later requests with this name wait.
    func hold(_ request: String) { state.withLock { $0.held = request } }
    func letGo() {
        let waiting = state.withLock { state in
            state.held = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    private func ask(_ request: String) async throws(ObjectError) {
        let error = state.withLock { state in
            state.asked += 1
            state.now += 1
            state.most = max(state.most, state.now)
            return state.error ?? state.refused[request]
        }
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                guard state.held == request else { return false }
                state.waiting.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
        await Task.yield()
        state.withLock { $0.now -= 1 }
        if let error { throw error }
    }

    func put(_ key: String, _ source: ObjectSource) async throws(ObjectError) { try await ask("put") }
    func get(_ key: String, size: Int64, _ take: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
        try await ask("get")
    }
    func delete(_ key: String) async throws(ObjectError) { try await ask("delete") }
    func listKeys(beginning prefix: String) async throws(ObjectError) -> [String] {
        try await ask("list")
        return []
    }
}
