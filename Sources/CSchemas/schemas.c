#include "schemas.h"

// Each migration file has two entries below: an array with its text, and an element in a list of migrations.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t chat_0001[] = {
#embed "chat/0001_first.sql"
};

static const uint8_t chat_0002[] = {
#embed "chat/0002_planned_messages.sql"
};

static const uint8_t chat_0003[] = {
#embed "chat/0003_planned_counts.sql"
};

static const uint8_t chat_0004[] = {
#embed "chat/0004_planned_files.sql"
};

static const uint8_t chat_0005[] = {
#embed "chat/0005_upload_names.sql"
};

static const uint8_t chat_0006[] = {
#embed "chat/0006_names.sql"
};

static const uint8_t chat_0007[] = {
#embed "chat/0007_answer_relays.sql"
};

static const uint8_t chat_0008[] = {
#embed "chat/0008_client_service.sql"
};

static const uint8_t chat_0009[] = {
#embed "chat/0009_badges.sql"
};

static const uint8_t chat_0010[] = {
#embed "chat/0010_message_times.sql"
};

static const uint8_t chat_0011[] = {
#embed "chat/0011_wallpapers.sql"
};

static const uint8_t chat_0012[] = {
#embed "chat/0012_waiting_wallpapers.sql"
};

static const uint8_t chat_0013[] = {
#embed "chat/0013_file_totals.sql"
};

static const struct sxgw_migration chat[] = {
    {"chat_0001_first", chat_0001, sizeof chat_0001},
    {"chat_0002_planned_messages", chat_0002, sizeof chat_0002},
    {"chat_0003_planned_counts", chat_0003, sizeof chat_0003},
    {"chat_0004_planned_files", chat_0004, sizeof chat_0004},
    {"chat_0005_upload_names", chat_0005, sizeof chat_0005},
    {"chat_0006_names", chat_0006, sizeof chat_0006},
    {"chat_0007_answer_relays", chat_0007, sizeof chat_0007},
    {"chat_0008_client_service", chat_0008, sizeof chat_0008},
    {"chat_0009_badges", chat_0009, sizeof chat_0009},
    {"chat_0010_message_times", chat_0010, sizeof chat_0010},
    {"chat_0011_wallpapers", chat_0011, sizeof chat_0011},
    {"chat_0012_waiting_wallpapers", chat_0012, sizeof chat_0012},
    {"chat_0013_file_totals", chat_0013, sizeof chat_0013},
};

static const uint8_t agent_0001[] = {
#embed "agent/0001_first.sql"
};

static const uint8_t agent_0002[] = {
#embed "agent/0002_client_services.sql"
};

static const struct sxgw_migration agent[] = {
    {"agent_0001_first", agent_0001, sizeof agent_0001},
    {"agent_0002_client_services", agent_0002, sizeof agent_0002},
};

const struct sxgw_migration *sxgw_chat_migrations(size_t *count) {
    *count = sizeof chat / sizeof *chat;
    return chat;
}

const struct sxgw_migration *sxgw_agent_migrations(size_t *count) {
    *count = sizeof agent / sizeof *agent;
    return agent;
}
