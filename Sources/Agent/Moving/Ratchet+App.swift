import JSON
import SMP
import SimpleXCrypto

/// The ratchet in the form of the official apps: JSON with keys in base64.
extension Ratchet {
    init(app bytes: [UInt8]) throws {
        let json = AppRatchetFields(try JSONValue(parsing: bytes))
        let versions = try json.readVersions()
        self.init(
            versions: versions,
            associatedData: try json.readBytes("rcAD"),
            dhSelf: try X448.PrivateKey(pkcs8: json.decodePrivateKey("rcDHRs")),
            postQuantum: PostQuantum(
                isSupported: json.readFlag("rcSupportKEM"),
                isEnabled: json.readFlag("rcEnableKEM"),
                isSending: json.readFlag("rcSndKEM"),
                isReceiving: json.readFlag("rcRcvKEM")
            ),
            rootKey: try json.readSecret("rcRK"),
            nextSndHeaderKey: try json.readKey("rcNHKs"),
            nextRcvHeaderKey: try json.readKey("rcNHKr")
        )
        kem = try json.readObject("rcKEM").map(RatchetKEM.init(app:))
        sendingChain = try json.readObject("rcSnd").map {
            SendingChain(
                peerDH: try X448.PublicKey(spki: $0.readBytes("rcDHRr")),
                chainKey: try $0.readSecret("rcCKs"),
                headerKey: try $0.readKey("rcHKs")
            )
        }
        receivingChain = try json.readObject("rcRcv").map {
            ReceivingChain(chainKey: try $0.readSecret("rcCKr"), headerKey: try $0.readKey("rcHKr"))
        }
        ns = try json.readNumber("rcNs")
        nr = try json.readNumber("rcNr")
        pn = try json.readNumber("rcPN")
    }

    func makeAppJSON() -> JSONValue {
        [
            "rcVersion": [.integer(Int64(versions.current.number)), .integer(Int64(versions.maxSupported.number))],
            "rcAD": .base64Text(associatedData),
            // A private key is DER in base64, and this text is encoded in base64 once more.
            "rcDHRs": .base64Text(Array(Base64URL.encode(ownDHKey.pkcs8).utf8)),
            "rcKEM": kem?.makeAppJSON() ?? .null,
            "rcSupportKEM": .bool(postQuantum.isSupported), "rcEnableKEM": .bool(postQuantum.isEnabled),
            "rcSndKEM": .bool(postQuantum.isSending), "rcRcvKEM": .bool(postQuantum.isReceiving),
            "rcRK": .base64Text(rootKey.bytes),
            "rcSnd": sendingChain.map {
                [
                    "rcDHRr": .base64Text($0.peerDH.spki), "rcCKs": .base64Text($0.chainKey.bytes),
                    "rcHKs": .base64Text($0.headerKey.rawRepresentation),
                ]
            } ?? .null,
            "rcRcv": receivingChain.map {
                ["rcCKr": .base64Text($0.chainKey.bytes), "rcHKr": .base64Text($0.headerKey.rawRepresentation)]
            }
                ?? .null,
            "rcNs": .integer(Int64(ns)), "rcNr": .integer(Int64(nr)), "rcPN": .integer(Int64(pn)),
            "rcNHKs": .base64Text(nextSndHeaderKey.rawRepresentation),
            "rcNHKr": .base64Text(nextRcvHeaderKey.rawRepresentation),
        ]
    }
}

extension RatchetKEM {
    fileprivate init(app json: AppRatchetFields) throws {
        guard let pair = json.value["rcPQRs"]?.arrayValue, pair.count == 2, let secret = pair[1].stringValue else {
            throw RatchetError.unreadableStoredForm
        }
        ownKey = try SNTRUP761.PrivateKey(rawRepresentation: Base64URL.decode(secret))
        acceptedKEM = try json.readObject("rcKEMs").map {
            AcceptedKEM(
                peerKey: try SNTRUP761.PublicKey(rawRepresentation: $0.readBytes("rcPQRr")),
                sharedSecret: try $0.readSecret("rcPQRss"),
                ciphertext: try SNTRUP761.Ciphertext(rawRepresentation: $0.readBytes("rcPQRct"))
            )
        }
    }

    fileprivate func makeAppJSON() -> JSONValue {
        [
            "rcPQRs": [.base64Text(ownKey.publicKey.rawRepresentation), .base64Text(ownKey.rawRepresentation.bytes)],
            "rcKEMs": acceptedKEM.map {
                [
                    "rcPQRr": .base64Text($0.peerKey.rawRepresentation), "rcPQRss": .base64Text($0.sharedSecret.bytes),
                    "rcPQRct": .base64Text($0.ciphertext.rawRepresentation),
                ]
            } ?? .null,
        ]
    }
}

extension JSONValue {
    fileprivate static func base64Text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}

private struct AppRatchetFields {
    let value: JSONValue

    init(_ value: JSONValue) { self.value = value }

    func readObject(_ name: String) -> AppRatchetFields? {
        guard let value = value[name], value.objectValue != nil else { return nil }
        return AppRatchetFields(value)
    }

    func readBytes(_ name: String) throws -> [UInt8] {
        guard let text = value[name]?.stringValue else { throw RatchetError.unreadableStoredForm }
        return try Base64URL.decode(text)
    }

    /// Reads the DER of a private key, which is encoded in base64 twice.
    func decodePrivateKey(_ name: String) throws -> [UInt8] { try Base64URL.decode(readBytes(name)) }

    func readSecret(_ name: String) throws -> SecretBytes {
        let bytes = try readBytes(name)
        guard bytes.count == 32 else { throw RatchetError.unreadableStoredForm }
        return SecretBytes(bytes)
    }

    func readKey(_ name: String) throws -> SymmetricKey { try SymmetricKey(rawRepresentation: readBytes(name)) }

    func readFlag(_ name: String) -> Bool { value[name]?.boolValue ?? false }

    func readNumber(_ name: String) throws -> UInt32 {
        guard let number = value[name]?.integerValue.flatMap({ UInt32(exactly: $0) }) else {
            throw RatchetError.unreadableStoredForm
        }
        return number
    }

    func readVersions() throws -> RatchetVersions {
        let pair =
            value["rcVersion"]?.arrayValue ?? [
                value["rcVersion"]?["current"] ?? .null, value["rcVersion"]?["maxSupported"] ?? .null,
            ]
        let numbers = pair.compactMap { $0.integerValue.flatMap { UInt16(exactly: $0) } }
        guard numbers.count == 2 else { throw RatchetError.unreadableStoredForm }
        return RatchetVersions(current: E2EVersion(numbers[0]), maxSupported: E2EVersion(numbers[1]))
    }
}
