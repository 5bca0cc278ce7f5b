import Broker
import ChatCore
import Gateway
import Placement
import SMPRelay
import XFTPRelay

/// The parts of the program that run beside the gateway: the relays, the placement of stores on nodes, and the
/// connections to Redis, the bucket of files and the collector of spans.
struct ServedParts {
    var placement: PostgresPlacement?
    var broker: RedisBroker?
    var relay: Relay?
    var fileRelay: FileRelay?
    var files: ObjectSettings?
    var spanExporter: SpanExporter?

    /// Adds the parts to the gateway's configuration: their metrics, their log files for backups, and the checks of
    /// their folders in copies of the data folder.
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

    /// Stops the relays and the placement of stores when the gateway has failed to start.
    func stopAfterFailure() async {
        await relay?.stopAndWait()
        await fileRelay?.stopAndWait()
        await placement?.endPlacement()
    }

    /// Stops the relays, the placement of stores, and the connections to Redis and the collector of spans. The caller
    /// has stopped the gateway before, because the gateway needs the parts until its end.
    func stop() async {
        await spanExporter?.stop()
        await placement?.endPlacement()
        broker?.closeConnection()
        await relay?.stopAndWait()
        await fileRelay?.stopAndWait()
    }
}
