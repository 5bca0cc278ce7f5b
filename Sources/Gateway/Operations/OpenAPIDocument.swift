internal import JSON

/// The contract as served at `/openapi.json`, and the contract of the streams. Each document is made at its first
/// request.
enum OpenAPIDocument {
    static let response = prepared(ServedContract.document)
    /// The contract of the streams, served at `/asyncapi.json`.
    static let streams = prepared(ServedContract.streams)

    private static func prepared(_ document: JSONValue?) -> HTTPResponse {
        guard let document else { return HTTPResponse(status: 500) }
        return HTTPResponse(
            content: .prepared(
                PreparedResponse(
                    status: 200,
                    headers: [("Content-Type", "application/json"), ("Cache-Control", "max-age=300")],
                    body: SharedBytes(document.encoded()),
                    isPublic: true
                )
            )
        )
    }
}
