#ifndef SXGW_CMICROHTTPD_SHIM_H
#define SXGW_CMICROHTTPD_SHIM_H
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <malloc.h>
#include <string.h>

/* Swift cannot call variadic C functions, so this file has a plain function for each call that is needed. */

struct sxgw_daemon_options
{
  unsigned int flags;
  unsigned int thread_pool_size;
  unsigned int connection_limit;
  unsigned int connection_timeout_seconds;
  size_t connection_memory_limit;
  int listen_socket;
  int strict_for_client;
  const char *tls_key_pem;
  const char *tls_certificate_pem;
  const char *tls_priorities;
  MHD_AcceptPolicyCallback policy;
  void *(*target) (void *context, const char *target, struct MHD_Connection *connection);
  MHD_AccessHandlerCallback access;
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
  void *context;
};

/* Leaves the percent-encoding of a path unchanged, since the path is split into segments before they are decoded. */
static size_t
sxgw_keep_escapes (void *cls, struct MHD_Connection *connection, char *text)
{
  (void) cls;
  (void) connection;
  return strlen (text);
}

static inline struct MHD_Daemon *
sxgw_start_daemon (const struct sxgw_daemon_options *o)
{
  struct MHD_OptionItem tls[] = {
    { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) o->tls_key_pem },
    { MHD_OPTION_HTTPS_MEM_CERT, 0, (void *) o->tls_certificate_pem },
    { MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) o->tls_priorities },
    { MHD_OPTION_END, 0, NULL }
  };
  struct MHD_OptionItem none[] = { { MHD_OPTION_END, 0, NULL } };

  return MHD_start_daemon (
    o->flags, 0, o->policy, o->context, o->access, o->context,
    MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
    MHD_OPTION_NOTIFY_CONNECTION, o->connection, o->context,
    MHD_OPTION_URI_LOG_CALLBACK, o->target, o->context,
    MHD_OPTION_LISTEN_SOCKET, (MHD_socket) o->listen_socket,
    MHD_OPTION_CONNECTION_LIMIT, o->connection_limit,
    MHD_OPTION_CONNECTION_TIMEOUT, o->connection_timeout_seconds,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->connection_memory_limit,
    MHD_OPTION_THREAD_POOL_SIZE, o->thread_pool_size,
    MHD_OPTION_STRICT_FOR_CLIENT, o->strict_for_client,
    MHD_OPTION_UNESCAPE_CALLBACK, &sxgw_keep_escapes, NULL,
    MHD_OPTION_ARRAY, o->tls_key_pem != NULL ? tls : none,
    MHD_OPTION_END);
}

static inline int
sxgw_connection_socket (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : (int) info->connect_fd;
}

static inline const struct sockaddr *
sxgw_connection_address (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  return info == NULL ? NULL : info->client_addr;
}

/* Returns the number of bytes from the method to the empty line after the header; 0 before this line has arrived. */
static inline size_t
sxgw_header_size (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == NULL ? 0 : info->header_size;
}

/* Returns the pointer that the connection callback has stored for the connection. */
static inline void *
sxgw_connection_context (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info == NULL ? NULL : info->socket_context;
}

/* Returns the TLS session of a connection that was just accepted, and whose handshake has not begun. */
static inline gnutls_session_t
sxgw_connection_tls (struct MHD_Connection *connection)
{
  const union MHD_ConnectionInfo *info = MHD_get_connection_info (connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  return info == NULL ? NULL : (gnutls_session_t) info->tls_session;
}

static inline void
sxgw_upgrade_close (struct MHD_UpgradeResponseHandle *urh)
{
  (void) MHD_upgrade_action (urh, MHD_UPGRADE_ACTION_CLOSE);
}

/* Returns freed memory to the system. */
static inline void
sxgw_trim_memory (void)
{
  (void) malloc_trim (0);
}

/* Limits the number of malloc's arenas, since malloc would keep an arena for each thread of the library. */
static inline void
sxgw_limit_arenas (int count)
{
  (void) mallopt (M_ARENA_MAX, count);
}
#endif
