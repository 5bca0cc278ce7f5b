internal import ChatCore
internal import ChatStore
internal import JSON

/// Routes for the limits of a store.
enum StoreLimitsResource {
    static func get(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
        let (host, store) = try context.requireStore()
        return context.replyBlocking { () async throws(ProblemDetails) in await makeAnswer(store, host) }
    }

    /// Sets the limits of a store. An absent member sets the limit of the gateway. Null removes the limit.
    static func set(_ context: RouteContext) throws(ProblemDetails) -> HTTPReply {
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
        return context.replyBlocking { () async throws(ProblemDetails) in
            do {
                try await store.lifecycleLock.run {
                    if case .deleted = store.phase { throw ProblemDetails(.notFound, "There is no such store.") }
                    // The store is acquired first, because only the node that has the store may write its record.
                    try await host.acquire(store)
                    do {
                        try context.request.checkMatch(limitsTag(store, host))
                        try await store.changeRecord { $0.limits = new }
                    } catch {
                        await host.release(store)
                        throw error
                    }
                    store.openedStore?.core.setLimits(host.limits(of: store))
                    await host.release(store)
                }
            } catch { throw error as? ProblemDetails ?? ProblemDetails(error, "The limits cannot be stored.") }
            return await makeAnswer(store, host)
        }
    }

    /// The tag of the limits. The use of a store does not belong to it.
    private static func limitsTag(_ store: Store, _ host: StoreHost) -> EntityTag {
        let limits = host.limits(of: store)
        return EntityTag([store.record.ownLimitsJSON.text, describe { limits[$0] }.text])
    }

    private static func makeAnswer(_ store: Store, _ host: StoreHost) async -> HTTPResponse {
        let (record, limits) = (store.record, host.limits(of: store))
        var members: JSONObject = ["limits": describe { limits[$0] }, "own": record.ownLimitsJSON]
        // The use is known only for an open store.
        if let use = try? await store.openedStore?.core.controller?.readStoreFigures().resourceUse {
            members["used"] = describe { use[$0] }
        }
        return HTTPResponse(json: JSONValue.object(members).encoded()).addingTag(limitsTag(store, host))
    }

    private static func describe(_ amount: (StoreLimits.Resource) -> Int64?) -> JSONValue {
        .object(
            JSONObject(
                StoreLimits.Resource.allCases.compactMap { one in amount(one).map { (one.rawValue, .integer($0)) } }
            )
        )
    }
}
