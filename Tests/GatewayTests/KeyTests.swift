import ChatCore
import Files
import Foundation
import JSON
import SimpleXCrypto
import Synchronization
import TestSupport
import Testing

@testable import Gateway

@Suite("API keys and their file")
struct KeyTests {
    @Test
    func `A new key is valid immediately, before the gateway has noticed the change of the key file`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = KeyFile(folder: folder.path)
        let ring = try KeyRing(file: file)
        #expect(ring.findPrincipal(for: APIKey.random().text) == nil)
        for name in ["one", "two"] {
            let (key, record) = try file.addKey(name: name, scopes: .read)
            #expect(ring.findPrincipal(for: key.text)?.keyID == record.id)
        }
    }

    @Test
    func `While the disk does not answer, only one reading of the key files runs, and the next begins afterwards`()
        async throws
    {
        let (reading, answer) = (BoundedReading(maxWait: .milliseconds(1)), DispatchSemaphore(value: 0))
        let startedCount = Mutex(0)
        let laterCount = Mutex(0)
        for _ in 0..<3 {
            reading.runReading {
                startedCount.withLock { $0 += 1 }
                answer.wait()
            }
        }
        reading.runReading { laterCount.withLock { $0 += 1 } }
        try await waitUntil("the reading runs") { startedCount.withLock { $0 } == 1 }
        #expect(laterCount.withLock { $0 } == 0)
        answer.signal()
        try await waitUntil("another reading runs") {
            reading.runReading { laterCount.withLock { $0 += 1 } }
            return laterCount.withLock { $0 } > 0
        }
        #expect(startedCount.withLock { $0 } == 1)
    }

    @Test
    func `While the key file of a store is not loaded, the rights of the store's keys count as unknown, not as ended`()
        throws
    {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let ring = try KeyRing(file: KeyFile(folder: folder.path))
        guard case .unknown = ring.makeRightsLookup(of: "absent")("key") else {
            Issue.record("The rights are known")
            return
        }
        guard case .ended = ring.makeRightsLookup(of: nil)("key") else {
            Issue.record("The key has not ended")
            return
        }
    }

    @Test
    func `A key whose stored answers fill half of the key file gets 429, and another key can store answers`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = KeyFile(folder: folder.path)
        func answers(_ owner: String, _ numbers: Range<Int>) -> [JSONValue] {
            numbers.map { number in
                let request = Base64URL.encode(Array("\(number)".utf8), padding: false)
                return ["request": .string(request), "until": 9_999_999_999, "box": "AA", "owner": .string(owner)]
            }
        }
        func write(_ answers: [JSONValue]) throws {
            let content: JSONValue = ["keys": [], "answers": .array(answers)]
            try DiskFiles.replaceFile(file.path, with: content.encodeText())
        }
        let request = Array("other".utf8)
        try write(answers("a", 0..<KeyFile.maxAnswersPerKey))
        let problem = #expect(throws: ProblemDetails.self) { try file.findAnswerBox(of: request, for: "a") }
        #expect(problem?.code == .tooManyRequests)
        #expect(try file.findAnswerBox(of: request, for: "b") == nil)
        // A repeated request gets its stored answer, even if the key has no free place for another answer.
        #expect(try file.findAnswerBox(of: Array("0".utf8), for: "a") == [0])
        try write(
            answers("a", 0..<KeyFile.maxAnswersPerKey) + answers("b", KeyFile.maxAnswersPerKey..<KeyFile.maxAnswers)
        )
        #expect(throws: ProblemDetails.self) { try file.findAnswerBox(of: request, for: "c") }
    }

    @Test
    func `A new key of a second store is recognized as a key of the second store`() throws {
        let (first, other) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            first.remove()
            other.remove()
        }
        let (ring, file) = (try KeyRing(file: KeyFile(folder: first.path)), KeyFile(folder: other.path))
        try ring.addStore("other", file: file)
        let key = try file.addKey(name: "one", scopes: .read).key
        #expect(ring.findPrincipal(for: key.text)?.storeID == "other")
    }

    @Test
    func `If the change of key files was not noticed, revoked keys become invalid at the next reading of all files`()
        throws
    {
        let (first, other) = (try TemporaryFolder(), try TemporaryFolder())
        defer {
            first.remove()
            other.remove()
        }
        let (own, file) = (KeyFile(folder: first.path), KeyFile(folder: other.path))
        let ring = try KeyRing(file: own)
        try ring.addStore("other", file: file)
        let made = [try own.addKey(name: "one", scopes: .read), try file.addKey(name: "two", scopes: .read)]
        for (key, record) in made { #expect(ring.findPrincipal(for: key.text)?.keyID == record.id) }
        #expect(try own.revokeKey(id: made[0].record.id) && file.revokeKey(id: made[1].record.id))
        for (key, _) in made { #expect(ring.findPrincipal(for: key.text) != nil) }
        ring.reloadChangedFiles()
        for (key, _) in made { #expect(ring.findPrincipal(for: key.text) == nil) }
    }

    @Test
    func `While the key file is invalid, keys that were read before stay valid, and the fault is logged once`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let (file, recorder) = (KeyFile(folder: folder.path), LogRecorder())
        let key = try file.addKey(name: "one", scopes: .read).key
        let ring = try KeyRing(file: file, log: recorder.makeLogger())
        let good = try Data(contentsOf: URL(filePath: file.path))
        try Data("{".utf8).write(to: URL(filePath: file.path))
        for _ in 0..<3 { ring.reloadChangedFiles() }
        #expect(ring.findPrincipal(for: key.text) != nil)
        #expect(recorder.lines.map(\.fields) == [["error": "\(file.path) is not a list of keys"]])
        try good.write(to: URL(filePath: file.path))
        #expect(try file.revokeKey(id: #require(ring.findPrincipal(for: key.text)).keyID))
        ring.reloadChangedFiles()
        #expect(ring.findPrincipal(for: key.text) == nil && recorder.lines.count == 1)
    }

    @Test
    func `A rate limit of 20 per second allows one action every 50 ms after the first 20 actions`() {
        var allowance = RateLimit(perSecond: 20)
        func taken(_ tries: Int, at now: Int64) -> Int { (0..<tries).count { _ in allowance.takeCredit(at: now) } }
        #expect(taken(100, at: 5_000_000) == 20)
        #expect(taken(1, at: 5_049_999) == 0)
        #expect(taken(100, at: 5_050_000) == 1)
        #expect(taken(100, at: 500_000_000) == 20)
    }

    @Test
    func `The key file stays unchanged if the lock file cannot be opened`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let file = KeyFile(folder: folder.path)
        let (_, record) = try file.addKey(name: "one", scopes: .read)
        let before = try Data(contentsOf: URL(filePath: file.path))
        try FileManager.default.removeItem(atPath: file.path + ".lock")
        // A folder cannot be opened as a lock file, so each change of the keys fails.
        try FileManager.default.createDirectory(atPath: file.path + ".lock", withIntermediateDirectories: false)
        #expect(throws: KeyFileError.self) { try file.addKey(name: "two", scopes: .read) }
        #expect(throws: KeyFileError.self) { try file.revokeKey(id: record.id) }
        #expect(try Data(contentsOf: URL(filePath: file.path)) == before)
    }
}
