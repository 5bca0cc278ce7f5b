internal import ChatCore
internal import ChatStore
internal import JSON

/// Routes for the limits of a store.
enum StoreLimitsResource {
    static func getLimits(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        return context.replyLater { () async throws(ProblemDetails) in
            makeAnswer(store, host, try await readUse(store))
        }
    }

    /// Sets the limits of a store. For an absent member, the limit of the gateway applies. Null removes the limit.
    static func changeLimits(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        let body = try context.parseBody()
        var limits: [StoreLimits.Resource: Int64?] = [:]
        for resource in StoreLimits.Resource.allCases {
            switch body.readJSONOrNull(resource.rawValue) {
            case nil: break
            case .null?: limits.updateValue(nil, forKey: resource)
            case let value?:
                guard let number = value.integerValue, number >= 0 else {
                    throw ProblemDetails(member: resource.rawValue, "must be a whole number from 0, or null.")
                }
                limits[resource] = number
            }
        }
        try context.refuseUnknownNames()
        let new = limits
        return context.replyLater { () async throws(ProblemDetails) in
            // The amounts that the store uses are read first, since a refused request must change nothing.
            let use = try await readUse(store)
            do {
                try await store.lifecycleLock.runLocked {
                    if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                    // Only the node that has the store may write the store's record, so the store is acquired first.
                    try await host.acquireStore(store)
                    do {
                        try context.request.checkMatch(makeLimitsTag(store, host))
                        try await store.changeRecord { $0.ownLimits = new }
                    } catch {
                        await host.releaseStore(store)
                        throw error
                    }
                    store.openedStore?.core.setLimits(host.limits(of: store))
                    await host.releaseStore(store)
                }
            } catch { throw error as? ProblemDetails ?? ProblemDetails(error, "The limits cannot be stored.") }
            return makeAnswer(store, host, use)
        }
    }

    /// Makes the entity tag of a store's limits. The tag does not depend on the amounts that the store uses.
    private static func makeLimitsTag(_ store: Store, _ host: StoreHost) -> EntityTag {
        let limits = host.limits(of: store)
        return EntityTag([store.record.ownLimitsJSON.text, makeLimitsJSON { limits[$0] }.text])
    }

    /// Reads the amounts that a store uses.
    /// - Returns: nil for a store that is not open.
    private static func readUse(_ store: Store) async throws(ProblemDetails) -> StoreUse? {
        guard let controller = store.openedStore?.core.controller else { return nil }
        do { return try await controller.readStoreFigures().resourceUse } catch {
            // If the store was closed during the read, the result is nil.
            guard store.openedStore?.core.controller === controller else { return nil }
            throw ProblemDetails(error, "The use of the store cannot be read.")
        }
    }

    private static func makeAnswer(_ store: Store, _ host: StoreHost, _ use: StoreUse?) -> HTTPResponse {
        let (record, limits) = (store.record, host.limits(of: store))
        var members: JSONObject = ["limits": makeLimitsJSON { limits[$0] }, "own": record.ownLimitsJSON]
        if let use { members["used"] = makeLimitsJSON { use[$0] } }
        return HTTPResponse(json: JSONValue.object(members).encodeText()).addingTag(makeLimitsTag(store, host))
    }

    private static func makeLimitsJSON(_ amount: (StoreLimits.Resource) -> Int64?) -> JSONValue {
        .object(
            JSONObject(
                StoreLimits.Resource.allCases.compactMap { one in amount(one).map { (one.rawValue, .integer($0)) } }
            )
        )
    }
}
