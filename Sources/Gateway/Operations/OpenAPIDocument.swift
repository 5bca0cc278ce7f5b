/// The answers with the contract: in OpenAPI 3.1 at `/openapi.json`, in OpenAPI 3.2 at `/openapi-3.2.json`, and the
/// contract of the streams at `/asyncapi.json`. Each answer is made at its first request.
enum OpenAPIDocument {
    static let response = makeResponse(ServedContract.fileBytes("openapi.json"))
    /// The contract in the form of OpenAPI 3.2, served at `/openapi-3.2.json`.
    static let openAPI32Response = makeResponse(TypedContract.document?.encodeText())
    /// The contract of the streams, served at `/asyncapi.json`.
    static let streamResponse = makeResponse(ServedContract.fileBytes("asyncapi.json"))

    private static func makeResponse(_ bytes: [UInt8]?) -> HTTPResponse {
        guard let bytes else { return HTTPResponse(status: 500) }
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
