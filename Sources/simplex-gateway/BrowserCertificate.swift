import Logging
import Transport

/// The TLS certificate that a file relay shows to browsers, and the paths of its files.
struct BrowserCertificate: Sendable {
    let certificate: WebCertificate
    private let paths: [String]

    /// Reads the certificate and its key from the files in two options; nil when neither option is set.
    init?(_ settings: Settings, certificate: (name: String, flag: String?), key: (name: String, flag: String?)) throws {
        switch (try settings.readPath(certificate.name, certificate.flag), try settings.readPath(key.name, key.flag)) {
        case (nil, nil): return nil
        case (let chain?, let own?):
            paths = [chain, own]
            for path in paths { try refusePipe(path, certificate.name) }
            _ = try readTLSFiles(chain, own)
            do throws(TLSError) { self.certificate = try WebCertificate(certificate: chain, key: own) } catch {
                throw Failure.configurationFailure("--\(certificate.name): \(Self.makeReason(error))")
            }
        default: throw Failure.configurationFailure("--\(certificate.name) and --\(key.name) must be given together")
        }
    }

    /// Watches the files of the certificate and its key, and reads them again when they have changed.
    func watchFiles() -> Task<Void, Never>? { FileWatch.startWatching(paths) { reloadCertificate() } }

    func reloadCertificate() {
        let log = Logger(label: "xftp-relay")
        do throws(TLSError) {
            try certificate.reloadFiles()
            log.notice(
                "the TLS certificate for browsers was read again: new connections use it",
                metadata: ["file": "\(paths[0])"]
            )
        } catch {
            log.error(
                "the TLS certificate for browsers cannot be read again: the previous one stays in use",
                metadata: ["error": "\(Self.makeReason(error))"]
            )
        }
    }

    private static func makeReason(_ error: TLSError) -> String {
        if case .configuration(let reason) = error { reason } else { "\(error)" }
    }
}
