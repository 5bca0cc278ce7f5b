/// Reason why a text is not a valid full link. The error names a part of the link, never the content of that part.
package enum LinkError: Error, Hashable, Sendable {
    /// The text begins neither with `simplex:` nor with `https://` and a host.
    case unknownScheme
    /// The scheme is not followed by `/invitation#/?` or `/contact#/?`.
    case unknownKind
    /// A required query parameter is missing.
    case missingParameter(String)
    /// A query parameter, or text after the link, cannot be parsed.
    case malformed(String)
}
