import Logging
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

@Suite("A storage that all stores use", .timeLimit(.minutes(5))) struct ObjectServiceTests {
    private static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    @Test("whoever asks while it is away is told so at once, without a request; after a while it is asked again")
    func away() async throws {
        let objects = FailingStore(.away("x"))
        let service = ObjectService(objects, log: Self.log)
        #expect(await failure { try await service.delete("k") } == .away("x"))
        #expect(!service.isUp && service.retryAfter >= 1 && service.metrics.contains("sxgw_object_storage_up 0\n"))
        for _ in 0..<100 { #expect(await failure { try await service.delete("k") } == .away("it has just not answered, or refused")) }
        #expect(objects.asked == 1)
        objects.set(nil)
        try await eventually("it is asked again") { await failure { try await service.delete("k") } == nil }
        #expect(service.isUp && objects.asked == 2 && service.metrics.contains("sxgw_object_storage_up 1\n") && service.metrics.contains("sxgw_object_failures_total 1\n"))
    }

    @Test("an object that is missing, altered or refused says nothing of the storage")
    func single() async throws {
        for error in [ObjectError.missing, .altered, .refused(status: 403, code: "AccessDenied")] {
            let objects = FailingStore(error)
            let service = ObjectService(objects, log: Self.log)
            for _ in 0..<3 { #expect(await failure { try await service.get("k", size: 1) { _ in } } == error) }
            #expect(service.isUp && objects.asked == 3)
        }
    }

    @Test("only so many requests are on their way at a time")
    func places() async throws {
        let objects = FailingStore(nil)
        let service = ObjectService(objects, atOnce: 3, log: Self.log)
        await withTaskGroup(of: Void.self) { group in for _ in 0..<50 { group.addTask { try? await service.delete("k") } } }
        #expect(objects.asked == 50 && objects.mostAtOnce <= 3)
    }
}

/// Fails as it is told to.
private final class FailingStore: ObjectStore {
    private struct State {
        var error: ObjectError?
        var asked = 0
        var now = 0
        var most = 0
    }
    private let state: Mutex<State>

    init(_ error: ObjectError?) { state = Mutex(State(error: error)) }

    var asked: Int { state.withLock { $0.asked } }
    var mostAtOnce: Int { state.withLock { $0.most } }
    func set(_ error: ObjectError?) { state.withLock { $0.error = error } }

    private func ask() async throws(ObjectError) {
        let error = state.withLock { state in
            state.asked += 1
            state.now += 1
            state.most = max(state.most, state.now)
            return state.error
        }
        await Task.yield()
        state.withLock { $0.now -= 1 }
        if let error { throw error }
    }

    func put(_ key: String, _ source: ObjectSource) async throws(ObjectError) { try await ask() }
    func get(_ key: String, size: Int64, _ take: @escaping @Sendable ([UInt8]) async throws -> Void) async throws { try await ask() }
    func delete(_ key: String) async throws(ObjectError) { try await ask() }
    func keys(beginning prefix: String) async throws(ObjectError) -> [String] {
        try await ask()
        return []
    }
}
