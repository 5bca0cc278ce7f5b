import Foundation
import Logging
import SMPRelay
import Synchronization
import TestSupport
import Testing

@Suite("Relay: warnings", .socketTimeLimit)
struct WarningTests {
    /// Records the logged warnings.
    private final class RecordedWarnings: Sendable {
        let texts = Mutex<[String]>([])
    }

    private struct Handler: LogHandler {
        let log: RecordedWarnings
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            if event.level == .warning { log.texts.withLock { $0.append("\(event.message)") } }
        }
    }

    /// Starts a relay with the configuration, expects that its warnings are logged, and returns them.
    private func startAndReadWarnings(_ configuration: RelayConfiguration) async throws -> [RelayWarning] {
        let log = RecordedWarnings()
        let logger = Logger(label: "test") { _ in Handler(log: log) }
        let relay = try await Relay.start(configuration: configuration, group: TestRelay.group, logger: logger)
        await relay.stopAndWait()
        #expect(log.texts.withLock { $0 } == relay.warnings.map(\.description))
        return relay.warnings
    }

    @Test
    func `A relay that other machines can use without a password has a warning`() async throws {
        try await withRelay { relay in
            var configuration = relay.configuration
            configuration.directory += "/other"
            configuration.port = 0
            configuration.publicHost = "relay.example"
            for (host, password, expected) in [
                ("0.0.0.0", nil, [.openToOtherMachines(host: "0.0.0.0")]), ("0.0.0.0", "secret", []),
                ("127.0.0.1", nil, []),
                ("localhost", nil, []),
            ] as [(String, String?, [RelayWarning])] {
                (configuration.host, configuration.createPassword) = (host, password)
                let found = try await startAndReadWarnings(configuration)
                #expect(found == expected, "\(host)")
            }
        }
    }

    private func expectWarnings(
        _ found: [RelayWarning],
        _ expected: [RelayWarning],
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(found == expected, sourceLocation: location)
    }

    @Test
    func `A relay whose log is missing or empty reports a warning once`() async throws {
        try await withRelay { relay in
            var configuration = relay.configuration
            configuration.directory += "/other"
            configuration.port = 0
            let log = configuration.directory + "/queues.log"
            try await expectWarnings(startAndReadWarnings(configuration), [])
            try await expectWarnings(startAndReadWarnings(configuration), [])
            try FileManager.default.removeItem(atPath: log)
            try await expectWarnings(startAndReadWarnings(configuration), [.emptyLog(path: log)])
            try Data().write(to: URL(fileURLWithPath: log))
            try await expectWarnings(startAndReadWarnings(configuration), [.emptyLog(path: log)])
            try await expectWarnings(startAndReadWarnings(configuration), [])
        }
    }
}
