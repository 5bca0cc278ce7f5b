import JSON

@testable import Gateway

extension Route {
    /// The path with values for its parameters: the given `userId` and `chatType`, and `id` for all others.
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

    /// The query that the contract requires, with `?`; empty if none is required.
    var requiredQuery: String {
        let required = (Contract.servedContract.findOperation(self)?["parameters"]?.arrayValue ?? []).filter {
            $0["in"] == "query" && $0["required"] == true
        }
        let pairs = required.map {
            "\($0["name"]?.stringValue ?? "")=\(Contract.servedContract.makeSample($0["schema"] ?? .null).stringValue ?? "1")"
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// A body that is valid by the contract; `nil` if the route accepts none.
    var sampleBody: JSONValue? {
        let contract = Contract.servedContract
        guard let schema = contract.findOperation(self).flatMap({ contract.findBodySchema($0) }) else { return nil }
        guard var members = contract.makeSample(schema).objectValue else { return nil }
        // The core requires one of several members, which the contract cannot express. So the member is added here.
        if let messages = schema["properties"]?["composedMessages"] {
            members["composedMessages"] = contract.makeSample(messages)
        }
        switch operationID {
        case "openSecondaryList": members["contentTag"] = "text"
        case "createBroadcast": members["to"] = ["allContacts": true]
        case "scheduleMessages": members["to"] = ["chatType": "direct", "chatId": 1]
        default: break
        }
        return .object(members)
    }

    /// Operations of the core that the tests of all routes can call in sequence.
    static let commandRoutes = RouteTable.all.filter { !excludedCategories.contains($0.category) }

    private static let excludedCategories: Set = [
        "Events", "Operations", "Lifecycle", "Database", "Stores", "Keys", "Webhooks", "WebPush", "Consumers",
        "LongOperations", "ScheduledMessages", "Broadcasts", "Notices",
    ]
}
