import ArgumentParser
import ChatCore
internal import ChatStore

/// The options that limit the data of each store. A store may have its own limits instead.
struct StoreLimitOptions: ParsableArguments {
    @Option(help: "Maximal size in MiB of the databases of a store, with its events. (default: no limit)")
    var storeDatabaseSize: Int?
    @Option(
        help:
            "Maximal number of messages and other items of a store; PUT /v1/stores/{storeId}/limits sets other limits for one store. (default: no limit)"
    )
    var storeItems: Int?
    @Option(help: "Maximal number of files of a store. (default: no limit)")
    var storeFiles: Int?
    @Option(help: "Maximal size in MiB of the files of a store. (default: no limit)")
    var storeFileSize: Int?
    @Option(
        help:
            "Maximal number of connections of a store: with contacts and members of groups, invitations, addresses. (default: no limit)"
    )
    var storeConnections: Int?

    func readLimits(_ settings: Settings) throws -> StoreLimits {
        var limits = StoreLimits()
        let most = Int(Int64.max >> 20)
        limits[.databaseBytes] = try settings.readPositiveNumber("store-database-size", storeDatabaseSize, upTo: most)
            .map {
                Int64($0) << 20
            }
        limits[.items] = try settings.readPositiveNumber("store-items", storeItems).map { Int64($0) }
        limits[.files] = try settings.readPositiveNumber("store-files", storeFiles).map { Int64($0) }
        limits[.fileBytes] = try settings.readPositiveNumber("store-file-size", storeFileSize, upTo: most).map {
            Int64($0) << 20
        }
        limits[.connections] = try settings.readPositiveNumber("store-connections", storeConnections).map { Int64($0) }
        return limits
    }
}
