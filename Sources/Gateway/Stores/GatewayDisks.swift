/// Watches the disk of the data folder, and the disk of the folder of the stores.
struct GatewayDisks: Sendable {
    struct Readings: Sendable {
        let dataDisk: DiskWatch.Reading
        let storesDisk: DiskWatch.Reading

        /// Whether both disks have answered.
        var areAnswered: Bool { dataDisk.unansweredTime == nil && storesDisk.unansweredTime == nil }
    }

    private let dataDiskWatch: DiskWatch
    private let storesDiskWatch: DiskWatch

    /// - Parameter storeSettings: the settings of the stores; nil for a gateway with only the first store.
    init(_ configuration: GatewayConfiguration, _ storeSettings: StoreSettings?) {
        let dataDiskWatch = DiskWatch(configuration.dataFolder, configuration.diskSettings)
        // The stores of a single gateway are in its data folder, so one watch is enough for both folders.
        let sharedFolder = storeSettings.flatMap { $0.placement == nil ? nil : $0.folder }
        self.dataDiskWatch = dataDiskWatch
        storesDiskWatch = sharedFolder.map { DiskWatch($0, configuration.diskSettings) } ?? dataDiskWatch
    }

    /// Reads a disk again if its last reading is old, and waits for the new reading at most
    /// `DiskWatch.Settings.maxWait`. Returns the last readings of both disks.
    func refreshLatestReadings() async -> Readings {
        async let storesDisk = storesDiskWatch.refreshLatestReading()
        return Readings(dataDisk: await dataDiskWatch.refreshLatestReading(), storesDisk: await storesDisk)
    }
}
