/// The number of earlier attempts of the command for which a person waits. The app that repeats a command sets this
/// number. A relay may take longer to answer a later attempt.
package enum CommandAttempt {
    /// The number of earlier attempts; 0 for the first attempt.
    @TaskLocal package static var attemptNumber = 0

    /// The factor by which the present attempt waits longer than the first, as a fraction: the same as in the original.
    package static var timeoutFactor: (numerator: Int64, denominator: Int64) {
        switch attemptNumber {
        case ..<1: (1, 1)
        case 1: (3, 2)
        case 2: (9, 4)
        default: (27, 8)
        }
    }
}
