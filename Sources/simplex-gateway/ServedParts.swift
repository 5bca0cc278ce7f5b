import Broker
import ChatCore
import Gateway
import Placement
import SMPRelay
import XFTPRelay

/// The parts of the program that run beside the gateway: the relays, the node, and the connections to other servers.
struct ServedParts {
    var placement: PostgresPlacement?
    var broker: RedisBroker?
    var relay: Relay?
    var fileRelay: FileRelay?
    var files: ObjectSettings?
    var spanExporter: SpanExporter?

    /// Adds the metrics of the parts, the growing files and the checks of copies to the configuration.
    func register(in configuration: inout GatewayConfiguration) {
        if let relay {
            configuration.growingFiles.append(
                GrowingFile(path: relay.logPath) { try await relay.takeLogSnapshot().writeFile }
            )
            configuration.copyChecks.append { Relay.inspectFolder($0 + "/relay").faults.map(\.description) }
            configuration.metricsSources.append { relay.statistics.text }
        }
        if let fileRelay {
            configuration.growingFiles.append(
                GrowingFile(path: fileRelay.logPath) { try await fileRelay.takeLogSnapshot().writeFile }
            )
            configuration.copyChecks.append { FileRelay.inspectFolder($0 + "/file-relay").faults.map(\.description) }
            configuration.metricsSources.append { fileRelay.statistics.text }
        }
        if let end = configuration.http.tls.flatMap({ try? GatewayServer.inspectCertificate(tls: $0) }) {
            CertificateEnd.endSecondsSinceEpoch = end
            configuration.metricsSources.append { CertificateEnd.metricText }
        }
        if let broker { configuration.metricsSources.append { broker.metricsText } }
        if let placement { configuration.metricsSources.append { placement.metricsText } }
        if let files { configuration.metricsSources.append { files.service.metricsText } }
        if let spanExporter { configuration.metricsSources.append { spanExporter.metricsText } }
    }

    /// Stops the parts after the gateway has not started.
    func stopAfterFailure() async {
        await relay?.stopAndWait()
        await fileRelay?.stopAndWait()
        await placement?.endPlacement()
    }

    /// Stops the parts after the gateway. The gateway needs them until its end.
    func stop() async {
        await spanExporter?.stop()
        await placement?.endPlacement()
        broker?.closeConnection()
        await relay?.stopAndWait()
        await fileRelay?.stopAndWait()
    }
}
