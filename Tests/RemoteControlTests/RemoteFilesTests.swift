import JSON
import Testing

@testable import RemoteControl

@Suite struct RemoteFilesTests {
    @Test
    func `The number of known files of a remote host is limited`() {
        let files = RemoteFiles()
        for id in 1...5000 {
            files.recordFiles([
                "user": ["userId": 1],
                "item": [
                    "chatDir": ["type": "directRcv"],
                    "file": ["fileId": .integer(Int64(id)), "fileSource": ["filePath": "a"], "fileName": "b"],
                ],
            ])
        }
        #expect(
            files.findFile(1, user: 1) == nil && files.findFile(5000, user: 1)?.name == "b"
                && files.findFile(5000, user: 2) == nil
        )
        #expect((1...5000).count { files.findFile(Int64($0), user: 1) != nil } <= 4096)
    }
}
