import Foundation

/// Runs shell commands that start servers or send commands to servers.
enum Shell {
    struct ShellFailure: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a command. A started server continues to run, so it must not inherit the open descriptors of this process.
    static func run(_ text: String) throws {
        let closing = "for f in /proc/self/fd/*; do n=${f##*/}; [ $n -le 2 ] || eval \"exec $n>&-\"; done; "
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] { texts.map { strdup($0) } + [nil] }
        let (words, variables) = (
            copies(["/bin/bash", "-c", closing + text]), copies(["LC_ALL=C", "PATH=/usr/bin:/bin"])
        )
        defer { for text in words + variables { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, "/bin/bash", &actions, nil, words, variables)
        guard code == 0 else {
            throw ShellFailure(description: "\(text.prefix(200)): \(String(cString: strerror(code)))")
        }
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 {
            guard errno == EINTR else { break }
        }
        guard status == 0 else { throw ShellFailure(description: "\(text.suffix(200)) has failed") }
    }
}
