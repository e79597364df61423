/**
 * The functions of the kernels (assembly/).
 *
 * Addresses are byte offsets in the memory, of any alignment. A layout that several arguments belong to is described at
 * its owner: the link table in geometry/link-table.ts, buffers in engine/outbox.ts, tags in geometry/route.ts.
 */
export interface ConveyorKernels {
  /** Copies rows to their links; gives the number of the first one that was not copied. */
  scatter(
    dests: number,
    rows: number,
    first: number,
    end: number,
    stride: number,
    size: number,
    table: number,
    links: number,
  ): number;
  /** As scatter, by routes and with tags of `width` bytes. */
  scatterTagged(
    dests: number,
    rows: number,
    first: number,
    end: number,
    stride: number,
    size: number,
    table: number,
    links: number,
    routes: number,
    width: number,
  ): number;
  /** The loop of a session: see belts/compiled-session.ts. */
  proceed(
    head: number,
    dests: number,
    rows: number,
    end: number,
    isAll: number,
    takes: number,
    back: number,
    spins: number,
  ): number;
  /** A turn of a session, likewise. */
  turn(head: number, isDone: number, takes: number, back: number): number;
  /** Copies received items to the links of the next hop; gives how many are left. */
  pivot(
    from: number,
    fromTag: number,
    left: number,
    stride: number,
    widths: number,
    mark: number,
    linkShift: number,
    linkMask: number,
    keepShift: number,
    keepMask: number,
    table: number,
    links: number,
    last: number,
  ): number;
  /** Gives queries their slots in a ring; gives the slot after the last one. */
  enlist(dests: number, first: number, end: number, tail: number, ring: number, pes: number, places: number): number;
  /** Number of adjacent slots from `head` on that have their replies. */
  ready(head: number, most: number, ring: number, pes: number, places: number): number;
  /** Copies replies to their slots. */
  settle(
    at: number,
    count: number,
    stride: number,
    from: number,
    slots: number,
    ring: number,
    pes: number,
    places: number,
  ): void;
  /** As settle, by tags of `width` bytes. */
  settleTagged(
    at: number,
    tagAt: number,
    count: number,
    stride: number,
    width: number,
    ranks: number,
    before: number,
    plane: number,
    low: number,
    slots: number,
    ring: number,
    pes: number,
    places: number,
  ): void;
  /** Puts the PEs that sent items with tags of `width` bytes into a column. */
  senders(
    to: number,
    tagAt: number,
    count: number,
    width: number,
    ranks: number,
    before: number,
    plane: number,
    low: number,
  ): void;
  /** Copies items of any length into packets; gives the number of the first one that was not copied. */
  pushPackets(
    dests: number,
    offsets: number,
    bytes: number,
    first: number,
    end: number,
    low: number,
    high: number,
    size: number,
    most: number,
    routes: number,
    table: number,
    links: number,
    margin: number,
  ): number;
  /** Number of packets whose columns take at most `room` bytes, up to one that holds a reference. */
  countPackets(from: number, end: number, room: number): number;
  /** Copies packets to columns; gives where the last one is. */
  pullPackets(
    from: number,
    count: number,
    offsets: number,
    bytes: number,
    bytesEnd: number,
    senders: number,
    ranks: number,
    before: number,
    plane: number,
    low: number,
  ): number;
  /** Copies received packets to the links of the next hop; gives where the first one is that was not copied. */
  pivotPackets(
    from: number,
    end: number,
    mark: number,
    linkShift: number,
    linkMask: number,
    keepShift: number,
    keepMask: number,
    table: number,
    links: number,
    last: number,
    margin: number,
    direct: number,
  ): number;
  /** As pivot, in a mesh: items leave out hops along which they are at their coordinate. */
  pivotMesh(
    from: number,
    fromTag: number,
    left: number,
    stride: number,
    width: number,
    mark: number,
    own: number,
    field: number,
    count: number,
    fields: number,
    table: number,
    links: number,
    last: number,
  ): number;
  /** As pivotPackets, likewise. */
  pivotPacketsMesh(
    from: number,
    end: number,
    mark: number,
    own: number,
    field: number,
    count: number,
    fields: number,
    table: number,
    links: number,
    last: number,
    margin: number,
    direct: number,
  ): number;
  /** Adds items to a table: op and type as in tables.ts; gives how many were added. */
  accumulate(
    op: number,
    type: number,
    table: number,
    length: number,
    index: number,
    indexStep: number,
    value: number,
    valueStep: number,
    count: number,
  ): number;
  /** Copies the elements of a table that `count` indices name to a column; gives how many it was. */
  lookUp(
    to: number,
    bytes: number,
    table: number,
    length: number,
    index: number,
    indexStep: number,
    count: number,
  ): number;
  /** Copies integers of a type to a column of u32; what is none becomes one that no table is long enough for. */
  indices(to: number, from: number, type: number, step: number, count: number): void;
  /** Copies numbers of a type to a column of a wider one. */
  widen(to: number, toType: number, from: number, type: number, step: number, count: number): void;
  /** Copies a field of `count` items to a column. */
  gather(to: number, from: number, bytes: number, stride: number, count: number): void;
  /** Copies a column to a field of `count` items. */
  weave(to: number, from: number, bytes: number, stride: number, count: number): void;
  /** As gather, of two fields of 4 or 8 bytes side by side. */
  gatherPair(a: number, b: number, from: number, bytes: number, stride: number, count: number): void;
  /** As weave, likewise. */
  weavePair(to: number, a: number, b: number, bytes: number, stride: number, count: number): void;
}
