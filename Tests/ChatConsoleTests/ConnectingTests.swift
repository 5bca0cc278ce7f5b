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
    func `The console connects through a link without a question if the plan of the link needs no confirmation`(
        plan: ConnectionPlan
    ) {
        #expect(plan.mayConnectWithoutAsking)
    }

    @Test(arguments: [
        ConnectionPlan.invitationLink(invitationLinkPlan: .connecting(contact_: nil)),
        .groupLink(groupLinkPlan: .connectingProhibit(groupInfo_: nil)),
        .groupLink(groupLinkPlan: .noRelays(groupSLinkData_: nil)),
        .groupLink(groupLinkPlan: .updateRequired(groupSLinkData_: nil)),
        .unrecognized(["type": "later"]),
    ])
    func `The console does not connect if the plan of a link shows a pending connection or a group without relays`(
        plan: ConnectionPlan
    ) {
        #expect(!plan.mayConnectWithoutAsking)
    }
}
