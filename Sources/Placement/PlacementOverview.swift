/// The running nodes of a cluster, and the node that has each store. Reading the overview changes nothing in
/// PostgreSQL.
package struct PlacementOverview: Sendable {
    package struct Node: Sendable {
        package let name: String
        /// The random text that identifies the owner of the node's name (``PostgresPlacement/Settings/ownerID``).
        package let owner: String
        package let openStoreCount: Int
        /// The number of additional stores that the node can open.
        package let remainingStoreCapacity: Int
        /// The id of the node's folder of stores; nil for a node of an earlier version.
        package let folderID: String?
    }

    /// The nodes whose lease is valid.
    package let nodes: [Node]
    /// The names of the nodes that have stores, by the ids of the stores.
    package let nodeByStore: [String: String]
    /// Whether no node has registered yet.
    package let hasNoNodes: Bool

    /// Reads the overview from PostgreSQL.
    /// - Parameter connection: a connection string or URI of libpq.
    package static func readOverview(_ connection: String) async throws(NodeError) -> PlacementOverview {
        let postgres = Postgres(connection, patience: 5_000)
        let result: Result<PlacementOverview, NodeError>
        do {
            result = .success(
                PlacementOverview(
                    nodes: try await postgres.runQuery(PlacementSchema.listNodesSQL, creates: false).compactMap { row in
                        guard row.count == 5, let name = row[0], let owner = row[1] else { return nil }
                        return Node(
                            name: name,
                            owner: owner,
                            openStoreCount: row[2].flatMap { Int($0) } ?? 0,
                            remainingStoreCapacity: row[3].flatMap { Int($0) } ?? 0,
                            folderID: row[4]
                        )
                    },
                    nodeByStore: try await postgres.runQuery(PlacementSchema.listHeldStoresSQL, creates: false).reduce(
                        into: [:]) {
                            stores,
                            row in
                            if row.count == 2, let id = row[0] { stores[id] = row[1] }
                        },
                    hasNoNodes: false
                )
            )
        } catch PostgresError.statementRefused(state: "42P01", message: _) {
            result = .success(PlacementOverview(nodes: [], nodeByStore: [:], hasNoNodes: true))
        } catch {
            result = .failure(.unavailable(reason: "\(error)"))
        }
        await postgres.closeConnection()
        return try result.get()
    }
}
