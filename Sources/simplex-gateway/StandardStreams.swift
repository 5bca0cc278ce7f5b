import Glibc

/// Writes a line to standard error.
func printError(_ line: String) { writeText(line + "\n", to: STDERR_FILENO) }

/// Writes a line to standard output without a buffer, since another process may wait for the line.
func printLine(_ line: String) { writeText(line + "\n", to: STDOUT_FILENO) }

private func writeText(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
    }
}

/// Returns whether standard output is a terminal, and not a file or a pipe.
func isOutputTerminal() -> Bool { isatty(STDOUT_FILENO) == 1 }
