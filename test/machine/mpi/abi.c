/*
 * The standard binary interface of MPI 5 (MPI 5.0, chapter 20) over the MPI that this file is compiled with, for what
 * src/machine/mpi/library.ts calls. Handles that the standard numbers are translated both ways, all others are the
 * MPI's own, as integers of 64 bits; the count of a status lies where the standard leaves the words to the library.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

typedef intptr_t Handle;

#ifdef MPICH_VERSION
/* its handles are numbers of 32 bits, some of them negative */
#define OUT(handle) ((Handle)(uint32_t)(handle))
#else
#define OUT(handle) ((Handle)(handle))
#endif

enum { COMM_WORLD = 0x101, INFO_NULL = 0x130, ERRORS_RETURN = 0x142, REQUEST_NULL = 0x180 };
enum { OP_SUM = 0x21, OP_REPLACE = 0x3c, OP_NO_OP = 0x3d };
enum { TYPE_DOUBLE = 0x214, TYPE_BYTE = 0x247, TYPE_INT64 = 0x258 };
enum { ANY_SOURCE = -1, THREAD_UNIT = 1024 };
/* Handles below belong to the standard. */
enum { FIRST_OWN = 0x1000 };
/* The word of a status that has its count here. */
enum { COUNT = 6 };

typedef struct {
  int source, tag, error, own[5];
} Status;

static void unknown(void) { abort(); }

static MPI_Comm comm_of(Handle handle) {
  if (handle == COMM_WORLD) return MPI_COMM_WORLD;
  if (handle < FIRST_OWN) unknown();
  return (MPI_Comm)handle;
}

static MPI_Datatype type_of(Handle handle) {
  switch (handle) {
    case TYPE_BYTE: return MPI_BYTE;
    case TYPE_DOUBLE: return MPI_DOUBLE;
    case TYPE_INT64: return MPI_INT64_T;
  }
  unknown();
  return MPI_DATATYPE_NULL;
}

static MPI_Op op_of(Handle handle) {
  switch (handle) {
    case OP_SUM: return MPI_SUM;
    case OP_REPLACE: return MPI_REPLACE;
    case OP_NO_OP: return MPI_NO_OP;
  }
  unknown();
  return MPI_OP_NULL;
}

static MPI_Errhandler errhandler_of(Handle handle) {
  if (handle != ERRORS_RETURN) unknown();
  return MPI_ERRORS_RETURN;
}

static MPI_Request request_of(Handle handle) {
  return handle == REQUEST_NULL ? MPI_REQUEST_NULL : (MPI_Request)handle;
}

static Handle request_out(MPI_Request request) {
  return request == MPI_REQUEST_NULL ? REQUEST_NULL : OUT(request);
}

static int source_of(int source) { return source == ANY_SOURCE ? MPI_ANY_SOURCE : source; }

static void status_out(const MPI_Status *from, Status *to) {
  int *words = (int *)to;
  to->source = from->MPI_SOURCE;
  to->tag = from->MPI_TAG;
  to->error = from->MPI_ERROR;
  PMPI_Get_count(from, MPI_BYTE, &words[COUNT]);
}

/* The C names differ from those of mpi.h, whose types are others; the symbols are those of MPI. */
#define AS(name) __asm__(#name)

int get_library_version(char *text, int *length) AS(MPI_Get_library_version);
int get_library_version(char *text, int *length) { return PMPI_Get_library_version(text, length); }

int initialized(int *flag) AS(MPI_Initialized);
int initialized(int *flag) { return PMPI_Initialized(flag); }

static int level_out(int level) {
  switch (level) {
    case MPI_THREAD_MULTIPLE: return 4 * THREAD_UNIT;
    case MPI_THREAD_SERIALIZED: return 2 * THREAD_UNIT;
    case MPI_THREAD_FUNNELED: return THREAD_UNIT;
  }
  return 0;
}

int init_thread(int *argc, char ***argv, int wanted, int *provided) AS(MPI_Init_thread);
int init_thread(int *argc, char ***argv, int wanted, int *provided) {
  if (wanted != 4 * THREAD_UNIT) unknown();
  int level;
  const int error = PMPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
  *provided = level_out(level);
  return error;
}

int query_thread(int *provided) AS(MPI_Query_thread);
int query_thread(int *provided) {
  int level;
  const int error = PMPI_Query_thread(&level);
  *provided = level_out(level);
  return error;
}

int finalize(void) AS(MPI_Finalize);
int finalize(void) { return PMPI_Finalize(); }

int abort_job(Handle comm, int code) AS(MPI_Abort);
int abort_job(Handle comm, int code) { return PMPI_Abort(comm_of(comm), code); }

int comm_set_errhandler(Handle comm, Handle handler) AS(MPI_Comm_set_errhandler);
int comm_set_errhandler(Handle comm, Handle handler) {
  return PMPI_Comm_set_errhandler(comm_of(comm), errhandler_of(handler));
}

int error_string(int code, char *text, int *length) AS(MPI_Error_string);
int error_string(int code, char *text, int *length) { return PMPI_Error_string(code, text, length); }

int comm_rank(Handle comm, int *rank) AS(MPI_Comm_rank);
int comm_rank(Handle comm, int *rank) { return PMPI_Comm_rank(comm_of(comm), rank); }

int comm_size(Handle comm, int *size) AS(MPI_Comm_size);
int comm_size(Handle comm, int *size) { return PMPI_Comm_size(comm_of(comm), size); }

int barrier(Handle comm) AS(MPI_Barrier);
int barrier(Handle comm) { return PMPI_Barrier(comm_of(comm)); }

int allgather(const void *from, int count, Handle type, void *to, int each, Handle same, Handle comm) AS(MPI_Allgather);
int allgather(const void *from, int count, Handle type, void *to, int each, Handle same, Handle comm) {
  return PMPI_Allgather(from, count, type_of(type), to, each, type_of(same), comm_of(comm));
}

#define SEND(name, symbol)                                                                            \
  int name(const void *at, int count, Handle type, int dest, int tag, Handle comm, Handle *into)      \
      AS(MPI_##symbol);                                                                               \
  int name(const void *at, int count, Handle type, int dest, int tag, Handle comm, Handle *into) {    \
    MPI_Request request = MPI_REQUEST_NULL;                                                           \
    const int error = PMPI_##symbol(at, count, type_of(type), dest, tag, comm_of(comm), &request);    \
    *into = request_out(request);                                                                     \
    return error;                                                                                     \
  }
SEND(isend, Isend)
SEND(issend, Issend)

#define RECEIVE(name, symbol)                                                                          \
  int name(void *at, int count, Handle type, int source, int tag, Handle comm, Handle *into)           \
      AS(MPI_##symbol);                                                                                \
  int name(void *at, int count, Handle type, int source, int tag, Handle comm, Handle *into) {         \
    MPI_Request request = MPI_REQUEST_NULL;                                                            \
    const int error = PMPI_##symbol(at, count, type_of(type), source_of(source), tag, comm_of(comm), &request); \
    *into = request_out(request);                                                                      \
    return error;                                                                                      \
  }
RECEIVE(irecv, Irecv)
RECEIVE(recv_init, Recv_init)

#define ON_REQUEST(name, symbol)                  \
  int name(Handle *at) AS(MPI_##symbol);          \
  int name(Handle *at) {                          \
    MPI_Request request = request_of(*at);        \
    const int error = PMPI_##symbol(&request);    \
    *at = request_out(request);                   \
    return error;                                 \
  }
ON_REQUEST(start, Start)
ON_REQUEST(request_free, Request_free)
ON_REQUEST(cancel, Cancel)

int test(Handle *at, int *completed, Status *into) AS(MPI_Test);
int test(Handle *at, int *completed, Status *into) {
  MPI_Request request = request_of(*at);
  MPI_Status status;
  const int error = PMPI_Test(&request, completed, &status);
  *at = request_out(request);
  if (error == MPI_SUCCESS && *completed) status_out(&status, into);
  return error;
}

int testsome(int count, Handle *at, int *completed, int *indices, Status *into) AS(MPI_Testsome);
int testsome(int count, Handle *at, int *completed, int *indices, Status *into) {
  MPI_Request *requests = malloc((count + 1) * sizeof *requests);
  MPI_Status *statuses = malloc((count + 1) * sizeof *statuses);
  for (int i = 0; i < count; i++) requests[i] = request_of(at[i]);
  const int error = PMPI_Testsome(count, requests, completed, indices, statuses);
  for (int i = 0; i < count; i++) at[i] = request_out(requests[i]);
  for (int i = 0; *completed != MPI_UNDEFINED && i < *completed; i++) status_out(&statuses[i], &into[i]);
  free(requests);
  free(statuses);
  return error;
}

int get_count(const Status *status, Handle type, int *count) AS(MPI_Get_count);
int get_count(const Status *status, Handle type, int *count) {
  if (type != TYPE_BYTE) unknown();
  *count = ((const int *)status)[COUNT];
  return MPI_SUCCESS;
}

int comm_group(Handle comm, Handle *into) AS(MPI_Comm_group);
int comm_group(Handle comm, Handle *into) {
  MPI_Group group;
  const int error = PMPI_Comm_group(comm_of(comm), &group);
  *into = OUT(group);
  return error;
}

int group_incl(Handle group, int count, const int *ranks, Handle *into) AS(MPI_Group_incl);
int group_incl(Handle group, int count, const int *ranks, Handle *into) {
  MPI_Group some;
  const int error = PMPI_Group_incl((MPI_Group)group, count, ranks, &some);
  *into = OUT(some);
  return error;
}

int group_free(Handle *at) AS(MPI_Group_free);
int group_free(Handle *at) {
  MPI_Group group = (MPI_Group)*at;
  return PMPI_Group_free(&group);
}

int comm_create_group(Handle comm, Handle group, int tag, Handle *into) AS(MPI_Comm_create_group);
int comm_create_group(Handle comm, Handle group, int tag, Handle *into) {
  MPI_Comm made;
  const int error = PMPI_Comm_create_group(comm_of(comm), (MPI_Group)group, tag, &made);
  *into = OUT(made);
  return error;
}

int comm_free(Handle *at) AS(MPI_Comm_free);
int comm_free(Handle *at) {
  MPI_Comm comm = comm_of(*at);
  return PMPI_Comm_free(&comm);
}

int ibarrier(Handle comm, Handle *into) AS(MPI_Ibarrier);
int ibarrier(Handle comm, Handle *into) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = PMPI_Ibarrier(comm_of(comm), &request);
  *into = request_out(request);
  return error;
}

int ibcast(void *at, int count, Handle type, int root, Handle comm, Handle *into) AS(MPI_Ibcast);
int ibcast(void *at, int count, Handle type, int root, Handle comm, Handle *into) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = PMPI_Ibcast(at, count, type_of(type), root, comm_of(comm), &request);
  *into = request_out(request);
  return error;
}

int iallreduce(const void *from, void *to, int count, Handle type, Handle op, Handle comm, Handle *into)
    AS(MPI_Iallreduce);
int iallreduce(const void *from, void *to, int count, Handle type, Handle op, Handle comm, Handle *into) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = PMPI_Iallreduce(from, to, count, type_of(type), op_of(op), comm_of(comm), &request);
  *into = request_out(request);
  return error;
}

int iprobe(int source, int tag, Handle comm, int *flag, Status *into) AS(MPI_Iprobe);
int iprobe(int source, int tag, Handle comm, int *flag, Status *into) {
  MPI_Status status;
  const int error = PMPI_Iprobe(source_of(source), tag, comm_of(comm), flag, &status);
  if (error == MPI_SUCCESS && *flag) status_out(&status, into);
  return error;
}

int win_create(void *base, intptr_t bytes, int unit, Handle info, Handle comm, Handle *into) AS(MPI_Win_create);
int win_create(void *base, intptr_t bytes, int unit, Handle info, Handle comm, Handle *into) {
  if (info != INFO_NULL) unknown();
  MPI_Win window;
  const int error = PMPI_Win_create(base, bytes, unit, MPI_INFO_NULL, comm_of(comm), &window);
  *into = OUT(window);
  return error;
}

int win_set_errhandler(Handle window, Handle handler) AS(MPI_Win_set_errhandler);
int win_set_errhandler(Handle window, Handle handler) {
  return PMPI_Win_set_errhandler((MPI_Win)window, errhandler_of(handler));
}

int win_lock_all(int assertions, Handle window) AS(MPI_Win_lock_all);
int win_lock_all(int assertions, Handle window) { return PMPI_Win_lock_all(assertions, (MPI_Win)window); }

int win_unlock_all(Handle window) AS(MPI_Win_unlock_all);
int win_unlock_all(Handle window) { return PMPI_Win_unlock_all((MPI_Win)window); }

int win_free(Handle *at) AS(MPI_Win_free);
int win_free(Handle *at) {
  MPI_Win window = (MPI_Win)*at;
  return PMPI_Win_free(&window);
}

int win_sync(Handle window) AS(MPI_Win_sync);
int win_sync(Handle window) { return PMPI_Win_sync((MPI_Win)window); }

int rget_accumulate(const void *from, int count, Handle type, void *into, int results, Handle same, int rank,
                    intptr_t at, int there, Handle its, Handle op, Handle window, Handle *request_into)
    AS(MPI_Rget_accumulate);
int rget_accumulate(const void *from, int count, Handle type, void *into, int results, Handle same, int rank,
                    intptr_t at, int there, Handle its, Handle op, Handle window, Handle *request_into) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int error = PMPI_Rget_accumulate(from, count, type_of(type), into, results, type_of(same), rank, at, there,
                                         type_of(its), op_of(op), (MPI_Win)window, &request);
  *request_into = request_out(request);
  return error;
}
