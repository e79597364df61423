/**
 * The outboxes of all hops of a mesh as one: an item enters at any hop, and may leave out those that come next. Their
 * links are numbered one after another (geometry/mesh-ways.ts).
 *
 *     push ─▶ outbox 0 ═▶ mover ─▶ outbox 1 ═▶ mover ─▶ outbox 2 ═▶ pull
 *      │ │                  │        ▲                      ▲ ▲
 *      │ └──────────────────┼────────┘                      │ │
 *      └────────────────────┴───────────────────────────────┘ (its own: items that need no hop more)
 *
 * A hop is closed when the PE is done, and all hops before it are over there, with what came over them forwarded: then
 * nothing more enters its outbox, from whichever hop.
 */

import type { Site } from "../../../links/transport/contract.ts";
import { jointTable, type LinkTable, tableBytes } from "../../../route/geometry/link-table.ts";
import { fillWays, firstLinks, WAY_BYTES, type Ways } from "../../../route/geometry/mesh-ways.ts";
import type { ConveyorRoute } from "../../../route/geometry/route.ts";
import type { Cause } from "./causes.ts";
import type { Outbox, PushEntry } from "./outbox.ts";

/** Makes the link tables of a mesh, and fills the ways of its PE, in the memory that the PE has for both. */
export function meshTables(
  { views, places, porters, rank }: Site,
  route: ConveyorRoute,
): { readonly all: LinkTable; readonly each: readonly LinkTable[]; readonly ways: Ways } {
  const joint = jointTable(
    views,
    places.table,
    porters.map(({ links }) => links),
  );
  const at = places.table + tableBytes(joint.all.stride);
  const word = at / 4;
  const ways = {
    link: views.u32.subarray(word, word + route.size),
    tag: views.u32.subarray(word + route.size, word + (WAY_BYTES / 4) * route.size),
    at,
  };
  fillWays(route, rank, ways);
  return { ...joint, ways };
}

export class JointOutbox implements PushEntry {
  readonly at: Uint32Array;
  readonly end: Uint32Array;
  readonly packets: Uint32Array;
  readonly address: number;
  readonly stride: number;
  readonly hold = false;
  overflow = false;
  readonly #outboxes: readonly Outbox[];
  /** By link: the hop, and its number there. */
  readonly #hop: Uint8Array;
  readonly #link: Uint32Array;

  constructor({ at, end, packets, address, stride }: LinkTable, outboxes: readonly Outbox[], route: ConveyorRoute) {
    this.at = at;
    this.end = end;
    this.packets = packets;
    this.address = address;
    this.stride = stride;
    this.#outboxes = outboxes;
    this.#hop = new Uint8Array(stride);
    this.#link = new Uint32Array(stride);
    for (const [hop, first] of firstLinks(route.dims ?? []).entries()) {
      const { links } = outboxes[hop];
      this.#hop.fill(hop, first, first + links);
      for (let link = 0; link < links; link++) this.#link[first + link] = link;
    }
  }

  open(link: number, size?: number): boolean {
    return this.#outboxes[this.#hop[link]].open(this.#link[link], size);
  }

  /** Also what was forwarded. */
  pushed(): number {
    return this.#outboxes.reduce((sum, outbox) => sum + outbox.pushed(), 0);
  }

  extend(link: number, size: number): boolean {
    return this.#outboxes[this.#hop[link]].extend(this.#link[link], size);
  }

  filled(link: number): void {
    this.#outboxes[this.#hop[link]].filled(this.#link[link]);
  }

  isFull(link: number): boolean {
    return this.#outboxes[this.#hop[link]].isFull(this.#link[link]);
  }

  leave(link: number, cause: Cause): void {
    this.#outboxes[this.#hop[link]].leave(this.#link[link], cause);
  }

  hasDirect(link: number): void {
    this.#outboxes[this.#hop[link]].hasDirect(this.#link[link]);
  }

  urge(link: number): void {
    this.#outboxes[this.#hop[link]].urge(this.#link[link]);
  }

  urgeAll(): void {
    for (const outbox of this.#outboxes) outbox.urgeAll();
  }

  /** The same for all hops. */
  get margin(): number {
    return this.#outboxes[0].margin;
  }

  get direct(): number {
    return this.#outboxes[0].direct;
  }

  sendFull(): boolean {
    let moved = false;
    for (const outbox of this.#outboxes) if (outbox.sendFull()) moved = true;
    return moved;
  }

  /** Items sent in this session over all hops. */
  get items(): number {
    return this.#outboxes.reduce((sum, { items }) => sum + items, 0);
  }

  get pending(): number {
    return this.#outboxes.reduce((sum, { pending }) => sum + pending, 0);
  }
}
