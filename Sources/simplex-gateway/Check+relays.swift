import ChatCore
import Files
import Glibc
import RelayBase
import SMPRelay
import Transport
import XFTPRelay

/// Checks the embedded relays, which are not running, and the stores' queues on them, for `simplex-gateway check`.
extension Check {
    /// Checks the folders of the embedded relays that `serve` would start.
    /// - Parameter isNew: whether the relays have never been used.
    /// - Returns: the findings about the SMP relay.
    func checkRelayFolders(
        _ settings: Settings,
        _ folder: String,
        isNew: Bool,
        _ report: inout CheckReport
    ) -> RelayInspection? {
        var relay: RelayInspection?
        let (hasRelay, hasFileRelay) = serve.embedded.areRelaysConfigured(settings)
        for (name, isUsed, inspect) in [
            ("relay", hasRelay, Relay.inspectFolder), ("file-relay", hasFileRelay, FileRelay.inspectFolder),
        ] {
            let place = folder + "/" + name
            guard isUsed else { continue }
            guard DiskFiles.exists(place) else {
                if DiskFiles.isLink(place) {
                    report.addFault("\(place) is a link to a file that does not exist", 1)
                } else if !isNew {
                    report.addNote(
                        "there is no \(place): serve makes a new relay. If there was a relay before, put its folder back"
                    )
                }
                continue
            }
            guard canUseRelayFolder(place, &report) else { continue }
            let found = inspect(place)
            if name == "relay" { relay = found }
            for fault in found.faults { report.addFault(fault.description, 1) }
            if found.logDamage.byteCount > 0 {
                let words =
                    "\(countWithNoun(found.logDamage.byteCount, "byte")) at the end of the log in \(place) cannot be read: serve cuts them off, and keeps them in a file beside the log"
                // An interrupted write leaves at most one incomplete record, for which the report has a note. More
                // damage is a fault.
                if found.logDamage.isUnfinishedRecord { report.addNote(words) } else { report.addFault(words, 1) }
            }
            if found.hasCopyOfRemovedBytes {
                report.addNote(
                    "an earlier start has cut off the damaged end of the log in \(place): a file .damaged there has it"
                )
            }
            if found.isLogEmpty {
                report.addNote("the relay in \(place) has an identity, but no log: it starts without queues or files")
            }
            if found.faults.isEmpty { report.addSuccess(place) }
        }
        return relay
    }

    /// Returns the relays that stores use: the configured relays, and the embedded relay, which stores may have used
    /// before.
    /// - Parameter found: the findings about the embedded relay's folder; nil when the folder does not exist or cannot
    ///   be read.
    func findRelays(
        _ settings: Settings,
        _ folder: String,
        _ found: RelayInspection?
    ) throws -> DatabaseInspection.Relays {
        let named = ((try? serve.readConfiguredServers(settings))?.relays ?? []).map(\.str)
        let identity = try? ServerCredentials.loadIdentity(directory: folder + "/relay")
        // If files of an embedded relay cannot be used, its address or its queues are unknown. Then the relay is left
        // out.
        guard found != nil || !DiskFiles.exists(folder + "/relay"),
            identity != nil || !DiskFiles.exists(folder + "/relay/ca.crt"),
            let embedded = try? serve.embedded.readExpectedRelayAddress(settings, keyHash: identity?.fingerprint)?.str
        else { return try DatabaseInspection.Relays(named) }
        return try DatabaseInspection.Relays(named + [embedded], known: found.map { (embedded, $0.queueIDs) })
    }

    /// Returns whether this user can read and write the files of a relay, and reports a fault if not.
    private func canUseRelayFolder(_ folder: String, _ report: inout CheckReport) -> Bool {
        do throws(FileSystemError) {
            guard access(folder, R_OK | W_OK | X_OK) == 0 else {
                report.addFault("this user cannot read and write \(folder)", 1)
                return false
            }
            for name in try DiskFiles.listNames(in: folder) where name != "ca.key" {
                // Keys and certificates only have to be readable. `ca.key` is left out, because the relay does not read
                // this file.
                let path = folder + "/" + name
                guard DiskFiles.isFolder(path) == ["files", "incoming", "new", "made"].contains(name),
                    !DiskFiles.isPipe(path)
                else {
                    report.addFault(
                        "\(path) is \(DiskFiles.isPipe(path) ? "a pipe" : DiskFiles.isFolder(path) ? "a folder, not a file" : "not a folder")",
                        1
                    )
                    return false
                }
                if name.hasSuffix(".log") {
                    try DiskFiles.checkWritable(path)
                } else {
                    try DiskFiles.checkReadable(path)
                }
            }
            return true
        } catch {
            report.addFault("this user cannot read and write \(error)", 1)
            return false
        }
    }
}
