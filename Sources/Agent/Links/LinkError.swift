/// Why a text is no full link to connect with. The texts name a part of the link, never its content.
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
