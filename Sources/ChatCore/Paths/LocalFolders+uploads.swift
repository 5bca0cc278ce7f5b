internal import ChatStore
internal import Files

extension LocalFolders: UploadSizes {
    func size(ofUpload path: String) -> Int64? { paths.makeStoreFile(StoredPath(path)).size }

    func sizesOfIncompleteUploads() -> [Int64] {
        let uploads = paths.uploadsFolder
        return DiskFiles.listEntries(uploads).map { DiskFiles.fileSize(uploads + "/" + $0) ?? 0 }
    }
}
