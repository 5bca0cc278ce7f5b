import Synchronization

/// A request of a client. It waits only for a short time for a member of an ``OpenPool``, until its first use of a
/// member has begun. Later uses wait longer, so that a command is refused before its first effect, and not in the
/// middle.
package final class PoolRequest: Sendable {
    /// The request of the present task; nil for background work, which always waits for the longer time.
    @TaskLocal static var current: PoolRequest?

    private let begun = Atomic(false)

    /// Whether a member was used for the request.
    var hasBegun: Bool { begun.load(ordering: .relaxed) }

    func begin() { begun.store(true, ordering: .relaxed) }

    /// Runs `body` as a request. A request within a request is a part of that request.
    package static func run<T, E>(_ body: () async throws(E) -> T) async throws(E) -> T {
        guard current == nil else { return try await body() }
        let result: Result<T, E> = await $current.withValue(PoolRequest()) {
            do throws(E) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }
}

/// The reason why a member of an ``OpenPool`` cannot be used: as many members as the pool allows are open and in use,
/// and none of them became free in the time that the caller may wait.
package struct PoolExhausted: Error, Hashable {}
