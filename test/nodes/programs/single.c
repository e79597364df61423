/* An MPI that does not admit several threads: what lies before another one, which does. */
#include <mpi.h>

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *provided) {
  (void)wanted;
  int error = PMPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, provided);
  *provided = MPI_THREAD_SERIALIZED;
  return error;
}

int MPI_Query_thread(int *provided) {
  *provided = MPI_THREAD_SERIALIZED;
  return MPI_SUCCESS;
}
