import Glibc

/// The number of descriptors (files, sockets and the like) that the process may have open: RLIMIT_NOFILE, see
/// `getrlimit(2)`.
package enum DescriptorLimit {
    /// The kernel's own limit for a process (`fs.nr_open`), unless an administrator has changed it.
    static let kernelMaximum: rlim_t = 1 << 20

    /// Raises the soft limit to the hard limit, as far as the system allows.
    /// - Returns: the new soft limit.
    package static func raiseLimit() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 0 }
        let wanted = min(limit.rlim_max, kernelMaximum)
        if limit.rlim_cur < wanted {
            var raised = limit
            raised.rlim_cur = wanted
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: min(limit.rlim_cur, kernelMaximum))
    }
}
