internal import ChatCore
internal import JSON

/// The route with the versions, the limits and the main links of the gateway, for clients that know only its address.
enum IndexResource {
    static let routes: [Route] = [
        Route(.get, "/v1", "getIndex", category: "Operations", access: .noKey, policy: .processFacts) {
            context throws(ProblemDetails) in
            .now(HTTPResponse(json: describeGateway(context.services.configuration).encodeText()))
        }
    ]

    private static func describeGateway(_ configuration: GatewayConfiguration) -> JSONValue {
        var limits: JSONObject = [
            "bodyBytes": .integer(Int64(configuration.http.maxBodyBytes)),
            "fileBytes": .integer(ChatFiles.sizeLimit),
        ]
        if let rate = configuration.keyRequestsPerSecond { limits["requestsPerKey"] = .integer(Int64(rate)) }
        if let rate = configuration.addressRequestsPerSecond { limits["requestsPerAddress"] = .integer(Int64(rate)) }
        return [
            "versions": [
                "program": .string(ProgramVersion.text), "api": "1", "core": .string(ProgramVersion.core),
            ],
            "limits": .object(limits),
            "servers": [
                "default": .string(configuration.defaultServerPreset),
                "offered": .array(configuration.offeredServerPresets.map { .string($0) }),
            ],
            "links": .object(JSONObject(links.map { ($0, .string($1)) })),
        ]
    }

    private static let links = [
        ("contract", "/openapi.json"), ("streams", "/asyncapi.json"), ("reference", "/docs"),
        ("guide", "/docs/guide"), ("webClient", "/app"), ("key", "/v1/whoami"), ("users", "/v1/users"),
        ("events", "/v1/events"),
    ]
}
