/// The protocol of a server.
public struct ServerProtocol: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let smp = Self(rawValue: "smp")
    public static let xftp = Self(rawValue: "xftp")
    public static let ntf = Self(rawValue: "ntf")

    public static let known: Set<Self> = [.smp, .xftp, .ntf]
}
