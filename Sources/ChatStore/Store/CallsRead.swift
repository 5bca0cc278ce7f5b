package import ChatAPI

/// The calls that one read finds: unanswered invitations and active calls.
package struct CallsRead: Sendable {
    package var invitations: [RcvCallInvitation] = []
    package var active: [ActiveCall] = []

    package init() {}

    package var response: ChatResponse { .callInvitations(callInvitations: invitations) }
}
