internal import ChatCore

extension GatewayServices {
    /// Number of free bytes below which the disk of a folder that several nodes share counts as full.
    static let minFreeDiskBytes: UInt64 = 1 << 20

    /// Returns the reason why the gateway cannot serve requests now; nil if it is ready.
    func findUnreadyReason() async -> ProblemDetails? {
        switch core.status {
        case .closed:
            let isLocked = storeCore == nil && storeHost?.firstStore != nil
            return isLocked ? ProblemDetails(.storeLocked) : ProblemDetails(.unavailable, "The databases are not open.")
        case .stopped: return ProblemDetails(.unavailable, "The chat is stopped.")
        case .running: break
        }
        guard isForFirstStore, let storeHost, let placement = storeHost.settings.placement else { return nil }
        guard placement.hasLease else {
            return ProblemDetails(
                .unavailable,
                "This node has no lease, so that it can open none of the shared stores."
            )
        }
        switch await storeHost.diskWatch.refreshLatestReading() {
        case .noAnswer: return ProblemDetails(.unavailable, "The disk of the shared stores does not answer.")
        case .free(let bytes) where bytes < Self.minFreeDiskBytes:
            return ProblemDetails(.unavailable, "The disk of the shared stores is full.")
        case .free: return nil
        }
    }
}
