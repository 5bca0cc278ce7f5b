internal import ChatAPI
internal import ChatProtocol

/// Handling of the probes of a contact: messages that detect duplicate contacts.
extension MessageReceiver {
    func handleProbe(_ probe: String, _ contact: inout ContactRecord) throws {
        contact = try Probes.handleProbe(probe, from: .contact(contact), user, tx) ?? contact
    }

    func handleProbeHash(_ hash: String, _ contact: inout ContactRecord) throws {
        contact = try Probes.handleProbeHash(hash, from: .contact(contact), user, tx) ?? contact
    }

    func handleProbeConfirmation(_ probe: String, _ contact: inout ContactRecord) throws {
        contact = try Probes.handleConfirmation(probe, by: .contact(contact), user, tx) ?? contact
    }
}
