internal import JSON

/// Routes for the nodes that share stores.
enum NodesResource {
    static let routes: [Route] = [
        Route(
            .get,
            "/v1/nodes",
            "listNodes",
            category: "Stores",
            access: .firstStore(.stores),
            policy: .storeManagement,
            handler: listNodes
        ),
        Route(
            .post,
            "/v1/nodes/{node}/rebalance",
            "rebalanceNode",
            category: "Stores",
            access: .firstStore(.stores),
            policy: .storeManagement,
            handler: rebalanceStores
        ),
    ]

    private static func listNodes(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let page = try context.parsePage()
        guard let placement = context.services.storeHost?.settings.placement else {
            return .now(HTTPResponse("nodes", [], PageCursors(), context))
        }
        return context.replyLater { () async throws(ProblemDetails) in
            let nodes: [PlacedNode]
            do throws(PlacementError) { nodes = try await placement.listNodes() } catch { throw ProblemDetails(error) }
            let (found, ends) = page.selectPage(of: nodes) { ListPlace(text: $0.name) }
            return HTTPResponse("nodes", found.map { makeJSON($0, isThis: $0.name == placement.node) }, ends, context)
        }
    }

    private static func makeJSON(_ node: PlacedNode, isThis: Bool) -> JSONValue {
        [
            "node": .string(node.name), "openStores": .integer(Int64(node.openStoreCount)),
            "room": .integer(Int64(node.remainingStoreCapacity)), "isThis": .bool(isThis),
        ]
    }

    private static func rebalanceStores(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let body = try context.parseBody()
        let (keep, drains): (Int?, Bool?) = (try body.decodeIfPresent("keep"), try body.decodeIfPresent("drain"))
        try context.refuseUnknownNames()
        guard keep ?? 0 >= 0 else { throw ProblemDetails(member: "keep", "must not be negative.") }
        guard keep == nil || drains != true else {
            throw ProblemDetails(member: "keep", "cannot be given with drain: a drained node keeps no stores.")
        }
        guard let host = context.services.storeHost, let placement = host.settings.placement else {
            throw ProblemDetails(.conflict, "This gateway is not one of several nodes.")
        }
        guard context.parameters["node"] == placement.node else {
            throw ProblemDetails(.conflict, "This is the node \(placement.node): send the request to the other node.")
        }
        return try context.runOnce(.memory) { _ async throws(ProblemDetails) in
            if let drains { placement.setDraining(isDraining: drains) }
            let moved = try await host.rebalanceStores(keep: drains == true ? 0 : keep)
            let answer: JSONValue = [
                "moved": .array(moved.map { .string($0) }), "openStores": .integer(Int64(host.storesOpenHere.count)),
                "drains": .bool(placement.isDraining),
            ]
            return HTTPResponse(json: answer.encodeText())
        }
    }
}

extension StoreHost {
    /// Returns the nodes that have the given stores, by the ids of the stores. The result lacks the stores of other
    /// nodes while the placement (the database that assigns stores to nodes) does not answer.
    func findNodes(of stores: [Store]) async -> [String: String] {
        guard let placement = settings.placement else { return [:] }
        let asked = stores.filter { !$0.isFirst && ($0.openedStore == nil || $0.isLeaseLost) }.map(\.id)
        var nodes = asked.isEmpty ? [:] : (try? await placement.findNodes(of: asked)) ?? [:]
        for store in stores where store.isFirst || store.openedStore != nil && !store.isLeaseLost {
            nodes[store.id] = placement.node
        }
        return nodes
    }
}
