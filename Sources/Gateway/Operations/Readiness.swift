internal import ChatCore

extension GatewayServices {
    /// Number of free bytes below which the disk of a folder that several nodes share counts as full.
    static let fullDiskBytes: UInt64 = 1 << 20

    /// The reason why the gateway cannot serve requests now; nil if it is ready.
    var unreadyReason: ProblemDetails? {
        switch core.status {
        case .closed:
            let isLocked = store == nil && stores?.firstStore != nil
            return isLocked ? ProblemDetails(.storeLocked) : ProblemDetails(.unavailable, "The databases are not open.")
        case .stopped: return ProblemDetails(.unavailable, "The chat is stopped.")
        case .running: break
        }
        guard isForFirstStore, let stores, let placement = stores.settings.placement else { return nil }
        guard placement.hasLease else {
            return ProblemDetails(
                .unavailable,
                "This node has no lease, so that it can open none of the shared stores."
            )
        }
        switch stores.diskWatch.latestReading() {
        case .silent: return ProblemDetails(.unavailable, "The disk of the shared stores does not answer.")
        case .free(let bytes) where bytes < Self.fullDiskBytes:
            return ProblemDetails(.unavailable, "The disk of the shared stores is full.")
        case .free: return nil
        }
    }
}
