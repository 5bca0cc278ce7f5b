import Foundation
import SimpleXCrypto
import TestSupport
import Testing
import Transport

@Suite("Server credentials")
struct ServerCredentialsTests {
    @Test(arguments: SignatureAlgorithm.allCases)
    func `The stored identity of a server is loaded unchanged`(algorithm: SignatureAlgorithm) throws {
        try withFolder { folder in
            let made = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: algorithm)
            let loaded = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: algorithm)
            #expect(made.fingerprint == loaded.fingerprint)
            #expect(made.certificates == loaded.certificates)
            #expect(made.leafKey == loaded.leafKey)
            #expect(made.fingerprint == Digest.sha256(made.certificates[1]))
        }
    }

    @Test(arguments: ["ca.crt", "server.key", "server.crt", "ca.key", "fingerprint"])
    func `A malformed file of a server's identity is reported with its path`(file: String) throws {
        try withFolder { folder in
            #expect(ServerCredentials.findFaults(directory: folder) == [])
            _ = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: .ed25519)
            #expect(ServerCredentials.findFaults(directory: folder) == [])
            try "{".write(toFile: folder + "/" + file, atomically: true, encoding: .utf8)
            let faults = ServerCredentials.findFaults(directory: folder)
            #expect(faults.count == 1 && faults.first?.description.contains(folder + "/" + file) == true, "\(faults)")
        }
    }

    @Test
    func `The files of a server's identity are accessible to their owner only`() throws {
        try withFolder { folder in
            _ = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: .ed25519)
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let mode =
                    try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.posixPermissions] as? Int
                #expect(mode == 0o600, "\(name)")
            }
        }
    }

    @Test(arguments: ["ca.crt", "server.key", "server.crt"])
    func `A missing file of a server's identity causes an error`(file: String) throws {
        try withFolder { folder in
            _ = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: .ed25519)
            try FileManager.default.removeItem(atPath: folder + "/" + file)
            #expect(throws: CredentialsFileError.self) { try ServerCredentials.loadOrCreateIdentity(directory: folder) }
        }
    }

    @Test(arguments: 0...7)
    func `A server's identity whose creation was interrupted is loaded completely or created again`(step: Int) throws {
        try withFolder { folder in
            let files = FileManager.default
            let made = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: .ed25519)
            let names = try files.contentsOfDirectory(atPath: folder)
            // Step 0: two files are written. Step 1: all files are written. Later steps: all files are written, and
            // step - 2 of them are moved.
            let place = folder + (step < 2 ? "/new" : "/made")
            try files.createDirectory(atPath: place, withIntermediateDirectories: false)
            for (index, name) in names.enumerated() {
                if index < step - 2 { continue }
                if step == 0, index > 1 {
                    try files.removeItem(atPath: folder + "/" + name)
                } else {
                    try files.moveItem(atPath: folder + "/" + name, toPath: place + "/" + name)
                }
            }
            let loaded = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: .ed25519)
            #expect((loaded.fingerprint == made.fingerprint) == (step >= 2))
            #expect(try files.contentsOfDirectory(atPath: folder).sorted() == names.sorted())
        }
    }

    @Test
    func `Loading a certificate file that is not PEM fails as malformed`() throws {
        try withFolder { folder in
            _ = try ServerCredentials.loadOrCreateIdentity(directory: folder, algorithm: .ed25519)
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: folder + "/server.crt"))
            #expect(throws: CredentialsFileError.malformed(path: folder + "/server.crt")) {
                try ServerCredentials.loadIdentity(directory: folder)
            }
        }
    }

    @Test
    func `A server's leaf certificate that another authority signed is refused`() throws {
        let one = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        let other = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        #expect(throws: TLSError.self) {
            try ServerCredentials(leaf: one.certificates[0], authority: other.certificates[1], leafKey: one.leafKey)
        }
    }

    @Test(arguments: [(-9..<(-1), "certificate has expired"), (1..<9, "certificate is not yet valid")])
    func `A server's certificates are refused before and after their period of validity`(
        days: Range<Int32>,
        reason: String
    ) {
        #expect(throws: TLSError.invalidChain(reason)) {
            try ServerCredentials.generateCredentials(algorithm: .ed25519, validity: days)
        }
    }

    @Test
    func `A server's private key that does not belong to its leaf certificate is refused`() throws {
        let one = try ServerCredentials.generateCredentials(algorithm: .ed25519).credentials
        #expect(throws: TLSError.configuration("server key and certificate differ")) {
            try ServerCredentials(
                leaf: one.certificates[0],
                authority: one.certificates[1],
                leafKey: .ed25519(try Ed25519.PrivateKey())
            )
        }
    }
}
