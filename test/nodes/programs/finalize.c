/* An MPI that tells when it is used while it is being closed: what lies before another one. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static volatile int is_closing = 0;

int MPI_Finalize(void) {
  is_closing = 1;
  usleep(300000);
  fprintf(stderr, "closed\n");
  return PMPI_Finalize();
}

int MPI_Testsome(int count, MPI_Request *requests, int *completed, int *indices, MPI_Status *statuses) {
  if (is_closing) fprintf(stderr, "MPI_Testsome during MPI_Finalize\n");
  return PMPI_Testsome(count, requests, completed, indices, statuses);
}
