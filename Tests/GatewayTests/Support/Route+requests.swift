import JSON

@testable import Gateway

extension Route {
    /// The path with its parameters filled in: `userId` and `chatType` as given, all else with `id`.
    func path(user: String = "1", chatType: String = "direct", id: String) -> String {
        template.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            switch segment {
            case "{userId}": user
            case "{chatType}": chatType
            case _ where segment.hasPrefix("{"): id
            default: String(segment)
            }
        }.joined(separator: "/")
    }

    var parameterNames: [String] {
        template.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// A body that the contract calls good; `nil` where the route takes none.
    var sampleBody: JSONValue? {
        let contract = Contract.served
        guard let schema = contract.operation(self).flatMap({ contract.bodySchema($0) }) else { return nil }
        guard var members = contract.sample(schema).objectValue else { return nil }
        // These ids may be in the query instead, so that the contract requires them in neither place.
        if let ids = schema["properties"]?["itemIds"] { members["itemIds"] = contract.sample(ids) }
        // One of two members is needed, which the contract cannot say of them.
        if operationID == "openSessionSecondary" { members["contentTag"] = "text" }
        return .object(members)
    }

    /// Operations of the core that the tests of all routes can call one after the other.
    static let commands = RouteTable.all.filter { $0.isImplemented && $0.room != "Events" && $0.room != "Operations" && $0.room != "Lifecycle" && $0.room != "Database" && $0.room != "Stores" }
}
