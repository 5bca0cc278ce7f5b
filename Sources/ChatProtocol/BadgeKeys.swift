package import SimpleXCrypto
import Synchronization

/// The public keys of the issuers of badges, by key number. A badge is a signed mark of a supporter in a profile.
package final class BadgeKeys: Sendable {
    /// The keys of the badge issuers of the public SimpleX network, as in the original.
    package static let publicNetwork = BadgeKeys([
        1: """
        mW_5Zp1wHnXDF56wOZwFcRjGrf0GLLsfyymIQDqYoWfjfvS7oQWSfi7hH65N8JhuE9x8wbKXHidnQLO4GnOSMP_bRKUMH1qIzv5SQKFHNM8G\
        4PaWcTcri8iZLc-3xhSI
        """,
        2: """
        odGCB7uVDXTURsHgSvSciByV4Q3-3ZvEB8myDsDJqm-PwOYc5-At36uc7n_pyUDxEQEHr9i4RJgFih2FSArPW-EQBXNPNf4wTtA0znn74qLE\
        Gc4fh9pVYPEIm_ZGbnsJ
        """,
        3: """
        txkT2003WMjc43KvYvPKEcR970NLmw5UZY51eUqgk91sgp53idt1HTlKYvnrEttJDFMlctYf1-bpri0e9DhBQ-xk1J4WoLN2uif_1OcA1pGC\
        obpk9lwtsq1Idek4biy0
        """,
        4: """
        q_YzegihaLYrEm9z3cAghsfDGNZfXuEpQGMJERJQS4M0Szl4gvSC_fV_muKc3NIMA_8iYuBN8qyvb5U55RctCRn3kleFQ4sqf-WBgoydX6UV\
        o7BsYcUbXWWEFZXlOGIH
        """,
        5: """
        oqymHASH_okefShrnz4HnTooUNlE1WoDRnSrgd0bTCpOacgJWBsMpwZpdmYlX-vQAKAC_zmI4VdKoOznnhW-sdUXZw6bthCi5JYjGxCR1Co2\
        7i1tix5UXCTbR5Jp901-
        """,
        6: """
        kDqaB6zKSRp_97QPFj5JPDlo0vzfSTLSp9goFx1qajv4q4H6dR6BbkmWZ4xx_9Q2AxmcpqcV0ethz1OH-Jk_Sz2J1mIz1PUVM9LkdLhi_PNt\
        qhezzO5dbVs-HJ1fNqe6
        """,
        7: """
        rl36D5mg2N3NmmEybxE_RBeU9YZ_zeXNPfp7ZMLtUEuf2Mo4OQM_Up1v5rX_IqICD-AIJcuyptEBsELx_PJQzpmiNuG5I4cWO6HkRKtc6fVF\
        vgZMrDJjaascPd1CIyxX
        """,
        8: """
        joM3Bnt7JPt5JiwQwERHGjro2iVZ0mPD_clUh4hzkhxvbjuFrWuTmfSNA8PWBqGKEGNl13aRi1pMf6yY14E27c5C71JxWm7T-rZaBrGPEUWi\
        fhD-qidWuf3PU7KJCCWd
        """,
    ])

    private let encodedKeys: [Int: String]
    /// The keys that were decoded before, by key number. They are kept, because decoding a key takes milliseconds.
    private let parsedKeys = Mutex<[Int: BBS.PublicKey]>([:])

    /// Makes a set of keys.
    /// - Parameter texts: the keys in base64url, by key number.
    package init(_ texts: [Int: String]) { self.encodedKeys = texts }

    /// Returns the key with this number; nil for an unknown number.
    package subscript(number: Int) -> BBS.PublicKey? {
        if let key = parsedKeys.withLock({ $0[number] }) { return key }
        guard let text = encodedKeys[number], let bytes = try? Base64URL.decode(text),
            let key = try? BBS.PublicKey(rawRepresentation: bytes)
        else { return nil }
        parsedKeys.withLock { $0[number] = key }
        return key
    }
}
