// Made by deploy/vocabulary from openapi/vocabulary.json: change that file.
// swift-format-ignore-file
package import JSON

/// An error in creating or reading an archive.
package indirect enum ArchiveError: TaggedUnion {
    case `import`(importError: String)
    case fileError(file: String, fileError: String)
    /// A case that this program does not know: the whole JSON object, unchanged.
    case unrecognized(JSONValue)
}

extension ArchiveError {
    package init(from decoder: any Decoder) throws {
        let fields = try TaggedFields(decoder)
        switch fields.tag {
        case "import": self = try .import(importError: fields("importError"))
        case "fileError": self = try .fileError(file: fields("file"), fileError: fields("fileError"))
        default: self = .unrecognized(try fields.decodeUnknownCase(decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .import(let importError): try encoder.tagged("import")("importError", importError)
        case .fileError(let file, let fileError): try encoder.tagged("fileError")("file", file)("fileError", fileError)
        case .unrecognized(let value): try value.encode(to: encoder)
        }
    }
}
