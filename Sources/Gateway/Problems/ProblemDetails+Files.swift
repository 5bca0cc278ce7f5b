internal import Files

extension ProblemDetails {
    /// Makes the problem for a failed write or read: 507 when the disk is full, 503 when too many stores use their
    /// databases, otherwise 500.
    init(_ error: any Error, _ detail: String) {
        let storage = error as? any StorageError
        if storage?.isOverload == true {
            self = .overloadProblem
        } else {
            self.init(storage?.isStorageFull == true ? .storageFull : .internalError, detail)
        }
    }

    /// The problem when too many stores use their databases, so that another store cannot open its databases now.
    static var overloadProblem: ProblemDetails {
        var problem = ProblemDetails(
            .unavailable,
            "Too many stores use their databases at this moment: send this again."
        )
        problem.headers = [("Retry-After", "5")]
        return problem
    }
}
