import Logging
import ObjectStorage
import Synchronization

@testable import ChatCore

/// An object storage in memory, with faults that a test sets.
final class MemoryObjects: ObjectStore {
    enum Fault: Sendable { case away, refuses, refusesLarge, forgets, keepsAndIsAway }

    private struct State {
        var objects: [String: [UInt8]] = [:]
        var fault: Fault?
        var gets = 0
        var puts = 0
    }
    private let state = Mutex(State())

    var keys: [String] { state.withLock { $0.objects.keys.sorted() } }
    var gets: Int { state.withLock { $0.gets } }
    var puts: Int { state.withLock { $0.puts } }
    func content(_ key: String) -> [UInt8]? { state.withLock { $0.objects[key] } }
    func set(_ fault: Fault?) { state.withLock { $0.fault = fault } }
    func change(_ body: @Sendable (inout [String: [UInt8]]) -> Void) { state.withLock { body(&$0.objects) } }

    private var fault: Fault? { state.withLock { $0.fault } }
    private static let away = ObjectError.unavailable("as the test says")

    func put(_ key: String, _ source: ObjectSource) async throws(ObjectError) {
        state.withLock { $0.puts += 1 }
        if case .refuses? = fault { throw .refused(status: 403, code: "AccessDenied") }
        if case .refusesLarge? = fault, source.size > 10_000 { throw .refused(status: 400, code: "EntityTooLarge") }
        if case .away? = fault { throw Self.away }
        let bytes: [UInt8]
        do { bytes = try source.all() } catch { throw .unavailable("\(error)") }
        state.withLock { $0.objects[key] = bytes }
        if case .keepsAndIsAway? = fault { throw Self.away }
    }

    func get(_ key: String, size: Int64, _ take: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
        state.withLock { $0.gets += 1 }
        switch fault {
        case .away?, .keepsAndIsAway?: throw Self.away
        case .refuses?: throw ObjectError.refused(status: 403, code: "AccessDenied")
        case .refusesLarge?, .forgets?, nil: break
        }
        guard let bytes = content(key) else { throw ObjectError.missing }
        guard Int64(bytes.count) == size else { throw ObjectError.sizeChanged }
        for start in stride(from: 0, to: bytes.count, by: 7_000) {
            try await take(Array(bytes[start..<min(start + 7_000, bytes.count)]))
        }
    }

    func delete(_ key: String) async throws(ObjectError) {
        switch fault {
        case .away?, .keepsAndIsAway?: throw Self.away
        case .refuses?: throw .refused(status: 403, code: "AccessDenied")
        case .refusesLarge?, .forgets?, nil: state.withLock { _ = $0.objects.removeValue(forKey: key) }
        }
    }

    func listKeys(beginning prefix: String) async throws(ObjectError) -> [String] {
        keys.filter { $0.hasPrefix(prefix) }
    }

    /// Settings with which files move to the storage immediately, and objects are deleted immediately.
    /// - Parameter settling: the time before an object whose storing failed is deleted.
    func settings(
        _ folder: String = "store",
        settling: Duration = .zero,
        onStep: @escaping @Sendable (ObjectSettings.Step) async throws -> Void = { _ in }
    ) -> ObjectSettings {
        var settings = ObjectSettings(
            service: ObjectService(self, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            folder: folder,
            after: .zero
        )
        (settings.lateCreationTime, settings.onStep) = (settling, onStep)
        return settings
    }
}

extension ObjectSource {
    func all() throws -> [UInt8] {
        let reading = try open()
        var bytes: [UInt8] = []
        while true {
            let part = try reading(5_000)
            if part.isEmpty { return bytes }
            bytes += part
        }
    }
}
