package import ChatCore
internal import Files

/// The state of a store in a data folder that no gateway uses.
package struct StoreInspection: Sendable {
    package let id: String
    package let storeState: State
    /// Queues that the relays have lost; empty if the databases were not opened.
    package private(set) var lostQueues: [DatabaseInspection.LostQueues] = []

    /// The result of the inspection.
    package enum State: Sendable {
        /// The databases were inspected. Each database has a finding.
        case opened([(path: String, finding: DatabaseInspection.Finding)])
        /// The databases exist, but were not inspected: only a password opens the store, or the store is a copy whose
        /// rows are not in the store's own databases yet.
        case locked
        /// The databases were deleted. New databases are made when the store is opened.
        case empty
        /// A file that the store needs is missing or cannot be read. Faults of the databases' key are `unreadable`
        /// instead.
        case incomplete(reason: String)
        /// The key of the databases cannot be read.
        case unreadable(reason: String)
    }

    /// Descriptions of the reasons why the store cannot be opened.
    package var faults: [(text: String, isOfKey: Bool)] {
        switch storeState {
        case .locked, .empty: []
        case .unreadable(let reason): [("the store \(id) cannot be opened: \(reason)", true)]
        case .incomplete(let reason): [("the store \(id) cannot be opened: \(reason)", false)]
        case .opened(let databases):
            databases.compactMap { path, finding in
                switch finding {
                case .sound, .older: nil
                case .newer(let migration):
                    (
                        "\(path) was written by a later version of this program (\(migration)), which this version cannot open",
                        false
                    )
                case .absent: ("there is no \(path), or it is empty", false)
                case .wrongKey: ("the key does not open \(path), or it is not a database", true)
                case .forbidden(let error): ("this user cannot read and write \(error)", false)
                case .damaged(let reason): ("\(path) is damaged: \(reason)", false)
                }
            }
        }
    }

    /// Inspects all stores of a data folder, the first store before the others.
    /// - Parameters:
    ///   - keyFile: the key file of the first store; nil for `database.key` in the folder.
    ///   - relays: facts about the relays, by which lost queues are found; nil to skip this search.
    ///   - isQuick: whether only the beginning of each database is read.
    package static func inspectAll(
        in folder: String,
        keyFile: String?,
        relays: DatabaseInspection.Relays? = nil,
        isQuick: Bool = false
    ) async throws -> [StoreInspection] {
        let first = StoreFolder(path: folder)
        var found = [
            await StoreInspection(
                StoreID.firstStore,
                first,
                FileKeyring(path: keyFile ?? first.databaseKeyPath),
                relays,
                isQuick
            )
        ]
        let folders = StoreFolders(path: folder + "/stores")
        for id in try folders.listIDs() {
            found.append(await inspectOne(id, in: folders.makeStoreFolder(id), relays: relays, isQuick: isQuick))
        }
        return found
    }

    /// Returns the ids of the stores in a folder.
    package static func listIDs(in folder: String) throws -> [String] { try StoreFolders(path: folder).listIDs() }

    /// Inspects the stores of a folder that several nodes share, one after the other.
    /// - Parameter others: ids of stores that are not inspected.
    package static func inspectEach(
        in folder: String,
        except others: Set<String>,
        _ body: (StoreInspection) -> Void
    ) async throws {
        let folders = StoreFolders(path: folder)
        for id in try folders.listIDs() where !others.contains(id) {
            body(await inspectOne(id, in: folders.makeStoreFolder(id)))
        }
    }

    /// Returns the ids of the profiles and of the phones of one store in a data folder that no gateway uses.
    /// - Parameters:
    ///   - store: the id of the store; nil for the first store.
    ///   - keyFile: the key file of the first store; nil for `database.key` in the folder.
    /// - Returns: nil when only a password opens the store, or the store is damaged.
    package static func readIDs(
        of store: String?,
        in folder: String,
        keyFile: String?
    ) async -> (users: Set<Int64>, remoteHosts: Set<Int64>)? {
        let place =
            store.map { StoreFolders(path: folder + "/stores").makeStoreFolder($0) } ?? StoreFolder(path: folder)
        let ring = FileKeyring(path: store == nil ? keyFile ?? place.databaseKeyPath : place.databaseKeyPath)
        guard let key = (try? ring.readKeyMaterial()).flatMap({ $0 }) else { return nil }
        return try? await DatabaseInspection.readIds(place.path, key: .sealed(key))
    }

    /// Returns a fault of the store that concerns neither its databases nor their key; nil for no fault.
    private static func findOtherFault(_ id: String, _ place: StoreFolder) -> String? {
        if place.crashCount.crashCount >= CrashCount.maxCrashes { return CrashCount.heldClosedReason }
        if id != StoreID.firstStore {
            if let fault = place.recordFault { return fault }
            // The API keys of the first store are checked separately.
            do throws(KeyFileError) { _ = try KeyFile(folder: place.path, store: id).loadKeys() } catch {
                return error.description
            }
        }
        do throws(FileSystemError) {
            if let content = try DiskFiles.readFile(place.passwordsPath), PasswordVault(content) == nil {
                return "\(place.passwordsPath) is damaged"
            }
            for file in place.databasePaths where DiskFiles.exists(file) { try DiskFiles.checkWritable(file) }
        } catch { return "this user cannot read and write \(error)" }
        return StoreFolder.contentFolders.first {
            (try? DiskFiles.hasEntry(place.path + "/" + $0)) == true && !DiskFiles.isFolder(place.path + "/" + $0)
        }.map { "\(place.path)/\($0) is not a folder" }
    }

    /// Inspects one store in any folder.
    static func inspectOne(
        _ id: String,
        in place: StoreFolder,
        relays: DatabaseInspection.Relays? = nil,
        isQuick: Bool = false
    ) async -> StoreInspection {
        await StoreInspection(id, place, FileKeyring(path: place.databaseKeyPath), relays, isQuick)
    }

    private init(
        _ id: String,
        _ place: StoreFolder,
        _ keyFile: FileKeyring,
        _ relays: DatabaseInspection.Relays?,
        _ isQuick: Bool
    ) async {
        self.id = id
        if let reason = Self.findOtherFault(id, place) {
            storeState = .incomplete(reason: reason)
            return
        }
        guard !place.isEmpty else {
            storeState = .empty
            return
        }
        guard place.hasKeyFile else {
            storeState = place.faultVisibleWithoutKey.map { .incomplete(reason: $0) } ?? .locked
            return
        }
        do throws(FileKeyringError) {
            guard let key = try keyFile.readKeyMaterial() else {
                storeState = .unreadable(reason: "\(keyFile.path): no such file")
                return
            }
            guard !place.copiedDatabases.hasFiles else {
                storeState = place.faultVisibleWithoutKey.map { .incomplete(reason: $0) } ?? .locked
                return
            }
            storeState = .opened(await DatabaseInspection.inspect(place.path, key: .sealed(key), isQuick: isQuick))
            // An error is ignored here, because the finding shows the fault of the database.
            if let relays {
                lostQueues = (try? await DatabaseInspection.findLostQueues(place.path, relays, key: .sealed(key))) ?? []
            }
        } catch {
            storeState = .unreadable(reason: error.description)
        }
    }
}
