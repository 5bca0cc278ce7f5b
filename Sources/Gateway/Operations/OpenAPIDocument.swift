internal import JSON

/// The contract as `/openapi.json` gives it: made from the route table, so that it cannot tell of a route that is not there.
struct OpenAPIDocument: Sendable {
    let response: HTTPResponse

    static func bundled() -> OpenAPIDocument {
        OpenAPIDocument(response: HTTPResponse(json: document(RouteTable.all).encoded()))
    }

    private static func document(_ routes: [Route]) -> JSONValue {
        var paths = JSONObject()
        for route in routes where route.isImplemented {
            var item = paths[route.template]?.objectValue ?? JSONObject()
            item[route.method.rawValue.lowercased()] = ["operationId": .string(route.operationID), "tags": [.string(route.room)]]
            paths[route.template] = .object(item)
        }
        return ["openapi": "3.1.0", "info": ["title": "simplex-gateway", "version": "1"], "paths": .object(paths)]
    }
}
