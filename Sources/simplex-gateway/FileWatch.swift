import Gateway

/// Checks files every two seconds, and calls a function when they have changed.
///
/// Notifications of the system are not used: certificates are often renewed through links, and the system does not
/// report changes of a link's target.
enum FileWatch {
    static let interval: Duration = .seconds(2)

    /// Starts a task that checks the files, and returns the task; nil without files.
    /// - Parameter act: a function that is called when a file has changed and all files have then stayed the same for
    ///   one interval. So a certificate and its key belong together.
    static func startWatching(_ paths: [String], _ act: @escaping @Sendable () -> Void) -> Task<Void, Never>? {
        guard !paths.isEmpty else { return nil }
        return Task {
            var (acted, last) = (readVersions(paths), readVersions(paths))
            while (try? await Task.sleep(for: interval)) != nil {
                let now = readVersions(paths)
                if now == last, now != acted {
                    acted = now
                    act()
                }
                last = now
            }
        }
    }

    private static func readVersions(_ paths: [String]) -> [FileVersion] { paths.map(FileVersion.init(of:)) }
}
