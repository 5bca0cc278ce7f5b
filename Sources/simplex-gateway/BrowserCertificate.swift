import Logging
import Transport

/// The certificate that a file relay shows to browsers, and the files from which it is read.
struct BrowserCertificate: Sendable {
    let certificate: WebCertificate
    private let paths: [String]

    /// Reads the certificate; nil when neither option is set.
    init?(_ settings: Settings, certificate: (name: String, flag: String?), key: (name: String, flag: String?)) throws {
        switch (try settings.path(certificate.name, certificate.flag), try settings.path(key.name, key.flag)) {
        case (nil, nil): return nil
        case (let chain?, let own?):
            paths = [chain, own]
            for path in paths { try refusePipe(path, certificate.name) }
            _ = try readTLSFiles(chain, own)
            do throws(TLSError) { self.certificate = try WebCertificate(certificate: chain, key: own) } catch {
                throw Failure.configuration("--\(certificate.name): \(Self.reason(error))")
            }
        default: throw Failure.configuration("--\(certificate.name) and --\(key.name) must be given together")
        }
    }

    /// Watches the files, and reads them again when they have changed.
    func watch() -> Task<Void, Never>? { FileWatch.start(paths) { reload() } }

    func reload() {
        let log = Logger(label: "xftp-relay")
        do throws(TLSError) {
            try certificate.reload()
            log.notice(
                "the TLS certificate for browsers was read again: new connections use it",
                metadata: ["file": "\(paths[0])"]
            )
        } catch {
            log.error(
                "the TLS certificate for browsers cannot be read again: the previous one stays in use",
                metadata: ["error": "\(Self.reason(error))"]
            )
        }
    }

    private static func reason(_ error: TLSError) -> String {
        if case .configuration(let reason) = error { reason } else { "\(error)" }
    }
}
