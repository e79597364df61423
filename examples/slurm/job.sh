#!/bin/sh
# A program of Tundish on all nodes of a job of Slurm: one process on each node, one PE on each of its cores.
#
#   sbatch --nodes=4 job.sh                                  k-means on four nodes
#   sbatch --nodes=4 job.sh my-program.js --size 1e8         a program of yours, with its options
#   sbatch --nodes=4 job.sh profile                          measures four nodes; later jobs plan with what it has found
#   sbatch --nodes=4 --export=ALL,LAUNCHER=pmi2 job.sh       with MPICH in place of Open MPI
#
# Submit it in the folder that has node_modules, on a file system that all nodes see.
#SBATCH --job-name=tundish
#SBATCH --nodes=2
# one process on each node: its PEs are threads
#SBATCH --ntasks-per-node=1
# all cores of each node; for some of them --cpus-per-task=8 in its place
#SBATCH --exclusive
#SBATCH --time=00:10:00
# after the loss of a node Slurm begins the job anew, and the output goes on in the same file
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%j.out

tundish=${TUNDISH:-node_modules/tundish/dist}
[ $# -gt 0 ] || set -- "$tundish/examples/k-means.js" --size 2e6

# What starts the processes; it has to fit the MPI that the nodes have:
#   pmix             srun, for an Open MPI with PMIx
#   pmi2             srun, for MPICH and Intel MPI
#   openmpi, mpich   mpirun of these, which asks Slurm for the nodes
# None of them may bind a process to one core: Tundish gives each PE a core.
launcher=${LAUNCHER:-pmix}
start() {
  case $launcher in
    pmix | pmi2) srun --mpi="$launcher" --cpu-bind=none "$@" ;;
    openmpi) "${MPIRUN:-mpirun}" --map-by ppr:1:node --bind-to none "$@" ;;
    mpich) "${MPIRUN:-mpirun}" -ppn 1 "$@" ;;
    *)
      echo "LAUNCHER: expected pmix, pmi2, openmpi or mpich, got $launcher" >&2
      return 2
      ;;
  esac
}

# One model for each partition and number of nodes, where all nodes see it.
model=${MODELS:-$HOME/.cache/tundish}/$SLURM_JOB_PARTITION-$SLURM_JOB_NUM_NODES.json
if [ "$1" = profile ]; then
  mkdir -p "${model%/*}"
  start node "$tundish/lib/main.js" profile -o "$model"
  exit
fi
[ ! -e "$model" ] || export TUNDISH_MACHINE="$model"
# Trees that contests have chosen, as each node remembers them: not in a home folder that all nodes write to.
export TUNDISH_CACHE="${TMPDIR:-/tmp}/tundish-$(id -u)"

# Half a minute before Slurm would kill the job the run ends itself, with an error that says where the PEs are.
end=$(date --date="$(squeue --noheader --jobs="$SLURM_JOB_ID" --format=%e)" +%s)
left=$((end - $(date +%s) - 30))

echo "$SLURM_JOB_NUM_NODES nodes: $SLURM_JOB_NODELIST, by $launcher, at most $left s"
program=$1
shift
start node "$tundish/lib/main.js" run --timeout "${left}000" "$program" -- "$@"
