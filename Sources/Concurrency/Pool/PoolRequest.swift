import Synchronization

/// A request of a client that uses members of an ``OpenPool``. Its first use waits only a short time for a member, and
/// its later uses wait longer. So most commands are refused before their first effect, and not in the middle.
package final class PoolRequest: Sendable {
    /// The request of the present task; nil for background work, which always waits for the longer time. It is no
    /// parameter, because each read and write of a database would need it, and background work calls the same functions.
    @TaskLocal package static var current: PoolRequest?

    private enum Phase {
        /// No use of a member has begun for this request.
        case noUseYet
        case useBegun
        /// A use was refused before the first use began. So all later uses are refused too.
        case useRefused
        /// The request is over. Tasks of the request that still run are background work.
        case over
    }

    private let phase = Mutex(Phase.noUseYet)

    /// Whether the request is not over, and none of its uses has begun or was refused. Uses may already wait for a
    /// member.
    var hasUsedNoMember: Bool { phase.withLock { $0 == .noUseYet } }
    var isRefused: Bool { phase.withLock { $0 == .useRefused } }
    private var isOver: Bool { phase.withLock { $0 == .over } }

    /// Marks the request as having begun a use. Returns false if the first use of the request was refused: then no
    /// further use may begin.
    func tryBeginUse() -> Bool {
        phase.withLock { phase in
            if phase == .noUseYet { phase = .useBegun }
            return phase != .useRefused
        }
    }

    /// Records the refusal of a use. Returns true if no use of the request has begun. In that case all later uses of
    /// the request are refused too.
    func recordRefusal() -> Bool {
        phase.withLock { phase in
            if phase == .noUseYet { phase = .useRefused }
            return phase == .useRefused
        }
    }

    /// Runs `body` as a request. If the present task already runs a request, `body` becomes a part of it.
    package static func runAsRequest<T, E>(_ body: () async throws(E) -> T) async throws(E) -> T {
        if let current, !current.isOver { return try await body() }
        return try await runAsSeparateRequest(body)
    }

    /// Runs `body` as a separate request, even within another request. Like the first use of any request, its first use
    /// waits only for a short time.
    package static func runAsSeparateRequest<T, E>(_ body: () async throws(E) -> T) async throws(E) -> T {
        let request = PoolRequest()
        let result: Result<T, E> = await $current.withValue(request) {
            do throws(E) { return .success(try await body()) } catch { return .failure(error) }
        }
        request.phase.withLock { $0 = .over }
        return try result.get()
    }
}

/// The reason why a member of an ``OpenPool`` cannot be used: the maximal number of members is open and in use, and no
/// member became free in the time that the caller may wait.
package struct PoolExhausted: Error, Hashable {
    /// Whether the refused use belongs to a ``PoolRequest``, and no use of this request has begun. If so, nothing was
    /// done for the request.
    package let isFirstUse: Bool
}
