internal import ChatCore

extension GatewayServices {
    /// Number of free bytes below which a disk counts as full. Only the disk of the folder that several nodes share is
    /// checked.
    static let minFreeDiskBytes: UInt64 = 1 << 20

    /// Returns the reason why the gateway cannot serve requests now; nil if it is ready. A gateway that shares no
    /// folder with other nodes stays ready on a full disk, since it can still read.
    ///
    /// Reasons that stop the requests of all stores come first. `deploy/haproxy.cfg` reads the text, and sends no
    /// requests to a node without a lease.
    func findUnreadyReason(_ disks: GatewayDisks.Readings) -> ProblemDetails? {
        // All stores share the threads for files, so a disk without an answer also stops stores on another disk.
        if disks.dataDisk.isSilent {
            return ProblemDetails(.unavailable, "The disk of the data folder does not answer.")
        }
        let placement = isForFirstStore ? storeHost?.settings.placement : nil
        if let placement {
            guard placement.hasLease else {
                return ProblemDetails(
                    .unavailable,
                    "This node has no lease, so that it can open none of the shared stores."
                )
            }
            if disks.storesDisk.isSilent {
                return ProblemDetails(.unavailable, "The disk of the shared stores does not answer.")
            }
        }
        switch core.status {
        case .closed:
            let isLocked = storeCore == nil && storeHost?.firstStore != nil
            return isLocked ? ProblemDetails(.storeLocked) : ProblemDetails(.unavailable, "The databases are not open.")
        case .stopped: return ProblemDetails(.unavailable, "The chat is stopped.")
        case .running: break
        }
        if placement != nil, let bytes = disks.storesDisk.freeBytes, bytes < Self.minFreeDiskBytes {
            return ProblemDetails(.unavailable, "The disk of the shared stores is full.")
        }
        return nil
    }
}
