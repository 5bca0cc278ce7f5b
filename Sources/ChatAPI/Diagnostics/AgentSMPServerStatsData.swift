/// Counts of operations at SMP servers since the statistics began.
package struct AgentSMPServerStatsData: Codable, Hashable, Sendable {
    package var _sentDirect: Int
    package var _sentViaProxy: Int
    package var _sentProxied: Int
    package var _sentDirectAttempts: Int
    package var _sentViaProxyAttempts: Int
    package var _sentProxiedAttempts: Int
    package var _sentAuthErrs: Int
    package var _sentQuotaErrs: Int
    package var _sentExpiredErrs: Int
    package var _sentOtherErrs: Int
    package var _recvMsgs: Int
    package var _recvDuplicates: Int
    package var _recvCryptoErrs: Int
    package var _recvErrs: Int
    package var _ackMsgs: Int
    package var _ackAttempts: Int
    package var _ackNoMsgErrs: Int
    package var _ackOtherErrs: Int
    package var _connCreated: Int
    package var _connSecured: Int
    package var _connCompleted: Int
    package var _connDeleted: Int
    package var _connDelAttempts: Int
    package var _connDelErrs: Int
    package var _connSubscribed: Int
    package var _connSubAttempts: Int
    package var _connSubIgnored: Int
    package var _connSubErrs: Int
    package var _ntfKey: Int
    package var _ntfKeyAttempts: Int
    package var _ntfKeyDeleted: Int
    package var _ntfKeyDeleteAttempts: Int

    package init(
        _sentDirect: Int,
        _sentViaProxy: Int,
        _sentProxied: Int,
        _sentDirectAttempts: Int,
        _sentViaProxyAttempts: Int,
        _sentProxiedAttempts: Int,
        _sentAuthErrs: Int,
        _sentQuotaErrs: Int,
        _sentExpiredErrs: Int,
        _sentOtherErrs: Int,
        _recvMsgs: Int,
        _recvDuplicates: Int,
        _recvCryptoErrs: Int,
        _recvErrs: Int,
        _ackMsgs: Int,
        _ackAttempts: Int,
        _ackNoMsgErrs: Int,
        _ackOtherErrs: Int,
        _connCreated: Int,
        _connSecured: Int,
        _connCompleted: Int,
        _connDeleted: Int,
        _connDelAttempts: Int,
        _connDelErrs: Int,
        _connSubscribed: Int,
        _connSubAttempts: Int,
        _connSubIgnored: Int,
        _connSubErrs: Int,
        _ntfKey: Int,
        _ntfKeyAttempts: Int,
        _ntfKeyDeleted: Int,
        _ntfKeyDeleteAttempts: Int
    ) {
        self._sentDirect = _sentDirect
        self._sentViaProxy = _sentViaProxy
        self._sentProxied = _sentProxied
        self._sentDirectAttempts = _sentDirectAttempts
        self._sentViaProxyAttempts = _sentViaProxyAttempts
        self._sentProxiedAttempts = _sentProxiedAttempts
        self._sentAuthErrs = _sentAuthErrs
        self._sentQuotaErrs = _sentQuotaErrs
        self._sentExpiredErrs = _sentExpiredErrs
        self._sentOtherErrs = _sentOtherErrs
        self._recvMsgs = _recvMsgs
        self._recvDuplicates = _recvDuplicates
        self._recvCryptoErrs = _recvCryptoErrs
        self._recvErrs = _recvErrs
        self._ackMsgs = _ackMsgs
        self._ackAttempts = _ackAttempts
        self._ackNoMsgErrs = _ackNoMsgErrs
        self._ackOtherErrs = _ackOtherErrs
        self._connCreated = _connCreated
        self._connSecured = _connSecured
        self._connCompleted = _connCompleted
        self._connDeleted = _connDeleted
        self._connDelAttempts = _connDelAttempts
        self._connDelErrs = _connDelErrs
        self._connSubscribed = _connSubscribed
        self._connSubAttempts = _connSubAttempts
        self._connSubIgnored = _connSubIgnored
        self._connSubErrs = _connSubErrs
        self._ntfKey = _ntfKey
        self._ntfKeyAttempts = _ntfKeyAttempts
        self._ntfKeyDeleted = _ntfKeyDeleted
        self._ntfKeyDeleteAttempts = _ntfKeyDeleteAttempts
    }
}
