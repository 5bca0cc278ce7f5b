import ChatAPI

/// The Swift types of the catalogue's records, unions and enums, by the catalogue's names.
enum CatalogueTypes {
    /// Types that have another name in Swift.
    private static let renamed = ["ChatDatabaseError": "DatabaseError", "TextFormat": "Format"]

    static let all: [String: any (Codable & Sendable).Type] = Dictionary(
        list.map { type in
            let name = String(describing: type)
            return (renamed[name] ?? name, type)
        }, uniquingKeysWith: { first, _ in first })

    private static let list: [any (Codable & Sendable).Type] = [
        ACIReaction.self, AChat.self, AChatItem.self, AddRelayResult.self, AddressSettings.self, AgentCryptoError.self,
        AgentErrorType.self, AgentNtfServerStatsData.self, AgentSMPServerStatsData.self, AgentXFTPServerStatsData.self,
        AppFilePathsConfig.self, AppNotificationMode.self, AppPlatform.self, AppSettings.self, AppVersionRange.self, ArchiveConfig.self,
        ArchiveError.self, AutoAccept.self, BadgeInfo.self, BadgeProof.self, BadgeStatus.self, BadgeType.self, BlockingInfo.self,
        BlockingReason.self, BrokerErrorType.self, BusinessChatInfo.self, BusinessChatType.self, CICallStatus.self, CIContent.self,
        CIDeleteMode.self, CIDeleted.self, CIDirection.self, CIFile.self, CIFileStatus.self, CIForwardedFrom.self,
        CIGroupInvitation.self, CIGroupInvitationStatus.self, CIMention.self, CIMentionMember.self, CIMeta.self, CIQuote.self,
        CIReaction.self, CIReactionCount.self, CIStatus.self, CITimed.self, CallCapabilities.self, CallMedia.self, CallStateTag.self,
        CallType.self, ChatBotCommand.self, ChatError.self, ChatErrorType.self, ChatFeature.self, ChatInfo.self,
        ChatItem.self, ChatItemDeletion.self, ChatItemInfo.self, ChatItemVersion.self, ChatListQuery.self, ChatName.self,
        ChatPeerType.self, ChatRef.self, ChatSettings.self, ChatStats.self, ChatTag.self, ChatTagData.self,
        ChatType.self, ChatWallpaper.self, ChatWallpaperScale.self, ClientNotice.self, Color.self, CommandError.self,
        CommandErrorType.self, CommentsGroupPreference.self, ComposedMessage.self, ConditionsAcceptance.self, ConnMsgReq.self,
        ConnNetworkStatus.self, ConnStatus.self, ConnType.self, Connection.self, ConnectionEntity.self, ConnectionErrorType.self,
        ConnectionMode.self, ConnectionPlan.self, ConnectionStats.self, Contact.self, ContactAddressPlan.self, ContactShortLinkData.self,
        ContactStatus.self, ContactUserPref.self, ContactUserPreference.self, ContactUserPreferences.self, CoreVersionInfo.self,
        CreatedConnLink.self, CryptoFile.self, CryptoFileArgs.self, CtrlAppInfo.self, DBEncryptionConfig.self, DBMigrationResult.self,
        DarkColorScheme.self, DatabaseDiff.self, ChatDatabaseError.self, DeletedRcvQueue.self, DeviceToken.self, DroppedMsg.self,
        E2EInfo.self, ErrorType.self, FeatureAllowed.self, FileDescr.self, FileError.self, FileErrorType.self, FileInvitation.self,
        FileProtocol.self, FileStatus.self, FileTransfer.self, FileTransferMeta.self, FileType.self, TextFormat.self, FormattedText.self,
        ForwardConfirmation.self, FullGroupPreferences.self, FullPreferences.self, Group.self, GroupChatScope.self,
        GroupChatScopeInfo.self, GroupDirectInvitation.self, GroupFeature.self, GroupFeatureEnabled.self, GroupInfo.self, GroupKeys.self,
        GroupLink.self, GroupLinkOwner.self, GroupLinkPlan.self, GroupMember.self, GroupMemberAdmission.self, GroupMemberCategory.self,
        GroupMemberRef.self, GroupMemberRole.self, GroupMemberSettings.self, GroupMemberStatus.self, GroupPreference.self,
        GroupPreferences.self, GroupProfile.self, GroupRelay.self, GroupRootKey.self, GroupShortLinkData.self, GroupShortLinkInfo.self,
        GroupSndStatus.self, GroupSummary.self, GroupSupportChat.self, GroupType.self, HandshakeError.self, HelpSection.self,
        HostMode.self, InlineFileMode.self, InvitationLinkPlan.self, InvitedBy.self, KeepAliveOpts.self, LinkContent.self,
        LinkOwnerSig.self, LinkPreview.self, LocalBadge.self, LocalProfile.self, LockScreenCalls.self, MTRError.self,
        MemberCriteria.self, MemberDeliveryStatus.self, MemberReaction.self, MigrationError.self, MigrationFileLinkData.self,
        MigrationNetworkConfig.self, MsgChatLink.self, MsgContent.self, MsgContentTag.self, MsgDecryptError.self, MsgDirection.self,
        MsgErrorType.self, MsgFilter.self, MsgInfo.self, MsgMetaJSON.self, MsgReaction.self, MsgReceiptStatus.self, MsgSigStatus.self,
        MsgType.self, NameErrorType.self, NavigationInfo.self, NetworkConfig.self, NetworkError.self,
        NetworkProxy.self, NetworkProxyAuth.self, NetworkStatus.self, NetworkTimeout.self, NewUser.self, NoteFolder.self,
        NotificationPreviewMode.self, NotificationsMode.self, NtfConn.self, NtfMsgAckInfo.self, NtfMsgInfo.self, NtfServerSummary.self,
        NtfServersSummary.self, NtfTknStatus.self, NtfTotals.self, OperatorTag.self, OwnerVerification.self,
        ParsedMarkdown.self, ParsedServerAddress.self, ParsedUri.self, PendingContactConnection.self, PlanResolveMode.self,
        PrefEnabled.self, Preferences.self, PreparedContact.self, PreparedGroup.self, PresentedServersSummary.self, Profile.self,
        ProtocolTestFailure.self, ProtocolTestStep.self, ProxyClientError.self, ProxyError.self, PublicGroupAccess.self,
        PublicGroupData.self, PublicGroupProfile.self, PushProvider.self, QSub.self, QSubThread.self, QueueDirection.self,
        QueueInfo.self, QueueStatus.self, RCCtrlAddress.self, RCErrorType.self, RHKey.self, RatchetSyncProgress.self,
        RatchetSyncState.self, RcvCallInvitation.self, RcvConnEvent.self, RcvDirectEvent.self, RcvFileDescr.self, RcvFileStatus.self,
        RcvFileTransfer.self, RcvGroupEvent.self, RcvMsgError.self, RcvMsgInfo.self, RcvNtfMsgInfo.self, RcvQueueInfo.self,
        RcvSwitchStatus.self, RelayCapabilities.self, RelayConnectionResult.self, RelayProfile.self, RelayStatus.self,
        RelayTestFailure.self, RelayTestStep.self, RemoteCtrlError.self, RemoteCtrlInfo.self, RemoteCtrlSessionState.self,
        RemoteCtrlStopReason.self, RemoteFile.self, RemoteHostError.self, RemoteHostInfo.self, RemoteHostSessionState.self,
        RemoteHostStopReason.self, RemoteProtocolError.self, ReportReason.self, RoleGroupPreference.self, SMPAgentError.self,
        SMPProxyFallback.self, SMPProxyMode.self, SMPServerSubs.self, SMPServerSummary.self, SMPServersSummary.self, SMPTotals.self,
        SMPWebPortServers.self, SQLiteError.self, SecurityCode.self, ServerAddress.self, ServerOperator.self,
        ServerOperatorConditions.self, ServerProtocol.self, ServerQueueInfo.self, ServerRoles.self, ServerRolesOverride.self,
        ServerSessions.self, ServiceSubEvent.self, SimplePreference.self, SimplexDomain.self, SimplexDomainClaim.self,
        SimplexDomainError.self, SimplexDomainProof.self, SimplexLinkType.self, SimplexNameInfo.self, SimplexNameType.self,
        SimplexTLD.self, SlowQueryStats.self, SlowSQLQuery.self, SndCIStatusProgress.self, SndConnEvent.self, SndError.self,
        SndFileTransfer.self, SndGroupEvent.self, SndQueueInfo.self, SndSwitchStatus.self, SocksMode.self, SrvError.self,
        StoreError.self, SubscriptionStatus.self, SupportGroupPreference.self, SwitchPhase.self, SwitchProgress.self, TerminalEvent.self,
        ThemeColorScheme.self, TimedMessagesGroupPreference.self, TimedMessagesPreference.self, TransportError.self,
        TransportSessionMode.self, UIColorMode.self, UIColorScheme.self, UIColors.self, UITheme.self, UIThemeEntityOverride.self,
        UIThemeEntityOverrides.self, UpMigration.self, UpdatedMessage.self, UriInfo.self, UsageConditions.self,
        UsageConditionsAction.self, User.self, UserChatRelay.self, UserContact.self, UserContactLink.self, UserContactRequest.self,
        UserInfo.self, UserMsgReceiptSettings.self, UserNetworkInfo.self, UserNetworkType.self, UserOperatorServers.self,
        UserProfileUpdateSummary.self, UserPwdHash.self, UserServer.self, UserServersError.self, UserServersWarning.self,
        VersionRange.self, WebRTCCallOffer.self, WebRTCCallStatus.self, WebRTCExtraInfo.self, WebRTCSession.self, WriteFileResult.self,
        XFTPErrorType.self, XFTPRcvFile.self, XFTPServerSummary.self, XFTPServersSummary.self, XFTPSndFile.self, XFTPTotals.self,
    ]
}
