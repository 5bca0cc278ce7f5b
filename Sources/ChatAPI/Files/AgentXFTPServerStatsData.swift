/// Counts of operations at an XFTP server since the statistics began.
public struct AgentXFTPServerStatsData: Codable, Hashable, Sendable {
    public var _uploads: Int
    public var _uploadsSize: Int64
    public var _uploadAttempts: Int
    public var _uploadErrs: Int
    public var _downloads: Int
    public var _downloadsSize: Int64
    public var _downloadAttempts: Int
    public var _downloadAuthErrs: Int
    public var _downloadErrs: Int
    public var _deletions: Int
    public var _deleteAttempts: Int
    public var _deleteErrs: Int

    public init(
        _uploads: Int,
        _uploadsSize: Int64,
        _uploadAttempts: Int,
        _uploadErrs: Int,
        _downloads: Int,
        _downloadsSize: Int64,
        _downloadAttempts: Int,
        _downloadAuthErrs: Int,
        _downloadErrs: Int,
        _deletions: Int,
        _deleteAttempts: Int,
        _deleteErrs: Int
    ) {
        self._uploads = _uploads
        self._uploadsSize = _uploadsSize
        self._uploadAttempts = _uploadAttempts
        self._uploadErrs = _uploadErrs
        self._downloads = _downloads
        self._downloadsSize = _downloadsSize
        self._downloadAttempts = _downloadAttempts
        self._downloadAuthErrs = _downloadAuthErrs
        self._downloadErrs = _downloadErrs
        self._deletions = _deletions
        self._deleteAttempts = _deleteAttempts
        self._deleteErrs = _deleteErrs
    }
}
