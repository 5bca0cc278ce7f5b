internal import Logging

extension FolderBackup {
    init(_ configuration: GatewayConfiguration, target: String) {
        // The path of the data folder stays as it was given, because the paths of the stores and relays begin with it.
        self.init(dataFolder: configuration.dataFolder, target: target, growingFiles: configuration.growingFiles)
        checks = configuration.copyChecks
    }
}

extension ScheduledBackups {
    /// Makes the scheduled backups of a gateway.
    /// - Parameter host: the stores that the backups contain.
    convenience init(
        _ schedule: BackupSchedule,
        of host: StoreHost,
        _ configuration: GatewayConfiguration,
        _ log: Logger
    ) {
        self.init(schedule, clock: configuration.clock, log: log) { [weak host] target, base in
            guard let host else { throw CancellationError() }
            var backup = FolderBackup(configuration, target: target)
            (backup.encryptionSecret, backup.earlierCopy, backup.passwordCost) = (
                schedule.secret, base, host.settings.appPasswordCost
            )
            return try await host.backUp(backup)
        }
    }
}
