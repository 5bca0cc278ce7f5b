import ChatText
import Testing

@testable import ChatCore

@Suite struct UnusedFileNameTests {
    @Test
    func `If a file on the disk or an expected file already has a name, a new file with this name gets a number`()
        async throws
    {
        let alice = try await World().core("alice", started: false)
        try await alice.createUser("alice")
        try alice.writeFile("a.tar.gz", [1])
        let folder = alice.filesFolder
        let names = try await alice.controller.store.write { tx in
            var names = [
                try FileName.findUnusedName("a.tar.gz", in: folder, tx.db),
                try FileName.findUnusedName("b", in: folder, tx.db),
            ]
            try Uploads.add("a_1.tar.gz", user: 1, tx)
            names.append(try FileName.findUnusedName("a.tar.gz", in: folder, tx.db))
            for number in 1..<100 { try Uploads.add("a_\(number).tar.gz", user: 1, tx) }
            names.append(try FileName.findUnusedName("a.tar.gz", in: folder, tx.db))
            return names
        }
        #expect(names.prefix(3) == ["a_1.tar.gz", "b", "a_2.tar.gz"])
        #expect(names[3].hasPrefix("a_") && names[3].hasSuffix(".tar.gz") && names[3].count > 15)
        await alice.controller.close()
    }
}
