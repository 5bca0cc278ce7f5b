import Gateway

/// Checks files periodically, and calls a function when they have changed.
///
/// The system could report changes of folders, but not changes of the targets of the links with which certificates are
/// renewed.
enum FileWatch {
    static let interval: Duration = .seconds(2)

    /// Starts the checks. Returns their task, or nil without files.
    /// - Parameter act: a function that is called when a file has changed and all files have then stayed the same for
    ///   one interval, so that a certificate and its key belong together.
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
