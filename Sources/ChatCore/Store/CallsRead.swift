internal import ChatAPI

/// The calls that one read finds: unanswered invitations and active calls.
struct CallsRead: Sendable {
    var invitations: [RcvCallInvitation] = []
    var active: [ActiveCall] = []

    var response: ChatResponse { .callInvitations(callInvitations: invitations) }
}
