import Foundation
import SimpleXCrypto
import Testing

@testable import ForeignData
@testable import SQLCipher

/// Programs that replace the reader, and behave like a reader that a hostile file controls.
@Suite struct ReaderProcessTests {
    /// Returns the rows that were read, and the error that ended the reading.
    private func readOutcome(
        _ program: ReaderProgram,
        _ hostile: HostileDatabase
    ) throws -> (items: [ForeignItem], error: ForeignDataError?) {
        var rows = try ForeignRows(
            hostile.path,
            key: KeyMaterial(.none),
            [ForeignTable("a", ["b", "c"]), ForeignTable("d", ["e"])],
            program: program
        )
        var items: [ForeignItem] = []
        do throws(ForeignDataError) {
            while let item = try rows.readNextItem() { items.append(item) }
            return (items, nil)
        } catch { return (items, error) }
    }

    @Test(arguments: [
        // An unknown tag; a row before its table; an unwanted table; an unwanted column; the same column twice;
        // tables out of order.
        "z", "r\\0", "t\\5\\0\\0\\0", "t\\0\\0\\1\\0\\7\\0", "t\\0\\0\\2\\0\\0\\0\\0\\0",
        "t\\1\\0\\1\\0\\0\\0t\\0\\0\\1\\0\\0\\0", "t\\0\\0\\1\\0\\0\\0r\\11", "f\\77\\0\\0", "o\\377\\377",
    ])
    func `Malformed output of a reader process for foreign data is refused`(answer: String) async throws {
        let hostile = try await HostileDatabase()
        #expect(try readOutcome(hostile.makeScript("printf '\(answer)'"), hostile).error == .malformedOutput)
    }

    @Test
    func `Output of a reader process with too many unknown tables and triggers is refused`() async throws {
        let hostile = try await HostileDatabase()
        let loop = "i=0; while [ $i -le \(ForeignLimits.maxOtherObjects) ]; do printf 'o\\1\\0a'; i=$((i+1)); done"
        let program = try hostile.makeScript(loop)
        let answer = try readOutcome(program, hostile)
        #expect(answer.error == .malformedOutput && answer.items.count == ForeignLimits.maxOtherObjects)
    }

    @Test
    func `A value from a reader process whose declared size exceeds the limit is refused`() async throws {
        let hostile = try await HostileDatabase()
        let answer = try readOutcome(
            hostile.makeScript("printf 't\\0\\0\\1\\0\\0\\0r\\3\\377\\377\\377\\377'"),
            hostile
        )
        #expect(answer.error == .tooLarge("a row of a"))
    }

    @Test
    func `Rows from a reader process are read unchanged if the output arrives in pieces`() async throws {
        let hostile = try await HostileDatabase()
        let program = try hostile.makeScript(
            "printf 't\\0\\0\\2\\0\\0\\0\\1\\0r\\1\\377\\377\\377\\377\\377'; printf '\\377\\377\\377\\3\\2\\0\\0\\0h'; printf 'ie'"
        )
        let answer = try readOutcome(program, hostile)
        #expect(answer.items == [.table(0, columns: [0, 1]), .row([.integer(-1), .text(Array("hi".utf8))])])
        #expect(answer.error == nil)
    }

    @Test
    func `A reader process for foreign data that crashes, ends early or is silent causes an error`() async throws {
        let hostile = try await HostileDatabase()
        #expect(try readOutcome(hostile.makeScript("kill -SEGV $$"), hostile).error == .readerCrashed(signal: SIGSEGV))
        #expect(try readOutcome(hostile.makeScript("exit 3"), hostile).error == .readerSilent)
        #expect(try readOutcome(hostile.makeScript("exec sleep 600", silence: 50), hostile).error == .readerSilent)
        #expect(throws: ForeignDataError.self) { try readOutcome(ReaderProgram(path: "/nonexistent"), hostile) }
    }

    @Test
    func `A request that is larger than the socket does not wait for a reader process that has ended`() async throws {
        let hostile = try await HostileDatabase()
        let tables = (0..<16).map { _ in ForeignTable(String(repeating: "a", count: Int(UInt16.max)), []) }
        var rows = try ForeignRows(
            hostile.path,
            key: KeyMaterial(.none),
            tables,
            program: hostile.makeScript("exit 3")
        )
        var error: ForeignDataError?
        do throws(ForeignDataError) { _ = try rows.readNextItem() } catch let fault { error = fault }
        #expect(error == .readerSilent)
    }

    @Test
    func `Cancelling the reading of foreign data ends the reader process`() async throws {
        let hostile = try await HostileDatabase()
        let database = try hostile.makeForeignDatabase(hostile.makeScript("exec sleep 600"))
        #expect(throws: ForeignDataError.cancelled) { try database.readMigrations { cancel in cancel() } }
    }

    @Test
    func `A reader process for foreign data inherits no environment and no file descriptors`() async throws {
        let hostile = try await HostileDatabase()
        let program = try hostile.makeScript("(env; ls /proc/self/fd) > '\(hostile.folder.file("seen"))'; printf e")
        #expect(try readOutcome(program, hostile).error == nil)
        let seen = Set(
            try String(contentsOfFile: hostile.folder.file("seen"), encoding: .utf8).split(separator: "\n").map(
                String.init
            )
        )
        // The shell sets some variables itself. Descriptor 4 belongs to the command that lists the descriptors.
        #expect(
            seen.filter { !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") }.isSubset(of: [
                "SWIFT_BACKTRACE=enable=no", "OLDPWD=", "SHLVL=1", "0", "1", "2", "3", "4", "10",
            ])
        )
    }
}
