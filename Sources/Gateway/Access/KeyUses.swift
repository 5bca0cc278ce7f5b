internal import Files
internal import JSON

/// The file `key-uses.json` beside the list of keys: the last use of each key, in seconds since 1970. It is written at
/// the first use after a start, then every ten minutes if keys are used, and when the process ends. So a killed process
/// loses at most ten minutes of uses.
struct KeyUses {
    /// Seconds between two writes.
    static let saveIntervalSeconds: Int64 = 600

    private let path: String

    init(of file: KeyFile) { path = FilePaths.parentFolder(of: file.path) + "/key-uses.json" }

    /// Reads the stored times. If the file cannot be read, returns no times, since the keys work without them.
    func load() -> [String: Int64] {
        guard let content = try? DiskFiles.readFile(path), let uses = try? JSONValue(parsing: content).objectValue
        else {
            return [:]
        }
        return Dictionary(uses.compactMap { entry in entry.value.clampedTime.map { (entry.key, $0) } }) { max($0, $1) }
    }

    func save(_ uses: [String: Int64]) throws(FileSystemError) {
        let content = JSONValue.object(JSONObject(uses.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) }))
            .encodeText()
        try DiskFiles.replaceFile(path, with: content)
    }
}
