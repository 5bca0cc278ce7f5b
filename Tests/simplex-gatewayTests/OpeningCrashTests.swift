import Foundation
import JSON
import TestSupport
import Testing

@Suite("Crashes during the opening of a store", .socketTimeLimit, .faultTests) struct OpeningCrashTests {
    private static let endlessQuery = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    /// SQL that changes a store so that its opening never ends.
    private static let endlessOpening = """
        ALTER TABLE users RENAME TO former;
        CREATE VIEW users AS SELECT former.* FROM (\(endlessQuery)) AS c LEFT JOIN former ON 0 WHERE c.x < 0
        """

    /// Returns the states of the stores by their names.
    private func readStates(_ node: Node) async throws -> [String: String] {
        let stores = try await node.callForObject("GET", "/v1/stores")["stores"]?.arrayValue ?? []
        return Dictionary(
            stores.map { ($0["name"]?.stringValue ?? "", $0["state"]?.stringValue ?? "") },
            uniquingKeysWith: { $1 }
        )
    }

    @Test
    func `All stores are opened even if the process was killed several times right after its start`() async throws {
        try await Folder.withNewFolder { folder in
            let node = Node(folder: folder.path + "/data", ["--relay-port", "0"])
            _ = try await node.callForObject("POST", "/v1/stores", ["name": "other"])
            for _ in 0..<3 { await node.restart() }
            try await waitUntil("all stores are open") {
                try await readStates(node) == ["default": "unlocked", "other": "unlocked"]
            }
            await node.stop()
        }
    }

    @Test
    func `A store whose opening has crashed the process twice stays closed, and other stores are opened`() async throws
    {
        try await Folder.withNewFolder { folder in
            let data = folder.path + "/data"
            let node = Node(folder: data, ["--relay-port", "0"])
            _ = try await node.callForObject("POST", "/v1/stores", ["name": "good"])
            let bad = try #require(
                try await node.callForObject("POST", "/v1/stores", ["name": "bad"])["store"]?["storeId"]?.stringValue
            )
            await node.stop(SIGTERM)
            let place = "\(data)/stores/\(bad)"
            try await changeDatabase("chat", of: place, Self.endlessOpening)
            let again = Node(folder: data, ["--relay-port", "0"])
            for crashes in 1...2 {
                repeat {
                    try await waitUntil("the process has outlived the other openings") {
                        let stores = try FileManager.default.contentsOfDirectory(atPath: data + "/stores")
                        let openings = ["\(data)/openings"] + stores.map { "\(data)/stores/\($0)/openings" }
                        let isAlone = openings.filter(FileManager.default.fileExists) == ["\(place)/openings"]
                        return try await readStates(again)["bad"] == "unlocking" && isAlone
                    }
                    await again.restart(SIGABRT)
                    _ = try await again.waitUntilRunning()
                    // A kill may come before this opening is recorded. So the process is killed again until the file
                    // has one byte for each wanted crash.
                } while try Data(contentsOf: URL(filePath: place + "/openings")).count < crashes
            }
            try await waitUntil("the other stores are open") {
                try await readStates(again) == ["default": "unlocked", "good": "unlocked", "bad": "held"]
            }
            await again.stop()
        }
    }
}
