internal import Descriptors
internal import NIOCore
internal import OutgoingHTTP

/// The HTTP clients with which the gateway sends requests to other servers.
extension GatewayServer {
    /// Checks the configuration, and makes the HTTP clients for requests to other servers.
    static func makeOutgoingClients(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) -> (OutgoingHTTP, LinkPreviewReader?) {
        guard configuration.bindsLoopback || configuration.http.tls != nil || configuration.allowsRemoteWithoutTLS
        else {
            throw .unsafeAddress(configuration.http.host)
        }
        guard configuration.bindsLoopback || !configuration.allowsKeylessSocket else {
            throw .unsafeOpenSocket(configuration.http.host)
        }
        return (try makeOutgoingClient(configuration, group), try makePreviewReader(configuration, group))
    }

    private static func makeOutgoingClient(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) -> OutgoingHTTP {
        let settings = configuration.deliverySettings
        if let contact = settings.pushContact, !PushSender.isContact(contact) {
            throw .invalidSettings("--push-contact \(contact) is not a mailto: or https:// URL")
        }
        let policy = try parseAddressPolicy(settings.allowedAddresses, "webhook-allow")
        var limits = OutgoingHTTP.Limits()
        limits.maxTotalTime = .seconds(settings.timeoutSeconds)
        do throws(OutgoingHTTP.BadAuthorities) {
            return try OutgoingHTTP(
                group: group,
                policy: policy,
                authorities: settings.authorityFile,
                connections: Allowance(settings.maxConnections),
                limits: limits,
                userAgent: "simplex-gateway",
                lookUp: settings.nameLookup
            )
        } catch {
            throw .invalidSettings("--webhook-ca-file: \(error)")
        }
    }

    /// Parses address ranges that the value of a command-line option contains.
    /// - Parameter option: the name of the option, for error messages.
    private static func parseAddressPolicy(_ ranges: [String], _ option: String) throws(GatewayError) -> AddressPolicy {
        var policy = AddressPolicy()
        for text in ranges {
            guard let range = AddressRange(text) else {
                throw .invalidSettings(
                    "--\(option) \(text) is not an address or range of addresses, such as 10.0.0.0/8 or ::1"
                )
            }
            policy.allowedRanges.append(range)
        }
        return policy
    }

    private static func makePreviewReader(
        _ configuration: GatewayConfiguration,
        _ group: any EventLoopGroup
    ) throws(GatewayError) -> LinkPreviewReader? {
        guard let settings = configuration.linkPreviews else { return nil }
        let policy = try parseAddressPolicy(settings.allowedAddresses, "link-preview-allow")
        do throws(OutgoingHTTP.BadAuthorities) { return try LinkPreviewReader(settings, policy, group) } catch {
            throw .invalidSettings("\(error)")
        }
    }
}
