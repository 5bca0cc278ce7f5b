package import Transport

/// The folder of a relay that is starting, with its lock and its identity.
package struct RelayFolder: Sendable {
    package let credentials: ServerCredentials
    /// The host in the relay's address.
    let host: TransportHost
    let lock: DirectoryLock

    /// Checks the host in the relay's address, locks the folder, and loads the relay's identity. Makes a new identity
    /// if the folder has no file of an identity.
    package init(_ settings: any RelaySettings) throws(RelayError) {
        host = try RelayAddress.chooseHost(publicHost: settings.publicHost, host: settings.host)
        do { lock = try DirectoryLock(settings.directory) } catch { throw .storeFailed(error) }
        do {
            credentials = try ServerCredentials.loadOrCreateIdentity(
                directory: settings.directory,
                algorithm: settings.keyAlgorithm
            )
        } catch {
            throw .credentialsUnusable(error)
        }
    }

    /// Makes the TLS configuration for the relay's connections.
    /// - Parameter web: the certificate for browsers; nil when browsers are not served.
    package func makeTLSConfiguration(
        _ protocols: TLSServerConfiguration.Protocols,
        web: WebCertificate? = nil
    ) throws(RelayError) -> TLSServerConfiguration {
        do { return try TLSServerConfiguration(credentials, protocols: protocols, web: web) } catch {
            throw .tlsUnusable(error)
        }
    }
}
