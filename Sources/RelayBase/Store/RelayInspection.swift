import Files

/// The findings about the folder of a relay that does not run. The inspection changes nothing.
package struct RelayInspection: Sendable {
    /// The faults that prevent the relay from starting, or that make files unusable for its operator.
    package private(set) var faults: [RelayError]
    /// The bytes of the log that the next start cuts off.
    package private(set) var logDamage = LogDamage(byteCount: 0, isUnfinishedRecord: true)
    /// Whether an earlier start has cut off bytes, and their copy still exists.
    package private(set) var hasDamagedCopy = false
    /// The recipient ids of the queues in the log of an SMP relay.
    package var queueIDs: Set<[UInt8]> = []
    /// Whether the relay has an identity and an empty log.
    package private(set) var isLogEmpty = false

    /// Inspects the folder of a relay.
    /// - Parameters:
    ///   - faults: the faults of its certificates and keys.
    ///   - log: the path of its log.
    package init(
        identity faults: [RelayError],
        in directory: String,
        log: String,
        _ format: LogHeader,
        isRecord: (ArraySlice<UInt8>) -> Bool
    ) {
        self.faults = faults
        isLogEmpty = Self.isLogLost(log, in: directory, format)
        hasDamagedCopy = DiskFiles.exists(log + ".damaged")
        do throws(RelayStoreError) {
            logDamage = try LogFile.findDamage(at: log, format, isRecord: isRecord) ?? logDamage
        } catch {
            self.faults.append(.storeFailed(error))
        }
    }

    /// Whether a relay was used before, and its log is missing or empty. The value is also true after a relay was
    /// killed during its first start, because the identity is made before the log.
    package static func isLogLost(_ log: String, in directory: String, _ format: LogHeader) -> Bool {
        DiskFiles.exists(directory + "/fingerprint") && DiskFiles.fileSize(log) ?? 0 < Int64(format.size)
    }
}
