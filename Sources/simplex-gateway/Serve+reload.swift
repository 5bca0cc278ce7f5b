import Gateway
import Logging

/// Reads changed files again while the gateway runs.
extension Serve {
    /// Makes the gateway read certificates, API keys and the log level again at SIGHUP. The same happens when the TLS
    /// certificate, its key or the configuration file changes, except that the certificate for browsers is not read. It
    /// is read again when its own files change.
    /// - Parameters:
    ///   - files: the paths of the TLS certificate and its key.
    ///   - web: the certificate of the file relay for browsers.
    /// - Returns: the tasks that check the files; nil in place of a task without files.
    func watchFiles(
        _ files: (certificate: String?, key: String?),
        _ web: BrowserCertificate?,
        _ gateway: GatewayServer
    ) -> [Task<Void, Never>?] {
        let command = self
        let reload: @Sendable () -> Void = {
            Self.reloadCertificate(files, gateway)
            gateway.reloadKeys()
            command.reloadLogLevel()
        }
        StopSignal.onHangup {
            reload()
            web?.reloadCertificate()
        }
        let webWatch = web?.watchFiles()
        let watch = FileWatch.startWatching(
            [files.certificate, files.key, config ?? Settings.configFile].compactMap(\.self),
            reload
        )
        return [watch, webWatch]
    }

    /// Reads the TLS certificate and its key again, and uses them for new connections.
    private static func reloadCertificate(_ files: (certificate: String?, key: String?), _ gateway: GatewayServer) {
        guard let certificate = files.certificate, let key = files.key else { return }
        let log = Logger(label: "gateway")
        do {
            let tls = try readTLSFiles(certificate, key)
            try gateway.reload(tls: tls)
            CertificateEnd.endSecondsSinceEpoch = try GatewayServer.inspectCertificate(tls: tls) ?? 0
            log.notice(
                "the TLS certificate was read again: new connections use it",
                metadata: ["file": "\(certificate)"]
            )
        } catch {
            log.error(
                "the TLS certificate cannot be read again: the previous one stays in use",
                metadata: ["error": "\(error)"]
            )
        }
    }

    /// Reads the log level from the configuration file again. Other changes of this file need a restart.
    private func reloadLogLevel() {
        let log = Logger(label: "gateway")
        do {
            let settings = try Settings(file: config)
            LogThreshold.changeLevel(to: try Logger.Level(named: settings.readText("log-level", logLevel) ?? "notice"))
        } catch {
            log.error("the configuration cannot be read again", metadata: ["error": "\(error)"])
        }
    }
}
