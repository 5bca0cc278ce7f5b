import Files
import Gateway
import Glibc
import Placement

/// Checks a gateway that is a node: one of several gateways that share stores.
struct NodeCheck {
    let node: NodeOptions.ConfiguredNode
    /// The path of the data folder.
    let dataFolder: String
    /// Whether a running gateway uses the data folder. The running gateway is then the checked node itself.
    let isDataFolderInUse: Bool

    /// Runs the checks of the node.
    /// - Parameter isOffline: whether the checks that need PostgreSQL are left out.
    func runChecks(_ report: inout CheckReport, isOffline: Bool) async {
        guard checkFolder(&report) else { return }
        let connection: String
        // An unreadable file is not reported here, because the check of the configuration has already reported it.
        do { connection = try readPassword(node.connectionFile) } catch { return }
        var status = stat()
        if stat(node.connectionFile, &status) == 0, status.st_mode & 0o077 != 0 {
            report.addNote(
                "other users of this machine can read \(node.connectionFile): chmod 600, if it has a password"
            )
        }
        guard !isOffline else {
            report.addNote(
                "PostgreSQL is not asked for the node of each store, and no store in \(node.folder) is checked"
            )
            return
        }
        do throws(NodeError) {
            let overview = try await PlacementOverview.readOverview(connection)
            report.addSuccess("the placement of stores in PostgreSQL")
            checkNodes(overview, &report)
            await checkStores(overview, &report)
        } catch {
            report.addFault("\(error); no store in \(node.folder) is checked", 1)
        }
    }

    private func checkFolder(_ report: inout CheckReport) -> Bool {
        guard access(node.folder, R_OK | W_OK | X_OK) == 0 else {
            report.addFault("this user cannot read and write \(node.folder)", 1)
            return false
        }
        let mebibytes = DiskFiles.readFreeBytes(at: node.folder) >> 20
        if mebibytes < 100 {
            report.addFault("the disk of \(node.folder) has only \(mebibytes) MiB left", 1)
        } else {
            report.addSuccess("the folder of stores \(node.folder)")
        }
        return true
    }

    private func checkNodes(_ overview: PlacementOverview, _ report: inout CheckReport) {
        if overview.hasNoNodes { return report.addNote("PostgreSQL has no tables of nodes yet: serve makes them") }
        for other in overview.nodes {
            let room =
                other.remainingStoreCapacity == 0 ? "no room for more" : "room for \(other.remainingStoreCapacity) more"
            report.addNote(
                "the node \(other.name) is running, with \(countWithNoun(other.openStoreCount, "store")) open and \(room)"
            )
        }
        let folder = (try? DiskFiles.readFile(NodeOptions.folderIDPath(node.folder))).map {
            String(decoding: $0, as: UTF8.self)
        }
        if let other = overview.nodes.first(where: {
            $0.name != node.name && $0.folderID != nil && $0.folderID != folder
        }) {
            report.addFault("\(NodeError.otherFolder(node: other.name))", 2)
        }
        guard let same = overview.nodes.first(where: { $0.name == node.name }), !isDataFolderInUse else { return }
        // This node may have been killed, and its own lease may still be valid. Then the lease has the id of this data
        // folder as its owner.
        let own = (try? DiskFiles.readFile(NodeOptions.ownerIDPath(dataFolder))).map {
            String(decoding: $0, as: UTF8.self)
        }
        if same.owner != own {
            report.addFault("another running node has the name \(node.name): each node needs its own name", 4)
        }
    }

    private func checkStores(_ overview: PlacementOverview, _ report: inout CheckReport) async {
        var (sound, locked) = (0, 0)
        do {
            try await StoreInspection.inspectEach(in: node.folder, except: Set(overview.nodeByStore.keys)) { store in
                switch store.storeState {
                case .locked: locked += 1
                case .opened(let databases) where databases.allSatisfy({ $0.finding == .sound }): sound += 1
                case .opened, .unreadable, .empty, .incomplete: report.addStoreFindings(store)
                }
            }
        } catch { report.addFault("\(error)", 1) }
        report.addSuccess("\(countWithNoun(sound, "store")) in \(node.folder)")
        if locked > 0 {
            report.addNote("not checked, because only passwords open them: \(countWithNoun(locked, "store"))")
        }
        if !overview.nodeByStore.isEmpty {
            report.addNote(
                "not checked, because nodes have them: \(countWithNoun(overview.nodeByStore.count, "store"))"
            )
        }
    }
}
