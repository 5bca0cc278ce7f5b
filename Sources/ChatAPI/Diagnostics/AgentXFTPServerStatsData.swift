/// Counts of operations at XFTP servers since the statistics began.
package struct AgentXFTPServerStatsData: Codable, Hashable, Sendable {
    package var _uploads: Int
    package var _uploadsSize: Int64
    package var _uploadAttempts: Int
    package var _uploadErrs: Int
    package var _downloads: Int
    package var _downloadsSize: Int64
    package var _downloadAttempts: Int
    package var _downloadAuthErrs: Int
    package var _downloadErrs: Int
    package var _deletions: Int
    package var _deleteAttempts: Int
    package var _deleteErrs: Int

    package init(
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
