import Concurrency
import SimpleXCrypto
import Synchronization
import Testing

@testable import SQLCipher

@Suite struct ReaderConnectionsTests {
    let folder: TemporaryFolder
    let file: DatabaseFile

    init() async throws {
        folder = try TemporaryFolder()
        let (path, key) = (folder.file("a.db"), DatabaseKey.raw([UInt8](repeating: 7, count: 32)))
        await (try Database.open(at: path, key: key)).close()
        file = try DatabaseFile(path: path, key: key, synchronous: .full)
    }

    /// Runs a job that runs another one on a second thread, and returns the connections of both.
    /// - Parameter waits: whether the first job ends after the second one.
    private func runTwoJobs(_ connections: ReaderConnections, waits: Bool) throws -> [ObjectIdentifier] {
        let used = Mutex<[ObjectIdentifier]>([]), secondEnd = Gate()
        let second = ReadJob(
            run: { connection in
                used.withLock { $0.append(ObjectIdentifier(connection)) }
                secondEnd.open()
            },
            reportFailure: { _ in secondEnd.open() }
        )
        let first = ReadJob(
            run: { [file] connection in
                used.withLock { $0.append(ObjectIdentifier(connection)) }
                BlockingThread.runOnThread { connections.runJob(second, file) }
                if waits { secondEnd.waitUntilOpen() }
            },
            reportFailure: { _ in secondEnd.open() }
        )
        connections.runJob(first, file)
        if !waits { secondEnd.waitUntilOpen() }
        return used.withLock { $0 }
    }

    @Test
    func `A read waits for the connection of a running read instead of opening a second connection`() throws {
        let used = try runTwoJobs(ReaderConnections(openingDelay: .seconds(600)), waits: false)
        #expect(used.count == 2 && used.first == used.last)
    }

    @Test
    func `A read gets a second connection if a running read keeps the first connection in use`() throws {
        let used = try runTwoJobs(ReaderConnections(openingDelay: .zero), waits: true)
        #expect(used.count == 2 && used.first != used.last)
    }

    @Test
    func `After the connections for reads were closed, the next read opens a connection`() throws {
        let connections = ReaderConnections(), rows = Mutex(0)
        let job = ReadJob(
            run: { connection in
                let count = (try? connection.query("SELECT 1").count) ?? 0
                rows.withLock { $0 += count }
            },
            reportFailure: { _ in }
        )
        connections.runJob(job, file)
        connections.withAllClosed { connections.closeFreeConnections() }
        connections.runJob(job, file)
        #expect(rows.withLock { $0 } == 2)
    }
}
