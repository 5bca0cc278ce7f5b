internal import CEmbedded
internal import JSON

/// The contracts as they are embedded and served.
enum ServedContract {
    static let openAPI = parseContract("openapi.json")

    private static let files = EmbeddedFiles.readFiles(sxgw_contracts)

    static func parseContract(_ name: String) -> JSONValue? {
        fileBytes(name).flatMap { try? JSONValue(parsing: $0) }
    }

    static func fileBytes(_ name: String) -> [UInt8]? { files[name] }
}
