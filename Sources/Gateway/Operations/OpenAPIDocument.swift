/// The contract as served at `/openapi.json`, and the contract of the streams, with the bytes of their files. Each
/// answer is made at its first request.
enum OpenAPIDocument {
    static let response = prepared("openapi.json")
    /// The contract of the streams, served at `/asyncapi.json`.
    static let streams = prepared("asyncapi.json")

    private static func prepared(_ name: String) -> HTTPResponse {
        guard let bytes = ServedContract.bytes(name) else { return HTTPResponse(status: 500) }
        return HTTPResponse(
            content: .prepared(
                PreparedResponse(
                    status: 200,
                    headers: [("Content-Type", "application/json"), ("Cache-Control", "max-age=300")],
                    body: SharedBytes(bytes),
                    isPublic: true
                )
            )
        )
    }
}
