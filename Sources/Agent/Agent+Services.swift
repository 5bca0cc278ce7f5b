import SMP
import SQLCipher

extension Agent {
    /// Turns users into services, or into usual users. A relay knows all queues of a service by one certificate, see
    /// ``ClientServices``. The agent must be offline, since each session uses the certificate that it began with.
    ///
    /// A usual user has no certificates, and its queues are assigned to no service. The next start subscribes to each
    /// of its queues, and the relay then ends the assignment. The queues of a new service are assigned when the next
    /// start subscribes to them.
    /// - Parameter wanted: the users, and whether each is a service. Other users stay unchanged.
    /// - Throws: `AgentError.command(.prohibited, …)` while the agent is online.
    package func setServices(_ wanted: [AgentUserID: Bool]) async throws {
        guard state.withLock({ $0.run == nil }) else { throw AgentError.command(.prohibited, context: "setServices") }
        let isUnchanged = try await database.read { db in try ClientServices.findChanges(wanted, db).isEmpty }
        if isUnchanged { return }
        try await database.write { db in
            for (user, isService) in try ClientServices.findChanges(wanted, db) {
                try db.update("users", set: ["is_service": isService], where: ["user_id": user])
                if isService { continue }
                try db.execute("DELETE FROM client_services WHERE user_id = ?", user)
                try db.execute(
                    """
                    UPDATE rcv_queues SET service_id = NULL
                    WHERE service_id IS NOT NULL AND conn_id IN (SELECT conn_id FROM connections WHERE user_id = ?)
                    """,
                    user
                )
            }
        }
    }

    /// Starts to store the new certificate of a service for a relay. If the run ends before the certificate is stored,
    /// the next run makes another certificate, and the relay assigns the queues again.
    func storeServiceCertificate(_ credentials: ServiceCredentials, _ relay: RelayClients.Key) {
        startWrite { db in try ClientServices.storeCertificate(credentials, relay, db) }
    }
}
