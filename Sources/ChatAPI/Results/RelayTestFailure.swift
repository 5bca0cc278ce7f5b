/// A step in testing a chat relay.
package struct RelayTestStep: OpenEnum {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    package static let getLink = Self(rawValue: "getLink")
    package static let decodeLink = Self(rawValue: "decodeLink")
    package static let connect = Self(rawValue: "connect")
    package static let waitResponse = Self(rawValue: "waitResponse")
    package static let verify = Self(rawValue: "verify")

    package static let knownValues: Set<Self> = [.getLink, .decodeLink, .connect, .waitResponse, .verify]
}

/// The step at which testing a chat relay failed, and the error.
package struct RelayTestFailure: Codable, Hashable, Sendable {
    package var rtfStep: RelayTestStep
    package var rtfError: ChatError

    package init(rtfStep: RelayTestStep, rtfError: ChatError) {
        self.rtfStep = rtfStep
        self.rtfError = rtfError
    }
}
