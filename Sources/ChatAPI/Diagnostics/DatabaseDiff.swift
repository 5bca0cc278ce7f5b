package import JSON

/// Ids that only one of the two databases contains. Users have numbers as ids, connections have strings.
package struct DatabaseDiff: Codable, Hashable, Sendable {
    package var missingIds: [JSONValue]
    package var extraIds: [JSONValue]

    package init(missingIds: [JSONValue], extraIds: [JSONValue]) {
        self.missingIds = missingIds
        self.extraIds = extraIds
    }
}
