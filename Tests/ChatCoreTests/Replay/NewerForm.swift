import JSON

/// Conversion of the recording `server-outage`, made with 6.4.5, to the form of the newer core. `subscriptionStatus`
/// replaces `networkStatuses`, `contactsSubscribed` and `contactsDisconnected`. `connSubSummary` is removed. The status
/// of a connection is an object.
enum NewerForm {
    /// Converts an answer or a part of it.
    static func converted(_ json: JSONValue) -> JSONValue {
        switch json {
        case .object(var object):
            for (name, value) in object {
                object[name] =
                    ["connStatus", "pccConnStatus"].contains(name) ? convertedStatus(value) : converted(value)
            }
            return .object(object)
        case .array(let elements): return .array(elements.map { converted($0) })
        default: return json
        }
    }

    private static func convertedStatus(_ value: JSONValue) -> JSONValue {
        guard let text = value.stringValue else { return value }
        return ["type": .string(text == "snd-ready" ? "sndReady" : text)]
    }

    /// Converts an event, which can become several events.
    static func convertedEvents(_ event: JSONValue) -> [JSONValue] {
        switch event["type"]?.stringValue {
        case "connSubSummary": []
        case "networkStatuses":
            (event["networkStatuses"]?.arrayValue ?? []).filter { $0["networkStatus"]?["type"] == "connected" }.map {
                subscriptionEvent("active", server: nil, [$0["agentConnId"]])
            }
        case "contactsSubscribed": subscriptionEvents("active", event)
        case "contactsDisconnected": subscriptionEvents("pending", event)
        default: [converted(event)]
        }
    }

    private static func subscriptionEvents(_ status: JSONValue, _ event: JSONValue) -> [JSONValue] {
        [
            subscriptionEvent(
                status,
                server: event["server"],
                (event["contactRefs"]?.arrayValue ?? []).map { $0["agentConnId"] }
            )
        ]
    }

    private static func subscriptionEvent(
        _ status: JSONValue,
        server: JSONValue?,
        _ connections: [JSONValue?]
    ) -> JSONValue {
        [
            "type": "subscriptionStatus", "server": server ?? "", "subscriptionStatus": ["type": status],
            "connections": .array(connections.compactMap(\.self)),
        ]
    }
}
