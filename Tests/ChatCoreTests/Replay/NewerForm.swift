import JSON

/// Events that the catalogue has in another form than the recordings, which are of 6.4.5: in place of `networkStatuses`, `contactsSubscribed` and
/// `contactsDisconnected` it has `subscriptionStatus`; `connSubSummary` has gone.
enum NewerForm {
    static func of(_ event: JSONValue) -> [JSONValue] {
        switch event["type"]?.stringValue {
        case "connSubSummary": []
        case "networkStatuses":
            (event["networkStatuses"]?.arrayValue ?? []).filter { $0["networkStatus"]?["type"] == "connected" }.map {
                subscription("active", server: nil, [$0["agentConnId"]])
            }
        case "contactsSubscribed": subscriptions("active", event)
        case "contactsDisconnected": subscriptions("pending", event)
        default: [event]
        }
    }

    private static func subscriptions(_ status: JSONValue, _ event: JSONValue) -> [JSONValue] {
        [subscription(status, server: event["server"], (event["contactRefs"]?.arrayValue ?? []).map { $0["agentConnId"] })]
    }

    private static func subscription(_ status: JSONValue, server: JSONValue?, _ connections: [JSONValue?]) -> JSONValue {
        [
            "type": "subscriptionStatus", "server": server ?? "", "subscriptionStatus": ["type": status],
            "connections": .array(connections.compactMap(\.self)),
        ]
    }
}
