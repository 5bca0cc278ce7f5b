import CForeignData
import Files
import Glibc

/// Which program is started to read a foreign database.
public struct ReaderProgram: Sendable {
    /// Nil where none is found.
    let path: String?
    let arguments: [String]
    /// Milliseconds for which it may say nothing.
    let silence: Int32

    public init(path: String) { self.init(path, silence: ForeignLimits.silence) }

    /// The running program itself, whose arguments ``ForeignReader/isCalled(_:)`` looks at.
    public static let itself = ReaderProgram(path: "/proc/self/exe")

    /// A program beside the one that runs, or beside the library with this code.
    public static let beside: ReaderProgram = {
        let images = ["/proc/self/exe", sxgw_image_path().map { String(cString: $0) }].compactMap(\.self)
        let places = images.compactMap(FilePaths.real).map(FilePaths.folder).flatMap {
            ["\($0)/foreign-reader", "\($0)/simplex-gateway", "\($0)/../../bin/simplex-gateway"]
        }
        return ReaderProgram(places.first { access($0, X_OK) == 0 }, silence: ForeignLimits.silence)
    }()

    init(_ path: String?, arguments: [String] = [ForeignReader.argument], silence: Int32) {
        self.path = path
        self.arguments = arguments
        self.silence = silence
    }
}
