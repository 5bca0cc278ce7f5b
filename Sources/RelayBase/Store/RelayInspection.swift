import Files

/// The findings about the folder of a relay that is not running. The inspection changes nothing.
package struct RelayInspection: Sendable {
    /// The faults of the folder. A fault prevents the relay from starting, or makes a file unusable for the operator.
    package private(set) var faults: [RelayError]
    /// The bytes of the log that the relay will cut off at its next start.
    package private(set) var logDamage = LogDamage(byteCount: 0, isUnfinishedRecord: true)
    /// Whether the folder still has the copy of bytes that an earlier start has cut off from the log.
    package private(set) var hasCopyOfRemovedBytes = false
    /// The recipient ids of the queues in an SMP relay's log; empty for a file relay.
    package var queueIDs: Set<[UInt8]> = []
    /// Whether the relay was used before, but its log is missing or empty.
    package private(set) var isLogEmpty = false

    /// Inspects the folder of a relay.
    /// - Parameters:
    ///   - faults: the faults of the relay's certificates and keys.
    ///   - log: the path of the relay's log.
    package init(
        identity faults: [RelayError],
        in directory: String,
        log: String,
        _ format: LogHeader,
        isRecord: (ArraySlice<UInt8>) -> Bool
    ) {
        self.faults = faults
        isLogEmpty = Self.isLogLost(log, in: directory, format)
        hasCopyOfRemovedBytes = DiskFiles.exists(log + ".damaged")
        do throws(RelayStoreError) {
            logDamage = try LogFile.findDamage(at: log, format, isRecord: isRecord) ?? logDamage
        } catch {
            self.faults.append(.storeFailed(error))
        }
    }

    /// Returns whether a relay was used before, but its log is missing or empty. The result is also true if the relay
    /// was killed during its first start, because the identity is made before the log.
    package static func isLogLost(_ log: String, in directory: String, _ format: LogHeader) -> Bool {
        DiskFiles.exists(directory + "/fingerprint") && DiskFiles.fileSize(log) ?? 0 < Int64(format.size)
    }
}
