/** Which launcher has started this process, by the variables that launchers set. */
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { aloneWarning, isFirst, launcherOf } from "../../../src/machine/mpi/launcher.ts";

const launcher = suite("the launcher of this process");

/** As these launchers set them, beside others. */
const OPEN_MPI = { OMPI_COMM_WORLD_SIZE: "4", OMPI_COMM_WORLD_RANK: "2", PMIX_RANK: "2" };
const HYDRA = { PMI_SIZE: "3", PMI_RANK: "1", PMI_FD: "7" };
const SRUN = { SLURM_NTASKS: "2", SLURM_STEP_NUM_TASKS: "2", SLURM_PROCID: "1" };
const SRUN_PMIX = { ...SRUN, PMIX_RANK: "1", PMIX_NAMESPACE: "slurm.pmix.4.0" };

launcher("is that of its MPI, with the number of ranks", () => {
  assert.equal(launcherOf(OPEN_MPI), { name: "Open MPI", size: 4, fd: null });
  assert.equal(launcherOf(HYDRA), { name: "MPICH", size: 3, fd: 7 });
  assert.equal(launcherOf({ ...SRUN, ...HYDRA, PMI_SIZE: "2" }), { name: "MPICH", size: 2, fd: 7 });
});

launcher("is srun with PMIx, which sets none of Open MPI's variables", () => {
  assert.equal(launcherOf(SRUN_PMIX), { name: "Open MPI", size: 2, fd: null });
  assert.not(isFirst(SRUN_PMIX));
  assert.ok(isFirst({ ...SRUN_PMIX, PMIX_RANK: "0" }));
});

launcher("is none without an MPI: in a job of Slurm, too", () => {
  assert.is(launcherOf({}), null);
  assert.is(launcherOf(SRUN), null);
  assert.ok(isFirst({}));
});

launcher("warns of processes that srun has started without MPI", () => {
  assert.match(aloneWarning(SRUN) ?? "", /^srun has started 2 processes without MPI: .*--mpi=pmix .*TUNDISH_MPI=off/);
  for (const other of [{}, SRUN_PMIX, { ...SRUN, ...OPEN_MPI }, { ...SRUN, SLURM_STEP_NUM_TASKS: "1" }])
    assert.is(aloneWarning(other), null);
});

launcher("the number of ranks may be unknown", () => {
  assert.is(launcherOf({ PMIX_RANK: "0" })?.size, 0);
  assert.is(launcherOf({ PMI_SIZE: "many" })?.size, 0);
});

launcher.run();
