import CForeignData
import Files
import Glibc

/// The program that runs as the reader process (``ForeignReader``).
package struct ReaderProgram: Sendable {
    /// The path of the program; nil when it is not found.
    let path: String?
    let arguments: [String]
    /// Milliseconds without output after which the reader counts as failed.
    let maxSilenceMilliseconds: Int32

    package init(path: String) { self.init(path, silence: ForeignLimits.maxSilenceMilliseconds) }

    /// The running program itself, which becomes the reader if ``ForeignReader/isReaderCommand(_:)`` accepts its
    /// arguments.
    package static let runningProgram = ReaderProgram(path: "/proc/self/exe")

    /// The reader program that was found in the folder of the running program, or in the folder of the library that
    /// contains this code.
    package static let installedProgram: ReaderProgram = {
        let images = ["/proc/self/exe", sxgw_image_path().map { String(cString: $0) }].compactMap(\.self)
        let places = images.compactMap(FilePaths.realPath).map(FilePaths.parentFolder).flatMap {
            ["\($0)/foreign-reader", "\($0)/simplex-gateway", "\($0)/../../bin/simplex-gateway"]
        }
        return ReaderProgram(places.first { access($0, X_OK) == 0 }, silence: ForeignLimits.maxSilenceMilliseconds)
    }()

    init(_ path: String?, arguments: [String] = [ForeignReader.readerArgument], silence: Int32) {
        self.path = path
        self.arguments = arguments
        self.maxSilenceMilliseconds = silence
    }
}
