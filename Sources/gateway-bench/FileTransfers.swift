import Foundation
import JSON
import NIOCore
import SimpleXCrypto

/// Measures the transfer of files from user 1 to user 2 over the embedded file relay. The rates are compared with the
/// costs of encryption and TLS on this machine at this hour.
func measureFiles(_ gateway: BenchedGateway, _ run: Measure.RunSettings, isQuick: Bool) async throws -> [Figure] {
    let baselineRate = try await measureBaselineRate(run, seconds: isQuick ? 1 : 3)
    let transfers = try BenchedFileTransfers(gateway)
    var figures = [
        Figure(name: "bare: secret box and SHA-256, then TLS there and back", value: baselineRate, unit: "MB/s")
    ]
    func addFigures(_ name: String, _ sizes: [Int]) async throws {
        let (up, down) = try await transfers.transferFiles(sizes)
        figures += [
            Figure(
                name: "\(name), up",
                value: up,
                unit: "MB/s",
                baseline: ("bare", baselineRate),
                target: .atLeast(0.5)
            ),
            Figure(
                name: "\(name), down",
                value: down,
                unit: "MB/s",
                baseline: ("bare", baselineRate),
                target: .atLeast(0.5)
            ),
        ]
    }
    try await addFigures(isQuick ? "a file of 10 MB" : "a file of 100 MB", [isQuick ? 10_000_000 : 100_000_000])
    try await addFigures(
        "ten files of \(isQuick ? 1 : 10) MB at once",
        Array(repeating: isQuick ? 1_000_000 : 10_000_000, count: 10)
    )
    let images = isQuick ? 50 : 1_000
    try await addFigures("\(images) images of 200 KB", Array(repeating: 200_000, count: images))
    try gateway.child.resetPeakResidentBytes()
    let residentBytesBefore = gateway.child.residentBytes
    let (up, down) = try await transfers.transferFiles([isQuick ? 100_000_000 : 1_000_000_000])
    figures += [
        Figure(name: "a file of \(isQuick ? "100 MB" : "1 GB"), up", value: up, unit: "MB/s"),
        Figure(name: "a file of \(isQuick ? "100 MB" : "1 GB"), down", value: down, unit: "MB/s"),
        Figure(
            name: "growth of resident memory meanwhile, at most",
            value: Double(gateway.child.peakResidentBytes - residentBytesBefore) / 1_048_576,
            unit: "MiB",
            target: .atMost(40)
        ),
    ]
    return figures
}

/// Returns the megabytes per second that one thread can encrypt, hash and exchange with an echo server over TLS. First
/// measures encryption together with hashing, then the exchange. The rate is computed from the two results.
private func measureBaselineRate(_ run: Measure.RunSettings, seconds: Int64) async throws -> Double {
    let part = RandomBytes.make(count: 1 << 20)
    let (box, hash) = (SecretBoxStream(key: SymmetricKey(), nonce: .random()), try IncrementalDigest(.sha256))
    let start = NIODeadline.now(), end = start + .seconds(seconds)
    var count = 0.0
    repeat {
        try hash.update(box.encrypt(part))
        count += 1
    } while NIODeadline.now() < end
    let cipherRate = count * 1.048576 * 1000 / millisecondsPassed(since: start)
    // Each counted pair exchanges two blocks of 16 KiB.
    let pairs = try await BlockEcho.measureRate(
        bench: run.bench,
        folder: run.folder,
        pairs: 8,
        seconds: seconds,
        group: run.group
    )
    let echoRate = pairs * 2 * 0.016384
    return 1 / (1 / cipherRate + 1 / echoRate)
}

private final class BenchedFileTransfers {
    private let gateway: BenchedGateway
    private let filesFolder: String
    private var fileCount = 0

    init(_ gateway: BenchedGateway) throws {
        self.gateway = gateway
        filesFolder = gateway.folder + "/files"
        try FileManager.default.createDirectory(atPath: filesFolder, withIntermediateDirectories: true)
    }

    /// Sends files of these sizes at the same time, and then receives them.
    /// - Returns: the megabytes per second until the last file is on the relay, and until the last file is received.
    func transferFiles(_ sizes: [Int]) async throws -> (up: Double, down: Double) {
        let names = try sizes.map { size in
            fileCount += 1
            let name = "file-\(fileCount).bin"
            try writeFile(size, filesFolder + "/" + name)
            return name
        }
        defer { for name in names { try? FileManager.default.removeItem(atPath: filesFolder + "/" + name) } }
        let megabytes = Double(sizes.reduce(0, +)) / 1e6
        try await gateway.reconnect()
        let cursor = try await gateway.readLatestCursor()
        var start = NIODeadline.now()
        for part in stride(from: 0, to: names.count, by: 100) {
            let messages = names[part..<min(part + 100, names.count)].map {
                #"{"fileSource":{"filePath":"\#($0)"},"msgContent":{"type":"file","text":""},"mentions":{}}"#
            }
            _ = try await gateway.sendRequest(
                "POST",
                "/v1/users/1/chats/direct/1/messages",
                #"{"composedMessages":[\#(messages.joined(separator: ","))]}"#
            )
        }
        var sent = 0
        try await gateway.followEvents(from: cursor) { entry in
            if entry["event"]?["type"] == "sndFileCompleteXFTP" { sent += 1 }
            return sent == names.count
        }
        let up = megabytes * 1000 / millisecondsPassed(since: start)
        var offered: [Int64] = []
        try await gateway.followEvents(from: cursor) { entry in
            guard entry["userId"] == 2, entry["event"]?["type"] == "newChatItems" else { return false }
            for item in entry["event"]?["chatItems"]?.arrayValue ?? [] {
                if let id = item["chatItem"]?["file"]?["fileId"]?.integerValue { offered.append(id) }
            }
            return offered.count >= names.count
        }
        try await gateway.reconnect()
        start = NIODeadline.now()
        try await gateway.postAll(offered.map { "/v1/users/2/files/\($0)/receive" }, "{}")
        var received = 0
        try await gateway.followEvents(from: cursor) { entry in
            if entry["event"]?["type"] == "rcvFileComplete" { received += 1 }
            return received == names.count
        }
        return (up, megabytes * 1000 / millisecondsPassed(since: start))
    }

    private func writeFile(_ size: Int, _ path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else {
            throw BenchedGateway.UnexpectedAnswer(request: path, status: 0, body: "cannot be written")
        }
        defer { try? file.close() }
        var left = size
        while left > 0 {
            let part = RandomBytes.make(count: min(left, 1 << 20))
            try file.write(contentsOf: part)
            left -= part.count
        }
    }
}
