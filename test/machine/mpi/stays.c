/* An MPI that must be there when its process ends: what lies before another one. */
#include <stdio.h>
#include <stdlib.h>

static void say(int code, void *unused) {
  (void)code;
  (void)unused;
  fprintf(stderr, "still open\n");
}

/* unlike atexit(3), on_exit(3) is not called when the library is closed before: it would be called where nothing is */
__attribute__((constructor)) static void watch(void) { on_exit(say, NULL); }
