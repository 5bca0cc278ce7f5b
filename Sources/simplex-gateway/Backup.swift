import ArgumentParser
import Files
import JSON
import NIOPosix

/// `simplex-gateway backup`: a copy of the data folder of the gateway that runs.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Copy the data folder of the gateway that runs into a new folder.",
        discussion: "The copy is a data folder: `simplex-gateway serve --data FOLDER` starts with it. Never let both run: contacts would stop to understand one of them.")

    @OptionGroup var client: ClientOptions
    @Argument(help: "The folder of the copy, on the machine of the gateway. There must be nothing yet.")
    var folder: String

    func run() async throws {
        try await exiting {
            try await client.withGateway(Settings()) { gateway in
                let made = try await gateway.call(.POST, "/v1/backup", ["folder": .string(FilePaths.absolute(folder))], within: .hours(12))
                standardOutput("\(made["files"]?.integerValue ?? 0) files, \(made["bytes"]?.integerValue ?? 0) bytes")
            }
        }
    }
}
