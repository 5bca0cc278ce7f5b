internal import Files

extension ProblemDetails {
    /// Makes the problem for a failed write: 507 when the disk is full, otherwise 500.
    init(_ error: any Error, _ detail: String) {
        let isFull = (error as? any StorageError)?.isFull ?? false
        self.init(isFull ? .storageFull : .internalError, detail)
    }
}
