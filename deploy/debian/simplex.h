/* The C functions of libsimplex.so, which are those of the original's library.
 *
 * Every text that a function returns is UTF-8, ends with a zero byte, and is the caller's to free(). Functions that wait block their thread only. */
#ifndef SIMPLEX_H
#define SIMPLEX_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void *chat_ctrl;

/* There is no runtime to start or stop: these do nothing. */
void hs_init(int *argc, char ***argv);
void hs_init_with_rtsopts(int *argc, char ***argv);
void hs_exit(void);

/* Open the databases <path>_chat.db and <path>_agent.db, and make them if there are none. confirm is yesUp, yesUpDown, console or error. Return JSON; the
 * controller is set when it says ok. */
char *chat_migrate_init(const char *path, const char *key, const char *confirm, chat_ctrl *controller);
char *chat_migrate_init_key(const char *path, const char *key, int keep_key, const char *confirm, int background, chat_ctrl *controller);
/* Return an empty text, or what has failed. */
char *chat_close_store(chat_ctrl controller);
char *chat_reopen_store(chat_ctrl controller);

/* Run a command, and return its answer as JSON. */
char *chat_send_cmd(chat_ctrl controller, const char *command);
char *chat_send_cmd_retry(chat_ctrl controller, const char *command, int retry);
char *chat_send_remote_cmd(chat_ctrl controller, int remote_host, const char *command);
char *chat_send_remote_cmd_retry(chat_ctrl controller, int remote_host, const char *command, int retry);

/* Wait for the next event, for ever or for so many microseconds; then an empty text. */
char *chat_recv_msg(chat_ctrl controller);
char *chat_recv_msg_wait(chat_ctrl controller, int microseconds);

/* JSON of a text's formats, and of a server's address. */
char *chat_parse_markdown(const char *text);
char *chat_parse_server(const char *address);
/* The hash of a profile's password, with a salt in base64url. */
char *chat_password_hash(const char *password, const char *salt);
/* A name without the characters that it must not contain. */
char *chat_valid_name(const char *name);
/* The bytes of a text as a JSON string, without its quotes. */
int chat_json_length(const char *text);

/* Encrypt and decrypt a frame of a call in place; its last 28 bytes are for the nonce and the tag. Return an empty text, or what has failed. */
char *chat_encrypt_media(chat_ctrl controller, const char *key, uint8_t *frame, int length);
char *chat_decrypt_media(const char *key, uint8_t *frame, int length);

/* Encrypted files on the disk. The first and third return JSON with the key and the nonce. chat_read_file returns a byte 0, the length (32 bits in the byte
 * order of the machine) and the content, or a byte 1 and a text that says what has failed. */
char *chat_write_file(chat_ctrl controller, const char *path, const uint8_t *data, int length);
uint8_t *chat_read_file(const char *path, const char *key, const char *nonce);
char *chat_encrypt_file(chat_ctrl controller, const char *from, const char *to);
char *chat_decrypt_file(const char *from, const char *key, const char *nonce, const char *to);

#ifdef __cplusplus
}
#endif
#endif
