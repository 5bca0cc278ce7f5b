import ChatAPI
import Testing

@testable import ChatConsole

@Suite struct GroupProfileTests {
    @Test
    func `A group created in the console allows direct messages and shows the last messages to new members`() {
        let profile = GroupProfile.makeForTerminal(name: "team", shortDescr: "the best")
        #expect(profile.displayName == "team" && profile.fullName.isEmpty && profile.shortDescr == "the best")
        #expect(profile.groupPreferences?.directMessages?.enable == .on)
        #expect(profile.groupPreferences?.history?.enable == .on)
        #expect(profile.groupPreferences?.voice == nil)
    }
}
