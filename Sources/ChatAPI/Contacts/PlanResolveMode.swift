/// The links for which the command `connectPlan` requests data from their servers.
public struct PlanResolveMode: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let allGroups = Self(rawValue: "allGroups")
    public static let unknown = Self(rawValue: "unknown")
    public static let never = Self(rawValue: "never")

    public static let known: Set<Self> = [.allGroups, .unknown, .never]
}
