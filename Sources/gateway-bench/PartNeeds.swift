import Descriptors
import Foundation
import ServerSupport

/// The resources and programs that a part of the benchmark needs on this machine.
struct PartNeeds {
    /// Whether the part starts the program `simplex-gateway`.
    var usesGateway = true
    var usesPostgres = false
    /// The number of file descriptors that the benchmark's process needs.
    var descriptors = 0
    /// The size in bytes that the part's files need on the disk.
    var diskBytes: Int64 = 0

    /// Returns a text for each need that this machine does not fulfil.
    /// - Parameter folder: the folder of the part's files.
    func describeUnmetNeeds(gateway: String, folder: String) -> [String] {
        var lines: [String] = []
        if usesGateway, !FileManager.default.isExecutableFile(atPath: gateway) {
            lines.append("\(gateway): not found; build it with the same `swift build`")
        }
        if usesPostgres, !PostgresServer.isInstalled { lines.append("postgres: not found; install postgresql") }
        let limit = DescriptorLimit.raiseLimit()
        if descriptors > limit {
            lines.append("\(descriptors) descriptors are needed, and \(limit) are allowed; raise `ulimit -Hn`")
        }
        if let free = Self.countFreeBytes(of: folder), free < diskBytes {
            lines.append(
                "\(diskBytes >> 20) MiB of disk are needed, and \(folder) has \(free >> 20); choose another folder with --stores"
            )
        }
        return lines
    }

    private static func countFreeBytes(of folder: String) -> Int64? {
        let values = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return (values?[.systemFreeSize] as? NSNumber)?.int64Value
    }
}
