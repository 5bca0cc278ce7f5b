extension OpenPool {
    /// A group of resources that an ``OpenPool`` opens and closes together, for example the two databases of a store.
    package final class PoolMember: @unchecked Sendable {
        // The class is `@unchecked Sendable`: its variables are used only under the lock of the pool.

        enum Phase {
            case closed
            /// Uses wait until the pool may open one more member.
            case waiting
            /// The pool begins the waiting uses, in their order.
            case opening
            case open
            /// The parts are being closed. New uses wait until the pool opens the member again.
            case closing
        }

        struct Use: Sendable {
            let beginUse: @Sendable () -> Void
            let refuseUse: @Sendable (PoolExhausted) -> Void
            let request: PoolRequest?
            /// The time of the pool's clock at which a waiting use is refused.
            var deadline = Duration.zero
        }

        struct Part: Sendable {
            let id: ObjectIdentifier
            /// Number of lanes (workers) of the part that have not ended. They may still open something.
            var laneCount: Int
            /// Closes everything that the part has open. Returns false if something stays open.
            let closePart: @Sendable () async -> Bool
        }

        package let pool: OpenPool
        var phase = Phase.closed
        var parts: [ObjectIdentifier: Part] = [:]
        var pendingUses: [Use] = []
        /// Number of uses of the member that have begun and not ended.
        var activeUseCount = 0
        /// Number of uses of the member that have ever begun.
        var begunUseCount: UInt64 = 0
        /// The end of the last use, by the pool's clock.
        var lastUseEndTime = Duration.zero
        /// The beginning of the last closing, by the pool's clock.
        var closingStartTime = Duration.zero
        /// Whether an attempt to close the member has failed since its last use.
        var hasFailedToClose = false

        package init(of pool: OpenPool) { self.pool = pool }

        var isIdle: Bool { phase == .open && activeUseCount == 0 }

        func beginUse() {
            activeUseCount += 1
            begunUseCount &+= 1
            hasFailedToClose = false
        }

        /// Begins a use of the member. If the member is closed, the use begins when the pool allows the member to open.
        /// - Parameters:
        ///   - begin: a function that is called once when the use has begun. It must not block. Uses begin in the order
        ///     of the calls. The use ends with ``endUse()``.
        ///   - request: the request to which the use belongs; nil for background work.
        ///   - refuse: a function that is called instead of `begin` when the use has waited too long.
        package func requestUse(
            for request: PoolRequest? = PoolRequest.current,
            _ begin: @escaping @Sendable () -> Void,
            refuse: @escaping @Sendable (PoolExhausted) -> Void
        ) {
            pool.requestUse(self, Use(beginUse: begin, refuseUse: refuse, request: request))
        }

        /// Whether the member is open, or is being opened.
        package var isOpen: Bool { pool.isOpen(self) }

        /// Ends a use of the member. The caller then needs nothing that the member has open.
        package func endUse() { pool.endUse(of: self) }

        /// Runs `body` as a use of the member, so that the member stays open until `body` ends.
        /// - Throws: ``PoolExhausted``, and the errors of `body`.
        package func withUse<T>(_ body: () async throws -> T) async throws -> T {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                requestUse({ continuation.resume() }, refuse: { continuation.resume(throwing: $0) })
            }
            defer { endUse() }
            return try await body()
        }

        /// Adds a part of the member, for example a database. From this call on, the part may be open. The caller must
        /// be using the member.
        /// - Parameters:
        ///   - id: an object that identifies the part while its lanes run.
        ///   - lanes: the number of calls of ``endLane(of:)`` after which the part has nothing open.
        ///   - close: closes everything that the part has open, and returns whether this succeeded. It is called while
        ///     no use runs.
        package func addPart(_ id: AnyObject, lanes: Int, close: @escaping @Sendable () async -> Bool) {
            pool.addPart(Part(id: ObjectIdentifier(id), laneCount: lanes, closePart: close), to: self)
        }

        /// Records that a lane (a worker) of a part has ended, so that it opens nothing more.
        package func endLane(of id: ObjectIdentifier) { pool.endLane(of: id, in: self) }
    }
}
