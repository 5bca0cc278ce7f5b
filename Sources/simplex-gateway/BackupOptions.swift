import ArgumentParser
import Files
import Gateway
import SimpleXCrypto

/// The options of the scheduled backups, which the gateway makes without a request.
struct BackupOptions: ParsableArguments {
    @Option(
        help:
            "Existing folder, outside of the data folder, in which the gateway makes copies of everything by itself. A copy is whole, and shares the files that have not changed with the copy before. Several gateways may use one folder. (default: none)"
    )
    var backupFolder: String?
    @Option(help: "Hours from one of these copies to the next. (default: 24)")
    var backupHours: Int?
    @Option(
        help:
            "Number of this gateway's copies that are kept in the folder, also of those that lack stores; older ones are deleted. (default: 7)"
    )
    var backupKeep: Int?
    @Option(
        help:
            "File with the passphrase of these copies, or with their key: 64 hexadecimal digits. Each copy is then one encrypted file, and shares nothing. (default: not encrypted)"
    )
    var backupPassphraseFile: String?

    func readSchedule(_ settings: Settings, data: String) throws -> BackupSchedule? {
        let hours = try settings.readPositiveNumber("backup-hours", backupHours, upTo: 8_760)
        let keep = try settings.readPositiveNumber("backup-keep", backupKeep, upTo: 10_000)
        guard let folder = try settings.readText("backup-folder", backupFolder).map(FilePaths.absolutePath) else {
            guard hours == nil, keep == nil else {
                throw Failure.configurationFailure("--backup-hours and --backup-keep need --backup-folder")
            }
            return nil
        }
        guard let real = FilePaths.realPath(folder), DiskFiles.isFolder(real) else {
            throw Failure.configurationFailure("--backup-folder: there is no folder \(folder)")
        }
        let own = FilePaths.realPath(data) ?? FilePaths.absolutePath(data)
        guard real != own, !FilePaths.isBelow(real, own) else {
            throw Failure.configurationFailure("--backup-folder must be outside of the data folder")
        }
        var schedule = BackupSchedule(folder: folder)
        if let hours { schedule.intervalSeconds = Int64(hours) * 3_600 }
        if let keep { schedule.keptCopyCount = keep }
        schedule.secret = try BackupSecretFile.readText(settings, backupPassphraseFile).map {
            BackupSecret(SecretBytes($0.utf8))
        }
        return schedule
    }
}
