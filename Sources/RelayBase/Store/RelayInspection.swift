import Files

/// What is found of the folder of a relay that does not run. Nothing is changed.
public struct RelayInspection: Sendable {
    /// Why the relay does not start, or what its operator could not use.
    public private(set) var faults: [RelayError]
    /// What the next start cuts off of the log.
    public private(set) var damage = LogDamage(bytes: 0, isTorn: true)
    /// Whether an earlier start has cut off something, and nobody has removed it.
    public private(set) var hasRemains = false
    /// The recipient ids of the queues in the log of a relay for messages.
    public package(set) var queues: Set<[UInt8]> = []
    /// Whether there is an identity, and nothing in the log.
    public private(set) var isLogEmpty = false

    /// - Parameters:
    ///   - identity: what is wrong with its certificates and keys.
    ///   - log: the path of its log.
    package init(identity faults: [RelayError], in directory: String, log: String, _ format: LogFormat, isRecord: (ArraySlice<UInt8>) -> Bool) {
        self.faults = faults
        isLogEmpty = Self.isLogEmpty(log, in: directory, format)
        hasRemains = DiskFiles.exists(log + ".damaged")
        do throws(StoreError) { damage = try LogFile.damage(at: log, format, isRecord: isRecord) ?? damage } catch { self.faults.append(.store(error)) }
    }

    /// Whether a relay was used before, and its log is missing or empty. That of one which was killed in its first start is, too, once: the identity is made before the log.
    package static func isLogEmpty(_ log: String, in directory: String, _ format: LogFormat) -> Bool {
        DiskFiles.exists(directory + "/fingerprint") && DiskFiles.size(log) ?? 0 < Int64(format.size)
    }
}
