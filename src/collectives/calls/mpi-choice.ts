/**
 * Which steps between nodes are by the MPI library (hierarchy/mpi-collectives.ts), and which by messages: those that
 * TUNDISH_ALGORITHMS or the call forces; else those that were measured to be faster on as many nodes (`tundish profile`
 * under mpirun).
 */
import { UsageError } from "../../ground/base/errors.ts";
import { setting } from "../../ground/base/settings.ts";
import type { MpiTimes } from "../../machine/model/internode.ts";
import type { RemoteCosts } from "../../machine/model/remote-costs.ts";
import type { CollectiveAlgorithm } from "../team/call-words.ts";
import type { Op } from "../team/payload.ts";
import { forcedToMpi, MPI_BYTES, MPI_CALLS, type MpiCall } from "./decide.ts";

const FUNCTIONS: Readonly<Record<MpiCall, string>> = {
  barrier: "MPI_Ibarrier",
  broadcast: "MPI_Ibcast",
  allreduce: "MPI_Iallreduce",
};
const LIMITS: Readonly<Record<MpiCall, string>> = {
  barrier: "all",
  broadcast: `a number or an array of up to ${MPI_BYTES} bytes`,
  allreduce: `sums of a number or of up to ${MPI_BYTES} bytes of a Float64Array`,
};

/** The choice of one group. */
export class Choice {
  readonly #forced: ReadonlySet<MpiCall>;
  readonly #chosen: ReadonlySet<MpiCall>;
  readonly #times: MpiTimes | null;

  /** @param nodes of the group */
  constructor(nodes: number, { mpi }: RemoteCosts) {
    this.#forced = forcedToMpi(setting("algorithms"));
    this.#times = mpi?.nodes === nodes ? mpi : null;
    const times = this.#times;
    const isFaster = (call: MpiCall) => times?.[call].faster === "mpi";
    this.#chosen = new Set(MPI_CALLS.filter((call) => this.#forced.has(call) || isFaster(call)));
  }

  /** Whether a barrier is by the library. */
  get barrier(): boolean {
    return this.#chosen.has("barrier");
  }

  /** The same of a broadcast of `bytes` bytes. @throws UsageError if that is wished and not possible */
  broadcast(bytes: number, wish?: CollectiveAlgorithm): boolean {
    return this.#choose("broadcast", bytes <= MPI_BYTES, wish);
  }

  /**
   * The same of an allreduce.
   * @param isDouble whether of a number or a Float64Array
   * @throws UsageError if that is wished and not possible
   */
  allreduce(op: Op, isDouble: boolean, bytes: number, wish?: CollectiveAlgorithm): boolean {
    return this.#choose("allreduce", op === "sum" && isDouble && bytes <= MPI_BYTES, wish);
  }

  #choose(call: MpiCall, isPossible: boolean, wish: CollectiveAlgorithm | undefined): boolean {
    if (wish === undefined) return isPossible && this.#chosen.has(call);
    if (wish !== "mpi") return false;
    if (isPossible) return true;
    const whose = call === "allreduce" ? "an allreduce's" : `a ${call}'s`;
    throw new UsageError(`algorithm: mpi is ${whose} for ${LIMITS[call]} only. Leave it out.`);
  }

  /** One line for each call that is by the library, or that was measured. */
  explain(): string[] {
    return MPI_CALLS.flatMap((call) => {
      const isChosen = this.#chosen.has(call);
      const times = this.#times?.[call];
      const what = isChosen ? `mpi (${FUNCTIONS[call]}) for ${LIMITS[call]}` : "by messages";
      const measured = times && `measured: mpi ${times.mpi.toFixed(0)} ns, messages ${times.messages.toFixed(0)} ns`;
      if (this.#forced.has(call)) return `${call} between nodes: ${what}; forced by TUNDISH_ALGORITHMS`;
      return measured ? `${call} between nodes: ${what}; ${measured}` : [];
    });
  }
}
