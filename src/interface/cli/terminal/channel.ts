/** The option --channel, the same in all commands that have it. */
import { Option } from "commander";
import { channelKinds } from "../../../ground/base/channel-kinds.ts";

export const channelOption = (): Option =>
  new Option("--channel <kind>", "message channels between PEs (default: TUNDISH_CHANNEL, else ump)").choices(
    channelKinds,
  );
