/// The protocol of a server.
package struct ServerProtocol: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let smp = Self(rawValue: "smp")
    package static let xftp = Self(rawValue: "xftp")
    package static let ntf = Self(rawValue: "ntf")

    package static let knownValues: Set<Self> = [.smp, .xftp, .ntf]
}
