import ArgumentParser
import XFTPRelay

/// The options that limit the size and the age of the files on a file relay.
struct FileRelayOptions: ParsableArguments {
    @Option(help: "Maximal size in MiB of all files on the file relay. (default: 10240)")
    var fileQuota: Int?
    @Option(help: "Hours after which the file relay deletes a file. (default: 48)")
    var fileHours: Int?

    func applyLimits(_ settings: Settings, to configuration: inout FileRelayConfiguration) throws {
        if let mebibytes = try settings.readPositiveNumber("file-quota", fileQuota, upTo: 1 << 30) {
            configuration.maxTotalBytes = Int64(mebibytes) << 20
        }
        if let hours = try settings.readPositiveNumber("file-hours", fileHours, upTo: 1 << 20) {
            configuration.fileLifetimeSeconds = Int64(hours) * 3600
        }
    }
}
