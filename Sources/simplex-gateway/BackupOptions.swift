import ArgumentParser
import Files
import Gateway
import SimpleXCrypto

/// Options for the copies that the gateway makes by itself.
struct BackupOptions: ParsableArguments {
    @Option(
        help:
            "Existing folder, outside of the data folder, in which the gateway makes copies of everything by itself. A copy is whole, and shares the files that have not changed with the copy before. Several gateways may use one folder. (default: none)"
    )
    var backupFolder: String?
    @Option(help: "Hours from one of these copies to the next. (default: 24)")
    var backupHours: Int?
    @Option(help: "Number of this gateway's copies that are kept in the folder; older ones are deleted. (default: 7)")
    var backupKeep: Int?
    @Option(
        help:
            "File with the passphrase of these copies, or with their key: 64 hexadecimal digits. Each copy is then one encrypted file, and shares nothing. (default: not encrypted)"
    )
    var backupPassphraseFile: String?

    func schedule(_ settings: Settings, data: String) throws -> BackupSchedule? {
        let hours = try settings.count("backup-hours", backupHours, upTo: 8_760)
        let keep = try settings.count("backup-keep", backupKeep, upTo: 10_000)
        guard let folder = try settings.text("backup-folder", backupFolder).map(FilePaths.absolute) else {
            guard hours == nil, keep == nil else {
                throw Failure.configuration("--backup-hours and --backup-keep need --backup-folder")
            }
            return nil
        }
        guard let real = FilePaths.real(folder), DiskFiles.isFolder(real) else {
            throw Failure.configuration("--backup-folder: there is no folder \(folder)")
        }
        let own = FilePaths.real(data) ?? FilePaths.absolute(data)
        guard real != own, !FilePaths.isBelow(real, own) else {
            throw Failure.configuration("--backup-folder must be outside of the data folder")
        }
        var schedule = BackupSchedule(folder: folder)
        if let hours { schedule.interval = Int64(hours) * 3_600 }
        if let keep { schedule.keep = keep }
        schedule.secret = try BackupSecretFile.text(settings, backupPassphraseFile).map {
            BackupSecret(SecretBytes($0.utf8))
        }
        return schedule
    }
}
