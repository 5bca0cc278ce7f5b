internal import ChatStore
internal import JSON

/// The settings of one kind of subscription. The database has them as text, in ``EventSubscription/settings``.
protocol SubscriptionSettings: Sendable {
    /// The kind of the subscription, as it is stored in the database.
    static var kind: String { get }
    /// The word for one subscription of the kind in texts of problems.
    static var noun: String { get }
    /// The parameter in paths that names a subscription of the kind.
    static var pathParameter: String { get }
    /// Returns the id of the subscription that a path names.
    static func subscriptionID(_ name: String) -> String
    var rights: SubscriptionRights { get }
    /// - Returns: nil for settings in an unknown form.
    init?(json: JSONValue)
}

extension SubscriptionSettings {
    static func subscriptionID(_ name: String) -> String { name }

    /// Reads the settings of a subscription.
    /// - Returns: nil for a subscription of another kind, and for settings in an unknown form.
    init?(_ subscription: EventSubscription) {
        guard subscription.kind == Self.kind, let json = try? JSONValue(parsing: Array(subscription.settings.utf8))
        else { return nil }
        self.init(json: json)
    }

    static var missingProblem: ProblemDetails { ProblemDetails(.notFound, "There is no such \(noun).") }
}
