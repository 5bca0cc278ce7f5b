/// The kinds of links for which the command `connectPlan` requests data from the servers of the links.
package struct PlanResolveMode: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let allGroups = Self(rawValue: "allGroups")
    package static let unknown = Self(rawValue: "unknown")
    package static let never = Self(rawValue: "never")

    package static let knownValues: Set<Self> = [.allGroups, .unknown, .never]
}
