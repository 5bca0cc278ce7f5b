package import JSON

/// Ids that only one of the two databases (chat and agent) contains. Ids of users are numbers, and ids of connections
/// are strings.
package struct DatabaseDiff: Codable, Hashable, Sendable {
    package var missingIds: [JSONValue]
    package var extraIds: [JSONValue]

    package init(missingIds: [JSONValue], extraIds: [JSONValue]) {
        self.missingIds = missingIds
        self.extraIds = extraIds
    }
}
