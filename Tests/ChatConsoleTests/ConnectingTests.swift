import ChatAPI
import Testing

@testable import ChatConsole

@Suite struct ConnectingTests {
    @Test(arguments: [
        ConnectionPlan.invitationLink(invitationLinkPlan: .ownLink),
        .invitationLink(invitationLinkPlan: .ok(contactSLinkData_: nil, ownerVerification: nil)),
        .contactAddress(
            contactAddressPlan: .ok(contactSLinkData_: nil, ownerVerification: nil, verifiedDomain: nil)
        ),
        .contactAddress(contactAddressPlan: .connectingConfirmReconnect),
        .groupLink(
            groupLinkPlan: .ok(
                groupSLinkInfo_: nil,
                groupSLinkData_: nil,
                ownerVerification: nil,
                verifiedDomain: nil
            )
        ),
        .groupLink(groupLinkPlan: .connectingConfirmReconnect),
        .error(chatError: .error(errorType: .noActiveUser)),
    ])
    func `A link without a question to the user is connected at once`(plan: ConnectionPlan) {
        #expect(plan.mayConnectWithoutAsking)
    }

    @Test(arguments: [
        ConnectionPlan.invitationLink(invitationLinkPlan: .connecting(contact_: nil)),
        .groupLink(groupLinkPlan: .connectingProhibit(groupInfo_: nil)),
        .groupLink(groupLinkPlan: .noRelays(groupSLinkData_: nil)),
        .groupLink(groupLinkPlan: .updateRequired(groupSLinkData_: nil)),
        .unrecognized(["type": "later"]),
    ])
    func `A link of a waiting connection, or of a group without relays, is not connected`(plan: ConnectionPlan) {
        #expect(!plan.mayConnectWithoutAsking)
    }
}
