internal import ChatStore
internal import Files

extension LocalFolders: UploadSizes {
    func size(ofUpload path: String) -> Int64? { paths.file(StoredPath(path)).size }

    func sizesOfIncompleteUploads() -> [Int64] {
        let uploads = paths.uploads
        return DiskFiles.listEntries(uploads).map { DiskFiles.size(uploads + "/" + $0) ?? 0 }
    }
}
