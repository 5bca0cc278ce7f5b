import Logging
import ObjectStorage
import Synchronization

@testable import ChatCore

/// An object storage in memory, with faults that a test sets.
final class MemoryObjects: ObjectStore {
    enum Fault: Sendable {
        case unavailable, refusesRequests, refusesLargeObjects, losesObjects, storesButIsUnavailable
    }

    private struct State {
        var objectsByKey: [String: [UInt8]] = [:]
        var currentFault: Fault?
        var getCount = 0
        var putCount = 0
    }
    private let state = Mutex(State())

    var keys: [String] { state.withLock { $0.objectsByKey.keys.sorted() } }
    var getCount: Int { state.withLock { $0.getCount } }
    var putCount: Int { state.withLock { $0.putCount } }
    func content(_ key: String) -> [UInt8]? { state.withLock { $0.objectsByKey[key] } }
    func setFault(_ fault: Fault?) { state.withLock { $0.currentFault = fault } }
    func changeObjects(_ body: @Sendable (inout [String: [UInt8]]) -> Void) {
        state.withLock { body(&$0.objectsByKey) }
    }

    private var fault: Fault? { state.withLock { $0.currentFault } }
    private static let unavailableError = ObjectError.unavailable("as the test says")

    func storeObject(_ key: String, _ source: ObjectSource) async throws(ObjectError) {
        state.withLock { $0.putCount += 1 }
        if case .refusesRequests? = fault { throw .requestRefused(status: 403, code: "AccessDenied") }
        if case .refusesLargeObjects? = fault, source.size > 10_000 {
            throw .requestRefused(status: 400, code: "EntityTooLarge")
        }
        if case .unavailable? = fault { throw Self.unavailableError }
        let bytes: [UInt8]
        do { bytes = try source.readAll() } catch { throw .unavailable("\(error)") }
        state.withLock { $0.objectsByKey[key] = bytes }
        if case .storesButIsUnavailable? = fault { throw Self.unavailableError }
    }

    func fetchObject(
        _ key: String,
        size: Int64,
        _ take: @escaping @Sendable ([UInt8]) async throws -> Void
    ) async throws {
        state.withLock { $0.getCount += 1 }
        switch fault {
        case .unavailable?, .storesButIsUnavailable?: throw Self.unavailableError
        case .refusesRequests?: throw ObjectError.requestRefused(status: 403, code: "AccessDenied")
        case .refusesLargeObjects?, .losesObjects?, nil: break
        }
        guard let bytes = content(key) else { throw ObjectError.objectMissing }
        guard Int64(bytes.count) == size else { throw ObjectError.sizeChanged }
        for start in stride(from: 0, to: bytes.count, by: 7_000) {
            try await take(Array(bytes[start..<min(start + 7_000, bytes.count)]))
        }
    }

    func deleteObject(_ key: String) async throws(ObjectError) {
        switch fault {
        case .unavailable?, .storesButIsUnavailable?: throw Self.unavailableError
        case .refusesRequests?: throw .requestRefused(status: 403, code: "AccessDenied")
        case .refusesLargeObjects?, .losesObjects?, nil: state.withLock { _ = $0.objectsByKey.removeValue(forKey: key) }
        }
    }

    func listKeys(beginning prefix: String) async throws(ObjectError) -> [String] {
        keys.filter { $0.hasPrefix(prefix) }
    }

    /// Settings with which files move to the storage immediately, and objects are deleted immediately.
    /// - Parameter settling: the time before an object whose storing failed is deleted.
    func makeSettings(
        _ folder: String = "store",
        settling: Duration = .zero,
        onStep: @escaping @Sendable (ObjectSettings.Step) async throws -> Void = { _ in }
    ) -> ObjectSettings {
        var settings = ObjectSettings(
            service: ObjectService(self, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }),
            folder: folder,
            after: .zero
        )
        (settings.failedUploadDeletionDelay, settings.onStep) = (settling, onStep)
        return settings
    }
}

extension ObjectSource {
    func readAll() throws -> [UInt8] {
        let reading = try openReader()
        var bytes: [UInt8] = []
        while true {
            let part = try reading(5_000)
            if part.isEmpty { return bytes }
            bytes += part
        }
    }
}
