import Foundation
import TestSupport
import Testing

@testable import Files

@Suite("Write fence") struct WriteFenceTests {
    @Test
    func `Only the latest holder of a write fence can write`() throws {
        try withFolder { folder in
            let path = folder + "/fence"
            #expect(try WriteFence.readToken(at: path) == 0)
            let one = try WriteFence.claimFiles(path, token: 3) { true }
            #expect(try one.runIfValid { 7 } == 7)
            #expect(throws: WriteFence.Refusal.takenOver(by: 3)) { try WriteFence.claimFiles(path, token: 3) { true } }
            let two = try WriteFence.claimFiles(path, token: 4) { true }
            #expect(!one.isTakenOver)
            #expect(throws: WriteFence.Refusal.takenOver(by: 4)) {
                try one.runIfValid { Issue.record("The write was not refused.") }
            }
            #expect(one.isTakenOver)
            #expect(try two.runIfValid { 8 } == 8)
            #expect(try WriteFence.readToken(at: path) == 4)
        }
    }

    @Test
    func `A former holder of a write fence sees that it has a new holder by reading the fence file`() throws {
        try withFolder { folder in
            let one = try WriteFence.claimFiles(folder + "/fence", token: 3) { true }
            let copy = one
            one.checkTakeover()
            #expect(!one.isTakenOver)
            _ = try WriteFence.claimFiles(folder + "/fence", token: 4) { true }
            #expect(!one.isTakenOver)
            one.checkTakeover()
            #expect(one.isTakenOver && copy.isTakenOver)
        }
    }

    @Test
    func `A write after the deadline of its write fence is refused`() throws {
        try withFolder { folder in
            let fence = try WriteFence.claimFiles(folder + "/fence", token: 1) { false }
            #expect(throws: WriteFence.Refusal.timeExpired) {
                try fence.runIfValid { Issue.record("The write was not refused.") }
            }
        }
    }

    @Test
    func `A claim of a write fence is refused while the present holder writes`() throws {
        try withFolder { folder in
            let path = folder + "/fence"
            let one = try WriteFence.claimFiles(path, token: 1) { true }
            _ = try one.runIfValid {
                #expect(throws: WriteFence.Refusal.writeInProgress) {
                    try WriteFence.claimFiles(path, token: 2, patience: 40) { true }
                }
            }
            #expect(throws: Never.self) { try WriteFence.claimFiles(path, token: 2, patience: 40) { true } }
        }
    }

    @Test(arguments: ["", "1\n", "abc", String(repeating: "9", count: 20) + "\n", String(repeating: "0", count: 21)])
    func `A write is refused if the file of its write fence is missing or damaged`(_ content: String) throws {
        try withFolder { folder in
            let path = folder + "/fence"
            let fence = try WriteFence.claimFiles(path, token: 5) { true }
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            #expect(throws: (any Error).self) { try fence.runIfValid { Issue.record("The write was not refused.") } }
            if !content.isEmpty {
                #expect(throws: WriteFence.Refusal.fenceDamaged(path: path)) {
                    try WriteFence.claimFiles(path, token: 6) { true }
                }
            }
            try FileManager.default.removeItem(atPath: path)
            #expect(throws: (any Error).self) { try fence.runIfValid { Issue.record("The write was not refused.") } }
        }
    }
}
