internal import CEmbedded
internal import JSON

/// The contracts, such as the OpenAPI document, that are embedded in the program and served to clients.
enum ServedContract {
    static let openAPI = parseContract("openapi.json")

    private static let files = EmbeddedFiles.readFiles(sxgw_contracts)

    static func parseContract(_ name: String) -> JSONValue? {
        fileBytes(name).flatMap { try? JSONValue(parsing: $0) }
    }

    static func fileBytes(_ name: String) -> [UInt8]? { files[name] }
}
