import SMP
import SimpleXCrypto
import TestSupport
import Testing

@testable import Agent

/// Behaviour that the recorded conversations do not contain: declined KEM offers and hostile bytes.
@Suite struct RatchetBehaviourTests {
    /// Returns a message of `sender` whose header has `kem`, as a peer with post-quantum encryption sends it.
    private func encryptMessage(
        from sender: inout Ratchet,
        kem: RatchetKEMParams,
        _ plaintext: [UInt8]
    ) throws -> [UInt8] {
        let chain = try #require(sender.sendingChain)
        let step = try RatchetKDF.deriveMessageKeys(chain.chainKey)
        let header = MessageHeader(
            maxVersion: .current,
            dh: sender.ownDHKey.publicKey,
            kem: kem,
            pn: sender.pn,
            ns: sender.ns
        )
        let box = try AES256GCM.seal(
            key: chain.headerKey,
            iv: step.headerIV,
            associatedData: sender.associatedData,
            message: header.encoded(version: .pqRatchet),
            paddedTo: MessageHeader.paddedSize(version: .pqRatchet, pqSupported: true)
        )
        let encrypted = try EncryptedHeader(version: .pqRatchet, iv: step.headerIV, box: box).encoded()
        _ = try sender.takeEncryptionKey()
        return try MessageEncryptionKey(
            version: .pqRatchet,
            key: step.message,
            associatedData: sender.associatedData,
            header: encrypted
        ).sealBody(plaintext, paddedLength: 100)
    }

    @Test
    func `A ratchet without KEM keys reads a message that offers a KEM, and declines the KEM in its answer`() throws {
        var (inviter, joiner) = try makeRatchetPair()
        let offer = RatchetKEMParams.proposed(publicKey: Array(repeating: 7, count: 1158))
        let received = try inviter.decrypt(encryptMessage(from: &joiner, kem: offer, [1, 2, 3]))
        #expect(received.plaintext == .success([1, 2, 3]))
        #expect(inviter.postQuantum == Ratchet.PostQuantum())
        let answer = try inviter.encrypt([4], paddedLength: 100)
        #expect(answer.count == 2 + 124 + 16 + 100)
        #expect(try joiner.decrypt(answer).plaintext == .success([4]))
    }

    @Test
    func `A ratchet message that accepts a KEM without an offer is refused, and the ratchet stays unchanged`() throws {
        var (inviter, joiner) = try makeRatchetPair()
        let before = inviter
        let accepted = RatchetKEMParams.accepted(ciphertext: [1], publicKey: [2])
        let bytes = try encryptMessage(from: &joiner, kem: accepted, [1])
        #expect(throws: RatchetError.unexpectedKEM) { try inviter.decrypt(bytes) }
        #expect(inviter == before)
        let keys = try E2EPrivateKeys()
        var params = try E2EPrivateKeys().makeParameters(version: .current)
        params.kem = accepted
        #expect(throws: RatchetError.unexpectedKEM) { try Ratchet(accepting: params, keys: keys) }
        params.kem = .proposed(publicKey: [1])
        #expect(throws: Never.self) { try Ratchet(accepting: params, keys: keys) }
    }

    @Test(arguments: [E2EVersion.x3dhKDF, .pqRatchet])
    func `Both sides of a ratchet that begins with version 2 or 3 reach version 3`(version: E2EVersion) throws {
        var (inviter, joiner) = try makeRatchetPair(version: version)
        for turn in 0..<3 {
            let there = try joiner.encrypt([UInt8(turn)], paddedLength: 64)
            #expect(try inviter.decrypt(there).plaintext == .success([UInt8(turn)]))
            let back = try inviter.encrypt([UInt8(turn)], paddedLength: 64)
            #expect(try joiner.decrypt(back).plaintext == .success([UInt8(turn)]))
        }
        #expect(inviter.versions.current == .pqRatchet && joiner.versions.current == .pqRatchet)
    }

    @Test(arguments: [E2EVersion.x3dhKDF, .pqRatchet])
    func `A genuine ratchet message is still read after changed and truncated messages were refused`(
        version: E2EVersion
    ) throws {
        var (inviter, joiner) = try makeRatchetPair(version: version)
        let first = try joiner.encrypt([1], paddedLength: 64)
        _ = try inviter.decrypt(first)
        let second = try joiner.encrypt([2], paddedLength: 64)
        var random = SeededRandom(seed: 2)
        for at in second.indices {
            var changed = second
            changed[at] ^= UInt8.random(in: 1...255, using: &random)
            var victim = inviter
            let outcome = Result { try victim.decrypt(changed) }
            switch outcome {
            // The header was accepted: the change was in the body, or in the version, which only the tag of the body
            // protects.
            case .success(let outcome): #expect(outcome.plaintext == .failure(.crypto(.authenticationFailed)))
            case .failure: #expect(victim == inviter)
            }
        }
        for count in 0..<second.count {
            var victim = inviter
            #expect((try? victim.decrypt(Array(second.prefix(count))).plaintext.get()) == nil)
        }
        for hostile in makeMutations(of: second, count: 500) where hostile != second {
            var victim = inviter
            #expect((try? victim.decrypt(hostile).plaintext.get()) == nil)
        }
        #expect(try inviter.decrypt(second).plaintext == .success([2]))
    }

    @Test
    func `Changed bytes of a stored ratchet do not crash the parser, and truncated bytes are refused`() throws {
        let stored = try makeRatchetPair().joiner.storedForm
        for hostile in makeMutations(of: stored, count: 500) { _ = try? Ratchet(stored: hostile) }
        for count in stored.indices {
            #expect(throws: RatchetError.unreadableStoredForm) { try Ratchet(stored: Array(stored.prefix(count))) }
        }
    }

    @Test
    func `Changed bytes of ratchet parameters do not crash the parser`() throws {
        let binary = try E2EPrivateKeys().makeParameters().smpEncoded()
        for hostile in makeMutations(of: binary, count: 500) {
            _ = try? E2ERatchetParamsURI(smpEncoded: hostile)
            _ = try? E2ERatchetParams(smpEncoded: hostile)
        }
        let text = Array(try E2EPrivateKeys().makeParameters().str.utf8)
        for hostile in makeMutations(of: text, count: 500) {
            _ = try? E2ERatchetParamsURI(parsing: String(decoding: hostile, as: UTF8.self))
        }
    }
}
