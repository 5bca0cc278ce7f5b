internal import JSON

/// Problem codes and sentences for errors of sessions with other devices.
extension ChatErrorExplanation {
    /// Returns the problem code and the sentence for an error of a session with another device.
    /// - Parameter error: `remoteCtrlError` or `remoteHostError`.
    static func explainRemoteError(_ error: JSONValue?) -> (code: ProblemDetails.Code, detail: String) {
        let version = error?["appVersion"]?.stringValue ?? "unknown"
        switch error?["type"]?.stringValue ?? "" {
        case "inactive": return (.conflict, "There is no session.")
        case "missing": return (.notFound, "There is no session with this device.")
        case "badState": return (.conflict, "The session is not in a state that allows this.")
        case "busy": return (.conflict, "There is a session already. End it first.")
        case "timeout": return (.relayTimeout, "The other device did not answer in time.")
        case "noKnownControllers": return (.conflict, "No desktop is known yet: connect by its link.")
        case "badController": return (.conflict, "Another desktop was found.")
        case "badInvitation":
            return (.invalidValue, "The signatures of the link do not verify, or it describes no app.")
        case "badVersion":
            return (.invalidValue, "The app of the other device has a version that is not supported: \(version).")
        case "localCommand": return (.invalidValue, "This command cannot be sent to another device.")
        case "disconnected": return (.relayUnreachable, "The other device has disconnected.")
        case "protocolError": return explainProtocolError(error?["protocolError"] ?? error?["data"])
        default: return (.relayUnreachable, "The other device cannot be reached.")
        }
    }

    private static func explainProtocolError(_ error: JSONValue?) -> (code: ProblemDetails.Code, detail: String) {
        switch (error?["type"]?.stringValue, error?["rcError"]?["type"]?.stringValue) {
        case ("pRESessionCode", _): (.conflict, "The code does not match. The connection was closed.")
        case (_, "identity"): (.conflict, "The key of the other device differs from the key of the paired device.")
        case (_, "version"): (.conflict, "The two devices have no version of the protocol in common.")
        case ("hTTP2", _): (.relayUnreachable, "The connection with the other device was lost.")
        case (let type?, let reason):
            (
                .relayUnreachable,
                "The other device violates the protocol: \([type, reason].compactMap { $0 }.joined(separator: ", "))."
            )
        case (nil, _): (.relayUnreachable, "The other device violates the protocol.")
        }
    }
}
