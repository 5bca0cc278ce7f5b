import Prometheus
import Synchronization

/// The end of the TLS certificate in use, for the metrics.
enum CertificateEnd {
    private static let end = Mutex<Int64>(0)

    /// The end of the certificate in seconds since 1970.
    static var secondsSinceEpoch: Int64 {
        get { end.withLock { $0 } }
        set { end.withLock { $0 = newValue } }
    }

    static var metricText: String {
        var text = MetricsText()
        text.writeValue("sxgw_tls_certificate_end_seconds", .gauge, "When the TLS certificate ends.", secondsSinceEpoch)
        return text.text
    }
}
