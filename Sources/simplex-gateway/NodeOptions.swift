import ArgumentParser
import Descriptors
import Files
import Gateway
import Logging
import Placement
import SimpleXCrypto

/// The options for closing idle stores, and for several gateways (nodes) that share stores. Each property has the name
/// of its option, so `closeIdleStores` is the number of seconds in `--close-idle-stores`.
struct NodeOptions: ParsableArguments {
    @Option(
        help:
            "Seconds without use after which a store is closed. The next request opens it again. (default: all stay open; with --node 300)"
    )
    var closeIdleStores: Int?
    @Option(
        help:
            "Name of this node, if several nodes share the stores: lower-case letters, digits and dashes. Needs --stores and --placement-file."
    )
    var node: String?
    @Option(
        help:
            "Folder of the stores other than the first, which all nodes share. Needs --node and --placement-file. (default: stores in the data folder)"
    )
    var stores: String?
    @Option(
        help:
            "File with the connection string or URI of the PostgreSQL database that records the node of each store. Needs libpq5."
    )
    var placementFile: String?
    @Option(help: "Seconds after which other nodes can take over the stores of a node that has died. (default: 10)")
    var nodeLease: Int?

    /// Reads the option `--close-idle-stores`.
    /// - Returns: the idle time after which a store is closed; nil if stores stay open.
    func readIdleTime(_ settings: Settings) throws -> Duration? {
        if let seconds = try settings.readPositiveNumber("close-idle-stores", closeIdleStores, upTo: 31_536_000) {
            return .seconds(seconds)
        }
        return try settings.readText("node", node) == nil ? nil : .seconds(300)
    }

    /// The options of a gateway that is one of several nodes.
    struct ConfiguredNode {
        var name: String
        /// The path of the folder with the stores that all nodes share.
        var folder: String
        /// The path of the file with the connection string of PostgreSQL.
        var connectionFile: String
        /// The seconds after which other nodes can take over the stores of a dead node.
        var leaseSeconds: Int
    }

    /// Reads the options of this gateway as a node.
    /// - Parameter path: the data folder.
    /// - Returns: nil for a gateway that shares no stores.
    func readNode(_ settings: Settings, _ path: String) throws -> ConfiguredNode? {
        let (folder, file) = (
            try settings.readText("stores", stores), try settings.readPath("placement-file", placementFile)
        )
        let lease = try settings.readPositiveNumber("node-lease", nodeLease, upTo: 3_600)
        guard let name = try settings.readText("node", node) else {
            guard folder == nil else {
                throw Failure.configurationFailure(
                    "--stores needs --node and --placement-file, with a PostgreSQL database"
                )
            }
            guard lease == nil else { throw Failure.configurationFailure("--node-lease needs --node") }
            // A credential of the service manager is allowed without `--node`, but an explicit option is an error.
            guard placementFile == nil else { throw Failure.configurationFailure("--placement-file needs --node") }
            return nil
        }
        guard Self.isNodeName(name) else {
            throw Failure.configurationFailure(
                "--node is \(name), but must be 1 to 32 lower-case letters, digits and dashes, and begin with a letter"
            )
        }
        guard let folder, let file else {
            throw Failure.configurationFailure("--node needs --stores and --placement-file")
        }
        guard DiskFiles.isFolder(folder) else { throw Failure.configurationFailure("there is no folder \(folder)") }
        let (shared, own) = (
            FilePaths.realPath(folder) ?? folder, FilePaths.realPath(path) ?? FilePaths.absolutePath(path)
        )
        guard shared != own, !FilePaths.isBelow(shared, own) else {
            throw Failure.configurationFailure(
                "--stores is \(folder), but must be outside of the data folder, which belongs to this node alone"
            )
        }
        return ConfiguredNode(name: name, folder: folder, connectionFile: file, leaseSeconds: lease ?? 10)
    }

    /// Reads the connection string of PostgreSQL from its file. The string may contain a password.
    func readConnectionString(_ node: ConfiguredNode) throws -> String {
        let text = try readPassword(node.connectionFile)
        guard PostgresPlacement.isConnectionString(text) else {
            throw Failure.configurationFailure(
                "\(node.connectionFile) has no connection string of PostgreSQL, such as host=db.example.org dbname=sxgw user=sxgw password=… or postgresql://…"
            )
        }
        return text
    }

    /// Returns the folder of the shared stores, and the settings for the placement of stores on nodes in PostgreSQL.
    /// - Parameters:
    ///   - path: the data folder, which this process has locked.
    ///   - openStores: the counter of open stores with its limit.
    /// - Returns: nil for a gateway that shares no stores.
    func makePlacementSettings(
        _ settings: Settings,
        _ path: String,
        _ openStores: Allowance
    ) throws -> (folder: String, PostgresPlacement.Settings)? {
        guard let node = try readNode(settings, path) else { return nil }
        let owner = try readOrMakeOwnerID(Self.ownerIDPath(path))
        return (
            node.folder,
            PostgresPlacement.Settings(
                connection: try readConnectionString(node),
                node: node.name,
                owner: owner,
                folder: try Self.readOrMakeFolderID(ofStores: node.folder),
                lease: Double(node.leaseSeconds),
                load: { (openStores.inUseCount, max(0, openStores.maxUnits - openStores.inUseCount)) }
            )
        )
    }

    /// Returns a name that distinguishes this gateway from others in shared places. The name is the name of the node,
    /// or a hash of an id in the data folder. Copies of the folder do not have this id.
    /// - Parameter path: the data folder.
    func readOrMakeGatewayName(_ settings: Settings, _ path: String) throws -> String {
        if let name = try settings.readText("node", node) { return name }
        return Hex.encode(Array(Digest.sha256(Array(try readOrMakeOwnerID(Self.ownerIDPath(path)).utf8)).prefix(6)))
    }

    /// Returns the path of the file with the id of a folder of shared stores.
    static func folderIDPath(_ stores: String) -> String { stores + "/.folder.id" }

    /// Returns the id of a folder of shared stores. The first node writes the id into the folder. By the id, a node
    /// notices that the other nodes use another folder, for example because a disk was not mounted.
    private static func readOrMakeFolderID(ofStores stores: String) throws -> String {
        let path = folderIDPath(stores)
        do throws(FileSystemError) {
            if let known = try DiskFiles.readFile(path), known.count == 32 {
                return String(decoding: known, as: UTF8.self)
            }
            let made = Array(Hex.encode(RandomBytes.make(count: 16)).utf8)
            let draft = path + "." + Hex.encode(RandomBytes.make(count: 4))
            try DiskFiles.createFile(draft, made)
            do throws(FileSystemError) { try DiskFiles.rename(draft, toNew: path) } catch {
                DiskFiles.removeFile(draft)
                // Another node may have made the file at the same time. Then the id of that node is used.
                guard DiskFiles.exists(path) else { throw error }
            }
            DiskFiles.syncParentFolder(of: path)
            return String(decoding: try DiskFiles.readFile(path) ?? [], as: UTF8.self)
        } catch {
            throw Failure(exitCode: 1, message: error.description)
        }
    }

    static func ownerIDPath(_ path: String) -> String { path + FolderCopies.nodeIDFile }

    private static func isNodeName(_ text: String) -> Bool {
        guard (1...32).contains(text.utf8.count), let first = text.utf8.first,
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first)
        else { return false }
        return text.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }

    /// Returns the id under which this node holds its lease, the right to its stores. The id stays in the data folder.
    /// So after a restart, the node does not wait for the end of its own lease.
    private func readOrMakeOwnerID(_ path: String) throws -> String {
        do throws(FileSystemError) {
            if let known = try DiskFiles.readFile(path), known.count == 32 {
                return String(decoding: known, as: UTF8.self)
            }
            let made = Hex.encode(RandomBytes.make(count: 16))
            try DiskFiles.replaceFile(path, with: Array(made.utf8))
            return made
        } catch {
            throw Failure(exitCode: 1, message: error.description)
        }
    }
}

extension PostgresPlacement {
    /// Registers this node in PostgreSQL. If another node with the same name holds a lease (the right to its stores),
    /// this function first waits for the end of the lease. It waits at most as long as a lease lasts.
    static func registerNode(_ settings: Settings) async throws -> PostgresPlacement {
        do throws(NodeError) { return try await registerAndStart(settings, log: Logger(label: "placement")) } catch {
            switch error {
            case .nameTaken: throw Failure(exitCode: 4, message: error.description)
            case .otherFolder: throw Failure.configurationFailure(error.description)
            case .unavailable: throw Failure(exitCode: 1, message: error.description)
            }
        }
    }
}
