import Prometheus
import Synchronization

/// Stores the time at which the TLS certificate in use expires, for the metrics.
enum CertificateEnd {
    private static let endSeconds = Mutex<Int64>(0)

    /// The time at which the certificate expires, in seconds since 1970.
    static var endSecondsSinceEpoch: Int64 {
        get { endSeconds.withLock { $0 } }
        set { endSeconds.withLock { $0 = newValue } }
    }

    static var metricText: String {
        var text = MetricsText()
        text.writeValue(
            "sxgw_tls_certificate_end_seconds",
            .gauge,
            "When the TLS certificate ends.",
            endSecondsSinceEpoch
        )
        return text.text
    }
}
