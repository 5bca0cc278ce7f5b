import Glibc

package enum RelayClock {
    /// The present time in seconds since 1970.
    package static var nowSeconds: Int64 { Int64(time(nil)) }
}
