/// The watches of two disks: the disk of the data folder, and the disk of the folder of the stores.
struct GatewayDisks: Sendable {
    struct Readings: Sendable {
        let data: DiskWatch.Reading
        let stores: DiskWatch.Reading

        /// Whether both disks have answered.
        var areAnswered: Bool { data.unansweredTime == nil && stores.unansweredTime == nil }
    }

    private let data: DiskWatch
    private let stores: DiskWatch

    /// - Parameter stores: the settings of the stores; nil for a gateway with only the first store.
    init(_ configuration: GatewayConfiguration, _ stores: StoreSettings?) {
        let data = DiskWatch(configuration.dataFolder, configuration.diskSettings)
        // The stores of a single gateway are in its data folder, so one watch is enough for both.
        let shared = stores.flatMap { $0.placement == nil ? nil : $0.folder }
        (self.data, self.stores) = (data, shared.map { DiskWatch($0, configuration.diskSettings) } ?? data)
    }

    /// Returns the last readings of the disks. Replaces old readings first, which takes at most
    /// `DiskWatch.Settings.maxWait`.
    func refreshLatestReadings() async -> Readings {
        async let stores = stores.refreshLatestReading()
        return Readings(data: await data.refreshLatestReading(), stores: await stores)
    }
}
