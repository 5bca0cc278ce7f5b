#ifndef SXGW_CPQ_SHIM_H
#define SXGW_CPQ_SHIM_H
#include <dlfcn.h>
#include <postgresql/libpq-fe.h>

/* The functions of libpq. They are looked up at the first use, so that a gateway without other nodes does not need the
   library. */
struct sxgw_pq {
    __typeof__(PQconnectdbParams) *connectdbParams;
    __typeof__(PQstatus) *status;
    __typeof__(PQerrorMessage) *errorMessage;
    __typeof__(PQconnectionNeedsPassword) *connectionNeedsPassword;
    __typeof__(PQconnectionUsedPassword) *connectionUsedPassword;
    __typeof__(PQconninfoParse) *conninfoParse;
    __typeof__(PQconninfoFree) *conninfoFree;
    __typeof__(PQfreemem) *freemem;
    __typeof__(PQfinish) *finish;
    __typeof__(PQsendQueryParams) *sendQueryParams;
    __typeof__(PQsetnonblocking) *setnonblocking;
    __typeof__(PQflush) *flush;
    __typeof__(PQsocket) *socket;
    __typeof__(PQconsumeInput) *consumeInput;
    __typeof__(PQisBusy) *isBusy;
    __typeof__(PQgetResult) *getResult;
    __typeof__(PQresultStatus) *resultStatus;
    __typeof__(PQresultErrorField) *resultErrorField;
    __typeof__(PQntuples) *ntuples;
    __typeof__(PQnfields) *nfields;
    __typeof__(PQgetisnull) *getisnull;
    __typeof__(PQgetvalue) *getvalue;
    __typeof__(PQgetlength) *getlength;
    __typeof__(PQclear) *clear;
    __typeof__(PQsetSingleRowMode) *setSingleRowMode;
    __typeof__(PQnotifies) *notifies;
    __typeof__(PQsetNoticeReceiver) *setNoticeReceiver;
};

/* Looks up the functions. Returns 0 when the library or one of the functions is missing. */
static inline int sxgw_pq_load(struct sxgw_pq *pq) {
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
#define SXGW_PQ(name) if (!(pq->name = (__typeof__(pq->name)) dlsym(library, "PQ" #name))) return 0
    SXGW_PQ(connectdbParams);
    SXGW_PQ(status);
    SXGW_PQ(errorMessage);
    SXGW_PQ(connectionNeedsPassword);
    SXGW_PQ(connectionUsedPassword);
    SXGW_PQ(conninfoParse);
    SXGW_PQ(conninfoFree);
    SXGW_PQ(freemem);
    SXGW_PQ(finish);
    SXGW_PQ(sendQueryParams);
    SXGW_PQ(setnonblocking);
    SXGW_PQ(flush);
    SXGW_PQ(socket);
    SXGW_PQ(consumeInput);
    SXGW_PQ(isBusy);
    SXGW_PQ(getResult);
    SXGW_PQ(resultStatus);
    SXGW_PQ(resultErrorField);
    SXGW_PQ(ntuples);
    SXGW_PQ(nfields);
    SXGW_PQ(getisnull);
    SXGW_PQ(getvalue);
    SXGW_PQ(getlength);
    SXGW_PQ(clear);
    SXGW_PQ(setSingleRowMode);
    SXGW_PQ(notifies);
    SXGW_PQ(setNoticeReceiver);
#undef SXGW_PQ
    return 1;
}

static inline int sxgw_pg_diag_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int sxgw_pg_diag_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
#endif
