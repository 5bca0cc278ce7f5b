/// Holds the number of earlier attempts of the present command. An app repeats a command while its user waits for the
/// result, and sends this number. A later attempt gives relays more time to answer.
package enum CommandAttempt {
    /// The number of earlier attempts; 0 for the first attempt. It is no parameter, because only the code that talks to
    /// relays and phones reads it, far below the functions that set it.
    @TaskLocal package static var earlierAttemptCount = 0

    /// The factor, as a fraction, by which the timeouts of the present attempt are longer than those of the first
    /// attempt. The original uses the same factors.
    package static var timeoutFactor: (numerator: Int64, denominator: Int64) {
        switch earlierAttemptCount {
        case ..<1: (1, 1)
        case 1: (3, 2)
        case 2: (9, 4)
        default: (27, 8)
        }
    }
}
