internal import ChatCore
internal import ChatStore
internal import Prometheus

/// Metrics of the used amounts and the limits of stores.
extension GatewayServices {
    /// The share of a limit from which a store counts as nearly full.
    private static let nearlyFullShare = 0.9

    /// Writes the used amounts and the limits of the store. For the first store, writes the amounts and limits of each
    /// open store. If there are more stores than the metrics may list, only nearly full stores and the sums are
    /// written.
    func writeAmountMetrics(_ loads: [StoreLoad], to text: inout MetricsText) {
        let known = loads.compactMap { load in load.figures.map { (id: load.id, figures: $0) } }
        let most = max(1, configuration.maxStoresInMetrics)
        let full = known.filter { $0.figures.largestUsedLimitShare ?? 0 >= Self.nearlyFullShare }
        let shown = loads.count <= most ? known : Array(full.prefix(most))
        let counts: [(String, StoreLimits.Resource)] = [
            ("items", .items), ("files", .files), ("connections", .connections),
        ]
        let bytes: [(String, StoreLimits.Resource)] = [("databases", .databaseBytes), ("files", .fileBytes)]
        for (suffix, unit, resources) in [("", "", counts), ("_bytes", ", in bytes", bytes)] {
            func family(_ name: String, _ help: String, _ amount: (StoreFigures, StoreLimits.Resource) -> Int64?) {
                text.writeFamily(name + suffix, .gauge, help)
                for store in shown {
                    for (name, one) in resources {
                        guard let amount = amount(store.figures, one) else { continue }
                        text.writeSample((isForFirstStore ? [("store", store.id)] : []) + [("resource", name)], amount)
                    }
                }
            }
            family("sxgw_store_used", "Amount of each limited resource that a store holds\(unit).") {
                $0.resourceUse[$1]
            }
            family(
                "sxgw_store_limit",
                "Limit of each resource of a store\(unit); no sample for a resource without a limit."
            ) { $0.limits[$1] }
            guard isForFirstStore else { continue }
            text.writeFamily(
                "sxgw_stores_used" + suffix,
                .gauge,
                "Amount of each limited resource that all open stores hold\(unit)."
            )
            for (name, one) in resources {
                text.writeSample([("resource", name)], known.reduce(0) { $0 &+ $1.figures.resourceUse[one] })
            }
        }
        guard !known.isEmpty else { return }
        text.writeValue(
            "sxgw_journal_bytes",
            .gauge,
            "Bytes of the events that are kept, as they were first written.",
            known.reduce(0) { $0 &+ $1.figures.journalBytes }
        )
        let objects = known.compactMap(\.figures.objectFigures)
        if !objects.isEmpty { writeObjectMetrics(objects, to: &text) }
    }

    private func writeObjectMetrics(_ objects: [ObjectFigures], to text: inout MetricsText) {
        func sum(_ value: (ObjectFigures) -> Int64) -> Int64 { objects.reduce(0) { $0 &+ value($1) } }
        text.writeValue(
            "sxgw_object_kept",
            .gauge,
            "Files that are in the object storage, also those that are on the disk too.",
            sum(\.keptObjectCount)
        )
        text.writeValue("sxgw_object_kept_bytes", .gauge, "Bytes of files in the object storage.", sum(\.fileBytes))
        text.writeValue(
            "sxgw_object_waiting",
            .gauge,
            "Unused files that wait to be moved to the object storage.",
            sum(\.waitingFileCount)
        )
        text.writeValue(
            "sxgw_object_deleting",
            .gauge,
            "Objects that wait to be deleted from the object storage.",
            sum(\.incompleteObjectCount)
        )
    }
}
