/** The names of the kinds of message channels, and nothing else: whoever only has to know them loads no channel. */
export const channelKinds = ["ump", "fastforward"] as const;

/** A kind of channels between two PEs of a node: `ump` as in Smelt and Barrelfish, `fastforward` as Giacomoni's. */
export type ChannelKind = (typeof channelKinds)[number];
