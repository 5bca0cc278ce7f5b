internal import CEmbedded
internal import JSON

/// The contracts as they are embedded and served.
enum ServedContract {
    static let document = embedded("openapi.json")

    private static let files = EmbeddedFiles.read(sxgw_contracts)

    static func embedded(_ name: String) -> JSONValue? {
        bytes(name).flatMap { try? JSONValue(parsing: $0) }
    }

    static func bytes(_ name: String) -> [UInt8]? { files[name] }
}
