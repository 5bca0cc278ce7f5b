/// Reason why a text is not a valid full link. The error names a part of the link, never the content of that part.
public enum LinkError: Error, Hashable, Sendable {
    /// Neither `simplex:` nor `https://` and a host.
    case unknownScheme
    /// Neither `/invitation#/?` nor `/contact#/?` follows the scheme.
    case unknownKind
    /// A query parameter that every link of this kind has.
    case missingParameter(String)
    /// A query parameter, or something after the link, that cannot be read.
    case malformed(String)
}
