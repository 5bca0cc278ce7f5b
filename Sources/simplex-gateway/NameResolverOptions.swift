import ArgumentParser
import NIOCore
import NameResolving
import SMP
import SMPRelay

/// The options of the name resolver: an HTTP server that an SMP relay asks for the records of names.
struct NameResolverOptions: ParsableArguments {
    @Option(
        help:
            "URL of a resolver, such as http://127.0.0.1:8000, that the relay asks for SimpleX names: GET URL/resolve/<name>. Names in the relay's own file come first. (default: none)"
    )
    var nameResolver: String?
    @Option(
        help:
            "File with bearer TOKEN or basic USER:PASSWORD for the resolver. Without TLS it is sent to loopback only. (default: none)"
    )
    var nameResolverAuth: String?

    /// Maximal number of requests that a relay sends to its resolver at the same time.
    private static let maxRequests = 64
    /// The permitted number of connections to other relays is divided by this number. The quotient is the number of
    /// connections to the name resolver, and is subtracted from the permitted number.
    private static let proxyConnectionsPerResolverConnection = 8

    /// Sets the name resolver in the configuration of a relay. The limits of the relay's connections must already be
    /// set.
    /// - Returns: the resolver; nil when no resolver is configured.
    func applyResolver(
        _ settings: Settings,
        to configuration: inout RelayConfiguration,
        _ group: any EventLoopGroup
    ) throws -> HTTPNameResolver? {
        let file = try settings.readPath("name-resolver-auth", nameResolverAuth)
        guard let url = try settings.readText("name-resolver", nameResolver) else {
            if try settings.readText("name-resolver-auth", nameResolverAuth) != nil {
                throw Failure.configurationFailure("--name-resolver-auth needs --name-resolver")
            }
            return nil
        }
        let requests = min(
            max(configuration.maxProxiedRelays / Self.proxyConnectionsPerResolverConnection, 1),
            Self.maxRequests
        )
        let authorization = try file.map { try readPassword($0) }
        do throws(HTTPNameResolver.Fault) {
            let resolver = try HTTPNameResolver(
                url,
                authorization: authorization,
                group: group,
                connections: requests
            )
            configuration.nameResolver = { name throws(SMPNameError) in try await resolver.resolveName(name) }
            configuration.maxNameRequests = requests
            configuration.maxProxiedRelays = max(configuration.maxProxiedRelays - requests, 1)
            return resolver
        } catch {
            throw Failure.configurationFailure("--name-resolver \(error)")
        }
    }
}

/// Prints a warning if the name resolver does not work yet. The relay starts nevertheless, since the resolver may start
/// later.
func warnIfResolverFails(_ resolver: HTTPNameResolver?) async {
    guard let reason = await resolver?.checkHealth() else { return }
    printWarning("the resolver of --name-resolver does not work yet: \(reason)")
}
