import SimpleXCrypto

/// Unescaped parameters of a query string. If a parameter is repeated, its first value is used.
struct QueryParameters {
    private var values: [[UInt8]: [UInt8]] = [:]

    /// Parses a query. `&` and `;` separate parameters. A parameter without `=` has an empty value.
    init(_ query: [UInt8]) {
        for pair in query.split(whereSeparator: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: ";") }) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentCoding.decodeQuery(parts[0])
            if values[name] == nil { values[name] = parts.count == 2 ? PercentCoding.decodeQuery(parts[1]) : [] }
        }
    }

    subscript(name: String) -> [UInt8]? { values[Array(name.utf8)] }
}
