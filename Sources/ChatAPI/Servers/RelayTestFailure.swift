/// A step of the test of a chat relay.
public struct RelayTestStep: OpenEnum {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let getLink = Self(rawValue: "getLink")
    public static let decodeLink = Self(rawValue: "decodeLink")
    public static let connect = Self(rawValue: "connect")
    public static let waitResponse = Self(rawValue: "waitResponse")
    public static let verify = Self(rawValue: "verify")

    public static let known: Set<Self> = [.getLink, .decodeLink, .connect, .waitResponse, .verify]
}

/// The step at which the test of a chat relay failed, and the error.
public struct RelayTestFailure: Codable, Hashable, Sendable {
    public var rtfStep: RelayTestStep
    public var rtfError: ChatError

    public init(rtfStep: RelayTestStep, rtfError: ChatError) {
        self.rtfStep = rtfStep
        self.rtfError = rtfError
    }
}
