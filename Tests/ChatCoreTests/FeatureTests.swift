import ChatAPI
import Testing

@testable import ChatCore

@Suite struct FeatureTests {
    @Test(
        arguments: [
            (0, "0 sec"), (60, "1 min"), (3600, "1 hour"), (86400, "1 day"), (7 * 86400, "1 week"),
            (14 * 86400, "2 weeks"),
            (30 * 86400, "1 month"), (61 * 86400 + 7325, "2 months 1 day 2 hours 2 min 5 sec"),
        ] as [(Int64, String)]
    )
    func `A duration is shown in months, weeks, days, hours, minutes and seconds`(seconds: Int64, text: String) {
        #expect(ContactFeature.durationText(seconds) == text)
    }

    @Test
    func `The preferences of user and contact together decide for which side a feature is enabled`() {
        func enabled(_ user: FeatureAllowed, _ contact: FeatureAllowed) -> [Bool] {
            let both = EnabledSides(user: user, contact: contact, asymmetric: true)
            return [both.isEnabledForUser, both.isEnabledForContact]
        }
        #expect(enabled(.yes, .yes) == [true, true])
        #expect(enabled(.always, .no) == [false, true])
        #expect(enabled(.no, .always) == [true, false])
        #expect(enabled(.yes, .no) == [false, false])
        #expect(EnabledSides(user: .always, contact: .no, asymmetric: false).isEnabledForContact == false)
    }
}
