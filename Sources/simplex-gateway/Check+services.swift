import NIOCore

/// Checks the servers that the gateway uses, for `simplex-gateway check`: Redis, the bucket of files, and the collector
/// of spans (records of work in OpenTelemetry).
extension Check {
    func checkBroker(_ settings: Settings, _ report: inout CheckReport) async {
        do {
            guard let broker = try serve.broker.makeBroker(settings, gateway: { "check" }) else { return }
            guard try !settings.isSet("offline", offline) else { return report.addNote("Redis is not checked") }
            do { try await broker.checkAppending(); report.addSuccess("the Redis of events") } catch {
                report.addFault("\(error)", 1)
            }
            broker.closeConnection()
        } catch {
            report.addFault((error as? Failure)?.message ?? "\(error)", 2)
        }
    }

    func checkBucket(_ settings: Settings, _ group: any EventLoopGroup, _ report: inout CheckReport) async {
        do {
            guard let (bucket, place, _) = try serve.objects.makeBucket(settings, group) else { return }
            guard try !settings.isSet("offline", offline) else {
                return report.addNote("the bucket of files is not checked")
            }
            do { try await bucket.checkAccess(); report.addSuccess("the bucket of files \(place)") } catch {
                report.addFault("the bucket of files \(place): \(error)", 1)
            }
        } catch {
            report.addFault((error as? Failure)?.message ?? "\(error)", 2)
        }
    }

    /// Checks the OpenTelemetry collector to which spans are sent. The gateway also works without it, so a failure is
    /// only a note.
    func checkCollector(_ settings: Settings, _ group: any EventLoopGroup, _ report: inout CheckReport) async {
        do {
            guard let exporter = try serve.spans.makeExporter(settings, group) else { return }
            guard try !settings.isSet("offline", offline) else {
                return report.addNote("the collector of spans is not checked")
            }
            if let reason = await exporter.checkCollector() {
                report.addNote("the collector of spans does not work: \(reason)")
            } else {
                report.addSuccess("the collector of spans")
            }
        } catch {
            report.addFault((error as? Failure)?.message ?? "\(error)", 2)
        }
    }
}
