package import ChatAPI

/// The calls at one moment: unanswered invitations and active calls.
package struct CallsSnapshot: Sendable {
    package var invitations: [RcvCallInvitation] = []
    package var activeCalls: [ActiveCall] = []

    package init() {}

    package var response: ChatResponse { .callInvitations(callInvitations: invitations) }
}
