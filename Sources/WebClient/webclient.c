#include "webclient.h"

// The web client is part of the executable, so that the program finds it wherever the program is installed. A test
// compares this list with the folder of the web client.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t calls_CallView_js[] = {
#embed "client/calls/CallView.js"
};
static const uint8_t calls_IncomingCallView_js[] = {
#embed "client/calls/IncomingCallView.js"
};
static const uint8_t calls_calls_js[] = {
#embed "client/calls/calls.js"
};
static const uint8_t calls_frames_js[] = {
#embed "client/calls/frames.js"
};
static const uint8_t chats_ChatInfoView_js[] = {
#embed "client/chats/ChatInfoView.js"
};
static const uint8_t chats_ChatListView_js[] = {
#embed "client/chats/ChatListView.js"
};
static const uint8_t chats_ChatPreviewView_js[] = {
#embed "client/chats/ChatPreviewView.js"
};
static const uint8_t chats_ChatView_js[] = {
#embed "client/chats/ChatView.js"
};
static const uint8_t chats_ConnectView_js[] = {
#embed "client/chats/ConnectView.js"
};
static const uint8_t chats_FoundMessages_js[] = {
#embed "client/chats/FoundMessages.js"
};
static const uint8_t chats_NewChatView_js[] = {
#embed "client/chats/NewChatView.js"
};
static const uint8_t chats_SearchView_js[] = {
#embed "client/chats/SearchView.js"
};
static const uint8_t chats_badgeLine_js[] = {
#embed "client/chats/badgeLine.js"
};
static const uint8_t chats_chatDetails_js[] = {
#embed "client/chats/chatDetails.js"
};
static const uint8_t chats_chatFiles_js[] = {
#embed "client/chats/chatFiles.js"
};
static const uint8_t chats_panel_js[] = {
#embed "client/chats/panel.js"
};
static const uint8_t chats_showLink_js[] = {
#embed "client/chats/showLink.js"
};
static const uint8_t composer_ComposeView_js[] = {
#embed "client/composer/ComposeView.js"
};
static const uint8_t composer_EmojiPicker_js[] = {
#embed "client/composer/EmojiPicker.js"
};
static const uint8_t composer_GroupMentionsView_js[] = {
#embed "client/composer/GroupMentionsView.js"
};
static const uint8_t composer_attaching_js[] = {
#embed "client/composer/attaching.js"
};
static const uint8_t composer_drop_js[] = {
#embed "client/composer/drop.js"
};
static const uint8_t composer_emojis_js[] = {
#embed "client/composer/emojis.js"
};
static const uint8_t composer_recorder_js[] = {
#embed "client/composer/recorder.js"
};
static const uint8_t composer_wav_js[] = {
#embed "client/composer/wav.js"
};
static const uint8_t elements_ProfileImage_js[] = {
#embed "client/elements/ProfileImage.js"
};
static const uint8_t elements_badges_js[] = {
#embed "client/elements/badges.js"
};
static const uint8_t elements_base_js[] = {
#embed "client/elements/base.js"
};
static const uint8_t elements_clipboard_js[] = {
#embed "client/elements/clipboard.js"
};
static const uint8_t elements_dialogs_js[] = {
#embed "client/elements/dialogs.js"
};
static const uint8_t elements_dom_js[] = {
#embed "client/elements/dom.js"
};
static const uint8_t elements_files_js[] = {
#embed "client/elements/files.js"
};
static const uint8_t elements_icons_js[] = {
#embed "client/elements/icons.js"
};
static const uint8_t elements_illustrations_js[] = {
#embed "client/elements/illustrations.js"
};
static const uint8_t elements_keyed_js[] = {
#embed "client/elements/keyed.js"
};
static const uint8_t elements_later_js[] = {
#embed "client/elements/later.js"
};
static const uint8_t elements_longPress_js[] = {
#embed "client/elements/longPress.js"
};
static const uint8_t elements_qrCode_js[] = {
#embed "client/elements/qrCode.js"
};
static const uint8_t elements_rows_js[] = {
#embed "client/elements/rows.js"
};
static const uint8_t elements_scan_js[] = {
#embed "client/elements/scan.js"
};
static const uint8_t groups_ChannelMembersView_js[] = {
#embed "client/groups/ChannelMembersView.js"
};
static const uint8_t groups_ChannelRelaysView_js[] = {
#embed "client/groups/ChannelRelaysView.js"
};
static const uint8_t groups_GroupChatInfoView_js[] = {
#embed "client/groups/GroupChatInfoView.js"
};
static const uint8_t groups_GroupLinkView_js[] = {
#embed "client/groups/GroupLinkView.js"
};
static const uint8_t groups_GroupMemberInfoView_js[] = {
#embed "client/groups/GroupMemberInfoView.js"
};
static const uint8_t groups_NewChannelView_js[] = {
#embed "client/groups/NewChannelView.js"
};
static const uint8_t groups_SecondaryView_js[] = {
#embed "client/groups/SecondaryView.js"
};
static const uint8_t groups_channelRelays_js[] = {
#embed "client/groups/channelRelays.js"
};
static const uint8_t icon_png[] = {
#embed "client/icon.png"
};
static const uint8_t icon_svg[] = {
#embed "client/icon.svg"
};
static const uint8_t icons_json[] = {
#embed "client/icons.json"
};
static const uint8_t index_html[] = {
#embed "client/index.html"
};
static const uint8_t items_AlbumView_js[] = {
#embed "client/items/AlbumView.js"
};
static const uint8_t items_AnimatedImageView_js[] = {
#embed "client/items/AnimatedImageView.js"
};
static const uint8_t items_CICallItemView_js[] = {
#embed "client/items/CICallItemView.js"
};
static const uint8_t items_CIChatFeatureView_js[] = {
#embed "client/items/CIChatFeatureView.js"
};
static const uint8_t items_CIEventView_js[] = {
#embed "client/items/CIEventView.js"
};
static const uint8_t items_CIFeaturePreferenceView_js[] = {
#embed "client/items/CIFeaturePreferenceView.js"
};
static const uint8_t items_CIFileView_js[] = {
#embed "client/items/CIFileView.js"
};
static const uint8_t items_CIGroupInvitationView_js[] = {
#embed "client/items/CIGroupInvitationView.js"
};
static const uint8_t items_CIImageView_js[] = {
#embed "client/items/CIImageView.js"
};
static const uint8_t items_CIInvalidJSONView_js[] = {
#embed "client/items/CIInvalidJSONView.js"
};
static const uint8_t items_CILinkView_js[] = {
#embed "client/items/CILinkView.js"
};
static const uint8_t items_CIMemberCreatedContactView_js[] = {
#embed "client/items/CIMemberCreatedContactView.js"
};
static const uint8_t items_CIMetaView_js[] = {
#embed "client/items/CIMetaView.js"
};
static const uint8_t items_CIRcvDecryptionError_js[] = {
#embed "client/items/CIRcvDecryptionError.js"
};
static const uint8_t items_CIUnknownItemView_js[] = {
#embed "client/items/CIUnknownItemView.js"
};
static const uint8_t items_CIVideoView_js[] = {
#embed "client/items/CIVideoView.js"
};
static const uint8_t items_CIVoiceView_js[] = {
#embed "client/items/CIVoiceView.js"
};
static const uint8_t items_ChatBannerView_js[] = {
#embed "client/items/ChatBannerView.js"
};
static const uint8_t items_ChatItemInfoView_js[] = {
#embed "client/items/ChatItemInfoView.js"
};
static const uint8_t items_ChatItemView_js[] = {
#embed "client/items/ChatItemView.js"
};
static const uint8_t items_ChatLinkView_js[] = {
#embed "client/items/ChatLinkView.js"
};
static const uint8_t items_DeletedItemView_js[] = {
#embed "client/items/DeletedItemView.js"
};
static const uint8_t items_EmojiItemView_js[] = {
#embed "client/items/EmojiItemView.js"
};
static const uint8_t items_ForwardView_js[] = {
#embed "client/items/ForwardView.js"
};
static const uint8_t items_FramedCIVoiceView_js[] = {
#embed "client/items/FramedCIVoiceView.js"
};
static const uint8_t items_FramedItemView_js[] = {
#embed "client/items/FramedItemView.js"
};
static const uint8_t items_FullScreenMediaView_js[] = {
#embed "client/items/FullScreenMediaView.js"
};
static const uint8_t items_ImageView_js[] = {
#embed "client/items/ImageView.js"
};
static const uint8_t items_IntegrityErrorItemView_js[] = {
#embed "client/items/IntegrityErrorItemView.js"
};
static const uint8_t items_MarkedDeletedItemView_js[] = {
#embed "client/items/MarkedDeletedItemView.js"
};
static const uint8_t items_MsgContentView_js[] = {
#embed "client/items/MsgContentView.js"
};
static const uint8_t items_QueuedItemView_js[] = {
#embed "client/items/QueuedItemView.js"
};
static const uint8_t items_QuoteView_js[] = {
#embed "client/items/QuoteView.js"
};
static const uint8_t items_eventTexts_js[] = {
#embed "client/items/eventTexts.js"
};
static const uint8_t items_itemMenu_js[] = {
#embed "client/items/itemMenu.js"
};
static const uint8_t items_link_js[] = {
#embed "client/items/link.js"
};
static const uint8_t items_unsent_js[] = {
#embed "client/items/unsent.js"
};
static const uint8_t main_js[] = {
#embed "client/main.js"
};
static const uint8_t manifest_webmanifest[] = {
#embed "client/manifest.webmanifest"
};
static const uint8_t mask_svg[] = {
#embed "client/mask.svg"
};
static const uint8_t model_api_js[] = {
#embed "client/model/api.js"
};
static const uint8_t model_app_js[] = {
#embed "client/model/app.js"
};
static const uint8_t model_browserName_js[] = {
#embed "client/model/browserName.js"
};
static const uint8_t model_browsers_js[] = {
#embed "client/model/browsers.js"
};
static const uint8_t model_changes_js[] = {
#embed "client/model/changes.js"
};
static const uint8_t model_chats_js[] = {
#embed "client/model/chats.js"
};
static const uint8_t model_documents_js[] = {
#embed "client/model/documents.js"
};
static const uint8_t model_drafts_js[] = {
#embed "client/model/drafts.js"
};
static const uint8_t model_follow_js[] = {
#embed "client/model/follow.js"
};
static const uint8_t model_found_js[] = {
#embed "client/model/found.js"
};
static const uint8_t model_known_js[] = {
#embed "client/model/known.js"
};
static const uint8_t model_linkCards_js[] = {
#embed "client/model/linkCards.js"
};
static const uint8_t model_links_js[] = {
#embed "client/model/links.js"
};
static const uint8_t model_lzstring_js[] = {
#embed "client/model/lzstring.js"
};
static const uint8_t model_names_js[] = {
#embed "client/model/names.js"
};
static const uint8_t model_news_js[] = {
#embed "client/model/news.js"
};
static const uint8_t model_outbox_js[] = {
#embed "client/model/outbox.js"
};
static const uint8_t model_patch_js[] = {
#embed "client/model/patch.js"
};
static const uint8_t model_pending_js[] = {
#embed "client/model/pending.js"
};
static const uint8_t model_pictureSize_js[] = {
#embed "client/model/pictureSize.js"
};
static const uint8_t model_pictures_js[] = {
#embed "client/model/pictures.js"
};
static const uint8_t model_preparing_js[] = {
#embed "client/model/preparing.js"
};
static const uint8_t model_presets_js[] = {
#embed "client/model/presets.js"
};
static const uint8_t model_press_js[] = {
#embed "client/model/press.js"
};
static const uint8_t model_problems_js[] = {
#embed "client/model/problems.js"
};
static const uint8_t model_push_js[] = {
#embed "client/model/push.js"
};
static const uint8_t model_requests_js[] = {
#embed "client/model/requests.js"
};
static const uint8_t model_runs_js[] = {
#embed "client/model/runs.js"
};
static const uint8_t model_scheduled_js[] = {
#embed "client/model/scheduled.js"
};
static const uint8_t model_shortcuts_js[] = {
#embed "client/model/shortcuts.js"
};
static const uint8_t model_sockets_js[] = {
#embed "client/model/sockets.js"
};
static const uint8_t model_storage_js[] = {
#embed "client/model/storage.js"
};
static const uint8_t model_texts_js[] = {
#embed "client/model/texts.js"
};
static const uint8_t model_time_js[] = {
#embed "client/model/time.js"
};
static const uint8_t model_vault_js[] = {
#embed "client/model/vault.js"
};
static const uint8_t model_waiting_js[] = {
#embed "client/model/waiting.js"
};
static const uint8_t model_words_js[] = {
#embed "client/model/words.js"
};
static const uint8_t planned_BroadcastsView_js[] = {
#embed "client/planned/BroadcastsView.js"
};
static const uint8_t planned_ScheduledView_js[] = {
#embed "client/planned/ScheduledView.js"
};
static const uint8_t settings_DatabaseView_js[] = {
#embed "client/settings/DatabaseView.js"
};
static const uint8_t settings_DevicesView_js[] = {
#embed "client/settings/DevicesView.js"
};
static const uint8_t settings_LinkDeviceView_js[] = {
#embed "client/settings/LinkDeviceView.js"
};
static const uint8_t settings_MigrationView_js[] = {
#embed "client/settings/MigrationView.js"
};
static const uint8_t settings_ServersView_js[] = {
#embed "client/settings/ServersView.js"
};
static const uint8_t settings_SettingsPages_js[] = {
#embed "client/settings/SettingsPages.js"
};
static const uint8_t settings_SettingsView_js[] = {
#embed "client/settings/SettingsView.js"
};
static const uint8_t settings_SignedInView_js[] = {
#embed "client/settings/SignedInView.js"
};
static const uint8_t settings_StorageView_js[] = {
#embed "client/settings/StorageView.js"
};
static const uint8_t settings_profileForms_js[] = {
#embed "client/settings/profileForms.js"
};
static const uint8_t settings_seldom_js[] = {
#embed "client/settings/seldom.js"
};
static const uint8_t shell_ProfilesView_js[] = {
#embed "client/shell/ProfilesView.js"
};
static const uint8_t shell_ShortcutsView_js[] = {
#embed "client/shell/ShortcutsView.js"
};
static const uint8_t shell_SignInView_js[] = {
#embed "client/shell/SignInView.js"
};
static const uint8_t shell_WallpaperView_js[] = {
#embed "client/shell/WallpaperView.js"
};
static const uint8_t shell_keys_js[] = {
#embed "client/shell/keys.js"
};
static const uint8_t shell_parts_js[] = {
#embed "client/shell/parts.js"
};
static const uint8_t shell_themes_js[] = {
#embed "client/shell/themes.js"
};
static const uint8_t shell_title_js[] = {
#embed "client/shell/title.js"
};
static const uint8_t shell_wallpapers_js[] = {
#embed "client/shell/wallpapers.js"
};
static const uint8_t style_css[] = {
#embed "client/style.css"
};
static const uint8_t words_ar_json[] = {
#embed "client/words/ar.json"
};
static const uint8_t words_badges_ar_json[] = {
#embed "client/words/badges.ar.json"
};
static const uint8_t words_badges_de_json[] = {
#embed "client/words/badges.de.json"
};
static const uint8_t words_badges_en_json[] = {
#embed "client/words/badges.en.json"
};
static const uint8_t words_badges_es_json[] = {
#embed "client/words/badges.es.json"
};
static const uint8_t words_badges_fr_json[] = {
#embed "client/words/badges.fr.json"
};
static const uint8_t words_badges_pt_json[] = {
#embed "client/words/badges.pt.json"
};
static const uint8_t words_badges_ru_json[] = {
#embed "client/words/badges.ru.json"
};
static const uint8_t words_calls_ar_json[] = {
#embed "client/words/calls.ar.json"
};
static const uint8_t words_calls_de_json[] = {
#embed "client/words/calls.de.json"
};
static const uint8_t words_calls_en_json[] = {
#embed "client/words/calls.en.json"
};
static const uint8_t words_calls_es_json[] = {
#embed "client/words/calls.es.json"
};
static const uint8_t words_calls_fr_json[] = {
#embed "client/words/calls.fr.json"
};
static const uint8_t words_calls_pt_json[] = {
#embed "client/words/calls.pt.json"
};
static const uint8_t words_calls_ru_json[] = {
#embed "client/words/calls.ru.json"
};
static const uint8_t words_chats_ar_json[] = {
#embed "client/words/chats.ar.json"
};
static const uint8_t words_chats_de_json[] = {
#embed "client/words/chats.de.json"
};
static const uint8_t words_chats_en_json[] = {
#embed "client/words/chats.en.json"
};
static const uint8_t words_chats_es_json[] = {
#embed "client/words/chats.es.json"
};
static const uint8_t words_chats_fr_json[] = {
#embed "client/words/chats.fr.json"
};
static const uint8_t words_chats_pt_json[] = {
#embed "client/words/chats.pt.json"
};
static const uint8_t words_chats_ru_json[] = {
#embed "client/words/chats.ru.json"
};
static const uint8_t words_de_json[] = {
#embed "client/words/de.json"
};
static const uint8_t words_devices_ar_json[] = {
#embed "client/words/devices.ar.json"
};
static const uint8_t words_devices_de_json[] = {
#embed "client/words/devices.de.json"
};
static const uint8_t words_devices_en_json[] = {
#embed "client/words/devices.en.json"
};
static const uint8_t words_devices_es_json[] = {
#embed "client/words/devices.es.json"
};
static const uint8_t words_devices_fr_json[] = {
#embed "client/words/devices.fr.json"
};
static const uint8_t words_devices_pt_json[] = {
#embed "client/words/devices.pt.json"
};
static const uint8_t words_devices_ru_json[] = {
#embed "client/words/devices.ru.json"
};
static const uint8_t words_en_json[] = {
#embed "client/words/en.json"
};
static const uint8_t words_es_json[] = {
#embed "client/words/es.json"
};
static const uint8_t words_events_ar_json[] = {
#embed "client/words/events.ar.json"
};
static const uint8_t words_events_de_json[] = {
#embed "client/words/events.de.json"
};
static const uint8_t words_events_en_json[] = {
#embed "client/words/events.en.json"
};
static const uint8_t words_events_es_json[] = {
#embed "client/words/events.es.json"
};
static const uint8_t words_events_fr_json[] = {
#embed "client/words/events.fr.json"
};
static const uint8_t words_events_pt_json[] = {
#embed "client/words/events.pt.json"
};
static const uint8_t words_events_ru_json[] = {
#embed "client/words/events.ru.json"
};
static const uint8_t words_fr_json[] = {
#embed "client/words/fr.json"
};
static const uint8_t words_migration_ar_json[] = {
#embed "client/words/migration.ar.json"
};
static const uint8_t words_migration_de_json[] = {
#embed "client/words/migration.de.json"
};
static const uint8_t words_migration_en_json[] = {
#embed "client/words/migration.en.json"
};
static const uint8_t words_migration_es_json[] = {
#embed "client/words/migration.es.json"
};
static const uint8_t words_migration_fr_json[] = {
#embed "client/words/migration.fr.json"
};
static const uint8_t words_migration_pt_json[] = {
#embed "client/words/migration.pt.json"
};
static const uint8_t words_migration_ru_json[] = {
#embed "client/words/migration.ru.json"
};
static const uint8_t words_pt_json[] = {
#embed "client/words/pt.json"
};
static const uint8_t words_ru_json[] = {
#embed "client/words/ru.json"
};
static const uint8_t words_settings_ar_json[] = {
#embed "client/words/settings.ar.json"
};
static const uint8_t words_settings_de_json[] = {
#embed "client/words/settings.de.json"
};
static const uint8_t words_settings_en_json[] = {
#embed "client/words/settings.en.json"
};
static const uint8_t words_settings_es_json[] = {
#embed "client/words/settings.es.json"
};
static const uint8_t words_settings_fr_json[] = {
#embed "client/words/settings.fr.json"
};
static const uint8_t words_settings_pt_json[] = {
#embed "client/words/settings.pt.json"
};
static const uint8_t words_settings_ru_json[] = {
#embed "client/words/settings.ru.json"
};
static const uint8_t words_wallpapers_ar_json[] = {
#embed "client/words/wallpapers.ar.json"
};
static const uint8_t words_wallpapers_de_json[] = {
#embed "client/words/wallpapers.de.json"
};
static const uint8_t words_wallpapers_en_json[] = {
#embed "client/words/wallpapers.en.json"
};
static const uint8_t words_wallpapers_es_json[] = {
#embed "client/words/wallpapers.es.json"
};
static const uint8_t words_wallpapers_fr_json[] = {
#embed "client/words/wallpapers.fr.json"
};
static const uint8_t words_wallpapers_pt_json[] = {
#embed "client/words/wallpapers.pt.json"
};
static const uint8_t words_wallpapers_ru_json[] = {
#embed "client/words/wallpapers.ru.json"
};
static const uint8_t worker_js[] = {
#embed "client/worker.js"
};

#define FILE_OF(array, name) {name, array, sizeof array}
static const struct sxgw_file files[] = {
    FILE_OF(calls_CallView_js, "calls/CallView.js"),
    FILE_OF(calls_IncomingCallView_js, "calls/IncomingCallView.js"),
    FILE_OF(calls_calls_js, "calls/calls.js"),
    FILE_OF(calls_frames_js, "calls/frames.js"),
    FILE_OF(chats_ChatInfoView_js, "chats/ChatInfoView.js"),
    FILE_OF(chats_ChatListView_js, "chats/ChatListView.js"),
    FILE_OF(chats_ChatPreviewView_js, "chats/ChatPreviewView.js"),
    FILE_OF(chats_ChatView_js, "chats/ChatView.js"),
    FILE_OF(chats_ConnectView_js, "chats/ConnectView.js"),
    FILE_OF(chats_FoundMessages_js, "chats/FoundMessages.js"),
    FILE_OF(chats_NewChatView_js, "chats/NewChatView.js"),
    FILE_OF(chats_SearchView_js, "chats/SearchView.js"),
    FILE_OF(chats_badgeLine_js, "chats/badgeLine.js"),
    FILE_OF(chats_chatDetails_js, "chats/chatDetails.js"),
    FILE_OF(chats_chatFiles_js, "chats/chatFiles.js"),
    FILE_OF(chats_panel_js, "chats/panel.js"),
    FILE_OF(chats_showLink_js, "chats/showLink.js"),
    FILE_OF(composer_ComposeView_js, "composer/ComposeView.js"),
    FILE_OF(composer_EmojiPicker_js, "composer/EmojiPicker.js"),
    FILE_OF(composer_GroupMentionsView_js, "composer/GroupMentionsView.js"),
    FILE_OF(composer_attaching_js, "composer/attaching.js"),
    FILE_OF(composer_drop_js, "composer/drop.js"),
    FILE_OF(composer_emojis_js, "composer/emojis.js"),
    FILE_OF(composer_recorder_js, "composer/recorder.js"),
    FILE_OF(composer_wav_js, "composer/wav.js"),
    FILE_OF(elements_ProfileImage_js, "elements/ProfileImage.js"),
    FILE_OF(elements_badges_js, "elements/badges.js"),
    FILE_OF(elements_base_js, "elements/base.js"),
    FILE_OF(elements_clipboard_js, "elements/clipboard.js"),
    FILE_OF(elements_dialogs_js, "elements/dialogs.js"),
    FILE_OF(elements_dom_js, "elements/dom.js"),
    FILE_OF(elements_files_js, "elements/files.js"),
    FILE_OF(elements_icons_js, "elements/icons.js"),
    FILE_OF(elements_illustrations_js, "elements/illustrations.js"),
    FILE_OF(elements_keyed_js, "elements/keyed.js"),
    FILE_OF(elements_later_js, "elements/later.js"),
    FILE_OF(elements_longPress_js, "elements/longPress.js"),
    FILE_OF(elements_qrCode_js, "elements/qrCode.js"),
    FILE_OF(elements_rows_js, "elements/rows.js"),
    FILE_OF(elements_scan_js, "elements/scan.js"),
    FILE_OF(groups_ChannelMembersView_js, "groups/ChannelMembersView.js"),
    FILE_OF(groups_ChannelRelaysView_js, "groups/ChannelRelaysView.js"),
    FILE_OF(groups_GroupChatInfoView_js, "groups/GroupChatInfoView.js"),
    FILE_OF(groups_GroupLinkView_js, "groups/GroupLinkView.js"),
    FILE_OF(groups_GroupMemberInfoView_js, "groups/GroupMemberInfoView.js"),
    FILE_OF(groups_NewChannelView_js, "groups/NewChannelView.js"),
    FILE_OF(groups_SecondaryView_js, "groups/SecondaryView.js"),
    FILE_OF(groups_channelRelays_js, "groups/channelRelays.js"),
    FILE_OF(icon_png, "icon.png"),
    FILE_OF(icon_svg, "icon.svg"),
    FILE_OF(icons_json, "icons.json"),
    FILE_OF(index_html, "index.html"),
    FILE_OF(items_AlbumView_js, "items/AlbumView.js"),
    FILE_OF(items_AnimatedImageView_js, "items/AnimatedImageView.js"),
    FILE_OF(items_CICallItemView_js, "items/CICallItemView.js"),
    FILE_OF(items_CIChatFeatureView_js, "items/CIChatFeatureView.js"),
    FILE_OF(items_CIEventView_js, "items/CIEventView.js"),
    FILE_OF(items_CIFeaturePreferenceView_js, "items/CIFeaturePreferenceView.js"),
    FILE_OF(items_CIFileView_js, "items/CIFileView.js"),
    FILE_OF(items_CIGroupInvitationView_js, "items/CIGroupInvitationView.js"),
    FILE_OF(items_CIImageView_js, "items/CIImageView.js"),
    FILE_OF(items_CIInvalidJSONView_js, "items/CIInvalidJSONView.js"),
    FILE_OF(items_CILinkView_js, "items/CILinkView.js"),
    FILE_OF(items_CIMemberCreatedContactView_js, "items/CIMemberCreatedContactView.js"),
    FILE_OF(items_CIMetaView_js, "items/CIMetaView.js"),
    FILE_OF(items_CIRcvDecryptionError_js, "items/CIRcvDecryptionError.js"),
    FILE_OF(items_CIUnknownItemView_js, "items/CIUnknownItemView.js"),
    FILE_OF(items_CIVideoView_js, "items/CIVideoView.js"),
    FILE_OF(items_CIVoiceView_js, "items/CIVoiceView.js"),
    FILE_OF(items_ChatBannerView_js, "items/ChatBannerView.js"),
    FILE_OF(items_ChatItemInfoView_js, "items/ChatItemInfoView.js"),
    FILE_OF(items_ChatItemView_js, "items/ChatItemView.js"),
    FILE_OF(items_ChatLinkView_js, "items/ChatLinkView.js"),
    FILE_OF(items_DeletedItemView_js, "items/DeletedItemView.js"),
    FILE_OF(items_EmojiItemView_js, "items/EmojiItemView.js"),
    FILE_OF(items_ForwardView_js, "items/ForwardView.js"),
    FILE_OF(items_FramedCIVoiceView_js, "items/FramedCIVoiceView.js"),
    FILE_OF(items_FramedItemView_js, "items/FramedItemView.js"),
    FILE_OF(items_FullScreenMediaView_js, "items/FullScreenMediaView.js"),
    FILE_OF(items_ImageView_js, "items/ImageView.js"),
    FILE_OF(items_IntegrityErrorItemView_js, "items/IntegrityErrorItemView.js"),
    FILE_OF(items_MarkedDeletedItemView_js, "items/MarkedDeletedItemView.js"),
    FILE_OF(items_MsgContentView_js, "items/MsgContentView.js"),
    FILE_OF(items_QueuedItemView_js, "items/QueuedItemView.js"),
    FILE_OF(items_QuoteView_js, "items/QuoteView.js"),
    FILE_OF(items_eventTexts_js, "items/eventTexts.js"),
    FILE_OF(items_itemMenu_js, "items/itemMenu.js"),
    FILE_OF(items_link_js, "items/link.js"),
    FILE_OF(items_unsent_js, "items/unsent.js"),
    FILE_OF(main_js, "main.js"),
    FILE_OF(manifest_webmanifest, "manifest.webmanifest"),
    FILE_OF(mask_svg, "mask.svg"),
    FILE_OF(model_api_js, "model/api.js"),
    FILE_OF(model_app_js, "model/app.js"),
    FILE_OF(model_browserName_js, "model/browserName.js"),
    FILE_OF(model_browsers_js, "model/browsers.js"),
    FILE_OF(model_changes_js, "model/changes.js"),
    FILE_OF(model_chats_js, "model/chats.js"),
    FILE_OF(model_documents_js, "model/documents.js"),
    FILE_OF(model_drafts_js, "model/drafts.js"),
    FILE_OF(model_follow_js, "model/follow.js"),
    FILE_OF(model_found_js, "model/found.js"),
    FILE_OF(model_known_js, "model/known.js"),
    FILE_OF(model_linkCards_js, "model/linkCards.js"),
    FILE_OF(model_links_js, "model/links.js"),
    FILE_OF(model_lzstring_js, "model/lzstring.js"),
    FILE_OF(model_names_js, "model/names.js"),
    FILE_OF(model_news_js, "model/news.js"),
    FILE_OF(model_outbox_js, "model/outbox.js"),
    FILE_OF(model_patch_js, "model/patch.js"),
    FILE_OF(model_pending_js, "model/pending.js"),
    FILE_OF(model_pictureSize_js, "model/pictureSize.js"),
    FILE_OF(model_pictures_js, "model/pictures.js"),
    FILE_OF(model_preparing_js, "model/preparing.js"),
    FILE_OF(model_presets_js, "model/presets.js"),
    FILE_OF(model_press_js, "model/press.js"),
    FILE_OF(model_problems_js, "model/problems.js"),
    FILE_OF(model_push_js, "model/push.js"),
    FILE_OF(model_requests_js, "model/requests.js"),
    FILE_OF(model_runs_js, "model/runs.js"),
    FILE_OF(model_scheduled_js, "model/scheduled.js"),
    FILE_OF(model_shortcuts_js, "model/shortcuts.js"),
    FILE_OF(model_sockets_js, "model/sockets.js"),
    FILE_OF(model_storage_js, "model/storage.js"),
    FILE_OF(model_texts_js, "model/texts.js"),
    FILE_OF(model_time_js, "model/time.js"),
    FILE_OF(model_vault_js, "model/vault.js"),
    FILE_OF(model_waiting_js, "model/waiting.js"),
    FILE_OF(model_words_js, "model/words.js"),
    FILE_OF(planned_BroadcastsView_js, "planned/BroadcastsView.js"),
    FILE_OF(planned_ScheduledView_js, "planned/ScheduledView.js"),
    FILE_OF(settings_DatabaseView_js, "settings/DatabaseView.js"),
    FILE_OF(settings_DevicesView_js, "settings/DevicesView.js"),
    FILE_OF(settings_LinkDeviceView_js, "settings/LinkDeviceView.js"),
    FILE_OF(settings_MigrationView_js, "settings/MigrationView.js"),
    FILE_OF(settings_ServersView_js, "settings/ServersView.js"),
    FILE_OF(settings_SettingsPages_js, "settings/SettingsPages.js"),
    FILE_OF(settings_SettingsView_js, "settings/SettingsView.js"),
    FILE_OF(settings_SignedInView_js, "settings/SignedInView.js"),
    FILE_OF(settings_StorageView_js, "settings/StorageView.js"),
    FILE_OF(settings_profileForms_js, "settings/profileForms.js"),
    FILE_OF(settings_seldom_js, "settings/seldom.js"),
    FILE_OF(shell_ProfilesView_js, "shell/ProfilesView.js"),
    FILE_OF(shell_ShortcutsView_js, "shell/ShortcutsView.js"),
    FILE_OF(shell_SignInView_js, "shell/SignInView.js"),
    FILE_OF(shell_WallpaperView_js, "shell/WallpaperView.js"),
    FILE_OF(shell_keys_js, "shell/keys.js"),
    FILE_OF(shell_parts_js, "shell/parts.js"),
    FILE_OF(shell_themes_js, "shell/themes.js"),
    FILE_OF(shell_title_js, "shell/title.js"),
    FILE_OF(shell_wallpapers_js, "shell/wallpapers.js"),
    FILE_OF(style_css, "style.css"),
    FILE_OF(words_ar_json, "words/ar.json"),
    FILE_OF(words_badges_ar_json, "words/badges.ar.json"),
    FILE_OF(words_badges_de_json, "words/badges.de.json"),
    FILE_OF(words_badges_en_json, "words/badges.en.json"),
    FILE_OF(words_badges_es_json, "words/badges.es.json"),
    FILE_OF(words_badges_fr_json, "words/badges.fr.json"),
    FILE_OF(words_badges_pt_json, "words/badges.pt.json"),
    FILE_OF(words_badges_ru_json, "words/badges.ru.json"),
    FILE_OF(words_calls_ar_json, "words/calls.ar.json"),
    FILE_OF(words_calls_de_json, "words/calls.de.json"),
    FILE_OF(words_calls_en_json, "words/calls.en.json"),
    FILE_OF(words_calls_es_json, "words/calls.es.json"),
    FILE_OF(words_calls_fr_json, "words/calls.fr.json"),
    FILE_OF(words_calls_pt_json, "words/calls.pt.json"),
    FILE_OF(words_calls_ru_json, "words/calls.ru.json"),
    FILE_OF(words_chats_ar_json, "words/chats.ar.json"),
    FILE_OF(words_chats_de_json, "words/chats.de.json"),
    FILE_OF(words_chats_en_json, "words/chats.en.json"),
    FILE_OF(words_chats_es_json, "words/chats.es.json"),
    FILE_OF(words_chats_fr_json, "words/chats.fr.json"),
    FILE_OF(words_chats_pt_json, "words/chats.pt.json"),
    FILE_OF(words_chats_ru_json, "words/chats.ru.json"),
    FILE_OF(words_de_json, "words/de.json"),
    FILE_OF(words_devices_ar_json, "words/devices.ar.json"),
    FILE_OF(words_devices_de_json, "words/devices.de.json"),
    FILE_OF(words_devices_en_json, "words/devices.en.json"),
    FILE_OF(words_devices_es_json, "words/devices.es.json"),
    FILE_OF(words_devices_fr_json, "words/devices.fr.json"),
    FILE_OF(words_devices_pt_json, "words/devices.pt.json"),
    FILE_OF(words_devices_ru_json, "words/devices.ru.json"),
    FILE_OF(words_en_json, "words/en.json"),
    FILE_OF(words_es_json, "words/es.json"),
    FILE_OF(words_events_ar_json, "words/events.ar.json"),
    FILE_OF(words_events_de_json, "words/events.de.json"),
    FILE_OF(words_events_en_json, "words/events.en.json"),
    FILE_OF(words_events_es_json, "words/events.es.json"),
    FILE_OF(words_events_fr_json, "words/events.fr.json"),
    FILE_OF(words_events_pt_json, "words/events.pt.json"),
    FILE_OF(words_events_ru_json, "words/events.ru.json"),
    FILE_OF(words_fr_json, "words/fr.json"),
    FILE_OF(words_migration_ar_json, "words/migration.ar.json"),
    FILE_OF(words_migration_de_json, "words/migration.de.json"),
    FILE_OF(words_migration_en_json, "words/migration.en.json"),
    FILE_OF(words_migration_es_json, "words/migration.es.json"),
    FILE_OF(words_migration_fr_json, "words/migration.fr.json"),
    FILE_OF(words_migration_pt_json, "words/migration.pt.json"),
    FILE_OF(words_migration_ru_json, "words/migration.ru.json"),
    FILE_OF(words_pt_json, "words/pt.json"),
    FILE_OF(words_ru_json, "words/ru.json"),
    FILE_OF(words_settings_ar_json, "words/settings.ar.json"),
    FILE_OF(words_settings_de_json, "words/settings.de.json"),
    FILE_OF(words_settings_en_json, "words/settings.en.json"),
    FILE_OF(words_settings_es_json, "words/settings.es.json"),
    FILE_OF(words_settings_fr_json, "words/settings.fr.json"),
    FILE_OF(words_settings_pt_json, "words/settings.pt.json"),
    FILE_OF(words_settings_ru_json, "words/settings.ru.json"),
    FILE_OF(words_wallpapers_ar_json, "words/wallpapers.ar.json"),
    FILE_OF(words_wallpapers_de_json, "words/wallpapers.de.json"),
    FILE_OF(words_wallpapers_en_json, "words/wallpapers.en.json"),
    FILE_OF(words_wallpapers_es_json, "words/wallpapers.es.json"),
    FILE_OF(words_wallpapers_fr_json, "words/wallpapers.fr.json"),
    FILE_OF(words_wallpapers_pt_json, "words/wallpapers.pt.json"),
    FILE_OF(words_wallpapers_ru_json, "words/wallpapers.ru.json"),
    FILE_OF(worker_js, "worker.js"),
};

const struct sxgw_file *sxgw_web_client(size_t *count) {
    *count = sizeof files / sizeof *files;
    return files;
}
